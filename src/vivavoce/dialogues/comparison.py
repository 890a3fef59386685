"""Raters side by side: which of them follows people better on the same marked talks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from vivavoce.codec import to_json
from vivavoce.dialogues.agreement import OVERALL, groups_of, kind_of, value_of
from vivavoce.dialogues.dialogue import Dialogue, Kind
from vivavoce.dialogues.result import DialoguesResult, Score
from vivavoce.errors import UsageError
from vivavoce.statistics import PairedTest, paired_correlation_difference, paired_test

Row = tuple[Dialogue, float, float, float]
KINDS = (None, Kind.HUMAN_BOT, Kind.HUMAN_HUMAN)


@dataclass(frozen=True, slots=True)
class RaterDifference:
    """Two raters on the marked talks that both scored; above 0 the first follows people better.

    `pearson`, `spearman`: that of the first less that of the second. `mse`: the squared error of the second less that
    of the first, so that above 0 means better here too. `kind`: `overall` or the kind of talk.
    """

    first: str
    second: str
    kind: str
    n: int
    pearson: PairedTest
    spearman: PairedTest
    mse: PairedTest


def compare_raters(results: Sequence[DialoguesResult], *, seed: int = 0) -> tuple[RaterDifference, ...]:
    """Compare every two results on the same dialogues: overall, then each kind of talk that is not all of them."""
    if any(result.dialogues != results[0].dialogues for result in results):
        raise UsageError("raters can only be compared on the same dialogues", remedy="score one log with all of them")
    return tuple(found for pair in combinations(results, 2) for found in _compared(*pair, seed))


def difference_to_json(found: RaterDifference) -> dict[str, Any]:
    """Return the stable JSON form."""
    return to_json(found)  # type: ignore[no-any-return]


def _compared(first: DialoguesResult, second: DialoguesResult, seed: int) -> list[RaterDifference]:
    everything = _rows(first, second, None)
    found = []
    for kind in KINDS:
        rows = everything if kind is None else _rows(first, second, kind)
        if kind is None or 0 < len(rows) < len(everything):
            tests = _tests(rows, seed)
            found.append(RaterDifference(*_names(first, second), str(kind or OVERALL), len(rows), *tests))
    return found


def _names(first: DialoguesResult, second: DialoguesResult) -> tuple[str, str]:
    return first.passport.rater, second.passport.rater


def _rows(first: DialoguesResult, second: DialoguesResult, kind: Kind | None) -> list[Row]:
    scored = zip(first.dialogues, first.scores, second.scores, strict=True)
    found = (_row(*each) for each in scored if kind is None or kind_of(each[0]) is kind)
    return [row for row in found if row is not None]


def _row(dialogue: Dialogue, first: Score, second: Score) -> Row | None:
    if first.learned or second.learned:
        return None
    a, b, mark = value_of(first), value_of(second), dialogue.quality
    return None if a is None or b is None or mark is None else (dialogue, a, b, mark)


def _tests(rows: Sequence[Row], seed: int) -> tuple[PairedTest, PairedTest, PairedTest]:
    groups = groups_of([row[0] for row in rows])
    a, b, marks = [row[1] for row in rows], [row[2] for row in rows], [row[3] for row in rows]
    return (
        paired_correlation_difference(a, b, marks, groups, seed=seed),
        paired_correlation_difference(a, b, marks, groups, seed=seed, measure="spearman"),
        paired_test(_errors(b, marks), _errors(a, marks), groups),
    )


def _errors(scores: Sequence[float], marks: Sequence[float]) -> list[float]:
    return [(score - mark) ** 2 for score, mark in zip(scores, marks, strict=True)]
