"""Vectors on disk, so that a sentence is encoded once on this machine and not once in every run.

The cache is a convenience: whatever is wrong with it (no home folder, a read-only or full disk, a broken
file), vectors are simply computed again and a warning is logged.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from vivavoce.text.vectors import Encoder, Progress
from vivavoce.text.weights import viva_home

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
T = TypeVar("T")

DEFAULT_LIMIT = 2 * 1024**3
LOCK_SECONDS = 20.0
FETCH_KEYS = 500
STORE_TEXTS = 384
DROP_SHARE = 0.1
BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, vector BLOB NOT NULL)
"""
UPSERT = """
INSERT INTO vectors (key, vector) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET vector = excluded.vector
"""
COUNT = "SELECT count(*) FROM vectors"
OLDEST = "DELETE FROM vectors WHERE id IN (SELECT id FROM vectors ORDER BY id LIMIT ?)"

log = logging.getLogger(__name__)


class VectorCache:
    """Vectors by model and text in one SQLite file that many processes may read and write at once.

    It holds no connection between calls, so it may be shared by threads, forked and pickled. `limit` is
    the size in bytes above which the oldest vectors are dropped; 0 turns the cache off.
    """

    def __init__(self, path: Path | None = None, limit: int = DEFAULT_LIMIT) -> None:
        self.path = path or viva_home() / "cache" / "vectors.sqlite3"
        self.limit = limit

    def fetch(self, model: str, texts: Sequence[str], dimension: int) -> tuple[Floats, Flags]:
        """Return a row for each text and a flag that says whether the row is known."""
        rows = np.zeros((len(texts), dimension), dtype=np.float32)
        is_known = np.zeros(len(texts), dtype=np.bool_)
        # Several places may ask for one text: every one of them is filled.
        places: dict[bytes, list[int]] = {}
        for place, text in enumerate(texts):
            places.setdefault(vector_key(model, text), []).append(place)

        def work(connection: sqlite3.Connection) -> None:
            keys = list(places)
            for start in range(0, len(keys), FETCH_KEYS):
                chosen = keys[start : start + FETCH_KEYS]
                places_text = ",".join("?" * len(chosen))
                query = f"SELECT key, vector FROM vectors WHERE key IN ({places_text})"  # noqa: S608 - only question marks
                for key, vector in connection.execute(query, chosen):
                    if len(vector) == 4 * dimension:
                        rows[places[key]] = np.frombuffer(vector, dtype="<f4")
                        is_known[places[key]] = True

        self._try(work, None)
        return rows, is_known

    def store(self, model: str, texts: Sequence[str], rows: Floats) -> None:
        """Keep these vectors; drop the oldest when the file grows beyond its limit."""
        pairs = zip(texts, rows, strict=True)
        content = [(vector_key(model, text), row.astype("<f4").tobytes()) for text, row in pairs]

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany(UPSERT, content)
            _shrink(connection, self.limit)

        self._try(work, None)

    def count(self) -> int:
        """Return the number of vectors kept."""
        return self._try(lambda connection: int(connection.execute(COUNT).fetchone()[0]), 0)

    def _try(self, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """Do the work, on a new file if the old one is broken; on any other trouble switch the cache off."""
        for is_last in (False, True):
            if not self.limit:
                break
            seen = _identity(self.path)
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with _open(self.path) as connection:
                    return work(connection)
            except (sqlite3.Error, OSError) as error:
                if is_last or not _is_broken(error) or not self._set_aside(seen):
                    log.warning("The vector cache %s is not used: %s", self.path, error)
                    # Waiting for the same trouble at every few hundred texts would help nobody.
                    self.limit = 0
        return otherwise

    def _set_aside(self, seen: tuple[int, int] | None) -> bool:
        """Move the broken file out of the way, unless another process has already done so."""
        if _identity(self.path) != seen:
            return True
        aside = self.path.with_name(self.path.name + ".broken")
        try:
            os.replace(self.path, aside)
            for suffix in ("-wal", "-shm"):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        except OSError:  # another process holds it open, or the folder is read-only
            return False
        log.warning("The vector cache %s was damaged: moved to %s, a new one is created.", self.path, aside.name)
        return True


def encode_cached(
    encoder: Encoder, texts: Sequence[str], progress: Progress | None = None, cache: VectorCache | None = None
) -> Floats:
    """Return one row for each text, in order; only texts that the cache does not know reach the encoder.

    `cache` defaults to the one in the home folder. New vectors are stored every few hundred texts.
    `progress` hears (texts done, texts in all), counting equal texts once.
    """
    cache = VectorCache() if cache is None else cache
    unique = list(dict.fromkeys(texts))
    rows, is_known = cache.fetch(encoder.name, unique, encoder.dimension)
    # Long texts first: neighbours of like length make full batches, and the end of the work comes fast.
    missing = sorted(np.flatnonzero(~is_known).tolist(), key=lambda place: -len(unique[place]))
    if progress is not None:
        progress(len(unique) - len(missing), len(unique))
    for start in range(0, len(missing), STORE_TEXTS):
        places = missing[start : start + STORE_TEXTS]
        chosen = [unique[place] for place in places]
        rows[places] = encoder.encode(chosen)
        cache.store(encoder.name, chosen, rows[places])
        if progress is not None:
            progress(len(unique) - len(missing) + start + len(places), len(unique))
    place_of = {text: place for place, text in enumerate(unique)}
    return rows if len(unique) == len(texts) else rows[[place_of[text] for text in texts]]


def vector_key(model: str, text: str) -> bytes:
    """Return the SHA-256 under which the vector of this text by this model is kept."""
    return hashlib.sha256(f"{model}\x00{text}".encode("utf-8", "surrogatepass")).digest()


@contextmanager
def _open(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, timeout=LOCK_SECONDS)) as connection:
        # WAL: readers never wait for a writer. NORMAL: a power cut may lose the last vectors, never the file.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(SCHEMA)
        with connection:
            yield connection


def _shrink(connection: sqlite3.Connection, limit: int) -> None:
    """Drop the oldest tenth until the used pages fit; freed pages are used again by later vectors."""
    names = ("page_count", "freelist_count", "page_size")
    while True:
        pages, free, size = (int(connection.execute(f"PRAGMA {name}").fetchone()[0]) for name in names)
        count = connection.execute(COUNT).fetchone()[0]
        if (pages - free) * size <= limit or not count:
            return
        connection.execute(OLDEST, [max(1, int(count * DROP_SHARE))])


def _is_broken(error: Exception) -> bool:
    # The low byte is the kind of error; the rest says more about it.
    return isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", 0) & 0xFF in BROKEN


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_dev
