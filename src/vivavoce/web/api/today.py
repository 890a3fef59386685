"""How a project stands today."""

from __future__ import annotations

from fastapi import APIRouter

from vivavoce.web.visits import ReaderVisit
from vivavoce.workspace.projects import today

router = APIRouter(tags=["today"])


@router.get("/projects/{slug}/today")
def show_today(visit: ReaderVisit) -> today.Today:
    """Return the state of a project, its biggest problems, what changed in a week, and what is going on."""
    return today.show_today(visit.store, visit.project)
