"""Conversations of a run as dialogues: scripted checks and the score of quality then speak about the same talks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.errors import plural

if TYPE_CHECKING:
    from vivavoce.conversations.result import ConversationsResult
    from vivavoce.conversations.transcript import TalkKey, Transcript
    from vivavoce.dialogues import Dialogue, Utterance

PERSON = "script"


def is_run(place: Path) -> bool:
    """Say whether a folder holds the record of a run."""
    from vivavoce.conversations.transcript import RECORD_FILE

    return (place / RECORD_FILE).is_file()


def talks_of(folder: Path) -> tuple[list[Dialogue], tuple[str, ...]]:
    """Return the finished conversations of a run, each with whether all its checks passed, and what was left out."""
    from vivavoce.conversations import RunRecord, score_run
    from vivavoce.conversations.transcript import State

    with RunRecord.open(folder) as record:
        passed = _passed(score_run(record))
        held = list(record.transcripts())
    done = [transcript for transcript in held if transcript.state is State.DONE]
    notes = [f"{plural(len(done), 'scripted conversation')} of a run: the person's side was written beforehand."]
    if len(done) < len(held):
        notes.append(f"{plural(len(held) - len(done), 'conversation')} not held to the end, left out.")
    return [_dialogue(transcript, passed.get(transcript.key)) for transcript in done], tuple(notes)


def _passed(result: ConversationsResult) -> dict[TalkKey, bool]:
    """Return of each talk with checked turns whether all of them passed."""
    found: dict[TalkKey, list[bool]] = defaultdict(list)
    for line in result.lines:
        if line.verdict.outcome.counted:
            found[line.key].append(line.verdict.outcome.passed)
    return {key: all(turns) for key, turns in found.items()}


def _dialogue(transcript: Transcript, passed: bool | None) -> Dialogue:
    from vivavoce.dialogues import Dialogue

    key = transcript.key
    return Dialogue(key.label, tuple(_turns(transcript)), source="scripted", bot=key.bot, passed=passed)


def _turns(transcript: Transcript) -> Iterator[Utterance]:
    from vivavoce.dialogues import Utterance

    for exchange in transcript.exchanges:
        yield Utterance(PERSON, exchange.sent, is_bot=False)
        for text in exchange.reply.texts if exchange.reply else ():
            yield Utterance(transcript.key.bot, text, is_bot=True)
