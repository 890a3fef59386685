"""From a log that somebody sent, or a run of scripted conversations, to talks that can be stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from vivavoce.dialogues.corpus.reading import Corpus, NothingLeftError, read_corpus
from vivavoce.dialogues.corpus.sheets import guess_columns, missing_roles, read_rows
from vivavoce.dialogues.dialogue import Dialogue, Utterance
from vivavoce.errors import DataError, UsageError, VivaError
from vivavoce.files.datasets import read_table
from vivavoce.files.encodings import GUESS, guess_encoding
from vivavoce.files.exclusions import read_exclusion
from vivavoce.files.formats import Kind, SourceFile, find_format
from vivavoce.files.tables import ReadOptions
from vivavoce.messages import Message, join, say
from vivavoce.outcomes import TurnOutcome
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.rows import DialogueRow, Project, TurnRow, UnitState
from vivavoce.store.stamps import new_id
from vivavoce.workspace.exams.runs import get_run
from vivavoce.workspace.uploads import (
    MAX_ROWS,
    TABLE_ADVICE,
    Encoding,
    Layout,
    Source,
    make_layout,
    reword,
    reword_error,
)

Existing = Literal["skip", "replace"]
EXISTING: tuple[Existing, ...] = ("skip", "replace")
SCRIPT = "script"
MAX_NAME, MAX_WORD = 400, 200
MAX_SPEAKERS = 50
TABLES = ("csv", "tsv", "xlsx")
# Beneath so many dialogues, whoever speaks in all of them need not be the bot.
MIN_DIALOGUES, NEARLY_ALL = 3, 0.9
_LACKING: Mapping[str, Message] = {
    "dialogue": say("Choose the column that identifies the dialogue."),
    "speaker": say("Choose the column that names the speaker, or the one with the bot's replies."),
    "text": say("Choose the column with the messages."),
}


@dataclass(frozen=True, slots=True)
class Unread:
    """A talk that cannot be used: where it stands, why, and its name where it has one."""

    place: str
    reason: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class TalkChoices:
    """How talks are taken in. `speaker`: who in the file is the bot; `bot`: the name for talks that name none.

    `existing`: what becomes of talks whose id is there already. What is not said about the file is found out.
    """

    batch: str = ""
    speaker: str = ""
    bot: str = ""
    existing: Existing = "skip"
    encoding: Encoding = ""
    sheet: str = ""
    header: int = 0
    roles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadLog:
    """What a log holds; `speakers`: who speaks in it, the busiest first. `found_bot`: who must be the bot among them.

    `layout`: how it was read, where it is a table. `unclear`: why no dialogue could be read yet.
    """

    dialogues: tuple[Dialogue, ...] = ()
    refused: tuple[Unread, ...] = ()
    notes: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    found_bot: str = ""
    layout: Layout = field(default_factory=Layout)
    unclear: str = ""


def read_log(source: Source, choices: TalkChoices = TalkChoices()) -> ReadLog:
    """Read a log of any format. Errors name the file as its sender does."""
    with TemporaryDirectory(prefix="viva-") as folder:
        path = Path(folder) / source.name
        path.write_bytes(source.content)
        try:
            return _Log(path, source.content, choices).read()
        except VivaError as error:
            raise reword_error(error, path, TABLE_ADVICE) from error


@dataclass(frozen=True, slots=True)
class _Log:
    """A log as it was sent, and how it is to be read."""

    path: Path
    content: bytes
    choices: TalkChoices

    @property
    def options(self) -> ReadOptions:
        choices = self.choices
        return ReadOptions(
            choices.encoding or GUESS,
            sheet=choices.sheet or None,
            max_rows=MAX_ROWS,
            bot=choices.speaker or None,
            header=choices.header or None,
            guess=True,
            rename=True,
        )

    def read(self) -> ReadLog:
        format = find_format(Kind.DIALOGUES, SourceFile(self.path, self.options))
        written = self.choices.encoding or guess_encoding(self.content)
        if format is None or format.name not in TABLES:
            return self._collect(self._read_corpus, replace(Layout(), encoding=written))
        table = read_table(self.path, self.options, format.name)
        roles = self.choices.roles if len(self.choices.roles) == len(table.columns) else guess_columns(table)
        layout = make_layout(table, roles, "" if table.sheets else written)
        columns = {role: place for place, role in enumerate(roles) if role}
        if lacking := missing_roles(columns):
            return ReadLog(layout=layout, unclear=join(" ", [_LACKING[role] for role in lacking]))

        def read(bot: str | None) -> Corpus:
            options = replace(self.options, bot=bot)
            return read_corpus(
                self.path,
                options,
                skip_bad=True,
                entries=lambda: read_rows(table, columns, options, str(self.path)),
            )

        try:
            return self._collect(read, layout)
        except DataError as error:
            first = [error.what, *(fault.message for fault in error.faults[:1])]
            return ReadLog(
                layout=layout, unclear=join(": ", [reword(text, self.path, TABLE_ADVICE) for text in first])
            )

    def _read_corpus(self, bot: str | None) -> Corpus:
        options = replace(self.options, bot=bot)
        try:
            return read_corpus(self.path, options, skip_bad=True)
        except NothingLeftError:
            # Read strictly, the file is refused again, this time with the reason for every talk.
            return read_corpus(self.path, options)

    def _collect(self, read: Callable[[str | None], Corpus], layout: Layout) -> ReadLog:
        corpus = read(self.choices.speaker or None)
        bot = "" if self.choices.speaker else find_bot(corpus.dialogues)
        if bot:
            corpus = read(bot)
        refused, notes = _split_notes(corpus, self.path)
        busiest = Counter(turn.speaker for talk in corpus.dialogues for turn in talk.turns).most_common(MAX_SPEAKERS)
        return ReadLog(corpus.dialogues, refused, notes, tuple(name for name, _ in busiest), bot, layout)


def find_bot(dialogues: Sequence[Dialogue]) -> str:
    """Return the speaker who must be the bot: the only one who speaks in nearly all dialogues; empty: nobody must."""
    if any(turn.is_bot is not None for talk in dialogues for turn in talk.turns) or len(dialogues) < MIN_DIALOGUES:
        return ""
    counts = Counter(name for talk in dialogues for name in talk.speakers)
    common = [name for name, count in counts.items() if count >= NEARLY_ALL * len(dialogues)]
    return common[0] if len(common) == 1 else ""


def as_row(  # noqa: PLR0917 - what a row holds beside the talk
    talk: Dialogue, project: Project, batch: str, bot: str, place: int, at: datetime
) -> DialogueRow:
    """Return a talk as it is stored; UsageError where no database can hold it."""
    named, person = talk.bot or bot or None, talk.user
    for value, most in ((talk.id, MAX_NAME), (named or "", MAX_WORD), (person or "", MAX_WORD)):
        clean_text(value, most)
    if not talk.turns:
        raise UsageError(say("the dialogue has no messages"), remedy=say("remove the dialogue"))
    return DialogueRow(
        new_id(),
        project.id,
        talk.id,
        batch,
        named,
        person,
        clean_text(talk.source),
        talk.passed,
        tuple(
            {
                "speaker": clean_text(turn.speaker),
                "text": clean_text(turn.text),
                "is_bot": turn.is_bot,
                "thumb": turn.thumb,
                # When the dialogue began stands at its first message.
                **({"time": talk.began.isoformat()} if number == 0 and talk.began else {}),
            }
            for number, turn in enumerate(talk.turns)
        ),
        place,
        at,
    )


def talks_of_run(store: Store, project: Project, number: int) -> tuple[Dialogue, ...]:
    """Return the conversations of a run that were held to their end, each with whether all its checks passed."""
    with store.reading() as tx:
        run = get_run(tx, project, number, "conversations")
        if run.state.open:
            raise UsageError(
                say("run {number} is still in progress", number=number),
                remedy=say("wait until it is done, or cancel it"),
            )
        held = {unit.id for unit in tx.units.of_run(run.id, state=UnitState.DONE)}
        turns = [turn for turn in tx.turns.of_run(run.id) if turn.unit_id in held]
    talks = [_make_dialogue(number, list(own)) for _, own in groupby(turns, key=lambda turn: turn.unit_id)]
    if not talks:
        raise UsageError(
            say("run {number} has no completed conversations", number=number),
            remedy=say("choose another run"),
        )
    return tuple(talks)


def _split_notes(corpus: Corpus, path: Path) -> tuple[tuple[Unread, ...], tuple[str, ...]]:
    """Part the notes about talks that were left out from the others."""
    refused, notes = [], []
    for note in corpus.notes:
        if (fault := read_exclusion(note)) is not None:
            refused.append(Unread(_value(fault.where, "place"), reword(fault.message, path, TABLE_ADVICE)))
        else:
            notes.append(reword(_value(note, "remark"), path, TABLE_ADVICE))
    finer = sum(any(rating.aspects for rating in talk.ratings) for talk in corpus.dialogues)
    if finer:
        notes.append(
            say("only one rating from 1 to 5 is kept ({finer:,} dialogues have more detailed ratings)", finer=finer)
        )
    return tuple(refused), tuple(notes)


def _value(text: str, name: str) -> str:
    """Return a text that a message has among its values; the message itself where it has none."""
    value = text.values.get(name) if isinstance(text, Message) else None
    return value if isinstance(value, str) else text


def _make_dialogue(number: int, turns: Sequence[TurnRow]) -> Dialogue:
    first = turns[0]
    name = f"run {number}, {first.bot}, {first.script}, {first.repeat}"
    messages: list[Utterance] = []
    for turn in turns:
        if turn.sent.strip():
            messages.append(Utterance(SCRIPT, turn.sent, is_bot=False))
        if turn.reply.strip():
            messages.append(Utterance(turn.bot, turn.reply, is_bot=True))
    known = {str(outcome): outcome for outcome in TurnOutcome}
    checked = [known[turn.outcome].passed for turn in turns if turn.outcome in known and known[turn.outcome].counted]
    # None where nothing was checked.
    passed = all(checked) if checked else None
    return Dialogue(name, tuple(messages), source="scripted", bot=first.bot, passed=passed)
