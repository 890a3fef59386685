"""Why a database refuses its service, and one line in the log when that begins and ends.

Drivers say it in codes; here these become four troubles with a remedy each. The text of the driver and the address
of the database are for whoever runs the server: they go to the log and to the terminal, never to a page.
"""

from __future__ import annotations

import errno
import logging
import shutil
import sqlite3
import threading
from contextlib import suppress
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from sqlalchemy.engine import URL
from sqlalchemy.exc import DatabaseError, DBAPIError, InterfaceError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from vivavoce.errors import Fault, StoreError
from vivavoce.messages import say
from vivavoce.store.stamps import now

_log = logging.getLogger(__name__)
# SQLite reports some writes to a full disk as input/output errors: with less room than this, the disk is full.
MIN_FREE_BYTES = 64 * 1024
POSTGRES_DISK_FULL = "53100"
POSTGRES_GONE = ("08", "57P")


class Trouble(StrEnum):
    """What is wrong: no answer, no room, others at work, or no workspace of this version."""

    AWAY = "away"
    FULL = "full"
    BUSY = "busy"
    UNFIT = "unfit"


# These last until somebody acts, so their beginning and their end are logged.
OUTAGES = (Trouble.AWAY, Trouble.FULL)
_TEXTS = {
    Trouble.AWAY: (
        say("the database does not respond"),
        say("check that it is running and that its address is correct"),
    ),
    Trouble.FULL: (say("the database disk is full"), say("free up space on it; nothing was changed")),
    Trouble.BUSY: (say("the workspace is busy"), say("try again in a moment; nothing was changed")),
    Trouble.UNFIT: (
        say("this version cannot read this workspace"),
        say("`viva workspace status` shows its version, if any"),
    ),
}


class Outage(NamedTuple):
    """A trouble that lasts, and since when."""

    trouble: Trouble
    since: datetime


class Watch:
    """Notes when a database stops to serve and when it serves again, one line each, however often it is asked."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._served_before = False
        self.outage: Outage | None = None

    def note_failure(self, error: StoreError) -> None:
        """Note that a request failed; a database that never served is the caller's own error to report."""
        trouble = Trouble(error.trouble)
        if trouble not in OUTAGES:
            return
        with self._lock:
            known = self.outage is not None and self.outage.trouble == trouble
            if known or not self._served_before:
                return
            self.outage = Outage(trouble, now())
        _log.warning("%s: %s (%s)", self._address, error.what, "; ".join(map(str, error.faults)))

    def note_success(self, *, written: bool) -> None:
        """Note that a request was served; that a full disk has room again shows only when something is written."""
        if self.outage is None:
            self._served_before = True
            return
        with self._lock:
            outage = self.outage
            if outage is None or (outage.trouble is Trouble.FULL and not written):
                return
            self.outage = None
        seconds = (now() - outage.since).total_seconds()
        _log.warning("%s: the database is available again after %.0f s", self._address, seconds)


def store_error(error: Exception, url: URL, *, connecting: bool = False) -> StoreError | None:
    """Return what an error of a driver means; None for those that are about a statement, such as a double name."""
    trouble = _find_trouble(error, url, connecting=connecting)
    if trouble is None:
        return None
    what, remedy = _TEXTS[trouble]
    faults = [Fault(str(getattr(error, "orig", None) or error).strip().partition("\n")[0])]
    where = url.render_as_string(hide_password=True)
    return StoreError(what, trouble=trouble, where=where, remedy=remedy, faults=faults)


def disk_full_error() -> StoreError:
    """Return the error for a file that found no room on the disk."""
    return StoreError(say("the server disk is full"), trouble=Trouble.FULL, remedy=_TEXTS[Trouble.FULL][1])


def is_disk_full(error: BaseException) -> bool:
    """Tell whether the system had no room for a file."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def _find_trouble(error: Exception, url: URL, *, connecting: bool) -> Trouble | None:
    if isinstance(error, PoolTimeoutError):
        return Trouble.BUSY
    if is_disk_full(error):
        return Trouble.FULL
    about_database = type(error) is DatabaseError or isinstance(
        error, OperationalError | InterfaceError | InternalError
    )
    if not isinstance(error, DBAPIError) or not (about_database or connecting or error.connection_invalidated):
        return None
    if isinstance(error.orig, sqlite3.Error):
        return _find_sqlite_trouble(error.orig, url)
    state = getattr(error.orig, "sqlstate", None) or ""
    if state == POSTGRES_DISK_FULL:
        return Trouble.FULL
    gone = connecting or error.connection_invalidated or not state or state.startswith(POSTGRES_GONE)
    return Trouble.AWAY if gone and not state.startswith("53") else Trouble.BUSY


def _find_sqlite_trouble(error: sqlite3.Error, url: URL) -> Trouble:
    # The lowest byte is the kind, those above say more.
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN):
        with suppress(OSError):
            if shutil.disk_usage(Path(url.database or ".").parent).free < MIN_FREE_BYTES:
                return Trouble.FULL
    if code == sqlite3.SQLITE_FULL:
        return Trouble.FULL
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return Trouble.BUSY
    if code in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return Trouble.UNFIT
    return Trouble.AWAY
