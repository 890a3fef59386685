"""The small print of a sheet: names of columns, alternatives in a cell, guards against formulas."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from difflib import get_close_matches

from vivavoce.errors import Fault, nearest
from vivavoce.files.tables import as_text
from vivavoce.messages import say

SLOT = "slot:"
ALSO = "also (read-only)"
SCENARIO_ALSO = "scenario (read-only)"
SUITE_ALSO = "suite (read-only)"
# The columns in the order in which they are written; those of slots come before the note.
BEFORE_SLOTS = (
    *("scenario", "title", "level", "domain", "tags", "turn", "user", "expect_topic", "should_fall_back"),
    *("good_replies", "bad_replies", "match", "has_typo", "kind", "twin_of"),
)
AFTER_SLOTS = ("note", ALSO, SCENARIO_ALSO, SUITE_ALSO)
COLUMNS = BEFORE_SLOTS + AFTER_SLOTS
_RISKY = re.compile(r"'*[=+\-@\t\r\n]")
_GUARDED = re.compile(r"'+[=+\-@\t\r\n]")
_SLOT_LIKE = re.compile(r"slots?[\s_:.-]+(.+)", re.IGNORECASE)
_BLANKS = re.compile(r"[\s_-]+")
# Nearer than a guess in a message: what is this near is most likely a slip, and what it meant is not checked.
_NEAR = 0.7
_KEYS = {_BLANKS.sub("_", name): name for name in COLUMNS}


class Misspelt(str):
    """The note on a column whose name is nearly a known one: its cells are most likely meant to count."""

    __slots__ = ()


def guard(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula, and that `unguard` takes back to the text."""
    return f"'{text}" if _RISKY.match(text) else text


def unguard(cell: str) -> str:
    """Return the text of a cell: without the apostrophe that was put before it."""
    return cell[1:] if _GUARDED.match(cell) else cell


def cell_text(cell: object) -> str:
    """Return a cell as text; a day stays a day."""
    if isinstance(cell, str):
        return unguard(cell)
    if isinstance(cell, datetime) and cell == datetime(cell.year, cell.month, cell.day):
        return cell.date().isoformat()
    return as_text(cell)


def split_alternatives(cell: str) -> list[str]:
    r"""Return the texts between bars without blanks around them; `\|` is the character."""
    if "|" not in cell:
        return [cell.strip()] if cell and not cell.isspace() else []
    parts = re.split(r"(?<!\\)\|", cell)
    return [part.replace("\\|", "|").strip() for part in parts if part.strip()]


def join_alternatives(texts: Iterable[str]) -> str:
    """Return texts as one cell."""
    return "|".join([text.replace("|", "\\|") for text in texts])


def fits_cell(texts: Sequence[str]) -> bool:
    """Say whether a cell can hold these texts so that they are read back unchanged."""
    return split_alternatives(join_alternatives(texts)) == list(texts)


def column_key(name: str) -> str:
    """Return what a column means, or nothing where it means nothing here."""
    if name.casefold().startswith(SLOT):
        slot = name[len(SLOT) :].strip()
        return f"{SLOT}{slot}" if slot else ""
    return _KEYS.get(_BLANKS.sub("_", name.casefold()), "")


def find_columns(names: Sequence[str], faults: list[Fault], notes: list[str], source: str = "") -> dict[str, str]:
    """Return the column of each meaning; refuse two of the same meaning, remark on those that mean nothing."""
    known: dict[str, str] = {}
    unknown: list[str] = []
    for name in names:
        key = column_key(name)
        if key in known:
            message = say(
                "the columns '{known}' and '{name}' have the same meaning: remove one", known=known[key], name=name
            )
            faults.append(Fault(message, "header"))
        elif key:
            known[key] = name
        else:
            unknown.append(name)
    for name in unknown:
        note = f"the column '{name}' is kept but not used."
        note = f"{source}: {note}" if source else note
        near = _find_nearest(name, known)
        notes.append(Misspelt(f"{note} Did you mean '{near}'?") if near else note)
    for needed in ("scenario", "level", "user"):
        if needed not in known:
            hint = nearest(needed, unknown)
            message = say("the column '{needed}' is missing.{nearest}", needed=needed, nearest=hint)
            faults.append(Fault(message, "header"))
    return known


def _find_nearest(name: str, known: Iterable[str]) -> str:
    """Return the column that a name is nearly, unless the sheet has it already; or nothing."""
    if slot := _SLOT_LIKE.fullmatch(name.strip()):
        return f"{SLOT}{slot[1].strip()}"
    others = [key for key, column in _KEYS.items() if column not in set(known)]
    matches = get_close_matches(_BLANKS.sub("_", name.casefold()), others, n=1, cutoff=_NEAR)
    return _KEYS[matches[0]] if matches else ""
