"""Times of day in a message: `9pm`, `21:00`, `half past nine`, `noon`, `in the evening`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from vivavoce.agents.dates import find_all
from vivavoce.agents.languages import Language, language_of


@dataclass(frozen=True, slots=True)
class TimeMention:
    """A time somewhere in a text: `21:00`, or the word for a part of the day."""

    start: int
    end: int
    value: str


def find_times(text: str, code: str) -> Iterator[TimeMention]:
    """Yield the times of a lower-cased text, none within another."""
    yield from (TimeMention(*match.span(), value) for match, value in find_all(text, _patterns(code)))


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


_Read = Callable[[re.Match[str]], str | None]


class _Reader:
    """Turns a match of a pattern into a time."""

    def __init__(self, words: Language) -> None:
        self.words = words

    def clock(self, match: re.Match[str]) -> str | None:
        parts = match.groupdict()
        hour = int(self.words.numbers.get(parts["hour"], parts["hour"]))
        half = (parts.get("half") or "").replace(".", "")
        if half and not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "pm" else 0) if half else hour
        return _time(hour, int(parts.get("minute") or 0))

    def spoken(self, match: re.Match[str]) -> str | None:
        hour = int(self.words.numbers.get(match["hour"], match["hour"]))
        minutes = {"half past": 30, "quarter past": 15, "quarter to": -15}[match["part"]]
        return _time((hour * 60 + minutes) // 60, (hour * 60 + minutes) % 60)

    def named(self, match: re.Match[str]) -> str | None:
        return self.words.hours[match["name"]]

    def part(self, match: re.Match[str]) -> str | None:
        return match["part"]


def _time(hour: int, minute: int) -> str | None:
    return f"{hour:02d}:{minute:02d}" if 0 <= hour < 24 and 0 <= minute < 60 else None


@lru_cache(maxsize=8)
def _patterns(code: str) -> list[tuple[re.Pattern[str], _Read]]:
    words = language_of(code)
    read = _Reader(words)
    half = r"(?P<half>[ap]\.?m\b\.?)"
    hour = rf"(?P<hour>\d{{1,2}}|{'|'.join(words.numbers)})"
    measures = "|".join(re.escape(word) for word in sorted(words.measures))
    ways: list[tuple[str, _Read]] = [
        (rf"(?<![\w:.])(?P<hour>\d{{1,2}})[:.](?P<minute>\d\d) ?(?:{half}|{words.clock}\b)", read.clock),
        (r"(?<![\w:.])(?P<hour>\d{1,2}):(?P<minute>\d\d)\b(?!:)", read.clock),
        (rf"(?<![\w:.$]){hour} ?{half}", read.clock),
        (rf"(?<![\w:.$]){hour} ?{words.clock}\b", read.clock),
        (rf"\b(?P<part>half past|quarter past|quarter to) {hour}\b", read.spoken),
        (
            rf"\b(?:{words.at}) (?P<hour>\d{{1,2}})(?![\w/.:%]| (?:{measures})\b| \w+ (?:of|in)\b)(?! ?[$€])",
            read.clock,
        ),
        (rf"\b(?P<name>{'|'.join(words.hours)})\b", read.named),
        (rf"(?<!{words.greeting} )\b(?P<part>{'|'.join(words.parts)})\b", read.part),
    ]
    return [(re.compile(pattern), reader) for pattern, reader in ways]
