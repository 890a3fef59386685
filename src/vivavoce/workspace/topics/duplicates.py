"""Examples that say nearly the same: under different topics they contradict each other, in one they teach little."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from vivavoce.kept import Kept
from vivavoce.store.database import Store
from vivavoce.store.rows import ExampleRow, Project
from vivavoce.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Twin:
    """An example with the name of its topic (None: out of scope)."""

    row: ExampleRow
    topic: str | None


@dataclass(frozen=True, slots=True)
class Twins:
    """Examples that say nearly the same; `apart`: they stand under different topics."""

    examples: tuple[Twin, ...]
    apart: bool


@dataclass(frozen=True, slots=True)
class TwinPage:
    """Some groups of examples, those under different topics first, how many fit, and how many stand apart."""

    groups: tuple[Twins, ...]
    total: int
    apart: int


_FOUND: Kept[tuple[Twins, ...]] = Kept(4)


def list_duplicates(
    store: Store, project: Project, *, apart: bool = False, limit: int = 50, offset: int = 0
) -> TwinPage:
    """Return examples that say nearly the same, as exams tell it; `apart`: those under different topics alone."""
    with store.reading() as tx:
        found = _FOUND.get((project.id, tx.edits.state(project.id)), lambda: _twins(tx, project))
    torn = [group for group in found if group.apart]
    chosen = torn if apart else found
    return TwinPage(tuple(chosen[offset : offset + limit]), len(chosen), len(torn))


def _twins(tx: Transaction, project: Project) -> tuple[Twins, ...]:
    from vivavoce.text.duplicates import duplicate_groups  # heavy: only when somebody looks

    names = tx.topics.names(project.id)
    rows = tx.examples.of_project(project.id)
    groups: defaultdict[int, list[Twin]] = defaultdict(list)
    for row, number in zip(rows, duplicate_groups([row.text for row in rows]) if rows else (), strict=True):
        groups[int(number)].append(Twin(row, names.get(row.topic_id or "")))
    found = [Twins(tuple(own), len({one.topic for one in own}) > 1) for own in groups.values() if len(own) > 1]
    return tuple(sorted(found, key=lambda group: not group.apart))
