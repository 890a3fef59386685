"""One option of an exam or of the settings: what it is called, may hold and means.

Command line, API, forms, schedules and checks derive from it, so that a default or a bound is written once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vivavoce import plugins
from vivavoce.errors import Fault, UsageError, VivaError, nearest
from vivavoce.messages import join, say


class UnfitError(Exception):
    """A value that an option cannot hold; `check_options` makes a fault of it."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


@dataclass(frozen=True, slots=True)
class Preset:
    """A value that has a name of its own in forms."""

    name: str
    title: str
    value: object


@dataclass(frozen=True, slots=True)
class Option:
    """What an option is called, holds and means; where the default is None, it may stay empty.

    `several`: a list of at least `fewest` values; `or_one`: a single value stands for itself. `plugins`: the group of
    plug-ins of which it names one. `check` reads a value that the type alone does not describe.

    For people: `label` names it in forms, `empty` says what no value means. `flag` is its name on the command line,
    `metavar` what follows it there. `more`: a form shows it only on a second look. `daily`: daily runs have it too.
    `offered`: the project says what can be chosen.
    """

    name: str
    type: type = str
    default: Any = None
    help: str = ""
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    open_ends: bool = False
    several: bool = False
    or_one: bool = False
    fewest: int = 0
    most: int = 200
    plugins: str = ""
    check: Callable[[Any], Any] | None = None
    label: str = ""
    empty: str = ""
    flag: str = ""
    metavar: str = ""
    required: bool = False
    more: bool = False
    daily: bool = False
    offered: bool = False
    presets: tuple[Preset, ...] = ()

    @property
    def wanted(self) -> str:
        """What a value must be, in words."""
        low, high, whole = self.low, self.high, self.type is int
        if self.choices:
            return say("one of {names}", names=", ".join(self.choices))
        if low is None:
            kinds = {Path: say("a path"), str: say("a text"), bool: say("true or false")}
            return kinds.get(self.type, say("a number"))
        if high is None:
            least = say("a number of {low:,} or more", low=low)
            return say("a whole number of {low:,} or more", low=low) if whole else least
        if self.open_ends:
            return say("a number between {low:,} and {high:,}", low=low, high=high)
        between = say("a number from {low:,} to {high:,}", low=low, high=high)
        return say("a whole number from {low:,} to {high:,}", low=low, high=high) if whole else between

    @property
    def kind(self) -> str:
        """The type in words, without its article."""
        return self.wanted.removeprefix("a ")

    @property
    def command_flag(self) -> str:
        """Its name on the command line."""
        return self.flag or f"--{self.name.replace('_', '-')}"

    def accepts(self, value: object) -> bool:
        """Tell whether a value of the right type is allowed."""
        if self.choices:
            return value in self.choices
        if self.type not in (int, float):
            return not isinstance(value, str) or bool(value.strip())
        low = float("-inf") if self.low is None else self.low
        high = float("inf") if self.high is None else self.high
        # Written so that "not a number" lies in no range.
        return isinstance(value, int | float) and (low < value < high if self.open_ends else low <= value <= high)


def check_options(where: str, values: Mapping[str, Any], options: Sequence[Option]) -> dict[str, Any]:
    """Return all options with their values; null counts as not given. UsageError names every fault at once."""
    known = [option.name for option in options]
    faults = [
        Fault(say("unknown option '{name}'.{nearest}", name=name, nearest=nearest(name, known)), name)
        for name in values
        if name not in known
    ]
    checked: dict[str, Any] = {}
    for option in options:
        value = values.get(option.name)
        try:
            # What is not given goes the same way, so that nobody changes a default by changing the answer.
            checked[option.name] = check_value(option, option.default if value is None else value)
        except UnfitError as error:
            faults.append(Fault(error.what, option.name))
    if faults:
        remedy = say("fix or remove them")
        raise UsageError(say("these options are invalid"), where=where, faults=faults, remedy=remedy)
    return checked


def check_value(option: Option, value: Any) -> Any:
    """Return a value as the option holds it; UnfitError where it cannot."""
    if value is None and option.default is None and not option.required:
        return None
    if option.check is not None:
        return option.check(value)
    if option.or_one and not isinstance(value, list | tuple):
        return _check_single(option, value)
    values = _check_several(option, value) if option.several else _check_single(option, value)
    return values[0] if option.or_one and len(values) == 1 else values


def _check_several(option: Option, value: Any) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise UnfitError(say("must be a list of names, not {value}", value=repr(value)))
    checked, wrong = [], []
    for part in value:
        try:
            checked.append(_check_single(option, part))
        except UnfitError as error:
            wrong.append(error.what)
    if wrong:
        raise UnfitError(join("; ", wrong))
    if repeated := sorted({name for name in checked if checked.count(name) > 1}):
        raise UnfitError(say("{names} are not distinct: name each once", names=", ".join(repeated)))
    if len(checked) < option.fewest:
        raise UnfitError(say("{count} given: choose at least {fewest}", count=len(checked), fewest=option.fewest))
    return checked


def _check_single(option: Option, value: Any) -> Any:
    if option.plugins:
        return _check_plugin(option, value)
    read = float(value) if option.type is float and type(value) is int and abs(value) < 2**53 else value
    # True is a whole number to Python, but never to the person who wrote it.
    wrong_type = isinstance(value, bool) is not (option.type is bool) or not isinstance(read, option.type)
    if wrong_type or not option.accepts(read):
        hint = nearest(str(value), option.choices)
        values = {"wanted": option.wanted, "value": repr(value), "nearest": hint}
        raise UnfitError(say("must be {wanted}, not {value}.{nearest}", **values))
    return read


def _check_plugin(option: Option, value: Any) -> str:
    noun = option.plugins.rpartition(".")[2].removesuffix("s")
    if not isinstance(value, str):
        raise UnfitError(say("must be the name of a {noun}, not {value}", noun=noun, value=repr(value)))
    try:
        kind, _ = plugins.split_name(value)
    except VivaError as error:
        raise UnfitError(error.what) from None
    known = plugins.available(option.plugins)
    if kind not in known:
        values = {"noun": noun, "kind": kind, "nearest": nearest(kind, known), "names": ", ".join(known)}
        raise UnfitError(say("unknown {noun} '{kind}'.{nearest} Available: {names}", **values))
    return value
