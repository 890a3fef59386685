"""What is the case in a workspace: versions, where it is kept, who works for it, how much is in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from vivavoce.store.database import Store
from vivavoce.store.migrating import head_version, schema_version
from vivavoce.store.repositories.units import LEASE_SECONDS
from vivavoce.store.rows import Role, WorkerRow
from vivavoce.store.stamps import now
from vivavoce.version import __version__


@dataclass(frozen=True, slots=True)
class Facts:
    """`address` never holds a password. `current`: the schema is the newest that this program knows."""

    version: str
    address: str
    schema: str
    current: bool
    workers: tuple[WorkerRow, ...]
    projects: int
    people: int
    admins: int
    open_runs: int


def workspace_facts(store: Store) -> Facts:
    """Return what is the case now."""
    schema = schema_version(store) or ""
    with store.reading() as tx:
        return Facts(
            version=__version__,
            address=store.address,
            schema=schema,
            current=schema == head_version(),
            workers=tx.workers.alive(now() - timedelta(seconds=LEASE_SECONDS)),
            projects=tx.projects.count(),
            people=tx.users.count(),
            admins=tx.users.count(Role.ADMIN, active=True),
            open_runs=len(tx.runs.open()),
        )
