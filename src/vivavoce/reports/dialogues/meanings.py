"""What every number of the dialogues exam means: one table that terminal, page, report and docs read from."""

from __future__ import annotations

from collections.abc import Mapping

from vivavoce.messages import say
from vivavoce.reports.shared.measures import Measure

# How far apart two scores (1 to 5) and two agreements (-1 to 1) can be.
SCORE_SPAN = 4.0
AGREEMENT_SPAN = 2.0
_UNMARKED = say("too few dialogues have both a score and a rating")
_UNSCORED = say("no dialogue could be scored")

_TABLE = (
    Measure(
        "score",
        say("Score"),
        say("The rater's estimate of the rating a person would give this dialogue, from 1 (bad) to 5 (good)."),
        kind="score",
        absent=say("the dialogue was not scored, for the reason shown"),
    ),
    Measure(
        "range",
        say("Range"),
        say("Where a person's rating of this dialogue falls in 8 of 10 cases. It is wide because people differ."),
        "neither",
        "score",
        absent=say("the rater gives no range"),
    ),
    Measure(
        "mean",
        say("Mean score"),
        say("The mean of all scores; its interval is where the mean would lie with other dialogues of this kind."),
        kind="score",
        absent=_UNSCORED,
    ),
    Measure(
        "mark",
        say("People's rating"),
        say("The rating from 1 to 5 that people gave; the mean if several people rated a dialogue."),
        kind="score",
        absent=say("nobody rated the dialogue"),
    ),
    Measure(
        "effect",
        say("Effect of a message"),
        say(
            "How many points this message moved the score of its dialogue, compared with a typical "
            "message of its side: below 0 it lowered the score."
        ),
        kind="score",
        absent=say("the rater does not score single messages"),
    ),
    Measure(
        "pearson",
        say("Pearson"),
        say("How well a straight line describes scores against people's ratings: 0 is chance, 1 is perfect."),
        kind="score",
        absent=_UNMARKED,
    ),
    Measure(
        "spearman",
        say("Spearman"),
        say(
            "How similarly scores and people's ratings order the dialogues, whatever the "
            "distances: 0 is chance, 1 is perfect."
        ),
        kind="score",
        absent=_UNMARKED,
    ),
    Measure(
        "kendall",
        say("Kendall"),
        say(
            "Share of dialogue pairs ordered as people order them, minus the share ordered the "
            "other way round: 1 is all."
        ),
        kind="score",
        absent=_UNMARKED,
    ),
    Measure(
        "mse",
        say("Mean squared error"),
        say("The distance between score and rating, squared and averaged: 1 means about one point off."),
        "lower",
        "score",
        absent=_UNMARKED,
    ),
    Measure(
        "slope",
        say("Slope"),
        say("How much people's ratings rise when the score rises by 1: near 1, scores can be read as ratings."),
        "neither",
        "score",
        absent=_UNMARKED,
    ),
    Measure(
        "intercept",
        say("Intercept"),
        say(
            "What the line from score to rating adds to slope times score: near 0 with a slope "
            "near 1, scores need no adjustment."
        ),
        "neither",
        "score",
        absent=_UNMARKED,
    ),
    Measure(
        "gain",
        say("Recalibration gain"),
        say("How much smaller the mean squared error gets on dialogues the correction had not seen."),
        kind="score",
        absent=say("too few ratings of your own to learn a correction"),
    ),
    Measure(
        "strength",
        say("Strength"),
        say("How often its dialogues beat those of other bots, as log odds: 0 is the average bot in this log."),
        kind="score",
        absent=say("the bot was not compared with any other"),
    ),
    Measure(
        "rank",
        say("Rank"),
        say("A bot's place by its mean, and the places its pairwise verdicts leave open."),
        "lower",
        "count",
        absent=say("the log names fewer than two bots, or the bot has fewer than five dialogues"),
    ),
    Measure(
        "difference",
        say("Difference"),
        say("How many points the first bot's mean is above the second's."),
        "neither",
        "score",
        absent=say("one of the bots has no score"),
    ),
)

DIALOGUE_MEASURES: Mapping[str, Measure] = {measure.name: measure for measure in _TABLE}

# What was tested, as people call it; the short name stands in JSON.
TEST_TITLES: Mapping[str, str] = {
    "overall": say("All dialogues"),
    "human-bot": say("Person and bot"),
    "human-human": say("Two people"),
    "unknown": say("Speakers unknown"),
    "unseen-bot": say("Unseen bots"),
    "later": say("Later dialogues"),
    "later-human-bot": say("Later dialogues, bots only"),
}


def title_of_test(name: str) -> str:
    """Return a test in the words of a reader."""
    return TEST_TITLES.get(name, name)


def range_text(low: float | None, high: float | None) -> str:
    """Write where a mark may lie, or nothing where that is not known."""
    return "" if low is None or high is None else say("{low:.1f} to {high:.1f}", low=low, high=high)
