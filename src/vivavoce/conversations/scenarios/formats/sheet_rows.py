"""One row of a sheet and one turn of a scenario: what the cells say, and what a cell cannot say.

What a sheet has no column for is JSON in a read-only one, so that nothing is lost on the way there and back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from vivavoce.conversations.scenario import Include, Kind, Match, Pattern, Scenario, Step, Turn
from vivavoce.conversations.scenarios.formats.yaml_fields import Place, choice
from vivavoce.conversations.scenarios.formats.yaml_reading import ANY, FALLBACK, SAME, read_step
from vivavoce.conversations.scenarios.formats.yaml_writing import (
    expect_mapping,
    pattern_value,
    scenario_head,
    turn_value,
)
from vivavoce.errors import Fault, nearest
from vivavoce.files.tables import as_text
from vivavoce.files.yamls import Value, YamlFile, as_mapping, as_texts
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


RAW = "x-cells"
YES = frozenset({"yes", "true", "1", "x", "on", "y"})
NO = frozenset({"no", "false", "0", "off", "n", ""})
REPLIES = (("any", "good_replies"), ("none", "bad_replies"))
SHORT = (ANY, FALLBACK, SAME)
Cells = Mapping[str, str]
Content = dict[str, Any]


def row_place(source: str, number: int, faults: list[Fault]) -> Place:
    """Return a place whose faults name the row."""
    return Place(YamlFile(source, {}, {(): number}), faults, unit="row")


def read_row(cells: Cells, at: Place) -> Step | None:
    """Read the turn of a row; None where all its cells of a turn are blank."""
    also = read_json(cells.get(ALSO, ""), at)
    if "include" in also:
        return read_step(also, at)
    content = {key: item for key, item in also.items() if key not in (*dict(REPLIES), "expect")}
    if cells.get("user", "").strip():
        content["user"] = cells["user"]
    for key, column in (("id", "turn"), ("twin_of", "twin_of"), ("kind", "kind")):
        if cells.get(column, "").strip():
            content[key] = cells[column].strip()
    if cells.get("note"):
        content["note"] = cells["note"]
    if _read_flag(cells, "has_typo", at):
        content["kind"] = Kind.TYPO.value
    expect = _read_expect(cells, also, at)
    if not content and not expect:
        return None
    content["expect"] = expect or (SAME if content.get("twin_of") else ANY)
    return read_step(content, at)


def read_json(cell: str, at: Place) -> dict[str, Value]:
    """Read a read-only cell; every scalar becomes text, as in YAML."""
    if not cell.strip():
        return {}
    try:
        content = as_texts(json.loads(cell))
    except (ValueError, RecursionError):
        content = ""
    if isinstance(content, dict):
        return content
    at.refuse(say("a read-only cell was changed and cannot be read: copy it from the export again, or clear it"))
    return {}


def _read_pattern(text: str, match: Match | None) -> Pattern:
    """Return one alternative of a cell; a `*` makes a wildcard of it unless the row says otherwise."""
    literal = match in (Match.REGEX, Match.WILDCARD)
    return Pattern(text, match if literal or "*" not in text else None)


def _read_expect(cells: Cells, also: Mapping[str, Value], at: Place) -> dict[str, Value]:
    expect = dict(as_mapping(also.get("expect")))
    topics = split_alternatives(cells.get("expect_topic", ""))
    if len(topics) != 1 or topics[0] not in SHORT:
        expect |= {"intent": list(topics)} if topics else {}
    else:
        expect |= {"counted": "false"} if topics[0] == ANY else {topics[0]: "true"}
    if _read_flag(cells, "should_fall_back", at):
        expect["fallback"] = "true"
    slots = {key[len(SLOT) :]: cell for key, cell in cells.items() if key.startswith(SLOT) and cell.strip()}
    if slots:
        expect["slots"] = {**as_mapping(expect.get("slots")), **slots}
    match = choice(Match)(cells.get("match", "").strip(), at)
    for key, column in REPLIES:
        replies: list[Any] = [
            pattern_value(_read_pattern(text, match)) for text in split_alternatives(cells.get(column, ""))
        ]
        # The patterns that a cell cannot hold return to their places.
        others = [(int(place), pattern) for place, pattern in as_mapping(also.get(key)).items() if place.isdecimal()]
        for place, pattern in sorted(others):
            replies.insert(place, pattern)
        if replies:
            expect["reply"] = {**as_mapping(expect.get("reply")), key: replies}
    return expect


def _read_flag(cells: Cells, column: str, at: Place) -> bool:
    word = cells.get(column, "").strip().casefold()
    if word not in YES | NO:
        at.refuse(say("`{column}` must be yes or no, not '{cells}'", column=column, cells=cells[column]))
    return word in YES


def step_cells(step: Step) -> dict[str, str]:
    """Return the cells of a turn that are not blank."""
    if isinstance(step, Include):
        return {ALSO: write_json({"include": step.part})}
    rest = turn_value(step)
    rest.pop(RAW, None)
    cells: dict[str, str] = {}
    for key, column in (("id", "turn"), ("twin_of", "twin_of")):
        if rest.get(key) and rest[key] == rest[key].strip():
            cells[column] = rest.pop(key)
    if isinstance(rest["user"], str) and rest["user"].strip():
        cells["user"] = rest.pop("user")
    if "note" in rest:
        cells["note"] = rest.pop("note")
    if kind := rest.pop("kind", None):
        cells |= {"has_typo": "yes"} if kind == Kind.TYPO.value else {"kind": kind}
    cells |= _expect_cells(step, rest)
    if rest:
        cells[ALSO] = write_json(rest)
    return cells


def scenario_cells(scenario: Scenario) -> dict[str, str]:
    """Return the cells that say what a scenario is."""
    rest = scenario_head(scenario)
    cells = {}
    for key, column in (("id", "scenario"), ("level", "level"), ("domain", "domain")):
        text = rest.get(key, "")
        cells[column] = text.strip()
        if text == text.strip():
            rest.pop(key, None)
    if rest.get("title", "").strip():
        cells["title"] = rest.pop("title")
    if fits_cell(rest.get("tags", [])):
        cells["tags"] = join_alternatives(rest.pop("tags", []))
    if rest:
        cells[SCENARIO_ALSO] = write_json(rest)
    return {column: cell for column, cell in cells.items() if cell}


def write_json(content: Mapping[str, Any]) -> str:
    """Write the content of a read-only cell."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def _expect_cells(turn: Turn, rest: Content) -> dict[str, str]:
    expect = expect_mapping(turn.expect)
    if expect == {"counted": False}:
        return {"expect_topic": ANY} if turn.twin_of else {}
    if expect == {"same": True} and turn.twin_of:
        return {}  # what else should a misspelt copy expect
    if not expect:
        rest["expect"] = {"counted": True}
        return {}
    cells: dict[str, str] = {}
    topics = list(turn.expect.intents)
    if topics and fits_cell(topics) and not (len(topics) == 1 and topics[0] in SHORT):
        cells["expect_topic"] = join_alternatives(topics)
        del expect["intent"]
    elif not topics and expect.pop("same", False):
        cells["expect_topic"] = SAME
    elif not topics and expect.pop("counted", True) is False:
        cells["expect_topic"] = ANY
    if expect.pop("fallback", False):
        cells["should_fall_back"] = "yes"
    slots = expect.pop("slots", {})
    cells |= {f"{SLOT}{name}": value for name, value in slots.items() if value.strip() and _fits_header(name)}
    if left := {name: value for name, value in slots.items() if f"{SLOT}{name}" not in cells}:
        expect["slots"] = left
    cells |= _reply_cells(turn, expect, rest)
    if expect:
        rest["expect"] = expect
    return {column: cell for column, cell in cells.items() if cell}


def _fits_header(name: str) -> bool:
    return name.isprintable() and column_key(f"{SLOT}{name}") == f"{SLOT}{name}" != SLOT


def _reply_cells(turn: Turn, expect: Content, rest: Content) -> dict[str, str]:
    """Write the plain alternatives; the others keep their place among them in the read-only cell."""
    if "reply" not in expect:
        return {}
    every = (*turn.expect.any, *turn.expect.none)
    match = next((pattern.match for pattern in every if pattern.match and pattern.minimum is None), None)
    cells: dict[str, str] = {}
    used = False
    for key, column in REPLIES:
        patterns: Sequence[Pattern] = getattr(turn.expect, key)
        plain = [each for each in patterns if _read_pattern(each.text, match) == each and fits_cell([each.text])]
        if not fits_cell([pattern.text for pattern in plain]):
            plain = []
        cells[column] = join_alternatives(pattern.text for pattern in plain)
        used = used or any(pattern.match for pattern in plain)
        if left := {str(n): pattern_value(each) for n, each in enumerate(patterns) if each not in plain}:
            rest[key] = left
    if every_of := expect.pop("reply").get("all"):
        expect["reply"] = {"all": every_of}
    return cells | {"match": match.value if match and used else ""}
