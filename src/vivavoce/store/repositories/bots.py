"""Bots of a project; they are changed through edits only."""

from __future__ import annotations

import sqlalchemy as sa

from vivavoce.store import tables
from vivavoce.store.repositories.repository import Repository
from vivavoce.store.rows import BotRow


class Bots(Repository):
    """Bots that a project can talk to."""

    def get(self, bot_id: str) -> BotRow | None:
        """Return a bot."""
        return self._one(BotRow, sa.select(tables.bots).where(tables.bots.c.id == bot_id))

    def by_name(self, project_id: str, name: str) -> BotRow | None:
        """Return the bot of this name."""
        bots = tables.bots
        return self._one(BotRow, sa.select(bots).where(bots.c.project_id == project_id, bots.c.name == name))

    def of_project(self, project_id: str) -> tuple[BotRow, ...]:
        """Return all bots of a project, by name."""
        bots = tables.bots
        return self._all(BotRow, sa.select(bots).where(bots.c.project_id == project_id).order_by(bots.c.name))
