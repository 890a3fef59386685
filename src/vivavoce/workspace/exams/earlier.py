"""An intents exam beside those before it: what changed since the last comparable one, and its numbers over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vivavoce.records import Rate
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.exams.comparing import KIND, RateChange, difference_of
from vivavoce.workspace.exams.verdicts import QuestionVerdict, main_scope, verdict_between

# So many runs a small line can show.
SHOWN_RUNS = 12
# Runs under other conditions that may lie between two comparable ones.
LOOKED_AT = 10


@dataclass(frozen=True, slots=True)
class Earlier:
    """What changed since a run: by questions, and by number (setting and name)."""

    before: Run
    verdict: QuestionVerdict
    changes: Mapping[tuple[str, str], RateChange]


def changes_since(store: Store, project: Project, run: Run) -> Earlier | None:
    """Return what changed since the last comparable run; None for a first run."""
    with store.reading() as tx:
        before = find_comparable(tx, project, run)
        if before is None:
            return None
        verdict = verdict_between(tx, before, run)
        old, new = ({(row.scope, row.name): row for row in tx.measures.of_run(one.id)} for one in (before, run))
    changes = {}
    for key in old.keys() & new.keys():
        first, second = (Rate(row.value, row.low, row.high, row.n) for row in (old[key], new[key]))
        changes[key] = RateChange(*key, first, second, difference_of(first, second))
    main = (main_scope(run), "accuracy")
    if verdict.shared and main in changes:
        # Both runs answered these questions: their difference is known better than two intervals tell.
        changes[main] = RateChange(*main, changes[main].before, changes[main].after, verdict.difference)
    return Earlier(before, verdict, changes)


def find_comparable(tx: Transaction, project: Project, run: Run) -> Run | None:
    """Return the newest run before this one that asked its questions under the same conditions."""
    earlier = tx.runs.latest(project.id, KIND, before=run.number)
    for _ in range(LOOKED_AT):
        if earlier is None or main_scope(earlier) == main_scope(run):
            return earlier
        earlier = tx.runs.latest(project.id, KIND, before=earlier.number)
    return None


def values_over_time(
    store: Store, project: Project, run: Run, names: Sequence[str]
) -> dict[tuple[str, str], tuple[float, ...]]:
    """Return some numbers of the last runs up to this one, the oldest first, by setting and name."""
    lines: dict[tuple[str, str], list[float]] = {}
    with store.reading() as tx:
        for point in (point for name in names for point in tx.measures.series(project.id, KIND, name=name)):
            if point.number <= run.number and point.value is not None:
                lines.setdefault((point.scope, point.name), []).append(point.value)
    return {key: tuple(values[-SHOWN_RUNS:]) for key, values in lines.items()}
