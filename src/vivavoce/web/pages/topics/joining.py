"""Two people changed the same thing by a form: what only one of them changed is joined, the rest is shown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Theirs:
    """What somebody else changed meanwhile; `clash`: whoever sent the form changed the same field in another way."""

    name: str
    title: str
    before: str
    after: str
    clash: bool


@dataclass(frozen=True, slots=True)
class Joined:
    """What the form says now, and what the others changed."""

    values: Mapping[str, str]
    theirs: tuple[Theirs, ...]

    def clashes_at(self, name: str) -> bool:
        """Tell whether both changed a field, each in another way."""
        return any(one.clash for one in self.theirs if one.name == name)


def join_changes(
    shown: Mapping[str, str], now: Mapping[str, str], typed: Mapping[str, str], titles: Mapping[str, str]
) -> Joined:
    """Join what was typed with what others saved since the form was shown; where both did, what was typed stays."""
    values = {name: now[name] if _same(typed, shown, name) else typed[name] for name in typed}
    theirs = tuple(
        Theirs(name, titles[name], shown.get(name, ""), now[name], clash=not _same(values, now, name))
        for name in typed
        if not _same(shown, now, name)
    )
    return Joined(values, theirs)


def keep_shown(values: Mapping[str, str]) -> str:
    """Return what a form shows, to be carried along by it."""
    return json.dumps(dict(values))


def read_shown(text: str) -> dict[str, str]:
    """Return what a form showed; nothing where that was lost on the way, so that all of it counts as changed."""
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return {str(name): str(said) for name, said in found.items()} if isinstance(found, dict) else {}


def _same(one: Mapping[str, str], other: Mapping[str, str], name: str) -> bool:
    return one.get(name, "") == other.get(name, "")
