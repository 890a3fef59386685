"""Raters side by side: which of them follows people better on the same rated dialogues."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from vivavoce.codec import to_json
from vivavoce.dialogues.agreement import OVERALL, groups_of, kind_of, value_of
from vivavoce.dialogues.dialogue import Dialogue, Kind
from vivavoce.dialogues.result import DialoguesResult
from vivavoce.errors import UsageError
from vivavoce.statistics import PairedTest, paired_correlation_difference, paired_test

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


def difference_to_json(difference: RaterDifference) -> dict[str, Any]:
    """Return the stable JSON form."""
    return to_json(difference)  # type: ignore[no-any-return]


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
