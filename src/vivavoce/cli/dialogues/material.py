"""From the words on the command line to dialogues, raters and a recalibration."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from vivavoce.cli.dialogues.options import Judging, LogReading, RaterChoice, RaterChoices
from vivavoce.cli.dialogues.run_talks import is_run, talks_of
from vivavoce.cli.shared.failures import kept_in, tell
from vivavoce.cli.shared.material import MEGABYTE
from vivavoce.cli.shared.progress import Report
from vivavoce.errors import DataError, Fault, FileError, UsageError, VivaError, nearest
from vivavoce.messages import change_texts

if TYPE_CHECKING:
    from vivavoce.dialogues import Corpus, Dialogue, DialoguesResult, Rater, Recalibration
    from vivavoce.settings import Settings

TakeNote = Callable[[str], None]
STANDARD_INPUT = "-"
STANDARD_INPUT_NAME = "standard input"
DEMO = "demo"
DEFAULT_RATER = "learned"
MODEL_ENDING = ".npz"
INVENTED = "These talks and the marks on them are invented for demonstration."
INVENTED_VERDICT = (
    "Do not compare bots with this score: these talks and the marks on them are invented, and show what a report "
    "looks like. Whatever they say about bots, or about agreement with people, is no finding."
)


# --- logs --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Log:
    """A log to be read: where it is, what it is called, and what was said about reading it."""

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
        notes = (*self.notes, *(self._named(note) for note in corpus.notes))
        return replace(corpus, source=self.name, notes=(*([INVENTED] if self.invented else []), *notes))

    def stream(self, take_note: TakeNote) -> Iterator[Dialogue]:
        """Yield the dialogues one by one; `take_note` gets what is worth a note."""
        from vivavoce.dialogues import stream_dialogues

        for note in self.notes:
            take_note(note)
        return stream_dialogues(self.path, **self._options(), tell=lambda note: take_note(self._named(note)))

    @property
    def holds_lines(self) -> bool:
        """Whether every line is a dialogue."""
        return self.format == "jsonl" or (self.format is None and self.path.suffix.lower() in (".jsonl", ".ndjson"))

    def _options(self) -> dict[str, Any]:
        said = self.reading
        return {
            "format": self.format,
            "bot": said.bot,
            "skip_bad": said.skip_bad,
            "encoding": said.encoding,
            "sheet": said.sheet,
            "max_bytes": self.max_bytes,
            **({} if self.max_rows is None else {"max_rows": self.max_rows}),
        }

    def _named(self, note: str) -> str:
        return change_texts(note, lambda text: text.replace(str(self.path), self.name))


@contextmanager
def opened(file: str, reading: LogReading, settings: Settings) -> Iterator[Log]:
    """Give the log of this name: a file, a run of conversations, standard input, or `demo`."""
    limit = settings.max_file_mb * MEGABYTE
    if file == STANDARD_INPUT:
        with TemporaryDirectory(prefix="viva-") as folder:
            path = Path(folder) / STANDARD_INPUT_NAME
            _spool(path)
            with _renamed(path, STANDARD_INPUT_NAME):
                yield Log(path, STANDARD_INPUT_NAME, reading.format or "jsonl", reading, limit, settings.max_rows)
    elif file == DEMO and not os.path.exists(file):
        from vivavoce.demo import dialogues_path

        yield Log(dialogues_path(), DEMO, reading.format, reading, limit, invented=True)
    elif is_run(Path(file)):
        with TemporaryDirectory(prefix="viva-") as folder:
            yield _run_log(Path(file), Path(folder) / "run.jsonl", reading, limit)
    else:
        yield Log(Path(file), file, reading.format, reading, limit, settings.max_rows)


def _run_log(run: Path, path: Path, reading: LogReading, limit: int) -> Log:
    from vivavoce.dialogues import write_dialogues

    talks, notes = talks_of(run)
    write_dialogues(path, talks)
    return Log(path, str(run), "jsonl", reading, max(limit, path.stat().st_size), notes=notes)


def _spool(path: Path) -> None:
    """Keep standard input in a file: it may be larger than the memory, and faults are told by their line."""
    if sys.stdin.isatty():
        tell("Reading dialogues from standard input; Ctrl-D ends them.")
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)


@contextmanager
def _renamed(path: Path, name: str) -> Iterator[None]:
    """Let errors speak of what the user knows, not of a file that will be gone."""
    try:
        yield
    except VivaError as error:

        def rename(text: str) -> str:
            return change_texts(text, lambda value: value.replace(str(path), name))

        error.where = rename(error.where)
        error.faults = tuple(Fault(rename(fault.message), rename(fault.where)) for fault in error.faults)
        raise


def find_dialogue(log: Log, wanted: str, take_note: TakeNote) -> Dialogue:
    """Return one dialogue of a log; the others are read, checked and let go."""
    found: Dialogue | None = None
    names: list[str] = []
    for dialogue in log.stream(take_note):
        names.append(dialogue.id)
        found = dialogue if dialogue.id == wanted else found
    if found is None:
        raise UsageError(
            f"there is no dialogue '{wanted}'.{nearest(wanted, names)}",
            where=log.name,
            remedy=f"ids begin with: {', '.join(name[:60] for name in names[:5])}",
        )
    return found


# --- raters ------------------------------------------------------------------------------------------------------


def rater_names(choice: RaterChoice | RaterChoices) -> list[str]:
    """Return the raters that were named, `learned` where none is."""
    names = list(choice.names)
    if choice.model is not None:
        if isinstance(choice, RaterChoice) and names:
            raise UsageError("--rater and --model both name a rater", remedy="give one of them")
        names.append(f"{DEFAULT_RATER}:{choice.model}")
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise UsageError(f"named twice: {', '.join(repeated)}", remedy="name each rater once")
    return names or [DEFAULT_RATER]


def raters_of(names: Sequence[str], judging: Judging, seed: int, progress: Report) -> list[Rater]:
    """Load raters; how a judge is asked goes to those that ask one."""
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
    # Among several, the options are for the judges; a single rater that cannot heed them says so.
    judges = [name for name in names if name.startswith("openai")] or names[:1]
    return [load_rater(name, options=options if name in judges else plain) for name in names]


def stopped_at(record: Path | None) -> AbstractContextManager[None]:
    """Tell whoever stops the work that the answers of a judge are kept, where they are."""
    return nullcontext() if record is None else kept_in(record)


def calibration_at(path: Path | None) -> Recalibration | None:
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
            remedy="give a file that `viva dialogues evaluate --save-calibration` wrote",
        ) from None
    return recalibration_from_json(content, str(path))


def check_calibration(calibration: Recalibration | None, rater: Rater, path: Path | None) -> None:
    """Refuse a recalibration that was learned from the scores of another rater."""
    if calibration is not None and calibration.rater not in ("", rater.name):
        raise UsageError(
            f"this was learned for the rater {calibration.rater}, not for {rater.name}",
            where=f"--calibration {path}",
            remedy=f"score with --rater {calibration.rater}, or save a new one with this rater",
        )


def declared_invented(result: DialoguesResult) -> DialoguesResult:
    """Return a result of invented talks in which nobody can take their marks for a finding."""
    passport = replace(result.passport, may_compare=False, verdict=INVENTED_VERDICT)
    ranking = None if result.ranking is None else replace(result.ranking, warning=INVENTED_VERDICT)
    return replace(result, passport=passport, ranking=ranking)


# --- public data sets --------------------------------------------------------------------------------------------


def published_part(name: str, place: Path, part: str | None) -> tuple[Dialogue, ...]:
    """Read a public data set, or the dialogues of one of its parts."""
    from vivavoce.dialogues import read_published

    dialogues = read_published(name, place)
    if part is None:
        return dialogues
    kept = tuple(dialogue for dialogue in dialogues if dialogue.source.startswith(part))
    if not kept:
        known = sorted({dialogue.source for dialogue in dialogues})
        raise DataError(
            f"the data set has no part '{part}'.{nearest(part, known)}",
            where=str(place),
            remedy=f"choose one of: {', '.join(known)}",
        )
    return kept


def absent_parts(name: str, place: Path) -> tuple[str, ...]:
    """Say which parts of a public data set are not read because they are not there, and where to get them."""
    from vivavoce.dialogues.corpus.published import missing_parts

    return tuple(
        f"the part {part.source} is not here: "
        + (f"get it from {part.where}" if part.where else "it is not public any more")
        for part in missing_parts(name, place)
    )
