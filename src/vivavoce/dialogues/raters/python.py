"""A rater of the user's own in Python: a function of a dialogue, an object with `rate_many`, or a whole rater."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from inspect import isawaitable
from typing import Any

# One way to find the user's own code, whatever it is written for.
from vivavoce.bots.python import (
    count_required,
    current_folder_first,
    error_line,
    error_place,
    load_attribute,
    load_module,
)
from vivavoce.dialogues.dialogue import Dialogue
from vivavoce.dialogues.raters.loops import run_to_end
from vivavoce.dialogues.raters.scale import fault_of_number, fault_of_score
from vivavoce.dialogues.result import Cause, Origin, Score
from vivavoce.errors import UsageError, plural

__all__ = ["PythonRater", "as_rater", "from_option"]

_EXAMPLE = "write python:package.module:function or python:path/to/file.py:function"
_FORMS = (
    "give a function of one dialogue that returns a number from 1 to 5, None or a Score, "
    "an object with `rate_many(dialogues)`, or a function without arguments that makes one of these"
)
NOTHING = "gave no score"
# A `sys.exit()` in the user's code must not end the whole command.
_FAILURES = (Exception, SystemExit)


class LeftError(RuntimeError):
    """The user's code wanted to end the program; said as an error, which an event loop hands on as it is."""


def from_option(option: str = "") -> PythonRater:
    """Your own in Python, as `module:function` or `file.py:function`: a dialogue in, a number from 1 to 5 out."""
    module_name, _, attribute = option.rpartition(":")
    if not (module_name and attribute):
        raise UsageError(f"'{option}' does not name a module and a function in it", remedy=_EXAMPLE)
    with current_folder_first():
        target = _loaded(module_name, attribute)
        return as_rater(target, name=f"python:{option}")


def _loaded(module_name: str, attribute: str) -> object:
    try:
        return load_attribute(load_module(module_name), attribute, module_name)
    except SystemExit as error:
        raise UsageError(
            f"'{module_name}' ends the program while it is imported: {error_line(error)}",
            where=error_place(error),
            remedy='put what runs a program under `if __name__ == "__main__":`',
        ) from error


def as_rater(target: object, *, name: str = "") -> PythonRater:
    """Return a function, or an object with `rate_many` or `rate`, as a rater; a class or a factory is called."""
    shown = name or str(getattr(target, "__name__", type(target).__name__))
    if _is_maker(target):
        target = _made(target, shown)
    many = getattr(target, "rate_many", None) or getattr(target, "rate", None)
    if not (callable(many) or callable(target)) or isinstance(target, type):
        raise UsageError(f"a {type(target).__name__} cannot rate", where=shown, remedy=_FORMS)
    return PythonRater(target, shown)


class PythonRater:
    """Asks the user's code and checks what it says; where it fails the dialogue gets no score and the run goes on."""

    def __init__(self, target: Any, name: str) -> None:
        self._many = _method(target, "rate_many") or _method(target, "rate")
        self._one = target
        self._name = name
        self._origin: object = getattr(target, "origin", None)

    @property
    def name(self) -> str:
        """How it is called in reports."""
        return self._name

    @property
    def origin(self) -> Origin | None:
        """What the user's object says of its origin; a function says nothing."""
        return self._origin if isinstance(self._origin, Origin) else None

    def rate(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """Return one score for each dialogue; what is neither score nor refusal is refused by its value."""
        found = self._ask_many(dialogues) if self._many else [self._ask(dialogue) for dialogue in dialogues]
        return [_as_score(dialogue, said, self._name) for dialogue, said in zip(dialogues, found, strict=True)]

    def _ask(self, dialogue: Dialogue) -> object:
        try:
            return _awaited(self._one(dialogue))
        except _FAILURES as error:
            return self._failure(dialogue, error)

    def _ask_many(self, dialogues: Sequence[Dialogue]) -> list[object]:
        if not dialogues:
            return []
        try:
            found = list(_awaited(self._many(list(dialogues)))) if self._many else []
        except _FAILURES as error:
            return [self._failure(dialogue, error) for dialogue in dialogues]
        if len(found) != len(dialogues):
            what = f"{self._name} returned {plural(len(found), 'score')} for {plural(len(dialogues), 'dialogue')}"
            raise UsageError(what, remedy="return exactly one for each, in order; None where there is none")
        return found

    def _failure(self, dialogue: Dialogue, error: BaseException) -> Score:
        if isinstance(error, LeftError) and error.__cause__ is not None:
            error = error.__cause__
        place = error_place(error)
        where = f" ({place})" if place and place.partition(",")[0] != __file__ else ""
        return Score(dialogue.id, None, refusal=f"{self._name} failed: {error_line(error)}{where}", cause=Cause.RATER)


def _method(target: object, name: str) -> Callable[..., Any] | None:
    found = getattr(target, name, None)
    return found if callable(found) else None


def _is_maker(target: object) -> bool:
    if isinstance(target, type):
        return True
    ready = _method(target, "rate_many") or _method(target, "rate")
    return not ready and callable(target) and count_required(target) == 0 and not _takes_any(target)


def _takes_any(target: Callable[..., Any]) -> bool:
    """Tell whether a function that needs no argument takes one nonetheless: then it is for the dialogue."""
    from inspect import signature

    try:
        signature(target).bind(None)
    except (TypeError, ValueError):
        return False
    return True


def _made(maker: Any, shown: str) -> object:
    try:
        return maker()
    except _FAILURES as error:
        raise UsageError(
            f"it failed: {error_line(error)}",
            where=error_place(error) or shown,
            remedy="it is called without arguments and makes the rater",
        ) from error


def _awaited(result: Any) -> Any:
    return run_to_end(_wait(result)) if isawaitable(result) else result


async def _wait(result: Awaitable[Any]) -> Any:
    try:
        return await result
    except SystemExit as error:
        raise LeftError(str(error)) from error


# --- what it said ------------------------------------------------------------------------------------------------


def _as_score(dialogue: Dialogue, said: Any, name: str) -> Score:
    fault = _fault(dialogue, said)
    if fault:
        told = f"{name} returned what is not a score: {fault}"
        return Score(dialogue.id, None, refusal=told, cause=Cause.RATER)
    score = said if isinstance(said, Score) else Score(dialogue.id, None if said is None else float(said))
    if score.score is None and not score.refusal:
        return replace(score, id=dialogue.id, refusal=f"{name} {NOTHING}", cause=Cause.NO_REASON)
    return replace(score, id=dialogue.id, refusal="" if score.score is not None else score.refusal)


def _fault(dialogue: Dialogue, said: object) -> str:
    if not isinstance(said, Score):
        return fault_of_number(said)
    return fault_of_score(said) if said.id in ("", dialogue.id) else f"this is the score of '{said.id}'"
