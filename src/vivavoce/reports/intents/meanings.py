"""What every number means: one table that page, terminal, report and docs all read from, and how numbers are written.

A number that was not measured is written "n/a", never 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from vivavoce.records import Rate
from vivavoce.sentences import say

Kind = Literal["share", "score", "seconds", "count", "points"]
Better = Literal["higher", "lower", "neither"]
About = Literal["setting", "topic", "pair", "data", "time"]

NOT_AVAILABLE = "n/a"


@dataclass(frozen=True, slots=True)
class Measure:
    """One number: its stable name, how people call it, what it means, and when it cannot be had."""

    name: str
    title: str
    meaning: str
    better: Better
    kind: Kind = "share"
    about: About = "setting"
    absent: str = "there was nothing to count"


_STRANGER = "no question was asked that no topic fits"
_SILENT = "the bot left nothing unanswered"

_TABLE = (
    # --- one setting --------------------------------------------------------------------------------------
    Measure(
        "accuracy",
        "Decisions right",
        "Of all questions, the share that was answered with the right topic or, where no topic fits, rightly left "
        "unanswered.",
        "higher",
    ),
    Measure(
        "in_scope_accuracy",
        "Known questions right",
        "Of the questions that have a topic, the share that was answered with the right one.",
        "higher",
        absent="no question with a known topic was asked",
    ),
    Measure(
        "negative_rejection",
        "Strangers declined",
        "Of the questions that no topic fits, the share that was rightly left unanswered.",
        "higher",
        absent=_STRANGER,
    ),
    Measure(
        "automation_rate",
        "Answered by itself",
        "Of all questions, the share that the bot answers without a person. It says nothing of being right.",
        "higher",
    ),
    Measure(
        "precision_answered",
        "Answers right",
        "Of the questions that the bot answers, the share in which the topic was right.",
        "higher",
        absent="the bot answered nothing",
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


# --- how numbers are written -------------------------------------------------------------------------------


def share_text(value: float | None) -> str:
    """Write a share as whole percent; what is not exactly 0 or 100 % is never shown as such."""
    return NOT_AVAILABLE if value is None else f"{hundred(value)} %"


def hundred(value: float) -> str:
    """Write how many of 100 a share is."""
    whole = f"{100 * value:.0f}"
    if whole == "0" and value > 0:
        return say("under 1")
    return say("over 99") if whole == "100" and value < 1 else whole


def score_text(value: float | None) -> str:
    """Write a score that is not a share of anything."""
    return NOT_AVAILABLE if value is None else f"{value:z.2f}"


def seconds_text(value: float | None) -> str:
    """Write a duration in the unit that suits it."""
    if value is None:
        return NOT_AVAILABLE
    for limit, factor, unit in ((1e-3, 1e6, "µs"), (1.0, 1e3, "ms")):
        if value < limit:
            return f"{factor * value:.0f} {unit}"
    return f"{value:.1f} s"


TOO_FEW = say("too few to tell")


def value_text(kind: Kind, value: float | None) -> str:
    """Write the value of a measure by its kind."""
    if value is None:
        return NOT_AVAILABLE
    if kind == "share":
        return share_text(value)
    if kind == "seconds":
        return seconds_text(value)
    if kind == "points":
        return say(f"{100 * value:z.1f} points")
    return score_text(value) if kind == "score" else f"{value:,.10g}"


def interval_text(rate: Rate, kind: Kind = "share") -> str:
    """Write where the value would lie with other data of this size; nothing where that is not known."""
    if rate.value is None or rate.low is None or rate.high is None:
        return ""
    if kind == "share":
        return say(f"{100 * rate.low:z.0f} to {100 * rate.high:z.0f} %")
    return say(f"{rate.low:z.2f} to {rate.high:z.2f}")


def tile_part(rate: Rate, kind: Kind = "share", span: float = 1.0) -> tuple[str, str]:
    """Return the large figure of a tile and its style; a value that tells little gives way to a few plain words."""
    return (TOO_FEW, "value unsure") if rate.tells_little(span) else (value_text(kind, rate.value), "value")


def rate_text(rate: Rate, kind: Kind = "share") -> str:
    """Write a value with its interval and count, or n/a."""
    if rate.value is None:
        return NOT_AVAILABLE
    parts = [part for part in (interval_text(rate, kind), say(f"n = {rate.n:,}")) if part]
    return f"{value_text(kind, rate.value)} ({', '.join(parts)})"


def percent(rate: Rate) -> str:
    """Write a share as in `72 % (68 to 76 %, n = 2,209)`, or n/a."""
    return rate_text(rate)


def absence(name: str) -> str:
    """Say why a number can be n/a."""
    return MEASURES[name].absent if name in MEASURES else "there was nothing to count"


def direction_text(measure: Measure) -> str:
    """Say which direction is better."""
    return "Neither way is better." if measure.better == "neither" else f"{measure.better.capitalize()} is better."


def render_measures_table(measures: Iterable[Measure] = _TABLE) -> str:
    """Return the table of meanings as Markdown, for the docs."""
    lines = ["| name | title | meaning | better | kind |", "|---|---|---|---|---|"]
    lines += [f"| `{m.name}` | {m.title} | {m.meaning} | {m.better} | {m.kind} |" for m in measures]
    return "\n".join(lines) + "\n"
