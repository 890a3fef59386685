"""Who changed what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Change:
    """What an edit does to one row: `noun` is the table, before and after its columns (None: no such row)."""

    noun: str
    noun_id: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    topic_id: str | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of material: who, when, why. `size`: how many rows it touched."""

    id: str
    project_id: str
    at: datetime
    user_id: str | None
    action: str
    summary: str
    why: str
    undoes: str | None
    undone_by: str | None
    size: int
