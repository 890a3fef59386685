"""The lines of a Botium section: texts, asserters (upper-case words) and hooks, with `!` and `?` before them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from vivavoce.conversations.scenario import Match, Pattern

_SPLIT = re.compile(r"(?<!\\)\|")
_CUSTOM = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
TEXT_KINDS = {
    "TEXT": Match.EXACT,
    "TEXT_EQUALS": Match.EXACT,
    "TEXT_CONTAINS": Match.SUBSTRING,
    "TEXT_WILDCARD": Match.WILDCARD,
    "TEXT_WILDCARDEXACT": Match.WILDCARD,
    "TEXT_REGEXP": Match.REGEX,
}
FACTS = (
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
_FOREIGN = ("FORMS", "CUSTOM")
_HOOKS = ("PAUSE", "WAITFORBOT", "INCLUDE", "SET_SCRIPTING_MEMORY")
_FOREIGN_HOOKS = (
    "CLEAR_SCRIPTING_MEMORY",
    "ASSIGN_SCRIPTING_MEMORY",
    "UPDATE_CUSTOM",
    "UPDATE_CONTEXT",
    "SKIP_BOT_UNCONSUMED",
)
_INPUTS = ("BUTTON", "MEDIA", "FORM")


@dataclass
class Checks:
    """What one section says: its text, asserters about texts and about facts, and hooks.

    `cased`: asserters that tell capital letters apart, which is not done here.
    """

    text: str = ""
    negated: bool = False
    optional: bool = False
    any: list[tuple[Pattern, ...]] = field(default_factory=list)
    all: list[Pattern] = field(default_factory=list)
    none: list[Pattern] = field(default_factory=list)
    facts: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    constants: dict[str, str] = field(default_factory=dict)
    pause_ms: float | None = None
    wait_s: float | None = None
    button: str = ""
    cased: int = 0
    lines: tuple[str, ...] = field(default=(), compare=False)


def read_checks(lines: Sequence[str], who: str = "bot") -> Checks:
    """Read the lines of a section; what no one here knows is kept as it is."""
    checks, texts = Checks(lines=tuple(lines)), list[str]()
    for line in lines:
        marks, bare = _unmarked(line.strip())
        name, _, rest = bare.partition(" ")
        if who == "me" and name in _INPUTS:
            _add_input(checks, name, _arguments(rest), line)
        elif name in (*_HOOKS, *_FOREIGN_HOOKS):
            _add_hook(checks, name, _arguments(rest), line)
        elif who != "me" and _is_asserter(name, rest):
            checks.optional |= "?" in marks
            _add_asserter(checks, "!" in marks, name, _arguments(rest), line)
        else:
            texts.append(line.strip())
    _add_text(checks, "\n".join(texts).strip())
    return checks


def _unmarked(line: str) -> tuple[str, str]:
    """Return `?` and `!` before a line, and the line without them; a doubled mark stands for itself."""
    marks = ""
    for mark in "?!":
        if line.startswith(mark):
            marks += mark if not line.startswith(mark * 2) else ""
            line = line[1:]
    return marks, line


def base_of(name: str) -> str:
    """Return the name of a text asserter without what follows it: `_ANY`, `_ALL`, `_IC`."""
    return name.removesuffix("_IC").removesuffix("_ANY").removesuffix("_ALL")


def _is_asserter(name: str, arguments: str) -> bool:
    known = name in FACTS or name in _FOREIGN or base_of(name) in TEXT_KINDS
    return known or (_CUSTOM.fullmatch(name) is not None and bool(arguments.strip()))


def _arguments(text: str) -> tuple[str, ...]:
    return tuple(part.replace("\\|", "|").strip() for part in _SPLIT.split(text)) if text.strip() else ()


def _add_text(checks: Checks, text: str) -> None:
    marks, checks.text = _unmarked(text)
    checks.negated = "!" in marks
    checks.optional |= "?" in marks


def _add_asserter(checks: Checks, negated: bool, name: str, arguments: tuple[str, ...], line: str) -> None:
    kind = TEXT_KINDS.get(base_of(name))
    every = name.removesuffix("_IC").endswith("_ALL")
    if kind is not None and arguments and not (negated and every and len(arguments) > 1):
        patterns = [_pattern(text, kind, base_of(name)) for text in arguments]
        checks.cased += not name.endswith("_IC")
        if negated:
            checks.none += patterns
        elif every:
            checks.all += patterns
        else:
            checks.any.append(tuple(patterns))
    elif negated or name not in FACTS or not (arguments or name == "INTENT_UNIQUE"):
        checks.kept.append(line.strip())
    else:
        checks.facts.append((name, arguments))


def _pattern(text: str, kind: Match, base: str) -> Pattern:
    if base == "TEXT_WILDCARD":  # found anywhere, where ours holds for the whole reply
        text = f"*{text.strip('*')}*"
    return Pattern(text, None if kind is Match.SUBSTRING and "*" not in text else kind)


def _add_input(checks: Checks, name: str, arguments: tuple[str, ...], line: str) -> None:
    # A button has its payload before its label, or the label alone.
    if name == "BUTTON" and arguments and arguments[-1]:
        checks.button = arguments[-1]
    if name != "BUTTON" or len(arguments) != 1:
        checks.kept.append(line.strip())


def _add_hook(checks: Checks, name: str, arguments: tuple[str, ...], line: str) -> None:
    if name == "SET_SCRIPTING_MEMORY" and len(arguments) == 2:
        checks.constants[arguments[0].removeprefix("$")] = arguments[1]
    elif name == "PAUSE" and (value := _number(arguments)) is not None:
        checks.pause_ms = value
    elif name == "WAITFORBOT" and (value := _number(arguments)) is not None:
        checks.wait_s = value / 1000
    else:
        checks.kept.append(line.strip())


def _number(arguments: tuple[str, ...]) -> float | None:
    try:
        value = float(arguments[0]) if len(arguments) == 1 else -1.0
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None
