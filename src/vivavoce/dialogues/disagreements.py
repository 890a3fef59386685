"""The queue of dialogues that a person should read: score and checks or ratings disagree about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from vivavoce.dialogues.agreement import pair_up, value_of
from vivavoce.dialogues.dialogue import HIGHEST, LOWEST, Dialogue
from vivavoce.dialogues.result import Disagreement, Score
from vivavoce.messages import say

# How many points a disagreement lies beyond the limit, and the disagreement.
Ranked = tuple[float, Disagreement]

MAX_QUEUE = 20
PASSED_LOW = "passed-low"
FAILED_HIGH = "failed-high"
MARKED_HIGH = "marked-high"
MARKED_LOW = "marked-low"
KINDS = (PASSED_LOW, FAILED_HIGH, MARKED_HIGH, MARKED_LOW)

# The middle of the scale: no score above it is low, none below it is high.
MIDDLE = (LOWEST + HIGHEST) / 2
# A rating this many points away is not explained by moods: two people often differ by one.
FAR = 1.5
# From this many ratings on, a scale that is off as a whole can be told from a single dialogue that is.
MIN_RATINGS = 10
# Low and high also mean the lowest and the highest quarter of this log.
QUARTERS = (0.25, 0.75)


def find_disagreements(
    dialogues: Sequence[Dialogue], scores: Sequence[Score], most: int = MAX_QUEUE
) -> tuple[Disagreement, ...]:
    """Return the dialogues to read, strongest disagreement first; one may be listed for more than one reason.

    These are: scripted checks passed but the score is low (below 3 and in the lowest quarter of the log), a check
    failed but the score is high (above 3 and in the highest quarter), and a rating at least 1.5 points from the score
    and outside its interval. From 10 ratings on the distance is counted from where ratings of this log usually lie: a
    score that is off for all dialogues alike is a matter of recalibration.
    """
    rated = pair_up(dialogues, scores)
    pairs = [pair for pair in zip(dialogues, scores, strict=True) if value_of(pair[1]) is not None]
    if not pairs:
        return ()
    low, high = np.quantile([score.score for _, score in pairs], QUARTERS).tolist()
    usual_gap = 0.0
    if len(rated) >= MIN_RATINGS:
        usual_gap = float(np.median(np.asarray(rated.ratings) - np.asarray(rated.scores)))
    queue = [
        entry
        for dialogue, score in pairs
        for entry in (*_compare_checks(dialogue, score, low, high), *_compare_rating(dialogue, score, usual_gap))
    ]
    queue.sort(key=lambda entry: (-entry[0], entry[1].id))
    return tuple(disagreement for _, disagreement in queue[: max(0, most)])


def _compare_checks(dialogue: Dialogue, score: Score, low: float, high: float) -> Iterator[Ranked]:
    """Yield the disagreement of score and scripted checks, if any."""
    value = score.score or 0.0
    if dialogue.passed is True and value < MIDDLE and value <= low:
        text = say(
            "The scripted checks passed, but the score is {value:.1f}: check whether the bot did "
            "its job but was frustrating to talk to{where}.",
            value=value,
            where=_name_message(score, worst=True),
        )
        yield MIDDLE - value, Disagreement(dialogue.id, PASSED_LOW, value, 1.0, text)
    if dialogue.passed is False and value > MIDDLE and value >= high:
        text = say(
            "A scripted check failed, but the score is {value:.1f}: check whether the conversation "
            "was pleasant but missed its goal, or whether the check is too strict{where}.",
            value=value,
            where=_name_message(score, worst=False),
        )
        yield value - MIDDLE, Disagreement(dialogue.id, FAILED_HIGH, value, 0.0, text)


def _compare_rating(dialogue: Dialogue, score: Score, usual_gap: float) -> Iterator[Ranked]:
    """Yield the disagreement of score and rating, if any."""
    value, rating = score.score or 0.0, dialogue.quality
    if rating is None or abs(rating - value - usual_gap) < FAR:
        return
    if score.low is not None and score.high is not None and score.low <= rating - usual_gap <= score.high:
        return
    is_higher = rating - usual_gap > value
    raters = sum(item.quality is not None for item in dialogue.ratings)
    liked, annoyed = say("what they liked and the score missed"), say("what annoyed them and the score missed")
    habit = ""
    if usual_gap >= 0.5:
        habit = " " + say("(in this log, ratings are usually {usual:.1f} above the score)", usual=usual_gap)
    elif usual_gap <= -0.5:
        habit = " " + say("(in this log, ratings are usually {value:.1f} below the score)", value=-usual_gap)
    text = say(
        "{who} rated this {mark:.1f}, but the score is {value:.1f}: check {looked}, or whether the "
        "rating was a mistake{habit}.",
        who=say("One person") if raters == 1 else say("People"),
        mark=rating,
        value=value,
        looked=(liked if is_higher else annoyed) + _name_message(score, worst=is_higher),
        habit=habit,
    )
    kind = MARKED_HIGH if is_higher else MARKED_LOW
    yield abs(rating - value - usual_gap) - FAR, Disagreement(dialogue.id, kind, value, rating, text)


def _name_message(score: Score, *, worst: bool) -> str:
    """Name the message that moved the score most in one direction, if there is one."""
    sign = -1 if worst else 1
    turn = max(score.turns, key=lambda turn: sign * turn.effect, default=None)
    if turn is None or sign * turn.effect <= 0:
        return ""
    lowered = say("(message {number} by {speaker} lowered the score most)", number=turn.number, speaker=turn.speaker)
    raised = say("(message {number} by {speaker} raised the score most)", number=turn.number, speaker=turn.speaker)
    return " " + (lowered if worst else raised)
