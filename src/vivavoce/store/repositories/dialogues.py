"""Logged dialogues, with their scores and what people think of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import sqlalchemy as sa

from vivavoce.errors import UsageError, nearest
from vivavoce.messages import say
from vivavoce.store.repositories.repository import Repository, RowsById, RowsOfRun, holding, matching, pieces
from vivavoce.store.rows import DialogueRow, RatingRow, ScoreRow
from vivavoce.store.tables import dialogues, ratings, runs, scores

# SQLite joins at most 500 queries into one; nobody looks at scores that are older than so many runs.
MAX_RUNS = 400
# What dialogues can be sorted by: the worst score first; a minus turns the order round.
SORTS = tuple(f"{sign}{name}" for name in ("score", "name", "created") for sign in ("", "-"))
_IN_ORDER = (dialogues.c.created, dialogues.c.place, dialogues.c.id)
# What tells a rating of a whole dialogue from what is thought of single answers.
_OF_WHOLE = (ratings.c.turn == 0, ratings.c.quality.is_not(None))


@dataclass(frozen=True, slots=True)
class DialogueFilter:
    """Which dialogues are wanted; None: all. `search` is looked for in the name and in what was said."""

    batch: str | None = None
    bot: str | None = None
    search: str | None = None
    rated: bool | None = None
    ids: tuple[str, ...] | None = None


ALL_DIALOGUES = DialogueFilter()


class NewestScore(NamedTuple):
    """The newest score of a dialogue and the number of the run that gave it; all None: it has none."""

    dialogue_id: str
    run: int | None
    score: float | None
    low: float | None
    high: float | None
    refusal: str | None


class BadDialogue(NamedTuple):
    """A dialogue with a low score."""

    dialogue_id: str
    name: str
    bot: str | None
    score: float
    low: float
    high: float


class Dialogues(RowsById[DialogueRow], table=dialogues, row=DialogueRow):
    """Logged dialogues of a project."""

    def put(self, rows: Iterable[DialogueRow]) -> None:
        """Keep dialogues; one of the same name in the project is replaced and keeps its id, scores and ratings."""
        rows = list(rows)
        known: dict[tuple[str, str], str] = {}
        for project_id in {row.project_id for row in rows}:
            names = [row.name for row in rows if row.project_id == project_id]
            known |= {(project_id, row.name): row.id for row in self.named(project_id, names)}
        rows = [replace(row, id=known.get((row.project_id, row.name), row.id)) for row in rows]
        self._put(rows, "project_id", "name")

    def named(self, project_id: str, names: Sequence[str]) -> list[DialogueRow]:
        """Return the dialogues that have one of these names."""
        same = dialogues.c.project_id == project_id
        return [row for piece in pieces(names) for row in self._all(self._select(same, dialogues.c.name.in_(piece)))]

    def some(self, ids: Sequence[str]) -> dict[str, DialogueRow]:
        """Return the dialogues with these ids, by id: a page of them, not thousands."""
        return {row.id: row for row in self._all(self._select(dialogues.c.id.in_(ids)))}

    def of_project(self, project_id: str, chosen: DialogueFilter = ALL_DIALOGUES) -> tuple[DialogueRow, ...]:
        """Return the dialogues of a project in the order in which they came."""
        return self._all(self._select(*_match(project_id, chosen)).order_by(*_IN_ORDER))

    def page(
        self,
        project_id: str,
        chosen: DialogueFilter = ALL_DIALOGUES,
        *,
        sort: str = "score",
        limit: int | None = None,
        offset: int = 0,
    ) -> list[NewestScore]:
        """Return some dialogues with their newest scores, by id alone; those without a score come last."""
        if sort not in SORTS:
            raise UsageError(
                say("cannot sort dialogues by '{sort}'.{nearest}", sort=sort, nearest=nearest(sort, SORTS)),
                remedy=say("use one of {names}", names=", ".join(SORTS)),
            )
        newest = self._newest_scores(project_id)
        by = {"score": newest.c.score, "name": dialogues.c.name, "created": dialogues.c.created}[sort.lstrip("-")]
        first = by.desc() if sort.startswith("-") else by.asc()
        names = ("run", "score", "low", "high", "refusal", "refusal_data")
        query = sa.select(dialogues.c.id, *(newest.c[name] for name in names))
        query = query.select_from(dialogues.outerjoin(newest, newest.c.dialogue_id == dialogues.c.id))
        query = query.where(*_match(project_id, chosen))
        order = (first.nulls_last() if sort.endswith("score") else first, *_IN_ORDER)
        return [NewestScore(*row) for row in self._fetch(query.order_by(*order).limit(limit).offset(offset))]

    def newest_scores(self, project_id: str) -> dict[str, float]:
        """Return the newest score of each dialogue that has one, by its id."""
        newest = self._newest_scores(project_id)
        return self._pairs(sa.select(newest.c.dialogue_id, newest.c.score).where(newest.c.score.is_not(None)))

    def worst(self, run_id: str, below: float, limit: int | None = None) -> list[BadDialogue]:
        """Return the dialogues that scored less in a run, the worst first."""
        columns = (dialogues.c.id, dialogues.c.name, dialogues.c.bot, scores.c.score, scores.c.low, scores.c.high)
        query = sa.select(*columns).join(scores, scores.c.dialogue_id == dialogues.c.id)
        query = query.where(scores.c.run_id == run_id, scores.c.score < below)
        rows = self.connection.execute(query.order_by(scores.c.score, dialogues.c.id).limit(limit))
        return [BadDialogue(*row) for row in rows]

    def list_ids(self, project_id: str, chosen: DialogueFilter = ALL_DIALOGUES) -> list[str]:
        """Return the ids of the dialogues of a project."""
        return list(self._scalars(sa.select(dialogues.c.id).where(*_match(project_id, chosen))))

    def ids(self, project_id: str) -> dict[str, str]:
        """Return the ids of all dialogues of a project, each by its name and by itself."""
        query = sa.select(dialogues.c.id, dialogues.c.name).where(dialogues.c.project_id == project_id)
        ids = self._pairs(query)
        return {row_id: row_id for row_id in ids} | {name: row_id for row_id, name in ids.items()}

    def count(self, project_id: str, chosen: DialogueFilter = ALL_DIALOGUES) -> int:
        """Return how many dialogues there are."""
        return self._count(*_match(project_id, chosen))

    def state(self, project_id: str) -> tuple[Any, ...]:
        """Return what changes whenever dialogues come or go."""
        query = sa.select(sa.func.count(), sa.func.max(dialogues.c.created))
        return tuple(self.connection.execute(query.where(dialogues.c.project_id == project_id)).one())

    def turns(self, project_id: str) -> Iterable[tuple[str, tuple[Any, ...]]]:
        """Yield what was said in each dialogue of a project, with its id."""
        query = sa.select(dialogues.c.id, dialogues.c.turns).where(dialogues.c.project_id == project_id)
        return ((dialogue_id, turns) for dialogue_id, turns in self.connection.execute(query))

    def batches(self, project_id: str) -> dict[str, int]:
        """Return how many dialogues came with each upload, the newest upload first."""
        query = sa.select(dialogues.c.batch, sa.func.count()).where(dialogues.c.project_id == project_id)
        query = query.group_by(dialogues.c.batch).order_by(sa.func.max(dialogues.c.created).desc(), dialogues.c.batch)
        return self._pairs(query)

    def bots(self, project_id: str) -> dict[str, int]:
        """Return how many dialogues each bot had; those without a named bot are left out."""
        named = (dialogues.c.project_id == project_id, dialogues.c.bot.is_not(None))
        return dict(sorted(self._counts(dialogues.c.bot, *named).items()))

    def delete(self, project_id: str, ids: Collection[str]) -> int:
        """Forget dialogues with their scores and ratings; returns how many there were."""
        same = dialogues.c.project_id == project_id
        return sum(self._delete(same, dialogues.c.id.in_(piece)) for piece in pieces(list(ids)))

    def _newest_scores(self, project_id: str) -> sa.Subquery:
        """Return, as a part of a query, the newest score of each dialogue and the number of its run."""
        query = sa.select(runs.c.id, runs.c.number, sa.func.count()).join(scores, scores.c.run_id == runs.c.id)
        query = query.where(runs.c.project_id == project_id).group_by(runs.c.id, runs.c.number)
        wanted, newer = self.count(project_id), list[str]()
        parts: list[sa.Select[Any]] = []
        for run_id, number, n in self.connection.execute(query.order_by(runs.c.number.desc()).limit(MAX_RUNS)):
            parts.append(_scores_of(run_id, number, newer))
            newer.append(run_id)
            # Mostly the newest run looked at all dialogues, and no other has to be read.
            if n >= wanted:
                break
        return sa.union_all(*(parts or [_scores_of("", 0, [])])).subquery()


class Scores(RowsOfRun[ScoreRow], table=scores, row=ScoreRow):
    """Scores of dialogues, one for each run."""

    def get(self, run_id: str, dialogue_id: str) -> ScoreRow | None:
        """Return the score of a dialogue in a run."""
        return self._one(scores.c.run_id == run_id, scores.c.dialogue_id == dialogue_id)

    def by_dialogue(self, run_id: str) -> dict[str, float | None]:
        """Return the scores of a run by the ids of the dialogues; None: not scored."""
        return self._pairs(sa.select(scores.c.dialogue_id, scores.c.score).where(scores.c.run_id == run_id))

    def of_dialogue(self, dialogue_id: str) -> tuple[ScoreRow, ...]:
        """Return what a dialogue scored, in the newest run first."""
        query = self._select(scores.c.dialogue_id == dialogue_id).join(runs, runs.c.id == scores.c.run_id)
        return self._all(query.order_by(runs.c.number.desc()))


class Ratings(Repository[RatingRow], table=ratings, row=RatingRow):
    """What people think of dialogues (`turn` 0) and of answers in them."""

    def put(self, rating: RatingRow) -> RatingRow:
        """Keep what a person thinks; who rates the same again changes their mind. Returns the rating as kept."""
        same = (ratings.c.dialogue_id == rating.dialogue_id, ratings.c.turn == rating.turn)
        before = self._one(*same, ratings.c.rater == rating.rater)
        rating = rating if before is None else replace(rating, id=before.id)
        self._put([rating], "dialogue_id", "turn", "rater")
        return rating

    def put_many(self, rows: Iterable[RatingRow]) -> int:
        """Keep many ratings, as an import brings them; returns how many."""
        return len([self.put(row) for row in rows])

    def of_dialogue(self, dialogue_id: str) -> tuple[RatingRow, ...]:
        """Return the ratings of a dialogue: those of the whole first, then answer by answer."""
        query = self._select(ratings.c.dialogue_id == dialogue_id)
        return self._all(query.order_by(ratings.c.turn, ratings.c.created, ratings.c.rater))

    def of_project(self, project_id: str) -> tuple[RatingRow, ...]:
        """Return all ratings of a project, in the order of the dialogues."""
        query = self._select(dialogues.c.project_id == project_id)
        query = query.join(dialogues, dialogues.c.id == ratings.c.dialogue_id)
        return self._all(query.order_by(dialogues.c.place, dialogues.c.id, ratings.c.turn, ratings.c.rater))

    def with_bots(self, project_id: str, bot: str | None = None) -> list[tuple[RatingRow, str | None]]:
        """Return all ratings of a project, or of dialogues with a bot, each with the bot; by dialogue and message."""
        query = sa.select(*self.columns, dialogues.c.bot).where(*_match(project_id, DialogueFilter(bot=bot)))
        query = query.join(dialogues, dialogues.c.id == ratings.c.dialogue_id)
        rows = self.connection.execute(query.order_by(ratings.c.dialogue_id, ratings.c.turn, ratings.c.rater))
        return [(RatingRow(*row[:-1]), row[-1]) for row in rows]

    def by_person(
        self, project_id: str, user_id: str | None, rater: str, bot: str | None = None
    ) -> tuple[RatingRow, ...]:
        """Return how a person rated whole dialogues, the newest first; without an id, who has that name."""
        # `== None` becomes IS NULL.
        same = (ratings.c.user_id == user_id, *(() if user_id else (ratings.c.rater == rater,)))
        query = self._select(*_match(project_id, DialogueFilter(bot=bot)), *_OF_WHOLE, *same)
        query = query.join(dialogues, dialogues.c.id == ratings.c.dialogue_id)
        return self._all(query.order_by(ratings.c.created.desc()))

    def means(self, ids: Sequence[str]) -> dict[str, tuple[float, int]]:
        """Return the mean rating of some dialogues and how many people gave one, by the id of the dialogue."""
        query = sa.select(ratings.c.dialogue_id, sa.func.avg(ratings.c.quality), sa.func.count())
        query = query.where(ratings.c.dialogue_id.in_(ids), *_OF_WHOLE).group_by(ratings.c.dialogue_id)
        return {dialogue_id: (float(mean), int(n)) for dialogue_id, mean, n in self.connection.execute(query)}

    def delete(self, rating_id: str) -> bool:
        """Forget a rating; False when there was none."""
        return self._delete(ratings.c.id == rating_id) == 1


def _match(project_id: str, chosen: DialogueFilter) -> list[sa.ColumnElement[bool]]:
    conditions = matching(
        (dialogues.c.project_id, project_id), (dialogues.c.batch, chosen.batch), (dialogues.c.bot, chosen.bot)
    )
    if chosen.ids is not None:
        conditions.append(dialogues.c.id.in_(chosen.ids))
    if chosen.rated is not None:
        rated = dialogues.c.id.in_(sa.select(ratings.c.dialogue_id).where(*_OF_WHOLE))
        conditions.append(rated if chosen.rated else ~rated)
    return [*conditions, *holding(chosen.search, dialogues.c.name, sa.cast(dialogues.c.turns, sa.Text))]


def _scores_of(run_id: str, number: int, newer: Sequence[str]) -> sa.Select[Any]:
    """Return the scores of a run, without the dialogues that a newer one looked at."""
    columns = [scores.c[name] for name in ("dialogue_id", "score", "low", "high", "refusal", "refusal_data")]
    query = sa.select(*columns, sa.literal(number, sa.Integer).label("run")).where(scores.c.run_id == run_id)
    if not newer:
        return query
    other = scores.alias()
    return query.where(~sa.exists().where(other.c.dialogue_id == scores.c.dialogue_id, other.c.run_id.in_(newer)))
