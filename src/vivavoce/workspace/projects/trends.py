"""The numbers that a project is followed by: now, in the runs before, and how they moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from vivavoce.jobs.exams.registry import exam_kinds
from vivavoce.records import Rate
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.exams.comparing import difference_of, judge_difference
from vivavoce.workspace.exams.project_exams import ProjectExam, project_exam
from vivavoce.workspace.projects.today import ExamState, Move, Today

Key = tuple[str, str]
# Runs in a sparkline.
DRAWN = 24
INTENTS = "intents"
# Of topics: how much is answered, how much of that is right, what is rightly declined, and what is right at all.
SHOWN = {INTENTS: ("automation_rate", "precision_answered", "negative_rejection", "accuracy")}


@dataclass(frozen=True, slots=True)
class Trend:
    """A number of the newest run of an exam. `past`: its values in the runs so far, the oldest first.

    `move`: against which run it moved and whether that is more than chance, None where there is none to compare.
    """

    exam: str
    scope: str
    name: str
    rate: Rate
    past: tuple[float, ...]
    move: Move | None


@dataclass(frozen=True, slots=True)
class ProjectCard:
    """A project in the list. `answered` and `correct`: of its newest intents exam, with `past` of the first.

    `headline`: of the newest run of any other exam where there is none. `changes`: edits of topics that the newest
    intents exam does not know; `running`: runs in progress; `topics`, `examples`, `dialogues`: how many it holds.
    """

    project: Project
    topics: int
    examples: int
    dialogues: int
    answered: Rate | None = None
    correct: Rate | None = None
    past: tuple[float, ...] = ()
    headline: str = ""
    examined: datetime | None = None
    changes: int = 0
    running: int = 0


def list_trends(store: Store, project: Project, day: Today) -> tuple[Trend, ...]:
    """Return the numbers of the first exam that a project has: of its topics, else of conversations or dialogues."""
    state = next(iter(day.exams), None)
    if state is None:
        return ()
    with store.reading() as tx:
        return tuple(_read_trends(tx, project, state, day.moves))


def _read_trends(tx: Transaction, project: Project, state: ExamState, moves: Sequence[Move]) -> Iterator[Trend]:
    known = project_exam(state.exam)
    rates, before = tx.measures.rates(state.run.id), tx.measures.rates(state.base.id) if state.base else {}
    own = {(move.scope, move.name): move for move in moves if move.exam == state.exam}
    for name in SHOWN.get(state.exam, known.kind.watched):
        for key in _find_scopes(known, state.run, rates, name):
            move = own.get(key)
            if move is None and state.base is not None and key in before:
                gap = difference_of(before[key], rates[key])
                verdict = judge_difference(known.measure(name), gap)
                move = Move(state.exam, *key, before[key], rates[key], gap, verdict, state.base)
            points = tx.measures.series(project.id, state.exam, scope=key[0], name=name)
            past = tuple(point.value for point in points if point.value is not None)[-DRAWN:]
            yield Trend(state.exam, *key, rates[key], past, move)


def _find_scopes(known: ProjectExam, run: Run, rates: Mapping[Key, Rate], name: str) -> list[Key]:
    """Return whose number of this name is shown: those that Today watches."""
    every = [scope for scope, own in rates if own == name]
    watched = [(scope, name) for scope in known.scopes(run, every) if (scope, name) in rates]
    if known.kind.name != INTENTS or any(rates[key].value is not None for key in watched):
        return watched
    # Where the first setting holds nothing out of scope, the first that does tells how much of it is declined.
    measured = [(scope, name) for scope in every if rates[scope, name].value is not None]
    return measured[:1] or watched


def list_cards(store: Store, projects: Sequence[Project]) -> tuple[ProjectCard, ...]:
    """Return the projects with their numbers."""
    with store.reading() as tx:
        return tuple(_make_card(tx, project) for project in projects)


def _make_card(tx: Transaction, project: Project) -> ProjectCard:
    runs = [tx.runs.latest(project.id, kind.name) for kind in exam_kinds() if kind.watched]
    done = [run for run in runs if run is not None]
    card = ProjectCard(
        project,
        topics=tx.topics.count(project.id),
        examples=tx.examples.count(project.id),
        dialogues=tx.dialogues.count(project.id),
        headline=done[0].headline if done else "",
        examined=max((run.created for run in done), default=None),
        running=len(tx.runs.open(project.id)),
    )
    run = next((run for run in done if run.kind == INTENTS), None)
    if run is None:
        return card
    scope = next(iter(project_exam(INTENTS).scopes(run, ())), "")
    rates = tx.measures.rates(run.id)
    answered, correct = (rates.get((scope, name)) for name in ("automation_rate", "precision_answered"))
    points = tx.measures.series(card.project.id, INTENTS, scope=scope, name="automation_rate")
    return replace(
        card,
        answered=answered,
        correct=correct,
        past=tuple(point.value for point in points if point.value is not None)[-DRAWN:],
        changes=tx.edits.count_of_topics(card.project.id, run.created),
    )
