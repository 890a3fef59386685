"""Questions of intents exams and what came of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict

import sqlalchemy as sa

from vivavoce.store import tables
from vivavoce.store.repositories.repository import Repository
from vivavoce.store.rows import OutcomeRow

# What a question should come to: answered with the right topic, or rightly not answered.
GOOD = ("right", "declined", "declined_no_guess")


class Outcomes(Repository):
    """Questions of intents exams."""

    def put(self, rows: Iterable[OutcomeRow]) -> None:
        """Keep what came of questions."""
        self._upsert(tables.outcomes, [asdict(row) for row in rows], ("run_id", "place"))

    def clear(self, run_id: str) -> None:
        """Forget the questions of a run."""
        self.connection.execute(sa.delete(tables.outcomes).where(tables.outcomes.c.run_id == run_id))

    def of_run(self, run_id: str) -> tuple[OutcomeRow, ...]:
        """Return all questions of a run."""
        return self._all(
            OutcomeRow, sa.select(tables.outcomes).where(*_chosen(run_id)).order_by(tables.outcomes.c.place)
        )

    def page(
        self,
        run_id: str,
        *,
        intent: str | None = None,
        guess: str | None = None,
        outcome: str | None = None,
        search: str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> tuple[OutcomeRow, ...]:
        """Return some questions of a run."""
        query = sa.select(tables.outcomes).where(*_chosen(run_id, intent, guess, outcome, search))
        return self._all(OutcomeRow, query.order_by(tables.outcomes.c.place).limit(limit).offset(offset))

    def count(
        self,
        run_id: str,
        *,
        intent: str | None = None,
        guess: str | None = None,
        outcome: str | None = None,
        search: str | None = None,
    ) -> int:
        """Return how many questions of a run there are."""
        chosen = _chosen(run_id, intent, guess, outcome, search)
        query = sa.select(sa.func.count()).select_from(tables.outcomes).where(*chosen)
        return int(self.connection.execute(query).scalar_one())

    def counts(self, run_id: str, *, intent: str | None = None) -> dict[str, int]:
        """Return how many questions of a run came out how."""
        outcomes = tables.outcomes
        query = sa.select(outcomes.c.outcome, sa.func.count()).where(*_chosen(run_id, intent))
        return {outcome: int(n) for outcome, n in self.connection.execute(query.group_by(outcomes.c.outcome))}

    def of_texts(self, run_id: str, texts: Sequence[str]) -> tuple[OutcomeRow, ...]:
        """Return what came of these questions in a run: a page of them, not thousands."""
        outcomes = tables.outcomes
        query = sa.select(outcomes).where(outcomes.c.run_id == run_id, outcomes.c.text.in_(texts))
        return self._all(OutcomeRow, query.order_by(outcomes.c.place)) if texts else ()

    def by_intent(self, run_id: str) -> dict[str | None, tuple[int, int, int]]:
        """Return how many questions of each topic were mostly right, deferred and wrong: not how many tests."""
        outcomes = tables.outcomes
        mostly = _mostly()
        sums = [sa.func.sum(sa.case((mostly == kind, 1), else_=0)) for kind in ("right", "deferred", "wrong")]
        query = sa.select(outcomes.c.intent, *sums).where(*_chosen(run_id)).group_by(outcomes.c.intent)
        return {intent: (int(a), int(b), int(c)) for intent, a, b, c in self.connection.execute(query)}


def _mostly() -> sa.Case[str]:
    """Return what most tests of a question came to, as `OutcomeRow.mostly` has it."""
    right, deferred, wrong = (tables.outcomes.c[name] for name in ("right", "deferred", "wrong"))
    return sa.case(
        (sa.and_(wrong > right, wrong >= deferred), "wrong"), (deferred > right, "deferred"), else_="right"
    )


def _chosen(
    run_id: str,
    intent: str | None = None,
    guess: str | None = None,
    outcome: str | None = None,
    search: str | None = None,
) -> list[sa.ColumnElement[bool]]:
    outcomes = tables.outcomes
    conditions = [outcomes.c.run_id == run_id]
    for column, wanted in ((outcomes.c.intent, intent), (outcomes.c.guess, guess), (outcomes.c.outcome, outcome)):
        if wanted is not None:
            conditions.append(column == wanted)
    if search:
        conditions.append(outcomes.c.text.icontains(search, autoescape=True))
    return conditions
