"""The user's own rater in Python: a function of a dialogue, an object with `rate_many`, or a whole rater."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from inspect import isawaitable, signature
from typing import Any

from vivavoce.bots.loops import run_to_end
from vivavoce.bots.python import (
    count_required,
    current_folder_first,
    error_line,
    error_place,
    load_attribute,
    load_module,
)
from vivavoce.dialogues.dialogue import Dialogue
from vivavoce.dialogues.raters.protocol import fault_of_number, fault_of_score
from vivavoce.dialogues.result import Cause, Origin, Score
from vivavoce.errors import UsageError, plural

_EXAMPLE = "write python:package.module:function or python:path/to/file.py:function"
_FORMS = (
    "use a function that takes one dialogue and returns a number from 1 to 5, None or a Score, an "
    "object with `rate_many(dialogues)`, or a function without arguments that returns one of these"
)
NOTHING = "gave no score"
# A `sys.exit()` in the user's code must not end the whole command.
_FAILURES = (Exception, SystemExit)


class LeftError(RuntimeError):
    """The user's code wanted to end the program; raised as an error, which an event loop passes on."""


def from_option(option: str = "") -> PythonRater:
    """Your own in Python, as `module:function` or `file.py:function`: a dialogue in, a number from 1 to 5 out."""
    module_name, _, attribute = option.rpartition(":")
    if not (module_name and attribute):
        raise UsageError(f"'{option}' does not name a module and a function in it", remedy=_EXAMPLE)
    with current_folder_first():
        try:
            target = load_attribute(load_module(module_name), attribute, module_name)
        except SystemExit as error:
            raise UsageError(
                f"'{module_name}' exits the program while it is imported: {error_line(error)}",
                where=error_place(error),
                remedy='put code that runs a program under `if __name__ == "__main__":`',
            ) from error
        return as_rater(target, name=f"python:{option}")


def as_rater(target: object, *, name: str = "") -> PythonRater:
    """Return a function, or an object with `rate_many` or `rate`, as a rater; a class or a factory is called."""
    name = name or str(getattr(target, "__name__", type(target).__name__))
    if callable(target) and _is_factory(target):
        try:
            target = target()
        except _FAILURES as error:
            raise UsageError(
                f"it failed: {error_line(error)}",
                where=error_place(error) or name,
                remedy="it takes no arguments and returns the rater",
            ) from error
    many = getattr(target, "rate_many", None) or getattr(target, "rate", None)
    if not (callable(many) or callable(target)) or isinstance(target, type):
        raise UsageError(f"a {type(target).__name__} cannot rate", where=name, remedy=_FORMS)
    return PythonRater(target, name)


class PythonRater:
    """Asks the user's code and checks its answers; where it fails, the dialogue gets no score."""

    def __init__(self, target: Any, name: str) -> None:
        self.name = name
        origin = getattr(target, "origin", None)
        # A function says nothing about its origin.
        self.origin = origin if isinstance(origin, Origin) else None
        self._rate_many = _find_batch_method(target)
        self._rate = target

    def rate(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """Return one score for each dialogue; what is neither score nor refusal is refused by its value."""
        answers = self._ask_many(dialogues) if self._rate_many else [self._ask(dialogue) for dialogue in dialogues]
        return [_make_score(dialogue, answer, self.name) for dialogue, answer in zip(dialogues, answers, strict=True)]

    def _ask(self, dialogue: Dialogue) -> object:
        try:
            return _wait_for(self._rate(dialogue))
        except _FAILURES as error:
            return self._describe_failure(dialogue, error)

    def _ask_many(self, dialogues: Sequence[Dialogue]) -> list[object]:
        if not dialogues:
            return []
        try:
            answers = list(_wait_for(self._rate_many(list(dialogues)))) if self._rate_many else []
        except _FAILURES as error:
            return [self._describe_failure(dialogue, error) for dialogue in dialogues]
        if len(answers) != len(dialogues):
            what = f"{self.name} returned {plural(len(answers), 'score')} for {plural(len(dialogues), 'dialogue')}"
            raise UsageError(what, remedy="return exactly one per dialogue, in order; None for no score")
        return answers

    def _describe_failure(self, dialogue: Dialogue, error: BaseException) -> Score:
        if isinstance(error, LeftError) and error.__cause__ is not None:
            error = error.__cause__
        place = error_place(error)
        where = f" ({place})" if place and place.partition(",")[0] != __file__ else ""
        return Score(dialogue.id, None, refusal=f"{self.name} failed: {error_line(error)}{where}", cause=Cause.RATER)


def _find_batch_method(target: object) -> Callable[..., Any] | None:
    methods = (getattr(target, name, None) for name in ("rate_many", "rate"))
    return next((method for method in methods if callable(method)), None)


def _is_factory(target: Callable[..., Any]) -> bool:
    if isinstance(target, type):
        return True
    if _find_batch_method(target) or count_required(target) != 0:
        return False
    try:
        signature(target).bind(None)
    except (TypeError, ValueError):
        return True
    # A function that needs no argument and takes one nonetheless takes the dialogue.
    return False


def _wait_for(result: Any) -> Any:
    return run_to_end(_wait(result)) if isawaitable(result) else result


async def _wait(result: Awaitable[Any]) -> Any:
    try:
        return await result
    except SystemExit as error:
        raise LeftError(str(error)) from error


def _make_score(dialogue: Dialogue, answer: Any, name: str) -> Score:
    if not isinstance(answer, Score):
        fault = fault_of_number(answer)
    else:
        is_own = answer.id in ("", dialogue.id)
        fault = fault_of_score(answer) if is_own else f"this is the score of '{answer.id}'"
    if fault:
        refusal = f"{name} returned an invalid score: {fault}"
        return Score(dialogue.id, None, refusal=refusal, cause=Cause.RATER)
    score = answer if isinstance(answer, Score) else Score(dialogue.id, None if answer is None else float(answer))
    if score.score is None and not score.refusal:
        return replace(score, id=dialogue.id, refusal=f"{name} {NOTHING}", cause=Cause.NO_REASON)
    return replace(score, id=dialogue.id, refusal="" if score.score is not None else score.refusal)
