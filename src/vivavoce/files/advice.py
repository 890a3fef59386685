"""What to do about a file, where that depends on the interface: here as the command line says it, with its options.

A remedy of these is a message whose template is the code: a page has its own words for it (`workspace/advice.py`).
"""

from __future__ import annotations

from enum import StrEnum


class Advice(StrEnum):
    """What to do next, with the options of the command line."""

    NAME_FORMAT = "known formats: {names}; choose one with --format"
    CHOOSE_FORMAT = "choose one with --format: {names}"
    GIVE_JSONL = "fix this; if each line is a separate object, use --format jsonl"
    CHOOSE_COLUMN = "choose one with --{role}-column"
    NAME_COLUMN = "columns found: {columns}; choose one with --{role}-column"
    CALL_COLUMN = "choose it with --{role}-column, or name it '{role}'"
    SKIP_ROWS = "fix them, or skip such rows with --skip-bad: each is listed"
    SKIP_ROWS_LATER = "fix the intents; you can then skip single rows with --skip-bad: each is listed"
    SKIP_DIALOGUES = "fix them, or skip such dialogues with --skip-bad: each is listed"
    DO_NOT_SKIP = "read the file without --skip-bad to see why"
    OUT_OF_SCOPE = (
        "the intent '{intent}' is a reserved word: rename it, for example to '{other}', or mark "
        "these rows as out of scope with --out-of-scope {intent}"
    )
    GIVE_CP1252 = "save the file as UTF-8, or use --encoding cp1252, which reads this as: {shown}"
    GIVE_UTF16 = "try --encoding utf-16-{order}"
    MORE_ROWS = "if it is the right file, raise the limit with --max-rows {rows}"
    MORE_MEGABYTES = "if it is the right file, raise the limit with --max-file-mb {megabytes}"
    SHEET_TOO_LARGE = "save the sheet as CSV; if the file is correct and just large, raise --max-file-mb"
    LINE_TOO_LONG = "write one dialogue per line; if the file is correct, raise --max-file-mb"
