"""Projects: list, make, change."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from vivavoce.store.rows import Edit, Project
from vivavoce.web.access import Admin, Editor, InStore, ProjectInPath, Reader
from vivavoce.web.api.bodies import Body
from vivavoce.web.api.lists import Listed, listed
from vivavoce.web.api.places import Place
from vivavoce.web.api.texts import Why, Word
from vivavoce.workspace.projects import projects

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
    return listed(projects.list_projects(store))


@router.post("/projects", status_code=201)
def create_project(who: Editor, store: InStore, place: Place, body: NewProject) -> Project:
    """Make a project."""
    made = projects.create_project(store, who.actor, body.name, language=body.language, slug=body.slug)
    place("projects", made.slug)
    return made


@router.get("/projects/{slug}")
def show_project(who: Reader, project: ProjectInPath) -> Project:
    """Return a project."""
    return project


@router.put("/projects/{slug}")
def change_project(who: Editor, store: InStore, project: ProjectInPath, body: ChangedProject) -> Edit:
    """Change what holds for a project; returns the edit, which can be undone."""
    return projects.change_project(
        store,
        who.actor,
        project,
        name=body.name,
        threshold=body.threshold,
        classifier=body.classifier,
        why=body.why,
    )


@router.delete("/projects/{slug}", status_code=204)
def delete_project(
    who: Admin,
    store: InStore,
    project: ProjectInPath,
    name: Annotated[str, Query(max_length=200, description="The name of the project, to show that it is meant.")],
) -> None:
    """Delete a project with everything in it, for good."""
    projects.delete_project(store, who.actor, project, name)
