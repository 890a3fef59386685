"""What every number of the conversations exam means: one table that terminal, page, report and docs read from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from vivavoce.conversations.result import Cell
from vivavoce.messages import say
from vivavoce.outcomes import TurnOutcome
from vivavoce.records import Rate
from vivavoce.reports.shared.measures import Measure, define
from vivavoce.reports.shared.numbers import ENGLISH

_NO_TYPO = say("no in-scope message was misspelt")
_NO_TWIN = say("no misspelt message was also sent with correct spelling")
# A share of fewer items than this says little: they are counted out.
MIN_TURNS = 10
_ALL_IN_SCOPE = say("all questions were in scope")
_share = partial(define, few=MIN_TURNS)

_TABLE = (
    define(
        "time",
        "Response time",
        "Mean time to the first words of a reply, excluding timeouts.",
        better="lower",
        kind="milliseconds",
        absent=say("no replies"),
        short=say("Time"),
        main=True,
        path="times.mean",
    ),
    _share(
        "fallback_rate",
        "Declined",
        "Of all turns with a reply, the share where the bot said it does not know, rightly or wrongly.",
        better="neither",
        short=say("Fallback"),
        main=True,
    ),
    _share(
        "comprehension_rate",
        "Misspelt understood",
        "Of the misspelt in-scope messages, the share answered correctly.",
        absent=_NO_TYPO,
        short=say("Misspelt"),
        main=True,
    ),
    _share(
        "accuracy",
        "Correct turns",
        "Of all checked turns, the share where the bot answered correctly or rightly said it does not know.",
        short=say("Right"),
        main=True,
    ),
    _share(
        "precision",
        "Precision",
        "Of the bot's answers, the share that was right.",
        absent=say("the bot gave no answer"),
        main=True,
    ),
    _share(
        "recall",
        "Recall",
        "Of the questions the bot should answer, the share it answered correctly.",
        absent=say("no question was in scope"),
        main=True,
    ),
    _share(
        "f1",
        "F1",
        "Precision and recall in one number: their harmonic mean.",
        absent=say("the bot gave no right answer"),
        main=True,
        mean=True,
    ),
    _share(
        "wrong_answer_rate",
        "Wrong answers",
        "Of all checked turns, the share where the bot gave a wrong answer: what visitors remember.",
        better="lower",
    ),
    _share(
        "fallback_in_scope",
        "Wrongly declined",
        "Of the questions the bot should answer, the share where it said it does not know.",
        better="lower",
        absent=say("no question was in scope"),
    ),
    _share(
        "fallback_out_of_scope",
        "Rightly declined",
        "Of the questions the bot should not answer, the share where it said it does not know.",
        absent=_ALL_IN_SCOPE,
    ),
    _share(
        "clean_twin_rate",
        "Same messages spelt correctly",
        "Of the same messages with correct spelling, the share answered correctly.",
        absent=_NO_TWIN,
    ),
    _share(
        "retention",
        "Still right when misspelt",
        "Of the messages answered correctly with correct spelling, the share still answered correctly when misspelt.",
        absent=_NO_TWIN,
    ),
    _share(
        "conversations_passed",
        "Conversations passed",
        "Of all conversations, the share where every checked turn was right.",
    ),
    _share(
        "carefulness",
        "Carefulness",
        "Of the turns the bot declined although it had a guess, the share where that guess was wrong.",
        absent=say("the bot does not report the guesses it declined"),
    ),
    _share(
        "stability",
        "Same every time",
        "Of all checked turns, the share with the same result in every repeat.",
        absent=say("each conversation ran once"),
    ),
    _share(
        "mean_turn",
        "Correct turns per conversation",
        "The share of correct turns in a conversation, averaged over conversations.",
        mean=True,
    ),
    _share(
        "weakest_turn",
        "Weakest turn",
        "How often the weakest turn of a conversation was right, averaged over conversations.",
        mean=True,
    ),
    _share(
        "macro_f1",
        "F1, mean over topics",
        "Combines finding a topic and not overusing it in one number; rare topics count as much as common ones.",
        kind="score",
        absent=say("no topic was expected"),
        mean=True,
    ),
)

CONVERSATION_MEASURES: Mapping[str, Measure] = {measure.name: measure for measure in _TABLE}
# The few that every view shows first: the paper's seven, in its order.
MAIN = tuple(measure.name for measure in _TABLE if measure.main)
# The same in the order of pages and pictures: what matters most first.
SEVEN = ("accuracy", "f1", "precision", "recall", "comprehension_rate", "fallback_rate", "time")


def measure_of(name: str) -> Measure:
    """Return the meaning of a number; those of repeats are named by how many must all pass."""
    if name.startswith("pass_hat_"):
        k = name.removeprefix("pass_hat_")
        title = say("Passed {k} of {k}", k=k)
        meaning = say("The chance that a conversation passes {k} times in a row.", k=k)
        return Measure(name, title, meaning, absent=say("too few repeats"), mean=True, few=MIN_TURNS)
    return CONVERSATION_MEASURES[name]


def number_of(cell: Cell, name: str) -> Rate:
    """Return a number of a cell by its name."""
    return cell.times.mean if name == "time" else cell.rates[name]


def too_few(rate: Rate) -> bool:
    """Tell whether a number comes from so few items that an interval would pretend to know more."""
    return rate.value is not None and rate.n < MIN_TURNS


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
    TurnOutcome.ERROR: say("failed to run"),
    TurnOutcome.NOT_REACHED: say("not reached"),
    TurnOutcome.UNCHECKED: say("not checked"),
}


def outcome_name(outcome: TurnOutcome) -> str:
    """Return an outcome in the words of a reader."""
    return OUTCOME_NAMES[outcome]
