"""What to do about a file, where that depends on the interface: here as the command line says it, with its options.

A remedy of these is a message whose template is the code: a page has its own words for it (`workspace/advice.py`).
"""

from __future__ import annotations

from enum import StrEnum


class Advice(StrEnum):
    """What to do next, with the options of the command line."""

    NAME_FORMAT = "known formats: {names}; name one with --format"
    CHOOSE_FORMAT = "name it with --format: {names}"
    GIVE_JSONL = "correct the place; if each line is an object of its own, give --format jsonl"
    CHOOSE_COLUMN = "say which one with --{role}-column"
    NAME_COLUMN = "columns found: {columns}; name one with --{role}-column"
    CALL_COLUMN = "name it with --{role}-column, or call it '{role}'"
    SKIP_ROWS = "correct them, or leave such rows out with --skip-bad: each is listed"
    SKIP_ROWS_LATER = "correct the intents; single rows can then be left out with --skip-bad: each is listed"
    SKIP_DIALOGUES = "correct them, or leave such dialogues out with --skip-bad: each is listed"
    DO_NOT_SKIP = "read the file without --skip-bad to see why"
    OUT_OF_SCOPE = (
        "the intent '{intent}' is a reserved word: rename it, for instance '{other}', or mark these rows as out "
        "of scope with --out-of-scope {intent}"
    )
    GIVE_CP1252 = "save the file as UTF-8, or give --encoding cp1252, with which the place reads: {shown}"
    GIVE_UTF16 = "try --encoding utf-16-{order}"
    MORE_ROWS = "if it is the right file, raise the limit with --max-rows {rows}"
    MORE_MEGABYTES = "if it is the right file, raise the limit with --max-file-mb {megabytes}"
    SHEET_TOO_LARGE = "save the one sheet as CSV; if the file is right and only large, raise --max-file-mb"
    LINE_TOO_LONG = "write one dialogue on each line; if it is right, raise --max-file-mb"
