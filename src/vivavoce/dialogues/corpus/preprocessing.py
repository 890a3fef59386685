"""What the published quality metric of ConvAI 2017 did to its dialogues before learning, step by step.

The rules, in this order, each on what the ones before it left:

1. duplicates: the id was seen before; the first is kept
2. short: fewer than two speakers, or one of them has fewer than two utterances
3. long: an utterance has more than 200 characters of its raw text (its authors write "words"; counted so, one
   dialogue of July would be removed instead of 73)
4. unrated: nobody rated it

Utterances are counted and measured as they were sent: messages of one speaker in a row are not joined, and empty ones
count. A dialogue that both sides rated then becomes two rows, one seen from each side.

The whole set, of which the autumn part can only be known by subtraction:

| step                                | all  | July | autumn |
|-------------------------------------|-----:|-----:|-------:|
| dialogues                           | 4750 | 2778 |   1972 |
| duplicates                          |  -43 |    0 |    -43 |
| short                               |-1747 | -858 |   -889 |
| long                                | -144 |  -73 |    -71 |
| unrated                             |  -61 |    0 |    -61 |
| dialogues left                      | 2755 | 1847 |    908 |
| second copy of human-human dialogues| +399 | +338 |    +61 |
| rows                                | 3154 | 2185 |    969 |
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from vivavoce.dialogues.dialogue import Dialogue, View, rated_views

MIN_UTTERANCES = 2
MAX_CHARACTERS = 200
APOSTROPHES = str.maketrans("’‘ʼ", "'''")
FOREIGN = re.compile(r"[^a-z0-9(),!?'`]")
CONTRACTIONS = re.compile(r"(n't|'s|'ve|'re|'d|'ll)")
SIGNS = re.compile(r"([,!?()])")


@dataclass(frozen=True, slots=True)
class Prepared:
    """The dialogues that are left, and those that were removed, by reason."""

    kept: tuple[Dialogue, ...]
    duplicates: tuple[Dialogue, ...] = ()
    unrated: tuple[Dialogue, ...] = ()
    short: tuple[Dialogue, ...] = ()
    long: tuple[Dialogue, ...] = ()


def prepare(dialogues: Iterable[Dialogue]) -> Prepared:
    """Sort dialogues into those to learn from and those to remove; none is lost."""
    parts: dict[str, list[Dialogue]] = {"kept": [], "duplicates": [], "unrated": [], "short": [], "long": []}
    seen: set[str] = set()
    for dialogue in dialogues:
        if dialogue.id in seen:
            reason = "duplicates"
        elif is_short(dialogue) or is_long(dialogue):
            reason = "short" if is_short(dialogue) else "long"
        else:
            reason = "kept" if dialogue.quality is not None else "unrated"
        parts[reason].append(dialogue)
        seen.add(dialogue.id)
    return Prepared(**{name: tuple(part) for name, part in parts.items()})


def rows(prepared: Prepared) -> tuple[View, ...]:
    """Return the rows to learn from: one for each rating, so two of a dialogue that both sides rated."""
    return tuple(rated_views(prepared.kept))


def is_short(dialogue: Dialogue) -> bool:
    """Say whether one side hardly spoke."""
    spoken = Counter(turn.speaker for turn in dialogue.turns)
    return len(spoken) < 2 or min(spoken.values()) < MIN_UTTERANCES


def is_long(dialogue: Dialogue) -> bool:
    """Say whether somebody sent more than 200 characters at once."""
    return any(len(turn.text) > MAX_CHARACTERS for turn in dialogue.turns)


def normalise(text: str) -> str:
    """Return lower case without signs of other alphabets, contractions and punctuation split off.

    This is the form in which the autumn part of ConvAI 2017 is published, so that texts of both parts look the same;
    to do it twice changes nothing. Lower case comes first: published text has a stray `don't` from `DON'T`.
    """
    plain = FOREIGN.sub(" ", text.translate(APOSTROPHES).lower())
    return " ".join(SIGNS.sub(r" \1 ", CONTRACTIONS.sub(r" \1", plain)).split())
