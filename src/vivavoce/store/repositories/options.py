"""What holds for the whole workspace."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from vivavoce.store.repositories.repository import Repository
from vivavoce.store.tables import options


class Options(Repository):
    """Plain values by name, for the whole workspace."""

    def get(self, name: str, default: Any = None) -> Any:
        """Return a value, or the default where none was set."""
        found = self.connection.execute(sa.select(options.c.value).where(options.c.name == name)).first()
        return default if found is None else found[0]

    def set(self, name: str, value: Any) -> None:
        """Keep a value of plain JSON."""
        self._upsert(options, [{"name": name, "value": value}], ["name"])

    def unset(self, name: str) -> None:
        """Forget a value: the default holds again."""
        self.connection.execute(sa.delete(options).where(options.c.name == name))

    def all(self) -> dict[str, Any]:
        """Return all values that were set."""
        found = self.connection.execute(sa.select(options).order_by(options.c.name))
        return {row.name: row.value for row in found}
