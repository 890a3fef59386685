"""What every number of the dialogues exam means: one table that terminal, page, report and docs read from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from vivavoce.messages import say
from vivavoce.reports.shared.measures import Measure, define

# How far apart two scores (1 to 5) and two agreements (-1 to 1) can be.
SCORE_SPAN = 4.0
AGREEMENT_SPAN = 2.0
_UNSCORED = say("no dialogue could be scored")

_score = partial(define, kind="score")
_agreement = partial(_score, absent=say("too few dialogues have both a score and a rating"))

_TABLE = (
    _score(
        "score",
        "Score",
        "The rater's estimate of the rating a person would give this dialogue, from 1 (bad) to 5 (good).",
        absent=say("the dialogue was not scored, for the reason shown"),
    ),
    _score(
        "range",
        "Range",
        "Where a person's rating of this dialogue falls in 8 of 10 cases. It is wide because people differ.",
        better="neither",
        absent=say("the rater gives no range"),
    ),
    _score(
        "mean",
        "Mean score",
        "The mean of all scores; its interval is where the mean would lie with other dialogues of this kind.",
        absent=_UNSCORED,
    ),
    _score(
        "mark",
        "People's rating",
        "The rating from 1 to 5 that people gave; the mean if several people rated a dialogue.",
        absent=say("nobody rated the dialogue"),
    ),
    _score(
        "effect",
        "Effect of a message",
        "How many points this message moved the score of its dialogue, compared with a typical "
        "message of its side: below 0 it lowered the score.",
        absent=say("the rater does not score single messages"),
    ),
    _agreement(
        "pearson",
        "Pearson",
        "How well a straight line describes scores against people's ratings: 0 is chance, 1 is perfect.",
    ),
    _agreement(
        "spearman",
        "Spearman",
        "How similarly scores and people's ratings order the dialogues, whatever the "
        "distances: 0 is chance, 1 is perfect.",
    ),
    _agreement(
        "kendall",
        "Kendall",
        "Share of dialogue pairs ordered as people order them, minus the share ordered the "
        "other way round: 1 is all.",
    ),
    _agreement(
        "mse",
        "Mean squared error",
        "The distance between score and rating, squared and averaged: 1 means about one point off.",
        better="lower",
    ),
    _agreement(
        "slope",
        "Slope",
        "How much people's ratings rise when the score rises by 1: near 1, scores can be read as ratings.",
        better="neither",
    ),
    _agreement(
        "intercept",
        "Intercept",
        "What the line from score to rating adds to slope times score: near 0 with a slope "
        "near 1, scores need no adjustment.",
        better="neither",
    ),
    _score(
        "gain",
        "Recalibration gain",
        "How much smaller the mean squared error gets on dialogues the correction had not seen.",
        absent=say("too few ratings of your own to learn a correction"),
    ),
    _score(
        "strength",
        "Strength",
        "How often its dialogues beat those of other bots, as log odds: 0 is the average bot in this log.",
        absent=say("the bot was not compared with any other"),
    ),
    define(
        "rank",
        "Rank",
        "A bot's place by its mean, and the places its pairwise verdicts leave open.",
        better="lower",
        kind="count",
        absent=say("the log names fewer than two bots, or the bot has fewer than five dialogues"),
    ),
    _score(
        "difference",
        "Difference",
        "How many points the first bot's mean is above the second's.",
        better="neither",
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
