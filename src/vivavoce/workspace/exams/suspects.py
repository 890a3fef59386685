"""Examples that are probably filed under the wrong topic, as far as nobody has dealt with them since the exam."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run
from vivavoce.workspace.exams.decisions import is_kept_apart, list_kept_apart
from vivavoce.workspace.exams.questions import follow_places
from vivavoce.workspace.exams.runs import result_of

if TYPE_CHECKING:
    from vivavoce.intents.problems import Problem
    from vivavoce.intents.result import IntentsResult

# The rows of a project's examples are counted from 1, the places of questions from 0.
FIRST_ROW = 1


def open_problems(store: Store, project: Project, run: Run) -> tuple[Problem, ...]:
    """Return the problems of an intents exam, without topics that are kept apart on purpose.

    Of the suspects, those are left that nobody has moved, edited or confirmed.
    """
    from vivavoce.intents.problems import order_problems

    apart = list_kept_apart(store, project)
    problems = _narrow_suspects(store, project, run)
    return order_problems(each for each in problems if not is_kept_apart(apart, each.topics, each.low))


def open_suspects(store: Store, project: Project, run: Run) -> frozenset[int]:
    """Return the places of the questions that are still suspect; none where that is not worth a look."""
    from vivavoce.intents.problems import ProblemKind

    problems = (problem for problem in _narrow_suspects(store, project, run) if problem.kind is ProblemKind.SUSPECTS)
    return frozenset(row - FIRST_ROW for problem in problems for row in problem.rows)


def _narrow_suspects(store: Store, project: Project, run: Run) -> Iterator[Problem]:
    from vivavoce.intents.problems import ProblemKind, narrow_down

    for problem in cast("IntentsResult", result_of(store, run)).problems:
        if problem.kind is not ProblemKind.SUSPECTS:
            yield problem
            continue
        lines = follow_places(store, project, run, [row - FIRST_ROW for row in problem.rows])
        done = {line.row.place + FIRST_ROW for line in lines if line.is_done}
        if left := narrow_down(problem, set(problem.rows) - done):
            yield left
