"""Days and times of day in a message: written out, in figures, by their names, or counted from today."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple, TypeVar

from vivavoce.agents.languages import language_of

T = TypeVar("T")
Reading = tuple[int, int | None, int | None]
_Read = Callable[[re.Match[str]], T | None]


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
    yield from (mention for _, mention in find_all(text, _day_patterns(code)))


def find_all(text: str, patterns: Iterable[tuple[re.Pattern[str], _Read[T]]]) -> Iterator[tuple[re.Match[str], T]]:
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


def _valid(match: re.Match[str], readings: list[Reading]) -> DayMention | None:
    possible = dict.fromkeys(r for r in readings if 1 <= r[0] <= 31 and (r[1] is None or 1 <= r[1] <= 12))
    return DayMention(*match.span(), readings=tuple(possible)) if possible else None


def _year(text: str | None) -> int | None:
    if not text:
        return None
    return int(text) + 2000 if len(text) == 2 else int(text)


def _any(words: Iterable[str]) -> str:
    """Match one of these words, the longest first; a hyphen may be a blank."""
    ordered = sorted(words, key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace(r"\-", "[ -]").replace(r"\ ", " ") for word in ordered)


def _read_figures(match: re.Match[str]) -> DayMention | None:
    # `12/10`: the day first, as most of the world writes; the month first where that cannot be.
    first, second, year = int(match["a"]), int(match["b"]), _year(match["year"])
    return _valid(match, [(first, second, year), (second, first, year)])


@lru_cache(maxsize=8)
def _day_patterns(code: str) -> list[tuple[re.Pattern[str], _Read[DayMention]]]:
    """Return the ways to write a day with their readers, the fullest first."""
    words = language_of(code)
    every_weekday = {**words.weekdays, **words.short_weekdays}

    def read_day(match: re.Match[str]) -> int:
        return words.ordinals.get(re.sub(r"[ -]+", "-", match["day"])) or int(re.sub(r"\D", "", match["day"]))

    def read_written(match: re.Match[str]) -> DayMention | None:
        return _valid(match, [(read_day(match), words.months[match["month"]], _year(match["year"]))])

    def read_alone(match: re.Match[str]) -> DayMention | None:
        return _valid(match, [(read_day(match), None, None)])

    def read_weekday(match: re.Match[str]) -> DayMention:
        return DayMention(*match.span(), weekday=every_weekday[match["weekday"]])

    weekday, month, both = _any(words.weekdays), _any(words.months), _any(every_weekday)
    ending, point = words.ordinal_endings, r"\." if words.ordinal_endings == r"\." else "/"
    day = rf"(?P<day>\d{{1,2}}(?:{ending})?|{_any(words.ordinals)})"
    year = r"(?:,? (?P<year>\d{4}))?"
    named = rf"(?:\b(?:{both}),? )?(?:the |den |dem )?"
    # The words for 1 to 3 say much else (`the first one`); alone they are no day.
    alone = [word for word, number in words.ordinals.items() if number > 3]
    count = rf"(?P<count>\d{{1,2}}|{_any(words.numbers)})"
    figures = rf"(?P<a>\d{{1,2}})[/{point}](?P<b>\d{{1,2}})(?:[/{point}](?P<year>\d{{4}}|\d\d)?)?"
    ways: dict[str, _Read[DayMention]] = {
        r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b": lambda match: _valid(
            match, [(int(match[3]), int(match[2]), int(match[1]))]
        ),
        rf"{named}(?<![\w/.]){figures}(?![\w%/])": _read_figures,
        rf"{named}\b{day}(?: of)? (?P<month>{month})\b{year}": read_written,
        rf"{named}\b(?P<month>{month})\.? (?:the )?{day}\b(?!:){year}": read_written,
        rf"{named}\b(?P<day>\d{{1,2}}(?:{ending}))(?!\w)": read_alone,
        rf"(?:{both}),? (?:the|den|dem) (?P<day>{_any(words.ordinals)})\b": read_alone,
        rf"\b(?:the|den|dem|am) (?P<day>{_any(alone)})\b": read_alone,
        rf"\b{words.in_days[0]} {count} {words.in_days[1]}\b": lambda match: DayMention(
            *match.span(), offset=int(words.numbers.get(match["count"], match["count"]))
        ),
        rf"\b(?:{_any(words.offsets)})\b": lambda match: DayMention(*match.span(), offset=words.offsets[match[0]]),
        rf"\b(?P<weekday>{weekday})s?\b": read_weekday,
        rf"\b(?:on|next|this|am|nächsten|diesen) (?P<weekday>{_any(words.short_weekdays)})\b": read_weekday,
    }
    return [(re.compile(pattern), read) for pattern, read in ways.items()]


class TimeMention(NamedTuple):
    """A time somewhere in a text: `21:00`, or the word for a part of the day."""

    start: int
    end: int
    value: str


def find_times(text: str, code: str) -> Iterator[TimeMention]:
    """Yield the times of a lower-cased text, none within another."""
    yield from (TimeMention(*match.span(), value) for match, value in find_all(text, _time_patterns(code)))


def minutes_of(value: str) -> int | None:
    """Return the minutes since midnight of `21:00`, nothing for other texts."""
    match = re.fullmatch(r"(\d{1,2}):(\d\d)(?::\d\d)?", value.strip())
    return int(match[1]) * 60 + int(match[2]) if match else None


def within_time(cell: str, wanted: str, code: str) -> bool:
    """Whether a time of a table is the one that is wanted, or lies in the part of the day that is wanted."""
    minutes = minutes_of(cell)
    part = language_of(code).parts.get(wanted.casefold())
    if minutes is None:
        return cell.casefold() == wanted.casefold()
    return part[0] <= minutes < part[1] if part else minutes == minutes_of(wanted)


def _time(hour: int, minute: int) -> str | None:
    return f"{hour:02d}:{minute:02d}" if 0 <= hour < 24 and 0 <= minute < 60 else None


@lru_cache(maxsize=8)
def _time_patterns(code: str) -> list[tuple[re.Pattern[str], _Read[str]]]:
    words = language_of(code)

    def read_clock(match: re.Match[str]) -> str | None:
        parts = match.groupdict()
        hour = int(words.numbers.get(parts["hour"], parts["hour"]))
        half = (parts.get("half") or "").replace(".", "")
        if half and not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "pm" else 0) if half else hour
        return _time(hour, int(parts.get("minute") or 0))

    def read_spoken(match: re.Match[str]) -> str | None:
        hour = int(words.numbers.get(match["hour"], match["hour"]))
        minutes = {"half past": 30, "quarter past": 15, "quarter to": -15}[match["part"]]
        return _time((hour * 60 + minutes) // 60, (hour * 60 + minutes) % 60)

    half = r"(?P<half>[ap]\.?m\b\.?)"
    hour = rf"(?P<hour>\d{{1,2}}|{'|'.join(words.numbers)})"
    measures = "|".join(re.escape(word) for word in sorted(words.measures))
    not_counted = rf"(?![\w/.:%]| (?:{measures})\b| \w+ (?:of|in)\b)(?! ?[$€])"
    ways: dict[str, _Read[str]] = {
        rf"(?<![\w:.])(?P<hour>\d{{1,2}})[:.](?P<minute>\d\d) ?(?:{half}|{words.clock}\b)": read_clock,
        r"(?<![\w:.])(?P<hour>\d{1,2}):(?P<minute>\d\d)\b(?!:)": read_clock,
        rf"(?<![\w:.$]){hour} ?{half}": read_clock,
        rf"(?<![\w:.$]){hour} ?{words.clock}\b": read_clock,
        rf"\b(?P<part>half past|quarter past|quarter to) {hour}\b": read_spoken,
        rf"\b(?:{words.at}) (?P<hour>\d{{1,2}}){not_counted}": read_clock,
        rf"\b(?P<name>{'|'.join(words.hours)})\b": lambda match: words.hours[match["name"]],
        rf"(?<!{words.greeting} )\b(?P<part>{'|'.join(words.parts)})\b": lambda match: match["part"],
    }
    return [(re.compile(pattern), read) for pattern, read in ways.items()]
