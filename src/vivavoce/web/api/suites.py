"""Suites of scenarios."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from vivavoce.errors import UsageError
from vivavoce.messages import say
from vivavoce.store.rows import Edit, SuiteRow
from vivavoce.web.answers import MEDIA, download
from vivavoce.web.api.bodies import Body, Id, Listed, Place, Text, Why, Word, make_list
from vivavoce.web.visits import EditorVisit, ReaderVisit
from vivavoce.workspace.scenarios import suites
from vivavoce.workspace.scenarios.suites import SuiteLine, paste_scenarios, read_text

router = APIRouter(tags=["suites"])
Form = Annotated[Literal["yaml", "csv", "xlsx"], Query(description="The file format.")]


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
def list_suites(visit: ReaderVisit) -> Listed[SuiteLine]:
    """Return the suites of a project, by name."""
    return make_list(suites.list_suites(visit.store, visit.project))


@router.post("/projects/{slug}/suites", status_code=201)
def add_suite(visit: EditorVisit, place: Place, body: NewSuite) -> Edit:
    """Bring in a suite, or make an empty one; returns the edit, which can be undone."""
    if body.shipped and body.text:
        raise UsageError(say("give either a built-in suite or a text, not both"), where="shipped")
    if body.shipped or body.text:
        suite = suites.read_shipped(body.shipped) if body.shipped else read_text(body.text)
        edit = suites.import_read_suite(
            visit.store, visit.actor, visit.project, suite, name=body.name, replacing=body.replacing, why=body.why
        )
    else:
        edit = suites.create_suite(
            visit.store, visit.actor, visit.project, body.name, title=body.title, language=visit.project.language
        )
    return place(edit, "edits", edit.id)


@router.get("/projects/{slug}/suites/{suite_id}")
def show_suite(visit: ReaderVisit, suite_id: Id) -> SuiteRow:
    """Return a suite; `head` is its YAML without the scenarios."""
    return suites.find_suite(visit.store, visit.project, suite_id)


@router.put("/projects/{slug}/suites/{suite_id}")
def change_suite(visit: EditorVisit, suite_id: Id, body: ChangedSuite) -> Edit:
    """Call a suite otherwise."""
    return suites.rename_suite(visit.store, visit.actor, visit.project, suite_id, **body.model_dump())


@router.delete("/projects/{slug}/suites/{suite_id}")
def delete_suite(visit: EditorVisit, suite_id: Id) -> Edit:
    """Delete a suite with its scenarios; returns the edit, which can be undone."""
    return suites.delete_suite(visit.store, visit.actor, visit.project, suite_id)


@router.get(
    "/projects/{slug}/suites/{suite_id}/file",
    response_class=Response,
    responses={200: {"content": {MEDIA[form]: {} for form in suites.FORMS}, "description": "The suite."}},
)
def export_suite(visit: ReaderVisit, suite_id: Id, form: Form = "yaml") -> Response:
    """Return a suite as a file."""
    row, content = suites.export_suite(visit.store, visit.project, suite_id, form)
    return download(f"{row.name}.{form}", MEDIA[form], content)


@router.post("/projects/{slug}/suites/{suite_id}/pasted", status_code=201)
def add_scenarios(visit: EditorVisit, place: Place, suite_id: Id, body: MoreScenarios) -> Edit:
    """Add all scenarios of a text to a suite."""
    edit = paste_scenarios(visit.store, visit.actor, visit.project, suite_id, body.text)
    return place(edit, "edits", edit.id)
