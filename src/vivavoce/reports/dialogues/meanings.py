"""What every number of the dialogues exam means: one table that terminal, page, report and docs read from."""

from __future__ import annotations

from collections.abc import Mapping

from vivavoce.messages import say
from vivavoce.reports.shared.measures import Measure

# How far apart two scores (1 to 5) and two agreements (-1 to 1) can be.
SCORE_SPAN = 4.0
AGREEMENT_SPAN = 2.0
_UNMARKED = say("too few dialogues have both a score and a mark")
_UNSCORED = say("no dialogue could be scored")

_TABLE = (
    Measure(
        "score",
        say("Score"),
        say(
            "The mark from 1 (bad) to 5 (good) that a person would probably give this talk, as the rater expects it."
        ),
        "higher",
        "score",
        absent=say("the dialogue was refused, with the reason beside it"),
    ),
    Measure(
        "range",
        say("Range"),
        say("Where a person's mark for this one talk falls in 8 of 10 cases. It is wide, because people differ."),
        "neither",
        "score",
        absent=say("the rater gives no range"),
    ),
    Measure(
        "mean",
        say("Mean score"),
        say("The mean of all scores; its interval is where the mean would lie with other talks of this kind."),
        "higher",
        "score",
        absent=_UNSCORED,
    ),
    Measure(
        "mark",
        say("People's mark"),
        say("The mark from 1 to 5 that people gave; the mean where several people marked one talk."),
        "higher",
        "score",
        absent=say("nobody marked the talk"),
    ),
    Measure(
        "effect",
        say("Effect of a message"),
        say(
            "By how many points this message moved the score of its talk, against one like the others of its side:"
            " below 0 it pulled the score down."
        ),
        "higher",
        "score",
        absent=say("the rater does not tell single messages apart"),
    ),
    Measure(
        "pearson",
        say("Pearson"),
        say("How straight a line scores and people's marks follow together: 0 is chance, 1 is perfect."),
        "higher",
        "score",
        absent=_UNMARKED,
    ),
    Measure(
        "spearman",
        say("Spearman"),
        say(
            "How alike scores and people's marks order the talks, whatever the distances: 0 is chance, 1 is perfect."
        ),
        "higher",
        "score",
        absent=_UNMARKED,
    ),
    Measure(
        "kendall",
        say("Kendall"),
        say(
            "Of all pairs of talks, how many more are ordered as people order them than the other way round: 1 "
            "is all."
        ),
        "higher",
        "score",
        absent=_UNMARKED,
    ),
    Measure(
        "mse",
        say("Mean squared error"),
        say("The distance between score and mark, squared and averaged: 1 means about one mark off."),
        "lower",
        "score",
        absent=_UNMARKED,
    ),
    Measure(
        "slope",
        say("Slope"),
        say("By how much people's marks rise when the score rises by 1: near 1, the scores mean what they say."),
        "neither",
        "score",
        absent=_UNMARKED,
    ),
    Measure(
        "intercept",
        say("Intercept"),
        say(
            "What the line from score to mark adds to slope times score: near 0 with a slope near 1, nothing is off."
        ),
        "neither",
        "score",
        absent=_UNMARKED,
    ),
    Measure(
        "gain",
        say("Gain of recalibration"),
        say("How much smaller the mean squared error becomes on talks that the correction had not seen."),
        "higher",
        "score",
        absent=say("too few local marks to learn a correction from"),
    ),
    Measure(
        "strength",
        say("Strength"),
        say("How often its talks beat those of the other bots, as log odds: 0 is the average bot of this log."),
        "higher",
        "score",
        absent=say("the bot was compared with no other"),
    ),
    Measure(
        "rank",
        say("Rank"),
        say("The place of a bot by its mean, and the places that the verdicts on its pairs leave open."),
        "lower",
        "count",
        absent=say("the log names fewer than two bots, or the bot has fewer than five talks"),
    ),
    Measure(
        "difference",
        say("Difference"),
        say("By how many points the mean of the first bot lies above that of the second."),
        "neither",
        "score",
        absent=say("one of the bots has no score"),
    ),
)

DIALOGUE_MEASURES: Mapping[str, Measure] = {measure.name: measure for measure in _TABLE}

# What was tested, as people call it; the short name stands in JSON.
TEST_TITLES: Mapping[str, str] = {
    "overall": say("All talks"),
    "human-bot": say("A person and a bot"),
    "human-human": say("Two people"),
    "unknown": say("Speakers unknown"),
    "unseen-bot": say("Bots it had never met"),
    "later": say("Talks of a later time"),
    "later-human-bot": say("Later, with bots only"),
}


def title_of_test(name: str) -> str:
    """Return a test in the words of a reader."""
    return TEST_TITLES.get(name, name)


def range_text(low: float | None, high: float | None) -> str:
    """Write where a mark may lie, or nothing where that is not known."""
    return "" if low is None or high is None else say("{low:.1f} to {high:.1f}", low=low, high=high)
