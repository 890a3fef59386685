"""From a log to dialogues: every one is read, refused with its place, or left out with a note."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vivavoce.dialogues.corpus.entries import Entry
from vivavoce.dialogues.corpus.formats import read_entries
from vivavoce.dialogues.dialogue import Dialogue
from vivavoce.errors import DataError, EmptyFileError, Fault, FileError, UsageError, nearest
from vivavoce.files import DEFAULT_MAX_BYTES, DEFAULT_MAX_ROWS
from vivavoce.files.advice import Advice
from vivavoce.files.exclusions import exclusion
from vivavoce.files.sources import check_file
from vivavoce.files.tables import ReadOptions
from vivavoce.messages import say, say_count

# Beyond this a file is something else than a log with some bad lines; reading on only fills the memory.
MAX_FAULTS = 10_000
AT_LEAST_ONE = say("give a file with at least one dialogue")
Tell = Callable[[str], None]


class NothingLeftError(DataError):
    """Every dialogue of a file was left out."""


def _counted(remark: str, times: int, first: str) -> str:
    dialogues = say_count(times, "{n} dialogue", "{n} dialogues")
    return say(
        "{remark} ({dialogues}, first in {first})",
        remark=remark.removesuffix(".") if remark.endswith(".") else remark,
        dialogues=dialogues,
        first=first,
    )


@dataclass(frozen=True, slots=True)
class Corpus:
    """The dialogues of a file. `excluded`: how many entries were left out, each of them told in `notes`."""

    dialogues: tuple[Dialogue, ...]
    source: str
    notes: tuple[str, ...] = ()
    excluded: int = 0


def read_dialogues(
    path: str | Path,
    *,
    format: str | None = None,
    bot: str | None = None,
    skip_bad: bool = False,
    encoding: str | None = None,
    sheet: str | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    max_rows: int = DEFAULT_MAX_ROWS,
) -> Corpus:
    """Read a log. All faults are raised at once; nothing is dropped without a note.

    `bot` names the speaker that is the bot. `skip_bad` leaves out dialogues that cannot be used and lists each in
    the notes instead of refusing the file.
    """
    check_file(Path(path), max_bytes)
    reading = _Reading(Path(path), format, ReadOptions(encoding, max_bytes, sheet, max_rows, bot), skip_bad)
    notes: list[str] = []
    dialogues = tuple(reading.dialogues(notes.append))
    return Corpus(dialogues, str(path), tuple(notes), reading.excluded)


def stream_dialogues(
    path: str | Path,
    *,
    format: str | None = None,
    bot: str | None = None,
    skip_bad: bool = False,
    encoding: str | None = None,
    sheet: str | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    max_rows: int = DEFAULT_MAX_ROWS,
    tell: Tell | None = None,
) -> Iterator[Dialogue]:
    """Yield the dialogues of a log of any size. Of JSON Lines one is held at a time, beside the ids seen so far.

    Faults are raised together when the file is read to its end; with `skip_bad` each goes to `tell` instead, as all
    other notes do. Of JSON Lines `max_bytes` limits a single line, of other formats the file.
    """
    reading = _Reading(Path(path), format, ReadOptions(encoding, max_bytes, sheet, max_rows, bot), skip_bad)
    return reading.dialogues(tell or _tell_nobody)


def _tell_nobody(note: str) -> None:
    """Take a note that the caller does not want."""


@dataclass(slots=True)
class _Reading:
    """One pass over a file: what was seen, and what was wrong."""

    path: Path
    format: str | None
    options: ReadOptions
    skip_bad: bool
    good: int = 0
    excluded: int = 0
    faults: list[Fault] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)
    remarks: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)
    speakers: set[str] = field(default_factory=set)

    def dialogues(self, tell: Tell) -> Iterator[Dialogue]:
        """Yield what is good; raise or tell the rest at the end."""
        for entry in self._entries():
            self._note(entry)
            faults = entry.faults or self._repeated(entry)
            if faults:
                self._take_faults(faults, tell)
            elif entry.dialogue is not None:
                self._count(entry.dialogue)
                yield entry.dialogue
            if len(self.faults) > MAX_FAULTS:
                raise self._refusal(
                    say(
                        "more than {faults}; the rest was not read",
                        faults=say_count(MAX_FAULTS, "{n} fault", "{n} faults"),
                    )
                )
        self._finish(tell)

    def _entries(self) -> Iterator[Entry]:
        try:
            yield from read_entries(self.path, self.format, self.options)
        except FileError as error:
            # Files of examples are opened in the same way, and an empty one is called so there.
            if isinstance(error, EmptyFileError):
                error.remedy = say("give a file with at least one dialogue")
            raise

    def _count(self, dialogue: Dialogue) -> None:
        self.good += 1
        if self.options.bot is not None and len(self.speakers) < MAX_FAULTS:
            self.speakers.update(turn.speaker for turn in dialogue.turns)

    def _note(self, entry: Entry) -> None:
        for remark in entry.remarks:
            self.remarks[remark] += 1
            self.first.setdefault(remark, entry.place)

    def _repeated(self, entry: Entry) -> Sequence[Fault]:
        """Find an id that was used before: two dialogues of one name cannot be told apart later."""
        if entry.dialogue is None:
            return ()
        first = self.places.get(entry.dialogue.id)
        if first is None:
            self.places[entry.dialogue.id] = entry.place
            return ()
        shown = entry.dialogue.id[:60]
        return [
            Fault(
                say(
                    "the id '{shown}' was used before, in {first}: give each dialogue its own id",
                    shown=shown,
                    first=first,
                ),
                entry.place,
            )
        ]

    def _take_faults(self, faults: Sequence[Fault], tell: Tell) -> None:
        self.excluded += 1
        placed = [Fault(fault.message, say("{path}, {place}", path=self.path, place=fault.where)) for fault in faults]
        if self.skip_bad:
            for fault in placed:
                tell(exclusion(fault))
        else:
            self.faults += placed

    def _finish(self, tell: Tell) -> None:
        if self.faults:
            raise self._refusal(
                say("{dialogues} cannot be used", dialogues=say_count(self.excluded, "{n} dialogue", "{n} dialogues"))
            )
        if not self.good:
            raise self._nothing()
        self._check_bot()
        for remark, times in self.remarks.items():
            first = self.first[remark]
            tell(say("{path}: {remark}", path=self.path, remark=_counted(remark, times, first) if first else remark))

    def _refusal(self, what: str) -> DataError:
        return DataError(
            what,
            where=str(self.path),
            faults=self.faults,
            remedy=say(Advice.SKIP_DIALOGUES),
        )

    def _nothing(self) -> DataError:
        if self.excluded:
            what = say(
                "nothing is left: {dialogues} cannot be used",
                dialogues=say_count(self.excluded, "{n} dialogue", "{n} dialogues"),
            )
            return NothingLeftError(what, where=str(self.path), remedy=say(Advice.DO_NOT_SKIP))
        return DataError(say("there are no dialogues"), where=str(self.path), remedy=AT_LEAST_ONE)

    def _check_bot(self) -> None:
        bot, known = self.options.bot, sorted(self.speakers)
        if bot is None or bot.casefold() in {name.casefold() for name in known}:
            return
        raise UsageError(
            say("no speaker is called '{bot}'.{nearest}", bot=bot, nearest=nearest(bot, known)),
            where=str(self.path),
            remedy=say("speakers found: {names}", names=", ".join(known[:20]) or "none"),
        )
