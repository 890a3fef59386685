"""Several engines on the same splits: started, and what each one took."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vivavoce.errors import UsageError
from vivavoce.kept import Kept
from vivavoce.sentences import say
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role, Run
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.access.engine_rules import check_engine
from vivavoce.workspace.exams.engine_parts import require_parts
from vivavoce.workspace.exams.runs import begin_run, document
from vivavoce.workspace.topics.datasets import exam_material


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
    actor.require(Role.EDITOR)
    if len(classifiers) < 2:
        raise UsageError("fewer than two engines are chosen", where="classifiers", remedy="tick at least two")
    names = [check_engine(actor, name) for name in classifiers]
    for name in names:
        require_parts(name, "classifiers")
    material = exam_material(store, project)
    said = title or say(f"Engines {', '.join(names)!s}")
    wanted = {"threshold": project.threshold, **(options or {}), "classifiers": names}
    return begin_run(store, actor, project, "engines", said[:200], wanted, material)


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
    return _TIMES.get((run.id, run.version), lambda: _read_times(document(store, run, "timings.json")))


def _read_times(content: bytes) -> tuple[EngineTime, ...]:
    plain = json.loads(content)
    units: dict[str, list[Mapping[str, Any]]] = {}
    for unit in plain["units"]:
        units.setdefault(unit["classifier"], []).append(unit)
    return tuple(_timed(name, own) for name, own in units.items())


def _timed(name: str, units: Sequence[Mapping[str, Any]]) -> EngineTime:
    trained = [float(unit["train_seconds"]) for unit in units]
    messages = sorted(float(seconds) for unit in units for seconds in unit["classify_seconds"])
    middle = messages[len(messages) // 2] if messages else 0.0
    return EngineTime(name, sum(trained) / len(trained), middle, sum(trained) + sum(messages))
