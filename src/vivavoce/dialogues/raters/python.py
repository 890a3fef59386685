"""A rater of the user's own in Python: a function of a dialogue, an object with `rate_many`, or a whole rater."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from inspect import isawaitable
from numbers import Real
from typing import Any

# One way to find the user's own code, whatever it is written for.
from vivavoce.bots.python import _attribute, _current_folder_first, _line, _module, _place, _required
from vivavoce.dialogues.dialogue import HIGHEST, LOWEST, Dialogue
from vivavoce.dialogues.raters.loops import run_to_end
from vivavoce.dialogues.result import Origin, Score
from vivavoce.errors import Fault, UsageError, plural

__all__ = ["PythonRater", "as_rater", "from_option"]

_EXAMPLE = "write python:package.module:function or python:path/to/file.py:function"
_FORMS = (
    "give a function of one dialogue that returns a number from 1 to 5, None or a Score, "
    "an object with `rate_many(dialogues)`, or a function without arguments that makes one of these"
)
_RESULT = f"return a number from {LOWEST:g} to {HIGHEST:g}, None where there is nothing to say, or a Score"
NOTHING = "gave no score"


def from_option(option: str = "") -> PythonRater:
    """Your own in Python, as `module:function` or `file.py:function`: a dialogue in, a number from 1 to 5 out."""
    module_name, _, attribute = option.rpartition(":")
    if not (module_name and attribute):
        raise UsageError(f"'{option}' does not name a module and a function in it", remedy=_EXAMPLE)
    with _current_folder_first():
        target = _attribute(_module(module_name), attribute, module_name)
        return as_rater(target, name=f"python:{option}")


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
        """Return one score for each dialogue; what is neither score nor refusal is an error that names them all."""
        found = self._ask_many(dialogues) if self._many else [self._ask(dialogue) for dialogue in dialogues]
        pairs = list(zip(dialogues, found, strict=True))
        faults = [
            Fault(message, f"dialogue '{dialogue.id}'")
            for dialogue, said in pairs
            for message in _faults(dialogue, said)
        ]
        if faults:
            what = f"{self._name} returned what is not a score"
            raise UsageError(what, faults=faults, remedy=_RESULT)
        return [_as_score(dialogue, said, self._name) for dialogue, said in pairs]

    def _ask(self, dialogue: Dialogue) -> object:
        try:
            return _awaited(self._one(dialogue))
        except Exception as error:
            return self._failure(dialogue, error)

    def _ask_many(self, dialogues: Sequence[Dialogue]) -> list[object]:
        if not dialogues:
            return []
        try:
            found = list(_awaited(self._many(list(dialogues)))) if self._many else []
        except Exception as error:
            return [self._failure(dialogue, error) for dialogue in dialogues]
        if len(found) != len(dialogues):
            what = f"{self._name} returned {plural(len(found), 'score')} for {plural(len(dialogues), 'dialogue')}"
            raise UsageError(what, remedy="return exactly one for each, in order; None where there is none")
        return found

    def _failure(self, dialogue: Dialogue, error: Exception) -> Score:
        place = _place(error)
        where = f" ({place})" if place and place.partition(",")[0] != __file__ else ""
        return Score(dialogue.id, None, refusal=f"{self._name} failed: {_line(error)}{where}")


def _method(target: object, name: str) -> Callable[..., Any] | None:
    found = getattr(target, name, None)
    return found if callable(found) else None


def _is_maker(target: object) -> bool:
    if isinstance(target, type):
        return True
    ready = _method(target, "rate_many") or _method(target, "rate")
    return not ready and callable(target) and _required(target) == 0 and not _takes_any(target)


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
    except Exception as error:
        remedy = "it is called without arguments and makes the rater"
        raise UsageError(f"it failed: {_line(error)}", where=_place(error) or shown, remedy=remedy) from error


def _awaited(result: Any) -> Any:
    return run_to_end(_wait(result)) if isawaitable(result) else result


async def _wait(result: Awaitable[Any]) -> Any:
    return await result


# --- what it said ------------------------------------------------------------------------------------------------


def _faults(dialogue: Dialogue, said: object) -> Iterator[str]:
    if isinstance(said, Score):
        if said.id not in ("", dialogue.id):
            yield f"this is the score of '{said.id}'"
        for value in (said.score, said.low, said.high):
            yield from _number_faults(value)
    else:
        yield from _number_faults(said)


def _number_faults(value: object) -> Iterator[str]:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, Real):
        yield f"a {type(value).__name__} is not a number: {value!r}"[:200]
    elif not LOWEST <= float(value) <= HIGHEST:
        yield f"{float(value):g} is not from {LOWEST:g} to {HIGHEST:g}"


def _as_score(dialogue: Dialogue, said: Any, name: str) -> Score:
    score = said if isinstance(said, Score) else Score(dialogue.id, None if said is None else float(said))
    refusal = "" if score.score is not None else score.refusal or f"{name} {NOTHING}"
    return replace(score, id=dialogue.id, refusal=refusal)
