"""The one table of outcomes, and the counts that every rate follows from.

A message has a true topic (or none: a negative), the classifier a guess (or none) with a confidence.
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
        return _ABOUT[self][0]

    @property
    def published(self) -> str:
        """The code of the original nex-cv: T, F, FO, TO or FCO."""
        return _ABOUT[self][1]

    @property
    def meaning(self) -> str:
        """One sentence for people."""
        return _ABOUT[self][2]

    @property
    def answered(self) -> bool:
        """Whether the bot gave an answer."""
        return self in (Outcome.RIGHT, Outcome.WRONG_INTENT, Outcome.OVERREACH)


_UNSURE = say("declined although the guess was right: the confidence was too low")
_ABOUT = {
    Outcome.RIGHT: ("CA", "T", say("answered with the right topic")),
    Outcome.WRONG_INTENT: ("WA", "F", say("answered with a wrong topic although the right one exists")),
    Outcome.OVERREACH: ("FA", "F", say("answered although no topic fits")),
    Outcome.MISSED: ("MD", "FCO", _UNSURE),
    Outcome.WRONG_DEFERRED: ("UD", "FO", say("declined, and the guess was wrong: a good decision")),
    Outcome.NO_GUESS: ("ND", "FO", say("declined: the classifier had no guess for a message it should know")),
    Outcome.DECLINED: ("CG", "TO", say("rightly declined: no topic fits")),
    Outcome.DECLINED_NO_GUESS: ("CN", "TO", say("rightly declined, and the classifier had no guess")),
}


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
    outside, none, right = truth < 0, guess < 0, guess == truth
    cases = {
        Outcome.OVERREACH: outside & answered,
        Outcome.DECLINED_NO_GUESS: outside & none,
        Outcome.DECLINED: outside,
        Outcome.RIGHT: answered & right,
        Outcome.WRONG_INTENT: answered,
        Outcome.NO_GUESS: none,
        Outcome.MISSED: right,
    }
    order = list(Outcome)
    # Of the cases that hold for a message, the first one counts.
    places = [order.index(outcome) for outcome in cases]
    return np.select(list(cases.values()), places, order.index(Outcome.WRONG_DEFERRED))


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
        return sum(self[outcome] for outcome in Outcome if outcome.answered)

    @property
    def deferred(self) -> int:
        """Messages the bot did not answer."""
        return self.total - self.answered

    def shares(self) -> Mapping[str, Share]:
        """Return every rate by its stable name."""
        right, missed = self[Outcome.RIGHT], self[Outcome.MISSED]
        rejected = self[Outcome.DECLINED] + self[Outcome.DECLINED_NO_GUESS]
        wrong = self[Outcome.WRONG_INTENT] + self[Outcome.OVERREACH]
        careful = self[Outcome.WRONG_DEFERRED] + self[Outcome.DECLINED]
        well_deferred = self.deferred - missed
        in_scope = self.total - self.negatives
        return {
            "accuracy": Share(right + rejected, self.total),
            "in_scope_accuracy": Share(right, in_scope),
            "negative_rejection": Share(rejected, self.negatives),
            "automation_rate": Share(self.answered, self.total),
            "precision_answered": Share(right, self.answered),
            "carefulness": Share(careful, self.deferred),
            "good_carefulness": Share(missed, self.deferred),
            "deferral_precision": Share(well_deferred, self.deferred),
            "deferral_recall": Share(well_deferred, well_deferred + wrong),
            "best_guess_accuracy": Share(right + missed, in_scope),
        }


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
    TurnOutcome.RIGHT: say("the right topic and the expected reply"),
    TurnOutcome.WRONG_REPLY: say("the right topic, but not the expected reply or details"),
    TurnOutcome.WRONG_INTENT: say("an answer about another topic"),
    TurnOutcome.MISSED: say('said "don\'t know" to something it should know'),
    TurnOutcome.DECLINED: say('rightly said "don\'t know"'),
    TurnOutcome.OVERREACH: say("answered a question it should decline"),
    TurnOutcome.NO_REPLY: say("did not answer, or not in time"),
    TurnOutcome.ERROR: say("failed to run: connection, server or format; never counted as wrong"),
    TurnOutcome.NOT_REACHED: say("not tried: the conversation had already ended"),
    TurnOutcome.UNCHECKED: say("nothing was expected, or this bot does not report it; not counted"),
}


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
