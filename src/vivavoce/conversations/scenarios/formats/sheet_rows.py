"""One row of a sheet and one turn of a scenario: what the cells say, and what a cell cannot say.

What a sheet has no column for stands as JSON in a read-only one, so that nothing is lost on the way there and back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from vivavoce.conversations.scenario import Include, Kind, Match, Pattern, Scenario, Step, Turn
from vivavoce.conversations.scenarios.formats.sheet_cells import (
    ALSO,
    SCENARIO_ALSO,
    SLOT,
    column_key,
    fits_cell,
    join_alternatives,
    read_flag,
    split_alternatives,
)
from vivavoce.conversations.scenarios.formats.yaml_fields import Place, choice
from vivavoce.conversations.scenarios.formats.yaml_reading import ANY, FALLBACK, SAME, read_step
from vivavoce.conversations.scenarios.formats.yaml_writing import (
    expect_mapping,
    pattern_value,
    scenario_head,
    turn_value,
)
from vivavoce.errors import Fault
from vivavoce.files.yamls import Value, YamlFile, as_texts
from vivavoce.messages import say

RAW = "x-cells"
REPLIES = (("any", "good_replies"), ("none", "bad_replies"))
SHORT = (ANY, FALLBACK, SAME)
Cells = Mapping[str, str]
Content = dict[str, Any]


# --- from cells to a turn ----------------------------------------------------------------------------------------


def row_place(source: str, number: int, faults: list[Fault]) -> Place:
    """Return a place whose faults name the row."""
    return Place(YamlFile(source, {}, {(): number}), faults, unit="row")


def read_row(cells: Cells, at: Place) -> Step | None:
    """Read the turn of a row; None where all its cells of a turn are blank."""
    also = read_json(cells.get(ALSO, ""), at)
    if "include" in also:
        return read_step(also, at)
    content = {**also, **_plain_cells(cells, at)}
    said = {key: item for key, item in content.items() if key not in (*dict(REPLIES), "expect")}
    expect = _expect_content(cells, also, at)
    if not said and not expect:
        return None
    said["expect"] = expect or (SAME if said.get("twin_of") else ANY)
    return read_step(said, at)


def read_json(cell: str, at: Place) -> dict[str, Value]:
    """Read a read-only cell; every scalar becomes text, as in YAML."""
    if not cell.strip():
        return {}
    try:
        found = as_texts(json.loads(cell))
    except (ValueError, RecursionError):
        found = ""
    if isinstance(found, dict):
        return found
    at.refuse(say("a read-only cell was changed and cannot be read: take it over from the export again, or clear it"))
    return {}


def read_reply_cell(text: str, match: Match | None) -> Pattern:
    """Return one alternative of a cell; a `*` makes a wildcard of it unless the row says otherwise."""
    literal = match in (Match.REGEX, Match.WILDCARD)
    return Pattern(text, match if literal or "*" not in text else None)


def _plain_cells(cells: Cells, at: Place) -> dict[str, Value]:
    found: dict[str, Value] = {}
    if cells.get("user", "").strip():
        found["user"] = cells["user"]
    for key, column in (("id", "turn"), ("twin_of", "twin_of"), ("kind", "kind")):
        if cells.get(column, "").strip():
            found[key] = cells[column].strip()
    if cells.get("note"):
        found["note"] = cells["note"]
    if _flag(cells, "has_typo", at):
        found["kind"] = Kind.TYPO.value
    return found


def _expect_content(cells: Cells, also: Mapping[str, Value], at: Place) -> dict[str, Value]:
    given = also.get("expect")
    expect: dict[str, Value] = dict(given) if isinstance(given, dict) else {}
    expect |= _topic(cells.get("expect_topic", ""))
    if _flag(cells, "should_fall_back", at):
        expect["fallback"] = "true"
    slots = {key[len(SLOT) :]: cell for key, cell in cells.items() if key.startswith(SLOT) and cell.strip()}
    _merge(expect, "slots", slots)
    match = choice(Match)(cells.get("match", "").strip(), at)
    for key, column in REPLIES:
        patterns = [pattern_value(read_reply_cell(one, match)) for one in split_alternatives(cells.get(column, ""))]
        replies = _inserted(patterns, also.get(key))
        _merge(expect, "reply", {key: replies} if replies else {})
    return expect


def _topic(cell: str) -> dict[str, Value]:
    topics = split_alternatives(cell)
    if len(topics) != 1 or topics[0] not in SHORT:
        return {"intent": list(topics)} if topics else {}
    return {"counted": "false"} if topics[0] == ANY else {topics[0]: "true"}


def _merge(expect: dict[str, Value], key: str, more: Mapping[str, Value]) -> None:
    if more:
        before = expect.get(key)
        expect[key] = {**(before if isinstance(before, dict) else {}), **more}


def _inserted(patterns: Sequence[Any], others: Value | None) -> list[Value]:
    """Put the patterns that a cell cannot hold back into their places."""
    found = list(patterns)
    numbered = others.items() if isinstance(others, dict) else ()
    for place, pattern in sorted((int(place), pattern) for place, pattern in numbered if place.isdecimal()):
        found.insert(place, pattern)
    return found


def _flag(cells: Cells, column: str, at: Place) -> bool:
    found = read_flag(cells.get(column, ""))
    if found is None:
        at.refuse(say("`{column}` is yes or no, not '{cells}'", column=column, cells=cells[column]))
    return bool(found)


# --- from a turn to cells ----------------------------------------------------------------------------------------


def step_cells(step: Step) -> dict[str, str]:
    """Return the cells of a turn that are not blank."""
    if isinstance(step, Include):
        return {ALSO: write_json({"include": step.part})}
    rest = turn_value(step)
    rest.pop(RAW, None)
    cells = {**_take_plain(rest), **_expect_cells(step, rest)}
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
    """Write what stands in a read-only cell."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def _take_plain(rest: Content) -> dict[str, str]:
    """Move what a cell can hold from a turn into cells."""
    cells: dict[str, str] = {}
    for key, column in (("id", "turn"), ("twin_of", "twin_of")):
        if rest.get(key) and rest[key] == rest[key].strip():
            cells[column] = rest.pop(key)
    if isinstance(rest["user"], str) and rest["user"].strip():
        cells["user"] = rest.pop("user")
    if "note" in rest:
        cells["note"] = rest.pop("note")
    kind = rest.pop("kind", None)
    if kind:
        cells |= {"has_typo": "yes"} if kind == Kind.TYPO.value else {"kind": kind}
    return cells


def _expect_cells(turn: Turn, rest: Content) -> dict[str, str]:
    expect = expect_mapping(turn.expect)
    if expect == {"counted": False}:
        return {"expect_topic": ANY} if turn.twin_of else {}
    if expect == {"same": True} and turn.twin_of:
        return {}  # what else should a misspelt copy expect
    if not expect:
        rest["expect"] = {"counted": True}
        return {}
    cells = {**_topic_cells(turn, expect), **_slot_cells(expect), **_reply_cells(turn, expect, rest)}
    if expect:
        rest["expect"] = expect
    return {column: cell for column, cell in cells.items() if cell}


def _topic_cells(turn: Turn, expect: Content) -> dict[str, str]:
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
    return cells


def _slot_cells(expect: Content) -> dict[str, str]:
    slots = expect.pop("slots", {})
    cells = {f"{SLOT}{name}": value for name, value in slots.items() if value.strip() and _fits_header(name)}
    left = {name: value for name, value in slots.items() if f"{SLOT}{name}" not in cells}
    if left:
        expect["slots"] = left
    return cells


def _fits_header(name: str) -> bool:
    return name.isprintable() and column_key(f"{SLOT}{name}") == f"{SLOT}{name}" != SLOT


def _reply_cells(turn: Turn, expect: Content, rest: Content) -> dict[str, str]:
    """Write the plain alternatives; the others keep their place among them in the read-only cell."""
    if "reply" not in expect:
        return {}
    every = (*turn.expect.any, *turn.expect.none)
    match = next((one.match for one in every if one.match and one.minimum is None), None)
    cells: dict[str, str] = {}
    for key, column in REPLIES:
        patterns: Sequence[Pattern] = getattr(turn.expect, key)
        fits = [read_reply_cell(one.text, match) == one and fits_cell([one.text]) for one in patterns]
        cells[column] = join_alternatives(one.text for one, fit in zip(patterns, fits, strict=True) if fit)
        if not fits_cell([one.text for one, fit in zip(patterns, fits, strict=True) if fit]):
            cells[column], fits = "", [False] * len(patterns)
        left = {
            str(n): pattern_value(one) for n, (one, fit) in enumerate(zip(patterns, fits, strict=True)) if not fit
        }
        if left:
            rest[key] = left
    reply = {key: value for key, value in expect.pop("reply", {}).items() if key == "all"}
    if reply:
        expect["reply"] = reply
    used = any(
        read_reply_cell(one, match).match for _, column in REPLIES for one in split_alternatives(cells[column])
    )
    return cells | {"match": match.value if match and used else ""}
