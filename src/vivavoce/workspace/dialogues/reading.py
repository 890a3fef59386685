"""From a log that somebody sent, or a run of scripted conversations, to talks that can be stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from vivavoce.dialogues.corpus.reading import Corpus, NothingLeftError, read_dialogues
from vivavoce.dialogues.dialogue import Dialogue, Utterance
from vivavoce.errors import UsageError, VivaError
from vivavoce.files.exclusions import read_exclusion
from vivavoce.messages import Message, say
from vivavoce.outcomes import TurnOutcome
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.rows import DialogueRow, Project, TurnRow, UnitState
from vivavoce.store.stamps import new_id
from vivavoce.workspace.advice import LOG_ADVICE, reword, reword_error
from vivavoce.workspace.exams.runs import get_run
from vivavoce.workspace.uploads import MAX_ROWS, Source

SCRIPT = "script"
MOST_NAME, MOST_WORD = 400, 200
MOST_SPEAKERS = 50


@dataclass(frozen=True, slots=True)
class Unread:
    """A talk that cannot be used: where it stands, why, and its name where it has one."""

    place: str
    reason: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class ReadLog:
    """What a log holds; `speakers`: who speaks in it, the busiest first."""

    dialogues: tuple[Dialogue, ...]
    refused: tuple[Unread, ...]
    notes: tuple[str, ...]
    speakers: tuple[str, ...]


def read_log(source: Source, speaker: str = "") -> ReadLog:
    """Read a log of any format; `speaker` is the bot. Errors name the file as its sender does."""
    with TemporaryDirectory(prefix="viva-") as folder:
        path = Path(folder) / source.name
        path.write_bytes(source.content)
        try:
            corpus = _read(path, speaker or None)
        except VivaError as error:
            raise reword_error(error, path, LOG_ADVICE) from error
    refused, notes = _parted(corpus, path)
    busiest = Counter(turn.speaker for talk in corpus.dialogues for turn in talk.turns).most_common(MOST_SPEAKERS)
    return ReadLog(corpus.dialogues, refused, notes, tuple(name for name, _ in busiest))


def as_row(  # noqa: PLR0917 - what a row holds beside the talk
    talk: Dialogue, project: Project, batch: str, bot: str, place: int, at: datetime
) -> DialogueRow:
    """Return a talk as it is stored; UsageError where no database can hold it."""
    named, person = talk.bot or bot or None, talk.user
    for value, most in ((talk.id, MOST_NAME), (named or "", MOST_WORD), (person or "", MOST_WORD)):
        clean_text(value, most)
    if not talk.turns:
        raise UsageError(say("nobody says anything in it"), remedy=say("leave the talk out"))
    return DialogueRow(
        new_id(),
        project.id,
        talk.id,
        batch,
        named,
        person,
        clean_text(talk.source),
        talk.passed,
        tuple(_turn(turn) for turn in talk.turns),
        place,
        at,
    )


def talks_of_run(store: Store, project: Project, number: int) -> tuple[Dialogue, ...]:
    """Return the conversations of a run that were held to their end, each with whether all its checks passed."""
    with store.reading() as tx:
        run = get_run(tx, project, number, "conversations")
        if run.state.open:
            raise UsageError(
                say("run {number} is still going on", number=number),
                remedy=say("wait until it is done, or cancel it"),
            )
        held = {unit.id for unit in tx.units.of_run(run.id, state=UnitState.DONE)}
        turns = [turn for turn in tx.turns.of_run(run.id) if turn.unit_id in held]
    talks = [_scripted(number, list(own)) for _, own in groupby(turns, key=lambda turn: turn.unit_id)]
    if not talks:
        raise UsageError(
            say("run {number} holds no conversation that was held to its end", number=number),
            remedy=say("choose another run"),
        )
    return tuple(talks)


# --- files -------------------------------------------------------------------------------------------------------


def _read(path: Path, speaker: str | None) -> Corpus:
    try:
        return read_dialogues(path, bot=speaker, skip_bad=True, max_rows=MAX_ROWS)
    except NothingLeftError:
        # Read strictly, the file is refused again, this time with the reason for every talk.
        return read_dialogues(path, bot=speaker, max_rows=MAX_ROWS)


def _parted(corpus: Corpus, path: Path) -> tuple[tuple[Unread, ...], tuple[str, ...]]:
    """Part the notes about talks that were left out from the others."""
    refused, notes = [], []
    for note in corpus.notes:
        if (fault := read_exclusion(note)) is not None:
            refused.append(Unread(_value(fault.where, "place"), reword(fault.message, path, LOG_ADVICE)))
        else:
            notes.append(reword(_value(note, "remark"), path, LOG_ADVICE))
    finer = sum(any(one.aspects for one in talk.ratings) for talk in corpus.dialogues)
    if finer:
        notes.append(
            say("finer marks than the one from 1 to 5 are not kept ({finer:,} talks have some)", finer=finer)
        )
    return tuple(refused), tuple(notes)


def _value(text: str, name: str) -> str:
    """Return a text that a message has among its values; the message itself where it has none."""
    value = text.values.get(name) if isinstance(text, Message) else None
    return value if isinstance(value, str) else text


# --- talks -------------------------------------------------------------------------------------------------------


def _turn(turn: Utterance) -> dict[str, object]:
    speaker, text = clean_text(turn.speaker), clean_text(turn.text)
    return {"speaker": speaker, "text": text, "is_bot": turn.is_bot, "thumb": turn.thumb}


def _scripted(number: int, turns: Sequence[TurnRow]) -> Dialogue:
    first = turns[0]
    name = f"run {number}, {first.bot}, {first.script}, {first.repeat}"
    return Dialogue(name, tuple(_messages(turns)), source="scripted", bot=first.bot, passed=_passed(turns))


def _messages(turns: Sequence[TurnRow]) -> Iterator[Utterance]:
    for turn in turns:
        if turn.sent.strip():
            yield Utterance(SCRIPT, turn.sent, is_bot=False)
        if turn.reply.strip():
            yield Utterance(turn.bot, turn.reply, is_bot=True)


def _passed(turns: Sequence[TurnRow]) -> bool | None:
    """Tell whether all that was checked in a talk went as it should; None where nothing was."""
    known = {str(outcome): outcome for outcome in TurnOutcome}
    checked = [known[turn.outcome].passed for turn in turns if turn.outcome in known and known[turn.outcome].counted]
    return all(checked) if checked else None
