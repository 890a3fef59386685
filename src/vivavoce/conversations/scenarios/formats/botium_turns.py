"""From sections of a Botium script to a turn: a message, and what all replies to it must bring together."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from vivavoce.conversations.scenario import Button, Expectation, Pattern, Phrase, Turn, UserInput
from vivavoce.conversations.scenarios.formats.botium_lines import Checks, Memory, read_number, substring
from vivavoce.conversations.scenarios.formats.imported import Choice, expect_bubbles

INCOMPREHENSION = "INCOMPREHENSION"
KEPT = "x-botium"
MORE = "..."
_TEXT_KEYS = ("messageText", "text")
_NAMES = {
    "INTENT": "intents",
    "ENTITIES": "slot_names",
    "ENTITY_VALUES": "slot_values",
    "BUTTONS": "buttons",
    "CARDS": "cards",
    "MEDIA": "media",
}
Lists = Mapping[str, tuple[str, ...]]


def build_turn(asked: Checks, answers: Sequence[Checks], lists: Lists, memory: Memory, line: int | None) -> Turn:
    """Return the turn of a message and the replies that should follow it."""
    every = (asked, *answers)
    user, aside = _read_user(asked, lists, memory)
    needed = [checks for checks in answers if not checks.optional]
    if needed and len(needed) < len(answers):
        # What holds for a bubble only if it comes has no place in a reply that must come.
        aside += [{"bot": list(checks.lines)} for checks in answers if checks.optional]
        answers = needed
    expect, save = _expectation(asked, answers, lists, memory)
    for checks in every:
        memory.constants |= checks.constants
    return Turn(
        user,
        expect,
        save=save,
        pause_ms=next((checks.pause_ms for checks in every if checks.pause_ms is not None), None),
        wait_s=next((checks.wait_s for checks in every if checks.wait_s is not None), None),
        line=line,
        extras={KEPT: aside} if aside else {},
    )


def _read_user(asked: Checks, lists: Lists, memory: Memory) -> tuple[UserInput, list[object]]:
    """Return what is said, and the raw message where more than a text was to be sent."""
    if asked.button:
        return Button(memory.fill(asked.button)), []
    if asked.text in lists:
        return Phrase(asked.text), []
    try:
        message = json.loads(asked.text) if asked.text.startswith("{") else {}
    except (ValueError, RecursionError):
        message = {}
    texts = [message[key] for key in _TEXT_KEYS if isinstance(message.get(key), str)]
    return (memory.fill(texts[0]), [asked.text]) if texts else (memory.fill(asked.text), [])


def _expectation(
    asked: Checks, answers: Sequence[Checks], lists: Lists, memory: Memory
) -> tuple[Expectation, dict[str, Pattern]]:
    bubbles: list[Choice] = []
    save: dict[str, Pattern] = {}
    for checks in answers:
        if checks.text in lists and checks.text != INCOMPREHENSION and not checks.negated:
            bubbles.append(tuple(substring(memory.fill(phrase)) for phrase in lists[checks.text]))
        elif checks.text and checks.text != INCOMPREHENSION and not checks.negated:
            pattern, captured = memory.expect(checks.text)
            bubbles.append((pattern,))
            save |= captured
        bubbles += [_resolve(choice, lists, memory) for choice in checks.any]
    texts = {(checks.text, checks.negated) for checks in answers}
    every = tuple(pattern for checks in answers for pattern in _resolve(checks.all, lists, memory))
    none: list[Pattern] = []
    for checks in answers:
        if checks.negated and checks.text and checks.text != INCOMPREHENSION:
            phrases = lists.get(checks.text, (checks.text,))
            none += [substring(memory.fill(phrase)) for phrase in phrases]
        none += _resolve(checks.none, lists, memory)
    free, needed = expect_bubbles(bubbles)
    kept: list[object] = [{"me": line} for line in asked.kept]
    fields: dict[str, Any] = {
        "fallback": (INCOMPREHENSION, False) in texts,
        "answered": (INCOMPREHENSION, True) in texts,
        "any": free,
        "all": (*needed, *every),
        "none": tuple(none),
        **_read_facts([fact for checks in answers for fact in checks.facts], memory, kept),
    }
    kept += [line for checks in answers for line in checks.kept]
    fields["extras"] = {KEPT: kept} if kept else {}
    expect = Expectation(
        counted=Expectation(**fields) != Expectation(),
        optional=any(checks.optional for checks in answers),
        order_any=bool(every) and len(needed) + len(every) > 1,
        **fields,
    )
    return expect, save


def _resolve(patterns: Sequence[Pattern], lists: Lists, memory: Memory) -> Choice:
    """Put in lists and variables that asserters name."""
    return tuple(
        Pattern(memory.fill(text), pattern.match, pattern.minimum)
        for pattern in patterns
        for text in lists.get(pattern.text, (pattern.text,))
    )


def _read_facts(facts: Sequence[tuple[str, tuple[str, ...]]], memory: Memory, kept: list[object]) -> dict[str, Any]:
    """Return what is said about intent, entities and buttons; what has no place is kept as its line."""
    fields: dict[str, Any] = {}
    slots: dict[str, str] = {}
    for name, arguments in facts:
        values = tuple(memory.fill(value) for value in arguments)
        percent = read_number(values)
        if name in _NAMES:
            key = _NAMES[name]
            # Several INTENT lines must all hold, which no bot can do: alternatives are the nearest reading.
            fields[key] = (*fields.get(key, ()), *(value for value in values if value != MORE))
        elif name == "INTENT_UNIQUE" and not values:
            fields["margin_over"] = 0.0
        elif name == "INTENT_CONFIDENCE" and percent is not None and percent <= 100:
            fields["min_confidence"] = percent / 100
        elif name == "ENTITY_CONTENT" and len(values) == 2 and values[0] not in slots:
            slots[values[0]] = values[1]
        else:
            kept.append(f"{name} {'|'.join(value.replace('|', chr(92) + '|') for value in arguments)}".strip())
    return {**fields, "slots": slots} if slots else fields
