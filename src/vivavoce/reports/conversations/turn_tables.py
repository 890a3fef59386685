"""Every turn of a run as a table, for a spreadsheet or a program."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from vivavoce.conversations.result import ConversationsResult, Line
from vivavoce.conversations.running.record import RunRecord
from vivavoce.conversations.transcript import Transcript
from vivavoce.errors import UsageError
from vivavoce.files.exports import LOST_IN_XML, sheet_bytes
from vivavoce.files.writing import guarded, write_bytes, write_text
from vivavoce.reports.conversations.transcripts import exchange_at, said_and_answered

COLUMNS = (
    "bot",
    "scenario",
    "conversation",
    "repeat",
    "domain",
    "level",
    "turn",
    "id",
    "kind",
    "visitor",
    "bot_reply",
    "expected_topic",
    "topic",
    "confidence",
    "outcome",
    "why",
    "matched",
    "fallback",
    "fallback_rule",
    "needs_a_look",
    "status",
    "first_ms",
    "last_ms",
    "attempts",
)
# Set as numbers in a workbook, so that they can be sorted and added up.
NUMBERS = frozenset(
    COLUMNS.index(name) for name in ("repeat", "turn", "confidence", "first_ms", "last_ms", "attempts")
)
MAX_CHARACTERS = 32_000


def write_turns(path: Path, result: ConversationsResult, record: RunRecord) -> None:
    """Write one row for each turn, by the ending of the path: `.csv` or `.xlsx`."""
    writers = {".csv": _write_csv, ".xlsx": _write_xlsx}
    writer = writers.get(path.suffix.casefold())
    if writer is None:
        raise UsageError(
            "use .csv or .xlsx for a table of turns", where=str(path), remedy="use one of these extensions"
        )
    writer(path, turn_rows(result, record))


def turn_rows(result: ConversationsResult, record: RunRecord) -> Iterator[tuple[str, ...]]:
    """Return the rows of the table, without its head."""
    for key, group in groupby(result.lines, key=lambda line: line.key):
        transcript = record.transcript(key)
        for line in group:
            yield _row(line, transcript)


def _row(line: Line, transcript: Transcript) -> tuple[str, ...]:
    verdict = line.verdict
    sent, answer = said_and_answered(transcript, line.number)
    exchange = exchange_at(transcript, line.number)
    confidence = exchange.reply.confidence if exchange and exchange.reply else None
    return (
        line.key.bot,
        line.scenario,
        line.key.script,
        str(line.key.repeat + 1),
        line.domain,
        line.level,
        str(line.number),
        line.turn,
        line.kind,
        sent,
        answer,
        "|".join(line.expected),
        verdict.intent or "",
        "" if confidence is None else f"{confidence:.4f}",
        str(verdict.outcome),
        "; ".join(verdict.reasons),
        verdict.matched,
        "yes" if verdict.fallback else "",
        verdict.fallback_rule,
        "yes" if verdict.needs_look else "",
        line.status,
        "" if line.first_ms is None else f"{line.first_ms:.1f}",
        "" if line.last_ms is None else f"{line.last_ms:.1f}",
        str(line.attempts),
    )


def _write_csv(path: Path, rows: Iterator[tuple[str, ...]]) -> None:
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([guarded(cell) for cell in row] for row in rows)
    write_text(path, buffer.getvalue())


def _write_xlsx(path: Path, rows: Iterator[tuple[str, ...]]) -> None:
    table = [[_cell(place, cell) for place, cell in enumerate(row)] for row in rows]
    write_bytes(path, sheet_bytes("turns", [COLUMNS, *table]))


def _cell(place: int, cell: str) -> str | float | None:
    if place in NUMBERS:
        return float(cell) if cell else None
    return guarded(_printable(cell))


def _printable(cell: str) -> str:
    """Leave out what a workbook cannot hold, and cut what is longer than its cells are."""
    # Half a character (a lone surrogate) has no UTF-8 form.
    clean = LOST_IN_XML.sub("", cell).encode("utf-8", "backslashreplace").decode("utf-8")
    return clean if len(clean) <= MAX_CHARACTERS else f"{clean[:MAX_CHARACTERS]}..."
