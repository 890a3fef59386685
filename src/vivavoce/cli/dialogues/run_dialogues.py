"""Conversations of a run as dialogues, so that checks and quality scores are about the same exchanges."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.errors import plural

if TYPE_CHECKING:
    from vivavoce.conversations.transcript import ConversationKey, Transcript
    from vivavoce.dialogues import Dialogue

PERSON = "script"


def is_run(place: Path) -> bool:
    """Return whether a folder holds the record of a run."""
    from vivavoce.conversations.transcript import RECORD_FILE

    return (place / RECORD_FILE).is_file()


def read_run(folder: Path) -> tuple[list[Dialogue], tuple[str, ...]]:
    """Return the finished conversations of a run, each with whether all its checks passed, and notes."""
    from vivavoce.conversations import RunRecord, score_run
    from vivavoce.conversations.transcript import State

    with RunRecord.open(folder) as record:
        verdicts: dict[ConversationKey, list[bool]] = defaultdict(list)
        for line in score_run(record).lines:
            if line.verdict.outcome.counted:
                verdicts[line.key].append(line.verdict.outcome.passed)
        transcripts = list(record.transcripts())
    done = [transcript for transcript in transcripts if transcript.state is State.DONE]
    notes = [f"{plural(len(done), 'scripted conversation')} of a run: the person's side was written beforehand."]
    if len(done) < len(transcripts):
        notes.append(f"{plural(len(transcripts) - len(done), 'conversation')} not completed and skipped.")
    dialogues = [
        _to_dialogue(transcript, all(verdicts[transcript.key]) if transcript.key in verdicts else None)
        for transcript in done
    ]
    return dialogues, tuple(notes)


def _to_dialogue(transcript: Transcript, passed: bool | None) -> Dialogue:
    from vivavoce.dialogues import Dialogue, Utterance

    key, utterances = transcript.key, []
    for exchange in transcript.exchanges:
        utterances.append(Utterance(PERSON, exchange.sent, is_bot=False))
        texts = exchange.reply.texts if exchange.reply else ()
        utterances += [Utterance(key.bot, text, is_bot=True) for text in texts]
    return Dialogue(key.label, tuple(utterances), source="scripted", bot=key.bot, passed=passed)
