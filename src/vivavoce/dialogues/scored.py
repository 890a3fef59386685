"""Dialogues beside their scores: in order, by bot, their mean, and how many fall in each half point."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from vivavoce.dialogues.dialogue import HIGHEST, LOWEST, Dialogue
from vivavoce.dialogues.result import DialoguesResult, Score
from vivavoce.records import Rate

# An interval around a mean of fewer dialogues than this would pretend to know more than it does.
MIN_SCORES = 10
STEPS_PER_POINT = 2


class ScoredDialogue(NamedTuple):
    """A dialogue beside its score."""

    dialogue: Dialogue
    score: Score

    @property
    def value(self) -> float | None:
        """The score, None for a refusal and for what is not a number."""
        value = self.score.score
        return value if value is not None and math.isfinite(value) else None


def pair_scores(result: DialoguesResult) -> list[ScoredDialogue]:
    """Return every dialogue beside its score, in order."""
    return [ScoredDialogue(*pair) for pair in zip(result.dialogues, result.scores, strict=True)]


def rank_scored(result: DialoguesResult) -> list[ScoredDialogue]:
    """Return the dialogues that have a score, the lowest first."""
    known = [pair for pair in pair_scores(result) if pair.value is not None]
    return sorted(known, key=lambda pair: pair.value or 0.0)


def group_by_bot(scored: Iterable[ScoredDialogue]) -> dict[str, list[ScoredDialogue]]:
    """Return the dialogues of each bot that the log names, the bot with most of them first."""
    groups: dict[str, list[ScoredDialogue]] = {}
    for pair in scored:
        if pair.dialogue.bot:
            groups.setdefault(pair.dialogue.bot, []).append(pair)
    return dict(sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])))


def mean_score(scored: Sequence[ScoredDialogue]) -> Rate:
    """Return the mean of the scores; the interval comes from resampling people where they are known."""
    known = [pair for pair in scored if pair.value is not None]
    values = [pair.value or 0.0 for pair in known]
    if not values:
        return Rate(None, None, None, 0)
    if len(values) < MIN_SCORES:
        return Rate(sum(values) / len(values), None, None, len(values))
    import numpy as np

    from vivavoce.dialogues.agreement import groups_of, mean_with_interval

    return mean_with_interval(np.array(values), groups_of([pair.dialogue for pair in known]))


def score_steps() -> list[tuple[float, float]]:
    """Return the half points of the scale: from and up to."""
    count = int((HIGHEST - LOWEST) * STEPS_PER_POINT)
    return list(pairwise(LOWEST + place / STEPS_PER_POINT for place in range(count + 1)))


def count_scores(values: Iterable[float | None]) -> list[int]:
    """Return how many scores fall in each half point."""
    counts = [0] * len(score_steps())
    for value in values:
        if value is not None:
            place = math.floor((value - LOWEST) * STEPS_PER_POINT)
            counts[min(max(place, 0), len(counts) - 1)] += 1
    return counts
