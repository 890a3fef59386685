"""From a log to dialogues: every one is read, refused with its place, or left out with a note."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vivavoce.dialogues.corpus.entries import Entry
from vivavoce.dialogues.corpus.formats import read_entries
from vivavoce.dialogues.dialogue import Dialogue
from vivavoce.errors import DataError, EmptyFileError, Fault, UsageError, nearest
from vivavoce.files import DEFAULT_MAX_BYTES, DEFAULT_MAX_ROWS
from vivavoce.files.advice import Advice
from vivavoce.files.exclusions import exclusion
from vivavoce.files.sources import check_file
from vivavoce.files.tables import ReadOptions
from vivavoce.messages import say, say_count

# Beyond this a file is something else than a log with some bad lines; reading on only fills the memory.
MAX_FAULTS = 10_000
AT_LEAST_ONE = say("use a file with at least one dialogue")
Tell = Callable[[str], None]


class NothingLeftError(DataError):
    """Every dialogue of a file was left out."""


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
    header_row: int | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    max_rows: int = DEFAULT_MAX_ROWS,
) -> Corpus:
    """Read a log. All faults are raised at once; nothing is dropped without a note.

    `bot` names the speaker that is the bot. `skip_bad` leaves out dialogues that cannot be used and lists each in
    the notes instead of refusing the file.
    """
    options = ReadOptions(encoding, max_bytes, sheet, max_rows, bot, header_row)
    return read_corpus(path, options, format=format, skip_bad=skip_bad)


def read_corpus(
    path: str | Path,
    options: ReadOptions,
    *,
    format: str | None = None,
    skip_bad: bool = False,
    entries: Callable[[], Iterator[Entry]] | None = None,
) -> Corpus:
    """Read a log in the same way; `entries` are what it holds, where somebody opened it already."""
    check_file(Path(path), options.max_bytes)
    reading = _Reading(Path(path), format, options, skip_bad, entries)
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
    header_row: int | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    max_rows: int = DEFAULT_MAX_ROWS,
    tell: Tell | None = None,
) -> Iterator[Dialogue]:
    """Yield the dialogues of a log of any size. Of JSON Lines one is held at a time, beside the ids seen so far.

    Faults are raised together when the file is read to its end; with `skip_bad` each goes to `tell` instead, as all
    other notes do. Of JSON Lines `max_bytes` limits a single line, of other formats the file.
    """
    options = ReadOptions(encoding, max_bytes, sheet, max_rows, bot, header_row)
    reading = _Reading(Path(path), format, options, skip_bad)
    return reading.dialogues(tell or (lambda note: None))


@dataclass(slots=True)
class _Reading:
    """One pass over a file: what was seen, and what was wrong."""

    path: Path
    format: str | None
    options: ReadOptions
    skip_bad: bool
    entries: Callable[[], Iterator[Entry]] | None = None
    good: int = 0
    excluded: int = 0
    faults: list[Fault] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)
    remarks: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)
    speakers: set[str] = field(default_factory=set)

    def dialogues(self, tell: Tell) -> Iterator[Dialogue]:
        """Yield what is good; raise or tell the rest at the end."""
        for entry in self._read_entries():
            for remark in entry.remarks:
                self.remarks[remark] += 1
                self.first.setdefault(remark, entry.place)
            faults = entry.faults or self._find_repeated(entry)
            if faults:
                self._take_faults(faults, tell)
            elif entry.dialogue is not None:
                self.good += 1
                if self.options.bot is not None and len(self.speakers) < MAX_FAULTS:
                    self.speakers.update(turn.speaker for turn in entry.dialogue.turns)
                yield entry.dialogue
            if len(self.faults) > MAX_FAULTS:
                faults_text = say_count(MAX_FAULTS, "{n} fault", "{n} faults")
                raise self._refuse(say("more than {faults}; the rest was not read", faults=faults_text))
        self._finish(tell)

    def _read_entries(self) -> Iterator[Entry]:
        try:
            yield from self.entries() if self.entries else read_entries(self.path, self.format, self.options)
        except EmptyFileError as error:
            # Files of examples are opened in the same way, and an empty one is called so there.
            error.remedy = AT_LEAST_ONE
            raise

    def _find_repeated(self, entry: Entry) -> Sequence[Fault]:
        """Find an id that was used before: two dialogues of one name cannot be told apart later."""
        if entry.dialogue is None:
            return ()
        first = self.places.get(entry.dialogue.id)
        if first is None:
            self.places[entry.dialogue.id] = entry.place
            return ()
        message = say("the same id was already used in {first}: give each dialogue a unique id", first=first)
        return [Fault(message, entry.place)]

    def _take_faults(self, faults: Sequence[Fault], tell: Tell) -> None:
        self.excluded += 1
        placed = [Fault(fault.message, say("{path}, {place}", path=self.path, place=fault.where)) for fault in faults]
        if self.skip_bad:
            for fault in placed:
                tell(exclusion(fault))
        else:
            self.faults += placed

    def _finish(self, tell: Tell) -> None:
        where, excluded = str(self.path), say_count(self.excluded, "{n} dialogue", "{n} dialogues")
        if self.faults:
            raise self._refuse(say("{dialogues} invalid", dialogues=excluded))
        if not self.good and self.excluded:
            what = say("nothing left: {dialogues} invalid", dialogues=excluded)
            raise NothingLeftError(what, where=where, remedy=say(Advice.DO_NOT_SKIP))
        if not self.good:
            raise DataError(say("no dialogues"), where=where, remedy=AT_LEAST_ONE)
        bot, known = self.options.bot, sorted(self.speakers)
        if bot is not None and bot.casefold() not in {name.casefold() for name in known}:
            raise UsageError(
                say("unknown speaker '{bot}'.{nearest}", bot=bot, nearest=nearest(bot, known)),
                where=where,
                remedy=say("speakers found: {names}", names=", ".join(known[:20]) or "none"),
            )
        for remark, times in self.remarks.items():
            text = remark
            if first := self.first[remark]:
                text = say(
                    "{remark} ({dialogues}, first in {first})",
                    remark=remark.removesuffix(".") if remark.endswith(".") else remark,
                    dialogues=say_count(times, "{n} dialogue", "{n} dialogues"),
                    first=first,
                )
            tell(say("{path}: {remark}", path=self.path, remark=text))

    def _refuse(self, what: str) -> DataError:
        return DataError(what, where=str(self.path), faults=self.faults, remedy=say(Advice.SKIP_DIALOGUES))
