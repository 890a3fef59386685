"""Daily runs: the first worker that looks starts them, once, however many days were missed."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from vivavoce.store.database import Store
from vivavoce.store.rows import Run, Schedule

_log = logging.getLogger(__name__)
StartScheduled = Callable[[Store, Schedule], Run]


def next_time(minute_of_day: int, after: datetime) -> datetime:
    """Return the next moment at a minute of the day, in UTC."""
    day = after.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    moment = day + timedelta(minutes=minute_of_day)
    return moment if moment > after else moment + timedelta(days=1)


def start_due(store: Store, start: StartScheduled, now: datetime) -> tuple[Run, ...]:
    """Start all runs that are due, except those that another worker started first."""
    with store.reading() as tx:
        due = tx.schedules.due(now)
    runs = []
    for schedule in due:
        with store.writing() as tx:
            if not tx.schedules.advance(schedule, next_time(schedule.minute_of_day, now)):
                continue
        try:
            runs.append(start(store, schedule))
        except Exception:
            # The next day is another chance, and other schedules must not wait for this one.
            _log.exception("the scheduled run %s could not be started", schedule.id)
    return tuple(runs)
