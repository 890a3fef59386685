"""The big form of a scenario: what was typed, and the buttons that change its turns without saving."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from vivavoce.errors import Fault, UsageError
from vivavoce.messages import say
from vivavoce.store.cleaning import clean_text
from vivavoce.web.forms import Fields
from vivavoce.workspace.scenarios.drafts import Draft, DraftTurn, read_kept_scenario, read_kept_step

# A form holds at most a thousand fields; longer scenarios are edited in a file.
MAX_TURNS = 60
MAX_SAID = 5_000
MAX_LINES = 20_000
# Each expected text is held against an answer while the page is made.
MAX_TEXTS = 200


def read_draft(form: Fields) -> Draft:
    """Return what was typed; faults are noted in the form."""
    count = form.whole("count", 0, low=0, high=MAX_TURNS)
    tags = (word.strip() for word in form.text("tags").split(","))
    return Draft(
        name=_clean(form, "name"),
        title=_clean(form, "title"),
        domain=_clean(form, "domain"),
        level=_clean(form, "level"),
        tags=tuple(word for word in tags if word),
        note=_lines(form, "note"),
        turns=tuple(_read_turn(form, place) for place in range(count)),
        kept=read_kept_scenario(form.text("kept", most=1_000_000)),
    )


def _read_turn(form: Fields, place: int) -> DraftTurn:
    def named(field: str) -> str:
        return f"{place}-{field}"

    return DraftTurn(
        kept=read_kept_step(form.text(named("kept"), most=1_000_000)),
        said=_lines(form, named("said"), most=MAX_SAID),
        topics=tuple(word.strip() for word in form.all(named("topic")) if word.strip()),
        fallback=form.flag(named("fallback")),
        any=_texts(form, named("any")),
        all=_texts(form, named("all")),
        none=_texts(form, named("none")),
        accepted=_texts(form, named("accepted")),
        slots=_read_slots(form, named("slots")),
        typo=form.flag(named("typo")),
        note=_lines(form, named("note")),
        misspelt=_lines(form, named("misspelt"), most=MAX_SAID),
        answer=_lines(form, named("answer"), most=MAX_LINES),
    )


def _read_slots(form: Fields, name: str) -> tuple[tuple[str, str], ...]:
    """Return pairs, one on each line; a line that is none is kept as a name, so that nothing typed is lost."""
    pairs = []
    for line in _texts(form, name):
        key, sign, value = line.partition("=")
        pairs.append((key.strip(), value.strip()))
        if not sign or not key.strip():
            form.faults.append(Fault(say("'{line}' is not a pair: write name = value", line=line), name))
    counted = Counter(key for key, _ in pairs)
    form.faults += [Fault(say("'{key}' appears twice", key=key), name) for key, n in counted.items() if n > 1]
    return tuple(pairs)


def _texts(form: Fields, name: str) -> tuple[str, ...]:
    return form.lines(name, most=MAX_TEXTS, most_letters=MAX_LINES)


def _lines(form: Fields, name: str, most: int = MAX_LINES) -> str:
    return "\n".join(_clean(form, name, most).splitlines()).strip()


def _clean(form: Fields, name: str, most: int = 200) -> str:
    said = form.text(name, most=most)
    try:
        return clean_text(said)
    except UsageError as error:
        form.faults.append(Fault(error.what, name))
        return ""


# --- buttons -----------------------------------------------------------------------------------------------------


def split_button(do: str) -> tuple[str, int]:
    """Return what a button asks for, and the turn that it stands at."""
    verb, _, place = do.partition(":")
    return verb, int(place) if place.isascii() and place.isdigit() and len(place) < 4 else 0


def rearrange(draft: Draft, verb: str, place: int) -> tuple[Draft, int] | None:
    """Return the draft after a button that moves, adds or deletes a turn, and the turn to look at next.

    None for other buttons.
    """
    turns = list(draft.turns)
    place = min(place, max(len(turns) - 1, 0))
    if verb == "add":
        if len(turns) >= MAX_TURNS:
            raise UsageError(
                say("the form supports at most {most_turns} turns", most_turns=MAX_TURNS),
                remedy=say("edit longer scenarios in a file"),
            )
        focus = place + 1 if turns else 0
        turns.insert(focus, DraftTurn())
    elif verb == "delete":
        del turns[place : place + 1]
        focus = max(place - 1, 0)
    elif verb in ("up", "down"):
        focus = max(place - 1, 0) if verb == "up" else max(min(place + 1, len(turns) - 1), place)
        if turns:
            turns.insert(focus, turns.pop(place))
    else:
        return None
    return replace(draft, turns=tuple(turns)), focus


def change_turn(draft: Draft, place: int, **changes: Any) -> Draft:
    """Return the draft with one turn changed."""
    turns = list(draft.turns)
    turns[place] = replace(turns[place], **changes)
    return replace(draft, turns=tuple(turns))
