"""Texts with placeholders, and rows of facts that fill them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date

from vivavoce.agents.agent import Agent, Find, SlotKind
from vivavoce.agents.dates import day_in_words, within_time

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
    """All that may fill a placeholder, in this order: values said, the last found row, defaults of slots."""

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
    return None if None in map(known.get, placeholders(text)) else _fill(text, known.get, known.agent.language)


def _fill(text: str, get: Callable[[str], str | None], language: str) -> str:
    def put(match: re.Match[str]) -> str:
        value = get(match[1]) or ""
        try:
            return day_in_words(date.fromisoformat(value), language) if match[2] else value
        except ValueError:
            return value

    return _PLACEHOLDER.sub(put, text)


def fill_all(texts: Iterable[str], known: Known) -> tuple[str, ...] | None:
    """Put values into the bubbles of a reply; nothing where one value is missing."""
    bubbles = []
    for text in texts:
        filled = fill(text, known)
        if filled is None:
            return None
        # Values are written as they are listed; a sentence begins with a capital.
        bubbles.append(filled[:1].upper() + filled[1:] if text.startswith("{") else filled)
    return tuple(text for text in bubbles if text.strip())


def look_up(agent: Agent, find: Find, each: str, slots: Known) -> Found:
    """Return the rows of a table that fit what is known."""
    table = agent.facts[find.table]
    rows = [row for row in table.rows if _fits(agent, find, row, slots)]
    if find.sort:
        rows.sort(key=lambda row: _rank(row[find.sort]), reverse=find.descending)
    if not rows:
        return Found()
    pattern = each or ", ".join(f"{{{column}}}" for column in table.columns)
    # The columns of a row come before slots of the same name.
    texts = (
        _fill(pattern, lambda name, row=row: row.get(name, slots.get(name)), agent.language)  # type: ignore[misc]
        for row in rows[: find.most]
    )
    return Found(len(rows), JOINED_BY.join(texts), rows[0])


def _fits(agent: Agent, find: Find, row: Mapping[str, str], slots: Known) -> bool:
    for column, name in find.where:
        cell, wanted, slot = row[column], slots.value(name), agent.slots.get(name)
        if wanted is None:
            continue
        if slot and slot.kind is SlotKind.TIME:
            if not within_time(cell, wanted, agent.language):
                return False
        elif cell.casefold() != wanted.casefold():
            return False
    limits: list[tuple[str | None, str | None]] = [(row[column], slots.value(slot)) for column, slot in find.at_most]
    limits += [(slots.value(slot), row[column]) for column, slot in find.at_least]
    return all(low is None or high is None or _rank(low) <= _rank(high) for low, high in limits)


def _rank(cell: str) -> tuple[int, float, str]:
    """Order numbers by their size, before all other texts."""
    try:
        return 0, float(cell), ""
    except ValueError:
        return 1, 0.0, cell.casefold()
