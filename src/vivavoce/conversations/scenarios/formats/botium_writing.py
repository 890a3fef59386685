"""A suite as Botium scripts: a `.convo.txt` for each conversation, and what means that the bot did not understand.

Each turn is read back as it was written: what differs is told as lost, so that nothing can be dropped unseen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from vivavoce.conversations.judging.matching import kind_of
from vivavoce.conversations.scenario import Expectation, Match, Pattern, Plan, Script, ScriptTurn
from vivavoce.conversations.scenarios.formats.botium import INCOMPREHENSION, KEPT, MORE, build_turn
from vivavoce.conversations.scenarios.formats.botium_files import CONVO, UTTERANCES
from vivavoce.conversations.scenarios.formats.botium_lines import (
    Checks,
    Memory,
    as_variables,
    read_checks,
    undo_capture,
)
from vivavoce.conversations.scenarios.formats.imported import (
    Losses,
    expression_of,
    find_losses,
    head_losses,
    story_name,
)
from vivavoce.errors import FileError
from vivavoce.files.writing import write_text

_ASSERTERS = {
    Match.EXACT: "TEXT_EQUALS",
    Match.CONTAINS: "TEXT_CONTAINS",
    Match.SUBSTRING: "TEXT_CONTAINS",
    Match.WILDCARD: "TEXT_WILDCARDEXACT",
    Match.REGEX: "TEXT_REGEXP",
}
_NO_FALLBACK = "the suite has no fallback text: fill in the list INCOMPREHENSION by hand"
_MAX_NAME = 100


def write_botium(plan: Plan, folder: str | Path) -> tuple[str, ...]:
    """Write the conversations of a plan into a folder; return what could not be expressed."""
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot create the folder: {error.strerror or error}", where=str(folder)) from error
    files, losses = to_botium(plan)
    for name, text in files.items():
        write_text(place / name, text)
    return losses


def to_botium(plan: Plan) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the conversations of a plan as Botium files by name, and what Botium cannot say."""
    files: dict[str, str] = {}
    losses = Losses()
    head_losses(plan, losses)
    fallbacks = tuple(text[1:-1] if re.fullmatch(r"\*[^*]+\*", text) else text for text in plan.fallback.replies)
    for text in fallbacks:
        if "*" in text:
            losses.add("a `*` in a fallback text is literal in Botium", text)
    if plan.fallback.intents:
        losses.add("names of fallback intents are not kept", ", ".join(plan.fallback.intents))
    if fallbacks:
        lines = [INCOMPREHENSION, *(_join_lines(text) for text in fallbacks)]
        files[f"incomprehension{UTTERANCES}"] = "\n".join(lines) + "\n"
    for script in plan.scripts:
        # A line that begins with # begins a section.
        head = [_join_lines(text).lstrip("#") for text in (story_name(script), script.title) if text.strip()]
        if script.setup_slots:
            losses.add("`setup` slots are not kept", script.id)
        turns = _turns(script, plan, {INCOMPREHENSION: fallbacks}, losses)
        content = "\n\n".join(["\n".join(dict.fromkeys(head)), *turns]) + "\n"
        files[_find_free_name(script.id, files)] = content
    return files, losses.describe()


def _turns(script: Script, plan: Plan, lists: dict[str, tuple[str, ...]], losses: Losses) -> Iterator[str]:
    memory = Memory()
    for turn in script.turns:
        where = f"{script.id}/{turn.id}"
        message, reply = list(_message_lines(turn)), list(_reply_lines(turn, plan.defaults.match))
        read = build_turn(read_checks(message, "me"), [read_checks(reply)], lists, memory, None)
        for loss in find_losses(turn, read, plan.defaults.match, Match.SUBSTRING):
            losses.add(loss, where)
        if turn.expect.fallback and not plan.fallback.replies:
            losses.add(_NO_FALLBACK, where)
        yield "\n".join(["#me", *message, "", "#bot", *reply])


def _message_lines(turn: ScriptTurn) -> Iterator[str]:
    if turn.button:
        yield f"BUTTON {_argument(turn.text)}"
    else:
        yield from _text_lines(turn.text)
    if turn.pause_ms is not None:
        yield f"PAUSE {turn.pause_ms:.10g}"
    if turn.wait_s is not None:
        yield f"WAITFORBOT {turn.wait_s * 1000:.10g}"
    yield from (str(line["me"]) for line in _read_kept(turn.expect) if isinstance(line, dict) and "me" in line)


def _text_lines(text: str) -> list[str]:
    """Return a text as lines; a mark at its beginning is doubled, so that it stands for itself."""
    lines = [line.strip().lstrip("#") for line in as_variables(text).split("\n")]
    return [f"{lines[0][0]}{lines[0]}" if lines[0].startswith(("?", "!")) else lines[0], *lines[1:]]


def _reply_lines(turn: ScriptTurn, default: Match) -> Iterator[str]:
    mark = "?" if turn.expect.optional else ""
    text, asserters = _checks(turn, default)
    if text:
        yield f"{mark}{text[0]}"
        yield from text[1:]
    yield from (f"{mark}{line}" for line in (*asserters, *_facts(turn.expect)))
    yield from (line for line in _read_kept(turn.expect) if isinstance(line, str))


def _checks(turn: ScriptTurn, default: Match) -> tuple[list[str], list[str]]:
    """Return the text of the section, of which there is one, and asserters for all other texts."""
    expect = turn.expect
    free, needed, none = (_kinds(patterns, default) for patterns in (expect.any, expect.all, expect.none))
    text: list[str] = []
    if expect.fallback:
        text = [INCOMPREHENSION]
    elif expect.answered:
        text = [f"!{INCOMPREHENSION}"]
    elif len(free) == 1 and (lines := _plain_text(free[0], turn)):
        text, free = lines, []
    if len({pattern.match for pattern in free}) > 1:
        # One asserter for a choice of texts: where kinds differ, all become expressions.
        free = [Pattern(expression_of(pattern), Match.REGEX) for pattern in free]
    every = [replace(each, match=Match.WILDCARD) if each.match is Match.EXACT else each for each in needed]
    return text, [*_asserters("", free, "_ANY"), *_asserters("", every, "_ALL"), *_asserters("!", none, "_ANY")]


def _kinds(patterns: Sequence[Pattern], default: Match) -> list[Pattern]:
    known = [replace(pattern, match=kind_of(pattern, default)) for pattern in patterns]
    known = [replace(each, match=Match.SUBSTRING) if each.match is Match.CONTAINS else each for each in known]
    return [pattern for pattern in known if pattern.match in _ASSERTERS]


def _plain_text(pattern: Pattern, turn: ScriptTurn) -> list[str]:
    """Return the lines of an expected text that needs no asserter, or nothing."""
    captured = undo_capture(pattern, turn.save) if turn.save and pattern.match is Match.REGEX else None
    if captured is None and pattern.match is not Match.SUBSTRING:
        return []
    lines = _text_lines(pattern.text if captured is None else captured)
    mark = "?" if turn.expect.optional else ""
    meant = Checks(text=as_variables(pattern.text) if captured is None else captured, optional=turn.expect.optional)
    read = read_checks([f"{mark}{lines[0]}", *lines[1:]])
    return lines if read == meant and meant.text != INCOMPREHENSION else []


def _asserters(mark: str, patterns: Sequence[Pattern], suffix: str) -> Iterator[str]:
    for kind in dict.fromkeys(pattern.match for pattern in patterns):
        if kind is not None:
            texts = _arguments(pattern.text for pattern in patterns if pattern.match is kind)
            yield f"{mark}{_ASSERTERS[kind]}{'' if kind is Match.EXACT else suffix}_IC {texts}"


def _facts(expect: Expectation) -> Iterator[str]:
    if expect.intents:
        yield f"INTENT {_argument(expect.intents[0])}"
    if expect.min_confidence is not None:
        yield f"INTENT_CONFIDENCE {expect.min_confidence * 100:.10g}"
    if expect.margin_over == 0:
        yield "INTENT_UNIQUE"
    for name, values in (("ENTITIES", expect.slot_names), ("ENTITY_VALUES", expect.slot_values)):
        if values:
            yield f"{name} {_arguments((*values, MORE))}"
    yield from (f"ENTITY_CONTENT {_arguments(slot)}" for slot in expect.slots.items())
    for name in ("buttons", "cards", "media"):
        if values := getattr(expect, name):
            yield f"{name.upper()} {_arguments(values)}"


def _arguments(texts: Iterable[str]) -> str:
    return "|".join(_argument(text) for text in texts)


def _read_kept(expect: Expectation) -> Sequence[object]:
    rest = expect.extras.get(KEPT, ())
    return rest if isinstance(rest, (list, tuple)) else ()


def _argument(text: str) -> str:
    return _join_lines(as_variables(text)).replace("|", "\\|")


def _join_lines(text: str) -> str:
    return " ".join(text.split("\n")).strip()


def _find_free_name(name: str, taken: dict[str, str]) -> str:
    """Return a file name that no other conversation has, whatever a file system thinks of capitals."""
    base = re.sub(r"[^\w.-]+", "-", name).strip("-.")[:_MAX_NAME] or "convo"
    used, free, number = {name.lower() for name in taken}, base, 1
    while f"{free}{CONVO}".lower() in used:
        number += 1
        free = f"{base}-{number}"
    return f"{free}{CONVO}"
