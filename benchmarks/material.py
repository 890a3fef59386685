"""Public data sets for the benchmarks: found in ../shared or $VIVA_SHARED, never shipped."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import NamedTuple


class Labelled(NamedTuple):
    """Texts with their topics (`oos` for out of scope)."""

    texts: list[str]
    intents: list[str]


def shared() -> Path:
    """Return the folder of the public data sets."""
    place = Path(os.environ.get("VIVA_SHARED") or Path(__file__).resolve().parents[2] / "shared")
    if not (place / "data" / "intents").is_dir():
        raise SystemExit("the public data sets are not here: set VIVA_SHARED to the folder that has data/intents")
    return place


def intents(name: str, *splits: str) -> Labelled:
    """Read one data set, all splits or the named ones."""
    path = shared() / "data" / "intents" / f"{name}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if not splits or row["split"] in splits]
    return Labelled([row["text"] for row in rows], [row["intent"] for row in rows])


def in_scope(data: Labelled) -> Labelled:
    """Leave out the out-of-scope rows."""
    kept = [(text, intent) for text, intent in zip(*data, strict=True) if intent != "oos"]
    return Labelled([text for text, _ in kept], [intent for _, intent in kept])
