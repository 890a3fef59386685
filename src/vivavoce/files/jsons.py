"""JSON and JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
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
    except json.JSONDecodeError as error:
        raise _broken(
            say("{said} in line {lineno}, column {colno}", said=_said(error), lineno=error.lineno, colno=error.colno),
            path,
        ) from None
    except (ValueError, RecursionError) as error:
        raise _broken(_reason(error), path) from None
    items = content.get("examples") if isinstance(content, dict) else content
    if isinstance(items, list) and (not isinstance(content, dict) or _mostly_objects(items)):
        check_rows(len(items), options.max_rows, str(path))
        return _of_items(enumerate(items, 1), "item", path)
    if isinstance(content, dict):
        return _by_intent(content, path, options)
    raise FileError(say("the file holds {kind}, not examples", kind=_kind(content)), where=str(path), remedy=SHAPES)


def read_jsonl(path: Path, options: ReadOptions = ReadOptions()) -> Table:  # noqa: B008 - frozen
    """Read one object a line."""
    lines = read_text(path, options).split("\n")
    check_rows(len(lines) - 1, options.max_rows, str(path))
    faults: list[RowFault] = []
    return _of_items(_parsed_lines(lines, faults), "line", path, faults)


def _parsed_lines(lines: Sequence[str], faults: list[RowFault]) -> Iterator[tuple[int, object]]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield number, _parse(line)
            except (ValueError, RecursionError) as error:
                faults.append(RowFault(number, f"the line is not valid JSON: {_reason(error)}"))


def _parse(text: str) -> object:
    content: object = json.loads(text, object_pairs_hook=refuse_repeated_keys)
    return content


def refuse_repeated_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object of its keys and values; the parser would silently keep the last of two."""
    result = dict(pairs)
    if len(result) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key '{twice}' stands twice in one object")
    return result


def _of_items(
    items: Iterator[tuple[int, object]] | enumerate[object],
    unit: str,
    path: Path,
    faults: list[RowFault] | None = None,
) -> Table:
    faults = [] if faults is None else faults
    records: list[tuple[int, dict[str, object]]] = []
    for number, item in items:
        if isinstance(item, dict):
            records.append((number, item))
        else:
            faults.append(RowFault(number, f"this is {_kind(item)}, not an object with text and intent"))
    columns = tuple(dict.fromkeys(key for _, item in records for key in item))
    check_columns(columns, str(path))
    rows = tuple(Row(number, tuple(map(item.get, columns))) for number, item in records)
    return Table(columns, rows, faults=tuple(faults), unit=unit, typed=True)


def _by_intent(content: Mapping[str, object], path: Path, options: ReadOptions) -> Table:
    wrong = [intent for intent, texts in content.items() if not isinstance(texts, list)]
    if wrong or not content:
        what = (
            say("'{wrong}' holds {kind}, not a list of texts", wrong=wrong[0], kind=_kind(content[wrong[0]]))
            if wrong
            else say("there is nothing in it")
        )
        raise FileError(what, where=str(path), remedy=SHAPES)
    pairs = [(text, intent) for intent, texts in content.items() for text in _list(texts)]
    check_rows(len(pairs), options.max_rows, str(path))
    notes = [f"{path}: intent '{intent}' has no example" for intent, texts in content.items() if not texts]
    rows = tuple(Row(number, pair) for number, pair in enumerate(pairs, 1))
    return Table(("text", "intent"), rows, tuple(notes), unit="item", typed=True)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _mostly_objects(items: Sequence[object]) -> bool:
    return sum(isinstance(item, dict) for item in items) * 2 > len(items)


def _kind(value: object) -> str:
    return KINDS.get(type(value), "a number")


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        return f"{_said(error)} at character {error.colno}"
    return str(error)


def _said(error: json.JSONDecodeError) -> str:
    # Some messages of the parser end in "at" and leave the place to others.
    return error.msg.removesuffix(" at")


def _broken(reason: str, path: Path) -> FileError:
    return FileError(say("the file is not valid JSON: {reason}", reason=reason), where=str(path), remedy=SHAPES)
