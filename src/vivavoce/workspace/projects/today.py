"""How a project stands today: its state, the biggest problems, what changed in a week, and what is going on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

import sqlalchemy as sa

from vivavoce.records import Rate
from vivavoce.store.database import Store
from vivavoce.store.rows import MeasureRow, Project, Run, RunState
from vivavoce.store.stamps import now
from vivavoce.store.tables import changes, edits
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.exams.comparing import difference_of
from vivavoce.workspace.exams.timeline import edits_between
from vivavoce.workspace.projects.problems import Problem, find_problems

if TYPE_CHECKING:
    from vivavoce.reports.meanings import Measure

WEEK = timedelta(days=7)
EXAMS = ("intents", "conversations", "dialogues")
# The numbers that are watched, the most telling first.
WATCHED: Mapping[str, tuple[str, ...]] = {
    "intents": ("automation_rate", "precision_answered", "negative_rejection"),
    "conversations": ("accuracy", "conversations_passed", "fallback_rate"),
    "dialogues": ("score",),
}
MOST_BOTS = 3
LOOKED_AT = 60

Light = Literal["none", "good", "watch", "bad"]
Verdict = Literal["better", "worse", "same", "unknown"]
Step = Literal["topics", "intents", "suite", "bot", "conversations", "talks", "dialogues"]


@dataclass(frozen=True, slots=True)
class ExamState:
    """The newest run of an exam that is done, and those that it can be held against.

    `before`: the run before it. `base`: the newest that is older than a week, else the oldest of this week.
    """

    exam: str
    run: Run
    before: Run | None = None
    base: Run | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """A number then and now. `scope`: a setting or a bot. `since`: the run that it is held against."""

    exam: str
    scope: str
    name: str
    before: Rate
    after: Rate
    difference: Rate
    verdict: Verdict
    since: Run


@dataclass(frozen=True, slots=True)
class PersonWork:
    """What one person changed in a week."""

    who: str
    edits: int
    last: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Today:
    """How a project stands. `light` good: nothing fell and nothing is badly mixed up; none: nothing was examined.

    `edits_since_exam`: changes that the newest intents exam does not know. `steps`: what is worth doing next.
    """

    light: Light
    exams: tuple[ExamState, ...]
    alarms: tuple[Move, ...]
    problems: tuple[Problem, ...]
    moves: tuple[Move, ...]
    people: tuple[PersonWork, ...]
    runs: tuple[Run, ...]
    open: tuple[Run, ...]
    steps: tuple[Step, ...]
    edits_since_exam: int
    since: datetime


def show_today(store: Store, project: Project) -> Today:
    """Return how a project stands now."""
    since = now() - WEEK
    with store.reading() as tx:
        recent = tx.runs.page(project.id, limit=LOOKED_AT)
        exams = tuple(_exams(tx, project, since))
        numbers = _numbers(tx, exams)
        people = _people(tx, project, since)
        going = tx.runs.open(project.id)
        steps = tuple(_steps(tx, project, {exam.exam for exam in exams}))
        unknown = _unknown_edits(tx, project, exams)
    moves, alarms = tuple(_moves(exams, numbers)), tuple(_alarms(exams, numbers))
    problems = find_problems(store, project, {exam.exam: exam.run for exam in exams})
    return Today(
        light=_light(exams, alarms, problems),
        exams=exams,
        alarms=alarms,
        problems=problems,
        moves=moves,
        people=people,
        runs=tuple(run for run in recent if run.created >= since and not run.state.open),
        open=going,
        steps=steps,
        edits_since_exam=unknown,
        since=since,
    )


def open_runs(store: Store, project: Project) -> tuple[Run, ...]:
    """Return the runs of a project that are going on, the oldest first."""
    with store.reading() as tx:
        return tx.runs.open(project.id)


def _light(exams: Sequence[ExamState], alarms: Sequence[Move], problems: Sequence[Problem]) -> Light:
    if not exams:
        return "none"
    return "bad" if alarms else "watch" if problems else "good"


# --- runs that can be held against each other --------------------------------------------------------------------


def _exams(tx: Transaction, project: Project, since: datetime) -> Iterator[ExamState]:
    for exam in EXAMS:
        done = tx.runs.page(project.id, exam, states=(RunState.DONE,), limit=LOOKED_AT)
        if done:
            older = [run for run in done[1:] if _is_alike(run, done[0])]
            base = next((run for run in older if run.created <= since), older[-1] if older else None)
            yield ExamState(exam, done[0], older[0] if older else None, base)


def _is_alike(run: Run, other: Run) -> bool:
    """Tell whether two runs asked the same kind of questions."""
    source = "settings" if run.kind == "intents" else "source"
    return run.suite_id == other.suite_id and run.options.get(source) == other.options.get(source)


# --- numbers -----------------------------------------------------------------------------------------------------


Numbers = Mapping[str, Mapping[tuple[str, str], Rate]]


def _numbers(tx: Transaction, exams: Sequence[ExamState]) -> Numbers:
    wanted = {run.id for exam in exams for run in (exam.run, exam.before, exam.base) if run is not None}
    return {run_id: {(row.scope, row.name): _rate(row) for row in tx.measures.of_run(run_id)} for run_id in wanted}


def _moves(exams: Sequence[ExamState], numbers: Numbers) -> Iterator[Move]:
    for exam in exams:
        if exam.base is not None:
            yield from _between(exam, exam.base, numbers)


def _alarms(exams: Sequence[ExamState], numbers: Numbers) -> Iterator[Move]:
    """Yield numbers that became worse since the run before, by more than chance would make."""
    for exam in exams:
        if exam.before is not None:
            yield from (move for move in _between(exam, exam.before, numbers) if move.verdict == "worse")


def _between(exam: ExamState, base: Run, numbers: Numbers) -> Iterator[Move]:
    old, new = numbers[base.id], numbers[exam.run.id]
    for scope in _scopes(exam.run, new):
        for name in WATCHED[exam.exam]:
            before, after = old.get((scope, name)), new.get((scope, name))
            # What neither run could measure did not move.
            if before is not None and after is not None and (before.value, after.value) != (None, None):
                gap = difference_of(before, after)
                verdict = _verdict(measure_of(exam.exam, name), gap)
                yield Move(exam.exam, scope, name, before, after, gap, verdict, base)


def _scopes(run: Run, numbers: Mapping[tuple[str, str], Rate]) -> list[str]:
    """Return whose numbers are watched: those of the first setting, of each bot, or of all talks."""
    if run.kind == "dialogues":
        return [""]
    if run.kind == "conversations":
        return list(dict.fromkeys(scope for scope, _ in numbers))[:MOST_BOTS]
    settings = run.options.get("settings") or [[0, 0.0]]
    k, p = settings[0]
    return [f"{int(k)},{repr(float(p)).removesuffix('.0')}"]


def _verdict(measure: Measure, gap: Rate) -> Verdict:
    if gap.value is None or gap.low is None or gap.high is None:
        return "unknown"
    if gap.low <= 0 <= gap.high or measure.better == "neither":
        return "same"
    return "better" if (gap.value > 0) == (measure.better == "higher") else "worse"


def measure_of(exam: str, name: str) -> Measure:
    """Return what a watched number means."""
    from vivavoce.reports.conversation_meanings import CONVERSATION_MEASURES
    from vivavoce.reports.dialogue_meanings import DIALOGUE_MEASURES
    from vivavoce.reports.meanings import MEASURES

    tables = {"intents": MEASURES, "conversations": CONVERSATION_MEASURES, "dialogues": DIALOGUE_MEASURES}
    return tables[exam][name]


def _rate(row: MeasureRow) -> Rate:
    return Rate(row.value, row.low, row.high, row.n)


# --- what people did, and what is left to do ---------------------------------------------------------------------


def _people(tx: Transaction, project: Project, since: datetime) -> tuple[PersonWork, ...]:
    """Return who changed how much since a time, the most recent first."""
    own = (edits.c.project_id == project.id, edits.c.at >= since)
    query = sa.select(edits.c.user_id, sa.func.count(), sa.func.max(edits.c.at)).where(*own)
    counts = {
        found.user_id: (int(found[1]), found[2]) for found in tx.connection.execute(query.group_by(edits.c.user_id))
    }
    last: dict[str | None, str] = {}
    for edit in edits_between(tx, project, since, None, limit=200):
        last.setdefault(edit.user_id, edit.summary)
    users = {user_id: tx.users.get(user_id) for user_id in counts if user_id}
    names = {user_id: user.name or user.login for user_id, user in users.items() if user}
    found = [
        PersonWork(names.get(user_id or "", PRODUCT.name), count, last.get(user_id, ""), at)
        for user_id, (count, at) in counts.items()
    ]
    return tuple(sorted(found, key=lambda one: one.at, reverse=True))


def _unknown_edits(tx: Transaction, project: Project, exams: Sequence[ExamState]) -> int:
    """Return how many edits of topics, answers or examples came after the newest intents exam began."""
    run = next((exam.run for exam in exams if exam.exam == "intents"), None)
    if run is None:
        return 0
    since = (edits.c.project_id == project.id, edits.c.at >= run.created)
    touched = sa.select(changes.c.edit_id).where(changes.c.edit_id == edits.c.id, changes.c.topic_id.is_not(None))
    query = sa.select(sa.func.count()).select_from(edits).where(*since, touched.exists())
    return int(tx.connection.execute(query).scalar_one())


def _steps(tx: Transaction, project: Project, examined: set[str]) -> Iterator[Step]:
    """Yield what the project lacks, in the order in which it is worth doing."""
    if not tx.examples.count(project.id):
        yield "topics"
    elif "intents" not in examined:
        yield "intents"
    suites, bots = tx.suites.of_project(project.id), tx.bots.of_project(project.id)
    if not suites:
        yield "suite"
    if not bots:
        yield "bot"
    if suites and "conversations" not in examined:
        yield "conversations"
    if not tx.dialogues.count(project.id):
        yield "talks"
    elif "dialogues" not in examined:
        yield "dialogues"
