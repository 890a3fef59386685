"""What happened in a project: who changed what, and which exams ended, the newest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from vivavoce.store.database import Store
from vivavoce.store.rows import Edit, Project, Run
from vivavoce.workspace.access.actors import person_names

SHOWN = 8
# Edits of the same kind in a row are one line.
LOOKED_AT = 60


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that happened. `user_id` None: the product did it. `more`: as many of the same kind came before it.

    `edit` is what the newest of them changed; `run` an exam that ended. One of the two is given.
    """

    at: datetime
    user_id: str | None
    who: str
    edit: Edit | None = None
    run: Run | None = None
    more: int = 0


def list_happenings(store: Store, project: Project, *, limit: int = SHOWN) -> tuple[Happening, ...]:
    """Return what happened last."""
    with store.reading() as tx:
        edits = tx.edits.of_project(project.id, limit=LOOKED_AT)
        runs = [run for run in tx.runs.page(project.id, limit=limit) if not run.state.open]
        names = person_names(tx, [*(edit.user_id for edit in edits), *(run.user_id for run in runs)])
    lines = [Happening(edit.at, edit.user_id, names[edit.user_id], edit=edit) for edit in edits]
    lines += [Happening(run.finished or run.created, run.user_id, names[run.user_id], run=run) for run in runs]
    return tuple(_fold(sorted(lines, key=lambda line: line.at, reverse=True)))[:limit]


def _fold(lines: Sequence[Happening]) -> Iterator[Happening]:
    """Yield the lines, with one for edits in a row that are of the same kind, person and day."""
    last: Happening | None = None
    for line in lines:
        if last is not None and _alike(last, line):
            last = replace(last, more=last.more + 1)
            continue
        if last is not None:
            yield last
        last = line
    if last is not None:
        yield last


def _alike(a: Happening, b: Happening) -> bool:
    if a.edit is None or b.edit is None:
        return False
    return (a.user_id, a.edit.action, a.at.date()) == (b.user_id, b.edit.action, b.at.date())
