"""What gives scores to dialogues: the learned model, a function, a judge behind an endpoint. All are alike here.

Raters are found by their names, `kind` or `kind:option`, in the entry points of the group `vivavoce.raters`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from numbers import Real
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from vivavoce import plugins
from vivavoce.dialogues.dialogue import HIGHEST, LOWEST, Dialogue
from vivavoce.dialogues.result import Drift, Origin, Score
from vivavoce.errors import Fault, UsageError, nearest


@runtime_checkable
class Rater(Protocol):
    """Anything that can rate. `origin` None: nobody has measured it yet."""

    @property
    def name(self) -> str:
        """How it is called in reports."""

    @property
    def origin(self) -> Origin | None:
        """What it learnt from."""

    def rate(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """Return one score for each dialogue, in order; a refusal is a score too."""


@runtime_checkable
class Comparing(Protocol):
    """A rater that knows what dialogues it learnt from."""

    def compare(self, dialogues: Sequence[Dialogue]) -> Drift | None:
        """Return how far dialogues that it scored lie from those that it learnt from; None: it cannot be said."""


Progress = Callable[[int, int], None]
RATERS = "vivavoce.raters"
NEEDS = "a rater has `name`, `origin` (None if it is not validated) and `rate(dialogues)`"
# What every rater may be given, whether it has a use for it or not.
_HARMLESS = ("seed", "progress")


@dataclass(frozen=True, slots=True)
class RaterOptions:
    """What the user may say about a rater; None leaves it as the rater has it.

    `at_once`: questions on their way together. `most`: messages that may be sent in all, further tries included.
    `record`: a file of JSON lines that keeps every answer; what it holds is not asked again. `settings`: keys of an
    `openai` entry of bots.yaml. `progress` is told how many are done, of how many.
    """

    at_once: int | None = None
    timeout_s: float | None = None
    retries: int | None = None
    most: int | None = None
    record: Path | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
    seed: int = 0
    progress: Progress | None = None

    @property
    def given(self) -> tuple[str, ...]:
        """The names of the options that were set and that only some raters can heed."""
        names = [each.name for each in fields(self) if each.name not in _HARMLESS]
        return tuple(name for name in names if getattr(self, name) not in (None, {}))


def check_options(options: RaterOptions, *, where: str) -> None:
    """Refuse numbers that make no sense, all at once."""
    faults = [
        Fault(f"{value} is not {least} or more", name)
        for name, least in (("at_once", 1), ("retries", 0), ("most", 0))
        if (value := getattr(options, name)) is not None and value < least
    ]
    seconds = options.timeout_s
    if seconds is not None and not 0 < seconds < float("inf"):
        faults.append(Fault(f"{seconds} is not a number of seconds above 0", "timeout_s"))
    if faults:
        raise UsageError("these options are invalid", where=where, faults=faults, remedy="fix the numbers")


def fault_of_score(score: Score) -> str:
    """Say what is wrong with the numbers of a score; empty: nothing."""
    faults = (fault_of_number(value) for value in (score.score, score.low, score.high))
    return next((fault for fault in faults if fault), "")


def fault_of_number(value: object) -> str:
    """Say why a value is no score; empty for a number on the scale and for None."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, Real):
        return f"a {type(value).__name__} is not a number: {value!r}"[:200]
    return "" if LOWEST <= float(value) <= HIGHEST else f"{float(value):g} is not from {LOWEST:g} to {HIGHEST:g}"


def load_rater(name: str, *, options: RaterOptions | None = None) -> Rater:
    """Return the rater of this name: `learned`, `learned:PATH`, `python:module:function`, `openai:MODEL`, `length`.

    A factory takes the option, and the RaterOptions where it has a use for them; options that a rater cannot heed
    are refused.
    """
    options = options or RaterOptions()
    kind, option = plugins.split_name(name)
    known = plugins.available(RATERS)
    if kind not in known:
        remedy = f"choose one of: {', '.join(known)}" if known else "install a package that provides one"
        raise UsageError(f"unknown rater '{kind}'.{nearest(kind, known)}", remedy=remedy)
    check_options(options, where=name)
    factory = plugins.load(RATERS, kind)
    arguments: tuple[object, ...] = (option,)
    if callable(factory) and _takes_options(factory):
        arguments = (option, options)
    elif options.given:
        raise UsageError(f"the rater '{kind}' does not use {', '.join(options.given)}", remedy="remove these options")
    rater = plugins.build(RATERS, kind, *arguments)
    if isinstance(rater, Rater) and not isinstance(rater, type) and callable(rater.rate):
        return rater
    raise UsageError(f"'{kind}' returned {type(rater).__name__}, not a rater", remedy=NEEDS)


def list_raters() -> list[plugins.Description]:
    """Return a line for each kind of rater: its name, the distribution it came from, what it is."""
    return plugins.describe(RATERS)


def _takes_options(factory: Callable[..., Any]) -> bool:
    try:
        inspect.signature(factory).bind("", RaterOptions())
    except (TypeError, ValueError):
        return False
    return True
