"""The one table of outcomes, and the counts that every rate follows from.

A message has a true topic (or none: a negative), the engine a guess (or none) with a confidence.
*Answered* means: there is a guess and its confidence is at least the threshold. One comparison, everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from vivavoce.messages import say
from vivavoce.records import Guess


class Outcome(StrEnum):
    """The eight exclusive outcomes of one message; `published` maps them to nex-cv's five codes."""

    RIGHT = "right"
    WRONG_INTENT = "wrong_intent"
    OVERREACH = "overreach"
    MISSED = "missed"
    WRONG_DEFERRED = "wrong_deferred"
    NO_GUESS = "no_guess"
    DECLINED = "declined"
    DECLINED_NO_GUESS = "declined_no_guess"

    @property
    def short(self) -> str:
        """The two-letter code used in definitions (CA, WA, FA, MD, UD, ND, CG, CN)."""
        return _SHORT[self]

    @property
    def published(self) -> str:
        """The code of the original nex-cv: T, F, FO, TO or FCO."""
        return _PUBLISHED[self]

    @property
    def meaning(self) -> str:
        """One sentence for people."""
        return _MEANING[self]

    @property
    def answered(self) -> bool:
        """Whether the bot gave an answer."""
        return self in _ANSWERED


_SHORT = dict(zip(Outcome, ("CA", "WA", "FA", "MD", "UD", "ND", "CG", "CN"), strict=True))
_PUBLISHED = dict(zip(Outcome, ("T", "F", "F", "FCO", "FO", "FO", "TO", "TO"), strict=True))
_MEANING = {
    Outcome.RIGHT: say("answered, and the topic was right"),
    Outcome.WRONG_INTENT: say("answered with another topic although the right one existed"),
    Outcome.OVERREACH: say("answered although no topic fits the message"),
    Outcome.MISSED: say("not answered although the guess was right: the confidence was too low"),
    Outcome.WRONG_DEFERRED: say("not answered, and the guess was wrong: a good decision"),
    Outcome.NO_GUESS: say("not answered: the engine had no guess for a message it should know"),
    Outcome.DECLINED: say("not answered, rightly: no topic fits the message"),
    Outcome.DECLINED_NO_GUESS: say("not answered, rightly, and the engine had no guess at all"),
}
_ANSWERED = frozenset({Outcome.RIGHT, Outcome.WRONG_INTENT, Outcome.OVERREACH})


def is_answered(guess: Guess, threshold: float) -> bool:
    """Tell whether a guess exists and its confidence is at least the threshold: the one comparison."""
    return guess.intent is not None and guess.confidence >= threshold


def outcome_of(truth: str | None, guess: Guess, threshold: float) -> Outcome:
    """Return the outcome of one message."""
    if is_answered(guess, threshold):
        if truth is None:
            return Outcome.OVERREACH
        return Outcome.RIGHT if guess.intent == truth else Outcome.WRONG_INTENT
    if truth is None:
        return Outcome.DECLINED_NO_GUESS if guess.intent is None else Outcome.DECLINED
    if guess.intent is None:
        return Outcome.NO_GUESS
    return Outcome.MISSED if guess.intent == truth else Outcome.WRONG_DEFERRED


def outcome_places(
    truth: NDArray[np.intp], guess: NDArray[np.intp], confidence: NDArray[np.floating], threshold: float
) -> NDArray[np.intp]:
    """Return the outcomes of many messages as places in `Outcome`; topics are codes, -1 means none.

    The same table as `outcome_of`, for arrays.
    """
    answered = (guess >= 0) & (confidence >= threshold)
    none = guess < 0
    in_scope_answer = np.where(guess == truth, _PLACE[Outcome.RIGHT], _PLACE[Outcome.WRONG_INTENT])
    in_scope_silence = np.where(guess == truth, _PLACE[Outcome.MISSED], _PLACE[Outcome.WRONG_DEFERRED])
    in_scope_silence = np.where(none, _PLACE[Outcome.NO_GUESS], in_scope_silence)
    silence = np.where(none, _PLACE[Outcome.DECLINED_NO_GUESS], _PLACE[Outcome.DECLINED])
    in_scope = np.where(answered, in_scope_answer, in_scope_silence)
    negative = np.where(answered, _PLACE[Outcome.OVERREACH], silence)
    return np.where(truth < 0, negative, in_scope)


_PLACE = {outcome: place for place, outcome in enumerate(Outcome)}


@dataclass(frozen=True, slots=True)
class Share:
    """A numerator over a denominator, before any interval is put around it."""

    hits: int
    n: int

    @property
    def value(self) -> float | None:
        """The share, or None for 0/0."""
        return self.hits / self.n if self.n else None


@dataclass(frozen=True)
class Counts:
    """How often each outcome occurred; every rate of the intents exam is a Share of these."""

    by_outcome: Mapping[Outcome, int]

    @classmethod
    def of_places(cls, places: NDArray[np.intp]) -> Counts:
        """Count outcomes given as places in `Outcome`."""
        counted = np.bincount(places, minlength=len(Outcome))
        counts = cls({outcome: int(n) for outcome, n in zip(Outcome, counted, strict=True)})
        assert counts.total == len(places), "outcomes are exclusive and sum to the total"  # noqa: S101
        return counts

    def __getitem__(self, outcome: Outcome) -> int:
        return self.by_outcome.get(outcome, 0)

    @property
    def total(self) -> int:
        """All messages: the outcomes are exclusive, so this is their sum."""
        return sum(self.by_outcome.values())

    @property
    def negatives(self) -> int:
        """Messages that no topic fits."""
        return self[Outcome.OVERREACH] + self[Outcome.DECLINED] + self[Outcome.DECLINED_NO_GUESS]

    @property
    def answered(self) -> int:
        """Messages the bot answered."""
        return sum(self[outcome] for outcome in _ANSWERED)

    @property
    def deferred(self) -> int:
        """Messages the bot did not answer."""
        return self.total - self.answered

    def _sum(self, *outcomes: Outcome) -> int:
        return sum(self[outcome] for outcome in outcomes)

    def shares(self) -> Mapping[str, Share]:
        """Return every rate by its stable name."""
        rejected = self._sum(Outcome.DECLINED, Outcome.DECLINED_NO_GUESS)
        wrong = self._sum(Outcome.WRONG_INTENT, Outcome.OVERREACH)
        well_deferred = self.deferred - self[Outcome.MISSED]
        careful = self._sum(Outcome.WRONG_DEFERRED, Outcome.DECLINED)
        return {
            "accuracy": Share(self[Outcome.RIGHT] + rejected, self.total),
            "in_scope_accuracy": Share(self[Outcome.RIGHT], self.total - self.negatives),
            "negative_rejection": Share(rejected, self.negatives),
            "automation_rate": Share(self.answered, self.total),
            "precision_answered": Share(self[Outcome.RIGHT], self.answered),
            "carefulness": Share(careful, self.deferred),
            "good_carefulness": Share(self[Outcome.MISSED], self.deferred),
            "deferral_precision": Share(well_deferred, self.deferred),
            "deferral_recall": Share(well_deferred, well_deferred + wrong),
            "best_guess_accuracy": Share(self._sum(Outcome.RIGHT, Outcome.MISSED), self.total - self.negatives),
        }


# --- turns of a conversation ---------------------------------------------------------------------------------


class TurnOutcome(StrEnum):
    """The exclusive outcomes of one turn of a scripted conversation.

    The same vocabulary as `Outcome`, seen from outside: a bot that does not answer rarely says what it held
    back, so the three ways to miss and the two ways to decline are one each; and a turn can also fail to happen.
    """

    RIGHT = "right"
    WRONG_REPLY = "wrong_reply"
    WRONG_INTENT = "wrong_intent"
    MISSED = "missed"
    DECLINED = "declined"
    OVERREACH = "overreach"
    NO_REPLY = "no_reply"
    ERROR = "error"
    NOT_REACHED = "not_reached"
    UNCHECKED = "unchecked"

    @property
    def meaning(self) -> str:
        """One sentence for people."""
        return _TURN_MEANING[self]

    @property
    def passed(self) -> bool:
        """Whether the turn went as it should."""
        return self in (TurnOutcome.RIGHT, TurnOutcome.DECLINED)

    @property
    def counted(self) -> bool:
        """Whether the turn enters a rate: it was checked, and it happened."""
        return self not in (TurnOutcome.ERROR, TurnOutcome.NOT_REACHED, TurnOutcome.UNCHECKED)


_TURN_MEANING = {
    TurnOutcome.RIGHT: say("the right topic, and the reply as expected"),
    TurnOutcome.WRONG_REPLY: say("the right topic, but not the reply or the details that were expected"),
    TurnOutcome.WRONG_INTENT: say("an answer about another topic"),
    TurnOutcome.MISSED: say('said "don\'t know" to something it should know'),
    TurnOutcome.DECLINED: say('rightly said "don\'t know"'),
    TurnOutcome.OVERREACH: say("answered what it should not have answered"),
    TurnOutcome.NO_REPLY: say("did not answer, or not in time"),
    TurnOutcome.ERROR: say("could not be run: connection, server or format; never counted as wrong"),
    TurnOutcome.NOT_REACHED: say("not tried: the conversation had ended before"),
    TurnOutcome.UNCHECKED: say("nothing was expected, or this bot does not show it; not counted"),
}
_AS_TURN = {
    Outcome.RIGHT: TurnOutcome.RIGHT,
    Outcome.WRONG_INTENT: TurnOutcome.WRONG_INTENT,
    Outcome.OVERREACH: TurnOutcome.OVERREACH,
    Outcome.MISSED: TurnOutcome.MISSED,
    Outcome.WRONG_DEFERRED: TurnOutcome.MISSED,
    Outcome.NO_GUESS: TurnOutcome.MISSED,
    Outcome.DECLINED: TurnOutcome.DECLINED,
    Outcome.DECLINED_NO_GUESS: TurnOutcome.DECLINED,
}


def as_turn(outcome: Outcome) -> TurnOutcome:
    """Return how the outcome of a single message would be called in a conversation."""
    return _AS_TURN[outcome]


@dataclass(frozen=True, slots=True)
class TurnCounts:
    """How often each outcome occurred; every rate of the conversations exam is a Share of these.

    `no_reply_in` and `no_reply_out`: no answer to a question in scope, and to one out of scope.
    """

    right: int = 0
    wrong_reply: int = 0
    wrong_intent: int = 0
    missed: int = 0
    declined: int = 0
    overreach: int = 0
    no_reply_in: int = 0
    no_reply_out: int = 0
    error: int = 0
    not_reached: int = 0
    unchecked: int = 0

    @property
    def in_scope(self) -> int:
        """Questions that the bot should answer."""
        return self.right + self.wrong_reply + self.wrong_intent + self.missed + self.no_reply_in

    @property
    def out_of_scope(self) -> int:
        """Questions that the bot should decline."""
        return self.declined + self.overreach + self.no_reply_out

    @property
    def counted(self) -> int:
        """Turns that enter a rate."""
        return self.in_scope + self.out_of_scope

    @property
    def answers(self) -> int:
        """Answers given, right or wrong; a fallback is no answer."""
        return self.right + self.wrong_reply + self.wrong_intent + self.overreach

    def shares(self) -> Mapping[str, Share]:
        """Return every standard share by its stable name; F1 follows from precision and recall."""
        return {
            "accuracy": Share(self.right + self.declined, self.counted),
            "precision": Share(self.right, self.answers),
            "recall": Share(self.right, self.in_scope),
            "wrong_answer_rate": Share(self.wrong_reply + self.wrong_intent + self.overreach, self.counted),
            "fallback_in_scope": Share(self.missed, self.in_scope),
            "fallback_out_of_scope": Share(self.declined, self.out_of_scope),
        }

    def literal(self) -> Mapping[str, Share]:
        """Return what the ECHO paper's wording defines, under names of its own; never used to rank anything.

        tp = right, tn = wrong topic or fallback in scope, fp = rightly declined, fn = answered out of scope. Turns
        that the wording gives no class (wrong reply, no reply) are left out.
        """
        scope = self.right + self.wrong_intent + self.missed
        return {
            "echo_literal_accuracy": Share(scope, scope + self.declined + self.overreach),
            "echo_literal_precision": Share(self.right, self.right + self.declined),
            "echo_literal_recall": Share(self.right, self.right + self.overreach),
        }

    @property
    def literal_unclassified(self) -> int:
        """Counted turns that the paper's wording gives no class."""
        return self.wrong_reply + self.no_reply_in + self.no_reply_out


def f1_of(precision: float | None, recall: float | None) -> float | None:
    """Return the harmonic mean; None where one of the two is missing or both are 0."""
    if precision is None or recall is None or precision + recall == 0:
        return None
    return 2 * precision * recall / (precision + recall)
