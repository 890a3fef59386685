"""What people bring along: a file or pasted lines, read row by row; what cannot be used is named with its reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from vivavoce.errors import VivaError
from vivavoce.files.columns import find_columns, is_known
from vivavoce.files.datasets import read_dataset, read_table
from vivavoce.files.delimited import sniff
from vivavoce.files.exclusions import read_exclusion
from vivavoce.files.tables import ReadOptions, Table, as_text, check_rows
from vivavoce.files.writing import FORMULA_STARTS
from vivavoce.messages import join, say, values_named
from vivavoce.records import AUTO, Example, is_out_of_scope
from vivavoce.workspace.advice import TABLE_ADVICE, reword, reword_error
from vivavoce.workspace.uploads import MAX_ROWS, Source

PASTED = "pasted.csv"
# Instead of a name for out of scope: every topic is one.
EVERY_TOPIC = "-"
# How letters are written in a file; empty: found out, which works for UTF-8 and for UTF-16 with its mark.
Encoding = Literal["", "utf-8", "cp1252", "utf-16"]
ENCODINGS: tuple[Encoding, ...] = ("", "utf-8", "cp1252", "utf-16")
SHOWN = 200


@dataclass(frozen=True, slots=True)
class Arrival:
    """One row that can be used; `topic` None: out of scope; `remark`: what was put right."""

    number: int
    text: str
    topic: str | None
    language: str = ""
    created: datetime | None = None
    answer: str = ""
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """One row that cannot be used, and why."""

    number: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Reading:
    """All that a source holds. `unit`: what it calls a row. `unclear`: why no row could be read yet."""

    rows: tuple[Arrival, ...] = ()
    refused: tuple[Refusal, ...] = ()
    notes: tuple[str, ...] = ()
    unit: str = "row"
    columns: tuple[str, ...] = ()
    sample: tuple[tuple[str, ...], ...] = ()
    unclear: str = ""


def source_of_text(text: str) -> Source:
    """Return pasted text as a table where its first line names the columns, else as lines."""
    first = text.lstrip("\ufeff\n\r ").partition("\n")[0]
    cells = [cell.strip().strip('"') for cell in first.split(sniff(first))]
    is_table = len(cells) > 1 and all(is_known(cell) for cell in cells)
    return Source(PASTED, text.encode("utf-8", "replace"), lines=not is_table, pasted=True)


def read_source(
    source: Source,
    *,
    text_column: str = "",
    topic_column: str = "",
    out_of_scope: str = AUTO,
    topic: str = "",
    encoding: Encoding = "",
) -> Reading:
    """Read a source row by row; `topic` is for lines that name none. Errors name the file as its sender does.

    `out_of_scope` names the topic of messages that no topic fits; AUTO: the usual names, EVERY_TOPIC: there is none.
    """
    if source.lines:
        check_rows(source.content.count(b"\n"), MAX_ROWS, "", remedy=say("send it in several parts"))
        return _read_lines(source.content.decode("utf-8", "replace"), topic, out_of_scope)
    with TemporaryDirectory(prefix="viva-") as folder:
        path = Path(folder) / source.name
        path.write_bytes(source.content)
        try:
            chosen = "" if source.pasted else encoding  # what was pasted came as letters, not as bytes
            return _read_file(path, text_column or None, topic_column or None, out_of_scope, chosen or None)
        except VivaError as error:
            raise reword_error(error, path, TABLE_ADVICE) from error


# --- lines -------------------------------------------------------------------------------------------------------


def _read_lines(text: str, topic: str, out_of_scope: str) -> Reading:
    rows: list[Arrival] = []
    refused: list[Refusal] = []
    for number, line in enumerate(text.splitlines(), 1):
        said, _, name = line.partition("\t")
        named = name.strip() or topic.strip()
        if not line.strip():
            continue
        if not said.strip():
            refused.append(Refusal(number, line.strip(), say("the text is empty: write the message before the tab")))
        elif not named:
            refused.append(
                Refusal(number, said.strip(), say("no topic: write it after a tab, or choose one for all"))
            )
        else:
            rows.append(Arrival(number, said, named))
    names = {row.topic for row in rows if row.topic and is_out_of_scope(row.topic, out_of_scope)}
    kept = tuple(_unguarded(replace(row, topic=None) if row.topic in names else row) for row in rows)
    return Reading(kept, tuple(refused), tuple(_scope_notes(sorted(names), out_of_scope)), unit="line")


def _scope_notes(names: Sequence[str], out_of_scope: str) -> Iterator[str]:
    """Name the topics that were taken for out-of-scope messages because of their usual names."""
    if names and out_of_scope == AUTO:
        listed = ", ".join(f"'{name}'" for name in names)
        yield say(
            "By their names, these topics hold out-of-scope messages: {listed}. To import them as topics, write "
            "'{every_topic}' as the name for out of scope.",
            listed=listed,
            every_topic=EVERY_TOPIC,
        )


# --- files -------------------------------------------------------------------------------------------------------


def _read_file(
    path: Path, text_column: str | None, topic_column: str | None, out_of_scope: str, encoding: str | None
) -> Reading:
    table = read_table(path, ReadOptions(encoding, max_rows=MAX_ROWS))
    seen = Reading(unit=table.unit, columns=table.columns, sample=tuple(_sample(table)))
    try:
        columns = find_columns(table, path.name, text_column, topic_column)
    except VivaError as error:
        return replace(seen, unclear=reword(error.what, path, TABLE_ADVICE))
    data = read_dataset(
        path,
        text_column=text_column,
        intent_column=topic_column,
        out_of_scope=None if out_of_scope in ("", EVERY_TOPIC) else out_of_scope,
        encoding=encoding,
        skip_bad=True,
    )
    raw = {row.number: as_text(row.cells[columns.text]) for row in table.rows}
    cells = {row.number: " | ".join(map(as_text, row.cells))[:SHOWN] for row in table.rows}
    refused, notes = _parted(data.notes, path, cells)
    rows = tuple(_unguarded(_arrival(example, raw)) for example in data)
    notes = [*_scope_notes(data.recognised, out_of_scope), *notes]
    return replace(seen, rows=rows, refused=tuple(refused), notes=tuple(notes))


def _sample(table: Table) -> Iterator[tuple[str, ...]]:
    for row in table.rows[:3]:
        yield tuple(as_text(cell)[:60] for cell in row.cells)


def _arrival(example: Example, raw: Mapping[int, str]) -> Arrival:
    number = example.row or 0
    # As it stands in the file, so that blanks around it are noticed.
    text = raw.get(number, example.text)
    return Arrival(number, text, example.intent, example.language or "", example.created, example.answer or "")


def _unguarded(row: Arrival) -> Arrival:
    """Take off the apostrophe that an export sets before what a spreadsheet would take for a formula."""
    text, answer = _bare(row.text), _bare(row.answer)
    topic = None if row.topic is None else _bare(row.topic)
    if (text, topic, answer) == (row.text, row.topic, row.answer):
        return row
    remark = say("the apostrophe before a formula sign was taken off")
    return replace(row, text=text, topic=topic, answer=answer, remark=remark)


def _bare(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA_STARTS) else cell


def _parted(notes: Sequence[str], path: Path, cells: Mapping[int, str]) -> tuple[list[Refusal], list[str]]:
    """Part the notes about rows that were left out from the others."""
    refused: dict[int, Refusal] = {}
    others: list[str] = []
    for note in notes:
        fault = read_exclusion(note)
        if fault is None:
            others.append(reword(note, path, TABLE_ADVICE))
            continue
        number = int(next(values_named(fault.where, "number")))
        reason = reword(fault.message, path, TABLE_ADVICE)
        both = join("; ", (refused[number].reason, reason)) if number in refused else reason
        refused[number] = Refusal(number, cells.get(number, ""), both)
    return list(refused.values()), others
