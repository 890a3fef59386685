"""Logged talks, with their newest scores."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import sqlalchemy as sa

from vivavoce.errors import UsageError, nearest
from vivavoce.store import tables
from vivavoce.store.repositories.repository import PIECE, Repository
from vivavoce.store.rows import DialogueRow, ScoreRow

T = TypeVar("T")
SORTS = ("worst", "best", "newest", "name")


@dataclass(frozen=True, slots=True)
class DialogueFilter:
    """Which talks are wanted; None: all. `search` is looked for in the name and in what was said."""

    batch: str | None = None
    bot: str | None = None
    search: str | None = None


ALL_DIALOGUES = DialogueFilter()


@dataclass(frozen=True, slots=True)
class ScoredDialogue:
    """A talk and its score, where it has one."""

    dialogue: DialogueRow
    score: ScoreRow | None


class Dialogues(Repository):
    """Logged talks of a project."""

    def put(self, rows: Iterable[DialogueRow]) -> None:
        """Keep talks; one of the same name in the project is replaced and keeps its id, scores and ratings."""
        rows = list(rows)
        ids = self._ids(rows)
        values = [{**asdict(row), "id": ids.get((row.project_id, row.name), row.id)} for row in rows]
        self._upsert(tables.dialogues, values, ("project_id", "name"))

    def get(self, dialogue_id: str) -> DialogueRow | None:
        """Return a talk."""
        return self._one(DialogueRow, sa.select(tables.dialogues).where(tables.dialogues.c.id == dialogue_id))

    def by_name(self, project_id: str, name: str) -> DialogueRow | None:
        """Return the talk of this name."""
        table = tables.dialogues
        return self._one(DialogueRow, sa.select(table).where(table.c.project_id == project_id, table.c.name == name))

    def of_project(self, project_id: str, chosen: DialogueFilter = ALL_DIALOGUES) -> tuple[DialogueRow, ...]:
        """Return the talks of a project in the order in which they came."""
        table = tables.dialogues
        query = sa.select(table).where(*_conditions(project_id, chosen))
        return self._all(DialogueRow, query.order_by(table.c.created, table.c.place, table.c.id))

    def page(
        self,
        project_id: str,
        chosen: DialogueFilter = ALL_DIALOGUES,
        *,
        run_id: str | None = None,
        sort: str = "worst",
        limit: int = 25,
        offset: int = 0,
    ) -> tuple[ScoredDialogue, ...]:
        """Return some talks with the score of a run, or with their newest; those without a score come last."""
        table, scores = tables.dialogues, _scores(project_id, run_id)
        query = sa.select(
            table, *(column.label(f"score_{column.name}") for column in scores.c if column.name != "rank")
        )
        query = query.select_from(table.outerjoin(scores, scores.c.dialogue_id == table.c.id))
        query = query.where(*_conditions(project_id, chosen)).order_by(*_order(sort, scores.c.score))
        return tuple(map(self._scored, self.connection.execute(query.limit(limit).offset(offset)).mappings()))

    def count(self, project_id: str, chosen: DialogueFilter = ALL_DIALOGUES) -> int:
        """Return how many talks there are."""
        query = sa.select(sa.func.count()).select_from(tables.dialogues).where(*_conditions(project_id, chosen))
        return int(self.connection.execute(query).scalar_one())

    def batches(self, project_id: str) -> dict[str, int]:
        """Return how many talks came with each upload, the newest upload first."""
        table = tables.dialogues
        query = sa.select(table.c.batch, sa.func.count()).where(table.c.project_id == project_id)
        query = query.group_by(table.c.batch).order_by(sa.func.max(table.c.created).desc(), table.c.batch)
        return {batch: int(n) for batch, n in self.connection.execute(query)}

    def bots(self, project_id: str) -> dict[str, int]:
        """Return how many talks each bot had; talks without a named bot are left out."""
        table = tables.dialogues
        named = (table.c.project_id == project_id, table.c.bot.is_not(None))
        query = sa.select(table.c.bot, sa.func.count()).where(*named).group_by(table.c.bot).order_by(table.c.bot)
        return {bot: int(n) for bot, n in self.connection.execute(query)}

    def ids(self, project_id: str) -> dict[str, str]:
        """Return the ids of all talks of a project, each by its name and by itself."""
        table = tables.dialogues
        query = sa.select(table.c.id, table.c.name).where(table.c.project_id == project_id)
        found = self.connection.execute(query).all()
        return {each: each for each, _ in found} | {name: each for each, name in found}

    def delete(self, project_id: str, ids: Collection[str]) -> int:
        """Forget talks with their scores and ratings; returns how many there were."""
        table, wanted, gone = tables.dialogues, list(ids), 0
        for start in range(0, len(wanted), PIECE):
            mine = (table.c.project_id == project_id, table.c.id.in_(wanted[start : start + PIECE]))
            gone += self.connection.execute(sa.delete(table).where(*mine)).rowcount
        return gone

    def _ids(self, rows: Collection[DialogueRow]) -> dict[tuple[str, str], str]:
        table = tables.dialogues
        found: dict[tuple[str, str], str] = {}
        for project_id in {row.project_id for row in rows}:
            names = [row.name for row in rows if row.project_id == project_id]
            for start in range(0, len(names), PIECE):
                there = (table.c.project_id == project_id, table.c.name.in_(names[start : start + PIECE]))
                query = sa.select(table.c.id, table.c.name).where(*there)
                found |= {(project_id, name): each for each, name in self.connection.execute(query)}
        return found

    def _scored(self, found: Mapping[Any, Any]) -> ScoredDialogue:
        own = {name: value for name, value in found.items() if not name.startswith("score_")}
        score = {name.removeprefix("score_"): value for name, value in found.items() if name.startswith("score_")}
        return ScoredDialogue(
            self._made(DialogueRow, own), ScoreRow(**score) if score["dialogue_id"] is not None else None
        )

    def _made(self, kind: type[T], found: Mapping[Any, Any]) -> T:
        return kind(**{**found, "turns": tuple(found["turns"])})


def _scores(project_id: str, run_id: str | None) -> sa.Subquery:
    """Return the scores of a run, or the newest of each talk, which takes longer to find."""
    scores, runs = tables.scores, tables.runs
    if run_id is not None:
        return sa.select(scores).where(scores.c.run_id == run_id).subquery()
    newest = sa.func.row_number().over(partition_by=scores.c.dialogue_id, order_by=runs.c.number.desc())
    every = sa.select(scores, newest.label("rank")).join(runs, runs.c.id == scores.c.run_id)
    ranked = every.where(runs.c.project_id == project_id).subquery()
    return sa.select(ranked).where(ranked.c.rank == 1).subquery()


def _order(sort: str, score: sa.ColumnElement[Any]) -> list[sa.ColumnElement[Any]]:
    table = tables.dialogues
    ways: dict[str, list[sa.ColumnElement[Any]]] = {
        "worst": [score.asc().nulls_last(), table.c.created, table.c.place],
        "best": [score.desc().nulls_last(), table.c.created, table.c.place],
        "newest": [table.c.created.desc(), table.c.place],
        "name": [table.c.name.asc()],
    }
    if sort not in ways:
        raise UsageError(
            f"talks cannot be sorted by '{sort}'.{nearest(sort, SORTS)}", remedy=f"use one of {', '.join(SORTS)}"
        )
    return [*ways[sort], table.c.id.asc()]


def _conditions(project_id: str, chosen: DialogueFilter) -> list[sa.ColumnElement[bool]]:
    table = tables.dialogues
    conditions = [table.c.project_id == project_id]
    for column, wanted in ((table.c.batch, chosen.batch), (table.c.bot, chosen.bot)):
        if wanted is not None:
            conditions.append(column == wanted)
    if chosen.search:
        said = sa.cast(table.c.turns, sa.Text)
        found = (column.icontains(chosen.search, autoescape=True) for column in (table.c.name, said))
        conditions.append(sa.or_(*found))
    return conditions
