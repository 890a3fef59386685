"""Runs: begun, watched, ended early, gone on with; what they found, read back.

Every kind of exam goes through here. Editors begin and end runs; everybody may look.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from vivavoce.errors import AbsentError, UsageError, without_remedy
from vivavoce.jobs import starting
from vivavoce.jobs.exams.protocol import Options
from vivavoce.jobs.exams.registry import find_kind, load_part
from vivavoce.kept import Kept
from vivavoce.messages import Message, change_messages, restore_messages, say
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.rows import MeasureRow, Project, Role, Run, RunState, UnitState
from vivavoce.store.stamps import now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor, person_names
from vivavoce.workspace.access.auditing import note
from vivavoce.workspace.exams.silence import Silence, count_workers, silence_of

MOST_TITLE = 200
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
    """How far a run is; `seconds_left` is None where nobody can tell. `silence`: nobody is at work on it."""

    run: Run
    counts: Mapping[UnitState, int]
    seconds_left: float | None
    failures: tuple[FailureCount, ...]
    workers: int
    silence: Silence | None = None


# --- looking -----------------------------------------------------------------------------------------------------


def get_run(tx: Transaction, project: Project, number: int, kind: str | None = None) -> Run:
    """Return a run by its number; AbsentError where there is none, or none of this kind."""
    found = tx.runs.by_number(project.id, number)
    if found is None or (kind is not None and found.kind != kind):
        what = (
            say("there is no run {number}", number=number)
            if kind is None
            else say("there is no run {number} of the exam '{kind}'", number=number, kind=kind)
        )
        raise AbsentError(what, remedy=say("choose one from the list: it may have been deleted"))
    return found


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
        found = tx.runs.page(project.id, kind, states=states, limit=limit, offset=offset)
        names = person_names(tx, [run.user_id for run in found])
        total = tx.runs.count(project.id, kind, states=states)
    return RunPage(tuple(RunLine(run, names[run.user_id]) for run in found), total)


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
        left = counts[UnitState.WAITING] + counts[UnitState.RUNNING]
        seconds = _seconds_left(tx, run.id, left) if current.state is RunState.RUNNING else None
        failures = _failures(tx, run.id) if counts[UnitState.FAILED] else ()
        workers = count_workers(tx, now()) if current.state.open else 0
        silence = silence_of(tx, current, now())
    return RunProgress(current, counts, seconds, failures, workers, silence)


# --- doing -------------------------------------------------------------------------------------------------------


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
    schedule_id: str | None = None,
    limits: Mapping[str, int] | None = None,
) -> Run:
    """Start an exam of any kind; a worker begins it by itself. A title that another run has gets the time."""
    actor.require(Role.EDITOR)
    # A title of ours is translated as long as it is whole.
    ours = isinstance(title, Message)
    checked = title if ours and len(title) <= MOST_TITLE else check_title(title[:MOST_TITLE] if ours else title)
    said = _told_apart(store, project, checked)
    run = starting.start_run(
        store,
        project.id,
        kind,
        said,
        options,
        material,
        user_id=actor.user_id,
        suite_id=suite_id,
        schedule_id=schedule_id,
        limits=limits,
    )
    with store.writing() as tx:
        note(tx, actor, "start", "run", run.id, project_id=project.id, detail=_name(run))
    return run


def cancel_run(store: Store, actor: Actor, project: Project, number: int) -> Run:
    """End a run; what was done so far is kept, and it can go on later."""
    return _told(store, actor, project, number, "cancel", starting.cancel_run)


def resume_run(store: Store, actor: Actor, project: Project, number: int) -> Run:
    """Go on with a run that was cancelled or failed; its bots, engines and rater must be allowed now."""
    _check_allowed(store, actor, project, number)
    return _told(store, actor, project, number, "resume", starting.resume_run)


def retry_run(store: Store, actor: Actor, project: Project, number: int) -> Run:
    """Try again what failed in a run that is over; its bots, engines and rater must be allowed now."""
    _check_allowed(store, actor, project, number)
    return _told(store, actor, project, number, "retry", starting.retry_failed)


def rename_run(store: Store, actor: Actor, project: Project, number: int, title: str) -> Run:
    """Give a run another title."""
    actor.require(Role.EDITOR)
    said = check_title(title)
    with store.writing() as tx:
        run = get_run(tx, project, number)
        tx.runs.rename(run.id, said)
        note(tx, actor, "rename", "run", run.id, project_id=project.id, detail=_renamed(run, said))
        return get_run(tx, project, number)


def delete_run(store: Store, actor: Actor, project: Project, number: int) -> None:
    """Forget a run and all that it found, for good."""
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        run = get_run(tx, project, number)
        if run.state.open:
            raise UsageError(say("the run is still going on"), remedy=say("cancel it first, then delete it"))
        tx.runs.delete(run.id)
        note(tx, actor, "delete", "run", run.id, project_id=project.id, detail=_name(run))


def _told_apart(store: Store, project: Project, title: str) -> str:
    """Return the title of a new run, with the time where it would be the second of its name."""
    with store.reading() as tx:
        if not tx.runs.has_title(project.id, title):
            return title
    when = f", {now():%Y-%m-%d %H:%M:%S}"
    return title + when if len(title) + len(when) <= MOST_TITLE else title[: MOST_TITLE - len(when)] + when


def check_title(title: str) -> str:
    """Return the title of a run; refuse what cannot be one."""
    said = clean_text(" ".join(title.split()))
    if not said or len(said) > MOST_TITLE:
        raise UsageError(
            say("the title needs 1 to {most_title} characters", most_title=MOST_TITLE),
            where="title",
            remedy=say("choose another one"),
        )
    return said


# --- what was found ----------------------------------------------------------------------------------------------


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
            remedy=say("wait until it is done, or let it go on"),
        )
    return _RESULTS.get((run.id, run.version), lambda: _read_result(run.kind, _read(store, run, FINDINGS)))


def measures_of(store: Store, run: Run) -> tuple[MeasureRow, ...]:
    """Return the numbers of a run."""
    with store.reading() as tx:
        return tuple(tx.measures.of_run(run.id))


def warnings_of(store: Store, run: Run) -> tuple[str, ...]:
    """Return what is to be known before the numbers of a run are trusted."""
    content = restore_messages(json.loads(_read(store, run, WARNINGS)))
    # Older releases wrote the texts alone.
    return tuple(content if isinstance(content, list) else content["warnings"])


def _read_result(kind: str, content: bytes) -> Any:
    reader = find_kind(kind).reader
    data = restore_messages(json.loads(content))
    return load_part(reader)(data) if reader else data


def _read(store: Store, run: Run, name: str) -> bytes:
    with store.reading() as tx:
        found = tx.documents.get(run.id, clean_text(name))
    if found is None:
        raise AbsentError(
            say("run {number} has no '{name}'", number=run.number, name=name),
            remedy=say("wait until the run is done") if run.state.open else say("look at what the run holds"),
        )
    return found.content


# --- the work ----------------------------------------------------------------------------------------------------


def _name(run: Run) -> str:
    return say("run {number:d}, {kind}: {title}", number=run.number, kind=run.kind, title=run.title)


def _renamed(run: Run, title: str) -> str:
    return say(
        "run {number:d}, {kind}: {title}, is now called {title2}",
        number=run.number,
        kind=run.kind,
        title=run.title,
        title2=title,
    )


def _told(  # noqa: PLR0917 - as the functions above have it, and what they do
    store: Store, actor: Actor, project: Project, number: int, action: str, do: Callable[[Store, str], Run]
) -> Run:
    """Do something with a run; only what was done is written down."""
    actor.require(Role.EDITOR)
    with store.reading() as tx:
        run = get_run(tx, project, number)
    done = do(store, run.id)
    with store.writing() as tx:
        note(tx, actor, action, "run", run.id, project_id=project.id, detail=_name(run))
    return done


def _check_allowed(store: Store, actor: Actor, project: Project, number: int) -> None:
    from vivavoce.workspace.exams.project_exams import project_exam

    actor.require(Role.EDITOR)
    with store.reading() as tx:
        run = get_run(tx, project, number)
        project_exam(run.kind).check_allowed(tx, actor, run)


def _seconds_left(tx: Transaction, run_id: str, left: int) -> float | None:
    """Return how long the rest takes at the pace of the last units; None before the first two."""
    moments = tx.units.last_finished(run_id, PACED)
    if len(moments) < 2:
        return None
    span = (now() - moments[-1]).total_seconds()
    return left * span / (len(moments) - 1)


def _without_counts(reason: str) -> str:
    if isinstance(reason, Message) and reason.plural:
        return reason.plural
    return change_messages(reason, _without_counts)


def _failures(tx: Transaction, run_id: str) -> tuple[FailureCount, ...]:
    """Return the reasons of failures, the most frequent first; a reason is the same wherever it occurred."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for unit in tx.units.of_run(run_id, state=UnitState.FAILED):
        reason = without_remedy(unit.error, unit.key) or say("no reason was given")
        # Talks that were under way when a bot fell silent count further than those before: one reason all the same.
        groups.setdefault(_without_counts(reason), []).append((reason, unit.title))
    found = sorted(groups.values(), key=len, reverse=True)[:SHOWN_REASONS]
    return tuple(FailureCount(own[0][0], len(own), own[0][1]) for own in found)
