"""Scenarios of a suite, each with all its versions."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from vivavoce.store.rows import Edit, ScenarioRow, ScenarioVersion
from vivavoce.web.api.bodies import Asked, Body, Id, Limit, Listed, Offset, Place, Text, Why, make_list
from vivavoce.web.visits import EditorVisit, ReaderVisit
from vivavoce.workspace.scenarios import scenarios
from vivavoce.workspace.scenarios.scenarios import Saved

router = APIRouter(tags=["scenarios"])
Version = Annotated[int, Path(ge=1, le=10**9)]


class NewScenario(Body):
    """A scenario to be added, in YAML."""

    text: Text
    why: Why = ""


class ChangedScenario(Body):
    """A scenario in YAML, and the version that it was made from: refused with 409 where there is a newer one."""

    text: Text
    version: Annotated[int, Field(ge=1, le=10**9)]
    why: Why = ""


@router.get("/projects/{slug}/suites/{suite_id}/scenarios")
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
    """Return the scenarios of a suite in their order; `text` is their YAML."""
    rows = scenarios.list_scenarios(
        visit.store, visit.project, suite_id, domain=domain, level=level, search=search or ""
    )
    return make_list(rows[offset : offset + limit], len(rows))


@router.post("/projects/{slug}/suites/{suite_id}/scenarios", status_code=201)
def add_scenario(visit: EditorVisit, place: Place, suite_id: Id, body: NewScenario) -> Saved:
    """Add a scenario to a suite."""
    scenario = scenarios.scenario_from_text(body.text)
    made = scenarios.create_scenario(visit.store, visit.actor, visit.project, suite_id, scenario, why=body.why)
    return place(made, "scenarios", made.scenario_id)


@router.get("/projects/{slug}/scenarios/{scenario_id}")
def show_scenario(visit: ReaderVisit, scenario_id: Id) -> ScenarioRow:
    """Return a scenario as it is now."""
    return scenarios.open_scenario(visit.store, visit.project, scenario_id).row


@router.put("/projects/{slug}/scenarios/{scenario_id}")
def change_scenario(*, visit: EditorVisit, scenario_id: Id, body: ChangedScenario) -> Saved:
    """Save a scenario that was made from a version."""
    scenario = scenarios.scenario_from_text(body.text)
    return scenarios.save_scenario(
        visit.store, visit.actor, visit.project, scenario_id, scenario, version=body.version, why=body.why
    )


@router.delete("/projects/{slug}/scenarios/{scenario_id}")
def delete_scenario(visit: EditorVisit, scenario_id: Id) -> Edit:
    """Delete a scenario; returns the edit, which can be undone."""
    return scenarios.delete_scenario(visit.store, visit.actor, visit.project, scenario_id)


@router.get("/projects/{slug}/scenarios/{scenario_id}/versions")
def list_scenario_versions(
    *, visit: ReaderVisit, scenario_id: Id, limit: Limit = 50, offset: Offset = 0
) -> Listed[ScenarioVersion]:
    """Return what a scenario was at each save, the newest first."""
    lines = scenarios.list_versions(visit.store, visit.project, scenario_id)
    return make_list((line.version for line in lines[offset : offset + limit]), len(lines))


@router.post("/projects/{slug}/scenarios/{scenario_id}/versions/{version}/restore")
def restore_scenario_version(visit: EditorVisit, scenario_id: Id, version: Version) -> Saved:
    """Make a scenario again what it was at one save."""
    return scenarios.restore_version(visit.store, visit.actor, visit.project, scenario_id, version)
