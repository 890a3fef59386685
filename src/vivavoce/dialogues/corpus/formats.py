"""The formats of dialogues: JSON in many shapes, tables with a row for each message, plain text.

A reader yields an `Entry` for each dialogue of a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from vivavoce.dialogues.corpus.entries import Entry
from vivavoce.dialogues.corpus.objects import read_object
from vivavoce.dialogues.corpus.parsing import BrokenJsonError, parse_json, read_lines
from vivavoce.dialogues.corpus.sheets import find_columns, read_sheet
from vivavoce.dialogues.corpus.stored import write_dialogues
from vivavoce.dialogues.corpus.transcripts import find_spoken, read_transcripts
from vivavoce.errors import DataError, Fault, FileError
from vivavoce.files.advice import Advice
from vivavoce.files.delimited import DELIMITERS
from vivavoce.files.formats import Format, Kind, SourceFile, find_format, get_format, list_formats, refuse_format
from vivavoce.files.sources import read_text
from vivavoce.files.tables import ReadOptions
from vivavoce.messages import say

PLAIN_TEXT = (".txt", ".text", ".md")
LISTS = ("dialogues", "conversations", "trackers", "data")
HEAD_LINES = 50


def read_entries(path: Path, format: str | None, options: ReadOptions) -> Iterator[Entry]:
    """Yield the entries of a file in the format given, or the one that it has."""
    file = SourceFile(path, options)
    chosen = get_format(Kind.DIALOGUES, format) if format else find_format(Kind.DIALOGUES, file)
    if chosen is None:
        names = [each.name for each in list_formats(Kind.DIALOGUES) if each.reader]
        raise FileError(
            say("the format could not be detected"),
            where=str(path),
            remedy=say(Advice.CHOOSE_FORMAT, names=", ".join(names)),
        )
    if chosen.reader is None:
        raise refuse_format(chosen, "it is not read as dialogues", str(path))
    yield from chosen.reader(file)


def _holds_lines(file: SourceFile) -> bool:
    """Say whether the first line is a whole object and more follows: JSON Lines under any extension."""
    lines = [line for line in file.head.splitlines() if line.strip()][:2]
    if len(lines) < 2 or not lines[0].lstrip().startswith("{"):
        return False
    try:
        parse_json(lines[0])
    except BrokenJsonError:
        return False
    return True


def _holds_json(file: SourceFile) -> bool:
    start = file.head.lstrip()
    return start.startswith(("{", "[")) and not _holds_lines(file) and not find_spoken(start.partition("\n")[0])


def _holds_table(file: SourceFile) -> bool:
    first = file.head.lstrip().partition("\n")[0].strip()
    if _holds_lines(file) or _holds_json(file):
        return False
    for delimiter in DELIMITERS:
        try:
            find_columns([cell.strip('" ') for cell in first.split(delimiter)], "")
        except DataError:
            continue
        return True
    return False


def _holds_text(file: SourceFile) -> bool:
    if any(format.fits(file) for format in (JSONL, JSON, CSV)):
        return False
    lines = file.head.splitlines()[:HEAD_LINES]
    return not file.head.strip() or any(find_spoken(line.strip()) for line in lines)


def _read_lines(file: SourceFile) -> Iterator[Entry]:
    for number, line in read_lines(file.path, file.options):
        place = say("line {number}", number=number)
        if isinstance(line, BrokenJsonError):
            yield Entry(place, None, (Fault(line.args[0], place),))
            continue
        try:
            item = parse_json(line)
        except BrokenJsonError as error:
            yield Entry(place, None, (Fault(say("the line is not valid JSON: {error}", error=error.args[0]), place),))
            continue
        yield from read_object(item, number, "line", file.options)


def _read_whole(file: SourceFile) -> Iterator[Entry]:
    try:
        content = parse_json(read_text(file.path, file.options))
    except BrokenJsonError as error:
        raise FileError(
            say("the file is not valid JSON: {error}", error=error.args[0]),
            where=str(file.path),
            remedy=say(Advice.GIVE_JSONL),
        ) from None
    if isinstance(content, dict):
        inner = next((content[key] for key in LISTS if isinstance(content.get(key), list)), None)
        content = [content] if inner is None else inner
    items = content if isinstance(content, list) else [content]
    for number, item in enumerate(items, 1):
        yield from read_object(item, number, "item", file.options)


JSONL = Format(
    "jsonl",
    Kind.DIALOGUES,
    "One dialogue per line: `id`, `turns`, `ratings`; chat logs with `messages`; Rasa trackers.",
    (".jsonl", ".ndjson"),
    _read_lines,
    lambda dialogues, path: write_dialogues(path, dialogues),
    _holds_lines,
    also=(".json", *PLAIN_TEXT),
)
JSON = Format(
    "json",
    Kind.DIALOGUES,
    "A list of the same objects, or a single one.",
    (".json",),
    _read_whole,
    sniff=_holds_json,
    also=PLAIN_TEXT,
)
RASA = Format(
    "rasa",
    Kind.DIALOGUES,
    "Rasa trackers (`sender_id`, `events`) as JSON or JSON Lines.",
    reader=lambda file: (_read_lines if _holds_lines(file) else _read_whole)(file),
)
TABLE = "A table with one row per message: dialogue, speaker, text, rating ..."
CSV = Format(
    "csv",
    Kind.DIALOGUES,
    TABLE,
    (".csv",),
    lambda file: read_sheet(file.path, file.options, "csv"),
    sniff=_holds_table,
    also=PLAIN_TEXT,
)
TSV, XLSX = (
    Format(
        name,
        Kind.DIALOGUES,
        TABLE,
        extensions,
        lambda file, name=name: read_sheet(file.path, file.options, name),  # type: ignore[misc]
    )
    for name, extensions in (("tsv", (".tsv", ".tab")), ("xlsx", (".xlsx", ".xlsm")))
)
TEXT = Format(
    "text",
    Kind.DIALOGUES,
    "Plain text: `User: hi`, one message per line.",
    PLAIN_TEXT,
    lambda file: read_transcripts(file.path, file.options),
    sniff=_holds_text,
)
