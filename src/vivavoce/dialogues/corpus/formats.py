"""Which format a log has, and the reader that goes with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from vivavoce.dialogues.corpus.entries import Entry, LogOptions
from vivavoce.dialogues.corpus.objects import read_object
from vivavoce.dialogues.corpus.parsing import BrokenJsonError, parse_json, read_head, read_lines
from vivavoce.dialogues.corpus.sheets import find_columns, read_sheet
from vivavoce.dialogues.corpus.transcripts import read_transcripts, spoken
from vivavoce.errors import DataError, Fault, FileError, UsageError, nearest
from vivavoce.files.delimited import DELIMITERS
from vivavoce.files.sources import read_text

FORMATS = ("jsonl", "json", "rasa", "csv", "tsv", "xlsx", "text")
SHEETS = ("csv", "tsv", "xlsx")
FORMAT_OF = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".csv": "csv", ".tsv": "tsv", ".tab": "tsv",
    ".xlsx": "xlsx", ".xlsm": "xlsx",
}  # fmt: skip
TALK = (".txt", ".text", ".md")
LISTS = ("dialogues", "conversations", "trackers", "data")
HEAD_LINES = 50


def entries_of(path: Path, format: str | None, options: LogOptions) -> Iterator[Entry]:
    """Yield the entries of a file in the format given, or the one that it has."""
    if format is not None and format not in FORMATS:
        raise UsageError(
            f"there is no format '{format}' of dialogues.{nearest(format, FORMATS)}",
            remedy=f"choose one of: {', '.join(FORMATS)}",
        )
    chosen = format or format_of(path, options)
    if chosen in SHEETS:
        yield from read_sheet(path, options, chosen)
    elif chosen == "text":
        yield from read_transcripts(path, options)
    elif chosen == "jsonl" or (chosen == "rasa" and _holds_lines(read_head(path, options))):
        yield from _of_lines(path, options)
    else:
        yield from _of_whole(path, options)


def format_of(path: Path, options: LogOptions) -> str:
    """Return the format of a file: by its ending, or by what it holds where the ending says little."""
    suffix = path.suffix.lower()
    if suffix == ".json":
        return "jsonl" if _holds_lines(read_head(path, options)) else "json"
    if suffix in FORMAT_OF:
        return FORMAT_OF[suffix]
    return _judged(read_head(path, options), path)


def _judged(head: str, path: Path) -> str:
    start = head.lstrip()
    if start.startswith(("{", "[")) and (_holds_lines(head) or not spoken(start.partition("\n")[0])):
        return "jsonl" if _holds_lines(head) else "json"
    if _holds_table(head):
        return "csv"
    lines = head.splitlines()[:HEAD_LINES]
    if path.suffix.lower() in TALK or any(spoken(line.strip()) for line in lines) or not start:
        return "text"
    raise FileError(
        "it is not clear which format this is",
        where=str(path),
        remedy=f"name it with --format: {', '.join(FORMATS)}",
    )


def _holds_lines(head: str) -> bool:
    """Say whether the first line is a whole object and more follows: JSON Lines under any ending."""
    lines = [line for line in head.splitlines() if line.strip()][:2]
    return len(lines) > 1 and lines[0].lstrip().startswith("{") and _is_json(lines[0])


def _is_json(text: str) -> bool:
    try:
        parse_json(text)
    except BrokenJsonError:
        return False
    return True


def _holds_table(head: str) -> bool:
    first = head.lstrip().partition("\n")[0].strip()
    for delimiter in DELIMITERS:
        try:
            find_columns([cell.strip('" ') for cell in first.split(delimiter)], "")
        except DataError:
            continue
        return True
    return False


def _of_lines(path: Path, options: LogOptions) -> Iterator[Entry]:
    for number, line in read_lines(path, options):
        if isinstance(line, BrokenJsonError):
            yield _broken(number, str(line))
            continue
        try:
            item = parse_json(line)
        except BrokenJsonError as error:
            yield _broken(number, f"the line is not valid JSON: {error}")
            continue
        yield from read_object(item, number, "line", options)


def _broken(number: int, message: str) -> Entry:
    return Entry(f"line {number}", None, (Fault(message, f"line {number}"),))


def _of_whole(path: Path, options: LogOptions) -> Iterator[Entry]:
    try:
        content = parse_json(read_text(path, options.reading))
    except BrokenJsonError as error:
        raise FileError(
            f"the file is not valid JSON: {error}",
            where=str(path),
            remedy="correct the place; if each line is an object of its own, give --format jsonl",
        ) from None
    if isinstance(content, dict):
        inner = next((content[key] for key in LISTS if isinstance(content.get(key), list)), None)
        content = [content] if inner is None else inner
    items = content if isinstance(content, list) else [content]
    for number, item in enumerate(items, 1):
        yield from read_object(item, number, "item", options)
