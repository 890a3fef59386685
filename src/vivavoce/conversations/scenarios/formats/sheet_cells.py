"""The small print of a sheet: names of columns, alternatives in a cell, guards against formulas, flags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from difflib import get_close_matches

from vivavoce.errors import Fault, nearest
from vivavoce.files.tables import as_text
from vivavoce.messages import say

SLOT = "slot:"
ALSO = "also (read-only)"
SCENARIO_ALSO = "scenario (read-only)"
SUITE_ALSO = "suite (read-only)"
# The columns in the order in which they are written; those of slots stand before the note.
BEFORE_SLOTS = (
    "scenario",
    "title",
    "level",
    "domain",
    "tags",
    "turn",
    "user",
    "expect_topic",
    "should_fall_back",
    "good_replies",
    "bad_replies",
    "match",
    "has_typo",
    "kind",
    "twin_of",
)
AFTER_SLOTS = ("note", ALSO, SCENARIO_ALSO, SUITE_ALSO)
COLUMNS = BEFORE_SLOTS + AFTER_SLOTS
ALWAYS = frozenset(COLUMNS) - {"title", "tags", "kind", ALSO, SCENARIO_ALSO, SUITE_ALSO}
OF_SCENARIO = ("scenario", "level", "domain", "title", "tags", SCENARIO_ALSO, SUITE_ALSO)
YES = frozenset({"yes", "true", "1", "x", "on", "y"})
NO = frozenset({"no", "false", "0", "off", "n", ""})
_RISKY = re.compile(r"'*[=+\-@\t\r\n]")
_GUARDED = re.compile(r"'+[=+\-@\t\r\n]")
_SLOT_LIKE = re.compile(r"slots?[\s_:.-]+(.+)", re.IGNORECASE)
# Nearer than a guess in a message: what is this near is most likely a slip, and what it meant is not checked.
_NEAR = 0.7
_KEYS = {re.sub(r"[\s_-]+", "_", name): name for name in COLUMNS}


@dataclass(frozen=True)
class Layout:
    """The columns of a sheet by the names they have there. `known`: what a column means, and its name."""

    names: tuple[str, ...]
    known: dict[str, str] = field(default_factory=dict)


class Misspelt(str):
    """The note on a column whose name is nearly a known one: what stands there is most likely meant to count."""

    __slots__ = ()


def guard(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula, and that `unguard` takes back to the text."""
    return f"'{text}" if _RISKY.match(text) else text


def unguard(cell: str) -> str:
    """Return the text of a cell: without the apostrophe that was put before it."""
    return cell[1:] if _GUARDED.match(cell) else cell


def cell_text(cell: object) -> str:
    """Return what stands in a cell; a day stays a day."""
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


def read_flag(cell: str) -> bool | None:
    """Return yes or no, or None for anything else."""
    word = cell.strip().casefold()
    return True if word in YES else False if word in NO else None


def column_key(name: str) -> str:
    """Return what a column means, or nothing where it means nothing here."""
    if name.casefold().startswith(SLOT):
        slot = name[len(SLOT) :].strip()
        return f"{SLOT}{slot}" if slot else ""
    return _KEYS.get(re.sub(r"[\s_-]+", "_", name.casefold()), "")


def nearest_column(name: str, there: Iterable[str] = ()) -> str:
    """Return the known column that a name is nearly, unless the sheet has it already; or nothing."""
    if slot := _SLOT_LIKE.fullmatch(name.strip()):
        return f"{SLOT}{slot[1].strip()}"
    plain = re.sub(r"[\s_-]+", "_", name.casefold())
    found = get_close_matches(plain, [key for key in _KEYS if _KEYS[key] not in set(there)], n=1, cutoff=_NEAR)
    return _KEYS[found[0]] if found else ""


def _column_note(name: str, there: Iterable[str], source: str) -> str:
    told = f"the column '{name}' is kept but means nothing here."
    told = f"{source}: {told}" if source else told
    near = nearest_column(name, there)
    return Misspelt(f"{told} Did you mean '{near}'?") if near else told


def find_layout(names: Sequence[str], faults: list[Fault], notes: list[str], source: str = "") -> Layout:
    """Find out what each column means; refuse two of the same meaning, remark on those that mean nothing."""
    known: dict[str, str] = {}
    unknown: list[str] = []
    for name in names:
        key = column_key(name)
        if key in known:
            faults.append(
                Fault(
                    say("the columns '{known}' and '{name}' mean the same: remove one", known=known[key], name=name),
                    "header",
                )
            )
        elif key:
            known[key] = name
        else:
            unknown.append(name)
    notes += [_column_note(name, known, source) for name in unknown]
    for needed in ("scenario", "level", "user"):
        if needed not in known:
            faults.append(
                Fault(
                    say("there is no column '{needed}'.{nearest}", needed=needed, nearest=nearest(needed, unknown)),
                    "header",
                )
            )
    return Layout(tuple(names), known)
