"""Every turn of a run as a table, for a spreadsheet or a program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from vivavoce.conversations.result import ConversationsResult, Line
from vivavoce.conversations.running.record import RunRecord
from vivavoce.conversations.transcript import Exchange
from vivavoce.errors import UsageError
from vivavoce.files.exports import LOST_IN_XML, sheet_bytes
from vivavoce.files.writing import guard_cell, write_bytes, write_csv
from vivavoce.reports.conversations.transcripts import exchange_at, find_texts


class Turn(NamedTuple):
    """A judged turn, its exchange, and what was said."""

    line: Line
    exchange: Exchange | None
    sent: str
    answer: str

    @property
    def confidence(self) -> float | None:
        """How sure the bot was, where it says so."""
        return self.exchange.reply.confidence if self.exchange and self.exchange.reply else None


def _write_number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


_WRITERS: Mapping[str, Callable[[Turn], str]] = {
    "bot": lambda turn: turn.line.key.bot,
    "scenario": lambda turn: turn.line.scenario,
    "conversation": lambda turn: turn.line.key.script,
    "repeat": lambda turn: str(turn.line.key.repeat + 1),
    "domain": lambda turn: turn.line.domain,
    "level": lambda turn: turn.line.level,
    "turn": lambda turn: str(turn.line.number),
    "id": lambda turn: turn.line.turn,
    "kind": lambda turn: turn.line.kind,
    "visitor": lambda turn: turn.sent,
    "bot_reply": lambda turn: turn.answer,
    "expected_topic": lambda turn: "|".join(turn.line.expected),
    "topic": lambda turn: turn.line.verdict.intent or "",
    "confidence": lambda turn: _write_number(turn.confidence, 4),
    "outcome": lambda turn: str(turn.line.verdict.outcome),
    "why": lambda turn: "; ".join(turn.line.verdict.reasons),
    "matched": lambda turn: turn.line.verdict.matched,
    "fallback": lambda turn: "yes" if turn.line.verdict.fallback else "",
    "fallback_rule": lambda turn: turn.line.verdict.fallback_rule,
    "needs_a_look": lambda turn: "yes" if turn.line.verdict.needs_look else "",
    "status": lambda turn: turn.line.status,
    "first_ms": lambda turn: _write_number(turn.line.first_ms, 1),
    "last_ms": lambda turn: _write_number(turn.line.last_ms, 1),
    "attempts": lambda turn: str(turn.line.attempts),
}
COLUMNS = tuple(_WRITERS)
# Set as numbers in a workbook, so that they can be sorted and added up.
NUMBERS = frozenset({"repeat", "turn", "confidence", "first_ms", "last_ms", "attempts"})
MAX_CHARACTERS = 32_000


def write_turns(path: Path, result: ConversationsResult, record: RunRecord) -> None:
    """Write one row for each turn, by the ending of the path: `.csv` or `.xlsx`."""
    ending = path.suffix.casefold()
    if ending not in (".csv", ".xlsx"):
        raise UsageError(
            "turns can only be written as CSV or XLSX", where=str(path), remedy="use the extension .csv or .xlsx"
        )
    rows = turn_rows(result, record)
    if ending == ".csv":
        write_csv(path, COLUMNS, rows)
    else:
        table = [[_cell(*named) for named in zip(COLUMNS, row, strict=True)] for row in rows]
        write_bytes(path, sheet_bytes("turns", [COLUMNS, *table]))


def turn_rows(result: ConversationsResult, record: RunRecord) -> Iterator[tuple[str, ...]]:
    """Return the rows of the table, without its head."""
    for key, group in groupby(result.lines, key=lambda line: line.key):
        transcript = record.transcript(key)
        for line in group:
            exchange = exchange_at(transcript, line.number)
            turn = Turn(line, exchange, *find_texts(transcript, line.number))
            yield tuple(write(turn) for write in _WRITERS.values())


def _cell(column: str, cell: str) -> str | float | None:
    if column in NUMBERS:
        return float(cell) if cell else None
    # Leave out what a workbook cannot hold: control characters, and half a character (a lone surrogate).
    clean = LOST_IN_XML.sub("", cell).encode("utf-8", "backslashreplace").decode("utf-8")
    return guard_cell(clean if len(clean) <= MAX_CHARACTERS else f"{clean[:MAX_CHARACTERS]}...")
