"""Engines: which there are, and several of them on the same splits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter

from vivavoce.jobs.exams.kinds import ENGINES
from vivavoce.store.rows import Run
from vivavoce.web.access import Reader
from vivavoce.web.api.bodies import Listed, Place, make_list
from vivavoce.web.api.option_bodies import StartBody, start_body
from vivavoce.web.api.runs import RunNumber
from vivavoce.web.visits import EditorVisit, ReaderVisit
from vivavoce.workspace.access.engine_rules import OfferedEngine, offered_engines
from vivavoce.workspace.exams import intents, runs
from vivavoce.workspace.exams.intents import EngineTime
from vivavoce.workspace.exams.project_exams import start_exam

router = APIRouter(tags=["engines"])


if TYPE_CHECKING:
    NewComparison = StartBody
else:
    NewComparison = start_body("NewComparison", "A comparison of classifiers to start.", ENGINES)


@router.get("/engines")
def list_engines(who: Reader) -> Listed[OfferedEngine]:
    """Return the engines that are installed; `needs` says what those lack that are not ready to be chosen."""
    return make_list(offered_engines())


@router.post("/projects/{slug}/engines", status_code=201)
def start_engines(visit: EditorVisit, place: Place, body: NewComparison) -> Run:
    """Examine several engines on the same splits."""
    run = start_exam(visit.store, visit.actor, visit.project, ENGINES.name, body.chosen(), body.title)
    return place(run, "runs", run.number)


@router.get("/projects/{slug}/engines/{number}/times")
def list_engine_times(visit: ReaderVisit, number: RunNumber) -> Listed[EngineTime]:
    """Return what the engines of a comparison took."""
    return make_list(
        intents.engine_times(visit.store, runs.show_run(visit.store, visit.project, number, "engines").run)
    )
