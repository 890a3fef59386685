"""Messages of Rasa: entities are marked in the text, `[Paris](city)` or `[Paris]{"entity": "city"}`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_ENTITY = re.compile(
    r"\[(?P<text>[^\]\n]+)\](?:\((?P<name>[^)\n]+)\)|(?P<one>\{[^}\n]*\})|(?P<many>\[\{[^\]\n]*\}\]))"
)


def plain_message(text: str) -> tuple[str, dict[str, str], list[object]]:
    """Return a message without marks, the slots that were marked in it, and roles and groups aside."""
    slots: dict[str, str] = {}
    aside: list[object] = []

    def bare(found: re.Match[str]) -> str:
        marks = _marks(found)
        if marks is None:
            return found[0]
        for mark in marks:
            name = str(mark.pop("entity"))
            value = str(mark.pop("value", found["text"]))
            if mark or name in slots:
                aside.append({name: {**mark, "value": value}})
            slots.setdefault(name, value)
        return found["text"]

    return _ENTITY.sub(bare, text), slots, aside


def _marks(found: re.Match[str]) -> list[dict[str, Any]] | None:
    """Return what a mark says about its text, or None where it is no mark."""
    if found["name"]:
        name, _, value = found["name"].partition(":")
        return [{"entity": name, "value": value} if value else {"entity": name}]
    try:
        said = json.loads(found["one"] or found["many"])
    except ValueError:
        return None
    marks = said if isinstance(said, list) else [said]
    return marks if all(isinstance(one, dict) and "entity" in one for one in marks) else None


def mark_message(text: str, slots: Mapping[str, str]) -> str:
    """Mark the slots whose value stands in a message; those that cannot be marked are left out."""
    taken: list[tuple[int, int, str]] = []
    for name, value in slots.items():
        span = _free_span(text, value, taken)
        if span is None:
            continue
        begin, end = span
        tried = sorted([*taken, (begin, end, _marked(text[begin:end], name, value))])
        if _reads_as(_put(text, tried), text, {**_slots(text, taken), name: value}):
            taken = tried
    return _put(text, taken)


def _free_span(text: str, value: str, taken: list[tuple[int, int, str]]) -> tuple[int, int] | None:
    if not value.strip():
        return None
    # Whole words first: "on" is not meant in "London".
    escaped = re.escape(value)
    for expression in (rf"(?<!\w){escaped}(?!\w)", escaped):
        for found in re.finditer(expression, text, re.IGNORECASE):
            begin, end = found.span()
            if all(end <= other or begin >= last for other, last, _ in taken):
                return begin, end
    return None


def _marked(text: str, name: str, value: str) -> str:
    if text == value and re.fullmatch(r"[\w-]+", name):
        return f"[{text}]({name})"
    facts = {"entity": name} if text == value else {"entity": name, "value": value}
    return f"[{text}]{json.dumps(facts, ensure_ascii=False)}"


def _put(text: str, marks: list[tuple[int, int, str]]) -> str:
    for begin, end, mark in reversed(marks):
        text = f"{text[:begin]}{mark}{text[end:]}"
    return text


def _slots(text: str, marks: list[tuple[int, int, str]]) -> dict[str, str]:
    return plain_message(_put(text, marks))[1]


def _reads_as(marked: str, text: str, slots: Mapping[str, str]) -> bool:
    read, found, _ = plain_message(marked)
    return read == text and found == slots
