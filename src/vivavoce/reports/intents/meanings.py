"""What every number of the intents exam means: one table that page, terminal, report and docs all read from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from vivavoce.messages import say
from vivavoce.reports.shared.measures import NOTHING, Measure, define

_STRANGER = say("no out-of-scope questions were asked")
_SILENT = say("the bot declined nothing")

_topic, _pair = (partial(define, about=about) for about in ("topic", "pair"))
_time = partial(define, better="lower", kind="seconds", about="time")

_TABLE = (
    # --- one setting --------------------------------------------------------------------------------------
    define(
        "automation_rate", "Answered", "Of all questions, the share the bot answers, rightly or wrongly.", main=True
    ),
    define(
        "precision_answered",
        "Correct answers",
        "Of the questions the bot answers, the share with the right topic.",
        absent=say("the bot answered nothing"),
        main=True,
    ),
    define(
        "negative_rejection",
        "Out of scope declined",
        "Of the out-of-scope questions, the share the bot rightly declined.",
        absent=_STRANGER,
        main=True,
    ),
    define(
        "accuracy",
        "Correct decisions",
        "Of all questions, the share answered with the right topic or, if out of scope, rightly declined.",
        main=True,
    ),
    define(
        "in_scope_accuracy",
        "Correct on known questions",
        "Of the questions with a topic, the share answered with the right one.",
        absent=say("no question with a known topic was asked"),
    ),
    define(
        "carefulness",
        "Carefulness",
        "Of the declined questions, the share where the guess would have been wrong.",
        absent=_SILENT,
    ),
    define(
        "good_carefulness",
        "Missed among declined",
        "Of the declined questions, the share where the guess was right: missed chances.",
        better="lower",
        absent=_SILENT,
    ),
    define(
        "deferral_precision",
        "Rightly declined",
        "Of the declined questions, the share rightly declined; having no guess counts as right.",
        absent=_SILENT,
    ),
    define(
        "deferral_recall",
        "Errors avoided",
        "Of the questions the bot could not get right, the share it declined instead of guessing.",
        absent=say("the bot could get every question right"),
    ),
    define(
        "best_guess_accuracy",
        "Correct best guesses",
        "Of the questions with a topic, the share whose best guess is right: accuracy without a threshold.",
    ),
    define(
        "recall_macro",
        "Correct on known questions, mean over topics",
        "The share of each topic's questions answered correctly, averaged: small topics count as much as large ones.",
    ),
    define(
        "f1_macro",
        "F1, mean over topics",
        "Combines finding a topic and not overusing it in one number; small topics count as much as large ones.",
        kind="score",
    ),
    define(
        "f1_weighted",
        "F1, weighted by topic size",
        "Combines finding a topic and not overusing it in one number; large topics count more.",
        kind="score",
    ),
    define(
        "oos_auroc",
        "Out-of-scope detection",
        "How often the bot is more confident about a known question than about an out-of-scope "
        "one: 0.5 is chance, 1 is perfect.",
        kind="score",
        absent=_STRANGER,
    ),
    define(
        "aurc",
        "Risk over all thresholds (AURC)",
        "The share of wrong answers, averaged over all thresholds, with the most confident questions answered first.",
        better="lower",
        kind="score",
    ),
    define(
        "augrc",
        "Wrong answers over all thresholds (AUGRC)",
        "The share of all questions answered wrongly, averaged over all thresholds.",
        better="lower",
        kind="score",
    ),
    define(
        "ece",
        "Calibration error",
        "The average gap between the stated confidence and how often the bot is right: 0 is perfect.",
        better="lower",
        kind="score",
        absent=say("the bot made no guess"),
    ),
    # --- one topic ----------------------------------------------------------------------------------------
    _topic(
        "recall",
        "Found",
        "Of the questions about this topic, the share answered with it.",
        absent=say("the topic was never tested"),
    ),
    _topic(
        "precision",
        "Correct when used",
        "Of the answers with this topic, the share that was right.",
        absent=say("the topic was never the answer"),
    ),
    _topic(
        "deferred",
        "Declined",
        "Of this topic's questions, the share the bot declined.",
        better="lower",
        absent=say("the topic was never tested"),
    ),
    _topic(
        "f1",
        "F1",
        "Combines found and right when used in one number; 0 for a topic that was tested but never found.",
        kind="score",
        absent=say("the topic was never tested"),
    ),
    _topic(
        "attracted",
        "Attracted",
        "How many examples of other topics, or out of scope, were mostly answered with this one.",
        better="lower",
        kind="count",
    ),
    _topic("examples", "Examples", "How many training examples the topic has.", kind="count"),
    _topic(
        "negatives",
        "Used as out-of-scope",
        "How many tests asked a question of this topic while it was held out of training.",
        better="neither",
        kind="count",
    ),
    # --- one pair of topics -------------------------------------------------------------------------------
    _pair(
        "overlap",
        "Overlap",
        "How much two topics look like one, judged by the bot's confusions and the similarity "
        "of their texts; at 100 % they are one topic.",
        better="lower",
    ),
    _pair(
        "bot_overlap",
        "Confused by the bot",
        "The overlap in the bot's guesses for questions it was not trained on.",
        better="lower",
        absent=say("no setting tested every topic"),
    ),
    _pair(
        "text_overlap",
        "Text similarity",
        "The overlap in the wording of two topics, without any training.",
        better="lower",
        absent=say("the texts could not be compared"),
    ),
    _pair(
        "top3_share",
        "Stability",
        "In how many of 100 checks with resampled examples the pair is among the three most confused.",
        better="neither",
    ),
    _pair(
        "cost_per_100",
        "Cost per 100",
        "How many of 100 messages would go to the wrong one of the two, if traffic matched the training data.",
        better="lower",
        kind="count",
        absent=say("no setting tested every topic"),
    ),
    _pair(
        "evidence",
        "Evidence",
        "How many different examples lean towards the wrong one of the two topics.",
        better="neither",
        kind="count",
    ),
    _pair(
        "mistakes",
        "Wrong answers between the two",
        "How many questions of the two topics were answered with the other one, over all rounds.",
        better="lower",
        kind="count",
        absent=say("no setting tested every topic"),
    ),
    _pair(
        "held_back",
        "Wrong guesses declined",
        "How many questions of the two topics were mistaken for the other one, but with too "
        "little confidence to answer.",
        better="neither",
        kind="count",
        absent=say("no setting tested every topic"),
    ),
    _pair("lost", "Lost between the two", "Examples that get the other topic's answer, or none.", better="lower"),
    # --- data and time ------------------------------------------------------------------------------------
    define(
        "inflation",
        "Inflation",
        "How many points better the accuracy would look if near-duplicates were in both training and test.",
        better="lower",
        kind="points",
        absent=say("no near-duplicates"),
        about="data",
    ),
    _time("split_seconds", "Splitting", "Seconds to split the data for one round."),
    _time("train_seconds", "Training", "Seconds to train the bot for one round."),
    _time("classify_p50_seconds", "Answer time, median", "Seconds per message; half of the messages are faster."),
    _time(
        "classify_p95_seconds", "Answer time, 95th percentile", "Seconds per message; 95 of 100 messages are faster."
    ),
)

MEASURES: Mapping[str, Measure] = {measure.name: measure for measure in _TABLE}
# The few that every view shows first, in their order.
MAIN = tuple(measure.name for measure in _TABLE if measure.main)


def absence(name: str) -> str:
    """Say why a number can be n/a."""
    return MEASURES[name].absent if name in MEASURES else NOTHING
