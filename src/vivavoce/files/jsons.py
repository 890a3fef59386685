"""JSON and JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from vivavoce.errors import FileError
from vivavoce.files.sources import read_text
from vivavoce.files.tables import ReadOptions, Row, RowFault, Table, check_columns, check_rows
from vivavoce.messages import say

SHAPES = say(
    'use a list of objects [{"text": ..., "intent": ...}], {"examples": [...]}, or texts by intent '
    '{"greeting": ["hello", "hi"]}'
)
KINDS = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}


def read_json(path: Path, options: ReadOptions = ReadOptions()) -> Table:  # noqa: B008 - frozen
    """Read a list of objects, an object with `examples`, or an object of texts by intent."""
    try:
        content = _parse(read_text(path, options))
    except (ValueError, RecursionError) as error:
        reason = _explain(error)
        if isinstance(error, json.JSONDecodeError):
            place = {"said": _read_message(error), "lineno": error.lineno, "colno": error.colno}
            reason = say("{said} in line {lineno}, column {colno}", **place)
        what = say("the file is not valid JSON: {reason}", reason=reason)
        raise FileError(what, where=str(path), remedy=SHAPES) from None
    items = content.get("examples") if isinstance(content, dict) else content
    # A topic may be called "examples": then its texts are no objects.
    objects = sum(isinstance(item, dict) for item in items) if isinstance(items, list) else 0
    if isinstance(items, list) and (not isinstance(content, dict) or objects * 2 > len(items)):
        check_rows(len(items), options.max_rows, str(path))
        return _build_table(enumerate(items, 1), "item", path, [])
    if isinstance(content, dict):
        return _read_by_intent(content, path, options)
    kind = _name_kind(content)
    raise FileError(say("the file contains {kind}, not examples", kind=kind), where=str(path), remedy=SHAPES)


def read_jsonl(path: Path, options: ReadOptions = ReadOptions()) -> Table:  # noqa: B008 - frozen
    """Read one object a line."""
    lines = read_text(path, options).split("\n")
    check_rows(len(lines) - 1, options.max_rows, str(path))
    faults: list[RowFault] = []
    items: list[tuple[int, object]] = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                items.append((number, _parse(line)))
            except (ValueError, RecursionError) as error:
                faults.append(RowFault(number, f"the line is not valid JSON: {_explain(error)}"))
    return _build_table(items, "line", path, faults)


def _parse(text: str) -> object:
    content: object = json.loads(text, object_pairs_hook=refuse_repeated_keys)
    return content


def refuse_repeated_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object of its keys and values; the parser would silently keep the last of two."""
    result = dict(pairs)
    if len(result) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key '{twice}' appears twice in one object")
    return result


def _build_table(items: Iterable[tuple[int, object]], unit: str, path: Path, faults: list[RowFault]) -> Table:
    records: list[tuple[int, dict[str, object]]] = []
    for number, item in items:
        if isinstance(item, dict):
            records.append((number, item))
        else:
            faults.append(RowFault(number, f"this is {_name_kind(item)}, not an object with text and intent"))
    columns = tuple(dict.fromkeys(key for _, item in records for key in item))
    check_columns(columns, str(path))
    rows = tuple(Row(number, tuple(map(item.get, columns))) for number, item in records)
    return Table(columns, rows, faults=tuple(faults), unit=unit, typed=True)


def _read_by_intent(content: Mapping[str, object], path: Path, options: ReadOptions) -> Table:
    pairs: list[tuple[object, str]] = []
    what = "" if content else say("it is empty")
    for intent, texts in content.items():
        if isinstance(texts, list):
            pairs += [(text, intent) for text in texts]
        elif not what:
            what = say("'{wrong}' contains {kind}, not a list of texts", wrong=intent, kind=_name_kind(texts))
    if what:
        raise FileError(what, where=str(path), remedy=SHAPES)
    check_rows(len(pairs), options.max_rows, str(path))
    notes = [f"{path}: intent '{intent}' has no examples" for intent, texts in content.items() if not texts]
    rows = tuple(Row(number, pair) for number, pair in enumerate(pairs, 1))
    return Table(("text", "intent"), rows, tuple(notes), unit="item", typed=True)


def _name_kind(value: object) -> str:
    return KINDS.get(type(value), "a number")


def _explain(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        return f"{_read_message(error)} at character {error.colno}"
    return str(error)


def _read_message(error: json.JSONDecodeError) -> str:
    # Some messages of the parser end in "at" and leave the place to others.
    return error.msg.removesuffix(" at")
