"""What every number of the conversations exam means: one table that terminal, page, report and docs read from."""

from __future__ import annotations

from collections.abc import Mapping

from vivavoce.outcomes import TurnOutcome
from vivavoce.records import Rate
from vivavoce.reports.intents.meanings import Measure, value_text
from vivavoce.sentences import say

_NO_TYPO = "there is no misspelt message in scope"
_NO_TWIN = "no misspelt message has a clean twin that was asked too"
SECONDS_FROM = 10_000
# A share of fewer items than this says little: they are counted out.
FEWEST = 10
# Means of shares, or two shares in one: no number of items that could be counted out.
_MEANS = ("f1", "macro_f1", "mean_turn", "weakest_turn")
_ALL_IN_SCOPE = "every question was in scope"

_TABLE = (
    Measure(
        "accuracy",
        "Right",
        "Of all checked turns, the share in which the bot answered rightly or rightly said that it does not know.",
        "higher",
    ),
    Measure(
        "precision",
        "Precision",
        "Of the answers that the bot gave, the share that was right.",
        "higher",
        absent="the bot gave no answer",
    ),
    Measure(
        "recall",
        "Recall",
        "Of the questions that the bot should answer, the share that it answered rightly.",
        "higher",
        absent="no question was in scope",
    ),
    Measure(
        "f1",
        "F1",
        "Precision and recall in one number: their harmonic mean.",
        "higher",
        absent="the bot gave no right answer",
    ),
    Measure(
        "wrong_answer_rate",
        "Wrong answers",
        "Of all checked turns, the share in which the bot gave a wrong answer: what visitors remember.",
        "lower",
    ),
    Measure(
        "fallback_rate",
        "Fallback",
        "Of all turns that got a reply, the share in which the bot said that it does not know, rightly or wrongly.",
        "neither",
    ),
    Measure(
        "fallback_in_scope",
        "Fallback, wrongly",
        "Of the questions that the bot should answer, the share to which it said that it does not know.",
        "lower",
        absent="no question was in scope",
    ),
    Measure(
        "fallback_out_of_scope",
        "Fallback, rightly",
        "Of the questions that the bot should not answer, the share to which it said that it does not know.",
        "higher",
        absent=_ALL_IN_SCOPE,
    ),
    Measure(
        "comprehension_rate",
        "Misspelt understood",
        "Of the misspelt messages in scope, the share that was answered rightly.",
        "higher",
        absent=_NO_TYPO,
    ),
    Measure(
        "clean_twin_rate",
        "Their clean twins",
        "Of the same messages spelt rightly, the share that was answered rightly.",
        "higher",
        absent=_NO_TWIN,
    ),
    Measure(
        "retention",
        "Kept when misspelt",
        "Of the messages that were answered rightly when spelt rightly, the share that still was when misspelt.",
        "higher",
        absent=_NO_TWIN,
    ),
    Measure(
        "conversations_passed",
        "Talks without a fault",
        "Of all conversations, the share in which every checked turn went as it should.",
        "higher",
    ),
    Measure(
        "mean_turn",
        "Turns right, by talk",
        "The share of turns that went as they should in a conversation, averaged over conversations.",
        "higher",
    ),
    Measure(
        "weakest_turn",
        "Weakest turn",
        "How often the weakest turn of a conversation went as it should, averaged over conversations.",
        "higher",
    ),
    Measure(
        "macro_f1",
        "F1, every topic alike",
        "Finding and not over-using a topic in one number, averaged so that rare topics count as much as others.",
        "higher",
        "score",
        absent="no topic was expected",
    ),
    Measure(
        "carefulness",
        "Carefulness",
        "Of the turns left unanswered with a guess held back, the share in which that guess was wrong.",
        "higher",
        absent="the bot does not say what it held back",
    ),
    Measure(
        "stability",
        "Same every time",
        "Of all checked turns, the share that came out the same in every repeat.",
        "higher",
        absent="each conversation was held once",
    ),
)

CONVERSATION_MEASURES: Mapping[str, Measure] = {measure.name: measure for measure in _TABLE}


def measure_of(name: str) -> Measure:
    """Return the meaning of a number; those of repeats are named by how many must all pass."""
    if name.startswith("pass_hat_"):
        k = name.removeprefix("pass_hat_")
        return Measure(
            name,
            say(f"Passed {k} of {k}"),
            say(f"The chance that a conversation goes without a fault {k} times in a row."),
            "higher",
            absent=say("there were too few repeats"),
        )
    return CONVERSATION_MEASURES[name]


def too_few(rate: Rate) -> bool:
    """Tell whether a number comes from so few items that an interval would pretend to know more."""
    return rate.value is not None and rate.n < FEWEST


def rate_value(name: str, rate: Rate) -> str:
    """Write a number without its interval, n/a for none; a share of few items as how many of them it is."""
    if rate.value is not None and too_few(rate) and not (name in _MEANS or name.startswith("pass_hat_")):
        return say(f"{round(rate.value * rate.n):,} of {rate.n:,}")
    return value_text(measure_of(name).kind, rate.value)


# What became of a turn, in the words of a reader; the stable name stands in JSON and in the table of turns.
OUTCOME_NAMES: Mapping[TurnOutcome, str] = {
    TurnOutcome.RIGHT: "right",
    TurnOutcome.DECLINED: "rightly declined",
    TurnOutcome.MISSED: "wrongly declined",
    TurnOutcome.WRONG_REPLY: "wrong reply",
    TurnOutcome.WRONG_INTENT: "wrong topic",
    TurnOutcome.OVERREACH: "should not have answered",
    TurnOutcome.NO_REPLY: "no reply",
    TurnOutcome.ERROR: "could not be run",
    TurnOutcome.NOT_REACHED: "not reached",
    TurnOutcome.UNCHECKED: "not checked",
}


def outcome_name(outcome: TurnOutcome) -> str:
    """Return an outcome in the words of a reader."""
    return OUTCOME_NAMES[outcome]


def milliseconds_text(value: float | None) -> str:
    """Write a response time as people read it."""
    if value is None:
        return "n/a"
    if value < 10:
        return f"{value:.1f} ms"
    return f"{value:,.0f} ms" if value < SECONDS_FROM else f"{value / 1000:,.1f} s"


def milliseconds_interval(rate: Rate) -> str:
    """Write where a mean time would lie with other conversations of this kind."""
    if rate.value is None or rate.low is None or rate.high is None:
        return ""
    if rate.value >= SECONDS_FROM:
        return f"{rate.low / 1000:,.1f}-{rate.high / 1000:,.1f}"
    digits = 1 if rate.value < 10 else 0
    return f"{rate.low:,.{digits}f}-{rate.high:,.{digits}f}"
