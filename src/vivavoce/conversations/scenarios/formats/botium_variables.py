"""Botium's scripting memory: `$name` in a reply takes a value out of it, `$name` in a message says it again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from vivavoce.conversations.scenario import Match, Pattern
from vivavoce.conversations.scenarios.formats.imported import escaped

VARIABLE = re.compile(r"\$([A-Za-z_]\w*)")
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")
_VALUE = r"\S+"


@dataclass
class Memory:
    """What a conversation knows so far: captured names, and values that the script itself sets.

    `strange`: names that nobody gave a value. Botium leaves them as they stand, or fills them by itself (`$year`).
    """

    known: set[str] = field(default_factory=set)
    constants: dict[str, str] = field(default_factory=dict)
    strange: set[str] = field(default_factory=set)

    def filled(self, text: str) -> str:
        """Write variables as placeholders of a suite."""
        return VARIABLE.sub(self._put, text)

    def _put(self, found: re.Match[str]) -> str:
        name = found[1]
        if name in self.constants:
            return self.constants[name]
        if name in self.known:
            return f"{{{name}}}"
        self.strange.add(name)
        return found[0]

    def expected(self, text: str) -> tuple[Pattern, dict[str, Pattern]]:
        """Return what a reply must match, and what is saved from it: a variable not met before is captured."""
        new = [
            name
            for name in dict.fromkeys(VARIABLE.findall(text))
            if name not in self.known and name not in self.constants
        ]
        if not new:
            return substring(self.filled(text)), {}
        captures = {name: Pattern(self._capturing(text, new, name), Match.REGEX) for name in new}
        whole = Pattern(self._capturing(text, new, None), Match.REGEX)
        self.known |= set(new)
        return whole, captures

    def _capturing(self, text: str, new: list[str], wanted: str | None) -> str:
        """Return a regular expression for a text with variables; the wanted one is its group."""
        built = []
        for place, part in enumerate(VARIABLE.split(text)):
            if place % 2 == 0:
                built.append(escaped(part))
            elif part not in new:
                built.append(escaped(self.constants.get(part, f"{{{part}}}")))
            else:
                built.append(f"({_VALUE})" if part == wanted else _VALUE)
        return "".join(built)


def substring(text: str) -> Pattern:
    """Return a text as Botium looks for it: anywhere in the reply. That is the default of what is imported."""
    return Pattern(text, Match.SUBSTRING if "*" in text else None)


def as_variables(text: str) -> str:
    """Write placeholders as variables."""
    return _PLACEHOLDER.sub(lambda found: f"${found[1]}", text)


def uncaptured(pattern: Pattern, save: Mapping[str, Pattern]) -> str | None:
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
    return text if Memory(known).expected(text) == (pattern, dict(save)) else None
