"""Texts with placeholders, and rows of facts that fill them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date

from vivavoce.agents.agent import Agent, Find, SlotKind
from vivavoce.agents.dates import day_in_words
from vivavoce.agents.times import within_time

__all__ = ["Found", "Known", "fill", "fill_all", "look_up", "placeholders"]

_PLACEHOLDER = re.compile(r"\{([^\W\d]\w*)(?::(words))?\}")
JOINED_BY = "; "


@dataclass(frozen=True)
class Found:
    """What a look-up brought: how many rows, those shown as a text, and the first of them."""

    count: int = 0
    text: str = ""
    row: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Known:
    """All that may fill a placeholder: values of the talk, the last found row, defaults of slots; in this order."""

    agent: Agent
    slots: Mapping[str, str]
    found: Found

    def get(self, name: str) -> str | None:
        """Return the text for a name, or nothing."""
        if name in self.slots:
            return self.slots[name]
        if self.found.count and name in ("found", "count"):
            return self.found.text if name == "found" else str(self.found.count)
        if name in self.found.row:
            return self.found.row[name]
        slot = self.agent.slots.get(name)
        return slot.default if slot else None

    def value(self, name: str) -> str | None:
        """Return what a slot has: what was said, else its default."""
        slot = self.agent.slots.get(name)
        return self.slots.get(name, slot.default if slot else None)


def placeholders(text: str) -> list[str]:
    """Return the names in braces."""
    return [match[1] for match in _PLACEHOLDER.finditer(text)]


def fill(text: str, known: Known) -> str | None:
    """Put values in; nothing where one of them is missing."""
    holes = False

    def value(match: re.Match[str]) -> str:
        nonlocal holes
        found = known.get(match[1])
        holes = holes or found is None
        return _worded(found or "", known.agent.language) if match[2] else found or ""

    filled = _PLACEHOLDER.sub(value, text)
    return None if holes else filled


def look_up(agent: Agent, find: Find, each: str, slots: Known) -> Found:
    """Return the rows of a table that fit what is known."""
    table = agent.facts[find.table]
    rows = [row for row in table.rows if _fits(agent, find, row, slots)]
    if find.sort:
        rows.sort(key=lambda row: _order(row[find.sort]), reverse=find.descending)
    if not rows:
        return Found()
    pattern = each or ", ".join(f"{{{column}}}" for column in table.columns)
    shown = (_row_text(pattern, row, slots) for row in rows[: find.most])
    return Found(len(rows), JOINED_BY.join(shown), rows[0])


def _row_text(pattern: str, row: Mapping[str, str], slots: Known) -> str:
    """Write a row; its own columns come before slots of the same name."""
    language = slots.agent.language

    def value(match: re.Match[str]) -> str:
        found = row[match[1]] if match[1] in row else slots.get(match[1]) or ""
        return _worded(found, language) if match[2] else found

    return _PLACEHOLDER.sub(value, pattern)


def _fits(agent: Agent, find: Find, row: Mapping[str, str], slots: Known) -> bool:
    return (
        all(_equal(agent, row[column], slot, slots.value(slot)) for column, slot in find.where)
        and all(_in_order(row[column], slots.value(slot)) for column, slot in find.at_most)
        and all(_in_order(slots.value(slot), row[column]) for column, slot in find.at_least)
    )


def _equal(agent: Agent, cell: str, name: str, wanted: str | None) -> bool:
    if wanted is None:
        return True
    slot = agent.slots.get(name)
    if slot and slot.kind is SlotKind.TIME:
        return within_time(cell, wanted, agent.language)
    return cell == wanted or cell.casefold() == wanted.casefold()


def _in_order(low: str | None, high: str | None) -> bool:
    return low is None or high is None or _order(low) <= _order(high)


def _order(cell: str) -> tuple[int, float, str]:
    """Numbers by their size, before all other texts."""
    try:
        return 0, float(cell), ""
    except ValueError:
        return 1, 0.0, cell.casefold()


def _worded(text: str, language: str) -> str:
    try:
        return day_in_words(date.fromisoformat(text), language)
    except ValueError:
        return text


def fill_all(texts: Iterable[str], known: Known) -> tuple[str, ...] | None:
    """Put values into the bubbles of a reply; nothing where one value is missing."""
    filled = []
    for text in texts:
        done = fill(text, known)
        if done is None:
            return None
        # Values are written as they are listed; a sentence begins with a capital.
        filled.append(done[:1].upper() + done[1:] if text.startswith("{") else done)
    return tuple(text for text in filled if text.strip())
