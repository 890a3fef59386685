"""Scores of talks, one for each run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

import sqlalchemy as sa

from vivavoce.store import tables
from vivavoce.store.repositories.repository import Repository
from vivavoce.store.rows import ScoreRow


class Scores(Repository):
    """Scores of talks."""

    def put(self, rows: Iterable[ScoreRow]) -> None:
        """Keep scores of a run."""
        self._upsert(tables.scores, [asdict(row) for row in rows], ("run_id", "dialogue_id"))

    def clear(self, run_id: str) -> None:
        """Forget the scores of a run."""
        self.connection.execute(sa.delete(tables.scores).where(tables.scores.c.run_id == run_id))

    def get(self, run_id: str, dialogue_id: str) -> ScoreRow | None:
        """Return the score of a talk in a run."""
        scores = tables.scores
        query = sa.select(scores).where(scores.c.run_id == run_id, scores.c.dialogue_id == dialogue_id)
        return self._one(ScoreRow, query)

    def of_run(self, run_id: str) -> tuple[ScoreRow, ...]:
        """Return all scores of a run, in the order of the talks."""
        scores, talks = tables.scores, tables.dialogues
        query = sa.select(scores).join(talks, talks.c.id == scores.c.dialogue_id).where(scores.c.run_id == run_id)
        return self._all(ScoreRow, query.order_by(talks.c.created, talks.c.place, talks.c.id))

    def of_dialogue(self, dialogue_id: str) -> tuple[ScoreRow, ...]:
        """Return what a talk scored, in the newest run first."""
        scores, runs = tables.scores, tables.runs
        query = sa.select(scores).join(runs, runs.c.id == scores.c.run_id).where(scores.c.dialogue_id == dialogue_id)
        return self._all(ScoreRow, query.order_by(runs.c.number.desc()))
