"""The rater that only counts: every other one must beat it, or it has learnt no more than how long a dialogue was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log2

from vivavoce import plugins
from vivavoce.dialogues.dialogue import HIGHEST, LOWEST, Dialogue
from vivavoce.dialogues.result import Origin, Reason, Score
from vivavoce.errors import UsageError, plural

# Two messages from each of two sides, four words in each: the shortest dialogue that is rated, and the lowest score.
MIN_TURNS, MIN_WORDS = 4, 16
MIN_A_SIDE = 2
POINTS = 0.5


@plugins.declare(plugins.Declaration(plugins.Reach.PROCESS))
def from_option(option: str = "") -> LengthRater:
    """Only turns and words, counted: half a point for each doubling. What any other rater has to beat."""
    if option:
        raise UsageError(f"the rater 'length' does not accept '{option}'", remedy="write `length` alone")
    return LengthRater()


class LengthRater:
    """Begins at 1 and adds half a point for each doubling of the turns above 4 and of the words above 16."""

    name = "length"
    origin: Origin | None = None

    def rate(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """Return a score for each dialogue; fewer than two messages a side get none."""
        return [_rate(dialogue) for dialogue in dialogues]


def _rate(dialogue: Dialogue) -> Score:
    turns = [turn for turn in dialogue.turns if turn.text.strip()]
    sides = Counter(turn.speaker for turn in turns)
    if sum(count >= MIN_A_SIDE for count in sides.values()) < 2:
        return Score(dialogue.id, None, refusal="too short to score: fewer than two messages from each side")
    words = sum(len(turn.text.split()) for turn in turns)
    reasons = (_make_reason("turn", len(turns), MIN_TURNS), _make_reason("word", words, MIN_WORDS))
    score = LOWEST + sum(reason.effect for reason in reasons)
    return Score(dialogue.id, min(HIGHEST, max(LOWEST, score)), reasons=reasons)


def _make_reason(noun: str, count: int, fewest: int) -> Reason:
    return Reason(f"{noun}s", POINTS * log2(count / fewest), f"the dialogue has {plural(count, noun)}")
