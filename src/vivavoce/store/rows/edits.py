"""Who changed what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from vivavoce.store.columns import Id, ProjectId, Short, Translated, UserId


@dataclass(frozen=True, slots=True)
class Change:
    """What an edit does to one row: `noun` is the table, before and after its columns (None: no such row)."""

    noun: Short
    noun_id: Short
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    topic_id: Short | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of material: who, when, why. `size`: how many rows it touched."""

    id: Id
    project_id: ProjectId
    at: datetime
    user_id: UserId | None
    action: Short
    summary: Translated
    why: str
    undoes: Short | None
    undone_by: Short | None
    size: int
