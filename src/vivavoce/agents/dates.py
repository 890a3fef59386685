"""Days in a message: written out, in figures, named by weekday, or counted from today."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import TypeVar

from vivavoce.agents.languages import Language, language_of

T = TypeVar("T")
Reading = tuple[int, int | None, int | None]


@dataclass(frozen=True, slots=True)
class DayMention:
    """A day somewhere in a text. `readings`: day, month and year as they may be meant, the likeliest first."""

    start: int
    end: int
    readings: tuple[Reading, ...] = ()
    weekday: int | None = None
    offset: int | None = None


def find_days(text: str, code: str) -> Iterator[DayMention]:
    """Yield the days of a lower-cased text; the fullest writing of each, none within another."""
    yield from (mention for _, mention in find_all(text, _patterns(code)))


def find_all(
    text: str, patterns: Iterable[tuple[re.Pattern[str], Callable[[re.Match[str]], T | None]]]
) -> Iterator[tuple[re.Match[str], T]]:
    """Yield what patterns find in a text, as their readers read it, none within another."""
    taken: list[tuple[int, int]] = []
    for pattern, read in patterns:
        for match in pattern.finditer(text):
            value = read(match)
            if value and not any(match.start() < end and start < match.end() for start, end in taken):
                taken.append(match.span())
                yield match, value


def resolve_day(mention: DayMention, today: date, first: date | None, last: date | None) -> date | None:
    """Return the day that is meant: the first possible one in the range, else the next one from today."""
    days = list(_candidates(mention, today, first or today))
    for day in days:
        if (first is None or day >= first) and (last is None or day <= last):
            return day
    return min((day for day in days if day >= today), default=days[0] if days else None)


def day_in_words(day: date, code: str) -> str:
    """Write a day as people say it."""
    words = language_of(code)
    return words.day_in_words.format(
        weekday=words.weekday_names[day.weekday()], day=day.day, month=words.month_names[day.month - 1], year=day.year
    )


def _candidates(mention: DayMention, today: date, start: date) -> Iterator[date]:
    if mention.offset is not None:
        yield today + timedelta(days=mention.offset)
        return
    if mention.weekday is not None:
        # A weekday that is said today means a coming one; a range may begin later.
        for base in (today + timedelta(days=1), start):
            yield base + timedelta(days=(mention.weekday - base.weekday()) % 7)
        return
    for day, month, year in mention.readings:
        # The months that a day without them may lie in, the nearest first.
        if month is not None:
            years = [year] if year else sorted({start.year, today.year, today.year + 1})
            months = [each * 12 + month - 1 for each in years]
        else:
            nearest = sorted({start.year * 12 + start.month - 1, today.year * 12 + today.month - 1})
            months = [count + more for count in nearest for more in (0, 1)]
        for count in months:
            with suppress(ValueError):
                yield date(count // 12, count % 12 + 1, day)


class _Reader:
    """Turns a match of a pattern into a mention."""

    def __init__(self, words: Language) -> None:
        self.words = words

    def iso(self, match: re.Match[str]) -> DayMention | None:
        year, month, day = (int(part) for part in match.groups())
        return _valid(match, [(day, month, year)])

    def figures(self, match: re.Match[str]) -> DayMention | None:
        """`12/10`: the day first, as most of the world writes; the month first where that cannot be."""
        first, second, year = int(match["a"]), int(match["b"]), _year(match["year"])
        return _valid(match, [(first, second, year), (second, first, year)])

    def written(self, match: re.Match[str]) -> DayMention | None:
        month = self.words.months[match["month"]]
        return _valid(match, [(self._day(match["day"]), month, _year(match["year"]))])

    def alone(self, match: re.Match[str]) -> DayMention | None:
        return _valid(match, [(self._day(match["day"]), None, None)])

    def weekday(self, match: re.Match[str]) -> DayMention:
        name = match["weekday"]
        return DayMention(*match.span(), weekday={**self.words.weekdays, **self.words.short_weekdays}[name])

    def offset(self, match: re.Match[str]) -> DayMention:
        return DayMention(*match.span(), offset=self.words.offsets[match[0]])

    def in_days(self, match: re.Match[str]) -> DayMention:
        count = match["count"]
        return DayMention(*match.span(), offset=int(self.words.numbers.get(count, count)))

    def _day(self, text: str) -> int:
        plain = re.sub(r"[ -]+", "-", text)
        return self.words.ordinals.get(plain) or int(re.sub(r"\D", "", text))


def _valid(match: re.Match[str], readings: list[Reading]) -> DayMention | None:
    kept = tuple(r for r in readings if 1 <= r[0] <= 31 and (r[1] is None or 1 <= r[1] <= 12))
    return DayMention(*match.span(), readings=tuple(dict.fromkeys(kept))) if kept else None


def _year(text: str | None) -> int | None:
    if not text:
        return None
    return int(text) + 2000 if len(text) == 2 else int(text)


def _any(words: Iterable[str]) -> str:
    """Match one of these words, the longest first; a hyphen may be a blank."""
    ordered = sorted(words, key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace(r"\-", "[ -]").replace(r"\ ", " ") for word in ordered)


_Read = Callable[[re.Match[str]], DayMention | None]


@lru_cache(maxsize=8)
def _patterns(code: str) -> list[tuple[re.Pattern[str], _Read]]:
    """Return the ways to write a day with their readers, the fullest first."""
    words = language_of(code)
    read = _Reader(words)
    weekday, month = _any(words.weekdays), _any(words.months)
    both = _any({**words.weekdays, **words.short_weekdays})
    ending, point = words.ordinal_endings, r"\." if words.ordinal_endings == r"\." else "/"
    day = rf"(?P<day>\d{{1,2}}(?:{ending})?|{_any(words.ordinals)})"
    year = r"(?:,? (?P<year>\d{4}))?"
    named = rf"(?:\b(?:{both}),? )?(?:the |den |dem )?"
    # The words for 1 to 3 say much else (`the first one`); alone they are no day.
    alone = [word for word, number in words.ordinals.items() if number > 3]
    count = rf"(?P<count>\d{{1,2}}|{_any(words.numbers)})"
    ways: list[tuple[str, _Read]] = [
        (r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b", read.iso),
        (
            rf"{named}(?<![\w/.])(?P<a>\d{{1,2}})[/{point}](?P<b>\d{{1,2}})(?:[/{point}](?P<year>\d{{4}}|\d\d)?)?(?![\w%/])",
            read.figures,
        ),
        (rf"{named}\b{day}(?: of)? (?P<month>{month})\b{year}", read.written),
        (rf"{named}\b(?P<month>{month})\.? (?:the )?{day}\b(?!:){year}", read.written),
        (rf"{named}\b(?P<day>\d{{1,2}}(?:{ending}))(?!\w)", read.alone),
        (rf"(?:{both}),? (?:the|den|dem) (?P<day>{_any(words.ordinals)})\b", read.alone),
        (rf"\b(?:the|den|dem|am) (?P<day>{_any(alone)})\b", read.alone),
        (rf"\b{words.in_days[0]} {count} {words.in_days[1]}\b", read.in_days),
        (rf"\b(?:{_any(words.offsets)})\b", read.offset),
        (rf"\b(?P<weekday>{weekday})s?\b", read.weekday),
        (rf"\b(?:on|next|this|am|nächsten|diesen) (?P<weekday>{_any(words.short_weekdays)})\b", read.weekday),
    ]
    return [(re.compile(pattern), reader) for pattern, reader in ways]
