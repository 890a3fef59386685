"""Projects: list, make, change."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from vivavoce.store.rows import Edit, Project
from vivavoce.web.access import Editor, InStore, Reader
from vivavoce.web.api.bodies import Body, Listed, Place, Why, Word, make_list
from vivavoce.web.visits import AdminVisit, EditorVisit, ReaderVisit
from vivavoce.workspace.projects import projects
from vivavoce.workspace.projects.demo_runs import create_demo_project

router = APIRouter(tags=["projects"])


class NewProject(Body):
    """A project to be made."""

    name: Word
    language: Annotated[str, Field(pattern="^[a-z]{2}$")] = "en"
    slug: Annotated[str, Field(pattern="^([a-z0-9]+(-[a-z0-9]+)*)?$", max_length=60)] = ""


class ChangedProject(Body):
    """What holds for a project from now on."""

    name: Word
    threshold: Annotated[float, Field(ge=0, le=1)]
    classifier: Word
    why: Why = ""


@router.get("/projects")
def list_projects(who: Reader, store: InStore) -> Listed[Project]:
    """Return all projects, by name."""
    return make_list(projects.list_projects(store))


@router.post("/projects", status_code=201)
def create_project(who: Editor, store: InStore, place: Place, body: NewProject) -> Project:
    """Make a project."""
    project = projects.create_project(store, who.actor, **body.model_dump())
    return place(project, "projects", project.slug)


@router.post("/demo", status_code=201)
def create_demo(who: Editor, store: InStore, place: Place) -> Project:
    """Make a project of the material that ships: topics with answers, suites, built-in bots and logged talks."""
    project = create_demo_project(store, who.actor)
    return place(project, "projects", project.slug)


@router.get("/projects/{slug}")
def show_project(visit: ReaderVisit) -> Project:
    """Return a project."""
    return visit.project


@router.put("/projects/{slug}")
def change_project(visit: EditorVisit, body: ChangedProject) -> Edit:
    """Change what holds for a project; returns the edit, which can be undone."""
    return projects.change_project(visit.store, visit.actor, visit.project, **body.model_dump())


@router.delete("/projects/{slug}", status_code=204)
def delete_project(
    visit: AdminVisit,
    name: Annotated[str, Query(max_length=200, description="The name of the project, as confirmation.")],
) -> None:
    """Delete a project with everything in it, for good."""
    projects.delete_project(visit.store, visit.actor, visit.project, name)
