"""A logged dialogue: who said what, and the ratings that people gave it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

# The scale of all ratings and scores.
LOWEST, HIGHEST = 1.0, 5.0


class Kind(StrEnum):
    """Who talked with whom, as far as the log says."""

    HUMAN_BOT = "human-bot"
    HUMAN_HUMAN = "human-human"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Utterance:
    """One message. `is_bot` None: the log does not say. `thumb`: what the other side thought of this message."""

    speaker: str
    text: str
    is_bot: bool | None = None
    thumb: bool | None = None


@dataclass(frozen=True, slots=True)
class Rating:
    """One person's rating, 1 to 5. `rater`: the speaker who gave it, or an outsider. `aspects`: finer ratings."""

    rater: str
    quality: float | None
    aspects: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One dialogue in the order it was held.

    `bot`: the system behind it (for rankings), `user`: the person, both where the log says so. `passed`: whether
    scripted checks of this dialogue passed (None: none were made). `began`: when it was held, where the log says so.
    `row`: where it stood in its file.
    """

    id: str
    turns: tuple[Utterance, ...]
    ratings: tuple[Rating, ...] = ()
    source: str = ""
    bot: str | None = None
    user: str | None = None
    passed: bool | None = None
    row: int | None = None
    began: datetime | None = None

    @property
    def speakers(self) -> tuple[str, ...]:
        """Who spoke, in order of first appearance."""
        return tuple(dict.fromkeys(turn.speaker for turn in self.turns))

    @property
    def bots(self) -> frozenset[str]:
        """The speakers that are known to be bots."""
        return frozenset(turn.speaker for turn in self.turns if turn.is_bot)

    @property
    def kind(self) -> Kind:
        """Who talked with whom."""
        if self.bots:
            return Kind.HUMAN_BOT
        # A dialogue in which only one side spoke may have had a silent bot on the other.
        known = len(self.speakers) > 1 and all(turn.is_bot is False for turn in self.turns)
        return Kind.HUMAN_HUMAN if known else Kind.UNKNOWN

    @property
    def quality(self) -> float | None:
        """The mean of all ratings, None without any."""
        ratings = [rating.quality for rating in self.ratings if rating.quality is not None]
        return sum(ratings) / len(ratings) if ratings else None


@dataclass(frozen=True, slots=True)
class View:
    """A dialogue as one of its sides saw it: the rows that models learn from and are tested on.

    `judge` is the side whose rating is wanted, everyone else is the peer. Two views of one dialogue belong together:
    never split by view.
    """

    dialogue: Dialogue
    judge: str
    quality: float | None = None
    aspects: Mapping[str, float] = field(default_factory=dict)


def rated_views(dialogues: Iterable[Dialogue]) -> Iterator[View]:
    """Yield one view for each rating; a rating by an outsider is seen from the side of the person who talked."""
    for dialogue in dialogues:
        for rating in dialogue.ratings:
            if rating.quality is not None:
                judge = rating.rater if rating.rater in dialogue.speakers else judge_of(dialogue)
                yield View(dialogue, judge, rating.quality, rating.aspects)


def judge_of(dialogue: Dialogue) -> str:
    """Return the side whose eyes are taken when the log does not say: a person, else the first who spoke."""
    speakers, bots = dialogue.speakers, dialogue.bots
    return next((speaker for speaker in speakers if speaker not in bots), speakers[0] if speakers else "")


def fingerprint(dialogue: Dialogue) -> int:
    """Return 64 bits of a hash of all messages in order, by which a model knows what it learnt from.

    Case and blanks, names and ratings do not count.
    """
    text = "\n".join(" ".join(turn.text.lower().split()) for turn in dialogue.turns)
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")
