"""Values of slots in a message: found first, given to slots later, when the topic is known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from vivavoce.agents.agent import Agent, Slot, SlotKind
from vivavoce.agents.dates import DayMention, find_days, resolve_day
from vivavoce.agents.languages import language_of
from vivavoce.agents.spelling import WORD, Speller
from vivavoce.agents.times import TimeMention, find_times

__all__ = ["Mention", "Message", "Option", "SlotFinder"]

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
        self._cues = {slot.name: _phrases(slot.cues) for slot in agent.slots.values()}
        self._units = {slot.name: _phrases(slot.units) for slot in agent.slots.values()}
        self._small = self._little_words()
        self._speller = self._spelling() if forgiving else None

    def find(self, text: str) -> Message:
        """Return the values of a message, in the order of the text."""
        plain = " ".join(text.casefold().translate(_APOSTROPHES).split())
        plain = self._speller.correct(plain) if self._speller else plain
        tokens = [_Token(m[0].removesuffix("'s"), *m.span()) for m in WORD.finditer(plain)]
        found = [*self._days(plain), *self._times(plain)]
        found += self._listed(tokens, found)
        found += self._numbers(plain, tokens, found)
        mentions = sorted(found, key=lambda mention: mention.start)
        kept = tuple(m for m in (self._in_context(m, tokens) for m in mentions) if m is not None)
        corrects = any(token.word in self.words.corrections for token in tokens)
        return Message(plain, kept, self._is_bare(tokens, mentions), corrects)

    # --- one kind after another ----------------------------------------------------------------------------------

    def _days(self, text: str) -> Iterator[Mention]:
        for day in find_days(text, self.agent.language):
            if not self._is_alias(text[day.start : day.end]):
                options = tuple(o for slot in self.kinds[SlotKind.DATE] if (o := self._day_option(slot, day)))
                yield Mention(day.start, day.end, options)

    def _day_option(self, slot: Slot, mention: DayMention) -> Option | None:
        today = self.agent.today or slot.first or date.min
        day = resolve_day(mention, today, slot.first, slot.last)
        if day is None:
            return None
        usable = (slot.first is None or day >= slot.first) and (slot.last is None or day <= slot.last)
        return Option(slot.name, day.isoformat(), usable)

    def _times(self, text: str) -> Iterator[Mention]:
        for time in find_times(text, self.agent.language):
            if not self._is_alias(text[time.start : time.end]):
                yield self._time(time)

    def _time(self, time: TimeMention) -> Mention:
        options = tuple(Option(slot.name, time.value) for slot in self.kinds[SlotKind.TIME])
        return Mention(time.start, time.end, options)

    def _is_alias(self, text: str) -> bool:
        """Whether a list claims this word for itself (a list of weekdays, say)."""
        words = tuple(WORD.findall(text))
        return any(known == words for known, _ in self._aliases.get(words[0], ())) if words else False

    def _listed(self, tokens: Sequence[_Token], taken: Sequence[Mention]) -> list[Mention]:
        found: list[Mention] = []
        place = 0
        while place < len(tokens):
            words, options = self._alias_at(tokens, place)
            if options and not _overlaps(tokens[place].start, tokens[place + len(words) - 1].end, taken):
                found.append(Mention(tokens[place].start, tokens[place + len(words) - 1].end, options))
                place += len(words)
            else:
                place += 1
        return found

    def _alias_at(self, tokens: Sequence[_Token], place: int) -> tuple[Words, tuple[Option, ...]]:
        for words, options in self._aliases.get(tokens[place].word, ()):
            if tuple(token.word for token in tokens[place : place + len(words)]) == words:
                return words, options
        return (), ()

    def _numbers(self, text: str, tokens: Sequence[_Token], taken: Sequence[Mention]) -> list[Mention]:
        if not self.kinds[SlotKind.NUMBER]:
            return []
        figures = [(m.start(), m.end(), m[2].replace(",", ""), m[1]) for m in _NUMBER.finditer(text)]
        spoken = list(self._spoken(tokens))
        free = [n for n in (*figures, *spoken) if not _overlaps(n[0], n[1], taken)]
        found = (self._number(tokens, *number) for number in sorted(free))
        return [mention for mention in found if mention is not None]

    def _spoken(self, tokens: Sequence[_Token]) -> Iterator[tuple[int, int, str, str]]:
        """Return numbers said in words; "one" in "that one" points and does not count."""
        for before, token in zip([None, *tokens], tokens, strict=False):
            value = self.words.numbers.get(token.word)
            if value is not None and not (value == "1" and before and before.word in self.words.pointers):
                yield token.start, token.end, value, ""

    def _number(self, tokens: Sequence[_Token], start: int, end: int, value: str, sign: str) -> Mention | None:
        after = [token.word for token in tokens if token.start >= end][:4]
        slots = self.kinds[SlotKind.NUMBER]
        named = [s for s in slots if sign in s.units and sign] or [
            s for s in slots if any(tuple(after[: len(unit)]) == unit for unit in self._units[s.name])
        ]
        # `3 days` counts days, whatever stands before it.
        if not named and (sign or (after and after[0] in self.words.measures)):
            return None
        options = tuple(_number_option(slot, value) for slot in named or slots)
        return Mention(start, end, options, named[0].name if len(named) == 1 else None, loose=not named)

    # --- what stands around --------------------------------------------------------------------------------------

    def _in_context(self, mention: Mention, tokens: Sequence[_Token]) -> Mention | None:
        """Tell which slot a cue names; drop what is denied and what no slot could take."""
        before = [token.word for token in tokens if token.end <= mention.start]
        if not mention.options or (before and before[-1] in self.words.negations):
            return None
        cued = mention.cued or self._cue(before, mention.options)
        redone = any(word in self.words.corrections for word in before[-3:])
        return Mention(mention.start, mention.end, mention.options, cued, mention.loose and cued is None, redone)

    def _cue(self, before: Sequence[str], options: Iterable[Option]) -> str | None:
        """Return the slot whose longest cue stands before a value, small words between them passed over."""
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

    def _is_bare(self, tokens: Sequence[_Token], mentions: Sequence[Mention]) -> bool:
        return all(t.word in self._small or _overlaps(t.start, t.end, mentions) for t in tokens)

    # --- prepared once -------------------------------------------------------------------------------------------

    def _little_words(self) -> frozenset[str]:
        own = [
            word for known in (self._cues, self._units) for each in known.values() for unit in each for word in unit
        ]
        names = [word for name in self.agent.slots for word in name.casefold().split("_")]
        parts = [self.words.small, self.words.corrections, self.words.articles, self.words.negations, own, names]
        return frozenset(word for part in parts for word in part)

    def _spelling(self) -> Speller:
        words = self.words
        listed = [word for first in self._aliases.values() for alias, _ in first for word in alias]
        dated = [*words.months, *words.weekdays, *words.ordinals] if self.kinds[SlotKind.DATE] else []
        near = [word for phrase in words.offsets for word in phrase.split()] if dated else []
        timed = [*words.parts, *words.hours] if self.kinds[SlotKind.TIME] else []
        counted = [*words.numbers] if self.kinds[SlotKind.NUMBER] else []
        said = [text for topic in self.agent.topics for text in (*topic.phrases, *topic.keywords)]
        ordinary = {word for text in said for word in WORD.findall(text.casefold())}
        return Speller([*listed, *dated, *near, *timed, *counted], ordinary | words.ordinary | self._small)


def _aliases(slots: Iterable[Slot], *, joined: bool) -> dict[str, list[tuple[Words, tuple[Option, ...]]]]:
    """Return all words for values by their first word, the longest first; `joined`: also written as one word."""
    options: dict[Words, list[Option]] = {}
    for slot in slots:
        for value, others in slot.values.items():
            for words in dict.fromkeys(_forms((value, *others), joined)):
                options.setdefault(words, []).append(Option(slot.name, value))
    found: dict[str, list[tuple[Words, tuple[Option, ...]]]] = {}
    for words, taken in sorted(options.items(), key=lambda item: -len(item[0])):
        found.setdefault(words[0], []).append((words, tuple(taken)))
    return found


def _forms(texts: Iterable[str], joined: bool) -> Iterator[Words]:
    for words in _phrases(texts):
        yield words
        if joined and len(words) > 1 and sum(map(len, words)) >= 8:
            yield ("".join(words),)


def _phrases(texts: Iterable[str]) -> list[Words]:
    parted = (tuple(WORD.findall(text.casefold().translate(_APOSTROPHES))) for text in texts)
    return [words for words in parted if words]


def _number_option(slot: Slot, value: str) -> Option:
    number = float(value)
    usable = (slot.least is None or number >= slot.least) and (slot.most is None or number <= slot.most)
    return Option(slot.name, value, usable)


def _overlaps(start: int, end: int, taken: Iterable[Mention]) -> bool:
    return any(start < mention.end and mention.start < end for mention in taken)
