"""Places in messages of languages that part their words by blanks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vivavoce.assistant.entities.cues import Cues
from vivavoce.assistant.entities.forms import Token
from vivavoce.assistant.entities.places import Named, load_gazetteer
from vivavoce.assistant.entities.spelling import Corrector
from vivavoce.assistant.talk import Entity

LONGEST = 5
# Smaller cities are named like people and things: they need a capital or a preposition.
WELL_KNOWN = 100_000
BIG = 300_000
# In a message of a few words there is little else that a name could be.
FEW_WORDS = 4
CONTRACTED = {"au": "le", "du": "le", "aux": "les"}
ARTICLES = frozenset({"the", "der", "die", "den", "dem", "la", "le", "les", "l"})
# After them a German name of people in a place means the place: Berliner Raum.
AREAS = frozenset(
    {"raum", "umland", "umgebung", "gegend", "region", "innenstadt", "hafen", "norden", "suden", "osten", "westen"}
)
INTO = frozenset({"in", "a", "nach", "near", "around", "raum", "bei"})


def find_places(text: str, tokens: Sequence[Token], cues: Cues, corrector: Corrector) -> list[Entity]:
    """Return the places that a message names as places to work at."""
    places, at = [], 0
    while at < len(tokens):
        size, named = _match(tokens, at)
        if named is not None and not _Mention(text, tokens, at, size, named, cues).is_place():
            size, named = 0, None
        if named is None:
            size, named = _match_adjective(tokens, at, cues)
        if named is None:
            size, named = _match_misspelt(tokens, at, cues, corrector)
        if named is not None and not _is_origin(tokens, at, cues):
            start, end = tokens[at].start, tokens[at + size - 1].end
            # Halle (Saale): the sign belongs to the name.
            end += "(" in text[start:end] and text.startswith(")", end)
            places.append(Entity("place", text[start:end], start, end, text[start:end], named.place.key))
        at += max(1, size)
    return places


def _match(tokens: Sequence[Token], at: int) -> tuple[int, Named | None]:
    names = load_gazetteer().latin
    article = CONTRACTED.get(tokens[at - 1].form) if at else None
    if article and (named := names.get(f"{article} {tokens[at].form}")):
        # "au Mans" is in Le Mans.
        return 1, named
    for size in range(min(LONGEST, len(tokens) - at), 0, -1):
        named = names.get(" ".join(token.form for token in tokens[at : at + size]))
        if named is not None:
            return size, named
    return 0, None


def _match_adjective(tokens: Sequence[Token], at: int, cues: Cues) -> tuple[int, Named | None]:
    """Find the city in "Berliner Raum" and "Münchner Umland"."""
    form = tokens[at].form
    follows = tokens[at + 1].form if at + 1 < len(tokens) else ""
    if not cues.endings or follows not in AREAS or not form.endswith("er"):
        return 0, None
    names = load_gazetteer().latin
    stem = form.removesuffix("er")
    candidates = (names.get(each) for each in (stem, f"{stem}en", f"{stem.removesuffix('n')}en", f"{stem}e"))
    named = next(filter(None, candidates), None)
    return (1, named) if named else (0, None)


def _match_misspelt(tokens: Sequence[Token], at: int, cues: Cues, corrector: Corrector) -> tuple[int, Named | None]:
    """Take an unknown word after a preposition for the city that is spelt almost alike."""
    before = tokens[at - 1].form if at else ""
    if before not in (cues.near if tokens[at].text[0].isupper() else INTO):
        return 0, None
    name = corrector.correct_place(tokens[at].form)
    return (1, load_gazetteer().latin[name]) if name else (0, None)


@dataclass(frozen=True, slots=True)
class _Mention:
    """A name of a place in a message: `size` words from `at` on."""

    text: str
    tokens: Sequence[Token]
    at: int
    size: int
    named: Named
    cues: Cues

    @property
    def first(self) -> Token:
        return self.tokens[self.at]

    @property
    def before(self) -> str:
        return self.tokens[self.at - 1].form if self.at else ""

    @property
    def is_contracted(self) -> bool:
        return CONTRACTED.get(self.before) == self.named.name.casefold().partition(" ")[0]

    @property
    def has_capital(self) -> bool:
        """Whether it has a capital that is not that of a sentence."""
        return self.first.text[0].isupper() and (self.at > 0 or len(self.tokens) == self.size)

    @property
    def is_near(self) -> bool:
        """Whether it stands where places stand: after a preposition, a comma, or alone."""
        if self.before in ARTICLES and self.at > 1 and self.tokens[self.at - 2].form in self.cues.near:
            return True
        is_apart = "," in self.text[self.tokens[self.at - 1].end if self.at else 0 : self.first.start]
        return self.before in self.cues.near or is_apart or len(self.tokens) == self.size

    def is_place(self) -> bool:
        """Tell whether a place is meant: a name that is a word, too, needs more than one that is nothing else."""
        if self.before in self.cues.titles or not self._has_its_accents():
            return False
        if self.size == 1 and len(self.first.form) < 3:
            return self.first.text.isupper() and self.is_near
        return self._is_word_meant() if self.named.is_word else self._is_name_meant()

    def _has_its_accents(self) -> bool:
        """Tell a word from a name by its accents: a maçon is no city of Mâcon."""
        first = self.first.text
        return self.size > 1 or first.isascii() or first.casefold() == self.named.name.casefold()

    def _is_word_meant(self) -> bool:
        # Who writes no capitals at all leaves out those of places, too.
        is_careless = self.text.islower() and self.before in INTO
        is_usual = self.named.is_main or self.named.place.population >= BIG
        return is_usual and (is_careless or (self.has_capital and self.is_near))

    def _is_name_meant(self) -> bool:
        people = self.named.place.population
        is_known = self.named.is_main and people >= WELL_KNOWN
        if self.is_contracted:
            return True
        if self.size > 1 or people >= BIG:
            return self.named.is_main or self.has_capital or self.is_near or self.text.islower()
        if is_known and len(self.tokens) <= FEW_WORDS:
            return True
        if self.cues.endings and not self.is_near:
            # Every German noun has a capital.
            return is_known and self.first.text[0].isupper()
        return (self.has_capital or self.is_near) and (self.named.is_main or people >= WELL_KNOWN)


def _is_origin(tokens: Sequence[Token], at: int, cues: Cues) -> bool:
    before = [token.form for token in tokens[max(0, at - 2) : at]]
    while len(before) > 1 and before[-1] in ("der", "the", "de", "d", "du", "la", "l", "dem"):
        before.pop()
    return bool(before) and before[-1] in cues.origin
