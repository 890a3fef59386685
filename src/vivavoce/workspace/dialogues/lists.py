"""Lists of talks: the worst first, narrowed down, a page at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from vivavoce.errors import UsageError, nearest
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.repositories.repository import PIECE
from vivavoce.store.rows import Project
from vivavoce.store.tables import dialogues, ratings
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.dialogues.dialogues import is_mark, latest_runs

# "score": the worst first; a minus turns the order round.
SORTS = ("score", "-score", "name", "-name", "created", "-created")
SHOWN = 140


@dataclass(frozen=True, slots=True)
class TalkChoice:
    """Which talks are wanted; None: all. `marked`: whether somebody gave the talk a mark from 1 to 5."""

    batch: str | None = None
    bot: str | None = None
    search: str | None = None
    marked: bool | None = None


EVERY_TALK = TalkChoice()


@dataclass(frozen=True, slots=True)
class TalkLine:
    """One talk in a list. `begins`: what the visitor said first. `mark`: the mean of `marks` marks."""

    id: str
    name: str
    batch: str
    bot: str | None
    messages: int
    begins: str
    passed: bool | None
    created: datetime
    run: int | None
    score: float | None
    low: float | None
    high: float | None
    refusal: str
    mark: float | None
    marks: int


@dataclass(frozen=True, slots=True)
class TalkPage:
    """Some talks, and how many there are in all."""

    lines: tuple[TalkLine, ...]
    total: int


def list_talks(
    store: Store,
    project: Project,
    chosen: TalkChoice = EVERY_TALK,
    *,
    sort: str = "score",
    limit: int = 50,
    offset: int = 0,
) -> TalkPage:
    """Return some talks with their newest scores; those without a score come last."""
    if sort not in SORTS:
        raise UsageError(
            f"talks cannot be sorted by '{sort}'.{nearest(sort, SORTS)}", remedy=f"use one of {', '.join(SORTS)}"
        )
    conditions = _conditions(project, chosen)
    with store.reading() as tx:
        total = sa.select(sa.func.count()).select_from(dialogues).where(*conditions)
        found = _order_of(tx, project, conditions, sort, limit, offset)
        lines = tuple(_lines(tx, found))
        return TalkPage(lines, int(tx.connection.execute(total).scalar_one()))


def first_words(turns: Sequence[Mapping[str, Any]]) -> str:
    """Return how a talk begins: the first words of the visitor, or of whoever spoke."""
    by_person = (turn for turn in turns if turn.get("is_bot") is not True and str(turn.get("text", "")).strip())
    first = next(by_person, turns[0] if turns else {})
    said = " ".join(str(first.get("text", "")).split())
    return said if len(said) <= SHOWN else f"{said[:SHOWN]}…"


def _order_of(  # noqa: PLR0917
    tx: Transaction,
    project: Project,
    conditions: Sequence[sa.ColumnElement[bool]],
    sort: str,
    limit: int,
    offset: int,
) -> list[Mapping[Any, Any]]:
    """Return ids and scores alone: what was said is read for the talks of this page only."""
    newest = latest_runs(tx, project)
    columns = (newest.c.run, newest.c.score, newest.c.low, newest.c.high, newest.c.refusal)
    query = sa.select(dialogues.c.id, *columns)
    query = query.select_from(dialogues.outerjoin(newest, newest.c.dialogue_id == dialogues.c.id)).where(*conditions)
    query = query.order_by(*_order(sort, newest.c.score)).limit(limit).offset(offset)
    return [dict(row) for row in tx.connection.execute(query).mappings()]


def _order(sort: str, score: sa.ColumnElement[Any]) -> tuple[sa.ColumnElement[Any], ...]:
    name = sort.removeprefix("-")
    column: sa.ColumnElement[Any] = {"score": score, "name": dialogues.c.name, "created": dialogues.c.created}[name]
    first = column.desc() if sort.startswith("-") else column.asc()
    return (first.nulls_last() if name == "score" else first), dialogues.c.created, dialogues.c.place, dialogues.c.id


def _conditions(project: Project, chosen: TalkChoice) -> list[sa.ColumnElement[bool]]:
    conditions: list[sa.ColumnElement[bool]] = [dialogues.c.project_id == project.id]
    for column, wanted in ((dialogues.c.batch, chosen.batch), (dialogues.c.bot, chosen.bot)):
        if wanted is not None:
            conditions.append(column == clean_text(wanted))
    if chosen.search:
        wanted = clean_text(chosen.search)
        said = sa.cast(dialogues.c.turns, sa.Text)
        conditions.append(sa.or_(*(one.icontains(wanted, autoescape=True) for one in (dialogues.c.name, said))))
    if chosen.marked is not None:
        marks = dialogues.c.id.in_(sa.select(ratings.c.dialogue_id).where(*is_mark()))
        conditions.append(marks if chosen.marked else ~marks)
    return conditions


def _lines(tx: Transaction, found: Sequence[Mapping[Any, Any]]) -> Iterator[TalkLine]:
    """Yield the lines of a page, read in pieces: an export asks for all of them."""
    for start in range(0, len(found), PIECE):
        some = found[start : start + PIECE]
        ids = [row["id"] for row in some]
        talks = {row["id"]: row for row in tx.connection.execute(_rows_of(ids)).mappings()}
        marks = {row.dialogue_id: (float(row.mark), int(row.n)) for row in tx.connection.execute(_marks_of(ids))}
        for row in some:
            yield _line(talks[row["id"]], row, marks.get(row["id"], (None, 0)))


def _rows_of(ids: Sequence[str]) -> sa.Select[Any]:
    return sa.select(dialogues).where(dialogues.c.id.in_(ids))


def _marks_of(ids: Sequence[str]) -> sa.Select[Any]:
    means = sa.func.avg(ratings.c.quality).label("mark"), sa.func.count().label("n")
    query = sa.select(ratings.c.dialogue_id, *means).where(ratings.c.dialogue_id.in_(ids), *is_mark())
    return query.group_by(ratings.c.dialogue_id)


def _line(talk: Mapping[Any, Any], score: Mapping[Any, Any], marks: tuple[float | None, int]) -> TalkLine:
    told = {name: talk[name] for name in ("id", "name", "batch", "bot", "passed", "created")}
    scored = {name: score[name] for name in ("run", "score", "low", "high")}
    return TalkLine(
        **told,
        **scored,
        refusal=score["refusal"] or "",
        messages=len(talk["turns"]),
        begins=first_words(talk["turns"]),
        mark=marks[0],
        marks=marks[1],
    )
