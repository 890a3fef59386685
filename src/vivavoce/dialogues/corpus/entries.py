"""What every format hands over: one entry for each dialogue, with its faults; and who in it is a bot."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

from vivavoce.dialogues.dialogue import HIGHEST, LOWEST, Dialogue
from vivavoce.errors import Fault, nearest
from vivavoce.files.tables import UnsavedFormula
from vivavoce.messages import say

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Entry:
    """One dialogue of a file, or the reasons why there is none.

    `place` is where it begins, in words (`line 3`). `remarks` are things that were passed over on purpose;
    equal ones are counted together.
    """

    place: str
    dialogue: Dialogue | None
    faults: tuple[Fault, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(slots=True)
class Findings:
    """Collects what is wrong with one dialogue while it is read, and what is passed over."""

    place: str
    faults: list[Fault] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def fault(self, message: str, place: str | None = None) -> None:
        """Note that something cannot be used."""
        self.faults.append(Fault(message, place or self.place))

    def remark(self, message: str) -> None:
        """Note that something is passed over; once for each dialogue is enough."""
        if message not in self.remarks:
            self.remarks.append(message)

    def attempt(self, read: Callable[..., T], *arguments: Any) -> T | None:
        """Return what a reader of values returns; what it refuses is a fault, and None."""
        try:
            return read(*arguments)
        except UnreadableError as error:
            self.fault(error.args[0])
            return None

    def entry(self, dialogue: Dialogue | None) -> Entry:
        """Return the entry; with any fault the dialogue is not used."""
        return Entry(self.place, None if self.faults else dialogue, tuple(self.faults), tuple(self.remarks))


_BOTS = "bot chatbot assistant system agent ai robot voicebot model gpt assistent assistentin"
_HUMANS = (
    "user human customer visitor guest client person caller patient candidate me kunde kundin nutzer nutzerin"
    " benutzer besucher besucherin gast mensch bewerber bewerberin ich"
)
BOT_NAMES = frozenset((*_BOTS.split(), "virtual assistant", "virtueller assistent"))
HUMAN_NAMES = frozenset(_HUMANS.split())


@lru_cache(maxsize=4096)
def is_bot_by_name(speaker: str, bot: str | None = None) -> bool | None:
    """Say whether a speaker is a bot by its name alone; None where the name does not tell.

    With `bot`, that speaker is the bot and no other name makes one.
    """
    name, bot_name = (" ".join(re.split(r"[\s_-]+", each.casefold())).strip() for each in (speaker, bot or ""))
    if bot is not None and name == bot_name:
        return True
    if name in HUMAN_NAMES:
        return False
    return True if bot is None and name in BOT_NAMES else None


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


@dataclass(frozen=True, slots=True)
class Keys:
    """Which key of an object has which role; `unknown`: keys without a meaning, `doubled`: with that of another."""

    roles: Mapping[str, str]
    unknown: tuple[str, ...]
    doubled: tuple[tuple[str, str], ...]


def make_key_finder(
    synonyms: Mapping[str, tuple[str, ...]], ignored: Iterable[str] = ()
) -> Callable[[tuple[str, ...]], Keys]:
    """Return the function that finds the roles of keys; most objects of a file have the same, so answers are kept."""
    known = {name for names in synonyms.values() for name in names}.union(ignored)

    @lru_cache(maxsize=1024)
    def find_keys(names: tuple[str, ...]) -> Keys:
        present = {role: [name for name in choices if name in names] for role, choices in synonyms.items()}
        doubled = tuple((name, keys[0]) for keys in present.values() for name in keys[1:])
        unknown = tuple(name for name in names if name not in known)
        return Keys({role: keys[0] for role, keys in present.items() if keys}, unknown, doubled)

    return find_keys


def describe_missing(role: str, item: Mapping[str, object], synonyms: Mapping[str, tuple[str, ...]]) -> str:
    """Say that no key of an object has this role, and which comes near."""
    near = next((hint for key in item if (hint := nearest(key, synonyms[role]))), "")
    names = ", ".join(f"'{key}'" for key in list(item)[:10]) or "none"
    return f"the key '{role}' is missing (keys found: {names}).{near}"


class UnreadableError(ValueError):
    """A value that cannot be used; the message says why."""


def kind_of(value: object) -> str:
    """Return what a JSON value is, in words."""
    return KINDS.get(type(value), say("a number"))


def excerpt(value: object) -> str:
    """Return a value as it is quoted in a message: short, on one line."""
    text = " ".join(str(value).split())
    return f"'{text[:60]}...'" if len(text) > 60 else f"'{text}'"


def read_name(value: object, what: str) -> str:
    """Return the name or number of a dialogue, speaker, bot or user as text."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise UnreadableError(
            say("the {what} is {kind_of}: use a name in quotes or a whole number", what=what, kind_of=kind_of(value))
        )
    name = value if isinstance(value, str) else str(value)
    if not name.strip():
        raise UnreadableError(say("the {what} is empty: enter a name", what=what))
    return name


def read_rating(value: object) -> float | None:
    """Return a rating from 1 to 5; None where none was given."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    rating = _read_number(value)
    if not LOWEST <= rating <= HIGHEST:
        raise UnreadableError(
            say(
                "the rating {excerpt} is outside {lowest:.0f} to {highest:.0f}: convert all "
                "ratings to a scale from {lowest:.0f} (worst) to {highest:.0f} (best)",
                excerpt=excerpt(value),
                lowest=LOWEST,
                highest=HIGHEST,
            )
        )
    return rating


def read_aspect(name: str, value: object) -> float:
    """Return a finer rating: any number, for their scales differ."""
    try:
        return _read_number(value)
    except UnreadableError:
        raise UnreadableError(
            say("the aspect '{name}' is {excerpt}, not a number: fix or remove it", name=name, excerpt=excerpt(value))
        ) from None


def read_flag(value: object, what: str) -> bool | None:
    """Return yes or no as programs and people write it; None where there is nothing."""
    return _read_choice(value, YES, NO, say("{what} is {excerpt}: use true or false"), what=what)


def read_thumb(value: object) -> bool | None:
    """Return what the other side thought of a message; None where there is nothing."""
    return _read_choice(value, GOOD, BAD, say("the thumb is {excerpt}: use good or bad"))


def _read_choice(value: object, good: frozenset[str], bad: frozenset[str], refusal: str, **names: str) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    word = str(int(value) if isinstance(value, float) and value.is_integer() else value).strip().casefold()
    if not word:
        return None
    if word not in good and word not in bad:
        raise UnreadableError(say(refusal, **names, excerpt=excerpt(value)))
    return word in good


def _read_number(value: object) -> float:
    number = None
    if isinstance(value, str | int | float) and not isinstance(value, bool | UnsavedFormula):
        text = UNITS.sub("", value.strip()) if isinstance(value, str) else value
        text = text.replace(",", ".") if isinstance(text, str) and DECIMAL_COMMA.fullmatch(text) else text
        with suppress(ValueError, OverflowError):
            number = float(text)
    if number is None:
        raise UnreadableError(
            say("the rating {excerpt} is not a number: enter 1 to 5 or leave it out", excerpt=excerpt(value))
        )
    if not math.isfinite(number):
        raise UnreadableError(say("the rating is not a number (NaN or infinite): enter 1 to 5 or leave it out"))
    return number
