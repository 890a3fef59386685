"""`viva dialogues score`: all dialogues at once with a report, or one by one for logs of any size."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING

from vivavoce.cli.dialogues.endings import Tally, count_scores
from vivavoce.cli.dialogues.material import INVENTED_VERDICT, Log, flag_invented
from vivavoce.cli.dialogues.options import ScoreReports
from vivavoce.cli.shared.failures import tell, tell_notes
from vivavoce.cli.shared.progress import Report
from vivavoce.cli.shared.results import Screen, check_targets, tell_written, write_content, write_page
from vivavoce.errors import FileError, UsageError

if TYPE_CHECKING:
    from vivavoce.dialogues import Dialogue, DialoguesResult, Rater, Recalibration, Score

Write = Callable[[str], None]
STREAMED_VERDICT = (
    "Do not compare bots with these scores until ratings of your own dialogues show that the "
    "scores agree with people: `viva dialogues evaluate`."
)


def check_reports(reports: ScoreReports, inputs: Sequence[str]) -> None:
    """Refuse paths that cannot be written, and what cannot be streamed."""
    if reports.json_path is not None and reports.out is not None:
        raise UsageError(
            "--json and --out are the same option: the scores are written once",
            where=f"--json {reports.json_path}, --out {reports.out}",
            remedy="use one of them",
        )
    check_targets(reports.targets, inputs)
    if not reports.stream:
        return
    if reports.whole:
        raise UsageError(
            f"{', '.join(reports.whole)} {'needs' if len(reports.whole) == 1 else 'need'} all dialogues at once and "
            "cannot be streamed",
            remedy="remove --stream, or write JSON Lines with only --json or --out",
        )
    if reports.lines is None:
        raise UsageError("streamed scores have no destination", remedy="add --out scores.jsonl or --json -")


@dataclass(frozen=True, slots=True)
class Work:
    """Which log is scored by which rater."""

    log: Log
    rater: Rater
    calibration: Recalibration | None
    seed: int


def score_all(work: Work, progress: Report) -> DialoguesResult:
    """Score a log and compute all findings about the scores."""
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
    return flag_invented(result, work.log)


def hand_over(result: DialoguesResult, reports: ScoreReports) -> Tally:
    """Write and show the scores."""
    # Files first: the reader of the terminal may stop reading, as in `viva ... | head`.
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
    if reports.speaks:
        from vivavoce.reports.dialogues.tables import print_dialogues

        print_dialogues(Screen(), result)
        tell_written(reports)
    else:
        tell_notes(result.notes, reports.quiet)
    return count_scores(result)


def write_lines(path: str | Path, result: DialoguesResult) -> None:
    """Write one JSON line for each dialogue."""
    pairs = zip(result.dialogues, result.scores, strict=True)
    write_page(path, "".join(_to_line(dialogue, score) for dialogue, score in pairs))


def _to_line(dialogue: Dialogue, score: Score) -> str:
    from vivavoce.dialogues import score_to_json

    return json.dumps(score_to_json(score, dialogue), ensure_ascii=False, allow_nan=False) + "\n"


def stream_scores(work: Work, reports: ScoreReports, out: IO[bytes], progress: Report) -> Tally:
    """Read, score and write in small groups; only counts are kept. `out` is standard output."""
    from vivavoce.dialogues.exam import CHUNK, STAGE, rate_in_chunks
    from vivavoce.dialogues.recalibration import apply

    tally, total = Tally(), _count_lines(work.log)
    with _open_lines(str(reports.lines), out) as write:
        dialogues = work.log.stream(lambda note: tell_notes([note], reports.quiet))
        while chunk := list(islice(dialogues, CHUNK)):
            scores = rate_in_chunks(work.rater, chunk)
            moved = apply(work.calibration, scores) if work.calibration else scores
            for dialogue, score in zip(chunk, moved, strict=True):
                tally.add(score)
                write(_to_line(dialogue, score))
            done = tally.scored + tally.refusals.total()
            progress(STAGE, done, max(done, total))
    if not reports.quiet:
        _tell_summary(work, tally, str(reports.lines))
    return tally


def _tell_summary(work: Work, tally: Tally, path: str) -> None:
    """Summarize the scores and how far they can be trusted: the lines themselves do not."""
    from vivavoce.dialogues.recalibration import why_unused
    from vivavoce.reports.dialogues.wording import origin_sentence

    if work.calibration is not None and not work.calibration.adopted:
        tell_notes([why_unused(work.calibration)], quiet=False)
    tell(tally.sentence())
    tell(f"Rater: {work.rater.name}. {origin_sentence(work.rater.origin)}")
    tell(INVENTED_VERDICT if work.log.invented else STREAMED_VERDICT)
    if path != "-":
        tell(f"Written: {path}")


def _count_lines(log: Log) -> int:
    """Return about how many dialogues there are, for the bar; 0 if counting would take long."""
    if not log.holds_lines or not log.path.is_file():
        return 0
    with log.path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))


@contextmanager
def _open_lines(path: str, out: IO[bytes]) -> Iterator[Write]:
    """Give a function that writes a line; a file appears whole or not at all."""
    if path == "-":
        yield lambda line: _write_line(out, line)
        out.flush()
        return
    target = Path(path).resolve()
    plain = target.exists() and not target.is_file()  # a pipe or a device cannot be replaced
    beside = target if plain else target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    with _explain_errors(path):
        file = beside.open("wb")

    def write(line: str) -> None:
        with _explain_errors(path):
            _write_line(file, line)

    try:
        with file:
            yield write
            with _explain_errors(path):
                file.flush()
        if not plain:
            os.replace(beside, target)
    finally:
        if not plain:
            beside.unlink(missing_ok=True)


def _write_line(file: IO[bytes], line: str) -> None:
    # Half a character has no UTF-8 form; written as \udXXX it is at least visible.
    file.write(line.encode("utf-8", "backslashreplace"))


@contextmanager
def _explain_errors(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise FileError(
            f"cannot write the file: {error.strerror or error}",
            where=path,
            remedy="check that the folder exists, that you can write there and that the disk is not full",
        ) from error
