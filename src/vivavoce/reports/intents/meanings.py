"""What every number of the intents exam means: one table that page, terminal, report and docs all read from."""

from __future__ import annotations

from collections.abc import Mapping

from vivavoce.reports.shared.measures import Measure

_STRANGER = "no question was asked that no topic fits"
_SILENT = "the bot left nothing unanswered"

_TABLE = (
    # --- one setting --------------------------------------------------------------------------------------
    Measure(
        "automation_rate",
        "Answered by itself",
        "Of all questions, the share that the bot answers without a person. It says nothing of being right.",
        "higher",
        main=True,
    ),
    Measure(
        "precision_answered",
        "Answers right",
        "Of the questions that the bot answers, the share in which the topic was right.",
        "higher",
        absent="the bot answered nothing",
        main=True,
    ),
    Measure(
        "negative_rejection",
        "Strangers declined",
        "Of the questions that no topic fits, the share that was rightly left unanswered.",
        "higher",
        absent=_STRANGER,
        main=True,
    ),
    Measure(
        "accuracy",
        "Decisions right",
        "Of all questions, the share that was answered with the right topic or, where no topic fits, rightly left "
        "unanswered.",
        "higher",
        main=True,
    ),
    Measure(
        "in_scope_accuracy",
        "Known questions right",
        "Of the questions that have a topic, the share that was answered with the right one.",
        "higher",
        absent="no question with a known topic was asked",
    ),
    Measure(
        "carefulness",
        "Carefulness",
        "Of the questions left unanswered, the share in which the guess held back would have been wrong.",
        "higher",
        absent=_SILENT,
    ),
    Measure(
        "good_carefulness",
        "Missed among deferred",
        "Of the questions left unanswered, the share in which the guess held back was right: chances missed.",
        "lower",
        absent=_SILENT,
    ),
    Measure(
        "deferral_precision",
        "Rightly deferred",
        "Of the questions left unanswered, the share that was rightly left; having no guess counts as rightly.",
        "higher",
        absent=_SILENT,
    ),
    Measure(
        "deferral_recall",
        "Errors held back",
        "Of the questions that the bot could not get right, the share that it left unanswered instead of guessing.",
        "higher",
        absent="there was no question that the bot could not get right",
    ),
    Measure(
        "best_guess_accuracy",
        "Best guess right",
        "Of the questions that have a topic, the share whose best guess is right: accuracy without a threshold.",
        "higher",
    ),
    Measure(
        "recall_macro",
        "Known questions right, mean over topics",
        "The share of each topic's questions that was answered rightly, averaged: small topics count like large.",
        "higher",
    ),
    Measure(
        "f1_macro",
        "F1, every topic alike",
        "Finding and not over-using a topic in one number, averaged so that small topics count as much as large.",
        "higher",
        "score",
    ),
    Measure(
        "f1_weighted",
        "F1, by topic size",
        "Finding and not over-using a topic in one number, averaged so that large topics count more.",
        "higher",
        "score",
    ),
    Measure(
        "oos_auroc",
        "Telling strangers apart",
        "How often the bot is surer of a question it knows than of one no topic fits: 0.5 is chance, 1 is perfect.",
        "higher",
        "score",
        absent=_STRANGER,
    ),
    Measure(
        "aurc",
        "Risk over all thresholds (AURC)",
        "The share of wrong answers, averaged over every possible threshold, the surest questions answered first.",
        "lower",
        "score",
    ),
    Measure(
        "augrc",
        "Wrong answers over all thresholds (AUGRC)",
        "The share of all questions that would be answered wrongly, averaged over every possible threshold.",
        "lower",
        "score",
    ),
    Measure(
        "ece",
        "Calibration error",
        "How far the stated confidence is from how often the bot is right, on average: 0 is honest.",
        "lower",
        "score",
        absent="the bot made no guess",
    ),
    # --- one topic ----------------------------------------------------------------------------------------
    Measure(
        "recall",
        "Found",
        "Of the questions of this topic, the share that was answered with it.",
        "higher",
        about="topic",
        absent="the topic was never tested",
    ),
    Measure(
        "precision",
        "Right when used",
        "Of the answers given with this topic, the share that was right.",
        "higher",
        about="topic",
        absent="the topic was never the answer",
    ),
    Measure(
        "deferred",
        "Deferred",
        "Of the questions of this topic, the share that was left unanswered.",
        "lower",
        about="topic",
        absent="the topic was never tested",
    ),
    Measure(
        "f1",
        "F1",
        "Found and right when used in one number; 0 for a topic that was tested and never found.",
        "higher",
        "score",
        "topic",
        "the topic was never tested",
    ),
    Measure(
        "attracted",
        "Attracted",
        "How many examples of other topics, or out of scope, were mostly answered with this one.",
        "lower",
        "count",
        "topic",
    ),
    Measure("examples", "Examples", "How many training examples the topic has.", "higher", "count", "topic"),
    Measure(
        "negatives",
        "Used as strangers",
        "How many tests asked a question of this topic while the topic was kept out of training.",
        "neither",
        "count",
        "topic",
    ),
    # --- one pair of topics -------------------------------------------------------------------------------
    Measure(
        "overlap",
        "Overlap",
        "How much two topics look like one, by what the bot mixes and how alike the texts are; at 100 % they are "
        "one topic.",
        "lower",
        about="pair",
    ),
    Measure(
        "bot_overlap",
        "What the bot mixes",
        "The overlap in the bot's own guesses for questions it was not trained on.",
        "lower",
        about="pair",
        absent="no setting tested every topic",
    ),
    Measure(
        "text_overlap",
        "How alike the texts are",
        "The overlap of the wording of two topics, without any training.",
        "lower",
        about="pair",
        absent="the texts could not be compared",
    ),
    Measure(
        "top3_share",
        "Stability",
        "In how many of 100 re-checks with redrawn examples the pair is among the three most confused.",
        "neither",
        about="pair",
    ),
    Measure(
        "cost_per_100",
        "Cost per 100",
        "How many of 100 messages would go to the wrong one of the two, were traffic like the training data.",
        "lower",
        "count",
        "pair",
        "no setting tested every topic",
    ),
    Measure(
        "evidence",
        "Evidence",
        "How many different examples lean to the wrong one of the two topics.",
        "neither",
        "count",
        "pair",
    ),
    Measure(
        "mistakes",
        "Wrong answers between the two",
        "How many questions of the two topics were answered with the other one in the exam, over all retries.",
        "lower",
        "count",
        "pair",
        "no setting tested every topic",
    ),
    Measure(
        "held_back",
        "Wrong guesses held back",
        "How many questions of the two topics were taken for the other one, but not surely enough to be answered so.",
        "neither",
        "count",
        "pair",
        "no setting tested every topic",
    ),
    Measure("lost", "Lost between the two", "Examples with the other's answer, or with none.", "lower", about="pair"),
    # --- data and time ------------------------------------------------------------------------------------
    Measure(
        "inflation",
        "Inflation",
        "How many points better the accuracy would look if near-duplicates stood in training and test alike.",
        "lower",
        "points",
        "data",
        "there are no near-duplicates",
    ),
    Measure(
        "split_seconds", "Splitting", "Seconds to divide the data for one retry.", "lower", "seconds", about="time"
    ),
    Measure("train_seconds", "Training", "Seconds to train the bot for one retry.", "lower", "seconds", about="time"),
    Measure(
        "classify_p50_seconds",
        "Answer time, usual",
        "Seconds for one message; half of the messages are faster.",
        "lower",
        "seconds",
        about="time",
    ),
    Measure(
        "classify_p95_seconds",
        "Answer time, slow",
        "Seconds for one message; 95 of 100 messages are faster.",
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
    return MEASURES[name].absent if name in MEASURES else "there was nothing to count"
