"""Figures of runs as pages show them: the stored picture, with the address of its live version."""

from __future__ import annotations

import json
from dataclasses import dataclass

from markupsafe import Markup

from vivavoce.errors import AbsentError
from vivavoce.jobs.exams.bookkeeping import Kept
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run
from vivavoce.workspace.exams.runs import document


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure: its title, how it is read, the picture, and where its specification is."""

    title: str
    meaning: str
    svg: Markup
    address: str


_KEPT: Kept[Drawn | None] = Kept(60)


def drawn(store: Store, project: Project, run: Run, name: str) -> Drawn | None:
    """Return a figure of a run that is done; None where the run had no data for it."""
    address = f"/p/{project.slug}/runs/{run.number}/charts/{name}.json"
    return _KEPT.get((run.id, run.version, name), lambda: _made(store, run, name, address))


def _made(store: Store, run: Run, name: str, address: str) -> Drawn | None:
    try:
        spec = json.loads(document(store, run, f"charts/{name}.json"))
        svg = document(store, run, f"charts/{name}.svg").decode()
    except AbsentError:
        return None
    told = spec.get("usermeta", {})
    # Written by ourselves when the run was concluded, with all texts in it escaped.
    return Drawn(told.get("title", name), told.get("meaning", ""), Markup(svg), address)  # noqa: S704
