"""Whether a score rose because hard questions went: the guard that every page which compares two exams asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vivavoce.kept import Kept
from vivavoce.store.database import Store
from vivavoce.store.rows import Run
from vivavoce.workspace.exams.questions import read_questions

if TYPE_CHECKING:
    from vivavoce.intents.guards import Progress
    from vivavoce.store.transaction import Transaction

_PROGRESS: Kept[Progress] = Kept(24)


def find_gaming(store: Store, before: Run, after: Run) -> str:
    """Say that the score of a later exam rose by what questions that are gone explain; nothing where it did not."""
    with store.reading() as tx:
        progress = _PROGRESS.get(
            (before.id, before.version, after.id, after.version), lambda: _compare(tx, before, after)
        )
    return progress.sentence if progress.suspicious else ""


def _compare(tx: Transaction, before: Run, after: Run) -> Progress:
    from vivavoce.intents.guards import compare_scores

    return compare_scores(_share_right(tx, before), _share_right(tx, after))


def _share_right(tx: Transaction, run: Run) -> dict[str, float]:
    """Return in which share of its tests each question was right; it is the same question under another topic."""
    return {
        question.example_id or question.row.text: question.row.right / total
        for question in read_questions(tx, run)
        if (total := question.row.right + question.row.deferred + question.row.wrong)
    }
