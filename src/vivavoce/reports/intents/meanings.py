"""What every number of the intents exam means: one table that page, terminal, report and docs all read from."""

from __future__ import annotations

from collections.abc import Mapping

from vivavoce.messages import say
from vivavoce.reports.shared.measures import NOTHING, Measure

_STRANGER = say("no question was asked that no topic fits")
_SILENT = say("the bot left nothing unanswered")

_TABLE = (
    # --- one setting --------------------------------------------------------------------------------------
    Measure(
        "automation_rate",
        say("Answered by itself"),
        say("Of all questions, the share that the bot answers without a person. It says nothing of being right."),
        "higher",
        main=True,
    ),
    Measure(
        "precision_answered",
        say("Answers right"),
        say("Of the questions that the bot answers, the share in which the topic was right."),
        "higher",
        absent=say("the bot answered nothing"),
        main=True,
    ),
    Measure(
        "negative_rejection",
        say("Strangers declined"),
        say("Of the questions that no topic fits, the share that was rightly left unanswered."),
        "higher",
        absent=_STRANGER,
        main=True,
    ),
    Measure(
        "accuracy",
        say("Decisions right"),
        say(
            "Of all questions, the share that was answered with the right topic or, where no topic fits, "
            "rightly left "
            "unanswered."
        ),
        "higher",
        main=True,
    ),
    Measure(
        "in_scope_accuracy",
        say("Known questions right"),
        say("Of the questions that have a topic, the share that was answered with the right one."),
        "higher",
        absent=say("no question with a known topic was asked"),
    ),
    Measure(
        "carefulness",
        say("Carefulness"),
        say("Of the questions left unanswered, the share in which the guess held back would have been wrong."),
        "higher",
        absent=_SILENT,
    ),
    Measure(
        "good_carefulness",
        say("Missed among deferred"),
        say("Of the questions left unanswered, the share in which the guess held back was right: chances missed."),
        "lower",
        absent=_SILENT,
    ),
    Measure(
        "deferral_precision",
        say("Rightly deferred"),
        say("Of the questions left unanswered, the share that was rightly left; having no guess counts as rightly."),
        "higher",
        absent=_SILENT,
    ),
    Measure(
        "deferral_recall",
        say("Errors held back"),
        say(
            "Of the questions that the bot could not get right, the share that it left unanswered instead of "
            "guessing."
        ),
        "higher",
        absent=say("there was no question that the bot could not get right"),
    ),
    Measure(
        "best_guess_accuracy",
        say("Best guess right"),
        say("Of the questions that have a topic, the share whose best guess is right: accuracy without a threshold."),
        "higher",
    ),
    Measure(
        "recall_macro",
        say("Known questions right, mean over topics"),
        say(
            "The share of each topic's questions that was answered rightly, averaged: small topics count like large."
        ),
        "higher",
    ),
    Measure(
        "f1_macro",
        say("F1, every topic alike"),
        say(
            "Finding and not over-using a topic in one number, averaged so that small topics count as much as large."
        ),
        "higher",
        "score",
    ),
    Measure(
        "f1_weighted",
        say("F1, by topic size"),
        say("Finding and not over-using a topic in one number, averaged so that large topics count more."),
        "higher",
        "score",
    ),
    Measure(
        "oos_auroc",
        say("Telling strangers apart"),
        say(
            "How often the bot is surer of a question it knows than of one no topic fits: 0.5 is chance, 1 is "
            "perfect."
        ),
        "higher",
        "score",
        absent=_STRANGER,
    ),
    Measure(
        "aurc",
        say("Risk over all thresholds (AURC)"),
        say(
            "The share of wrong answers, averaged over every possible threshold, the surest questions answered first."
        ),
        "lower",
        "score",
    ),
    Measure(
        "augrc",
        say("Wrong answers over all thresholds (AUGRC)"),
        say("The share of all questions that would be answered wrongly, averaged over every possible threshold."),
        "lower",
        "score",
    ),
    Measure(
        "ece",
        say("Calibration error"),
        say("How far the stated confidence is from how often the bot is right, on average: 0 is honest."),
        "lower",
        "score",
        absent=say("the bot made no guess"),
    ),
    # --- one topic ----------------------------------------------------------------------------------------
    Measure(
        "recall",
        say("Found"),
        say("Of the questions of this topic, the share that was answered with it."),
        "higher",
        about="topic",
        absent=say("the topic was never tested"),
    ),
    Measure(
        "precision",
        say("Right when used"),
        say("Of the answers given with this topic, the share that was right."),
        "higher",
        about="topic",
        absent=say("the topic was never the answer"),
    ),
    Measure(
        "deferred",
        say("Deferred"),
        say("Of the questions of this topic, the share that was left unanswered."),
        "lower",
        about="topic",
        absent=say("the topic was never tested"),
    ),
    Measure(
        "f1",
        say("F1"),
        say("Found and right when used in one number; 0 for a topic that was tested and never found."),
        "higher",
        "score",
        "topic",
        say("the topic was never tested"),
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
        "examples", say("Examples"), say("How many training examples the topic has."), "higher", "count", "topic"
    ),
    Measure(
        "negatives",
        say("Used as strangers"),
        say("How many tests asked a question of this topic while the topic was kept out of training."),
        "neither",
        "count",
        "topic",
    ),
    # --- one pair of topics -------------------------------------------------------------------------------
    Measure(
        "overlap",
        say("Overlap"),
        say(
            "How much two topics look like one, by what the bot mixes and how alike the texts are; at 100 % they are "
            "one topic."
        ),
        "lower",
        about="pair",
    ),
    Measure(
        "bot_overlap",
        say("What the bot mixes"),
        say("The overlap in the bot's own guesses for questions it was not trained on."),
        "lower",
        about="pair",
        absent=say("no setting tested every topic"),
    ),
    Measure(
        "text_overlap",
        say("How alike the texts are"),
        say("The overlap of the wording of two topics, without any training."),
        "lower",
        about="pair",
        absent=say("the texts could not be compared"),
    ),
    Measure(
        "top3_share",
        say("Stability"),
        say("In how many of 100 re-checks with redrawn examples the pair is among the three most confused."),
        "neither",
        about="pair",
    ),
    Measure(
        "cost_per_100",
        say("Cost per 100"),
        say("How many of 100 messages would go to the wrong one of the two, were traffic like the training data."),
        "lower",
        "count",
        "pair",
        say("no setting tested every topic"),
    ),
    Measure(
        "evidence",
        say("Evidence"),
        say("How many different examples lean to the wrong one of the two topics."),
        "neither",
        "count",
        "pair",
    ),
    Measure(
        "mistakes",
        say("Wrong answers between the two"),
        say("How many questions of the two topics were answered with the other one in the exam, over all retries."),
        "lower",
        "count",
        "pair",
        say("no setting tested every topic"),
    ),
    Measure(
        "held_back",
        say("Wrong guesses held back"),
        say(
            "How many questions of the two topics were taken for the other one, but not surely enough to be "
            "answered so."
        ),
        "neither",
        "count",
        "pair",
        say("no setting tested every topic"),
    ),
    Measure(
        "lost",
        say("Lost between the two"),
        say("Examples with the other's answer, or with none."),
        "lower",
        about="pair",
    ),
    # --- data and time ------------------------------------------------------------------------------------
    Measure(
        "inflation",
        say("Inflation"),
        say("How many points better the accuracy would look if near-duplicates stood in training and test alike."),
        "lower",
        "points",
        "data",
        say("there are no near-duplicates"),
    ),
    Measure(
        "split_seconds",
        say("Splitting"),
        say("Seconds to divide the data for one retry."),
        "lower",
        "seconds",
        about="time",
    ),
    Measure(
        "train_seconds",
        say("Training"),
        say("Seconds to train the bot for one retry."),
        "lower",
        "seconds",
        about="time",
    ),
    Measure(
        "classify_p50_seconds",
        say("Answer time, usual"),
        say("Seconds for one message; half of the messages are faster."),
        "lower",
        "seconds",
        about="time",
    ),
    Measure(
        "classify_p95_seconds",
        say("Answer time, slow"),
        say("Seconds for one message; 95 of 100 messages are faster."),
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
