"""`viva dialogues score`: all at once with a report, or one by one for logs of any size."""

from __future__ import annotations

import json
import os
import secrets
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING

from vivavoce.cli.dialogues.endings import Tally, tally_of
from vivavoce.cli.dialogues.material import INVENTED_VERDICT, Log, declared_invented
from vivavoce.cli.dialogues.notes import tell_notes, tell_written
from vivavoce.cli.dialogues.options import ScoreReports
from vivavoce.cli.shared.failures import tell
from vivavoce.cli.shared.progress import Report
from vivavoce.cli.shared.results import Screen, check_targets, write_content, write_page
from vivavoce.errors import FileError, UsageError

if TYPE_CHECKING:
    from vivavoce.dialogues import Dialogue, DialoguesResult, Rater, Recalibration, Score

Write = Callable[[str], None]
STAGE = "scoring dialogues"
STREAMED_VERDICT = (
    "Do not compare bots with these scores until people's marks on your own talks show that they follow them: "
    "`viva dialogues evaluate`."
)


def check_reports(reports: ScoreReports, inputs: Sequence[str]) -> None:
    """Refuse paths that cannot be written, and what cannot be streamed."""
    if reports.json_path is not None and reports.out is not None:
        raise UsageError(
            "--json and --out are one option: the scores are written once",
            where=f"--json {reports.json_path}, --out {reports.out}",
            remedy="give one of them",
        )
    check_targets(reports.targets, inputs)
    if not reports.stream:
        return
    if reports.whole:
        raise UsageError(
            f"{', '.join(reports.whole)} {'needs' if len(reports.whole) == 1 else 'need'} all dialogues at once and "
            "cannot be streamed",
            remedy="leave out --stream, or write JSON Lines with --json or --out alone",
        )
    if reports.lines is None:
        raise UsageError("it is not said where streamed scores go", remedy="add --out scores.jsonl or --json -")


# --- all at once -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Work:
    """What is scored by whom."""

    log: Log
    rater: Rater
    calibration: Recalibration | None
    seed: int


def carry_out(work: Work, reports: ScoreReports, out: IO[bytes], progress: Report) -> DialoguesResult | Tally:
    """Score a log: one by one, of which only counts are left, or all at once."""
    return stream_scores(work, reports, out, progress) if reports.streams else score_all(work, progress)


def score_all(work: Work, progress: Report) -> DialoguesResult:
    """Score a log and say all that can be said about the scores."""
    from vivavoce.dialogues import examine_dialogues

    corpus = work.log.read()
    result = examine_dialogues(
        corpus.dialogues,
        work.rater,
        seed=work.seed,
        source=work.log.name,
        notes=corpus.notes,
        progress=progress,
        recalibration=work.calibration,
    )
    return declared_invented(result) if work.log.invented else result


def hand_over(result: DialoguesResult, reports: ScoreReports) -> Tally:
    """Write and show what was asked for."""
    from vivavoce.reports.dialogues.tables import print_dialogues

    # Files first: whoever reads the terminal may stop reading, as in `viva ... | head`.
    _write(result, reports)
    if reports.speaks:
        print_dialogues(Screen(), result)
        tell_written([path for path in reports.targets.values() if path])
    else:
        tell_notes(result.notes, reports.quiet)
    return tally_of(result)


def _write(result: DialoguesResult, reports: ScoreReports) -> None:
    if reports.html:
        from vivavoce.reports.dialogues.html import render_dialogues

        write_page(reports.html, render_dialogues(result))
    if reports.csv:
        from vivavoce.reports.dialogues.tables import write_dialogue_rows

        write_dialogue_rows(reports.csv, result)
    if reports.summary:
        from vivavoce.dialogues import result_to_json

        write_content(reports.summary, result_to_json(result))
    if reports.lines:
        write_lines(reports.lines, result)


def write_lines(path: str | Path, result: DialoguesResult) -> None:
    """Write one JSON line for each dialogue."""
    pairs = zip(result.dialogues, result.scores, strict=True)
    write_page(path, "".join(_line(dialogue, score) for dialogue, score in pairs))


def _line(dialogue: Dialogue, score: Score) -> str:
    from vivavoce.dialogues import score_to_json

    return json.dumps(score_to_json(score, dialogue), ensure_ascii=False, allow_nan=False) + "\n"


# --- one by one --------------------------------------------------------------------------------------------------


def stream_scores(work: Work, reports: ScoreReports, out: IO[bytes], progress: Report) -> Tally:
    """Read, score and write in small groups; nothing is kept but counts. `out` is standard output."""
    from vivavoce.dialogues.exam import CHUNK

    tally, total = Tally(), _line_count(work.log)
    with _lines_to(str(reports.lines), out) as write:
        dialogues = work.log.stream(lambda note: tell_notes([note], reports.quiet))
        while chunk := list(islice(dialogues, CHUNK)):
            _pass_on(chunk, work, tally, write)
            done = tally.scored + tally.refusals.total()
            progress(STAGE, done, max(done, total))
    if not reports.quiet:
        _tell_streamed(work, tally, str(reports.lines))
    return tally


def _tell_streamed(work: Work, tally: Tally, path: str) -> None:
    """Say what the scores come to and how far they can be trusted: the lines themselves do not."""
    from vivavoce.dialogues.recalibration import why_unused
    from vivavoce.reports.dialogues.wording import origin_sentence

    if work.calibration is not None and not work.calibration.adopted:
        tell_notes([why_unused(work.calibration)], quiet=False)
    tell(tally.sentence())
    tell(f"Rater: {work.rater.name}. {origin_sentence(work.rater.origin)}")
    tell(INVENTED_VERDICT if work.log.invented else STREAMED_VERDICT)
    tell_written([path])


def _pass_on(chunk: Sequence[Dialogue], work: Work, tally: Tally, write: Write) -> None:
    from vivavoce.dialogues.exam import rate_in_chunks
    from vivavoce.dialogues.recalibration import apply

    scores = rate_in_chunks(work.rater, chunk)
    moved = apply(work.calibration, scores) if work.calibration else scores
    for dialogue, score in zip(chunk, moved, strict=True):
        tally.add(score)
        write(_line(dialogue, score))


def _line_count(log: Log) -> int:
    """Return about how many dialogues there are, for the bar; 0 where the file does not tell quickly."""
    if not log.holds_lines or not log.path.is_file():
        return 0
    with log.path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))


@contextmanager
def _lines_to(path: str, out: IO[bytes]) -> Iterator[Write]:
    """Give a function that writes a line; a file appears whole or not at all."""
    if path == "-":
        yield lambda line: _put(out, line)
        out.flush()
        return
    target = Path(path).resolve()
    plain = target.exists() and not target.is_file()  # a pipe or a device cannot be replaced
    beside = target if plain else target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    with _writing(path):
        file = beside.open("wb")
    try:
        with file:
            yield lambda line: _put_into(file, line, path)
            with _writing(path):
                file.flush()
        if not plain:
            os.replace(beside, target)
    finally:
        if not plain:
            beside.unlink(missing_ok=True)


def _put_into(file: IO[bytes], line: str, path: str) -> None:
    with _writing(path):
        _put(file, line)


@contextmanager
def _writing(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise FileError(
            f"the file cannot be written: {error.strerror or error}",
            where=path,
            remedy="check that the folder exists, that you may write there and that the disk is not full",
        ) from error


def _put(file: IO[bytes], line: str) -> None:
    # Half a character has no UTF-8 form; written as \udXXX it is at least visible.
    file.write(line.encode("utf-8", "backslashreplace"))


def standard_output() -> IO[bytes]:
    """Return standard output before a progress bar takes care that nobody else writes to it."""
    sys.stdout.flush()
    return sys.stdout.buffer
