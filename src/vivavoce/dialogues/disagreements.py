"""The queue of dialogues that a person should read: two judges tell different stories about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from vivavoce.dialogues.agreement import check_pairing, pair_up, value_of
from vivavoce.dialogues.dialogue import HIGHEST, LOWEST, Dialogue
from vivavoce.dialogues.result import Disagreement, Score
from vivavoce.messages import say

MOST = 20
PASSED_LOW = "passed-low"
FAILED_HIGH = "failed-high"
MARKED_HIGH = "marked-high"
MARKED_LOW = "marked-low"
KINDS = (PASSED_LOW, FAILED_HIGH, MARKED_HIGH, MARKED_LOW)

# The middle of the scale: no score above it is low, none below it is high.
MIDDLE = (LOWEST + HIGHEST) / 2
# A mark this many points away is not explained by moods: two people often differ by one.
FAR = 1.5
# From so many marks on, a scale that is off as a whole is told from a single talk that is.
LEAST_MARKS = 10
# Low and high also mean the lowest and the highest quarter of this log.
QUARTERS = (0.25, 0.75)


@dataclass(frozen=True, slots=True)
class _Found:
    """A disagreement, and how many points it lies beyond the limit."""

    strength: float
    disagreement: Disagreement


def find_disagreements(
    dialogues: Sequence[Dialogue], scores: Sequence[Score], most: int = MOST
) -> tuple[Disagreement, ...]:
    """Return the dialogues to read, strongest disagreement first; one may stand here for more than one reason.

    Looked for: scripted checks passed but the score is low (below 3 and in the lowest quarter of the log), a check
    failed but the score is high (above 3 and in the highest quarter), and a mark at least 1.5 points from the score
    and outside its interval. From 10 marks on the distance is counted from where marks of this log usually lie: a
    score that is off for all talks alike is a matter of recalibration.
    """
    check_pairing(dialogues, scores)
    given = [value for score in scores if (value := value_of(score)) is not None]
    if not given:
        return ()
    low, high = np.quantile(given, QUARTERS)
    usual = _usual_gap(dialogues, scores)
    found = [
        one
        for dialogue, score in zip(dialogues, scores, strict=True)
        if (value := value_of(score)) is not None
        for one in (
            *_by_checks(dialogue, score, value, float(low), float(high)),
            *_by_mark(dialogue, score, value, usual),
        )
    ]
    found.sort(key=lambda one: (-one.strength, one.disagreement.id))
    return tuple(one.disagreement for one in found[: max(0, most)])


def _by_checks(dialogue: Dialogue, score: Score, value: float, low: float, high: float) -> Iterator[_Found]:
    if dialogue.passed is True and value < MIDDLE and value <= low:
        text = say(
            "The scripted checks passed, but the score is {value:.1f}: read whether the bot did its job and was "
            "still tiresome{where}.",
            value=value,
            where=_where(score, worst=True),
        )
        yield _Found(MIDDLE - value, Disagreement(dialogue.id, PASSED_LOW, value, 1.0, text))
    if dialogue.passed is False and value > MIDDLE and value >= high:
        text = say(
            "A scripted check failed, but the score is {value:.1f}: read whether the talk was pleasant without "
            "doing its job, or the check is too strict{where}.",
            value=value,
            where=_where(score, worst=False),
        )
        yield _Found(value - MIDDLE, Disagreement(dialogue.id, FAILED_HIGH, value, 0.0, text))


def _usual_gap(dialogues: Sequence[Dialogue], scores: Sequence[Score]) -> float:
    marked = pair_up(dialogues, scores)
    if len(marked) < LEAST_MARKS:
        return 0.0
    return float(np.median(np.asarray(marked.marks) - np.asarray(marked.scores)))


def _by_mark(dialogue: Dialogue, score: Score, value: float, usual: float) -> Iterator[_Found]:
    mark = dialogue.quality
    if mark is None or abs(mark - value - usual) < FAR or _inside(score, mark - usual):
        return
    higher = mark - usual > value
    who = say("A person") if len([one for one in dialogue.ratings if one.quality is not None]) == 1 else say("People")
    liked, annoyed = say("what they liked that the score does not see"), say("what annoyed them that it does not see")
    looked, where = liked if higher else annoyed, _where(score, worst=higher)
    text = say(
        "{who} gave {mark:.1f} where the score is {value:.1f}: read {looked}, or whether the mark is a slip{habit}.",
        who=who,
        mark=mark,
        value=value,
        looked=looked + where,
        habit=_habit(usual),
    )
    kind = MARKED_HIGH if higher else MARKED_LOW
    yield _Found(abs(mark - value - usual) - FAR, Disagreement(dialogue.id, kind, value, mark, text))


def _habit(usual: float) -> str:
    if abs(usual) < 0.5:
        return ""
    if usual > 0:
        return " " + say("(in this log marks usually lie {usual:.1f} above the score)", usual=usual)
    return " " + say("(in this log marks usually lie {value:.1f} below the score)", value=-usual)


def _inside(score: Score, mark: float) -> bool:
    return score.low is not None and score.high is not None and score.low <= mark <= score.high


def _where(score: Score, *, worst: bool) -> str:
    """Name the message that moved the score most in one direction, if there is one."""
    sign = -1 if worst else 1
    moved = max(score.turns, key=lambda turn: sign * turn.effect, default=None)
    if moved is None or sign * moved.effect <= 0:
        return ""
    if worst:
        return " " + say(
            "(message {number} by {speaker} lowered the score most)", number=moved.number, speaker=moved.speaker
        )
    return " " + say(
        "(message {number} by {speaker} raised the score most)", number=moved.number, speaker=moved.speaker
    )
