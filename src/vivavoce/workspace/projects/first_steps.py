"""The way into the product: five steps that tick themselves, from the first import to the bot itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from vivavoce.store.database import Store
from vivavoce.store.rows import Project, RunState
from vivavoce.store.transaction import Transaction

Step = Literal["topics", "examine", "fix", "again", "conversations"]


@dataclass(frozen=True, slots=True)
class FirstStep:
    """A step and whether it is done."""

    step: Step
    done: bool


def list_first_steps(store: Store, project: Project) -> tuple[FirstStep, ...]:
    """Return the steps in their order."""
    with store.reading() as tx:
        return tuple(FirstStep(step, done) for step, done in _check(tx, project))


def _check(tx: Transaction, project: Project) -> Iterator[tuple[Step, bool]]:
    ended = tx.runs.page(project.id, "intents", states=(RunState.DONE,), limit=1000)
    yield "topics", tx.examples.count(project.id) > 0
    yield "examine", bool(ended)
    # What was changed after the first exam, by which the next one can be better.
    fixed = bool(ended) and tx.edits.count_of_topics(project.id, ended[-1].created) > 0
    yield "fix", fixed
    yield "again", len(ended) > 1
    yield "conversations", tx.runs.count(project.id, "conversations", states=(RunState.DONE,)) > 0
