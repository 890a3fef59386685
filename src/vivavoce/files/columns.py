"""Which column holds what: by its name, a usual synonym, or as the user says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vivavoce.errors import DataError, UsageError, nearest
from vivavoce.files.advice import Advice
from vivavoce.files.tables import Table, as_text
from vivavoce.messages import say

SYNONYMS: dict[str, tuple[str, ...]] = {
    "text": ("text", "utterance", "question", "message", "example", "query", "sentence", "phrase"),
    "intent": ("intent", "label", "topic", "category", "class", "tag", "intent_name"),
    "created": ("created", "date", "timestamp", "created_at"),
    "language": ("language", "lang"),
    "split": ("split", "set"),
    "answer": ("answer", "response", "reply"),
}
KNOWN = frozenset(name for names in SYNONYMS.values() for name in names)
SAMPLE = 1000


@dataclass(frozen=True, slots=True)
class Columns:
    """The place of each column; None where the table has none."""

    text: int
    intent: int
    created: int | None
    language: int | None
    split: int | None
    answer: int | None
    notes: tuple[str, ...] = ()


def is_known(name: str) -> bool:
    """Say whether this is a column name that means something here."""
    return normalise_name(name) in KNOWN


def find_columns(table: Table, source: str, text: str | None = None, intent: str | None = None) -> Columns:
    """Find the columns by name. Text and intent must be there and be clear; all faults are clear errors."""
    text_place = _required(table, source, "text", text)
    intent_place = _required(table, source, "intent", intent)
    if text_place == intent_place:
        name = table.columns[text_place]
        raise UsageError(
            say("column '{name}' cannot be both text and intent", name=name),
            where=source,
            remedy=say("name two of: {quote_names}", quote_names=quote_names(table.columns)),
        )
    notes: list[str] = []
    others = {
        role: _optional(table, source, role, {text_place, intent_place}, notes)
        for role in ("created", "language", "split", "answer")
    }
    return Columns(text_place, intent_place, **others, notes=tuple(notes))


def _required(table: Table, source: str, role: str, given: str | None) -> int:
    if given is not None:
        return _given(table.columns, source, role, given)
    places = _candidates(table.columns, role)
    if len(places) == 1:
        return places[0]
    if places:
        raise DataError(
            say(
                "several columns could be the {role}: {quote_names}",
                role=role,
                quote_names=quote_names([table.columns[place] for place in places]),
            ),
            where=source,
            remedy=say(Advice.CHOOSE_COLUMN, role=role),
        )
    raise _headless(table, source) if _looks_like_data(table) else _absent(table, source, role)


def _given(columns: Sequence[str], source: str, role: str, given: str) -> int:
    exact = [place for place, name in enumerate(columns) if name == given]
    alike = exact or [place for place, name in enumerate(columns) if normalise_name(name) == normalise_name(given)]
    if len(alike) == 1:
        return alike[0]
    raise DataError(
        say(
            "there is no column '{given}' for the {role}.{nearest}",
            given=given,
            role=role,
            nearest=nearest(given, columns),
        ),
        where=source,
        remedy=say(Advice.NAME_COLUMN, columns=quote_names(columns), role=role),
    )


def _optional(table: Table, source: str, role: str, taken: set[int], notes: list[str]) -> int | None:
    places = [place for place in _candidates(table.columns, role) if place not in taken]
    if len(places) > 1:
        used, *unused = [table.columns[place] for place in places]
        notes.append(f"{source}: column '{used}' is used as {role}, not {quote_names(unused)}")
    return places[0] if places else None


def _candidates(columns: Sequence[str], role: str) -> list[int]:
    """Return the columns that may have this role; the plain name goes before all synonyms."""
    plain = [place for place, name in enumerate(columns) if normalise_name(name) == role]
    return plain or [place for place, name in enumerate(columns) if normalise_name(name) in SYNONYMS[role]]


def _absent(table: Table, source: str, role: str) -> DataError:
    return DataError(
        say(
            "there is no column for the {role}; columns found: {quote_names}",
            role=role,
            quote_names=quote_names(table.columns),
        ),
        where=source,
        remedy=say(Advice.CALL_COLUMN, role=role),
    )


def _headless(table: Table, source: str) -> DataError:
    return DataError(
        say(
            "the first row looks like data, not like column names: {quote_names}",
            quote_names=quote_names(table.columns),
        ),
        where=source,
        remedy=say("insert a first row with the names, for instance: text,intent"),
    )


def _looks_like_data(table: Table) -> bool:
    """Guess: a name that is a whole sentence, or that turns up again below itself, is no name."""
    if any(is_known(name) for name in table.columns):
        return False
    if any(len(name.split()) > 3 or name.endswith(("?", "!", ".")) for name in table.columns):
        return True
    return any(
        name and any(as_text(row.cells[place]).strip() == name for row in table.rows[:SAMPLE])
        for place, name in enumerate(table.columns)
    )


def normalise_name(name: str) -> str:
    """Return the name of a column as names are compared."""
    return re.sub(r"[\s_-]+", "_", name.strip().casefold())


def quote_names(names: Sequence[str]) -> str:
    """Return names in quotes for a message, the first twenty of them."""
    shown = ", ".join(f"'{name[:60]}'" for name in names[:20])
    return shown + (f" and {len(names) - 20} more" if len(names) > 20 else "")
