"""Values of slots in a message: misspelt words put right, values found, and given to slots by the topic."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache

from rapidfuzz.distance import OSA

from vivavoce.agents.agent import Agent, Slot, SlotKind
from vivavoce.agents.dates import find_days, find_times, resolve_day
from vivavoce.agents.languages import language_of

WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
MIN_LETTERS = 5
# Two slips are forgiven from this many letters on.
LONG = 8


class Speller:
    """Knows the words that are listened for (`targets`) and those that are ordinary words in their own right."""

    def __init__(self, targets: Iterable[str], ordinary: Iterable[str]) -> None:
        wanted = {word for word in targets if len(word) >= MIN_LETTERS and word.isalpha()}
        self._right = frozenset(wanted | set(ordinary) | set(targets))
        self._by_letter: dict[str, list[str]] = {}
        for word in sorted(wanted):
            self._by_letter.setdefault(word[0], []).append(word)
        self._correct = lru_cache(maxsize=4096)(self._nearest)

    def correct(self, text: str) -> str:
        """Return the text with misspelt words put right."""
        return WORD.sub(lambda match: self._correct(match[0]), text)

    def _nearest(self, word: str) -> str:
        if len(word) < MIN_LETTERS - 1 or word in self._right or not word.isalpha():
            return word
        # The first letter is seldom wrong, save where the first two are swapped.
        near = {
            target: OSA.distance(word, target, score_cutoff=2)
            for letter in dict.fromkeys(word[:2])
            for target in self._by_letter.get(letter, ())
        }
        alike = {target: slips for target, slips in near.items() if slips <= (2 if len(target) >= LONG else 1)}
        best = [target for target, slips in alike.items() if slips == min(alike.values())]
        target = best[0] if len(best) == 1 else ""
        same_start = word[:1] == target[:1] or sorted(word[:2]) == sorted(target[:2]) or word == target[1:]
        return target if target and same_start else word


_NUMBER = re.compile(r"(?<![\w.,:/-])([$€£]?)(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?![\w:/]|\.\d|-\d)")
_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ＇`´", "'"))
Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Option:
    """A slot that could take a value. `usable` False: the value lies outside the slot's range."""

    slot: str
    value: str
    usable: bool = True


@dataclass(frozen=True, slots=True)
class Mention:
    """A value somewhere in a message, the slots that could take it, and the one that a cue or a unit names.

    `loose`: a number that nothing ties to a slot; only a question for it makes it one. `redone`: words before it
    take an earlier value back.
    """

    start: int
    end: int
    options: tuple[Option, ...]
    cued: str | None = None
    loose: bool = False
    redone: bool = False

    def option(self, slot: str | None) -> Option | None:
        """Return what the value would be for a slot."""
        return next((option for option in self.options if option.slot == slot), None)


@dataclass(frozen=True, slots=True)
class Message:
    """A message with its values. `bare`: beside them it holds nothing that could name a topic."""

    text: str
    mentions: tuple[Mention, ...] = ()
    bare: bool = False
    corrects: bool = False


@dataclass(frozen=True, slots=True)
class _Token:
    word: str
    start: int
    end: int


class SlotFinder:
    """Finds the values of an agent's slots; `forgiving` puts misspelt words right before."""

    def __init__(self, agent: Agent, *, forgiving: bool = True) -> None:
        self.agent = agent
        self.words = language_of(agent.language)
        self.kinds = {kind: [s for s in agent.slots.values() if s.kind is kind] for kind in SlotKind}
        self._aliases = _aliases(agent.slots.values(), joined=forgiving)
        self._cues = {slot.name: _split_phrases(slot.cues) for slot in agent.slots.values()}
        self._units = {slot.name: _split_phrases(slot.units) for slot in agent.slots.values()}
        phrases = [phrase for known in (self._cues, self._units) for each in known.values() for phrase in each]
        names = [name.casefold().split("_") for name in agent.slots]
        words = self.words
        self._small = words.small.union(words.corrections, words.articles, words.negations, *phrases, *names)
        self._speller = self._build_speller() if forgiving else None

    def find(self, text: str) -> Message:
        """Return the values of a message, in the order of the text."""
        plain = " ".join(text.casefold().translate(_APOSTROPHES).split())
        plain = self._speller.correct(plain) if self._speller else plain
        tokens = [_Token(m[0].removesuffix("'s"), *m.span()) for m in WORD.finditer(plain)]
        mentions = [*self._days(plain), *self._times(plain)]
        mentions += self._listed(tokens, mentions)
        mentions += self._numbers(plain, tokens, mentions)
        mentions.sort(key=lambda mention: mention.start)
        given = tuple(m for m in (self._in_context(m, tokens) for m in mentions) if m is not None)
        corrects = any(token.word in self.words.corrections for token in tokens)
        bare = all(token.word in self._small or _overlaps(token.start, token.end, mentions) for token in tokens)
        return Message(plain, given, bare, corrects)

    def _days(self, text: str) -> Iterator[Mention]:
        for mention in find_days(text, self.agent.language):
            options = []
            for slot in self.kinds[SlotKind.DATE]:
                today = self.agent.today or slot.first or date.min
                day = resolve_day(mention, today, slot.first, slot.last)
                if day is not None:
                    usable = (slot.first is None or day >= slot.first) and (slot.last is None or day <= slot.last)
                    options.append(Option(slot.name, day.isoformat(), usable))
            if not self._is_alias(text[mention.start : mention.end]):
                yield Mention(mention.start, mention.end, tuple(options))

    def _times(self, text: str) -> Iterator[Mention]:
        for time in find_times(text, self.agent.language):
            if not self._is_alias(text[time.start : time.end]):
                options = tuple(Option(slot.name, time.value) for slot in self.kinds[SlotKind.TIME])
                yield Mention(time.start, time.end, options)

    def _is_alias(self, text: str) -> bool:
        """Whether a list claims this word for itself (a list of weekdays, say)."""
        words = tuple(WORD.findall(text))
        return any(known == words for known, _ in self._aliases.get(words[0], ())) if words else False

    def _listed(self, tokens: Sequence[_Token], taken: Sequence[Mention]) -> list[Mention]:
        mentions: list[Mention] = []
        place = 0
        while place < len(tokens):
            start, length = tokens[place].start, 1
            for words, options in self._aliases.get(tokens[place].word, ()):
                if tuple(token.word for token in tokens[place : place + len(words)]) == words:
                    end = tokens[place + len(words) - 1].end
                    if not _overlaps(start, end, taken):
                        mentions.append(Mention(start, end, options))
                        length = len(words)
                    break
            place += length
        return mentions

    def _numbers(self, text: str, tokens: Sequence[_Token], taken: Sequence[Mention]) -> list[Mention]:
        if not self.kinds[SlotKind.NUMBER]:
            return []
        numbers = [(m.start(), m.end(), m[2].replace(",", ""), m[1]) for m in _NUMBER.finditer(text)]
        for before, token in zip([None, *tokens], tokens, strict=False):
            value = self.words.numbers.get(token.word)
            # "one" in "that one" points and does not count.
            if value is not None and not (value == "1" and before and before.word in self.words.pointers):
                numbers.append((token.start, token.end, value, ""))
        free = sorted(number for number in numbers if not _overlaps(number[0], number[1], taken))
        mentions = (self._number(tokens, *number) for number in free)
        return [mention for mention in mentions if mention is not None]

    def _number(self, tokens: Sequence[_Token], start: int, end: int, value: str, sign: str) -> Mention | None:
        after = [token.word for token in tokens if token.start >= end][:4]
        slots = self.kinds[SlotKind.NUMBER]
        named = [s for s in slots if sign in s.units and sign] or [
            s for s in slots if any(tuple(after[: len(unit)]) == unit for unit in self._units[s.name])
        ]
        # `3 days` counts days, whatever comes before it.
        if not named and (sign or (after and after[0] in self.words.measures)):
            return None
        options = []
        for slot in named or slots:
            low = slot.least is not None and float(value) < slot.least
            high = slot.most is not None and float(value) > slot.most
            options.append(Option(slot.name, value, not (low or high)))
        return Mention(start, end, tuple(options), named[0].name if len(named) == 1 else None, loose=not named)

    def _in_context(self, mention: Mention, tokens: Sequence[_Token]) -> Mention | None:
        """Tell which slot a cue names; drop what is denied and what no slot could take."""
        before = [token.word for token in tokens if token.end <= mention.start]
        if not mention.options or (before and before[-1] in self.words.negations):
            return None
        cued = mention.cued or self._cue(before, mention.options)
        redone = any(word in self.words.corrections for word in before[-3:])
        return Mention(mention.start, mention.end, mention.options, cued, mention.loose and cued is None, redone)

    def _cue(self, before: Sequence[str], options: Iterable[Option]) -> str | None:
        """Return the slot whose longest cue comes before a value, small words between them passed over."""
        names = [option.slot for option in options]
        for skipped in range(3):
            words = tuple(before[: len(before) - skipped])
            fits = [
                (len(cue), -place, name)
                for place, name in enumerate(names)
                for cue in self._cues[name]
                if words[-len(cue) :] == cue
            ]
            if fits:
                return max(fits)[2]
            if not words or words[-1] not in self.words.articles:
                return None
        return None

    def _build_speller(self) -> Speller:
        words = self.words
        listed = [word for first in self._aliases.values() for alias, _ in first for word in alias]
        dated = [*words.months, *words.weekdays, *words.ordinals] if self.kinds[SlotKind.DATE] else []
        near = [word for phrase in words.offsets for word in phrase.split()] if dated else []
        timed = [*words.parts, *words.hours] if self.kinds[SlotKind.TIME] else []
        counted = [*words.numbers] if self.kinds[SlotKind.NUMBER] else []
        texts = [text for topic in self.agent.topics for text in (*topic.phrases, *topic.keywords)]
        ordinary = {word for text in texts for word in WORD.findall(text.casefold())}
        return Speller([*listed, *dated, *near, *timed, *counted], ordinary | words.ordinary | self._small)


def _aliases(slots: Iterable[Slot], *, joined: bool) -> dict[str, list[tuple[Words, tuple[Option, ...]]]]:
    """Return all words for values by their first word, the longest first; `joined`: also written as one word."""
    options: dict[Words, list[Option]] = {}
    for slot in slots:
        for value, others in slot.values.items():
            forms: dict[Words, None] = {}
            for words in _split_phrases((value, *others)):
                forms[words] = None
                if joined and len(words) > 1 and sum(map(len, words)) >= 8:
                    forms["".join(words),] = None
            for words in forms:
                options.setdefault(words, []).append(Option(slot.name, value))
    aliases: dict[str, list[tuple[Words, tuple[Option, ...]]]] = {}
    for words, taken in sorted(options.items(), key=lambda item: -len(item[0])):
        aliases.setdefault(words[0], []).append((words, tuple(taken)))
    return aliases


def _split_phrases(texts: Iterable[str]) -> list[Words]:
    phrases = (tuple(WORD.findall(text.casefold().translate(_APOSTROPHES))) for text in texts)
    return [words for words in phrases if words]


def _overlaps(start: int, end: int, taken: Iterable[Mention]) -> bool:
    return any(start < mention.end and mention.start < end for mention in taken)


@dataclass(frozen=True)
class Taken:
    """Values given to slots, and slots that were offered a value outside their range."""

    values: Mapping[str, str]
    outside: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """What decides who takes a value: the slot that was asked for, those of the topic, and what is known.

    `known` is in the order in which slots were filled.
    """

    asked: str | None = None
    needs: Sequence[str] = ()
    takes: Sequence[str] = ()
    known: Mapping[str, str] = field(default_factory=dict)


def give_values(message: Message, wanted: Wanted) -> Taken:
    """Give each value to one slot: by its cue, the question before, the needs of the topic, or what is empty."""
    values: dict[str, str] = {}
    outside: list[str] = []
    ordered = sorted(message.mentions, key=lambda mention: mention.cued is None)
    for mention in ordered:
        slot = mention.cued or _taker(mention, message, wanted, values)
        option = mention.option(slot)
        if option is None or (option.slot in values and mention.cued is None and not mention.redone):
            continue
        if option.usable:
            values[option.slot] = option.value
        else:
            outside.append(option.slot)
    return Taken(values, tuple(dict.fromkeys(name for name in outside if name not in values)))


def _taker(mention: Mention, message: Message, wanted: Wanted, values: Mapping[str, str]) -> str | None:
    able = [option.slot for option in mention.options]
    if wanted.asked in able and wanted.asked not in values:
        return wanted.asked
    own = [name for name in (*wanted.needs, *wanted.takes) if name in able]
    if mention.loose:
        return own[0] if own and message.bare else None
    if mention.redone and (filled := [name for name in values if name in able]):
        return filled[-1]
    if any(wanted.known.get(option.slot) == option.value for option in mention.options):
        return None
    filled = [name for name in wanted.known if name in own and name not in values]
    if message.corrects and filled and not [n for n in wanted.needs if n in own and n not in wanted.known]:
        return filled[-1]
    free = [name for name in (*own, *able) if name not in wanted.known and name not in values]
    within = [name for name in free if name in own]
    again = [name for name in wanted.known if name in able and name not in values]
    return next(iter(within or filled[-1:] or free or again[-1:]), None)
