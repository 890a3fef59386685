"""The list of projects, where a person begins; and the settings of one project."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.languages import Use, list_codes
from vivavoce.store.database import Store
from vivavoce.store.rows import Project
from vivavoce.web.access import Editor, InStore, Reader
from vivavoce.web.answers import done, go, page, words_of
from vivavoce.web.forms import Form
from vivavoce.web.parts import Field, named_choices
from vivavoce.workspace.projects import projects
from vivavoce.workspace.projects.demo import create_demo_project

router = APIRouter()
LANGUAGES = list_codes(Use.PROJECTS)


@dataclass(frozen=True, slots=True)
class ProjectsView:
    """All projects, and the form for another one as it was filled in."""

    projects: tuple[Project, ...]
    fields: tuple[Field, ...]
    error: InputError | None = None


@router.get("/")
def begin(who: Reader, store: InStore) -> Response:
    """Lead to the only project, or to the list of them."""
    found = projects.list_projects(store)
    return go(f"/p/{found[0].slug}" if len(found) == 1 else "/projects")


@router.get("/projects")
def show_projects(request: Request, who: Reader, store: InStore) -> Response:
    """Show all projects."""
    return _projects_page(request, store)


@router.post("/projects")
def create_project(request: Request, who: Editor, store: InStore, form: Form) -> Response:
    """Make a project."""
    name, language = form.text("name"), form.choice("language", LANGUAGES, "en")
    try:
        form.check()
        made = projects.create_project(store, who.actor, name, language=language)
    except InputError as error:
        return _projects_page(request, store, name, language, error)
    return done(f"/p/{made.slug}/topics", words_of(request).gettext("The project is made. Now bring in its topics."))


@router.post("/projects/demo")
def load_demo(request: Request, who: Editor, store: InStore) -> Response:
    """Make the demo project."""
    made = create_demo_project(store, who.actor)
    told = words_of(request).gettext("The demo project is made. Everything in it is ready to be examined.")
    return done(f"/p/{made.slug}", told)


def _projects_page(
    request: Request, store: Store, name: str = "", language: str = "en", error: InputError | None = None
) -> Response:
    words = words_of(request)
    codes = named_choices(LANGUAGES)
    fields = (
        Field("name", words.gettext("Name"), value=name, required=True, most=projects.MOST_NAME),
        Field("language", words.gettext("Language of its visitors"), "select", language, choices=codes),
    )
    view = ProjectsView(projects.list_projects(store), fields, error)
    return page(request, "projects/projects.html", words.gettext("Projects"), view=view, status=400 if error else 200)
