"""Topics that are kept apart on purpose: their confusion is not listed until it costs more than it did then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from vivavoce.errors import UsageError
from vivavoce.messages import join_and, say
from vivavoce.store.database import Store
from vivavoce.store.rows import DecisionRow, Edit, Project, Role
from vivavoce.store.stamps import new_id, now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor

KEEP_APART = "keep_apart"


@dataclass(frozen=True, slots=True)
class KeptApart:
    """Topics that stay apart on purpose, by id and by name; `high`: the most that they cost when that was decided."""

    id: str
    topics: tuple[str, ...]
    names: tuple[str, ...]
    high: float


def keep_apart(
    store: Store, actor: Actor, project: Project, topics: Sequence[str], high: float, *, why: str = ""
) -> Edit:
    """Decide that topics stay apart on purpose: they are not listed until they cost more than `high`."""
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        names = tx.topics.names(project.id)
        if len(topics) < 2 or not all(own in names for own in topics):
            raise UsageError(say("a topic is gone"), remedy=say("open the list of topics to see what became of it"))
        if any(set(row.topics) == set(topics) for row in _kept(tx, project)):
            raise UsageError(say("these topics are kept apart already"), remedy=say("nothing needs doing"))
        row = DecisionRow(new_id(), project.id, KEEP_APART, tuple(topics), high, now())
        change = tx.edits.insert("decisions", {**asdict(row), "topics": list(topics)})
        summary = say("Kept apart on purpose: {names}", names=join_and([names[own] for own in topics]))
        return tx.edits.apply(project.id, actor.user_id, "keep apart", summary, [change], why=why)


def drop_decision(store: Store, actor: Actor, project: Project, decision_id: str, *, why: str = "") -> Edit:
    """Take a decision back: the problem is listed again."""
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        row = next((each for each in tx.decisions.of_project(project.id) if each.id == decision_id), None)
        if row is None:
            raise UsageError(say("this decision is gone"), remedy=say("open the page again"))
        names = tx.topics.names(project.id)
        known = join_and([names[own] for own in row.topics if own in names])
        summary = say("No longer kept apart: {names}", names=known)
        change = tx.edits.delete("decisions", row.id)
        return tx.edits.apply(project.id, actor.user_id, "drop decision", summary, [change], why=why)


def list_kept_apart(store: Store, project: Project) -> tuple[KeptApart, ...]:
    """Return the topics that are kept apart on purpose and are all still there, the newest decision first."""
    with store.reading() as tx:
        names = tx.topics.names(project.id)
        return tuple(
            KeptApart(row.id, row.topics, tuple(names[own] for own in row.topics), row.high)
            for row in _kept(tx, project)
            if all(own in names for own in row.topics)
        )


def _kept(tx: Transaction, project: Project) -> list[DecisionRow]:
    return [row for row in tx.decisions.of_project(project.id) if row.kind == KEEP_APART]
