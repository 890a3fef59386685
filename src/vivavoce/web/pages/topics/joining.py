"""Two people changed the same thing by a form: what only one of them changed is joined, the rest is shown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from vivavoce.errors import InputError, StaleError
from vivavoce.web.forms import Fields, fault_at
from vivavoce.web.language import Words
from vivavoce.web.parts import Field, hidden_field
from vivavoce.web.rendering import View

MAX_LETTERS = 1_000_000


@dataclass(frozen=True, slots=True)
class Joined:
    """What the form says now, and what the others changed: `clash` where whoever sent the form did so too."""

    values: Mapping[str, str]
    theirs: tuple[View, ...] = ()

    def fault_at(self, words: Words, error: InputError | None, name: str) -> str:
        """Return what is wrong with a field, or what to do about it where two people changed it."""
        clashes = any(change.clash for change in self.theirs if change.name == name)
        both = words.gettext("You both changed this. Your version is shown here and replaces theirs when you save.")
        return fault_at(error, name) or (both if clashes else "")


def join_form(
    form: Fields | None,
    error: InputError | None,
    now: Mapping[str, str],
    titles: Mapping[str, str],
    unsent: tuple[str, ...] = (),
) -> Joined:
    """Return what a form says: as it is kept, as it was typed, or both joined where somebody was faster.

    `unsent` are parts that the form shows but does not send: they stay as they were.
    """
    if form is None:
        return Joined(now)
    shown = _read_shown(form.text("shown", most=MAX_LETTERS))
    typed = {
        name: shown.get(name, "") if name in unsent else form.text(name, most=100_000).replace("\r\n", "\n")
        for name in now
    }
    return join_changes(shown, now, typed, titles) if isinstance(error, StaleError) else Joined(typed)


def join_changes(
    shown: Mapping[str, str], now: Mapping[str, str], typed: Mapping[str, str], titles: Mapping[str, str]
) -> Joined:
    """Join what was typed with what others saved since the form was shown; where both did, what was typed stays."""
    values = {name: now[name] if typed[name] == shown.get(name, "") else typed[name] for name in typed}
    theirs = (
        View(
            name=name,
            title=titles[name],
            before=shown.get(name, ""),
            after=now[name],
            clash=values[name] != now[name],
        )
        for name in typed
        if shown.get(name, "") != now[name]
    )
    return Joined(values, tuple(theirs))


def state_fields(
    form: Fields | None, error: InputError | None, seen: str, now: Mapping[str, str]
) -> tuple[Field, Field]:
    """Return what a form carries of the state that it shows: a newer one only where the changes are shown too."""
    if form is not None and not isinstance(error, StaleError):
        return hidden_field("seen", form.text("seen")), hidden_field("shown", form.text("shown", most=MAX_LETTERS))
    return hidden_field("seen", seen), hidden_field("shown", json.dumps(dict(now)))


def _read_shown(text: str) -> dict[str, str]:
    """Return what a form showed; nothing where that was lost on the way, so that all of it counts as changed."""
    try:
        shown = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return {str(name): str(value) for name, value in shown.items()} if isinstance(shown, dict) else {}
