"""One row of numbers for each message of a dialogue: what it is like, alone and beside the messages around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from vivavoce.dialogues.corpus.preprocessing import normalise
from vivavoce.dialogues.dialogue import View
from vivavoce.dialogues.model.terms import terms_of

Floats = NDArray[np.float64]
Words = frozenset[str]

# How far back a repetition is looked for, and how far back the message that is answered may lie.
MEMORY = 20
REACH = 3
# A message this like an earlier one is the same message again.
SAME = 0.8
# The rarity of a word that was never met.
UNKNOWN_RARITY = 8.0
# Nobody reads on: a longer message is cut here.
MAX_WORDS = 400


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# Words that carry no topic: two messages that share only these are not about the same thing.
EMPTY = _words(
    "a an the i you he she it we they me him her us them my your his its our their this that these those is am are"
    " was were be been being do does did have has had will would can could should may might must to of in on at for"
    " with about from by as and or but if so not n't 's 're 've 'll 'd 'm i'm no yes what who where when why how"
    " which there here just very too also , ? ! ( ) ' `"
)

GROUPS: dict[str, frozenset[str]] = {
    name: _words(words)
    for name, words in {
        "displeased": "stupid bad wrong boring terrible awful hate nonsense idiot dumb shit fuck fucking strange"
        " weird useless annoying crazy silly horrible sucks suck poor rude worst hell damn crap sad",
        "pleased": "great good nice cool interesting thanks thank wow awesome love like haha lol fun funny glad happy"
        " excellent perfect amazing agree right sure ok okay yes yeah true exactly pleasure enjoy enjoyed",
        "machine": "bot bots robot machine human computer program ai chatbot",
        "greeting": "hi hello hey greetings",
        "farewell": "bye goodbye bb cya later farewell end",
        "puzzled": "know understand sorry idea mean confused sense pardon repeat unclear",
        "self": "i my me i'm myself mine",
        "other": "you your u yours",
        "linking": "because so but however although then also since though therefore maybe actually well",
    }.items()
}
THANKS = _words("thanks thank pleasure nice")
KNOWING = _words("know understand")
NOT = _words("n't not")

COLUMNS = (
    *("words", "letters", "rarity", "unknown", "new", "fresh", "common", "repeat", "repeated"),
    *("question", "insisting", "exclaimed", "commas", "brackets", "digits"),
    *GROUPS,
    *("ignorance", "thanks", "short", "relevance", "related", "echo"),
    *("asked", "answered", "asked_back", "run", "opens"),
)
COLUMN = {name: number for number, name in enumerate(COLUMNS)}


@dataclass(frozen=True)
class EncodedDialogue:
    """A view as the model reads it: `peer` says which messages are the peer's, `table` has one row for each."""

    tokens: tuple[tuple[str, ...], ...]
    peer: NDArray[np.bool_]
    table: Floats
    before: tuple[int, ...]
    after: tuple[int, ...]

    @cached_property
    def terms(self) -> list[list[str]]:
        """The words and pairs of words of each message."""
        return [terms_of(message) for message in self.tokens]


def encode_view(view: View, rarity: Mapping[str, float]) -> EncodedDialogue:
    """Describe every message of a view; `rarity` of the words as learned, words outside it are unknown."""
    turns = view.dialogue.turns
    tokens = tuple(tokens_of(turn.text) for turn in turns)
    peer = [turn.speaker != view.judge for turn in turns]
    before, after = _find_neighbours(peer)
    table = _Table(tokens, peer, before, rarity).rows()
    return EncodedDialogue(tokens, np.array(peer, dtype=bool), table, before, after)


@lru_cache(maxsize=2**16)
def tokens_of(text: str) -> tuple[str, ...]:
    """Return the words and signs of a message; cached, because training reads each message many times."""
    return tuple(normalise(text).split()[:MAX_WORDS])


def likeness(own: Words, other: Words) -> float:
    """Return the share of words that two messages have in common (Jaccard)."""
    if not own or not other:
        return 0.0
    both = len(own & other)
    return both / (len(own) + len(other) - both)


def _find_neighbours(peer: Sequence[bool]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return for each message the other side's last message before it and first one after it (-1: none)."""
    before, after = [-1] * len(peer), [-1] * len(peer)
    last = {True: -1, False: -1}
    for i, side in enumerate(peer):
        before[i] = last[not side]
        last[side] = i
    last = {True: -1, False: -1}
    for i in range(len(peer) - 1, -1, -1):
        after[i] = last[not peer[i]]
        last[peer[i]] = i
    return tuple(before), tuple(after)


class _Table:
    """Builds the rows in one pass: what each side has said so far is remembered."""

    def __init__(
        self,
        tokens: Sequence[Sequence[str]],
        peer: Sequence[bool],
        before: Sequence[int],
        rarity: Mapping[str, float],
    ) -> None:
        self._tokens, self._peer, self._before, self._rarity = tokens, peer, before, rarity
        self._words = [frozenset(message) for message in tokens]
        self._content = [words - EMPTY for words in self._words]
        self._used: dict[bool, set[str]] = {True: set(), False: set()}
        self._own: dict[bool, list[Words]] = {True: [], False: []}
        self._all = {
            side: frozenset().union(*(c for c, own in zip(self._content, peer, strict=True) if own is side))
            for side in (True, False)
        }

    def rows(self) -> Floats:
        rows = [[*self._wording(i), *self._place(i)] for i in range(len(self._tokens))]
        return np.array(rows, dtype=np.float64).reshape(len(self._tokens), len(COLUMNS))

    def _wording(self, i: int) -> list[float]:
        """Numbers of the message itself and of what its side said before: `words` to `short`."""
        message, words, side = self._tokens[i], self._words[i], self._peer[i]
        rarity, used = self._rarity, self._used[side]
        new = words - used
        fresh = self._content[i] - used
        used |= words
        repeat = max((likeness(words, old) for old in self._own[side][-MEMORY:]), default=0.0)
        self._own[side].append(words)
        return [
            len(message),
            sum(map(len, message)),
            sum(rarity.get(word, UNKNOWN_RARITY) for word in message),
            sum(word not in rarity for word in message),
            len(new),
            len(fresh),
            len(fresh & self._all[not side]),
            repeat,
            repeat > SAME,
            *_count_signs(message, words),
            *(
                sum(word in group for word in message) if not group.isdisjoint(words) else 0
                for group in GROUPS.values()
            ),
            not (words.isdisjoint(KNOWING) or words.isdisjoint(NOT)),
            not words.isdisjoint(THANKS),
            len(message) <= 2,
        ]

    def _place(self, i: int) -> list[float]:
        """Numbers of the message beside the other side's: `relevance` to `opens`."""
        side, content = self._peer[i], self._content[i]
        nearby = [k for k in range(max(0, i - REACH), i) if self._peer[k] is not side]
        topics = frozenset().union(*(self._content[k] for k in nearby))
        shared = len(content & topics)
        asked = bool(nearby) and i - self._before[i] < REACH and "?" in self._words[self._before[i]]
        run = 1
        while i - run >= 0 and self._peer[i - run] is side and run < MEMORY:
            run += 1
        return [
            shared / len(content) if content else 0.0,
            shared > 0,
            likeness(self._words[i], self._words[self._before[i]]) if nearby else 0.0,
            asked,
            asked and not content.isdisjoint(self._content[self._before[i]]),
            asked and "?" in self._words[i],
            run,
            run == 1,
        ]


def _count_signs(message: Sequence[str], words: Words) -> list[float]:
    """Numbers of punctuation: `question` to `digits`."""
    questions = message.count("?") if "?" in words else 0
    return [
        questions > 0,
        questions > 1 or tuple(message) == ("?",),
        message.count("!") if "!" in words else 0,
        message.count(",") if "," in words else 0,
        message.count("(") + message.count(")"),
        sum(word[0].isdigit() for word in message),
    ]
