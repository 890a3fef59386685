"""What every number of the intents exam means: one table that page, terminal, report and docs all read from."""

from __future__ import annotations

from collections.abc import Mapping

from vivavoce.messages import say
from vivavoce.reports.shared.measures import NOTHING, Measure

_STRANGER = say("no out-of-scope questions were asked")
_SILENT = say("the bot declined nothing")

_TABLE = (
    # --- one setting --------------------------------------------------------------------------------------
    Measure(
        "automation_rate",
        say("Answered"),
        say("Of all questions, the share the bot answers, rightly or wrongly."),
        main=True,
    ),
    Measure(
        "precision_answered",
        say("Correct answers"),
        say("Of the questions the bot answers, the share with the right topic."),
        absent=say("the bot answered nothing"),
        main=True,
    ),
    Measure(
        "negative_rejection",
        say("Out of scope declined"),
        say("Of the out-of-scope questions, the share the bot rightly declined."),
        absent=_STRANGER,
        main=True,
    ),
    Measure(
        "accuracy",
        say("Correct decisions"),
        say("Of all questions, the share answered with the right topic or, if out of scope, rightly declined."),
        main=True,
    ),
    Measure(
        "in_scope_accuracy",
        say("Correct on known questions"),
        say("Of the questions with a topic, the share answered with the right one."),
        absent=say("no question with a known topic was asked"),
    ),
    Measure(
        "carefulness",
        say("Carefulness"),
        say("Of the declined questions, the share where the guess would have been wrong."),
        absent=_SILENT,
    ),
    Measure(
        "good_carefulness",
        say("Missed among declined"),
        say("Of the declined questions, the share where the guess was right: missed chances."),
        "lower",
        absent=_SILENT,
    ),
    Measure(
        "deferral_precision",
        say("Rightly declined"),
        say("Of the declined questions, the share rightly declined; having no guess counts as right."),
        absent=_SILENT,
    ),
    Measure(
        "deferral_recall",
        say("Errors avoided"),
        say("Of the questions the bot could not get right, the share it declined instead of guessing."),
        absent=say("the bot could get every question right"),
    ),
    Measure(
        "best_guess_accuracy",
        say("Correct best guesses"),
        say("Of the questions with a topic, the share whose best guess is right: accuracy without a threshold."),
    ),
    Measure(
        "recall_macro",
        say("Correct on known questions, mean over topics"),
        say(
            "The share of each topic's questions answered correctly, averaged: small topics count "
            "as much as large ones."
        ),
    ),
    Measure(
        "f1_macro",
        say("F1, mean over topics"),
        say("Combines finding a topic and not overusing it in one number; small topics count as much as large ones."),
        kind="score",
    ),
    Measure(
        "f1_weighted",
        say("F1, weighted by topic size"),
        say("Combines finding a topic and not overusing it in one number; large topics count more."),
        kind="score",
    ),
    Measure(
        "oos_auroc",
        say("Out-of-scope detection"),
        say(
            "How often the bot is more confident about a known question than about an out-of-scope "
            "one: 0.5 is chance, 1 is perfect."
        ),
        kind="score",
        absent=_STRANGER,
    ),
    Measure(
        "aurc",
        say("Risk over all thresholds (AURC)"),
        say(
            "The share of wrong answers, averaged over all thresholds, with the most confident "
            "questions answered first."
        ),
        "lower",
        "score",
    ),
    Measure(
        "augrc",
        say("Wrong answers over all thresholds (AUGRC)"),
        say("The share of all questions answered wrongly, averaged over all thresholds."),
        "lower",
        "score",
    ),
    Measure(
        "ece",
        say("Calibration error"),
        say("The average gap between the stated confidence and how often the bot is right: 0 is perfect."),
        "lower",
        "score",
        absent=say("the bot made no guess"),
    ),
    # --- one topic ----------------------------------------------------------------------------------------
    Measure(
        "recall",
        say("Found"),
        say("Of the questions about this topic, the share answered with it."),
        about="topic",
        absent=say("the topic was never tested"),
    ),
    Measure(
        "precision",
        say("Correct when used"),
        say("Of the answers with this topic, the share that was right."),
        about="topic",
        absent=say("the topic was never the answer"),
    ),
    Measure(
        "deferred",
        say("Declined"),
        say("Of this topic's questions, the share the bot declined."),
        "lower",
        about="topic",
        absent=say("the topic was never tested"),
    ),
    Measure(
        "f1",
        say("F1"),
        say("Combines found and right when used in one number; 0 for a topic that was tested but never found."),
        kind="score",
        about="topic",
        absent=say("the topic was never tested"),
    ),
    Measure(
        "attracted",
        say("Attracted"),
        say("How many examples of other topics, or out of scope, were mostly answered with this one."),
        "lower",
        "count",
        "topic",
    ),
    Measure(
        "examples", say("Examples"), say("How many training examples the topic has."), kind="count", about="topic"
    ),
    Measure(
        "negatives",
        say("Used as out-of-scope"),
        say("How many tests asked a question of this topic while it was held out of training."),
        "neither",
        "count",
        "topic",
    ),
    # --- one pair of topics -------------------------------------------------------------------------------
    Measure(
        "overlap",
        say("Overlap"),
        say(
            "How much two topics look like one, judged by the bot's confusions and the similarity "
            "of their texts; at 100 % they are one topic."
        ),
        "lower",
        about="pair",
    ),
    Measure(
        "bot_overlap",
        say("Confused by the bot"),
        say("The overlap in the bot's guesses for questions it was not trained on."),
        "lower",
        about="pair",
        absent=say("no setting tested every topic"),
    ),
    Measure(
        "text_overlap",
        say("Text similarity"),
        say("The overlap in the wording of two topics, without any training."),
        "lower",
        about="pair",
        absent=say("the texts could not be compared"),
    ),
    Measure(
        "top3_share",
        say("Stability"),
        say("In how many of 100 checks with resampled examples the pair is among the three most confused."),
        "neither",
        about="pair",
    ),
    Measure(
        "cost_per_100",
        say("Cost per 100"),
        say("How many of 100 messages would go to the wrong one of the two, if traffic matched the training data."),
        "lower",
        "count",
        "pair",
        say("no setting tested every topic"),
    ),
    Measure(
        "evidence",
        say("Evidence"),
        say("How many different examples lean towards the wrong one of the two topics."),
        "neither",
        "count",
        "pair",
    ),
    Measure(
        "mistakes",
        say("Wrong answers between the two"),
        say("How many questions of the two topics were answered with the other one, over all rounds."),
        "lower",
        "count",
        "pair",
        say("no setting tested every topic"),
    ),
    Measure(
        "held_back",
        say("Wrong guesses declined"),
        say(
            "How many questions of the two topics were mistaken for the other one, but with too "
            "little confidence to answer."
        ),
        "neither",
        "count",
        "pair",
        say("no setting tested every topic"),
    ),
    Measure(
        "lost",
        say("Lost between the two"),
        say("Examples that get the other topic's answer, or none."),
        "lower",
        about="pair",
    ),
    # --- data and time ------------------------------------------------------------------------------------
    Measure(
        "inflation",
        say("Inflation"),
        say("How many points better the accuracy would look if near-duplicates were in both training and test."),
        "lower",
        "points",
        "data",
        say("no near-duplicates"),
    ),
    Measure(
        "split_seconds",
        say("Splitting"),
        say("Seconds to split the data for one round."),
        "lower",
        "seconds",
        about="time",
    ),
    Measure(
        "train_seconds",
        say("Training"),
        say("Seconds to train the bot for one round."),
        "lower",
        "seconds",
        about="time",
    ),
    Measure(
        "classify_p50_seconds",
        say("Answer time, median"),
        say("Seconds per message; half of the messages are faster."),
        "lower",
        "seconds",
        about="time",
    ),
    Measure(
        "classify_p95_seconds",
        say("Answer time, 95th percentile"),
        say("Seconds per message; 95 of 100 messages are faster."),
        "lower",
        "seconds",
        about="time",
    ),
)

MEASURES: Mapping[str, Measure] = {measure.name: measure for measure in _TABLE}
# The few that every view shows first, in their order.
MAIN = tuple(measure.name for measure in _TABLE if measure.main)


def absence(name: str) -> str:
    """Say why a number can be n/a."""
    return MEASURES[name].absent if name in MEASURES else NOTHING
