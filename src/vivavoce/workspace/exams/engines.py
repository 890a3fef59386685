"""Several engines on the same splits: started, and what each one took."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vivavoce.kept import Kept
from vivavoce.messages import join_and, say
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.exams.project_exams import ProjectExam, start_exam
from vivavoce.workspace.exams.runs import document

KIND = "engines"


def start_engines(
    store: Store,
    actor: Actor,
    project: Project,
    classifiers: Sequence[str],
    *,
    title: str = "",
    options: Mapping[str, Any] | None = None,
) -> Run:
    """Examine several engines on the same splits; `options` as those of an intents exam."""
    return start_exam(store, actor, project, KIND, {**(options or {}), "classifiers": list(classifiers)}, title)


class EnginesInProject(ProjectExam):
    """The comparison of classifiers in a project."""

    def name_run(self, project: Project, chosen: Mapping[str, Any]) -> str:
        """Return the names of the classifiers."""
        return say("{names} compared", names=join_and(chosen["classifiers"]))

    def steps(self, tx: Transaction, project: Project, *, examined: bool) -> Iterator[str]:
        """Yield nothing: a project does well with one classifier."""
        yield from ()


@dataclass(frozen=True, slots=True)
class EngineTime:
    """Seconds that an engine took: to learn one split, for one message, and for all splits together."""

    name: str
    train: float
    message: float
    total: float


# The file holds the seconds of every single message.
_TIMES: Kept[tuple[EngineTime, ...]] = Kept(8)


def engine_times(store: Store, run: Run) -> tuple[EngineTime, ...]:
    """Return what the engines of a comparison took, in their order."""

    def read() -> tuple[EngineTime, ...]:
        units: dict[str, list[Mapping[str, Any]]] = {}
        for unit in json.loads(document(store, run, "timings.json"))["units"]:
            units.setdefault(unit["classifier"], []).append(unit)
        return tuple(_measure_time(name, own) for name, own in units.items())

    return _TIMES.get((run.id, run.version), read)


def _measure_time(name: str, units: Sequence[Mapping[str, Any]]) -> EngineTime:
    trained = [float(unit["train_seconds"]) for unit in units]
    messages = sorted(float(seconds) for unit in units for seconds in unit["classify_seconds"])
    middle = messages[len(messages) // 2] if messages else 0.0
    return EngineTime(name, sum(trained) / len(trained), middle, sum(trained) + sum(messages))
