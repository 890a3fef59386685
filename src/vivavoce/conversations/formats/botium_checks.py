"""The lines of a Botium section: texts, asserters (upper-case words) and hooks, with `!` and `?` before them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vivavoce.conversations.formats.botium_variables import Memory
from vivavoce.conversations.scenario import Expectation, Match, Pattern

_ASSERTER = re.compile(r"([!?]*)([A-Z][A-Z0-9_]+)(?:\s+(.*))?")
_SPLIT = re.compile(r"(?<!\\)\|")
# How Botium names its ways to match; `_IC` means that case is ignored, which is always so here.
_TEXT_KINDS = {
    "TEXT": Match.SUBSTRING,
    "TEXT_CONTAINS": Match.SUBSTRING,
    "TEXT_EQUALS": Match.EXACT,
    "TEXT_WILDCARD": Match.WILDCARD,
    "TEXT_WILDCARDEXACT": Match.WILDCARD,
    "TEXT_REGEXP": Match.REGEX,
}
_HOOKS = ("PAUSE", "WAITFORBOT", "BUTTON")
_KNOWN = (
    "INTENT",
    "INTENT_CONFIDENCE",
    "INTENT_UNIQUE",
    "ENTITIES",
    "ENTITY_VALUES",
    "ENTITY_CONTENT",
    "BUTTONS",
    "CARDS",
    "MEDIA",
)
_FOREIGN = ("JSON_PATH", "FORMS", "SET_SCRIPTING_MEMORY", "CUSTOM", "RESPONSE_LENGTH", "UNCONSUMED", "BOT_CONSUMED")


@dataclass
class Checks:
    """What one section says: plain texts, texts with a way to match, asserters, and hooks."""

    texts: list[str] = field(default_factory=list)
    patterns: list[Pattern] = field(default_factory=list)
    none: list[Pattern] = field(default_factory=list)
    asserters: dict[str, tuple[str, ...]] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    optional: bool = False
    pause_ms: float | None = None
    wait_s: float | None = None
    button: str = ""
    understood: bool = False


def read_checks(lines: Sequence[str]) -> Checks:
    """Read the lines of a section; what no one here knows is kept as it is."""
    checks = Checks()
    for line in lines:
        found = _ASSERTER.fullmatch(line.strip())
        if found and _is_asserter(found[2], found[3]):
            _add_asserter(checks, found[1], found[2], _arguments(found[3]), line)
        else:
            _add_text(checks, line)
    return checks


def _is_asserter(name: str, arguments: str | None) -> bool:
    bare = name.removesuffix("_IC").removesuffix("_ANY").removesuffix("_ALL")
    known = name in (*_HOOKS, *_KNOWN) or bare in _TEXT_KINDS
    return known or any(name.startswith(one) for one in _FOREIGN) or ("_" in name and arguments is not None)


def _arguments(text: str | None) -> tuple[str, ...]:
    return tuple(part.replace("\\|", "|").strip() for part in _SPLIT.split(text)) if text else ()


def _add_text(checks: Checks, line: str) -> None:
    bare = line.lstrip("?!")
    marks = line[: len(line) - len(bare)]
    checks.optional |= "?" in marks
    if "!" not in marks:
        checks.texts.append(bare)
    elif bare.strip() == "INCOMPREHENSION":
        checks.understood = True
    else:
        checks.none.append(Pattern(bare, Match.SUBSTRING))


def _add_asserter(checks: Checks, marks: str, name: str, arguments: tuple[str, ...], line: str) -> None:
    kind = _TEXT_KINDS.get(name.removesuffix("_IC").removesuffix("_ANY").removesuffix("_ALL"))
    checks.optional |= "?" in marks
    if kind is not None:
        patterns = [Pattern(text, kind) for text in arguments]
        (checks.none if "!" in marks else checks.patterns).extend(patterns)
    elif "!" in marks or name not in (*_HOOKS, *_KNOWN):
        checks.kept.append(line.strip())
    elif name in _KNOWN:
        checks.asserters[name] = (*checks.asserters.get(name, ()), *arguments)
    else:
        _add_hook(checks, name, arguments, line)


def _add_hook(checks: Checks, name: str, arguments: tuple[str, ...], line: str) -> None:
    if name == "BUTTON" and arguments:
        checks.button = arguments[0]
        return
    try:
        value = float(arguments[0]) if arguments else 0.0
    except ValueError:
        checks.kept.append(line.strip())
        return
    if name == "PAUSE":
        checks.pause_ms = value
    elif value:
        checks.wait_s = value / 1000


# --- from sections to an expectation -----------------------------------------------------------------------------


def merge(
    sections: Sequence[Checks], lists: Mapping[str, tuple[str, ...]], memory: Memory, incomprehension: str
) -> tuple[Expectation, dict[str, Pattern]]:
    """Return what all replies to one message must bring together, and what is saved from them."""
    wanted: list[tuple[Pattern, ...]] = []
    save: dict[str, Pattern] = {}
    fallback = False
    for checks in sections:
        text = "\n".join(checks.texts)
        if text == incomprehension:
            fallback = True
        elif text in lists:
            wanted.append(tuple(Pattern(phrase, Match.SUBSTRING) for phrase in lists[text]))
        elif text:
            pattern, captured = memory.expected(text)
            wanted.append((pattern,))
            save |= captured
        if checks.patterns:
            wanted.append(tuple(checks.patterns))
    return _expectation(sections, wanted, fallback), save


def _expectation(sections: Sequence[Checks], wanted: Sequence[tuple[Pattern, ...]], fallback: bool) -> Expectation:
    said = {name: values for checks in sections for name, values in checks.asserters.items()}
    none = tuple(pattern for checks in sections for pattern in checks.none)
    kept = [line for checks in sections for line in checks.kept]
    # Several bubbles must all come; alternatives are known for one of them only.
    single = wanted[0] if len(wanted) == 1 else ()
    several = tuple(patterns[0] for patterns in wanted) if len(wanted) > 1 else ()
    kept += [
        f"one of: {' | '.join(p.text for p in patterns)}" for patterns in wanted if several and len(patterns) > 1
    ]
    understood = any(checks.understood for checks in sections)
    counted = bool(wanted or said or none or fallback or understood or kept)
    return Expectation(
        counted=counted,
        fallback=fallback,
        any=single,
        all=several,
        none=none,
        answered=understood,
        optional=any(checks.optional for checks in sections),
        extras={"x-botium": kept} if kept else {},
        **_asserted(said),  # type: ignore[arg-type]
    )


def _asserted(said: Mapping[str, tuple[str, ...]]) -> dict[str, object]:
    found: dict[str, object] = {
        "intents": said.get("INTENT", ()),
        "slot_names": said.get("ENTITIES", ()),
        "slot_values": said.get("ENTITY_VALUES", ()),
        "buttons": said.get("BUTTONS", ()),
        "cards": said.get("CARDS", ()),
        "media": said.get("MEDIA", ()),
    }
    if "INTENT_UNIQUE" in said:
        found["margin_over"] = 0.0
    if said.get("INTENT_CONFIDENCE"):
        found["min_confidence"] = float(said["INTENT_CONFIDENCE"][0]) / 100
    if len(said.get("ENTITY_CONTENT", ())) >= 2:
        found["slots"] = {said["ENTITY_CONTENT"][0]: said["ENTITY_CONTENT"][1]}
    return found
