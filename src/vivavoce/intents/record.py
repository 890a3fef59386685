"""The raw record of an exam: what the engine said to every test row. Findings are computed from it alone."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import FileError, UsageError
from vivavoce.intents.splits import Flags, Rows, Setting

NO_GUESS_CODE = -1


@dataclass(frozen=True, slots=True, order=True)
class UnitKey:
    """One unit of work: a setting, a retry, and whether near-duplicates were kept together."""

    setting: Setting
    retry: int
    leak_proof: bool = True

    def __str__(self) -> str:
        naive = "" if self.leak_proof else ", duplicates not kept together"
        return f"setting {self.setting}, retry {self.retry + 1}{naive}"


@dataclass(frozen=True, eq=False)
class Answers:
    """What the engine said: for each test row the best topic code (-1: no guess) and its confidence."""

    guess: Rows
    confidence: NDArray[np.float32]
    probabilities: NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds: to draw the split, to train, and per text to classify (one value for each batch)."""

    split: float
    train: float
    classify: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class UnitResult:
    """One split, trained and tested."""

    key: UnitKey
    test: Rows
    negative: Flags
    n_train: int
    n_excluded: int
    answers: Answers
    timing: Timing


@dataclass(frozen=True, slots=True)
class UnitFailure:
    """A unit that could not be completed, and why."""

    key: UnitKey
    reason: str

    def __str__(self) -> str:
        return f"{self.key}: {self.reason}"


@dataclass(frozen=True)
class RecordHeader:
    """What a record belongs to. Two runs may share a record only if all of this is equal."""

    version: str
    data_hash: str
    classifier: str
    seed: int
    design: str


class RecordFile:
    """A record on disk (SQLite): each finished unit is kept at once, so a killed exam goes on where it was."""

    def __init__(self, path: Path, header: RecordHeader) -> None:
        self.path, ours = Path(path), asdict(header)
        try:
            with closing(self._open()) as database, database:
                database.execute("CREATE TABLE IF NOT EXISTS header (json TEXT NOT NULL)")
                database.execute("CREATE TABLE IF NOT EXISTS unit (key TEXT PRIMARY KEY, meta TEXT, arrays BLOB)")
                row = database.execute("SELECT json FROM header").fetchone()
                theirs = ours if row is None else json.loads(row[0])
                if row is None:
                    database.execute("INSERT INTO header VALUES (?)", (json.dumps(ours),))
        except sqlite3.DatabaseError as error:
            raise FileError(
                f"this is not an exam record ({error})", where=str(path), remedy="choose another file name"
            ) from error
        if theirs != ours:
            names = [name for name in ours if theirs.get(name) != ours[name]]
            parts = "; ".join(f"{name} {theirs.get(name)} there, {ours[name]} here" for name in names)
            what = f"{self.path} is the record of a different exam: {parts}"
            raise UsageError(what, remedy="choose another record file")

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self.path, timeout=30)

    def load(self) -> dict[UnitKey, UnitResult]:
        """Return the units that are finished."""
        with closing(self._open()) as database:
            rows = database.execute("SELECT meta, arrays FROM unit").fetchall()
        return {result.key: result for result in (decode_result(meta, blob) for meta, blob in rows)}

    def save(self, result: UnitResult) -> None:
        """Keep one finished unit."""
        meta, blob = encode_result(result)
        with closing(self._open()) as database, database:
            database.execute("INSERT OR REPLACE INTO unit VALUES (?, ?, ?)", (str(result.key), meta, blob))


def encode_result(result: UnitResult) -> tuple[str, bytes]:
    """Return a finished unit as JSON and as arrays in NumPy's own form."""
    key, timing = result.key, result.timing
    meta = {
        "k": key.setting.k,
        "p": key.setting.p,
        "retry": key.retry,
        "leak_proof": key.leak_proof,
        "n_train": result.n_train,
        "n_excluded": result.n_excluded,
        "timing": [timing.split, timing.train, list(timing.classify)],
    }
    answers = result.answers
    arrays: dict[str, NDArray[Any]] = {"test": result.test, "negative": result.negative}
    arrays |= {"guess": answers.guess, "confidence": answers.confidence}
    if answers.probabilities is not None:
        arrays["probabilities"] = answers.probabilities
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return json.dumps(meta), buffer.getvalue()


def decode_result(meta: str, blob: bytes) -> UnitResult:
    """Return the unit that was encoded."""
    facts = json.loads(meta)
    with np.load(io.BytesIO(blob), allow_pickle=False) as arrays:
        chances = arrays.get("probabilities")
        answers = Answers(arrays["guess"], arrays["confidence"], chances)
        test, negative = arrays["test"], arrays["negative"]
    split, train, classify = facts["timing"]
    key = UnitKey(Setting(facts["k"], facts["p"]), facts["retry"], facts["leak_proof"])
    timing = Timing(split, train, tuple(classify))
    return UnitResult(key, test, negative, facts["n_train"], facts["n_excluded"], answers, timing)


@dataclass(frozen=True, eq=False)
class ExamRecord:
    """All units of an exam: the finished ones and those that failed."""

    results: tuple[UnitResult, ...]
    failures: tuple[UnitFailure, ...] = ()

    def of(self, setting: Setting, *, leak_proof: bool = True) -> Sequence[UnitResult]:
        """Return the finished retries of a setting, in order."""
        wanted = (r for r in self.results if r.key.setting == setting and r.key.leak_proof == leak_proof)
        return sorted(wanted, key=lambda result: result.key.retry)

    def __iter__(self) -> Iterator[UnitResult]:
        return iter(self.results)
