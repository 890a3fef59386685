"""How well scores follow the marks that people gave."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vivavoce.dialogues.dialogue import Dialogue, Kind
from vivavoce.dialogues.result import Agreement, CalibrationBin, Concord, Score
from vivavoce.errors import UsageError, plural
from vivavoce.records import Rate
from vivavoce.statistics import agreement_of_raters, correlate, paired_test
from vivavoce.statistics.resampled_agreement import FEWEST_ITEMS

Floats = NDArray[np.float64]

OVERALL = "overall"
BINS = 5
# A picture of fewer dialogues shows chance only.
LEAST_IN_BIN = 5
# With fewer named people, resampling people would say less about the interval than resampling dialogues.
LEAST_USERS = 10
# Below this many marked talks a correlation of one bot shows chance only.
LEAST_OF_BOT = 10


@dataclass(frozen=True, slots=True)
class Marked:
    """Dialogues with both a mark and a score; `refused`: how many have a mark and no score."""

    dialogues: tuple[Dialogue, ...]
    scores: tuple[float, ...]
    marks: tuple[float, ...]
    refused: int = 0

    def __len__(self) -> int:
        return len(self.marks)

    @property
    def groups(self) -> list[Hashable]:
        """What is met or missed together: the dialogues of one user, else each dialogue by itself."""
        return list(groups_of(self.dialogues))


def measure(dialogues: Sequence[Dialogue], scores: Sequence[Score], *, seed: int = 0) -> dict[str, Agreement]:
    """Compare scores with the mean mark of each dialogue: `overall`, then each kind of talk that has marks.

    A talk with a named bot counts as `human-bot` even where the log does not say which messages are the bot's.
    Talks of unknown kind count in `overall` only.
    """
    everything = pair_up(dialogues, scores)
    found = {OVERALL: _measured(everything, seed)}
    for kind in (Kind.HUMAN_BOT, Kind.HUMAN_HUMAN):
        marked = pair_up(dialogues, scores, kind)
        if len(marked) or marked.refused:
            found[str(kind)] = found[OVERALL] if marked == everything else _measured(marked, seed)
    return found


def measure_bots(dialogues: Sequence[Dialogue], scores: Sequence[Score], *, seed: int = 0) -> dict[str, Agreement]:
    """Compare scores with marks on the talks of each bot that the log names."""
    marked = pair_up(dialogues, scores)
    rows = [row for row, dialogue in enumerate(marked.dialogues) if dialogue.bot]
    groups = marked.groups
    return agreements_by_bot(
        [marked.dialogues[row].bot or "" for row in rows],
        [marked.scores[row] for row in rows],
        [marked.marks[row] for row in rows],
        [groups[row] for row in rows],
        seed=seed,
    )


def agreements_by_bot(
    bots: Sequence[str], scores: Sequence[float], marks: Sequence[float], groups: Sequence[Hashable], *, seed: int = 0
) -> dict[str, Agreement]:
    """Compare rows bot by bot, the one with most marks first; below 10 marks only their number is known."""
    rows: dict[str, list[int]] = {}
    for row, bot in enumerate(bots):
        rows.setdefault(bot, []).append(row)
    ordered = sorted(rows.items(), key=lambda item: (-len(item[1]), item[0]))
    return {bot: _of_rows(own, scores, marks, groups, seed) for bot, own in ordered}


def _of_rows(
    rows: Sequence[int], scores: Sequence[float], marks: Sequence[float], groups: Sequence[Hashable], seed: int
) -> Agreement:
    if len(rows) < LEAST_OF_BOT:
        unknown = Rate(None, None, None, len(rows))
        return Agreement(len(rows), unknown, unknown, unknown, unknown)
    own_scores, own_marks = [scores[row] for row in rows], [marks[row] for row in rows]
    return measure_rows(own_scores, own_marks, [groups[row] for row in rows], seed=seed)


def measure_people(dialogues: Sequence[Dialogue]) -> Concord | None:
    """Return how far people agree who marked the same talks; None where no talk has two marks."""
    marks = [
        {
            rating.rater or f"rater {place}": rating.quality
            for place, rating in enumerate(dialogue.ratings, 1)
            if rating.quality is not None
        }
        for dialogue in dialogues
    ]
    return concord_of(marks, ordered=True) if any(len(item) > 1 for item in marks) else None


def concord_of(items: Sequence[Mapping[str, float]], *, ordered: bool) -> Concord:
    """Return how far people agree; `items`: values by person; `ordered`: values are points, not mere names."""
    shared = [item for item in items if len(item) >= 2]
    found = agreement_of_raters([tuple(item.values()) for item in shared], ordered=ordered)
    return Concord(
        items=len(shared),
        raters=len({rater for item in shared for rater in item}),
        same=found.same,
        near=found.near if ordered else None,
        alpha=found.alpha,
        missing=max(0, FEWEST_ITEMS - len(shared)),
    )


def measure_rows(
    scores: Sequence[float],
    marks: Sequence[float],
    groups: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
    refused: int = 0,
) -> Agreement:
    """Compare numbers with marks row by row; rows of one group (a dialogue, a user) are resampled together."""
    x, y = np.asarray(scores, dtype=np.float64), np.asarray(marks, dtype=np.float64)
    names = list(range(len(x)) if groups is None else groups)
    found = correlate(x, y, names, seed=seed)
    slope, intercept = fit_line(x, y)
    return Agreement(
        n=found.n,
        pearson=found.pearson,
        spearman=found.spearman,
        kendall=found.kendall,
        mse=found.mse,
        slope=slope,
        intercept=intercept,
        bins=_bins(x, y, names, seed),
        refused=refused,
    )


def pair_up(dialogues: Sequence[Dialogue], scores: Sequence[Score], kind: Kind | None = None) -> Marked:
    """Return the marked dialogues (of one kind) beside their scores; `scores` in the order of `dialogues`.

    Dialogues that the rater learnt from are left out: they say how well it remembers, not how well it judges.
    """
    check_pairing(dialogues, scores)
    rows = [
        (dialogue, value_of(score), dialogue.quality)
        for dialogue, score in zip(dialogues, scores, strict=True)
        if not score.learned and (kind is None or kind_of(dialogue) is kind)
    ]
    both = [(dialogue, score, mark) for dialogue, score, mark in rows if score is not None and mark is not None]
    refused = sum(score is None and mark is not None for _, score, mark in rows)
    return Marked(*_transposed(both), refused)


def check_pairing(dialogues: Sequence[Dialogue], scores: Sequence[Score]) -> None:
    """Refuse scores that do not belong to these dialogues."""
    if len(dialogues) != len(scores):
        raise UsageError(
            f"there are {plural(len(dialogues), 'dialogue')} but {plural(len(scores), 'score')}",
            remedy="give exactly one score for each dialogue, in the same order; a refusal is a score too",
        )


def value_of(score: Score) -> float | None:
    """Return the score, None for a refusal and for what is not a number."""
    return score.score if score.score is not None and math.isfinite(score.score) else None


def kind_of(dialogue: Dialogue) -> Kind:
    """Return who talked with whom; a named bot tells it where the messages do not."""
    return Kind.HUMAN_BOT if dialogue.kind is Kind.UNKNOWN and dialogue.bot else dialogue.kind


def groups_of(dialogues: Sequence[Dialogue]) -> list[tuple[str, str]]:
    """Return for each dialogue what it is met or missed with: its user if at least 10 are named, else itself."""
    by_user = len({dialogue.user for dialogue in dialogues if dialogue.user}) >= LEAST_USERS
    return [
        ("user", dialogue.user) if by_user and dialogue.user else ("dialogue", dialogue.id) for dialogue in dialogues
    ]


def fit_line(x: Floats, y: Floats) -> tuple[float | None, float | None]:
    """Return slope and intercept of the least-squares line from x to y; None where x hardly varies."""
    if len(x) < 3 or np.ptp(x) <= 1e-9:
        return None, None
    slope = float(((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum())
    return slope, float(y.mean() - slope * x.mean())


def mean_with_interval(values: Floats, groups: Sequence[Hashable]) -> Rate:
    """Return the mean of scores or marks, and where it would lie with other groups of the same kind."""
    # The difference from nothing. Marks go by whole points.
    found = paired_test(values.tolist(), [0.0] * len(values), groups, step=1.0)
    return Rate(found.difference, found.low, found.high, len(values))


def _measured(marked: Marked, seed: int) -> Agreement:
    return measure_rows(marked.scores, marked.marks, marked.groups, seed=seed, refused=marked.refused)


def _transposed(
    rows: Sequence[tuple[Dialogue, float, float]],
) -> tuple[tuple[Dialogue, ...], tuple[float, ...], tuple[float, ...]]:
    return tuple(row[0] for row in rows), tuple(row[1] for row in rows), tuple(row[2] for row in rows)


def _bins(x: Floats, y: Floats, groups: Sequence[Hashable], seed: int) -> tuple[CalibrationBin, ...]:
    """Cut the rows into bins of about equal size by score; equal scores stay together."""
    count = min(BINS, len(x) // LEAST_IN_BIN)
    if count < 2:
        return ()
    ordered = np.sort(x)
    middle = (np.searchsorted(ordered, x, side="left") + np.searchsorted(ordered, x, side="right")) / 2
    places = np.minimum((middle * count / len(x)).astype(np.intp), count - 1)
    found = []
    for place in np.unique(places):
        rows = np.flatnonzero(places == place)
        mark = mean_with_interval(y[rows], [groups[row] for row in rows.tolist()])
        found.append(CalibrationBin(float(x[rows].mean()), mark))
    return tuple(found)
