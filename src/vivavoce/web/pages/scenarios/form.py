"""The big form of a scenario: what was typed, and the buttons that change its turns without saving."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

from vivavoce.errors import Fault, UsageError
from vivavoce.messages import say
from vivavoce.store.cleaning import clean_text
from vivavoce.web.forms import Fields
from vivavoce.workspace.scenarios.drafts import Draft, DraftTurn, read_kept_scenario, read_kept_step

# A form holds at most a thousand fields; longer scenarios are edited in a file.
MOST_TURNS = 60
MOST_SAID = 5_000
MOST_LINES = 20_000
# Each expected text is held against an answer while the page is made.
MOST_TEXTS = 200
Turns = tuple[DraftTurn, ...]


def read_draft(form: Fields) -> Draft:
    """Return what was typed; faults are noted in the form."""
    count = form.whole("count", 0, low=0, high=MOST_TURNS)
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
        said=_lines(form, named("said"), most=MOST_SAID),
        topics=tuple(word.strip() for word in form.all(named("topic")) if word.strip()),
        fallback=form.flag(named("fallback")),
        any=_texts(form, named("any")),
        all=_texts(form, named("all")),
        none=_texts(form, named("none")),
        slots=_read_slots(form, named("slots")),
        typo=form.flag(named("typo")),
        note=_lines(form, named("note")),
        misspelt=_lines(form, named("misspelt"), most=MOST_SAID),
        answer=_lines(form, named("answer"), most=MOST_LINES),
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
    form.faults += [Fault(say("'{key}' stands there twice", key=key), name) for key, n in counted.items() if n > 1]
    return tuple(pairs)


def _texts(form: Fields, name: str) -> tuple[str, ...]:
    return form.lines(name, most=MOST_TEXTS, most_letters=MOST_LINES)


def _lines(form: Fields, name: str, most: int = MOST_LINES) -> str:
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
    if verb not in _MOVES:
        return None
    turns, focus = _MOVES[verb](draft.turns, min(place, max(len(draft.turns) - 1, 0)))
    return replace(draft, turns=turns), focus


def _add(turns: Turns, place: int) -> tuple[Turns, int]:
    if len(turns) >= MOST_TURNS:
        raise UsageError(
            say("the form holds at most {most_turns} turns", most_turns=MOST_TURNS),
            remedy=say("edit longer scenarios in a file"),
        )
    at = place + 1 if turns else 0
    return (*turns[:at], DraftTurn(), *turns[at:]), at


def _delete(turns: Turns, place: int) -> tuple[Turns, int]:
    return (*turns[:place], *turns[place + 1 :]), max(place - 1, 0)


def _up(turns: Turns, place: int) -> tuple[Turns, int]:
    return (turns, 0) if place == 0 else (_swapped(turns, place - 1), place - 1)


def _down(turns: Turns, place: int) -> tuple[Turns, int]:
    return (turns, place) if place + 1 >= len(turns) else (_swapped(turns, place), place + 1)


def _swapped(turns: Turns, place: int) -> Turns:
    return (*turns[:place], turns[place + 1], turns[place], *turns[place + 2 :])


_MOVES: Mapping[str, Callable[[Turns, int], tuple[Turns, int]]] = {
    "add": _add,
    "delete": _delete,
    "up": _up,
    "down": _down,
}


def change_turn(draft: Draft, place: int, change: Callable[[DraftTurn], DraftTurn]) -> Draft:
    """Return the draft with one turn changed."""
    if not 0 <= place < len(draft.turns):
        raise UsageError(say("there is no turn {place}", place=place + 1), remedy=say("open the scenario again"))
    return replace(draft, turns=(*draft.turns[:place], change(draft.turns[place]), *draft.turns[place + 1 :]))
