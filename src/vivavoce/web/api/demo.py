"""The demo project."""

from __future__ import annotations

from fastapi import APIRouter

from vivavoce.store.rows import Project
from vivavoce.web.access import Editor, InStore
from vivavoce.web.api.places import Place
from vivavoce.workspace.projects.demo import create_demo_project

router = APIRouter(tags=["projects"])


@router.post("/demo", status_code=201)
def create_demo(who: Editor, store: InStore, place: Place) -> Project:
    """Make a project of the material that ships: topics with answers, suites, built-in bots and logged talks."""
    made = create_demo_project(store, who.actor)
    place("projects", made.slug)
    return made
