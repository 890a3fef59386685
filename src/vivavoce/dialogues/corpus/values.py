"""Single values of a log: names, marks, flags and thumbs, each read or refused with a reason."""

from __future__ import annotations

import math
import re

from vivavoce.dialogues.dialogue import HIGHEST, LOWEST
from vivavoce.files.tables import UnsavedFormula
from vivavoce.messages import say

YES = frozenset({"true", "yes", "y", "1", "ja", "passed", "pass", "bot"})
NO = frozenset({"false", "no", "n", "0", "nein", "failed", "fail", "human"})
GOOD = frozenset({"good", "up", "like", "true", "1", "yes", "👍", "+1"})
BAD = frozenset({"bad", "down", "dislike", "false", "0", "no", "👎", "-1"})
UNITS = re.compile(r"\s*(?:stars?|points?|/\s*5|out of 5|von 5)$", re.IGNORECASE)
DECIMAL_COMMA = re.compile(r"\d+,\d+")
KINDS = {
    dict: say("an object"),
    list: say("a list"),
    str: say("text"),
    bool: say("true or false"),
    type(None): "null",
}


class UnreadableError(ValueError):
    """A value that cannot be used; the message says why."""


def kind_of(value: object) -> str:
    """Return what a JSON value is, in words."""
    return KINDS.get(type(value), say("a number"))


def excerpt(value: object) -> str:
    """Return a value as it is quoted in a message: short, on one line."""
    shown = " ".join(str(value).split())
    return f"'{shown[:60]}...'" if len(shown) > 60 else f"'{shown}'"


def read_name(value: object, what: str) -> str:
    """Return the name or number of a dialogue, speaker, bot or user as text."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise UnreadableError(
            say(
                "the {what} is {kind_of}: write a name in quotes or a whole number", what=what, kind_of=kind_of(value)
            )
        )
    name = value if isinstance(value, str) else str(value)
    if not name.strip():
        raise UnreadableError(say("the {what} is empty: write a name", what=what))
    return name


def read_mark(value: object) -> float | None:
    """Return a mark from 1 to 5; None where none was given."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    mark = _number(value)
    if not LOWEST <= mark <= HIGHEST:
        raise UnreadableError(
            say(
                "the rating {excerpt} is outside {lowest:.0f} to {highest:.0f}: bring all ratings to a scale of "
                "{lowest:.0f} (worst) to {highest:.0f} (best)",
                excerpt=excerpt(value),
                lowest=LOWEST,
                highest=HIGHEST,
            )
        )
    return mark


def read_aspect(name: str, value: object) -> float:
    """Return a finer mark; any number that is one, for their scales differ."""
    try:
        return _number(value)
    except UnreadableError:
        raise UnreadableError(
            say(
                "the aspect '{name}' is {excerpt}, not a number: correct or remove it",
                name=name,
                excerpt=excerpt(value),
            )
        ) from None


def read_flag(value: object, what: str) -> bool | None:
    """Return yes or no as programs and people write it; None where nothing is said."""
    if value is None or isinstance(value, bool):
        return value
    word = _word(value)
    if not word:
        return None
    if word in YES or word in NO:
        return word in YES
    raise UnreadableError(say("{what} is {excerpt}: write true or false", what=what, excerpt=excerpt(value)))


def read_thumb(value: object) -> bool | None:
    """Return what the other side thought of a message; None where nothing is said."""
    if value is None or isinstance(value, bool):
        return value
    word = _word(value)
    if not word:
        return None
    if word in GOOD or word in BAD:
        return word in GOOD
    raise UnreadableError(say("the thumb is {excerpt}: write good or bad", excerpt=excerpt(value)))


def _number(value: object) -> float:
    number = _parsed(value)
    if number is None or isinstance(value, UnsavedFormula):
        raise UnreadableError(
            say("the rating {excerpt} is not a number: write 1 to 5 or leave it out", excerpt=excerpt(value))
        )
    if not math.isfinite(number):
        raise UnreadableError(say("the rating is not a number (NaN or infinite): write 1 to 5 or leave it out"))
    return number


def _parsed(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, str):
        value = UNITS.sub("", value.strip())
        value = value.replace(",", ".") if DECIMAL_COMMA.fullmatch(value) else value
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def _word(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip().casefold()
