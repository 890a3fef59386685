"""Engines: which there are, and several of them on the same splits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter

from vivavoce.jobs.exams.kinds import ENGINES
from vivavoce.store.rows import Run
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader
from vivavoce.web.api.lists import Listed, listed
from vivavoce.web.api.option_bodies import StartBody, start_body
from vivavoce.web.api.places import Place
from vivavoce.web.api.runs import RunNumber
from vivavoce.workspace.exams import engines, runs
from vivavoce.workspace.exams.engine_parts import OfferedEngine, offered_engines
from vivavoce.workspace.exams.engines import EngineTime
from vivavoce.workspace.exams.project_exams import start_exam

router = APIRouter(tags=["engines"])


if TYPE_CHECKING:
    NewComparison = StartBody
else:
    NewComparison = start_body("NewComparison", "A comparison of engines to be started.", ENGINES)


@router.get("/engines")
def list_engines(who: Reader) -> Listed[OfferedEngine]:
    """Return the engines that are installed; `needs` says what those lack that are not ready to be chosen."""
    return listed(offered_engines())


@router.post("/projects/{slug}/engines", status_code=201)
def start_engines(who: Editor, store: InStore, project: ProjectInPath, place: Place, body: NewComparison) -> Run:
    """Examine several engines on the same splits."""
    run = start_exam(store, who.actor, project, ENGINES.name, body.chosen(), body.title)
    place("projects", project.slug, "runs", run.number)
    return run


@router.get("/projects/{slug}/engines/{number}/times")
def list_engine_times(who: Reader, store: InStore, project: ProjectInPath, number: RunNumber) -> Listed[EngineTime]:
    """Return what the engines of a comparison took."""
    return listed(engines.engine_times(store, runs.show_run(store, project, number, "engines").run))
