"""Which column holds what: by its name, a usual synonym, or as the user says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vivavoce.errors import DataError, UsageError, nearest
from vivavoce.files.advice import Advice
from vivavoce.files.header_words import KNOWN, TRAINING, normalise_name
from vivavoce.files.tables import Table, as_text
from vivavoce.messages import say

SYNONYMS = TRAINING
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
    text_place = _find_required(table, source, "text", text)
    intent_place = _find_required(table, source, "intent", intent)
    if text_place == intent_place:
        raise UsageError(
            say("column '{name}' cannot be both text and intent", name=table.columns[text_place]),
            where=source,
            remedy=say("choose two of: {quote_names}", quote_names=quote_names(table.columns)),
        )
    notes: list[str] = []
    others: dict[str, int | None] = {}
    for role in ("created", "language", "split", "answer"):
        places = [place for place in _find_candidates(table.columns, role) if place not in (text_place, intent_place)]
        if len(places) > 1:
            used, *unused = [table.columns[place] for place in places]
            notes.append(f"{source}: column '{used}' is used as {role}, not {quote_names(unused)}")
        others[role] = places[0] if places else None
    return Columns(text_place, intent_place, **others, notes=tuple(notes))


def find_column(table: Table, source: str, role: str, name: str) -> int:
    """Return the place of the column of this name; case, blanks and underscores do not matter."""
    columns = table.columns
    exact = [place for place, column in enumerate(columns) if column == name]
    alike = [place for place, column in enumerate(columns) if normalise_name(column) == normalise_name(name)]
    if len(exact or alike) == 1:
        return (exact or alike)[0]
    hint = nearest(name, columns)
    what = say("no column '{given}' for the {role}.{nearest}", given=name, role=role, nearest=hint)
    raise DataError(what, where=source, remedy=say(Advice.NAME_COLUMN, columns=quote_names(columns), role=role))


def _find_required(table: Table, source: str, role: str, name: str | None) -> int:
    columns = table.columns
    if name is not None:
        return find_column(table, source, role, name)
    places = _find_candidates(columns, role)
    if len(places) == 1:
        return places[0]
    names = quote_names([columns[place] for place in places] or columns)
    if places:
        what = say("several columns could be the {role}: {quote_names}", role=role, quote_names=names)
        remedy = say(Advice.CHOOSE_COLUMN, role=role)
    elif _looks_like_data(table):
        what = say("the first row looks like data, not column names: {quote_names}", quote_names=names)
        remedy = say("insert a first row with the column names, for example: text,intent")
    else:
        what = say("no column for the {role}; columns found: {quote_names}", role=role, quote_names=names)
        remedy = say(Advice.CALL_COLUMN, role=role)
    raise DataError(what, where=source, remedy=remedy)


def _find_candidates(columns: Sequence[str], role: str) -> list[int]:
    """Return the columns that may have this role; the plain name goes before all synonyms."""
    plain = [place for place, name in enumerate(columns) if normalise_name(name) == role]
    return plain or [place for place, name in enumerate(columns) if normalise_name(name) in SYNONYMS[role]]


def _looks_like_data(table: Table) -> bool:
    """Guess: a name that is a whole sentence, or that turns up again below itself, is no name."""
    if any(is_known(name) for name in table.columns):
        return False
    return any(
        len(name.split()) > 3
        or name.endswith(("?", "!", "."))
        or (name and any(as_text(row.cells[place]).strip() == name for row in table.rows[:SAMPLE]))
        for place, name in enumerate(table.columns)
    )


def quote_names(names: Sequence[str]) -> str:
    """Return names in quotes for a message, the first twenty of them."""
    text = ", ".join(f"'{name[:60]}'" for name in names[:20])
    return text + (f" and {len(names) - 20} more" if len(names) > 20 else "")
