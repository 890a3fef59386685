"""What each column of a table holds, guessed from its name and its cells: for people who look before they import."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from vivavoce.files.dates import parse_date
from vivavoce.files.header_words import HINTS, Words, normalise_name
from vivavoce.files.tables import Table, as_text
from vivavoce.languages import LANGUAGES

SAMPLE = 300
LANGUAGE_NAMES = frozenset(name.casefold() for each in LANGUAGES for name in (each.code, each.name, each.native_name))
# How sure a name makes: exactly the name, a usual one, a word of it, the end of a compound.
PLAIN, USUAL, HINTED, WORD, ENDING = 12, 10, 7, 6, 4
# Cells that contradict the name, and cells that are enough without one.
VETO, ENOUGH = -100, 3
MIN_ENDING = 4


@dataclass(frozen=True, slots=True)
class Facts:
    """What the cells of a column look like, as shares of those that hold something."""

    filled: float
    dates: float
    numbers: float
    languages: float
    distinct: float
    words: float
    ends: float
    values: frozenset[str] = frozenset()

    @classmethod
    def of(cls, cells: Sequence[object]) -> Facts:
        """Look at some cells of a column."""
        texts = [text for cell in cells if (text := as_text(cell).strip())]
        count = len(texts) or 1
        numbers = sum(bool(re.fullmatch(r"[\d.,:/ -]+", text)) for text in texts)
        # A number alone may be anything, also the seconds since 1970.
        dates = sum(not text.isdecimal() and parse_date(text) is not None for text in texts)
        return cls(
            filled=len(texts) / max(len(cells), 1),
            dates=dates / count,
            numbers=numbers / count,
            languages=sum(text.casefold().replace("_", "-").split("-")[0] in LANGUAGE_NAMES for text in texts)
            / count,
            distinct=len(set(texts)) / count,
            words=sum(len(text.split()) for text in texts) / count,
            ends=sum(text.endswith((".", "!")) for text in texts) / count,
            values=frozenset(texts),
        )


Judge = Callable[[Facts], float]


def judge_text(facts: Facts) -> float:
    """Say how much cells look like messages."""
    if facts.dates > 0.5 or facts.numbers > 0.5:
        return VETO
    return min(facts.words, 8) / 4 + facts.distinct + facts.filled - facts.ends


def _judge_topic(facts: Facts) -> float:
    if facts.dates > 0.5 or facts.words > 8:
        return VETO
    repeated = 1 - facts.distinct
    return 3 * repeated + facts.filled - facts.words / 4 - 2 * facts.languages - 2 * facts.numbers


TRAINING_JUDGES: Mapping[str, Judge] = {
    "text": judge_text,
    "intent": _judge_topic,
    "answer": lambda it: VETO if it.dates > 0.5 or it.numbers > 0.5 else min(it.words, 12) / 12 + it.ends,
    "created": lambda it: ENOUGH if it.dates > 0.8 else VETO if it.dates < 0.2 and it.numbers < 0.5 else 0,
    "language": lambda it: ENOUGH if it.languages > 0.9 else 0 if it.languages > 0.3 else VETO,
    "owner": lambda it: VETO if it.words > 6 else 1 - it.distinct,
}
# Roles that a column may get without a word in its name.
BY_CELLS = ("text", "intent", "created", "language")


def guess_roles(table: Table, words: Words, judges: Mapping[str, Judge], by_cells: Sequence[str]) -> tuple[str, ...]:
    """Return the role of each column by its place, empty where it has none; no role is given twice."""
    sample = table.rows[:SAMPLE]
    facts = [Facts.of([row.cells[place] for row in sample]) for place in range(len(table.columns))]
    ratings = []
    for place, name in enumerate(table.columns):
        for role in words:
            rating = rate_name(name, role, words)
            judged = judges[role](facts[place]) if role in judges and facts[place].filled else 0
            if rating == PLAIN:
                # A column that is called exactly so is meant so, however odd its cells are.
                judged = max(judged, 0)
            if rating or (role in by_cells and judged > 0):
                ratings.append((rating + judged, -place, role))
    roles = [""] * len(table.columns)
    for rating, place, role in sorted(ratings, reverse=True):
        if rating > 0 and role not in roles and not roles[-place]:
            roles[-place] = role
    return tuple(roles)


def rate_name(name: str, role: str, words: Words) -> float:
    """Say how much the name of a column speaks for a role."""
    plain = re.sub(r"[^\w]+", "_", normalise_name(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name))).strip("_")
    known, hints = words[role], HINTS.get(role, ())
    if plain in known:
        return PLAIN if plain == known[0] else USUAL - known.index(plain) / 100
    if plain in hints:
        return HINTED
    parts = plain.split("_")
    if any(part in known for part in parts):
        return WORD
    if any(part in hints for part in parts):
        return ENDING
    ends = any(part.endswith(word) for part in parts for word in known if len(word) >= MIN_ENDING)
    return ENDING if ends else 0
