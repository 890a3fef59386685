"""Dialogues out: one JSON object a line, so that reading it again gives the same."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from vivavoce.dialogues.corpus.speakers import is_bot_by_name
from vivavoce.dialogues.dialogue import Dialogue, Rating, Utterance
from vivavoce.files.writing import write_text


def write_dialogues(path: str | Path, dialogues: Iterable[Dialogue]) -> None:
    """Write JSON Lines, all or nothing; `-` is standard output."""
    lines = (json.dumps(dialogue_json(dialogue), ensure_ascii=False, allow_nan=False) for dialogue in dialogues)
    write_text(path, "".join(f"{line}\n" for line in lines))


def dialogue_json(dialogue: Dialogue) -> dict[str, object]:
    """Return a dialogue as plain data; what is not known is left out."""
    turns = [_turn(turn) for turn in dialogue.turns]
    plain: dict[str, object] = {"id": dialogue.id, "turns": turns}
    if dialogue.ratings:
        plain["ratings"] = [_rating(rating) for rating in dialogue.ratings]
    others = {
        "source": dialogue.source or None,
        "bot": dialogue.bot,
        "user": dialogue.user,
        "passed": dialogue.passed,
    }
    return plain | {key: value for key, value in others.items() if value is not None}


def _turn(turn: Utterance) -> dict[str, object]:
    plain: dict[str, object] = {"speaker": turn.speaker, "text": turn.text}
    # Left out, it would be read from the name; written as null, it stays unknown.
    if turn.is_bot is not None or is_bot_by_name(turn.speaker) is not None:
        plain["is_bot"] = turn.is_bot
    if turn.thumb is not None:
        plain["thumb"] = turn.thumb
    return plain


def _rating(rating: Rating) -> dict[str, object]:
    plain: dict[str, object] = {"rater": rating.rater, "quality": rating.quality}
    return plain | {"aspects": dict(rating.aspects)} if rating.aspects else plain
