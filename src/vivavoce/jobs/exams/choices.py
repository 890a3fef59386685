"""The options of an exam: which there are, what they may hold, and what holds where nothing is said."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from vivavoce import plugins
from vivavoce.errors import Fault, UsageError, VivaError, nearest
from vivavoce.jobs.exams.protocol import Json, Options
from vivavoce.settings import OPTIONS, Option

__all__ = [
    "Choice",
    "check_options",
    "classifier",
    "flag",
    "from_settings",
    "named",
    "several_classifiers",
    "split_settings",
    "text",
]

# The settings (k, p) of the paper; written out here because the splits need NumPy and a form does not.
PAPER: tuple[tuple[int, float], ...] = ((0, 0.0), (0, 0.15), (5, 0.0))


class UnfitError(Exception):
    """A value that an option cannot hold; it never leaves this module."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One option: what holds where it is not given, and how a given value is read."""

    default: Json
    read: Callable[[Json], Json]


def check_options(exam: str, options: Options, choices: Mapping[str, Choice]) -> dict[str, Json]:
    """Return all options of an exam in order; null counts as not given. UsageError names every fault at once."""
    faults = [
        Fault(f"there is no option '{name}'.{nearest(name, list(choices))}", exam)
        for name in options
        if name not in choices
    ]
    read: dict[str, Json] = {}
    for name, choice in choices.items():
        value = options.get(name)
        try:
            # What is not given goes the same way, so that nobody changes a default by changing the answer.
            read[name] = choice.read(choice.default if value is None else value)
        except UnfitError as error:
            faults.append(Fault(str(error), f"{exam}, '{name}'"))
    if faults:
        raise UsageError("these options cannot be used", faults=faults, remedy="correct them or leave them out")
    return read


# --- what an option may hold -------------------------------------------------------------------------------------


def from_settings(name: str) -> Choice:
    """Return the option that is a setting too: the same default and the same bounds."""
    option = next(one for one in OPTIONS if one.name == name)
    return Choice(_plain(option.default), partial(_setting, option))


def _plain(default: object) -> Json:
    return default if isinstance(default, str | int | float) else None


def _setting(option: Option, value: Json) -> Json:
    if value is None and option.default is None:
        return None
    read = float(value) if option.type is float and isinstance(value, int) else value
    # True is a whole number to Python, but never to the person who wrote it.
    if isinstance(value, bool) or not isinstance(read, option.type) or not option.accepts(read):
        raise UnfitError(f"must be {option.kind}, not {value!r}.{nearest(str(value), option.choices)}")
    return read


def flag(default: bool) -> Choice:
    """Return an option that is on or off."""
    return Choice(default, _flag)


def _flag(value: Json) -> Json:
    if not isinstance(value, bool):
        raise UnfitError(f"must be true or false, not {value!r}")
    return value


def text(default: str) -> Choice:
    """Return an option that holds any text but an empty one."""
    return Choice(default, _text)


def _text(value: Json) -> Json:
    if not isinstance(value, str) or not value.strip():
        raise UnfitError(f"must be a text, not {value!r}")
    return value


def named(group: str, what: str, default: str) -> Choice:
    """Return an option that names a plug-in of a group: `kind` or `kind:option`."""
    return Choice(default, partial(_named, group, what))


def _named(group: str, what: str, value: Json) -> str:
    if not isinstance(value, str):
        raise UnfitError(f"must be the name of a {what}, not {value!r}")
    try:
        kind, _ = plugins.split_name(value)
    except VivaError as error:
        raise UnfitError(error.what) from None
    known = plugins.available(group)
    if kind not in known:
        raise UnfitError(f"there is no {what} '{kind}'.{nearest(kind, known)} Known are: {', '.join(known)}")
    return value


def classifier() -> Choice:
    """Return the option that names a classifier; where it is not given, the one of the settings."""
    return named(plugins.CLASSIFIERS, "classifier", str(from_settings("classifier").default))


def several_classifiers() -> Choice:
    """Return the option that names two or more classifiers, each once."""
    return Choice([], _several)


def _several(value: Json) -> Json:
    if not isinstance(value, list):
        raise UnfitError(f"must be a list of names, not {value!r}")
    names: list[str] = []
    wrong = list(_wrong_names(value, names))
    if wrong:
        raise UnfitError("; ".join(wrong))
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UnfitError(f"{', '.join(twice)} cannot be told apart: name each classifier once")
    if len(names) < 2:
        raise UnfitError(f"{len(names)} given: nothing can be compared with fewer than 2")
    return list(names)


def _wrong_names(value: list[Json], names: list[str]) -> Iterator[str]:
    for each in value:
        try:
            names.append(_named(plugins.CLASSIFIERS, "classifier", each))
        except UnfitError as error:
            yield str(error)


def split_settings() -> Choice:
    """Return the option that holds the settings of an intents exam: a list of pairs (k, p)."""
    return Choice([list(pair) for pair in PAPER], _settings)


def _settings(value: Json) -> Json:
    if not isinstance(value, list) or not value:
        raise UnfitError(f"must be a list of pairs such as [[0, 0.15], [5, 0]], not {value!r}")
    read: list[tuple[int, float]] = []
    wrong: list[str] = []
    for pair in value:
        try:
            read.append(_pair(pair))
        except UnfitError as error:
            wrong.append(str(error))
    if wrong:
        raise UnfitError("; ".join(wrong))
    return [[k, p] for k, p in dict.fromkeys(read)]


def _pair(pair: Json) -> tuple[int, float]:
    from vivavoce.intents.splits import Setting

    if not isinstance(pair, list) or len(pair) != 2 or any(isinstance(one, bool) for one in pair):
        raise UnfitError(f"{pair!r} is not a pair [k, p]")
    k, p = pair
    if not isinstance(k, int | float) or not isinstance(p, int | float):
        raise UnfitError(f"{pair!r} does not hold two numbers")
    try:
        setting = Setting(int(k) if k == int(k) else k, float(p))  # type: ignore[arg-type]
    except (VivaError, ValueError, OverflowError) as error:
        raise UnfitError(error.what if isinstance(error, VivaError) else f"{pair!r}: {error}") from None
    return setting.k, setting.p
