"""Suites of scenarios."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from vivavoce.errors import UsageError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import Edit, Project, SuiteRow
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader, Visitor
from vivavoce.web.answers import MEDIA, download
from vivavoce.web.api.bodies import Body
from vivavoce.web.api.lists import Listed, listed
from vivavoce.web.api.places import Place
from vivavoce.web.api.texts import Id, Text, Why, Word
from vivavoce.workspace.scenarios import suites
from vivavoce.workspace.scenarios.suites import SuiteLine, paste_scenarios, read_text

router = APIRouter(tags=["suites"])
Form = Annotated[Literal["yaml", "csv", "xlsx"], Query(description="The form of the file.")]


class NewSuite(Body):
    """A suite to be brought in: one that ships, a text (YAML, or a table with one row for each turn), or empty."""

    name: Annotated[Text, Field(max_length=100)] = ""
    title: Annotated[Text, Field(max_length=200)] = ""
    shipped: Annotated[Text, Field(max_length=100)] = ""
    text: Annotated[str, Field(max_length=5_000_000)] = ""
    replacing: bool = False
    why: Why = ""


class ChangedSuite(Body):
    """What a suite is called from now on."""

    name: Word
    title: Annotated[Text, Field(max_length=200)] = ""
    why: Why = ""


class MoreScenarios(Body):
    """Scenarios to be added: YAML, or a table with one row for each turn."""

    text: Text


@router.get("/projects/{slug}/suites")
def list_suites(who: Reader, store: InStore, project: ProjectInPath) -> Listed[SuiteLine]:
    """Return the suites of a project, by name."""
    return listed(suites.list_suites(store, project))


@router.post("/projects/{slug}/suites", status_code=201)
def add_suite(who: Editor, store: InStore, project: ProjectInPath, place: Place, body: NewSuite) -> Edit:
    """Bring in a suite, or make an empty one; returns the edit, which can be undone."""
    if body.shipped and body.text:
        raise UsageError(say("give either a suite that ships or a text, not both"), where="shipped")
    edit = _bring_in(store, who, project, body)
    place("projects", project.slug, "edits", edit.id)
    return edit


def _bring_in(store: Store, who: Visitor, project: Project, body: NewSuite) -> Edit:
    if not body.shipped and not body.text:
        return suites.create_suite(store, who.actor, project, body.name, title=body.title, language=project.language)
    read = suites.read_shipped(body.shipped) if body.shipped else read_text(body.text)
    return suites.import_read_suite(
        store, who.actor, project, read, name=body.name, replacing=body.replacing, why=body.why
    )


@router.get("/projects/{slug}/suites/{suite_id}")
def show_suite(who: Reader, store: InStore, project: ProjectInPath, suite_id: Id) -> SuiteRow:
    """Return a suite; `head` is its YAML without the scenarios."""
    return suites.find_suite(store, project, suite_id)


@router.put("/projects/{slug}/suites/{suite_id}")
def change_suite(who: Editor, store: InStore, project: ProjectInPath, suite_id: Id, body: ChangedSuite) -> Edit:
    """Call a suite otherwise."""
    return suites.rename_suite(store, who.actor, project, suite_id, name=body.name, title=body.title, why=body.why)


@router.delete("/projects/{slug}/suites/{suite_id}")
def delete_suite(who: Editor, store: InStore, project: ProjectInPath, suite_id: Id) -> Edit:
    """Delete a suite with its scenarios; returns the edit, which can be undone."""
    return suites.delete_suite(store, who.actor, project, suite_id)


@router.get(
    "/projects/{slug}/suites/{suite_id}/file",
    response_class=Response,
    responses={200: {"content": {MEDIA[form]: {} for form in suites.FORMS}, "description": "The suite."}},
)
def export_suite(who: Reader, store: InStore, project: ProjectInPath, suite_id: Id, form: Form = "yaml") -> Response:
    """Return a suite as a file."""
    row, content = suites.export_suite(store, project, suite_id, form)
    return download(f"{row.name}.{form}", MEDIA[form], content)


@router.post("/projects/{slug}/suites/{suite_id}/pasted", status_code=201)
def add_scenarios(  # noqa: PLR0917
    who: Editor, store: InStore, project: ProjectInPath, place: Place, suite_id: Id, body: MoreScenarios
) -> Edit:
    """Add all scenarios of a text to a suite."""
    edit = paste_scenarios(store, who.actor, project, suite_id, body.text)
    place("projects", project.slug, "edits", edit.id)
    return edit
