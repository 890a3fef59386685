"""How a project stands today: its state, the biggest problems, what changed in a week, and what is going on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import chain, groupby, zip_longest
from typing import Literal

from vivavoce.jobs.exams.registry import exam_kinds, find_kind
from vivavoce.records import Rate
from vivavoce.store.database import Store
from vivavoce.store.rows import Edit, Project, Run, RunState
from vivavoce.store.stamps import now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import person_names
from vivavoce.workspace.exams.comparing import difference_of, judge_difference
from vivavoce.workspace.exams.project_exams import Problem, project_exam
from vivavoce.workspace.exams.verdicts import NO_RATE, QuestionVerdict, Verdict, main_scope, verdict_between


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
    """A number then and now. `scope`: a setting or a bot. `since`: the run that it is held against.

    `questions`: where the verdict comes from the questions that two intents exams share, not from two intervals.
    """

    exam: str
    scope: str
    name: str
    before: Rate
    after: Rate
    difference: Rate
    verdict: Verdict
    since: Run
    questions: QuestionVerdict | None = None


Numbers = Mapping[str, Mapping[tuple[str, str], Rate]]


# By the id of the run that the newest intents exam is held against.
Verdicts = Mapping[str, QuestionVerdict]


def _find_moves(exam: ExamState, base: Run | None, numbers: Numbers, verdicts: Verdicts) -> Iterator[Move]:
    """Yield the watched numbers of an exam, now and in an earlier run."""
    if base is None:
        return
    old, new = numbers[base.id], numbers[exam.run.id]
    if base.id in verdicts:
        # The share of right decisions, with the verdict that the comparison of the two runs gives.
        verdict, key = verdicts[base.id], (main_scope(exam.run), "accuracy")
        before, after = old.get(key, NO_RATE), new.get(key, NO_RATE)
        yield Move(exam.exam, *key, before, after, verdict.difference, verdict.verdict, base, verdict)
    known = project_exam(exam.exam)
    for scope in known.scopes(exam.run, [scope for scope, _ in new]):
        for name in known.kind.watched:
            was, now = old.get((scope, name)), new.get((scope, name))
            # What neither run could measure did not move.
            if was is not None and now is not None and (was.value, now.value) != (None, None):
                gap = difference_of(was, now)
                yield Move(exam.exam, scope, name, was, now, gap, judge_difference(known.measure(name), gap), base)


WEEK = timedelta(days=7)
MAX_PROBLEMS = 8
LOOKED_AT = 60

Light = Literal["none", "good", "watch", "bad"]


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
    steps: tuple[str, ...]
    edits_since_exam: int
    since: datetime


def show_today(store: Store, project: Project) -> Today:
    """Return how a project stands now."""
    since = now() - WEEK
    with store.reading() as tx:
        recent = tx.runs.page(project.id, limit=LOOKED_AT)
        exams = tuple(_list_exams(tx, project, since))
        # The runs that are held against each other: their numbers, and the verdicts where they share questions.
        compared = {run.id for exam in exams for run in (exam.run, exam.before, exam.base) if run is not None}
        numbers = {run_id: tx.measures.rates(run_id) for run_id in compared}
        asked = [exam for exam in exams if find_kind(exam.exam).questions]
        pairs = [(base, exam.run) for exam in asked for base in (exam.before, exam.base) if base]
        judged = {base.id: verdict_between(tx, base, run) for base, run in pairs}
        verdicts = {run_id: verdict for run_id, verdict in judged.items() if verdict.shared}
        people = _list_people(tx, project, since)
        going = tx.runs.open(project.id)
        examined = {exam.exam for exam in exams}
        steps = tuple(
            step
            for kind in exam_kinds()
            for step in project_exam(kind.name).steps(tx, project, examined=kind.name in examined)
        )
        # Edits of topics, answers or examples that came after the newest intents exam began.
        newest = next((exam.run for exam in exams if find_kind(exam.exam).questions), None)
        unknown = tx.edits.count_of_topics(project.id, newest.created) if newest else 0
    moves = tuple(move for exam in exams for move in _find_moves(exam, exam.base, numbers, verdicts))
    # Numbers that became worse since the run before, by more than chance would make.
    since_before = (move for exam in exams for move in _find_moves(exam, exam.before, numbers, verdicts))
    alarms = tuple(move for move in since_before if move.verdict == "worse")
    # Those with a known cost first, the most costly on top; then the others in turn, in the order of their exam.
    by_exam = [project_exam(exam.exam).problems(store, project, exam.run, MAX_PROBLEMS) for exam in exams]
    mixed = [problem for problem in chain.from_iterable(zip_longest(*by_exam)) if problem is not None]
    mixed.sort(key=lambda problem: -(problem.cost.value or 0.0) if problem.cost else 1.0)
    problems = tuple(mixed[:MAX_PROBLEMS])
    light: Light = "none" if not exams else "bad" if alarms else "watch" if problems else "good"
    runs = tuple(run for run in recent if run.created >= since and not run.state.open)
    return Today(light, exams, alarms, problems, moves, people, runs, going, steps, unknown, since)


def open_runs(store: Store, project: Project) -> tuple[Run, ...]:
    """Return the runs of a project that are going on, the oldest first."""
    with store.reading() as tx:
        return tx.runs.open(project.id)


def _list_exams(tx: Transaction, project: Project, since: datetime) -> Iterator[ExamState]:
    for kind in (kind for kind in exam_kinds() if kind.watched):
        done = tx.runs.page(project.id, kind.name, states=(RunState.DONE,), limit=LOOKED_AT)
        if done:
            # Runs that asked the same kind of questions.
            asked = [(run.suite_id, *(run.options.get(name) for name in kind.alike)) for run in done]
            older = [run for run, alike in zip(done[1:], asked[1:], strict=True) if alike == asked[0]]
            base = next((run for run in older if run.created <= since), older[-1] if older else None)
            yield ExamState(kind.name, done[0], older[0] if older else None, base)


def _list_people(tx: Transaction, project: Project, since: datetime) -> tuple[PersonWork, ...]:
    """Return who changed how much since a time, the most recent first."""
    counts = tx.edits.by_person(project.id, since)
    last: dict[str | None, str] = {}
    for edit in tx.edits.of_project(project.id, since=since, limit=200):
        last.setdefault(edit.user_id, edit.summary)
    names = person_names(tx, list(counts))
    work = (PersonWork(names[who], count, last.get(who, ""), at) for who, (count, at) in counts.items())
    return tuple(sorted(work, key=lambda person: person.at, reverse=True))


SHOWN = 8
# Edits of the same kind in a row are one line.
SHOWN_EDITS = 60


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that happened. `user_id` None: the product did it. `more`: as many of the same kind came before it.

    `edit` is what the newest of them changed; `run` an exam that ended. One of the two is given.
    """

    at: datetime
    user_id: str | None
    who: str
    edit: Edit | None = None
    run: Run | None = None
    more: int = 0


def list_happenings(store: Store, project: Project, *, limit: int = SHOWN) -> tuple[Happening, ...]:
    """Return what happened last."""
    with store.reading() as tx:
        edits = tx.edits.of_project(project.id, limit=SHOWN_EDITS)
        runs = [run for run in tx.runs.page(project.id, limit=limit) if not run.state.open]
        names = person_names(tx, [*(edit.user_id for edit in edits), *(run.user_id for run in runs)])
    lines = [Happening(edit.at, edit.user_id, names[edit.user_id], edit=edit) for edit in edits]
    lines += [Happening(run.finished or run.created, run.user_id, names[run.user_id], run=run) for run in runs]
    newest = sorted(lines, key=lambda line: line.at, reverse=True)

    def kind_of(line: Happening) -> tuple[object, ...]:
        # Edits in a row of the same kind, person and day are one line.
        return (line.user_id, line.edit.action, line.at.date()) if line.edit else (line.run and line.run.id,)

    groups = [list(own) for _, own in groupby(newest, key=kind_of)]
    return tuple(replace(own[0], more=len(own) - 1) for own in groups[:limit])


Step = Literal["topics", "examine", "fix", "again", "conversations"]


def list_first_steps(store: Store, project: Project) -> dict[Step, bool]:
    """Return the steps into the product in their order, each with whether it is done: they tick themselves."""
    with store.reading() as tx:
        ended = tx.runs.page(project.id, "intents", states=(RunState.DONE,), limit=1000)
        return {
            "topics": tx.examples.count(project.id) > 0,
            "examine": bool(ended),
            # What was changed after the first exam, by which the next one can be better.
            "fix": bool(ended) and tx.edits.count_of_topics(project.id, ended[-1].created) > 0,
            "again": len(ended) > 1,
            "conversations": tx.runs.count(project.id, "conversations", states=(RunState.DONE,)) > 0,
        }
