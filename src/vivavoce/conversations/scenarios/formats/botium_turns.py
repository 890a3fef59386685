"""From sections of a Botium script to a turn: a message, and what all replies to it must bring together."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vivavoce.conversations.scenario import Button, Expectation, Pattern, Phrase, Said, Turn
from vivavoce.conversations.scenarios.formats.botium_lines import Checks, Memory, substring
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
    user, aside = _said(asked, lists, memory)
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
        pause_ms=next((one.pause_ms for one in every if one.pause_ms is not None), None),
        wait_s=next((one.wait_s for one in every if one.wait_s is not None), None),
        line=line,
        extras={KEPT: aside} if aside else {},
    )


def _said(asked: Checks, lists: Lists, memory: Memory) -> tuple[Said, list[object]]:
    """Return what is said, and the raw message where more than a text was to be sent."""
    if asked.button:
        return Button(memory.filled(asked.button)), []
    if asked.text in lists:
        return Phrase(asked.text), []
    text = _text_in_json(asked.text)
    return (memory.filled(asked.text), []) if text is None else (memory.filled(text), [asked.text])


def _text_in_json(text: str) -> str | None:
    if not text.startswith("{"):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    texts = [found[key] for key in _TEXT_KEYS if isinstance(found.get(key), str)]
    return texts[0] if texts else None


def _expectation(
    asked: Checks, answers: Sequence[Checks], lists: Lists, memory: Memory
) -> tuple[Expectation, dict[str, Pattern]]:
    bubbles: list[Choice] = []
    save: dict[str, Pattern] = {}
    for checks in answers:
        if checks.text and checks.text != INCOMPREHENSION and not checks.negated:
            choice, captured = _choice(checks.text, lists, memory)
            bubbles.append(choice)
            save |= captured
        bubbles += [_resolved(choice, lists, memory) for choice in checks.any]
    texts = {(checks.text, checks.negated) for checks in answers}
    every = tuple(pattern for checks in answers for pattern in _resolved(checks.all, lists, memory))
    free, needed = expect_bubbles(bubbles)
    kept: list[object] = [{"me": line} for line in asked.kept]
    found: dict[str, Any] = {
        "fallback": (INCOMPREHENSION, False) in texts,
        "answered": (INCOMPREHENSION, True) in texts,
        "any": free,
        "all": (*needed, *every),
        "none": tuple(_forbidden(answers, lists, memory)),
        **_facts([fact for checks in answers for fact in checks.facts], memory, kept),
    }
    kept += [line for checks in answers for line in checks.kept]
    found["extras"] = {KEPT: kept} if kept else {}
    expect = Expectation(
        counted=Expectation(**found) != Expectation(),
        optional=any(checks.optional for checks in answers),
        order_any=bool(every) and len(needed) + len(every) > 1,
        **found,
    )
    return expect, save


def _choice(text: str, lists: Lists, memory: Memory) -> tuple[Choice, dict[str, Pattern]]:
    if text in lists:
        return tuple(substring(memory.filled(phrase)) for phrase in lists[text]), {}
    pattern, captured = memory.expected(text)
    return (pattern,), captured


def _resolved(patterns: Sequence[Pattern], lists: Lists, memory: Memory) -> Choice:
    """Put in lists and variables that asserters name."""
    return tuple(
        Pattern(memory.filled(text), pattern.match, pattern.minimum)
        for pattern in patterns
        for text in lists.get(pattern.text, (pattern.text,))
    )


def _forbidden(answers: Sequence[Checks], lists: Lists, memory: Memory) -> Iterator[Pattern]:
    for checks in answers:
        if checks.negated and checks.text and checks.text != INCOMPREHENSION:
            for phrase in lists.get(checks.text, (checks.text,)):
                yield substring(memory.filled(phrase))
        yield from _resolved(checks.none, lists, memory)


def _facts(facts: Sequence[tuple[str, tuple[str, ...]]], memory: Memory, kept: list[object]) -> dict[str, Any]:
    """Return what is said about intent, entities and buttons; what has no place is kept as its line."""
    found: dict[str, Any] = {}
    slots: dict[str, str] = {}
    for name, given in facts:
        values = tuple(memory.filled(value) for value in given)
        if name in _NAMES:
            key = _NAMES[name]
            # Several INTENT lines must all hold, which no bot can do: alternatives are the nearest reading.
            found[key] = (*found.get(key, ()), *(value for value in values if value != MORE))
        elif name == "INTENT_UNIQUE" and not values:
            found["margin_over"] = 0.0
        elif name == "INTENT_CONFIDENCE" and _share(values) is not None:
            found["min_confidence"] = _share(values)
        elif name == "ENTITY_CONTENT" and len(values) == 2 and values[0] not in slots:
            slots[values[0]] = values[1]
        else:
            kept.append(f"{name} {'|'.join(value.replace('|', chr(92) + '|') for value in given)}".strip())
    return {**found, "slots": slots} if slots else found


def _share(values: Sequence[str]) -> float | None:
    try:
        share = float(values[0]) / 100 if len(values) == 1 else -1.0
    except ValueError:
        return None
    return share if 0 <= share <= 1 else None
