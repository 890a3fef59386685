"""Places in messages of languages that part their words by blanks."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.assistant.entities.cues import Cues
from vivavoce.assistant.entities.forms import Token
from vivavoce.assistant.entities.places import Named, load_gazetteer
from vivavoce.assistant.entities.spelling import Corrector
from vivavoce.assistant.talk import Entity

LONGEST = 5
# Smaller cities are named like people and things: they need a capital or a preposition.
WELL_KNOWN = 100_000
BIG = 300_000


def find_places(text: str, tokens: Sequence[Token], cues: Cues, corrector: Corrector) -> list[Entity]:
    """Return the places that a message names as places to work at."""
    found, at = [], 0
    while at < len(tokens):
        size, named = _match(tokens, at)
        if named is not None and not _is_place(text, tokens, at, size, named, cues):
            size, named = 0, None
        if named is None:
            size, named = _match_misspelt(tokens, at, cues, corrector)
        if named is not None and not _is_origin(tokens, at, cues):
            start, end = tokens[at].start, tokens[at + size - 1].end
            found.append(Entity("place", text[start:end], start, end, text[start:end], named.place.key))
        at += max(1, size)
    return found


def _match(tokens: Sequence[Token], at: int) -> tuple[int, Named | None]:
    names = load_gazetteer().latin
    for size in range(min(LONGEST, len(tokens) - at), 0, -1):
        named = names.get(" ".join(token.form for token in tokens[at : at + size]))
        if named is not None:
            return size, named
    return 0, None


def _match_misspelt(tokens: Sequence[Token], at: int, cues: Cues, corrector: Corrector) -> tuple[int, Named | None]:
    """Take an unknown word after a preposition for the city that is spelt almost alike."""
    if at == 0 or tokens[at - 1].form not in cues.near or not tokens[at].text[0].isupper():
        return 0, None
    name = corrector.correct_place(tokens[at].form)
    return (1, load_gazetteer().latin[name]) if name else (0, None)


def _is_place(text: str, tokens: Sequence[Token], at: int, size: int, named: Named, cues: Cues) -> bool:
    """Weigh capital, preposition and size: a name that is a word, too, needs more than one that is nothing else."""
    first = tokens[at]
    if size == 1 and not first.text.isascii() and first.text.casefold() != named.name.casefold():
        # Accents tell words apart: a maçon is no city of Mâcon.
        return False
    before = tokens[at - 1].form if at else ""
    if before in cues.titles:
        return False
    has_capital = first.text[0].isupper() and (at > 0 or len(tokens) == size)
    is_apart = "," in text[tokens[at - 1].end if at else 0 : first.start]
    is_near = before in cues.near or is_apart or len(tokens) == size
    if len(first.form) < 3 and size == 1:
        return first.text.isupper() and is_near
    if named.is_word:
        return has_capital and is_near and (named.is_main or named.place.population >= BIG)
    if size > 1 or named.place.population >= BIG:
        return named.is_main or has_capital or is_near
    if cues.endings and not is_near:
        # Every noun has a capital.
        return first.text[0].isupper() and named.is_main and named.place.population >= WELL_KNOWN
    return (has_capital or is_near) and (named.is_main or named.place.population >= WELL_KNOWN)


def _is_origin(tokens: Sequence[Token], at: int, cues: Cues) -> bool:
    before = [token.form for token in tokens[max(0, at - 2) : at]]
    while len(before) > 1 and before[-1] in ("der", "the", "de", "d", "du", "la", "l", "dem"):
        before.pop()
    return bool(before) and before[-1] in cues.origin
