"""Logged talks and what is thought of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class DialogueRow:
    """A logged talk; `turns` are mappings of speaker, text, is_bot, thumb."""

    id: str
    project_id: str
    name: str
    batch: str
    bot: str | None
    person: str | None
    source: str
    passed: bool | None
    turns: tuple[Mapping[str, Any], ...]
    place: int
    created: datetime


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A talk's score in one run."""

    run_id: str
    dialogue_id: str
    score: float | None
    low: float | None
    high: float | None
    refusal: str
    detail: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RatingRow:
    """What a person thinks of a talk (`turn` 0, quality 1 to 5) or of one answer (verdict yes, no, unsure)."""

    id: str
    dialogue_id: str
    turn: int
    user_id: str | None
    rater: str
    quality: float | None
    verdict: str | None
    created: datetime
