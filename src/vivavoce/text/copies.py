"""Copies of a text with or without words that carry no topic: `reset password`, `how do I reset my password`.

One text is such a copy of another when its words are all among the other's and

- the rest are stop words, and at least two words are not; or
- the rest are stop words and one other word, which neither negates nor asks nor counts, and at least six words of the
  shorter text are not stop words.

Texts are compared within buckets of the same content words, so the cost grows with their number, not with its square.
Only languages whose stop words are known have such copies.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from vivavoce.text.words import guess_language

# Words that frame a question, without those that can change its meaning: negations, most question words, "from".
# Apostrophes are gone in normalised texts.
STOP_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(listed.split())
    for language, listed in {
        "en": "a an the i im ive id me my mine we us our you your it its this that these those is are am be been was"
        " were do does did can could would will shall should may might must have has had to of for in on at by with"
        " and or as if so there what whats how please pls plz thanks thank hi hello hey just need want like",
        "de": "der die das den dem des ein eine einen einem einer eines ich mir mich mein meine meinen meinem meiner"
        " wir uns unser unsere du dein deine sie ihr ihre ihren ihrem ihrer ihnen es man ist sind bin sein war kann"
        " können könnte könnten möchte möchten will würde würden wird werden werde darf soll sollte habe haben hat zu"
        " zum zur von vom für in im an am auf bei beim mit um und oder als dass wenn auch mal bitte danke hallo was"
        " wie gibt",
        "fr": "le la les l un une des du de d je j me m mon ma mes nous notre nos vous votre vos il elle on ce c cet"
        " cette ces est sont suis être ai a avez avons ont avoir puis peux peut pouvez pourrais voudrais veux dois à"
        " au aux en dans sur pour par avec et ou si que qu qui y comment quoi quel quelle quels quelles svp merci"
        " bonjour",
    }.items()
}
# One of these more, and the text is another question.
TURNING = frozenset(
    "not no never dont cant cannot wont doesnt didnt isnt arent wasnt without when where why who whose which "  # noqa: SIM905
    "nicht kein keine keinen ohne nie wann wo warum wer welche welcher welches wohin woher "
    "ne pas sans jamais quand où pourquoi".split()
)
MIN_CONTENT = 2
MIN_CONTAINED = 6
# More texts than this with the same content words tell nothing new.
MAX_BUCKET = 100

Bag = frozenset[str]


def copy_pairs(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the index pairs (shorter, longer) of distinct normalised texts that are copies of each other."""
    stop = STOP_WORDS.get(guess_language(texts))
    if stop is None:
        return
    bags = [frozenset(text.split(" ")) for text in texts]
    buckets: defaultdict[Bag, list[int]] = defaultdict(list)
    for place, bag in enumerate(bags):
        if len(content := bag - stop) >= MIN_CONTENT:
            buckets[content].append(place)
    for content, members in buckets.items():
        if len(members) > 1:
            yield from _find_contained(members, members, bags)
        if len(content) > MIN_CONTAINED:
            for word in content:
                if word not in TURNING and not any(map(str.isdigit, word)):
                    yield from _find_contained(buckets.get(content - {word}, ()), members, bags)


def _find_contained(shorter: Sequence[int], longer: Sequence[int], bags: Sequence[Bag]) -> Iterator[tuple[int, int]]:
    for first in shorter[:MAX_BUCKET]:
        for second in longer[:MAX_BUCKET]:
            if first != second and bags[first] <= bags[second]:
                yield first, second
