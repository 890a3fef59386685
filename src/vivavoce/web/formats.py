"""How numbers, rates and times are written on a page, in the reader's language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from vivavoce.records import Rate
from vivavoce.web.language import Words, catalogue, gettext_noop
from vivavoce.web.parts import differences
from vivavoce.web.retelling import SIGNS

if TYPE_CHECKING:
    from markupsafe import Markup

    from vivavoce.reports.intents.meanings import Kind

__all__ = ["Writer", "filters"]

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
MINUTE, HOUR, DAY = 60, 3600, 86400


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes numbers and times in one language; what was not measured is "n/a", never 0."""

    words: Words

    def number(self, value: float | None, digits: int = 0) -> str:
        """Write a number with groups of three digits; what rounds to nothing has no sign."""
        if value is None:
            return self.words.gettext("n/a")
        return f"{value:z,.{digits}f}".translate(SIGNS.get(self.words.language, {}))

    def signed(self, value: float, digits: int) -> str:
        """Write a difference with its sign."""
        shown = round(value, digits)
        return f"{'+' if shown > 0 else '−' if shown < 0 else '±'}{self.number(abs(value), digits)}"

    def percent(self, value: float | None, digits: int = 1) -> str:
        """Write a share as percent with decimals."""
        return self.number(None) if value is None else f"{self.number(100 * value, digits)} %"

    def share(self, value: float | None) -> str:
        """Write a share as whole percent; what is not exactly 0 or 100 % is never shown as such."""
        whole = self.percent(value, 0)
        if value is not None and whole == "0 %" and value > 0:
            return self.words.gettext("under %(share)s", share="1 %")
        if value is not None and whole == "100 %" and value < 1:
            return self.words.gettext("over %(share)s", share="99 %")
        return whole

    def value(self, value: float | None, kind: Kind = "share") -> str:
        """Write the value of a measure by its kind."""
        if value is None or kind == "count":
            return self.number(value)
        if kind == "share":
            return self.share(value)
        if kind == "seconds":
            return self.duration(value)
        if kind == "points":
            return self.words.gettext("%(value)s points", value=self.number(100 * value, 1))
        return self.number(value, 2)

    def interval(self, rate: Rate, kind: Kind = "share") -> str:
        """Write where the value would lie with other data of this size; nothing where that is not known."""
        if rate.value is None or rate.low is None or rate.high is None:
            return ""
        low, high = (self._end(end, kind) for end in (rate.low, rate.high))
        unit = " %" if kind == "share" else ""
        return self.words.gettext("%(low)s to %(high)s", low=low, high=f"{high}{unit}")

    def _end(self, end: float, kind: Kind) -> str:
        return self.number(100 * end) if kind == "share" else self.number(end, 0 if kind == "count" else 2)

    def plural(self, n: int, one: str, many: str) -> str:
        """Write a count with its noun: `3 examples`."""
        return f"{self.number(n)} {catalogue(self.words.language).ngettext(one, many, n)}"

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
        """Write a time in words, in UTC."""
        return self._time(moment, self._moment)

    def ago(self, moment: datetime | None, now: datetime | None = None) -> Markup:
        """Write how long ago something was; the exact time is under the pointer."""
        present = _utc(now or datetime.now(UTC))
        return self._time(moment, lambda when: self._since(when, present))

    def _time(self, moment: datetime | None, say: Callable[[datetime], str]) -> Markup:
        from markupsafe import Markup

        if moment is None:
            return Markup("<span>{}</span>").format(self.number(None))
        when = _utc(moment)
        said = f"{when:%Y-%m-%dT%H:%M:%SZ}", self._moment(when), say(when)
        return Markup('<time datetime="{}" title="{}">{}</time>').format(*said)

    def day_words(self, moment: datetime) -> str:
        """Write a day in words, as plain text."""
        return self._day(_utc(moment))

    def moment_words(self, moment: datetime) -> str:
        """Write a time in words, in UTC, as plain text."""
        return self._moment(_utc(moment))

    def _day(self, when: datetime) -> str:
        month = self.words.gettext(_MONTHS[when.month - 1])
        return self.words.gettext("%(day)s %(month)s %(year)s", day=when.day, month=month, year=when.year)

    def _moment(self, when: datetime) -> str:
        return f"{self._day(when)}, {when:%H:%M} UTC"

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


def filters(words: Words) -> dict[str, Callable[..., Any]]:
    """Return the filters of templates, by name."""
    writer = Writer(words)
    names = ("number", "percent", "share", "value", "interval", "plural", "duration", "day", "date", "ago")
    below = {"said": words.said, "ours": words.ours, "pictured": lambda figure: figure.in_words(words.language)}
    return {**{name: getattr(writer, name) for name in names}, "differences": differences, **below}


def _utc(moment: datetime) -> datetime:
    """Return a time in UTC; one without a zone is UTC already."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
