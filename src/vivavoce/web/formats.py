"""How numbers, rates and times are written on a page, in the reader's language."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from vivavoce.reports.shared import numbers
from vivavoce.web.language import SIGNS, Words, gettext_noop
from vivavoce.web.local_time import current_zone
from vivavoce.web.parts import differences

if TYPE_CHECKING:
    from markupsafe import Markup

_MONTHS = (
    gettext_noop("January"),
    gettext_noop("February"),
    gettext_noop("March"),
    gettext_noop("April"),
    gettext_noop("May"),
    gettext_noop("June"),
    gettext_noop("July"),
    gettext_noop("August"),
    gettext_noop("September"),
    gettext_noop("October"),
    gettext_noop("November"),
    gettext_noop("December"),
)
_WEEKDAYS = (
    gettext_noop("Monday"),
    gettext_noop("Tuesday"),
    gettext_noop("Wednesday"),
    gettext_noop("Thursday"),
    gettext_noop("Friday"),
    gettext_noop("Saturday"),
    gettext_noop("Sunday"),
)
MINUTE, HOUR, DAY = 60, 3600, 86400


@dataclass(frozen=True, slots=True)
class Writer(numbers.Writer):
    """Writes numbers as all views do, and times, in one language."""

    words: Words

    def number(self, value: float | None, digits: int = 0) -> str:
        """Write a number with the signs of the language."""
        written = numbers.ENGLISH.number(value, digits)
        return self.phrase(written) if value is None else written.translate(SIGNS.get(self.words.language, {}))

    def phrase(self, text: str) -> str:
        """Return one of the few words that stand in place of a number or beside it."""
        return self.words.said(text)

    def between(self, low: float, high: float, digits: int, unit: str) -> str:
        """Write a range."""
        first, last = (self.number(end, digits).replace("-", "−") for end in (low, high))
        return self.words.gettext("%(low)s to %(high)s", low=first, high=f"{last} {unit}".rstrip())

    def of(self, part: int, whole: int) -> str:
        """Write a share of few items."""
        return self.words.gettext("%(part)s of %(whole)s", part=self.number(part), whole=self.number(whole))

    def points(self, value: float) -> str:
        """Write a difference of two shares."""
        return self.words.gettext("%(value)s points", value=self.number(100 * value, 1))

    def counted(self, n: int) -> str:
        """Write how much a number comes from, on one line."""
        return f"n\u00a0=\u00a0{self.number(n)}"

    def signed(self, value: float, digits: int = 2) -> str:
        """Write a difference with its sign."""
        rounded = round(value, digits)
        return f"{'+' if rounded > 0 else '−' if rounded < 0 else '±'}{self.number(abs(value), digits)}"

    def duration(self, seconds: float | None) -> str:
        """Write how long something takes, in the unit that suits it."""
        if seconds is None:
            return self.number(None)
        if seconds < 1:
            return f"{self.number(1000 * seconds)} ms"
        if seconds < MINUTE:
            return f"{self.number(seconds, 1 if seconds < 10 else 0)} s"
        if seconds < HOUR:
            return f"{int(seconds // MINUTE)} min {int(seconds % MINUTE)} s"
        return f"{self.number(seconds // HOUR)} h {int(seconds % HOUR // MINUTE)} min"

    def day(self, moment: datetime | None) -> Markup:
        """Write a day in words; a machine reads the exact time."""
        return self._time(moment, self._day)

    def date(self, moment: datetime | None) -> Markup:
        """Write a time in words."""
        return self._time(moment, self._moment)

    def ago(self, moment: datetime | None, now: datetime | None = None) -> Markup:
        """Write how long ago something was; the exact time is under the pointer."""
        present = _utc(now or datetime.now(UTC))
        return self._time(moment, lambda when: self._since(when, present))

    def _time(self, moment: datetime | None, say: Callable[[datetime], str]) -> Markup:
        from markupsafe import Markup

        if moment is None:
            return Markup("<span>{}</span>").format(self.number(None))
        when = _local(moment)
        texts = f"{_utc(moment):%Y-%m-%dT%H:%M:%SZ}", self._moment(when), say(when)
        return Markup('<time datetime="{}" title="{}">{}</time>').format(*texts)

    def day_words(self, moment: datetime) -> str:
        """Write a day in words, as plain text."""
        return self._day(_local(moment))

    def moment_words(self, moment: datetime) -> str:
        """Write a time in words, as plain text."""
        return self._moment(_local(moment))

    def near_day(self, moment: datetime, now: datetime | None = None, *, clock: bool = False) -> str:
        """Write a day by its weekday within a week, else by its date, without the year if it is this one."""
        when, present = _local(moment), _local(now or datetime.now(UTC))
        if 0 <= (present.date() - when.date()).days < 7:
            day = self.words.gettext(_WEEKDAYS[when.weekday()])
        elif when.year == present.year:
            month = self.words.gettext(_MONTHS[when.month - 1])
            day = self.words.gettext("%(day)s %(month)s", day=when.day, month=month)
        else:
            day = self._day(when)
        return f"{day} {when:%H:%M}" if clock else day

    def short_day(self, day: datetime) -> str:
        """Write a day for the axis of a chart."""
        # Three letters are the usual short form of a month in English and German.
        month = self.words.gettext(_MONTHS[day.month - 1])[:3]
        return self.words.gettext("%(day)s %(month)s", day=day.day, month=month)

    def short_month(self, day: datetime) -> str:
        """Write a month for the axis of a chart, with the year where it begins."""
        month = self.words.gettext(_MONTHS[day.month - 1])[:3]
        return f"{month} {day.year}" if day.month == 1 else month

    def _day(self, when: datetime) -> str:
        month = self.words.gettext(_MONTHS[when.month - 1])
        return self.words.gettext("%(day)s %(month)s %(year)s", day=when.day, month=month, year=when.year)

    def _moment(self, when: datetime) -> str:
        # Without a zone the reader would take the time for local time.
        return f"{self._day(when)}, {when:%H:%M}{' UTC' if current_zone().key == 'UTC' else ''}"

    def _since(self, when: datetime, now: datetime) -> str:
        seconds = (now - when).total_seconds()
        # A clock that runs a little ahead is no news from the future.
        if -MINUTE < seconds < MINUTE:
            return self.words.gettext("just now")
        if seconds < 0 or seconds >= 30 * DAY:
            return self._day(when)
        if seconds < HOUR:
            return self.words.ngettext("%(num)s minute ago", "%(num)s minutes ago", int(seconds // MINUTE))
        if seconds < DAY:
            return self.words.ngettext("%(num)s hour ago", "%(num)s hours ago", int(seconds // HOUR))
        return self.words.ngettext("%(num)s day ago", "%(num)s days ago", int(seconds // DAY))


def breakable(name: str) -> Markup:
    """Let a name such as `travel_costs`, or a path, break between its words, not in the middle of one."""
    from markupsafe import Markup, escape

    return Markup(re.sub("[_/]", r"\g<0><wbr>", str(escape(name))))  # noqa: S704


def filters(words: Words) -> dict[str, Callable[..., Any]]:
    """Return the filters of templates, by name."""
    writer = Writer(words)
    names = ("number", "percent", "share", "value", "interval", "duration", "day", "date", "ago")
    own = {"differences": differences, "breakable": breakable}
    below = {"said": words.said, "ours": words.ours, "pictured": lambda figure: figure.in_words(words.language)}
    return {**{name: getattr(writer, name) for name in names}, **own, **below}


def _utc(moment: datetime) -> datetime:
    """Return a time in UTC; one without a zone is UTC already."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _local(moment: datetime) -> datetime:
    """Return a time in the reader's zone."""
    return _utc(moment).astimezone(current_zone())
