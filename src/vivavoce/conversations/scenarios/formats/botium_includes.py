"""Partial conversations of Botium: where `#include` stands between a message and its reply, the part is put in.

Botium puts every part in before it begins, so that a `#bot` answers the message before it, wherever that was written.
Here a message and its replies are one turn. A part stays a part only where it begins with a message and no `#bot`
follows its `#include`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from vivavoce.conversations.scenarios.formats.botium_text import Convo, Section, trimmed
from vivavoce.errors import FileError

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
                "this conversation grows beyond reason by its parts", where=convo.source, remedy="include less"
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


def included(convos: Sequence[Convo]) -> set[str]:
    """Return the names of the parts that these conversations include."""
    sections = [section for convo in convos for section in _set_apart(convo.sections)]
    return {section.lines[0] for section in sections if section.who == INCLUDE}


def _set_apart(sections: Sequence[Section]) -> Iterator[Section]:
    """Yield the sections with each `#include` and `INCLUDE` as one of its own, after the section that holds it."""
    for section in sections:
        is_include = section.who == INCLUDE
        hooks = [line for line in section.lines if is_include or line.startswith(_HOOK)]
        own = trimmed([line for line in section.lines if line not in hooks])
        if not is_include and (own or not hooks):
            yield replace(section, lines=own)
        names = (name.strip() for line in hooks for name in line.removeprefix(_HOOK).split("|"))
        yield from (Section(INCLUDE, (name,), section.line) for name in names if name)


def _answers(sections: Sequence[Section]) -> bool:
    return bool(sections) and sections[0].who == "bot"
