"""`viva dialogues score`: all at once with a report, or one by one for logs of any size; then the exit code."""

from __future__ import annotations

import json
import os
import secrets
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING

from vivavoce.cli.dialogue_material import Log, declared_invented
from vivavoce.cli.dialogue_notes import tell_notes, tell_written
from vivavoce.cli.dialogue_options import ScoreReports
from vivavoce.cli.failures import explain, tell
from vivavoce.cli.progress import Report
from vivavoce.cli.results import Screen, check_targets, write_content, write_page
from vivavoce.errors import DataError, Fault, FileError, GateError, UsageError, WorkError, plural

if TYPE_CHECKING:
    from vivavoce.dialogues import Dialogue, DialoguesResult, Rater, Recalibration, Score

Write = Callable[[str], None]
STAGE = "scoring dialogues"
# How refusals begin that are not about the dialogue but about a judge that was not reached.
UNANSWERED = ("not asked:", "the judge gave no mark:")
MOST_REASONS = 10
UNUSED = "The recalibration was not used: its gain is not sure enough."


@dataclass(slots=True)
class Tally:
    """What the scores come to, whether or not they are kept."""

    scored: int = 0
    total: float = 0.0
    refusals: Counter[str] = field(default_factory=Counter)

    def add(self, score: Score) -> None:
        """Count one score or refusal."""
        if score.score is None:
            self.refusals[score.refusal] += 1
        else:
            self.scored += 1
            self.total += score.score

    @property
    def mean(self) -> float | None:
        """The mean score, None without any."""
        return self.total / self.scored if self.scored else None

    @property
    def unanswered(self) -> Counter[str]:
        """Refusals that another run may lift."""
        return Counter({why: n for why, n in self.refusals.items() if why.startswith(UNANSWERED)})

    def sentence(self) -> str:
        """Say what was done."""
        refused = self.refusals.total()
        told = f"Scored {plural(self.scored, 'dialogue')}"
        told += f", mean {self.mean:.2f} on a scale from 1 to 5" if self.mean is not None else ""
        return f"{told}; {refused:,} refused." if refused else f"{told}."


def check_reports(reports: ScoreReports, inputs: Sequence[str]) -> None:
    """Refuse paths that cannot be written, and what cannot be streamed."""
    check_targets(reports.targets, inputs)
    if not reports.stream:
        return
    if reports.whole:
        raise UsageError(
            f"{', '.join(reports.whole)} need all dialogues at once and cannot be streamed",
            remedy="leave out --stream, or write JSON Lines with --out alone",
        )
    if reports.json_path is None:
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
    from vivavoce.reports.dialogue_tables import print_dialogues

    # Files first: whoever reads the terminal may stop reading, as in `viva ... | head`.
    _write(result, reports)
    if reports.speaks:
        print_dialogues(Screen(), result)
        tell_written([path for path in reports.targets.values() if path])
    else:
        tell_notes(result.notes, reports.quiet)
    tally = Tally()
    for score in result.scores:
        tally.add(score)
    return tally


def _write(result: DialoguesResult, reports: ScoreReports) -> None:
    if reports.html:
        from vivavoce.reports.dialogue_html import render_dialogues

        write_page(reports.html, render_dialogues(result))
    if reports.csv:
        from vivavoce.reports.dialogue_tables import write_dialogue_rows

        write_dialogue_rows(reports.csv, result)
    if reports.summary:
        from vivavoce.dialogues import result_to_json

        write_content(reports.summary, result_to_json(result))
    if reports.json_path:
        write_lines(reports.json_path, result)


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
    with _lines_to(str(reports.json_path), out) as write:
        dialogues = work.log.stream(lambda note: tell_notes([note], reports.quiet))
        while chunk := list(islice(dialogues, CHUNK)):
            _pass_on(chunk, work, tally, write)
            done = tally.scored + tally.refusals.total()
            progress(STAGE, done, max(done, total))
    if work.calibration is not None and not work.calibration.adopted:
        tell_notes([UNUSED], reports.quiet)
    if reports.speaks:
        from vivavoce.reports.dialogue_wording import origin_sentence

        tell(tally.sentence())
        tell(f"Rater: {work.rater.name}. {origin_sentence(work.rater.origin)}")
        tell_written([str(reports.json_path)])
    return tally


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


# --- the exit code -----------------------------------------------------------------------------------------------


def conclude_scores(tally: Tally, source: str, min_mean: float | None, record: Path | None) -> None:
    """End with the exit code that the scores deserve: incomplete work outweighs a missed gate."""
    unanswered = tally.unanswered
    if not unanswered:
        _require_scores(tally, source)
        _require_mean(tally, source, min_mean)
        return
    try:
        _require_mean(tally, source, min_mean)
    except GateError as error:
        explain(error)
    raise WorkError(
        f"{plural(unanswered.total(), 'dialogue')} not judged",
        where=source,
        faults=_reasons(unanswered),
        remedy=_how_to_go_on(record),
    )


def _require_scores(tally: Tally, source: str) -> None:
    if not tally.scored:
        raise DataError(
            f"nothing could be scored: {plural(tally.refusals.total(), 'dialogue')} read, none of them with a score",
            where=source,
            faults=_reasons(tally.refusals),
            remedy="a talk needs two sides with at least two messages each, with words in them",
        )


def _require_mean(tally: Tally, source: str, least: float | None) -> None:
    if least is not None and tally.mean is not None and tally.mean < least:
        raise GateError(
            f"the mean score is {tally.mean:.4g}, under the limit of {least:g}",
            where=source,
            remedy="read the talks with the lowest scores; `viva dialogues explain` shows what pulled one down",
        )


def _reasons(refusals: Counter[str]) -> list[Fault]:
    shown = refusals.most_common(MOST_REASONS)
    left = len(refusals) - len(shown)
    more = [Fault(f"{left:,} more reasons")] if left > 0 else []
    return [*(Fault(f"{why or 'no reason given'} ({plural(n, 'dialogue')})") for why, n in shown), *more]


def _how_to_go_on(record: Path | None) -> str:
    if record is None:
        return "put the cause right and repeat the command; with --record FILE nothing would be asked twice"
    return f"put the cause right and repeat the command: what {record} holds is not asked again"
