"""Logged dialogues and what is thought of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from vivavoce.store.columns import DialogueId, Id, Name, Noted, ProjectId, RunId, Short, Translated, UserId


@dataclass(frozen=True, slots=True)
class DialogueRow:
    """A logged dialogue; `turns` are mappings of speaker, text, is_bot, thumb."""

    id: Id
    project_id: ProjectId
    name: Name
    batch: Short
    bot: Short | None
    person: Short | None
    source: str
    passed: bool | None
    turns: tuple[Mapping[str, Any], ...]
    place: int
    created: datetime


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """The score of a dialogue in one run."""

    run_id: RunId
    dialogue_id: DialogueId
    score: float | None
    low: float | None
    high: float | None
    refusal: Translated
    detail: Noted


@dataclass(frozen=True, slots=True)
class RatingRow:
    """What a person thinks of a dialogue (`turn` 0, quality 1 to 5) or of one answer (verdict yes, no, unsure)."""

    id: Id
    dialogue_id: DialogueId
    turn: int
    user_id: UserId | None
    rater: Short
    quality: float | None
    verdict: Short | None
    created: datetime
