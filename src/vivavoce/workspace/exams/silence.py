"""Whether somebody is at work on a run: a worker that was killed cannot say so, but its leases tell."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from vivavoce.store.repositories.units import LEASE_SECONDS
from vivavoce.store.rows import Run, RunState, UnitState
from vivavoce.store.tables import units, workers
from vivavoce.store.transaction import Transaction

# A worker says three times in a lease that it is there; one word may be late, two are not.
SILENT_SECONDS = LEASE_SECONDS / 2


@dataclass(frozen=True, slots=True)
class Silence:
    """A run at which nobody is at work. `seconds`: since the last sign of a worker; None: none was ever there.

    `again_in`: seconds until what was begun comes free for another worker; None where nothing is held.
    """

    seconds: float | None
    again_in: float | None


def count_workers(tx: Transaction, moment: datetime) -> int:
    """Return how many workers gave a sign of late."""
    return len(tx.workers.alive(moment - timedelta(seconds=SILENT_SECONDS)))


def silence_of(tx: Transaction, run: Run, moment: datetime) -> Silence | None:
    """Return since when nobody is at work on a run; None where somebody is, or where it is over.

    A run that waits while workers are there is not silent: they are busy with others.
    """
    if not run.state.open:
        return None
    held = _held_until(tx, run)
    if held is None:
        seen = tx.connection.execute(sa.select(sa.func.max(workers.c.seen))).scalar()
        return None if count_workers(tx, moment) else Silence(_since(moment, seen), None)
    quiet = (moment - held).total_seconds() + LEASE_SECONDS
    return None if quiet < SILENT_SECONDS else Silence(quiet, max(0.0, LEASE_SECONDS - quiet))


def _held_until(tx: Transaction, run: Run) -> datetime | None:
    """Return when the last lease of a run ends; None where nothing of it is on its way."""
    if run.state is RunState.WAITING:
        return None
    query = sa.select(sa.func.max(units.c.lease_until))
    mine = (units.c.run_id == run.id, units.c.state == UnitState.RUNNING.value)
    found: datetime | None = tx.connection.execute(query.where(*mine)).scalar()
    return found


def _since(moment: datetime, seen: datetime | None) -> float | None:
    return None if seen is None else max(0.0, (moment - seen).total_seconds())
