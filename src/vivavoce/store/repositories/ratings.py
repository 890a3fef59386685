"""What people think of talks and of single answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace

import sqlalchemy as sa

from vivavoce.store import tables
from vivavoce.store.repositories.repository import Repository
from vivavoce.store.rows import RatingRow


class Ratings(Repository):
    """What people think of talks (`turn` 0) and of answers in them."""

    def put(self, rating: RatingRow) -> RatingRow:
        """Keep what a person thinks; who rates the same again changes their mind. Returns the rating as kept."""
        ratings = tables.ratings
        same = (ratings.c.dialogue_id == rating.dialogue_id, ratings.c.turn == rating.turn)
        query = sa.select(ratings.c.id).where(*same, ratings.c.rater == rating.rater)
        kept = replace(rating, id=self.connection.execute(query).scalar() or rating.id)
        self._upsert(ratings, [asdict(kept)], ("dialogue_id", "turn", "rater"))
        return kept

    def put_many(self, rows: Iterable[RatingRow]) -> int:
        """Keep many ratings, as an import brings them; returns how many."""
        return len([self.put(row) for row in rows])

    def of_dialogue(self, dialogue_id: str) -> tuple[RatingRow, ...]:
        """Return the ratings of a talk: those of the whole first, then answer by answer."""
        ratings = tables.ratings
        query = sa.select(ratings).where(ratings.c.dialogue_id == dialogue_id)
        return self._all(RatingRow, query.order_by(ratings.c.turn, ratings.c.created, ratings.c.rater))

    def of_project(self, project_id: str) -> tuple[RatingRow, ...]:
        """Return all ratings of a project, in the order of the talks."""
        ratings, talks = tables.ratings, tables.dialogues
        query = sa.select(ratings).join(talks, talks.c.id == ratings.c.dialogue_id)
        query = query.where(talks.c.project_id == project_id)
        return self._all(RatingRow, query.order_by(talks.c.place, talks.c.id, ratings.c.turn, ratings.c.rater))

    def delete(self, rating_id: str) -> bool:
        """Forget a rating; False when there was none."""
        return (
            self.connection.execute(sa.delete(tables.ratings).where(tables.ratings.c.id == rating_id)).rowcount == 1
        )
