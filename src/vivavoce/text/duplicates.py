"""Which texts are the same, or the same but for a typing mistake. No model, no setting, no randomness.

Two texts are near-duplicates when, after `normalise`, they have

- the same words in any order, or the same letters when blanks are left out; or
- the same words but for one or two, each a typing mistake of its counterpart (see `typo_pairs`); or
- the same words but for stop words that only one of them has (see `copy_pairs`).

Comparing all pairs of texts would be quadratic. Instead each word gets a random 64-bit number and a text
the sum of its words, so replacing a word by a likely misspelling is one addition. Texts that reach the same
sum by at most one replacement each are at most two typing mistakes apart: one sort finds them all.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import OSA
from rapidfuzz.process import cpdist

from vivavoce.text.words import choose_language

Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]
Pairs = tuple[Ints, Ints]

SEPARATOR = "\x1e"
# Apostrophes join (don't = dont); all other punctuation parts words.
JOINERS = frozenset("'’‘`´ʼ＇")
STRAY_SIGNS = re.compile(r"(?<![\w#+])[#+]+")
BETWEEN_DIGITS = re.compile(r"(?<=\d) (?=\d)")
# Scripts in which a character is a word or a syllable: one other character is another meaning, not a typo.
SYLLABIC = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]"
)

MIN_TYPO_LENGTH = 4
MIN_LENGTH_ALONE = 5
MIN_LENGTH_TWO_EDITS = 8
MAX_TYPO_LENGTH = 32
# A fragment shared by more words than this says nothing; the cap keeps made-up vocabularies from exploding.
MAX_BUCKET = 100
BASE = np.uint64(0x9E3779B97F4A7C15)
EMPTY: Ints = np.zeros(0, dtype=np.int64)


def normalise(text: str) -> str:
    """Return the text without case, punctuation, pictures and repeated blanks; accents and all scripts stay.

    A text of nothing but punctuation or pictures keeps them: a thumb up is not a thumb down.
    """
    return normalise_all([text])[0]


def normalise_all(texts: Sequence[str]) -> list[str]:
    """Return `normalise` of each text, many times faster than one by one."""
    # Plain ASCII is translated at the speed of memory: one foreign letter must not slow down the rest.
    plain = iter(_clean([text for text in texts if text.isascii()]))
    other = iter(_clean([text for text in texts if not text.isascii()]))
    cleaned = [next(plain if text.isascii() else other) for text in texts]
    return [new or _fold(" ".join(text.split())) for new, text in zip(cleaned, texts, strict=True)]


def exact_groups(texts: Sequence[str]) -> Ints:
    """Return a group number for each text: the same number for the same normalised text."""
    return _number(normalise_all(texts))


def duplicate_groups(texts: Sequence[str], languages: Sequence[str] = ()) -> Ints:
    """Return a group number for each text: near-duplicates, also by a chain of them, share one.

    Groups are numbered from 0 in the order of their first text. `languages`: those that the owner of the texts named.
    """
    normal = normalise_all(texts)
    distinct = list(dict.fromkeys(normal))
    exact = _number(normal)
    copies = np.array(list(copy_pairs(distinct, languages)), dtype=np.int64).reshape(-1, 2)
    edges = [_compact_edges(distinct), _typo_edges(distinct), (copies[:, 0], copies[:, 1])]
    groups = _join(len(distinct), edges)[exact]
    _, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def typo_pairs(words: Sequence[str]) -> Pairs:
    """Return the index pairs (left < right) of distinct words that look like typing mistakes of each other.

    One edit (insert, drop, replace a letter, swap neighbours) for words of 4 to 7 letters, two from 8 on.
    Words with digits, of other signs than letters, or of syllabic scripts never match.
    """
    usable = np.array([i for i, word in enumerate(words) if _may_have_typos(word)], dtype=np.int64)
    if len(usable) < 2:
        return EMPTY, EMPTY
    left, right = _find_fragment_pairs([words[i] for i in usable])
    left, right = usable[left], usable[right]
    lengths = np.array([len(word) for word in words], dtype=np.int64)
    allowed = 1 + (np.minimum(lengths[left], lengths[right]) >= MIN_LENGTH_TWO_EDITS)
    near = np.abs(lengths[left] - lengths[right]) <= allowed
    left, right, allowed = left[near], right[near], allowed[near]
    distance = cpdist([words[i] for i in left], [words[i] for i in right], scorer=OSA.distance, score_cutoff=2)
    close = np.asarray(distance) <= allowed
    return left[close], right[close]


def _fold(text: str) -> str:
    # Folding can undo the normal form (and the reverse), so both are done twice, as Unicode asks.
    if text.isascii():
        return text.lower()
    for _ in range(2):
        text = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", text)


def _clean(texts: Sequence[str]) -> list[str]:
    # One long string is folded and translated at once: thousands of small calls would cost ten times more.
    joined = SEPARATOR.join(texts)
    if joined.count(SEPARATOR) >= max(len(texts), 1):
        joined = SEPARATOR.join(text.replace(SEPARATOR, " ") for text in texts)
    joined = _fold(joined)
    if joined.isascii():
        joined = joined.encode("ascii").translate(ASCII_KEPT, ASCII_DROPPED).decode("ascii")
    else:
        joined = joined.translate({ord(sign): _keep(sign) for sign in set(joined)})
    while "  " in joined:
        joined = joined.replace("  ", " ")
    joined = joined.replace(f"{SEPARATOR} ", SEPARATOR).replace(f" {SEPARATOR}", SEPARATOR).strip(" ")
    parts = joined.split(SEPARATOR) if texts else []
    if "#" in joined or "+" in joined:  # c# and c++ are words, a sign alone is not
        return [
            " ".join(STRAY_SIGNS.sub(" ", part).split()) if "#" in part or "+" in part else part for part in parts
        ]
    return parts


def _keep(sign: str) -> str:
    """Return what stays of a character: itself, a blank, or nothing."""
    category = unicodedata.category(sign)
    if sign in "#+" or sign == SEPARATOR or category[0] in "LN" or category == "Sc":
        return sign
    if category[0] == "M":
        return "" if category == "Me" or "\ufe00" <= sign <= "\ufe0f" else sign
    return "" if sign in JOINERS or category == "Cf" else " "


ASCII_DROPPED = bytes(code for code in range(128) if not _keep(chr(code)))
ASCII_KEPT = bytes(ord(_keep(chr(code)) or " ") if code < 128 else 32 for code in range(256))


def _compact_edges(texts: Sequence[str]) -> Pairs:
    """Pair each text with the first one of the same letters without blanks (`e mail`, `email`)."""
    keys = SEPARATOR.join(texts).replace(" ", "").split(SEPARATOR)
    times = Counter(keys)
    candidates = [i for i, key in enumerate(keys) if times[key] > 1]
    first: dict[str, int] = {}
    # A blank between digits stays: room 1 12 is not room 11 2.
    owner = [first.setdefault(BETWEEN_DIGITS.sub(SEPARATOR, texts[i]).replace(" ", ""), i) for i in candidates]
    return np.array(candidates, dtype=np.int64), np.array(owner, dtype=np.int64)


def _typo_edges(texts: Sequence[str]) -> Pairs:
    """Pair texts of the same bag of words, up to two typing mistakes."""
    words = " ".join(texts).split(" ")
    counts = np.fromiter((text.count(" ") + 1 for text in texts), np.int64, len(texts))
    number = {word: i for i, word in enumerate(dict.fromkeys(words))}
    tokens = np.fromiter(map(number.__getitem__, words), np.int64, len(words))
    hashes = np.random.default_rng(0).integers(0, 2**64, len(number), dtype=np.uint64)
    totals = np.add.reduceat(hashes[tokens], np.cumsum(counts) - counts) if len(texts) else hashes[:0]
    pairs = typo_pairs(list(number))
    # Each pair in both directions, sorted by the first member.
    old, new = np.concatenate(pairs), np.concatenate(pairs[::-1])
    order = np.lexsort((new, old))
    old, new = old[order], new[order]
    # Every way to replace one word of a text by a likely misspelling: the text, and the place in `old`.
    degree = np.bincount(old, minlength=len(number))
    start, times = np.cumsum(degree) - degree, degree[tokens]
    owner = np.repeat(np.repeat(np.arange(len(counts)), counts), times)
    choice = np.repeat(start[tokens] - (np.cumsum(times) - times), times) + np.arange(len(owner))
    # A text of one word needs a longer word, being its only sign.
    lengths = np.array([len(word) for word in number], dtype=np.int64)
    is_long = np.minimum(lengths[old], lengths[new]) >= MIN_LENGTH_ALONE
    kept = (counts > 1)[owner] | is_long[choice]
    owner, choice = owner[kept], choice[kept]
    keys = np.concatenate([totals, totals[owner] + (hashes[new] - hashes[old])[choice]])
    return _find_meetings(keys, np.r_[np.arange(len(texts)), owner], choice, new)


def _find_meetings(keys: Hashes, owners: Ints, choice: Ints, new: Ints) -> Pairs:
    """Return the edges between texts that meet in one sum.

    Two texts that meet after *different* replacements are one or two typing mistakes apart. Two that meet
    after putting in the same word are not: card and part are both near cart, not near each other. So a
    meeting counts when it has two different replacements, and then each text in it has a true partner.
    """
    keep = _find_shared(keys)
    order = keep[np.argsort(keys[keep])]
    starts, sizes = _find_runs(keys[order])
    if not len(starts):
        return EMPTY, EMPTY
    # The first keys are those of the texts as they are: nothing replaced, -1.
    texts = len(keys) - len(choice)
    replaced, later = np.full(len(order), -1), order >= texts
    replaced[later] = new[choice[order[later] - texts]]
    low, high = np.minimum.reduceat(replaced, starts), np.maximum.reduceat(replaced, starts)
    # All as they are: the same words in another order.
    wanted = np.repeat((low != high) | ((high == -1) & (sizes > 1)), sizes)
    owners = owners[order]
    return owners[wanted], np.repeat(owners[starts], sizes)[wanted]


def _find_shared(keys: Hashes) -> Ints:
    """Return the positions of keys that may occur twice: most do not, and need no sorting."""
    bits = min(24, (8 * len(keys)).bit_length())
    slots = (keys >> np.uint64(64 - bits)).astype(np.int64) if len(keys) else EMPTY
    return np.flatnonzero(np.bincount(slots)[slots] > 1)


def _find_runs(ordered: Hashes) -> tuple[Ints, Ints]:
    """Return where each run of equal values starts, and how long it is."""
    if not len(ordered):
        return EMPTY, EMPTY
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    return starts, np.diff(np.r_[starts, len(ordered)])


def _may_have_typos(word: str) -> bool:
    if not MIN_TYPO_LENGTH <= len(word) <= MAX_TYPO_LENGTH:
        return False
    return word.isalpha() if word.isascii() else not (SYLLABIC.search(word) or any(map(str.isdigit, word)))


def _find_fragment_pairs(words: Sequence[str]) -> Pairs:
    """Return pairs of words that share a fragment: a word with as many letters left out as edits allowed.

    Words within one edit share a fragment of one letter less, within two edits one of two letters less.
    """
    lengths = np.array([len(word) for word in words], dtype=np.int64)
    pieces = [_hash_fragments(words, np.flatnonzero(lengths == length)) for length in np.unique(lengths)]
    hashes = np.concatenate([piece[0] for piece in pieces])
    owners = np.concatenate([piece[1] for piece in pieces])
    keep = _find_shared(hashes)
    order = keep[np.argsort(hashes[keep])]
    hashes, owners = hashes[order], owners[order]
    # Every distinct pair of words in a bucket of one hash, but for buckets beyond the cap.
    starts, sizes = _find_runs(hashes)
    inside = np.arange(len(hashes)) - np.repeat(starts, sizes)
    later = np.where(np.repeat(sizes, sizes) <= MAX_BUCKET, np.repeat(sizes, sizes) - inside - 1, 0)
    first = np.repeat(np.arange(len(hashes)), later)
    second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(later) - later, later)
    low, high = np.minimum(owners[first], owners[second]), np.maximum(owners[first], owners[second])
    codes = np.unique((low * len(words) + high)[low != high])
    return codes // len(words), codes % len(words)


def _hash_fragments(words: Sequence[str], indices: Ints) -> tuple[Hashes, Ints]:
    """Return the hashes of the fragments of words of one length, and the words they come from."""
    length = len(words[indices[0]])
    text = "".join([words[i] for i in indices])
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).reshape(-1, length)
    mixed = (codes.astype(np.uint64) + np.uint64(1)) * np.uint64(0xD6E8FEB86659FD93)
    mixed ^= mixed >> np.uint64(32)
    drops: list[tuple[int, ...]] = [(), *((place,) for place in range(length))]
    if length >= MIN_LENGTH_TWO_EDITS:
        drops += combinations(range(length), 2)
    # The weight of each letter in each fragment: a power of the base by place, 0 if left out.
    powers = np.cumprod(np.full(length + 1, BASE))
    weights = np.zeros((length, len(drops)), dtype=np.uint64)
    for column, drop in enumerate(drops):
        kept = [place for place in range(length) if place not in drop]
        weights[kept, column] = powers[: len(kept)]
    return (mixed @ weights).ravel(), np.repeat(indices, len(drops))


def _number(keys: Sequence[str]) -> Ints:
    number = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    return np.fromiter(map(number.__getitem__, keys), np.int64, len(keys))


def _join(size: int, edges: Iterable[Pairs]) -> Ints:
    """Return the smallest member of each item's group (union-find with path halving)."""
    parent = list(range(size))

    def root(item: int) -> int:
        while parent[item] != item:
            parent[item] = parent[parent[item]]
            item = parent[item]
        return item

    for left, right in edges:
        for a, b in zip(left.tolist(), right.tolist(), strict=True):
            low, high = sorted((root(a), root(b)))
            parent[high] = low
    return np.array([root(item) for item in range(size)], dtype=np.int64)


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

Bag = frozenset[str]


def copy_pairs(texts: Sequence[str], languages: Sequence[str] = ()) -> Iterator[tuple[int, int]]:
    """Yield the index pairs (shorter, longer) of distinct normalised texts that are copies of each other.

    One text is such a copy of another when its words are all among the other's and

    - the rest are stop words, and at least two words are not; or
    - the rest are stop words and one other word, which neither negates nor asks nor counts, and at least six words of
      the shorter text are not stop words.

    Texts are compared within buckets of the same content words, so the cost grows with their number, not with its
    square. Only languages whose stop words are known have such copies.
    """
    stop = STOP_WORDS.get(choose_language(texts, languages))
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
