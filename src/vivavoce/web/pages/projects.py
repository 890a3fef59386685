"""The list of projects, where a person begins; and the settings of one project."""

from __future__ import annotations

from dataclasses import dataclass, field

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.store.rows import Project
from vivavoce.web.access import Editor, InStore, Reader
from vivavoce.web.answers import done, go, page, words_of
from vivavoce.web.forms import Form
from vivavoce.workspace import projects

router = APIRouter()
LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pl", "pt", "zh")


@dataclass(frozen=True, slots=True)
class ProjectsView:
    """All projects, and the form for another one as it was filled in."""

    projects: tuple[Project, ...]
    name: str = ""
    language: str = "en"
    languages: tuple[str, ...] = LANGUAGES
    error: InputError | None = field(default=None)


@router.get("/")
def begin(who: Reader, store: InStore) -> Response:
    """Lead to the only project, or to the list of them."""
    found = projects.list_projects(store)
    return go(f"/p/{found[0].slug}" if len(found) == 1 else "/projects")


@router.get("/projects")
def show_projects(request: Request, who: Reader, store: InStore) -> Response:
    """Show all projects."""
    view = ProjectsView(projects.list_projects(store))
    return page(request, "projects.html", words_of(request).gettext("Projects"), view=view)


@router.post("/projects")
def create_project(request: Request, who: Editor, store: InStore, form: Form) -> Response:
    """Make a project."""
    name, language = form.text("name"), form.choice("language", LANGUAGES, "en")
    try:
        form.check()
        made = projects.create_project(store, who.actor, name, language=language)
    except InputError as error:
        view = ProjectsView(projects.list_projects(store), name, language, error=error)
        return page(request, "projects.html", words_of(request).gettext("Projects"), view=view, status=400)
    return done(f"/p/{made.slug}/topics", words_of(request).gettext("The project is made. Now bring in its topics."))
