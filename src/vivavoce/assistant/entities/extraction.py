"""Which professions and places a message names. Made for talk about jobs: elsewhere it is not asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from vivavoce.assistant.entities import chinese, place_search
from vivavoce.assistant.entities.cues import CUES, ZH_FILLERS, Cues
from vivavoce.assistant.entities.forms import Token, split, stem
from vivavoce.assistant.entities.professions import Occupations, load_occupations
from vivavoce.assistant.entities.spelling import Corrector, load_corrector
from vivavoce.assistant.talk import Entity

PROFESSION, PLACE = "profession", "place"
MIN_HEAD, MIN_COMPOUND = 3, 4
Extract = Callable[[str], tuple[Entity, ...]]


def extract(text: str, language: str) -> tuple[Entity, ...]:
    """Return the professions and places in a message, in their order."""
    return load_extractor(language)(text)


def is_covered(text: str, entities: Sequence[Entity], language: str) -> bool:
    """Tell whether a message names these entities and says nothing else, as in "no, in Munich"."""
    named = {at for entity in entities for at in range(entity.start, entity.end)}
    if language == "zh":
        return all(at in named or letter in ZH_FILLERS for at, letter in enumerate(text))
    cues = CUES.get(language, CUES["en"])
    idle = cues.near | cues.articles | cues.fillers
    return all(token.start in named or token.form in idle for token in split(text, language))


@lru_cache(maxsize=8)
def load_extractor(language: str) -> Extract:
    """Return what finds entities in messages of a language; English rules stand in for unknown languages."""
    if language == "zh":
        return chinese.Extractor(load_occupations("zh"))
    known = language if language in CUES else "en"
    return Extractor(load_occupations(known), CUES[known], load_corrector(known))


class Extractor:
    """Finds entities in languages that part their words by blanks."""

    def __init__(self, occupations: Occupations, cues: Cues, corrector: Corrector) -> None:
        self._occupations, self._cues, self._corrector = occupations, cues, corrector
        self._language = occupations.language
        self._generic = {stem(word, self._language) for word in cues.generic} | cues.generic

    def __call__(self, text: str) -> tuple[Entity, ...]:
        """Return the entities of a message in their order; places first where both claim the same words."""
        tokens = split(text, self._language)
        places = place_search.find_places(text, tokens, self._cues, self._corrector)
        taken = {at for entity in places for at in range(entity.start, entity.end)}
        professions = [entity for entity in self._find_professions(text, tokens) if entity.start not in taken]
        return tuple(sorted((*places, *professions), key=lambda entity: entity.start))

    def _find_professions(self, text: str, tokens: Sequence[Token]) -> list[Entity]:
        corrected = [self._correct(token) for token in tokens]
        professions, at = [], 0
        while at < len(corrected):
            size, usual, end = self._match(corrected, at)
            if size and not self._is_other(tokens, at, size):
                start = tokens[at].start
                professions.append(Entity(PROFESSION, text[start:end], start, end, usual, usual))
            at += max(1, size)
        return professions

    def _correct(self, token: Token) -> Token:
        form = self._corrector.correct(token.form)
        return token if form == token.form else token._replace(form=form, stem=stem(form, self._language))

    def _match(self, tokens: Sequence[Token], at: int) -> tuple[int, str, int]:
        """Return how many words from `at` on name a profession, its usual form, and where it ends; 0 for none."""
        names = self._occupations
        for size in range(min(names.longest, len(tokens) - at), 0, -1):
            run = tokens[at : at + size]
            usual = names.forms.get(" ".join(token.form for token in run))
            usual = usual or names.stems.get(" ".join(token.stem for token in run))
            if usual and not all(self._is_generic(token) for token in run):
                return self._extend(tokens, at, size, usual)
        return self._match_compound(tokens[at])

    def _is_generic(self, token: Token) -> bool:
        return token.form in self._generic or token.stem in self._generic

    def _extend(self, tokens: Sequence[Token], at: int, size: int, usual: str) -> tuple[int, str, int]:
        """In English a general noun may follow: a dentist assistant is no dentist."""
        if self._language == "en" and at + size < len(tokens) and self._is_generic(tokens[at + size]):
            run = tokens[at : at + size + 1]
            if tokens[at + size].start == run[-2].end + 1:
                return size + 1, " ".join(token.text for token in run), run[-1].end
        return size, usual, tokens[at + size - 1].end

    def _match_compound(self, token: Token) -> tuple[int, str, int]:
        """Find a profession in a German compound: without `-stelle`, and by its last part."""
        if self._language != "de" or len(token.form) < MIN_HEAD + MIN_COMPOUND:
            return 0, "", 0
        form, end = token.form, token.end
        for ending in self._cues.endings:
            if form.endswith(ending) and len(form) - len(ending) >= MIN_COMPOUND:
                form, end = form[: -len(ending)], token.end - len(ending)
                break
        names = self._occupations
        for start in range(len(form) - MIN_COMPOUND + 1):
            if 0 < start < MIN_HEAD:
                continue
            part = form[start:]
            variants = (part, part.removesuffix("s"), part.removesuffix("n"), part.removesuffix("en"))
            usual = next((names.forms[each] for each in variants if each in names.forms), "")
            usual = usual or names.stems.get(stem(part, "de"), "")
            if usual and (start > 0 or form != token.form or part not in self._generic):
                return 1, usual if start == 0 else token.text[: end - token.start], end
        return 0, "", 0

    def _is_other(self, tokens: Sequence[Token], at: int, size: int) -> bool:
        """Tell whether it is a name, somebody else's profession, or one that is not wanted."""
        before = [token.form for token in tokens[max(0, at - 8) : at]]
        if before and (before[-1] in self._cues.titles or before[-1] in self._cues.owners):
            return True
        while before and before[-1] in self._cues.articles:
            before.pop()
        left = " ".join(before)
        return any(left == cue or left.endswith(f" {cue}") for cue in self._cues.refusals)
