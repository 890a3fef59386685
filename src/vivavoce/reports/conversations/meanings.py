"""What every number of the conversations exam means: one table that terminal, page, report and docs read from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from vivavoce.conversations.result import Cell
from vivavoce.messages import say
from vivavoce.outcomes import TurnOutcome
from vivavoce.records import Rate
from vivavoce.reports.shared.measures import Measure
from vivavoce.reports.shared.numbers import ENGLISH

_NO_TYPO = say("there is no misspelt message in scope")
_NO_TWIN = say("no misspelt message has a clean twin that was asked too")
# A share of fewer items than this says little: they are counted out.
FEWEST = 10
_ALL_IN_SCOPE = say("every question was in scope")
_measure = partial(Measure, few=FEWEST)

_TABLE = (
    Measure(
        "time",
        say("Response time"),
        say("Mean time until the first words of a reply; what ran out of time is not among it."),
        "lower",
        "milliseconds",
        absent=say("no reply came"),
        short=say("Time"),
        main=True,
        path="times.mean",
    ),
    _measure(
        "fallback_rate",
        say("Fallback"),
        say(
            "Of all turns that got a reply, the share in which the bot said that it does not know, rightly or "
            "wrongly."
        ),
        "neither",
        main=True,
    ),
    _measure(
        "comprehension_rate",
        say("Misspelt understood"),
        say("Of the misspelt messages in scope, the share that was answered rightly."),
        "higher",
        absent=_NO_TYPO,
        short=say("Misspelt"),
        main=True,
    ),
    _measure(
        "accuracy",
        say("Right"),
        say(
            "Of all checked turns, the share in which the bot answered rightly or rightly said that it does not know."
        ),
        "higher",
        main=True,
    ),
    _measure(
        "precision",
        say("Precision"),
        say("Of the answers that the bot gave, the share that was right."),
        "higher",
        absent=say("the bot gave no answer"),
        main=True,
    ),
    _measure(
        "recall",
        say("Recall"),
        say("Of the questions that the bot should answer, the share that it answered rightly."),
        "higher",
        absent=say("no question was in scope"),
        main=True,
    ),
    _measure(
        "f1",
        say("F1"),
        say("Precision and recall in one number: their harmonic mean."),
        "higher",
        absent=say("the bot gave no right answer"),
        main=True,
        mean=True,
    ),
    _measure(
        "wrong_answer_rate",
        say("Wrong answers"),
        say("Of all checked turns, the share in which the bot gave a wrong answer: what visitors remember."),
        "lower",
    ),
    _measure(
        "fallback_in_scope",
        say("Fallback, wrongly"),
        say("Of the questions that the bot should answer, the share to which it said that it does not know."),
        "lower",
        absent=say("no question was in scope"),
    ),
    _measure(
        "fallback_out_of_scope",
        say("Fallback, rightly"),
        say("Of the questions that the bot should not answer, the share to which it said that it does not know."),
        "higher",
        absent=_ALL_IN_SCOPE,
    ),
    _measure(
        "clean_twin_rate",
        say("Their clean twins"),
        say("Of the same messages spelt rightly, the share that was answered rightly."),
        "higher",
        absent=_NO_TWIN,
    ),
    _measure(
        "retention",
        say("Kept when misspelt"),
        say("Of the messages that were answered rightly when spelt rightly, the share that still was when misspelt."),
        "higher",
        absent=_NO_TWIN,
    ),
    _measure(
        "conversations_passed",
        say("Talks without a fault"),
        say("Of all conversations, the share in which every checked turn went as it should."),
        "higher",
    ),
    _measure(
        "carefulness",
        say("Carefulness"),
        say("Of the turns left unanswered with a guess held back, the share in which that guess was wrong."),
        "higher",
        absent=say("the bot does not say what it held back"),
    ),
    _measure(
        "stability",
        say("Same every time"),
        say("Of all checked turns, the share that came out the same in every repeat."),
        "higher",
        absent=say("each conversation was held once"),
    ),
    _measure(
        "mean_turn",
        say("Turns right, by talk"),
        say("The share of turns that went as they should in a conversation, averaged over conversations."),
        "higher",
        mean=True,
    ),
    _measure(
        "weakest_turn",
        say("Weakest turn"),
        say("How often the weakest turn of a conversation went as it should, averaged over conversations."),
        "higher",
        mean=True,
    ),
    _measure(
        "macro_f1",
        say("F1, every topic alike"),
        say(
            "Finding and not over-using a topic in one number, averaged so that rare topics count as much as others."
        ),
        "higher",
        "score",
        absent=say("no topic was expected"),
        mean=True,
    ),
)

CONVERSATION_MEASURES: Mapping[str, Measure] = {measure.name: measure for measure in _TABLE}
# The few that every view shows first: the paper's seven, in its order.
MAIN = tuple(measure.name for measure in _TABLE if measure.main)


def measure_of(name: str) -> Measure:
    """Return the meaning of a number; those of repeats are named by how many must all pass."""
    if name.startswith("pass_hat_"):
        k = name.removeprefix("pass_hat_")
        return _measure(
            name,
            say("Passed {k} of {k}", k=k),
            say("The chance that a conversation goes without a fault {k} times in a row.", k=k),
            "higher",
            absent=say("there were too few repeats"),
            mean=True,
        )
    return CONVERSATION_MEASURES[name]


def number_of(cell: Cell, name: str) -> Rate:
    """Return a number of a cell by its name."""
    return cell.times.mean if name == "time" else cell.rates[name]


def too_few(rate: Rate) -> bool:
    """Tell whether a number comes from so few items that an interval would pretend to know more."""
    return rate.value is not None and rate.n < FEWEST


def narrow_text(name: str, rate: Rate) -> str:
    """Return what stands under a value in a narrow column: its interval, or the count where there is none."""
    measure = measure_of(name)
    if rate.value is None or rate.n < measure.few:
        return ENGLISH.parts(rate, measure).around
    return ENGLISH.narrow(rate, measure.kind) or ENGLISH.counted(rate.n)


# What became of a turn, in the words of a reader; the stable name stands in JSON and in the table of turns.
OUTCOME_NAMES: Mapping[TurnOutcome, str] = {
    TurnOutcome.RIGHT: say("right"),
    TurnOutcome.DECLINED: say("rightly declined"),
    TurnOutcome.MISSED: say("wrongly declined"),
    TurnOutcome.WRONG_REPLY: say("wrong reply"),
    TurnOutcome.WRONG_INTENT: say("wrong topic"),
    TurnOutcome.OVERREACH: say("should not have answered"),
    TurnOutcome.NO_REPLY: say("no reply"),
    TurnOutcome.ERROR: say("could not be run"),
    TurnOutcome.NOT_REACHED: say("not reached"),
    TurnOutcome.UNCHECKED: say("not checked"),
}


def outcome_name(outcome: TurnOutcome) -> str:
    """Return an outcome in the words of a reader."""
    return OUTCOME_NAMES[outcome]
