"""From the options of a command to dialogues, raters and a recalibration."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from vivavoce.cli.dialogues.options import Judging, LogReading, RaterChoice, RaterChoices
from vivavoce.cli.shared.failures import resumable, tell
from vivavoce.cli.shared.material import MEGABYTE
from vivavoce.cli.shared.progress import Report
from vivavoce.errors import DataError, Fault, FileError, UsageError, VivaError, nearest, plural
from vivavoce.messages import change_texts, say

if TYPE_CHECKING:
    from vivavoce.conversations.transcript import ConversationKey, Transcript
    from vivavoce.dialogues import Corpus, Dialogue, DialoguesResult, Rater, Recalibration
    from vivavoce.settings import Settings

TakeNote = Callable[[str], None]
STANDARD_INPUT = "-"
STANDARD_INPUT_NAME = "standard input"
DEMO = "demo"
DEFAULT_RATER = "learned"
MODEL_ENDING = ".npz"
INVENTED = "These dialogues and their ratings are invented for demonstration."
INVENTED_VERDICT = say(
    "Do not compare bots with this score: {because}",
    because="these dialogues and their ratings are invented to show what a report looks like. They are not evidence "
    "about any bot or about agreement with people.",
)


@dataclass(frozen=True, slots=True)
class Log:
    """A log to be read: its path, its name, and how to read it."""

    path: Path
    name: str
    format: str | None
    reading: LogReading
    max_bytes: int
    max_rows: int | None = None
    invented: bool = False
    notes: tuple[str, ...] = ()

    def read(self) -> Corpus:
        """Read all dialogues."""
        from vivavoce.dialogues import read_dialogues

        corpus = read_dialogues(self.path, **self._options())
        notes = (*self.notes, *(self._name_source(note) for note in corpus.notes))
        return replace(corpus, source=self.name, notes=(*([INVENTED] if self.invented else []), *notes))

    def stream(self, take_note: TakeNote) -> Iterator[Dialogue]:
        """Yield the dialogues one by one; `take_note` gets the notes."""
        from vivavoce.dialogues import stream_dialogues

        for note in self.notes:
            take_note(note)
        return stream_dialogues(self.path, **self._options(), tell=lambda note: take_note(self._name_source(note)))

    @property
    def holds_lines(self) -> bool:
        """Whether every line is a dialogue."""
        return self.format == "jsonl" or (self.format is None and self.path.suffix.lower() in (".jsonl", ".ndjson"))

    def _options(self) -> dict[str, Any]:
        names = ("bot", "skip_bad", "encoding", "sheet", "header_row")
        return {
            **{name: getattr(self.reading, name) for name in names},
            "format": self.format,
            "max_bytes": self.max_bytes,
            **({} if self.max_rows is None else {"max_rows": self.max_rows}),
        }

    def _name_source(self, note: str) -> str:
        return change_texts(note, lambda text: text.replace(str(self.path), self.name))


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


@contextmanager
def open_log(file: str, reading: LogReading, settings: Settings) -> Iterator[Log]:
    """Give the log of this name: a file, a run of conversations, standard input, or `demo`."""
    limit = settings.max_file_mb * MEGABYTE
    if file == STANDARD_INPUT:
        with TemporaryDirectory(prefix="viva-") as folder:
            path = Path(folder) / STANDARD_INPUT_NAME
            if sys.stdin.isatty():
                tell("Reading dialogues from standard input; press Ctrl-D to finish.")
            # In a file, since it may be larger than the memory, and faults name their line.
            with path.open("wb") as spool:
                shutil.copyfileobj(sys.stdin.buffer, spool)
            with _rename_in_errors(path, STANDARD_INPUT_NAME):
                yield Log(path, STANDARD_INPUT_NAME, reading.format or "jsonl", reading, limit, settings.max_rows)
    elif file == DEMO and not os.path.exists(file):
        from vivavoce.demo import dialogues_path

        yield Log(dialogues_path(), DEMO, reading.format, reading, limit, invented=True)
    elif is_run(Path(file)):
        from vivavoce.dialogues import write_dialogues

        with TemporaryDirectory(prefix="viva-") as folder:
            path = Path(folder) / "run.jsonl"
            dialogues, notes = read_run(Path(file))
            write_dialogues(path, dialogues)
            yield Log(path, str(Path(file)), "jsonl", reading, max(limit, path.stat().st_size), notes=notes)
    else:
        yield Log(Path(file), file, reading.format, reading, limit, settings.max_rows)


@contextmanager
def _rename_in_errors(path: Path, name: str) -> Iterator[None]:
    """Let errors name what the user knows, not a temporary file."""
    try:
        yield
    except VivaError as error:

        def rename(text: str) -> str:
            return change_texts(text, lambda value: value.replace(str(path), name))

        error.where = rename(error.where)
        error.faults = tuple(Fault(rename(fault.message), rename(fault.where)) for fault in error.faults)
        raise


def find_dialogue(log: Log, id: str, take_note: TakeNote) -> Dialogue:
    """Return one dialogue of a log; the others are only read and checked."""
    match: Dialogue | None = None
    names: list[str] = []
    for dialogue in log.stream(take_note):
        names.append(dialogue.id)
        match = dialogue if dialogue.id == id else match
    if match is None:
        raise UsageError(
            f"dialogue '{id}' not found.{nearest(id, names)}",
            where=log.name,
            remedy=f"the first ids are: {', '.join(name[:60] for name in names[:5])}",
        )
    return match


def rater_names(choice: RaterChoice | RaterChoices) -> list[str]:
    """Return the named raters; by default `learned`."""
    names = [choice.rater] if isinstance(choice.rater, str) else list(choice.rater or ())
    if choice.model is not None:
        if isinstance(choice, RaterChoice) and names:
            raise UsageError("--rater and --model both set the rater", remedy="use one of them")
        names.append(f"{DEFAULT_RATER}:{choice.model}")
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise UsageError(f"used twice: {', '.join(repeated)}", remedy="name each rater once")
    return names or [DEFAULT_RATER]


def load_raters(names: Sequence[str], judging: Judging, seed: int, progress: Report) -> list[Rater]:
    """Load raters; only judges get the options about calls."""
    from vivavoce.dialogues import RaterOptions, load_rater

    options = RaterOptions(
        at_once=judging.at_once,
        timeout_s=judging.timeout,
        retries=judging.retries,
        most=judging.max_messages,
        record=judging.record,
        seed=seed,
        progress=lambda done, total: progress("asking the judge", done, total),
    )
    plain = RaterOptions(seed=seed, progress=options.progress)
    # Among several, the options are for the judges; a single rater that cannot use them says so.
    judges = [name for name in names if name.startswith("openai")] or names[:1]
    return [load_rater(name, options=options if name in judges else plain) for name in names]


def resume_judging(record: Path | None) -> AbstractContextManager[None]:
    """On Ctrl-C say where the answers of a judge are, if they are kept."""
    return nullcontext() if record is None else resumable(record)


def read_calibration(path: Path | None) -> Recalibration | None:
    """Read a saved recalibration."""
    if path is None:
        return None
    from vivavoce.dialogues import recalibration_from_json
    from vivavoce.files.sources import read_text
    from vivavoce.files.tables import ReadOptions

    try:
        content = json.loads(read_text(path, ReadOptions(max_bytes=MEGABYTE)))
    except (ValueError, RecursionError) as error:
        raise FileError(
            f"the file is not valid JSON: {error}",
            where=str(path),
            remedy="use a file written by `viva dialogues evaluate --save-calibration`",
        ) from None
    return recalibration_from_json(content, str(path))


def check_calibration(calibration: Recalibration | None, rater: Rater, path: Path | None) -> None:
    """Refuse a recalibration that was learned from the scores of another rater."""
    if calibration is not None and calibration.rater not in ("", rater.name):
        raise UsageError(
            f"this was learned for the rater {calibration.rater}, not {rater.name}",
            where=f"--calibration {path}",
            remedy=f"score with --rater {calibration.rater}, or save a new one with this rater",
        )


def flag_invented(result: DialoguesResult, log: Log) -> DialoguesResult:
    """Return the result; if the log is invented, it says that its ratings are no finding."""
    if not log.invented:
        return result
    passport = replace(result.passport, may_compare=False, verdict=INVENTED_VERDICT)
    ranking = None if result.ranking is None else replace(result.ranking, warning=INVENTED_VERDICT)
    return replace(result, passport=passport, ranking=ranking)


def read_published_part(name: str, place: Path, part: str | None) -> tuple[Dialogue, ...]:
    """Read a public data set, or the dialogues of one of its parts."""
    from vivavoce.dialogues import read_published

    dialogues = read_published(name, place)
    if part is None:
        return dialogues
    chosen = tuple(dialogue for dialogue in dialogues if dialogue.source.startswith(part))
    if not chosen:
        known = sorted({dialogue.source for dialogue in dialogues})
        raise DataError(
            f"the data set has no part '{part}'.{nearest(part, known)}",
            where=str(place),
            remedy=f"choose one of: {', '.join(known)}",
        )
    return chosen


def list_absent_parts(name: str, place: Path) -> tuple[str, ...]:
    """Name the missing parts of a public data set, and where to get them."""
    from vivavoce.dialogues.corpus.published import missing_parts

    return tuple(
        f"the part {part.source} was not found: "
        + (f"download it from {part.where}" if part.where else "it is no longer public")
        for part in missing_parts(name, place)
    )
