"""Engines: which there are, who may use which, and several of them on the same splits."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from vivavoce import plugins
from vivavoce.errors import AccessError, UsageError
from vivavoce.jobs.exams.bookkeeping import Kept
from vivavoce.jobs.exams.documents import dataset_to_bytes
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role, Run
from vivavoce.workspace.actors import Actor
from vivavoce.workspace.datasets import project_dataset
from vivavoce.workspace.runs import begin_run, document

# These are nothing without an option, so they cannot be chosen from a list.
_BARE = frozenset({"python", "sklearn"})
# The option of these is a language; that of all others names code or files of the machine.
_HARMLESS = frozenset({"tfidf"})


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine that can be chosen, and what it is in one sentence."""

    name: str
    summary: str


@cache
def known_engines() -> tuple[Engine, ...]:
    """Return the engines that are installed and can be used as they are, by name."""
    found = plugins.describe(plugins.CLASSIFIERS)
    # What an option would mean is of no use where none can be given.
    return tuple(Engine(one.name, one.summary.partition("; the option")[0]) for one in found if one.name not in _BARE)


def engine_names(project: Project) -> tuple[str, ...]:
    """Return the names that can be chosen for a project: its own engine first."""
    return tuple(dict.fromkeys([project.classifier, *(one.name for one in known_engines())]))


def check_engine(actor: Actor, name: str) -> None:
    """Refuse an engine whose option names code or files of this machine to everybody but admins."""
    kind, option = plugins.split_name(name)
    if option and kind not in _HARMLESS and not actor.role.covers(Role.ADMIN):
        raise AccessError(
            f"the engine '{name}' uses code or files of this machine, and {actor.name} is {actor.role}",
            remedy="choose an engine from the list, or ask an admin",
        )


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
    names = list(classifiers)
    if len(names) < 2:
        raise UsageError("fewer than two engines are chosen", where="classifiers", remedy="tick at least two")
    for name in names:
        check_engine(actor, name)
    with store.reading() as tx:
        data = project_dataset(tx, project)
    said = title or f"Engines: {', '.join(names)}"
    wanted = {"threshold": project.threshold, **(options or {}), "classifiers": names}
    return begin_run(store, actor, project, "engines", said[:200], wanted, dataset_to_bytes(data))


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
