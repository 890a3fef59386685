"""Messages of scripted conversations and what came of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa

from vivavoce.store import tables
from vivavoce.store.repositories.repository import Repository
from vivavoce.store.rows import TurnRow


@dataclass(frozen=True, slots=True)
class TurnFilter:
    """Which messages are wanted; None: all. `search` is looked for in what was sent and what came back."""

    bot: str | None = None
    level: str | None = None
    domain: str | None = None
    outcome: str | None = None
    scenario: str | None = None
    kind: str | None = None
    search: str | None = None


ALL_TURNS = TurnFilter()
# What messages can be sorted by; messages without a time come last.
SORTS = {"bot": "bot", "scenario": "scenario", "outcome": "outcome", "time": "first_ms"}


class Turns(Repository):
    """Messages of scripted conversations."""

    def put(self, rows: Iterable[TurnRow]) -> None:
        """Keep messages; those of a unit that is done again replace the ones before."""
        self._upsert(tables.turns, [asdict(row) for row in rows], ("unit_id", "number"))

    def clear(self, unit_id: str) -> None:
        """Forget the messages of a unit, which begins again."""
        self.connection.execute(sa.delete(tables.turns).where(tables.turns.c.unit_id == unit_id))

    def of_unit(self, unit_id: str) -> tuple[TurnRow, ...]:
        """Return the messages of one conversation, in order."""
        turns = tables.turns
        return self._all(TurnRow, sa.select(turns).where(turns.c.unit_id == unit_id).order_by(turns.c.number))

    def of_run(self, run_id: str, *, repeats: int | None = None) -> tuple[TurnRow, ...]:
        """Return all messages of a run, or those of its first repeats: by unit, in order."""
        turns, units = tables.turns, tables.units
        query = sa.select(turns).join(units, units.c.id == turns.c.unit_id).where(turns.c.run_id == run_id)
        if repeats is not None:
            query = query.where(turns.c.repeat < repeats)
        return self._all(TurnRow, query.order_by(units.c.place, turns.c.number))

    def of_script(self, run_id: str, script: str, repeat: int | None = None) -> tuple[TurnRow, ...]:
        """Return the messages of one script with every bot, side by side."""
        turns = tables.turns
        query = sa.select(turns).where(turns.c.run_id == run_id, turns.c.script == script)
        if repeat is not None:
            query = query.where(turns.c.repeat == repeat)
        return self._all(TurnRow, query.order_by(turns.c.bot, turns.c.repeat, turns.c.number))

    def page(
        self, run_id: str, chosen: TurnFilter = ALL_TURNS, *, sort: str = "", limit: int = 50, offset: int = 0
    ) -> tuple[TurnRow, ...]:
        """Return some messages of a run; `sort` is one of `SORTS`, with a `-` before it the other way round."""
        turns = tables.turns
        query = sa.select(turns).where(*_conditions(run_id, chosen))
        order = (turns.c.bot, turns.c.script, turns.c.repeat, turns.c.number)
        return self._all(TurnRow, query.order_by(*_first(sort), *order).limit(limit).offset(offset))

    def count(self, run_id: str, chosen: TurnFilter = ALL_TURNS) -> int:
        """Return how many messages of a run there are."""
        query = sa.select(sa.func.count()).select_from(tables.turns).where(*_conditions(run_id, chosen))
        return int(self.connection.execute(query).scalar_one())

    def counts(self, run_id: str, chosen: TurnFilter = ALL_TURNS) -> dict[str, int]:
        """Return how many messages of a run came out how."""
        turns = tables.turns
        query = sa.select(turns.c.outcome, sa.func.count()).where(*_conditions(run_id, chosen))
        return {outcome: int(n) for outcome, n in self.connection.execute(query.group_by(turns.c.outcome))}


def _first(sort: str) -> list[sa.ColumnElement[Any]]:
    column = SORTS.get(sort.removeprefix("-"))
    if column is None:
        return []
    chosen = tables.turns.c[column]
    return [chosen.is_(None), chosen.desc() if sort.startswith("-") else chosen.asc()]


def _conditions(run_id: str, chosen: TurnFilter) -> list[sa.ColumnElement[bool]]:
    turns = tables.turns
    conditions = [turns.c.run_id == run_id]
    for name in ("bot", "level", "domain", "outcome", "scenario", "kind"):
        if (wanted := getattr(chosen, name)) is not None:
            conditions.append(turns.c[name] == wanted)
    if chosen.search:
        found = (column.icontains(chosen.search, autoescape=True) for column in (turns.c.sent, turns.c.reply))
        conditions.append(sa.or_(*found))
    return conditions
