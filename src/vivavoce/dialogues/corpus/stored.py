"""Dialogues as we store them: one JSON object a line, written and read back without any guessing."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from vivavoce.dialogues.corpus.entries import is_bot_by_name
from vivavoce.dialogues.dialogue import Dialogue, Rating, Utterance
from vivavoce.errors import DataError, Fault
from vivavoce.files.writing import write_text
from vivavoce.messages import say


def write_dialogues(path: str | Path, dialogues: Iterable[Dialogue]) -> None:
    """Write JSON Lines, all or nothing; `-` is standard output."""
    lines = (json.dumps(dialogue_json(dialogue), ensure_ascii=False, allow_nan=False) for dialogue in dialogues)
    write_text(path, "".join(f"{line}\n" for line in lines))


def dialogue_json(dialogue: Dialogue) -> dict[str, object]:
    """Return a dialogue as plain data; what is not known is left out."""
    turns: list[dict[str, object]] = []
    for turn in dialogue.turns:
        plain: dict[str, object] = {"speaker": turn.speaker, "text": turn.text}
        # Left out, it would be read from the name; written as null, it stays unknown.
        if turn.is_bot is not None or is_bot_by_name(turn.speaker) is not None:
            plain["is_bot"] = turn.is_bot
        turns.append(plain if turn.thumb is None else {**plain, "thumb": turn.thumb})
    ratings = [
        {"rater": rating.rater, "quality": rating.quality}
        | ({"aspects": dict(rating.aspects)} if rating.aspects else {})
        for rating in dialogue.ratings
    ]
    others = {
        "ratings": ratings or None,
        "source": dialogue.source or None,
        "bot": dialogue.bot,
        "user": dialogue.user,
        "passed": dialogue.passed,
        "began": None if dialogue.began is None else dialogue.began.isoformat(),
    }
    known = {key: value for key, value in others.items() if value is not None}
    return {"id": dialogue.id, "turns": turns, **known}


def read_stored(content: bytes) -> tuple[Dialogue, ...]:
    """Return the dialogues of lines made of `dialogue_json`; raise one DataError with the place of every fault."""
    dialogues: list[Dialogue] = []
    faults: list[Fault] = []
    # Only a line feed ends a line: JSON may hold other line ends.
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            dialogues.append(_read_dialogue(json.loads(line), number))
        except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
            faults.append(
                Fault(
                    say("not a valid stored dialogue: {error}", error=repr(error)),
                    say("line {number}", number=number),
                )
            )
    rows: dict[str, int | None] = {}
    for dialogue in dialogues:
        first = rows.setdefault(dialogue.id, dialogue.row)
        if first != dialogue.row:
            message = say("the id '{id}' was already used in line {first}", id=dialogue.id[:60], first=first)
            faults.append(Fault(message, say("line {row}", row=dialogue.row)))
    if faults:
        raise DataError(say("these dialogues are invalid"), faults=faults, remedy=say("fix these lines"))
    if not dialogues:
        raise DataError(say("no dialogues"), remedy=say("provide at least one"))
    return tuple(dialogues)


def _read_dialogue(plain: dict[str, Any], row: int) -> Dialogue:
    return Dialogue(
        id=plain["id"],
        turns=tuple(
            Utterance(turn["speaker"], turn["text"], turn.get("is_bot"), turn.get("thumb")) for turn in plain["turns"]
        ),
        ratings=tuple(
            Rating(rating["rater"], rating["quality"], rating.get("aspects", {}))
            for rating in plain.get("ratings", ())
        ),
        source=plain.get("source", ""),
        bot=plain.get("bot"),
        user=plain.get("user"),
        passed=plain.get("passed"),
        row=row,
        began=datetime.fromisoformat(plain["began"]) if plain.get("began") else None,
    )
