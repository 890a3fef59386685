"""How well scores follow the ratings that people gave."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from vivavoce.dialogues.dialogue import Dialogue, Kind
from vivavoce.dialogues.result import Agreement, CalibrationBin, Concord, DialoguesResult, Score
from vivavoce.errors import UsageError, plural
from vivavoce.records import Rate
from vivavoce.statistics import PairedTest, agreement_of_raters, correlate, paired_correlation_difference, paired_test
from vivavoce.statistics.agreement import MIN_ITEMS

Floats = NDArray[np.float64]

OVERALL = "overall"
BINS = 5
# A picture of fewer dialogues shows chance only.
MIN_IN_BIN = 5
# With fewer named people, resampling people would say less about the interval than resampling dialogues.
MIN_USERS = 10
# Below this many rated dialogues a correlation of one bot shows chance only.
MIN_OF_BOT = 10


@dataclass(frozen=True, slots=True)
class RatedScores:
    """Dialogues with both a rating and a score; `refused`: how many have a rating and no score."""

    dialogues: tuple[Dialogue, ...]
    scores: tuple[float, ...]
    ratings: tuple[float, ...]
    refused: int = 0

    def __len__(self) -> int:
        return len(self.ratings)

    @property
    def groups(self) -> list[Hashable]:
        """What is drawn together: the dialogues of one user, else each dialogue alone."""
        return list(groups_of(self.dialogues))

    def measure(self, seed: int) -> Agreement:
        """Compare the scores with the ratings."""
        return measure_rows(self.scores, self.ratings, self.groups, seed=seed, refused=self.refused)


def measure(dialogues: Sequence[Dialogue], scores: Sequence[Score], *, seed: int = 0) -> dict[str, Agreement]:
    """Compare scores with the mean rating of each dialogue: `overall`, then each kind of dialogue that has ratings.

    A dialogue with a named bot counts as `human-bot` even where the log does not say which messages are the bot's.
    Dialogues of unknown kind count in `overall` only.
    """
    everything = pair_up(dialogues, scores)
    agreements = {OVERALL: everything.measure(seed)}
    for kind in (Kind.HUMAN_BOT, Kind.HUMAN_HUMAN):
        rated = pair_up(dialogues, scores, kind)
        if len(rated) or rated.refused:
            agreements[str(kind)] = agreements[OVERALL] if rated == everything else rated.measure(seed)
    return agreements


def measure_bots(dialogues: Sequence[Dialogue], scores: Sequence[Score], *, seed: int = 0) -> dict[str, Agreement]:
    """Compare scores with ratings on the dialogues of each bot that the log names."""
    rated = pair_up(dialogues, scores)
    rows = [row for row, dialogue in enumerate(rated.dialogues) if dialogue.bot]
    groups = rated.groups
    return agreements_by_bot(
        [rated.dialogues[row].bot or "" for row in rows],
        [rated.scores[row] for row in rows],
        [rated.ratings[row] for row in rows],
        [groups[row] for row in rows],
        seed=seed,
    )


def agreements_by_bot(
    bots: Sequence[str],
    scores: Sequence[float],
    ratings: Sequence[float],
    groups: Sequence[Hashable],
    *,
    seed: int = 0,
) -> dict[str, Agreement]:
    """Compare rows bot by bot, the one with most ratings first; below 10 ratings only their number is known."""
    rows_of_bot: dict[str, list[int]] = {}
    for row, bot in enumerate(bots):
        rows_of_bot.setdefault(bot, []).append(row)
    agreements = {}
    for bot, rows in sorted(rows_of_bot.items(), key=lambda item: (-len(item[1]), item[0])):
        if len(rows) < MIN_OF_BOT:
            unknown = Rate(None, None, None, len(rows))
            agreements[bot] = Agreement(len(rows), unknown, unknown, unknown, unknown)
        else:
            columns = ([column[row] for row in rows] for column in (scores, ratings, groups))
            agreements[bot] = measure_rows(*columns, seed=seed)  # type: ignore[arg-type]
    return agreements


def measure_people(dialogues: Sequence[Dialogue]) -> Concord | None:
    """Return how far people agree who rated the same dialogues; None where no dialogue has two ratings."""
    ratings = [
        {
            rating.rater or f"rater {place}": rating.quality
            for place, rating in enumerate(dialogue.ratings, 1)
            if rating.quality is not None
        }
        for dialogue in dialogues
    ]
    return concord_of(ratings, ordered=True) if any(len(item) > 1 for item in ratings) else None


def concord_of(items: Sequence[Mapping[str, float]], *, ordered: bool) -> Concord:
    """Return how far people agree; `items`: values by person; `ordered`: values are points, not mere names."""
    shared = [item for item in items if len(item) >= 2]
    agreement = agreement_of_raters([tuple(item.values()) for item in shared], ordered=ordered)
    return Concord(
        items=len(shared),
        raters=len({rater for item in shared for rater in item}),
        same=agreement.same,
        near=agreement.near if ordered else None,
        alpha=agreement.alpha,
        missing=max(0, MIN_ITEMS - len(shared)),
    )


def measure_rows(
    scores: Sequence[float],
    ratings: Sequence[float],
    groups: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
    refused: int = 0,
) -> Agreement:
    """Compare numbers with ratings row by row; rows of one group (a dialogue, a user) are resampled together."""
    x, y = np.asarray(scores, dtype=np.float64), np.asarray(ratings, dtype=np.float64)
    names = list(range(len(x)) if groups is None else groups)
    correlation = correlate(x, y, names, seed=seed)
    slope, intercept = fit_line(x, y)
    return Agreement(
        n=correlation.n,
        pearson=correlation.pearson,
        spearman=correlation.spearman,
        kendall=correlation.kendall,
        mse=correlation.mse,
        slope=slope,
        intercept=intercept,
        bins=_bin_rows(x, y, names),
        refused=refused,
    )


def pair_up(dialogues: Sequence[Dialogue], scores: Sequence[Score], kind: Kind | None = None) -> RatedScores:
    """Return the rated dialogues (of one kind) beside their scores; `scores` in the order of `dialogues`.

    Dialogues that the rater learnt from are left out: they say how well it remembers, not how well it judges.
    """
    check_pairing(dialogues, scores)
    rows = [
        (dialogue, value_of(score), dialogue.quality)
        for dialogue, score in zip(dialogues, scores, strict=True)
        if not score.learned and dialogue.quality is not None and (kind is None or kind_of(dialogue) is kind)
    ]
    scored = [row for row in rows if row[1] is not None]
    pairs, values, ratings = zip(*scored, strict=True) if scored else ((), (), ())
    return RatedScores(pairs, values, ratings, len(rows) - len(scored))


def check_pairing(dialogues: Sequence[Dialogue], scores: Sequence[Score]) -> None:
    """Refuse scores that do not belong to these dialogues."""
    if len(dialogues) != len(scores):
        raise UsageError(
            f"{plural(len(dialogues), 'dialogue')} but {plural(len(scores), 'score')}",
            remedy="provide exactly one score per dialogue, in the same order; a refusal counts as a score",
        )


def value_of(score: Score) -> float | None:
    """Return the score, None for a refusal and for what is not a number."""
    return score.score if score.score is not None and math.isfinite(score.score) else None


def kind_of(dialogue: Dialogue) -> Kind:
    """Return who talked with whom; a named bot decides where the messages do not."""
    return Kind.HUMAN_BOT if dialogue.kind is Kind.UNKNOWN and dialogue.bot else dialogue.kind


def groups_of(dialogues: Sequence[Dialogue]) -> list[tuple[str, str]]:
    """Return for each dialogue what it is drawn with: its user if at least 10 are named, else itself."""
    by_user = len({dialogue.user for dialogue in dialogues if dialogue.user}) >= MIN_USERS
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
    """Return the mean of scores or ratings, and where it would lie with other groups of the same kind."""
    # The difference from nothing. Ratings are whole points.
    test = paired_test(values.tolist(), [0.0] * len(values), groups, step=1.0)
    return Rate(test.difference, test.low, test.high, len(values))


def _bin_rows(x: Floats, y: Floats, groups: Sequence[Hashable]) -> tuple[CalibrationBin, ...]:
    """Cut the rows into bins of about equal size by score; equal scores stay together."""
    count = min(BINS, len(x) // MIN_IN_BIN)
    if count < 2:
        return ()
    ordered = np.sort(x)
    middle = (np.searchsorted(ordered, x, side="left") + np.searchsorted(ordered, x, side="right")) / 2
    places = np.minimum((middle * count / len(x)).astype(np.intp), count - 1)
    bins = []
    for place in np.unique(places):
        rows = np.flatnonzero(places == place)
        rating = mean_with_interval(y[rows], [groups[row] for row in rows.tolist()])
        bins.append(CalibrationBin(float(x[rows].mean()), rating))
    return tuple(bins)


Row = tuple[Dialogue, float, float, float]


@dataclass(frozen=True, slots=True)
class RaterDifference:
    """Two raters on the rated dialogues that both scored; above 0 the first follows people better.

    `pearson`, `spearman`: that of the first less that of the second. `mse`: the squared error of the second less that
    of the first, so that above 0 means better here too. `kind`: `overall` or the kind of dialogue.
    """

    first: str
    second: str
    kind: str
    n: int
    pearson: PairedTest
    spearman: PairedTest
    mse: PairedTest


def compare_raters(results: Sequence[DialoguesResult], *, seed: int = 0) -> tuple[RaterDifference, ...]:
    """Compare every two results on the same dialogues: overall, then each kind that is not all of them."""
    if any(result.dialogues != results[0].dialogues for result in results):
        raise UsageError(
            "raters can only be compared on the same dialogues", remedy="score the same log with all of them"
        )
    differences = []
    for first, second in combinations(results, 2):
        everything = _list_rows(first, second)
        for kind in (None, Kind.HUMAN_BOT, Kind.HUMAN_HUMAN):
            rows = [row for row in everything if kind is None or kind_of(row[0]) is kind]
            if kind is None or 0 < len(rows) < len(everything):
                names = first.passport.rater, second.passport.rater
                differences.append(RaterDifference(*names, str(kind or OVERALL), len(rows), *_test(rows, seed)))
    return tuple(differences)


def _list_rows(first: DialoguesResult, second: DialoguesResult) -> list[Row]:
    """Return the rated dialogues that both scored and neither learnt from, with both scores and the rating."""
    rows = []
    for dialogue, own, other in zip(first.dialogues, first.scores, second.scores, strict=True):
        a, b, rating = value_of(own), value_of(other), dialogue.quality
        if a is not None and b is not None and rating is not None and not (own.learned or other.learned):
            rows.append((dialogue, a, b, rating))
    return rows


def _test(rows: Sequence[Row], seed: int) -> tuple[PairedTest, PairedTest, PairedTest]:
    groups = groups_of([row[0] for row in rows])
    a, b, ratings = [row[1] for row in rows], [row[2] for row in rows], [row[3] for row in rows]
    errors_a, errors_b = ([(x - y) ** 2 for x, y in zip(side, ratings, strict=True)] for side in (a, b))
    return (
        paired_correlation_difference(a, b, ratings, groups, seed=seed),
        paired_correlation_difference(a, b, ratings, groups, seed=seed, measure="spearman"),
        paired_test(errors_b, errors_a, groups),
    )
