"""Runs are begun, ended early, and gone on with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256

from vivavoce.errors import UsageError
from vivavoce.jobs.exams.protocol import Options, UnitPlan
from vivavoce.jobs.exams.registry import load_exam
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.repositories.claims import CONCLUDING_PHASE, CONCLUSION, limit_key
from vivavoce.store.repositories.repository import required
from vivavoce.store.rows import Run, RunState, Unit, UnitState
from vivavoce.store.stamps import new_id, now
from vivavoce.store.transaction import Transaction
from vivavoce.version import __version__

# Kept with the options of a run, but no exam knows it: how many units of each bot may be on their way.
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
    """Plan an exam and keep it as a run, which a worker begins by itself.

    `limits`: how many units of each bot may be on their way; where not given, as the material says.
    """
    exam = load_exam(kind)
    checked = exam.check(options)
    plans = exam.plan(material, checked)
    if not plans:
        raise UsageError(
            say("there is nothing to examine"), remedy=say("give more material, or choose other options")
        )
    at_once = dict(limits) if limits is not None else exam.limits(material)
    run = Run(
        id=new_id(),
        project_id=project_id,
        number=0,
        kind=kind,
        title=title,
        state=RunState.WAITING,
        options={**checked, LIMITS: at_once} if at_once else checked,
        version=1,
        total=len(plans),
        done=0,
        failed=0,
        headline="",
        error="",
        user_id=user_id,
        schedule_id=schedule_id,
        suite_id=suite_id,
        code_version=__version__,
        data_hash=sha256(material).hexdigest(),
        seed=int(checked.get("seed") or 0),
        created=now(),
        started=None,
        finished=None,
    )
    with store.writing() as tx:
        return tx.runs.add(run, material, _units(run, plans))


def exam_options(run: Run) -> Options:
    """Return the options of a run as its exam knows them."""
    return {name: value for name, value in run.options.items() if name != LIMITS}


def cancel_run(store: Store, run_id: str) -> Run:
    """End a run: nothing more is begun, what is on its way ends at its next step. UsageError when it is over."""
    with store.writing() as tx:
        if not tx.runs.request_cancel(_found(tx, run_id).id):
            raise UsageError(say("the run is over already"), remedy=say("look at its result"))
        return _found(tx, run_id)


def resume_run(store: Store, run_id: str) -> Run:
    """Go on with a run that was cancelled or failed: all that was not done waits again."""
    refused = "only a run that was cancelled or failed can go on"
    return _again(store, run_id, (RunState.CANCELLED, RunState.FAILED), refused, lambda tx: tx.units.resume(run_id))


def retry_failed(store: Store, run_id: str) -> Run:
    """Try again what failed in a run that is over; its findings are made anew."""
    refused = "only a run that is over can be tried again"
    over = tuple(state for state in RunState if not state.open)
    return _again(store, run_id, over, refused, lambda tx: tx.units.retry_failed(run_id))


def _again(
    store: Store, run_id: str, states: Sequence[RunState], refused: str, do: Callable[[Transaction], int]
) -> Run:
    with store.writing() as tx:
        run = _found(tx, run_id)
        if run.state not in states:
            raise UsageError(
                say("{refused}; this one is {state}", refused=refused, state=run.state),
                remedy=say("wait until it is over, or cancel it"),
            )
        if not do(tx) and run.state is RunState.DONE:
            raise UsageError(say("nothing of this run failed"), remedy=say("start a new run"))
        return _found(tx, run_id)


def _found(tx: Transaction, run_id: str) -> Run:
    return required(tx.runs.get(run_id), "run", run_id)


def _units(run: Run, plans: Sequence[UnitPlan]) -> Iterator[Unit]:
    for place, plan in enumerate(plans):
        yield _unit(run, plan, place)
    yield _unit(run, UnitPlan(CONCLUSION, "findings", CONCLUDING_PHASE), len(plans))


def _unit(run: Run, plan: UnitPlan, place: int) -> Unit:
    return Unit(
        id=new_id(),
        run_id=run.id,
        key=plan.key,
        title=plan.title,
        place=place,
        phase=plan.phase,
        bot=plan.bot,
        limit_key=limit_key(run.project_id, plan.bot),
        state=UnitState.WAITING,
        attempts=0,
        worker=None,
        lease_until=None,
        started=None,
        finished=None,
        error="",
    )
