"""How often one topic was taken for another, counted where every topic was tested as itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vivavoce.intents.findings import SettingFindings


@dataclass(frozen=True, slots=True)
class Mistaken:
    """Wrong guesses by the two topics of a pair, over all retries: answered so, and held back."""

    answered: Mapping[frozenset[str], int]
    held: Mapping[frozenset[str], int]

    def between(self, a: str, b: str) -> tuple[int, int]:
        """Return the wrong answers between two topics, and the wrong guesses that were held back."""
        pair = frozenset((a, b))
        return self.answered.get(pair, 0), self.held.get(pair, 0)


def count_mistaken(settings: Sequence[SettingFindings]) -> Mistaken | None:
    """Count wrong guesses in the first setting that held no topic out; None where there is none."""
    plain = next((findings for findings in settings if not findings.low_topics), None)
    if plain is None:
        return None
    answered: Counter[frozenset[str]] = Counter()
    held: Counter[frozenset[str]] = Counter()
    for cell in plain.confusion:
        if cell.negative or cell.origin is None or cell.guess is None or cell.origin == cell.guess:
            continue
        answered[frozenset((cell.origin, cell.guess))] += cell.answered
        held[frozenset((cell.origin, cell.guess))] += cell.deferred
    return Mistaken(answered, held)
