"""Runs: begun, watched, ended early, gone on with; what they found, read back.

Every kind of exam goes through here. Editors begin and end runs; everybody may look.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from vivavoce.errors import AbsentError, UsageError, without_remedy
from vivavoce.jobs import starting
from vivavoce.jobs.exams.protocol import Options
from vivavoce.jobs.exams.registry import find_kind, load_part
from vivavoce.kept import Kept
from vivavoce.messages import Message, change_messages, restore_messages, say
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.repositories.units import LEASE_SECONDS
from vivavoce.store.rows import MeasureRow, Project, Role, Run, RunState, UnitState
from vivavoce.store.stamps import now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor, note, person_names
from vivavoce.workspace.exams.drawing import find_drawn
from vivavoce.workspace.exams.naming import name_run
from vivavoce.workspace.exams.stages import get_stage

# A worker says three times in a lease that it is there; one word may be late, two are not.
SILENT_SECONDS = LEASE_SECONDS / 2


@dataclass(frozen=True, slots=True)
class Silence:
    """A run at which nobody is at work. `seconds`: since the last sign of a worker; None: none was ever there.

    `again_in`: seconds until what was begun comes free for another worker; None where nothing is held.
    """

    seconds: float | None
    again_in: float | None


def count_workers(tx: Transaction, moment: datetime) -> int:
    """Return how many workers gave a sign of late."""
    return len(tx.workers.alive(moment - timedelta(seconds=SILENT_SECONDS)))


def count_alive(store: Store) -> int:
    """Return how many workers hold what they do."""
    with store.reading() as tx:
        return len(tx.workers.alive(now() - timedelta(seconds=LEASE_SECONDS)))


def silence_of(tx: Transaction, run: Run, moment: datetime) -> Silence | None:
    """Return since when nobody is at work on a run; None where somebody is, or where it is over.

    A run that waits while workers are there is not silent: they are busy with others.
    """
    if not run.state.open:
        return None
    held = None if run.state is RunState.WAITING else tx.units.held_until(run.id)
    if held is None:
        seen = tx.workers.last_seen()
        since = None if seen is None else max(0.0, (moment - seen).total_seconds())
        return None if count_workers(tx, moment) else Silence(since, None)
    quiet = (moment - held).total_seconds() + LEASE_SECONDS
    return None if quiet < SILENT_SECONDS else Silence(quiet, max(0.0, LEASE_SECONDS - quiet))


MAX_TITLE = 200
FINDINGS, REPORT, WARNINGS = "findings.json", "report.html", "warnings.json"
# The pace is that of the last units: a run that was interrupted is not slow.
PACED = 40
SHOWN_REASONS = 5


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run and the name of whoever began it."""

    run: Run
    who: str


@dataclass(frozen=True, slots=True)
class RunPage:
    """Some runs, the newest first, and how many there are in all."""

    lines: tuple[RunLine, ...]
    total: int


@dataclass(frozen=True, slots=True)
class RunCounts:
    """How many runs there are of each kind among those of the chosen state, and in each state of the chosen kind."""

    kinds: Mapping[str, int]
    states: Mapping[RunState, int]


@dataclass(frozen=True, slots=True)
class FailureCount:
    """Why units failed, how many of them, and which one came first."""

    reason: str
    count: int
    first: str


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is; `seconds_left` is None where nobody can tell. `silence`: nobody is at work on it.

    `stage`: what it does now, as a sentence; empty where nobody says.
    """

    run: Run
    counts: Mapping[UnitState, int]
    seconds_left: float | None
    failures: tuple[FailureCount, ...]
    workers: int
    silence: Silence | None = None
    stage: str = ""


def get_run(tx: Transaction, project: Project, number: int, kind: str | None = None) -> Run:
    """Return a run by its number; AbsentError where there is none, or none of this kind."""
    run = tx.runs.by_number(project.id, number)
    if run is None or (kind is not None and run.kind != kind):
        what = say("run {number} not found", number=number)
        if kind is not None:
            what = say("run {number} of exam '{kind}' not found", number=number, kind=kind)
        raise AbsentError(what, remedy=say("it may have been deleted: choose one from the list"))
    return run


def show_run(store: Store, project: Project, number: int, kind: str | None = None) -> RunLine:
    """Return a run and who began it."""
    with store.reading() as tx:
        run = get_run(tx, project, number, kind)
        return RunLine(run, person_names(tx, [run.user_id])[run.user_id])


def list_runs(
    store: Store,
    project: Project,
    *,
    kind: str | None = None,
    state: RunState | None = None,
    limit: int = 25,
    offset: int = 0,
) -> RunPage:
    """Return some runs of a project, the newest first."""
    states = None if state is None else (state,)
    with store.reading() as tx:
        runs = tx.runs.page(project.id, kind, states=states, limit=limit, offset=offset)
        names = person_names(tx, [run.user_id for run in runs])
        total = tx.runs.count(project.id, kind, states=states)
    return RunPage(tuple(RunLine(run, names[run.user_id]) for run in runs), total)


def count_runs(
    store: Store, project: Project, *, kind: str | None = None, state: RunState | None = None
) -> RunCounts:
    """Return how many runs each choice of a list would show, the other choice being as it is."""
    kinds: Counter[str] = Counter()
    states: Counter[RunState] = Counter()
    with store.reading() as tx:
        for of_kind, in_state, n in tx.runs.counts(project.id):
            kinds[of_kind] += n if state in (None, in_state) else 0
            states[in_state] += n if kind in (None, of_kind) else 0
    return RunCounts(kinds, states)


def progress_of(store: Store, run: Run) -> RunProgress:
    """Return how far a run is, as it is now."""
    with store.reading() as tx:
        current = tx.runs.get(run.id) or run
        counts = tx.units.counts(run.id)
        seconds = None
        moments = tx.units.last_finished(run.id, PACED) if current.state is RunState.RUNNING else ()
        if len(moments) >= 2:
            # How long the rest takes at the pace of the last units.
            left = counts[UnitState.WAITING] + counts[UnitState.RUNNING]
            seconds = left * (now() - moments[-1]).total_seconds() / (len(moments) - 1)
        failures = _count_failures(tx, run.id) if counts[UnitState.FAILED] else ()
        workers = count_workers(tx, now()) if current.state.open else 0
        silence = silence_of(tx, current, now())
        stage = get_stage(tx, current, counts) if silence is None else ""
    return RunProgress(current, counts, seconds, failures, workers, silence, stage)


def begin_run(  # noqa: PLR0917 - who, where, what and of what: none of them can be left out
    store: Store,
    actor: Actor,
    project: Project,
    kind: str,
    title: str,
    options: Options,
    material: bytes,
    *,
    suite_id: str | None = None,
) -> Run:
    """Start an exam of any kind; a worker begins it by itself.

    A title that is a message, or none, is ours: the day and what changed since the last run are added. One that a
    person chose and another run has gets the time.
    """
    actor.require(Role.EDITOR)
    at = now()
    with store.reading() as tx:
        if not title or isinstance(title, Message):
            checked: str = name_run(tx, project, kind, title, at, options, suite_id=suite_id)
            # A name of ours is translated as long as it is whole.
            checked = checked if len(checked) <= MAX_TITLE else check_title(checked[:MAX_TITLE])
        else:
            checked = check_title(title)
            if tx.runs.has_title(project.id, checked):
                when = f", {at:%Y-%m-%d %H:%M:%S}"
                checked = checked[: MAX_TITLE - len(when)] + when
    user_id = actor.user_id
    run = starting.start_run(store, project.id, kind, checked, options, material, user_id=user_id, suite_id=suite_id)
    with store.writing() as tx:
        note(tx, actor, "start", "run", run.id, project_id=project.id, detail=_name(run))
    return run


def cancel_run(store: Store, actor: Actor, project: Project, number: int) -> Run:
    """End a run; what was done so far is kept, and it can go on later."""
    return _act(store, actor, project, number, "cancel", starting.cancel_run)


def resume_run(store: Store, actor: Actor, project: Project, number: int) -> Run:
    """Go on with a run that was cancelled or failed; its bots, engines and rater must be allowed now."""
    return _act(store, actor, project, number, "resume", starting.resume_run)


def retry_run(store: Store, actor: Actor, project: Project, number: int) -> Run:
    """Try again what failed in a run that is over; its bots, engines and rater must be allowed now."""
    return _act(store, actor, project, number, "retry", starting.retry_failed)


def rename_run(store: Store, actor: Actor, project: Project, number: int, title: str) -> Run:
    """Give a run another title."""
    actor.require(Role.EDITOR)
    plain = check_title(title)
    with store.writing() as tx:
        run = get_run(tx, project, number)
        tx.runs.touch(run.id, title=plain)
        detail = say(
            "run {number:d}, {kind}: {title} renamed to {title2}",
            number=run.number,
            kind=run.kind,
            title=run.title,
            title2=plain,
        )
        note(tx, actor, "rename", "run", run.id, project_id=project.id, detail=detail)
        return get_run(tx, project, number)


def delete_run(store: Store, actor: Actor, project: Project, number: int) -> None:
    """Forget a run and all that it found, for good."""
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        run = get_run(tx, project, number)
        if run.state.open:
            raise UsageError(say("the run is still in progress"), remedy=say("cancel it first, then delete it"))
        tx.runs.delete(run.id)
        note(tx, actor, "delete", "run", run.id, project_id=project.id, detail=_name(run))


def check_title(title: str) -> str:
    """Return the title of a run; refuse what cannot be one."""
    plain = clean_text(" ".join(title.split()))
    if not plain or len(plain) > MAX_TITLE:
        raise UsageError(
            say("the title needs 1 to {most_title} characters", most_title=MAX_TITLE),
            where="title",
            remedy=say("choose another one"),
        )
    return plain


_RESULTS: Kept[Any] = Kept(6)
_CHARTS: Kept[bytes] = Kept(60)


def document(store: Store, run: Run, name: str) -> bytes:
    """Return something that is kept with a run; AbsentError where there is none (yet)."""
    # Charts stand on every page of a result. A run whose failed units were tried again has others.
    if run.state is RunState.DONE and name.startswith("charts/"):
        return _CHARTS.get((run.id, run.version, name), lambda: _read(store, run, name))
    return _read(store, run, name)


def result_of(store: Store, run: Run) -> Any:
    """Return what a run found, as its exam reads it; single questions, turns and talks have rows of their own."""
    if run.state is not RunState.DONE:
        raise AbsentError(
            say("run {number} has no result: it is {state}", number=run.number, state=run.state),
            remedy=say("wait until it is done, or resume it"),
        )

    def read() -> Any:
        reader = find_kind(run.kind).reader
        data = restore_messages(json.loads(_read(store, run, FINDINGS)))
        return load_part(reader)(data) if reader else data

    return _RESULTS.get((run.id, run.version), read)


def measures_of(store: Store, run: Run) -> tuple[MeasureRow, ...]:
    """Return the numbers of a run."""
    with store.reading() as tx:
        return tuple(tx.measures.of_run(run.id))


def warnings_of(store: Store, run: Run) -> tuple[str, ...]:
    """Return what is to be known before the numbers of a run are trusted."""
    content = restore_messages(json.loads(_read(store, run, WARNINGS)))
    # Older releases wrote the texts alone.
    return tuple(content if isinstance(content, list) else content["warnings"])


def _read(store: Store, run: Run, name: str) -> bytes:
    with store.reading() as tx:
        stored = tx.documents.get(run.id, clean_text(name))
    if stored is None and (drawn := find_drawn(store, run, name)) is not None:
        return drawn
    if stored is None:
        raise AbsentError(
            say("run {number} has no '{name}'", number=run.number, name=name),
            remedy=say("wait until the run is done") if run.state.open else say("check what the run contains"),
        )
    return stored.content


def _name(run: Run) -> str:
    return say("run {number:d}, {kind}: {title}", number=run.number, kind=run.kind, title=run.title)


def _act(  # noqa: PLR0917 - as the functions above have it, and what they do
    store: Store, actor: Actor, project: Project, number: int, action: str, do: Callable[[Store, str], Run]
) -> Run:
    """Do something with a run; only what was done is written down."""
    from vivavoce.workspace.exams.project_exams import project_exam

    actor.require(Role.EDITOR)
    with store.reading() as tx:
        run = get_run(tx, project, number)
        if action != "cancel":
            project_exam(run.kind).check_allowed(tx, actor, run)
    changed = do(store, run.id)
    with store.writing() as tx:
        note(tx, actor, action, "run", run.id, project_id=project.id, detail=_name(run))
    return changed


def _without_counts(reason: str) -> str:
    if isinstance(reason, Message) and reason.plural:
        return reason.plural
    return change_messages(reason, _without_counts)


def _count_failures(tx: Transaction, run_id: str) -> tuple[FailureCount, ...]:
    """Return the reasons of failures, the most frequent first; a reason is the same wherever it occurred."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for unit in tx.units.of_run(run_id, state=UnitState.FAILED):
        reason = without_remedy(unit.error, unit.key) or say("no reason given")
        # Talks that were under way when a bot fell silent count further than those before: one reason all the same.
        groups.setdefault(_without_counts(reason), []).append((reason, unit.title))
    largest = sorted(groups.values(), key=len, reverse=True)[:SHOWN_REASONS]
    return tuple(FailureCount(own[0][0], len(own), own[0][1]) for own in largest)
