"""The lines of Botium scripts: asserters and hooks, `$variables`, and the parts that `#include` puts in.

Botium puts every part in before it begins, so that a `#bot` answers the message before it, wherever that was written.
Here a message and its replies are one turn. A part stays a part only where it begins with a message and no `#bot`
follows its `#include`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from vivavoce.conversations.scenario import Match, Pattern
from vivavoce.conversations.scenarios.formats.botium_files import Convo, Section, trim
from vivavoce.conversations.scenarios.formats.imported import escape
from vivavoce.errors import FileError

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
    *("INTENT", "INTENT_CONFIDENCE", "INTENT_UNIQUE", "ENTITIES", "ENTITY_VALUES", "ENTITY_CONTENT"),
    *("BUTTONS", "CARDS", "MEDIA"),
)
_FOREIGN = ("FORMS", "CUSTOM")
_HOOKS = (
    *("PAUSE", "WAITFORBOT", "INCLUDE", "SET_SCRIPTING_MEMORY", "CLEAR_SCRIPTING_MEMORY", "ASSIGN_SCRIPTING_MEMORY"),
    *("UPDATE_CUSTOM", "UPDATE_CONTEXT", "SKIP_BOT_UNCONSUMED"),
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
        marks, bare = _split_marks(line.strip())
        name, _, rest = bare.partition(" ")
        arguments = tuple(part.replace("\\|", "|").strip() for part in _SPLIT.split(rest)) if rest.strip() else ()
        if who == "me" and name in _INPUTS:
            # A button has its payload before its label, or the label alone.
            if name == "BUTTON" and arguments and arguments[-1]:
                checks.button = arguments[-1]
            if name != "BUTTON" or len(arguments) != 1:
                checks.kept.append(line.strip())
        elif name in _HOOKS:
            if name == "SET_SCRIPTING_MEMORY" and len(arguments) == 2:
                checks.constants[arguments[0].removeprefix("$")] = arguments[1]
            elif name == "PAUSE" and (value := read_number(arguments)) is not None:
                checks.pause_ms = value
            elif name == "WAITFORBOT" and (value := read_number(arguments)) is not None:
                checks.wait_s = value / 1000
            else:
                checks.kept.append(line.strip())
        elif who != "me" and _is_asserter(name, rest):
            checks.optional |= "?" in marks
            _add_asserter(checks, "!" in marks, name, arguments, line)
        else:
            texts.append(line.strip())
    marks, checks.text = _split_marks("\n".join(texts).strip())
    checks.negated = "!" in marks
    checks.optional |= "?" in marks
    return checks


def _split_marks(line: str) -> tuple[str, str]:
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


def _add_asserter(checks: Checks, negated: bool, name: str, arguments: tuple[str, ...], line: str) -> None:
    kind = TEXT_KINDS.get(base_of(name))
    every = name.removesuffix("_IC").endswith("_ALL")
    if kind is not None and arguments and not (negated and every and len(arguments) > 1):
        # TEXT_WILDCARD is found anywhere, where ours holds for the whole reply.
        anywhere = base_of(name) == "TEXT_WILDCARD"
        texts = [f"*{text.strip('*')}*" if anywhere else text for text in arguments]
        patterns = [Pattern(text, None if kind is Match.SUBSTRING and "*" not in text else kind) for text in texts]
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


def read_number(arguments: Sequence[str]) -> float | None:
    """Return the only argument as a number that is not negative, or None."""
    try:
        value = float(arguments[0]) if len(arguments) == 1 else -1.0
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


VARIABLE = re.compile(r"\$([A-Za-z_]\w*)")
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")
_VALUE = r"\S+"


@dataclass
class Memory:
    """What a conversation knows so far: captured names, and values that the script itself sets.

    `strange`: names that nobody gave a value. Botium leaves them as they stand, or fills them itself (`$year`).
    """

    known: set[str] = field(default_factory=set)
    constants: dict[str, str] = field(default_factory=dict)
    strange: set[str] = field(default_factory=set)

    def fill(self, text: str) -> str:
        """Write variables as placeholders of a suite."""

        def put(match: re.Match[str]) -> str:
            name = match[1]
            if name in self.constants:
                return self.constants[name]
            if name in self.known:
                return f"{{{name}}}"
            self.strange.add(name)
            return match[0]

        return VARIABLE.sub(put, text)

    def expect(self, text: str) -> tuple[Pattern, dict[str, Pattern]]:
        """Return what a reply must match, and what is saved from it: a variable not met before is captured."""
        names = dict.fromkeys(VARIABLE.findall(text))
        new = [name for name in names if name not in self.known and name not in self.constants]
        if not new:
            return substring(self.fill(text)), {}
        captures = {name: Pattern(self._build_capture(text, new, name), Match.REGEX) for name in new}
        whole = Pattern(self._build_capture(text, new, None), Match.REGEX)
        self.known |= set(new)
        return whole, captures

    def _build_capture(self, text: str, new: list[str], wanted: str | None) -> str:
        """Return a regular expression for a text with variables; the wanted one is its group."""
        parts = []
        for place, part in enumerate(VARIABLE.split(text)):
            if place % 2 == 0:
                parts.append(escape(part))
            elif part not in new:
                parts.append(escape(self.constants.get(part, f"{{{part}}}")))
            else:
                parts.append(f"({_VALUE})" if part == wanted else _VALUE)
        return "".join(parts)


def substring(text: str) -> Pattern:
    """Return a text as Botium looks for it: anywhere in the reply. That is the default of what is imported."""
    return Pattern(text, Match.SUBSTRING if "*" in text else None)


def as_variables(text: str) -> str:
    """Write placeholders as variables."""
    return _PLACEHOLDER.sub(lambda match: f"${match[1]}", text)


def undo_capture(pattern: Pattern, save: Mapping[str, Pattern]) -> str | None:
    """Return the text with variables from which an expression and its captures were made, or None."""
    names: dict[int, str] = {}
    parts = pattern.text.split(_VALUE)
    for name, capture in save.items():
        before, group, _ = capture.text.partition(f"({_VALUE})")
        if group:
            names[before.count(_VALUE)] = name
    if len(names) != len(parts) - 1 or len(names) != len(save):
        return None
    texts = [as_variables(re.sub(r"\\(.)", r"\1", part.replace(r"\s+", "\n"))) for part in parts]
    text = texts[0] + "".join(f"${names[place]}{rest}" for place, rest in enumerate(texts[1:]))
    known = set(VARIABLE.findall(text)) - set(save)
    return text if Memory(known).expect(text) == (pattern, dict(save)) else None


INCLUDE = "include"
MAX_SECTIONS = 20_000
_HOOK = "INCLUDE "


class Parts:
    """The partial conversations of some scripts, by name."""

    def __init__(self, convos: Sequence[Convo]) -> None:
        self._sections = {convo.name: convo.sections for convo in convos if convo.partial}
        self._unfolded: dict[str, list[Section] | None] = {}

    def unfold(self, convo: Convo) -> Convo:
        """Return a conversation in which no part tears a message from its replies."""
        sections = self._unfold(convo.sections)
        if len(sections) > MAX_SECTIONS:
            raise FileError(
                "this conversation becomes too large with its parts", where=convo.source, remedy="include fewer parts"
            )
        return replace(convo, sections=tuple(sections))

    def _unfold(self, sections: Sequence[Section]) -> list[Section]:
        unfolded: list[Section] = []
        for section in reversed(list(_set_apart(sections))):
            body = self._body(section.lines[0]) if section.who == INCLUDE else None
            torn = body is not None and (_answers(body) or _answers(unfolded))
            unfolded = [*(body if body is not None and torn else [section]), *unfolded[:MAX_SECTIONS]]
        return unfolded

    def _body(self, name: str) -> list[Section] | None:
        """Return the sections of a part, or None where there is no such part or it includes itself."""
        if name not in self._unfolded:
            self._unfolded[name] = None
            self._unfolded[name] = self._unfold(self._sections[name]) if name in self._sections else None
        return self._unfolded[name]


def list_included(convos: Sequence[Convo]) -> set[str]:
    """Return the names of the parts that these conversations include."""
    sections = [section for convo in convos for section in _set_apart(convo.sections)]
    return {section.lines[0] for section in sections if section.who == INCLUDE}


def _set_apart(sections: Sequence[Section]) -> Iterator[Section]:
    """Yield the sections with each `#include` and `INCLUDE` as a separate one, after the section that holds it."""
    for section in sections:
        is_include = section.who == INCLUDE
        hooks = [line for line in section.lines if is_include or line.startswith(_HOOK)]
        own = trim([line for line in section.lines if line not in hooks])
        if not is_include and (own or not hooks):
            yield replace(section, lines=own)
        names = (name.strip() for line in hooks for name in line.removeprefix(_HOOK).split("|"))
        yield from (Section(INCLUDE, (name,), section.line) for name in names if name)


def _answers(sections: Sequence[Section]) -> bool:
    return bool(sections) and sections[0].who == "bot"
