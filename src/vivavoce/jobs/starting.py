"""Start, cancel and resume runs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from vivavoce.errors import UsageError
from vivavoce.jobs.exams.protocol import Options, UnitPlan
from vivavoce.jobs.exams.registry import load_exam
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.repositories.repository import require
from vivavoce.store.repositories.units import CONCLUDING_PHASE, CONCLUSION, limit_key
from vivavoce.store.rows import Run, RunState, Schedule, Unit
from vivavoce.store.stamps import new_id, now
from vivavoce.store.transaction import Transaction
from vivavoce.version import __version__

# Stored with the options of a run, but unknown to exams: how many units of each bot may be in progress.
LIMITS = "limits"


def start_run(  # noqa: PLR0917
    store: Store,
    project_id: str,
    kind: str,
    title: str,
    options: Options,
    material: bytes,
    *,
    user_id: str | None,
    schedule_id: str | None = None,
    suite_id: str | None = None,
    limits: Mapping[str, int] | None = None,
) -> Run:
    """Plan an exam and store it as a run, which a worker will perform.

    `limits`: how many units of each bot may be in progress; by default those of the material.
    """
    exam = load_exam(kind)
    checked = exam.check(options)
    plans = exam.plan(material, checked)
    if not plans:
        raise UsageError(say("nothing to test"), remedy=say("add content, or choose other options"))
    at_once = dict(limits) if limits is not None else exam.limits(material)
    limited = {**checked, LIMITS: at_once} if at_once else checked
    run = build_run(project_id, kind, title, limited, material, len(plans), user_id=user_id, suite_id=suite_id)
    run = replace(run, schedule_id=schedule_id)
    with store.writing() as tx:
        conclusion = UnitPlan(CONCLUSION, "findings", CONCLUDING_PHASE)
        return tx.runs.add(run, material, (build_unit(run, plan, n) for n, plan in enumerate((*plans, conclusion))))


def build_run(  # noqa: PLR0917
    project_id: str,
    kind: str,
    title: str,
    options: Mapping[str, Any],
    material: bytes,
    total: int,
    *,
    user_id: str | None,
    suite_id: str | None,
) -> Run:
    """Return a run that waits; it gets its number when it is stored."""
    return Run(
        id=new_id(),
        project_id=project_id,
        number=0,
        kind=kind,
        title=title,
        state=RunState.WAITING,
        options=options,
        version=1,
        total=total,
        done=0,
        failed=0,
        headline="",
        error="",
        user_id=user_id,
        schedule_id=None,
        suite_id=suite_id,
        code_version=__version__,
        data_hash=sha256(material).hexdigest(),
        seed=int(options.get("seed") or 0),
        created=now(),
        started=None,
        finished=None,
    )


def exam_options(run: Run) -> Options:
    """Return the options of a run that its exam knows."""
    return {name: value for name, value in run.options.items() if name != LIMITS}


def cancel_run(store: Store, run_id: str) -> Run:
    """Cancel a run: no unit starts, those in progress end at their next step. UsageError if it is over."""
    with store.writing() as tx:
        if not tx.runs.request_cancel(_get_run(tx, run_id).id):
            raise UsageError(say("the run has already ended"), remedy=say("see its result"))
        return _get_run(tx, run_id)


def resume_run(store: Store, run_id: str) -> Run:
    """Resume a cancelled or failed run: every unit without a result is queued again."""
    refused = "you can only resume a cancelled or failed run"
    return _requeue(store, run_id, (RunState.CANCELLED, RunState.FAILED), refused, lambda tx: tx.units.resume(run_id))


def retry_failed(store: Store, run_id: str) -> Run:
    """Retry what failed in a run that is over, and conclude it again."""
    refused = "you can only retry a finished run"
    over = tuple(state for state in RunState if not state.open)
    return _requeue(store, run_id, over, refused, lambda tx: tx.units.retry_failed(run_id))


def _requeue(
    store: Store, run_id: str, states: Sequence[RunState], refused: str, do: Callable[[Transaction], int]
) -> Run:
    with store.writing() as tx:
        run = _get_run(tx, run_id)
        if run.state not in states:
            raise UsageError(
                say("{refused}; this one is {state}", refused=refused, state=run.state),
                remedy=say("wait until it ends, or cancel it"),
            )
        if not do(tx) and run.state is RunState.DONE:
            raise UsageError(say("nothing failed in this run"), remedy=say("start a new run"))
        return _get_run(tx, run_id)


def _get_run(tx: Transaction, run_id: str) -> Run:
    return require(tx.runs.get(run_id), "run", run_id)


def build_unit(run: Run, plan: UnitPlan, place: int) -> Unit:
    """Return a unit of a run that waits."""
    return Unit(
        id=new_id(),
        run_id=run.id,
        key=plan.key,
        title=plan.title,
        place=place,
        phase=plan.phase,
        bot=plan.bot,
        limit_key=limit_key(run.project_id, plan.bot),
    )


_log = logging.getLogger(__name__)
StartScheduled = Callable[[Store, Schedule], Run]


def next_time(minute_of_day: int, after: datetime) -> datetime:
    """Return the next moment at a minute of the day, in UTC."""
    day = after.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    moment = day + timedelta(minutes=minute_of_day)
    return moment if moment > after else moment + timedelta(days=1)


def start_due(store: Store, start: StartScheduled, now: datetime) -> tuple[Run, ...]:
    """Start all runs that are due, except those that another worker started first."""
    with store.reading() as tx:
        due = tx.schedules.due(now)
    runs = []
    for schedule in due:
        with store.writing() as tx:
            if not tx.schedules.advance(schedule, next_time(schedule.minute_of_day, now)):
                continue
        try:
            runs.append(start(store, schedule))
        except Exception:
            # The next day is another chance, and other schedules must not wait for this one.
            _log.exception("the scheduled run %s could not be started", schedule.id)
    return tuple(runs)
