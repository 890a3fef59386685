"""Whether somebody is at work on a run: a worker that was killed cannot say so, but its leases tell."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from vivavoce.store.database import Store
from vivavoce.store.repositories.units import LEASE_SECONDS
from vivavoce.store.rows import Run, RunState
from vivavoce.store.stamps import now
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


def count_alive(store: Store) -> int:
    """Return how many workers hold what they do."""
    with store.reading() as tx:
        return len(tx.workers.alive(now() - timedelta(seconds=LEASE_SECONDS)))


def silence_of(tx: Transaction, run: Run, moment: datetime) -> Silence | None:
    """Return since when nobody is at work on a run; None where somebody is, or where it is over.

    A run that waits while workers are there is not silent: they are busy with others.
    """
    if not run.state.open:
        return None
    held = None if run.state is RunState.WAITING else tx.units.held_until(run.id)
    if held is None:
        seen = tx.workers.last_seen()
        return None if count_workers(tx, moment) else Silence(_since(moment, seen), None)
    quiet = (moment - held).total_seconds() + LEASE_SECONDS
    return None if quiet < SILENT_SECONDS else Silence(quiet, max(0.0, LEASE_SECONDS - quiet))


def _since(moment: datetime, seen: datetime | None) -> float | None:
    return None if seen is None else max(0.0, (moment - seen).total_seconds())
