"""The problems of an exam as people left them: kept apart on purpose, come back, dealt with, or to be fixed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from vivavoce.kept import Kept
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run
from vivavoce.workspace.exams.questions import follow_places
from vivavoce.workspace.exams.runs import result_of

if TYPE_CHECKING:
    from vivavoce.intents.problem_record import Decision, Problem
    from vivavoce.intents.readiness import Readiness
    from vivavoce.intents.result import IntentsResult

# The rows of a project's examples are counted from 1, the places of questions from 0.
FIRST_ROW = 1
# Problems of single examples: people deal with them one by one.
DOUBTS = ("suspects", "outliers")
_DONE: Kept[frozenset[int]] = Kept(64)


def open_problems(store: Store, project: Project, run: Run) -> tuple[Problem, ...]:
    """Return the problems of an intents exam that are to be fixed, the costliest first.

    Topics that are kept apart on purpose are left out; of the suspects, those that somebody dealt with.
    """
    from vivavoce.intents.problem_record import list_open

    return list_open(review_all(store, project, run))


def review_all(store: Store, project: Project, run: Run) -> tuple[Problem, ...]:
    """Return all problems of an intents exam, each with whether it is to be fixed, the costliest first."""
    from vivavoce.intents.problem_record import order_problems, review_problems

    problems = _narrow_suspects(store, project, run)
    return order_problems(review_problems(problems, list(_list_decisions(store, project, run))))


def list_asides(store: Store, project: Project, run: Run) -> tuple[Problem, ...]:
    """Return what needs no fix: topics kept apart on purpose, those with one answer, those with too few examples."""
    from vivavoce.intents.problem_record import Standing

    kept = (problem for problem in review_all(store, project, run) if problem.standing is Standing.KEPT_APART)
    return (*kept, *cast("IntentsResult", result_of(store, run)).asides)


def read_readiness(store: Store, project: Project, run: Run) -> Readiness:
    """Return whether the topics are good enough, and why."""
    from vivavoce.intents.readiness import judge_readiness

    result = cast("IntentsResult", result_of(store, run))
    return judge_readiness(review_all(store, project, run), result.pairs)


def open_suspects(store: Store, project: Project, run: Run) -> dict[str, frozenset[int]]:
    """Return the places of the questions whose topic is in doubt, by the kind of problem; none that is not listed."""
    return {
        str(problem.kind): frozenset(row - FIRST_ROW for row in problem.rows)
        for problem in _narrow_suspects(store, project, run)
        if problem.kind in DOUBTS
    }


def _list_decisions(store: Store, project: Project, run: Run) -> Iterator[Decision]:
    """Yield what people decided, the oldest first: topics kept apart, and remedies applied before this exam."""
    from vivavoce.intents.problem_record import Decision, ProblemKind, Verdict

    with store.reading() as tx:
        names = tx.topics.names(project.id)
        kept = [
            (row.created, row.topics, Verdict.KEEP_APART, row.high) for row in tx.decisions.of_project(project.id)
        ]
        solved = [
            (row.created, row.topics, Verdict.SOLVED, row.high_cost or 0.0)
            for row in tx.forecasts.of_project(project.id)
            if row.created < run.created
        ]
    several = {1: (ProblemKind.WEAKEST_TOPIC, ProblemKind.TO_SPLIT), 2: (ProblemKind.PAIR, ProblemKind.TWIN_NAMES)}
    for _, topics, verdict, high in sorted(kept + solved):
        if all(own in names for own in topics):
            for kind in several.get(len(topics), (ProblemKind.CLUSTER,)):
                yield Decision(verdict, kind, tuple(names[own] for own in topics), high)


def _narrow_suspects(store: Store, project: Project, run: Run) -> Iterator[Problem]:
    from vivavoce.intents.problem_record import narrow_down

    problems = cast("IntentsResult", result_of(store, run)).problems
    with store.reading() as tx:
        key = (run.id, run.version, tx.edits.state(project.id))
    done = _DONE.get(key, lambda: _find_done(store, project, run, problems))
    for problem in problems:
        if problem.kind not in DOUBTS:
            yield problem
        elif left := narrow_down(problem, set(problem.rows) - done):
            yield left


def _find_done(store: Store, project: Project, run: Run, problems: Sequence[Problem]) -> frozenset[int]:
    """Return the rows in doubt that somebody dealt with."""
    places = {row - FIRST_ROW for problem in problems if problem.kind in DOUBTS for row in problem.rows}
    if not places:
        return frozenset()
    lines = follow_places(store, project, run, places)
    return frozenset(line.row.place + FIRST_ROW for line in lines if line.is_done)
