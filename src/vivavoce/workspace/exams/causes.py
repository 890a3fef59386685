"""Which edits filed questions under another topic between two runs, and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from vivavoce.store.rows import Run
from vivavoce.store.transaction import Transaction

EditKind = Literal["merge", "move", "split", "import", "undo", "other"]
_KINDS: Mapping[str, EditKind] = {
    "merge topics": "merge",
    "move examples": "move",
    "split topic": "split",
    "import": "import",
    "undo": "undo",
}


@dataclass(frozen=True, slots=True)
class Cause:
    """Edits of one kind between two runs, and the questions that they filed under another topic.

    `edits` leaves out what was undone before the later run.
    """

    kind: EditKind
    edits: int
    improved: int
    broken: int


def kind_of(action: str) -> EditKind:
    """Return the kind of an edit."""
    return _KINDS.get(action) or ("import" if action.startswith("import") else "other")


def refiled_by(tx: Transaction, a: Run, b: Run, example_ids: Collection[str]) -> dict[str, EditKind]:
    """Return for each example that is filed under another topic since `a` the kind of edit that did it last."""
    places: dict[str, list[tuple[str | None, str | None, str]]] = {}
    for example_id, old, new, action in _moves(tx, a, b, sorted(example_ids)):
        places.setdefault(example_id, []).append((old, new, action))
    return {
        example_id: kind_of(steps[-1][2])
        for example_id, steps in places.items()
        # What came back to its first topic, by an undo for instance, was not filed elsewhere.
        if steps[0][0] != steps[-1][1]
    }


def count_causes(
    tx: Transaction, a: Run, b: Run, improved: Sequence[EditKind | None], broken: Sequence[EditKind | None]
) -> tuple[Cause, ...]:
    """Return the edits between two runs that changed what became of questions, the most telling kind first."""
    better, worse = Counter(improved), Counter(broken)
    kinds = [kind for kind in dict.fromkeys((*improved, *broken)) if kind is not None]
    edited = _counted_edits(tx, a, b) if kinds else {}
    causes = (Cause(kind, edited[kind], better[kind], worse[kind]) for kind in kinds)
    return tuple(sorted(causes, key=lambda cause: -(cause.improved + cause.broken)))


# --- the work ----------------------------------------------------------------------------------------------------


def _moves(
    tx: Transaction, a: Run, b: Run, example_ids: Sequence[str]
) -> Iterator[tuple[str, str | None, str | None, str]]:
    """Yield id, old topic, new topic and action of every edit that moved one of the examples, in order."""
    # A move is kept as two changes: the example leaves one topic and comes to another.
    left: dict[tuple[str, str], str | None] = {}
    for edit, example_id, before, after in tx.edits.changes_of(
        a.project_id, "examples", example_ids, a.created, b.created
    ):
        key = (edit.id, example_id)
        if before is not None:
            left[key] = before["topic_id"]
        if after is not None and key in left and left[key] != after["topic_id"]:
            yield example_id, left[key], after["topic_id"], edit.action


def _counted_edits(tx: Transaction, a: Run, b: Run) -> Mapping[EditKind, int]:
    edits = tx.edits.of_project(a.project_id, since=a.created, until=b.created, limit=None)
    ids = {edit.id for edit in edits}
    return Counter(kind_of(edit.action) for edit in edits if edit.undone_by not in ids)
