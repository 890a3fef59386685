"""What is kept with a run: findings, reports, charts."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from dataclasses import asdict

import sqlalchemy as sa

from vivavoce.store import tables
from vivavoce.store.repositories.repository import Repository
from vivavoce.store.rows import DocumentRow


class Documents(Repository):
    """Documents of runs; they are compressed in the database and plain everywhere else."""

    def put(self, rows: Iterable[DocumentRow]) -> None:
        """Keep documents; one of the same name is replaced."""
        values = [{**asdict(row), "content": gzip.compress(row.content, 6, mtime=0)} for row in rows]
        self._upsert(tables.documents, values, ("run_id", "name"))

    def clear(self, run_id: str) -> None:
        """Forget the documents of a run."""
        self.connection.execute(sa.delete(tables.documents).where(tables.documents.c.run_id == run_id))

    def get(self, run_id: str, name: str) -> DocumentRow | None:
        """Return a document."""
        table = tables.documents
        query = sa.select(table).where(table.c.run_id == run_id, table.c.name == name)
        found = self.connection.execute(query).mappings().first()
        if found is None:
            return None
        return DocumentRow(**{**found, "content": gzip.decompress(found["content"])})

    def packed(self, run_id: str, name: str) -> bytes | None:
        """Return a document as it is kept, in gzip, for a browser that unpacks it itself."""
        table = tables.documents
        query = sa.select(table.c.content).where(table.c.run_id == run_id, table.c.name == name)
        found = self.connection.execute(query).scalar()
        return None if found is None else bytes(found)

    def names(self, run_id: str) -> dict[str, str]:
        """Return what is kept with a run: the kind of content by name."""
        table = tables.documents
        query = sa.select(table.c.name, table.c.media).where(table.c.run_id == run_id).order_by(table.c.name)
        return {found.name: found.media for found in self.connection.execute(query)}
