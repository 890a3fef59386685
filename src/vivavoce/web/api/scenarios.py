"""Scenarios of a suite, each with all its versions."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from vivavoce.store.rows import Edit, ScenarioRow, ScenarioVersion
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader
from vivavoce.web.api.bodies import Body
from vivavoce.web.api.lists import Asked, Limit, Listed, Offset, listed
from vivavoce.web.api.places import Place
from vivavoce.web.api.texts import Id, Text, Why
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
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    suite_id: Id,
    domain: Asked = None,
    level: Asked = None,
    search: Asked = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Listed[ScenarioRow]:
    """Return the scenarios of a suite in their order; `text` is their YAML."""
    found = scenarios.list_scenarios(store, project, suite_id, domain=domain, level=level, search=search or "")
    return listed(found[offset : offset + limit], len(found))


@router.post("/projects/{slug}/suites/{suite_id}/scenarios", status_code=201)
def add_scenario(  # noqa: PLR0917
    who: Editor, store: InStore, project: ProjectInPath, place: Place, suite_id: Id, body: NewScenario
) -> Saved:
    """Add a scenario to a suite."""
    scenario = scenarios.scenario_from_text(body.text)
    made = scenarios.create_scenario(store, who.actor, project, suite_id, scenario, why=body.why)
    place("projects", project.slug, "scenarios", made.scenario_id)
    return made


@router.get("/projects/{slug}/scenarios/{scenario_id}")
def show_scenario(who: Reader, store: InStore, project: ProjectInPath, scenario_id: Id) -> ScenarioRow:
    """Return a scenario as it is now."""
    return scenarios.open_scenario(store, project, scenario_id).row


@router.put("/projects/{slug}/scenarios/{scenario_id}")
def change_scenario(
    *, who: Editor, store: InStore, project: ProjectInPath, scenario_id: Id, body: ChangedScenario
) -> Saved:
    """Save a scenario that was made from a version."""
    scenario = scenarios.scenario_from_text(body.text)
    return scenarios.save_scenario(
        store, who.actor, project, scenario_id, scenario, version=body.version, why=body.why
    )


@router.delete("/projects/{slug}/scenarios/{scenario_id}")
def delete_scenario(who: Editor, store: InStore, project: ProjectInPath, scenario_id: Id) -> Edit:
    """Delete a scenario; returns the edit, which can be undone."""
    return scenarios.delete_scenario(store, who.actor, project, scenario_id)


@router.get("/projects/{slug}/scenarios/{scenario_id}/versions")
def list_scenario_versions(
    *, who: Reader, store: InStore, project: ProjectInPath, scenario_id: Id, limit: Limit = 50, offset: Offset = 0
) -> Listed[ScenarioVersion]:
    """Return what a scenario was at each save, the newest first."""
    found = scenarios.list_versions(store, project, scenario_id)
    return listed((line.version for line in found[offset : offset + limit]), len(found))


@router.post("/projects/{slug}/scenarios/{scenario_id}/versions/{version}/restore")
def restore_scenario_version(
    who: Editor, store: InStore, project: ProjectInPath, scenario_id: Id, version: Version
) -> Saved:
    """Make a scenario again what it was at one save."""
    return scenarios.restore_version(store, who.actor, project, scenario_id, version)
