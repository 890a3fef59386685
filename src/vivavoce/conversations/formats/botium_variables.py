"""Botium's scripting memory: `$name` in a reply takes a value out of it, `$name` in a message says it again."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from vivavoce.conversations.scenario import Match, Pattern

_VARIABLE = re.compile(r"\$([A-Za-z_]\w*)")


@dataclass
class Memory:
    """The variables that a conversation has met so far."""

    known: set[str] = field(default_factory=set)

    def filled(self, text: str) -> str:
        """Write variables as placeholders of a suite."""
        return _VARIABLE.sub(lambda found: f"{{{found[1]}}}", text)

    def expected(self, text: str) -> tuple[Pattern, dict[str, Pattern]]:
        """Return what a reply must match, and what is saved from it: a variable not met before is captured."""
        new = [name for name in dict.fromkeys(_VARIABLE.findall(text)) if name not in self.known]
        if not new:
            return Pattern(self.filled(text), Match.SUBSTRING), {}
        captures = {name: Pattern(_capturing(text, name), Match.REGEX) for name in new}
        self.known |= set(new)
        return Pattern(_capturing(text, None), Match.REGEX), captures


def _capturing(text: str, wanted: str | None) -> str:
    """Return a regular expression for a text with variables; the wanted one is its group."""
    parts = _VARIABLE.split(text)
    built = []
    for place, part in enumerate(parts):
        if place % 2 == 0:
            built.append(re.escape(part))
        else:
            built.append(r"(\S+)" if part == wanted else r"\S+")
    return "".join(built)
