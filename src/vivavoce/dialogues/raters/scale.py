"""What a score may be: a number from 1 to 5."""

from __future__ import annotations

from numbers import Real

from vivavoce.dialogues.dialogue import HIGHEST, LOWEST
from vivavoce.dialogues.result import Score


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
