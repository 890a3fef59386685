"""Suites, and their scenarios with all versions."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from pydantic import Field
from starlette.responses import Response

from vivavoce.errors import UsageError
from vivavoce.messages import say
from vivavoce.store.rows import Edit, ScenarioRow, ScenarioVersion, SuiteRow
from vivavoce.web.answers import MEDIA, download
from vivavoce.web.api.bodies import Asked, Body, Id, Limit, Listed, Offset, Place, Text, Why, Word, make_list
from vivavoce.web.visits import EditorVisit, ReaderVisit
from vivavoce.workspace.scenarios import scenarios, suites
from vivavoce.workspace.scenarios.scenarios import Saved
from vivavoce.workspace.scenarios.suites import SuiteLine, paste_scenarios, read_text

router = APIRouter(tags=["suites"])
Form = Annotated[Literal["yaml", "csv", "xlsx"], Query(description="The file format.")]


class NewSuite(Body):
    """A suite to add: a shipped one, a text (YAML, or a table with one row per turn), or an empty one."""

    name: Annotated[Text, Field(max_length=100)] = ""
    title: Annotated[Text, Field(max_length=200)] = ""
    shipped: Annotated[Text, Field(max_length=100)] = ""
    text: Annotated[str, Field(max_length=5_000_000)] = ""
    replacing: bool = False
    why: Why = ""


class ChangedSuite(Body):
    """The new name of a suite."""

    name: Word
    title: Annotated[Text, Field(max_length=200)] = ""
    why: Why = ""


class MoreScenarios(Body):
    """Scenarios to add: YAML, or a table with one row per turn."""

    text: Text


@router.get("/projects/{slug}/suites")
def list_suites(visit: ReaderVisit) -> Listed[SuiteLine]:
    """List the suites of a project, by name."""
    return make_list(suites.list_suites(*visit.here))


@router.post("/projects/{slug}/suites", status_code=201)
def add_suite(visit: EditorVisit, place: Place, body: NewSuite) -> Edit:
    """Import a suite or create an empty one; returns the edit, which you can undo."""
    if body.shipped and body.text:
        raise UsageError(say("give either a built-in suite or a text, not both"), where="shipped")
    if body.shipped or body.text:
        suite = suites.read_shipped(body.shipped) if body.shipped else read_text(body.text)
        edit = suites.import_read_suite(*visit.acting, suite, name=body.name, replacing=body.replacing, why=body.why)
    else:
        edit = suites.create_suite(*visit.acting, body.name, title=body.title, language=visit.project.language)
    return place(edit, "edits", edit.id)


@router.get("/projects/{slug}/suites/{suite_id}")
def show_suite(visit: ReaderVisit, suite_id: Id) -> SuiteRow:
    """Get a suite; `head`: its YAML without the scenarios."""
    return suites.find_suite(*visit.here, suite_id)


@router.put("/projects/{slug}/suites/{suite_id}")
def change_suite(visit: EditorVisit, suite_id: Id, body: ChangedSuite) -> Edit:
    """Rename a suite."""
    return suites.rename_suite(*visit.acting, suite_id, **body.model_dump())


@router.delete("/projects/{slug}/suites/{suite_id}")
def delete_suite(visit: EditorVisit, suite_id: Id) -> Edit:
    """Delete a suite with its scenarios; returns the edit, which you can undo."""
    return suites.delete_suite(*visit.acting, suite_id)


@router.get(
    "/projects/{slug}/suites/{suite_id}/file",
    response_class=Response,
    responses={200: {"content": {MEDIA[form]: {} for form in suites.FORMS}, "description": "The suite."}},
)
def export_suite(visit: ReaderVisit, suite_id: Id, form: Form = "yaml") -> Response:
    """Download a suite as a file."""
    row, content = suites.export_suite(*visit.here, suite_id, form)
    return download(f"{row.name}.{form}", MEDIA[form], content)


@router.post("/projects/{slug}/suites/{suite_id}/pasted", status_code=201)
def add_scenarios(visit: EditorVisit, place: Place, suite_id: Id, body: MoreScenarios) -> Edit:
    """Add the scenarios of a text to a suite."""
    edit = paste_scenarios(*visit.acting, suite_id, body.text)
    return place(edit, "edits", edit.id)


scenarios_router = APIRouter(tags=["scenarios"])
Version = Annotated[int, Path(ge=1, le=10**9)]


class NewScenario(Body):
    """A scenario to add, in YAML."""

    text: Text
    why: Why = ""


class ChangedScenario(Body):
    """A scenario in YAML and the version it is based on; rejected with 409 if there is a newer one."""

    text: Text
    version: Annotated[int, Field(ge=1, le=10**9)]
    why: Why = ""


@scenarios_router.get("/projects/{slug}/suites/{suite_id}/scenarios")
def list_scenarios(
    *,
    visit: ReaderVisit,
    suite_id: Id,
    domain: Asked = None,
    level: Asked = None,
    search: Asked = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Listed[ScenarioRow]:
    """List the scenarios of a suite in order; `text`: their YAML."""
    rows = scenarios.list_scenarios(*visit.here, suite_id, domain=domain, level=level, search=search or "")
    return make_list(rows[offset : offset + limit], len(rows))


@scenarios_router.post("/projects/{slug}/suites/{suite_id}/scenarios", status_code=201)
def add_scenario(visit: EditorVisit, place: Place, suite_id: Id, body: NewScenario) -> Saved:
    """Add a scenario to a suite."""
    scenario = scenarios.scenario_from_text(body.text)
    saved = scenarios.create_scenario(*visit.acting, suite_id, scenario, why=body.why)
    return place(saved, "scenarios", saved.scenario_id)


@scenarios_router.get("/projects/{slug}/scenarios/{scenario_id}")
def show_scenario(visit: ReaderVisit, scenario_id: Id) -> ScenarioRow:
    """Get the current version of a scenario."""
    return scenarios.open_scenario(*visit.here, scenario_id).row


@scenarios_router.put("/projects/{slug}/scenarios/{scenario_id}")
def change_scenario(*, visit: EditorVisit, scenario_id: Id, body: ChangedScenario) -> Saved:
    """Save a new version of a scenario."""
    scenario = scenarios.scenario_from_text(body.text)
    return scenarios.save_scenario(*visit.acting, scenario_id, scenario, version=body.version, why=body.why)


@scenarios_router.delete("/projects/{slug}/scenarios/{scenario_id}")
def delete_scenario(visit: EditorVisit, scenario_id: Id) -> Edit:
    """Delete a scenario; returns the edit, which you can undo."""
    return scenarios.delete_scenario(*visit.acting, scenario_id)


@scenarios_router.get("/projects/{slug}/scenarios/{scenario_id}/versions")
def list_scenario_versions(
    *, visit: ReaderVisit, scenario_id: Id, limit: Limit = 50, offset: Offset = 0
) -> Listed[ScenarioVersion]:
    """List the versions of a scenario, newest first."""
    lines = scenarios.list_versions(*visit.here, scenario_id)
    return make_list((line.version for line in lines[offset : offset + limit]), len(lines))


@scenarios_router.post("/projects/{slug}/scenarios/{scenario_id}/versions/{version}/restore")
def restore_scenario_version(visit: EditorVisit, scenario_id: Id, version: Version) -> Saved:
    """Restore a version of a scenario."""
    return scenarios.restore_version(*visit.acting, scenario_id, version)
