"""How numbers are written: one writer for terminal, report, Markdown, notebook and page.

A number that was not measured is "n/a", never 0. `Writer` writes English messages, which pages can still translate
within a sentence; pages extend it by the reader's language.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from vivavoce.messages import Message, join, say
from vivavoce.records import Rate

if TYPE_CHECKING:
    from vivavoce.reports.shared.measures import Measure

Kind = Literal["share", "score", "seconds", "milliseconds", "count", "points"]

NOT_AVAILABLE = say("n/a")
TOO_FEW = say("too few to tell")
_SCALES: Mapping[Kind, tuple[float, int, str]] = {"share": (100, 0, "%"), "points": (100, 1, ""), "count": (1, 0, "")}
# From here on milliseconds are written as seconds.
SECONDS_FROM = 10_000


class RateText(NamedTuple):
    """A rate as views show it: its value, the interval (or why there is none), and how much was counted."""

    value: str
    around: str = ""
    counted: str = ""


class Writer:
    """Writes numbers in English. What depends on a language: `number`, `phrase`,
    `between`, `of`, `points` and `counted`.
    """

    def number(self, value: float | None, digits: int = 0) -> str:
        """Write a number with groups of three digits; what rounds to nothing has no sign."""
        if value is None:
            return self.phrase(NOT_AVAILABLE)
        return Message(f"{{value:z,.{digits}f}}", {"value": value})

    def phrase(self, text: str) -> str:
        """Return one of the few words that stand in place of a number or beside it."""
        return text

    def between(self, low: float, high: float, digits: int, unit: str) -> str:
        """Write a range; the unit stands with its end."""
        end = self.number(high, digits)
        return say("{low} to {high}", low=self.number(low, digits), high=end + f" {unit}" if unit else end)

    def of(self, part: int, whole: int) -> str:
        """Write a share of few items as how many of them it is."""
        return say("{part:,} of {whole:,}", part=part, whole=whole)

    def points(self, value: float) -> str:
        """Write a difference of two shares."""
        return say("{value:z.1f} points", value=100 * value)

    def hundred(self, value: float) -> str:
        """Write how many of 100 a share is; what is not exactly 0 or 100 is never shown as such."""
        whole = self.number(100 * value)
        if whole == "0" and value > 0:
            return self.phrase(say("under 1"))
        return self.phrase(say("over 99")) if whole == "100" and value < 1 else whole

    def share(self, value: float | None) -> str:
        """Write a share as whole percent."""
        return self.number(None) if value is None else self.hundred(value) + " %"

    def percent(self, value: float | None, digits: int = 1) -> str:
        """Write a share as percent with decimals."""
        return self.number(None) if value is None else self.number(100 * value, digits) + " %"

    def seconds(self, value: float) -> str:
        """Write how long something took in the unit that suits it."""
        for limit, factor, unit in ((1e-3, 1e6, "µs"), (1.0, 1e3, "ms")):
            if value < limit:
                return self.number(factor * value) + f" {unit}"
        return self.number(value, 1) + " s"

    def milliseconds(self, value: float | None) -> str:
        """Write a response time as people read it."""
        if value is None:
            return self.number(None)
        factor, digits, unit = _scale(value, "milliseconds")
        return self.number(factor * value, digits) + f" {unit}"

    def value(self, value: float | None, kind: Kind = "share") -> str:
        """Write a value by its kind."""
        if value is None or kind == "count":
            return self.number(value)
        match kind:
            case "share":
                return self.share(value)
            case "seconds":
                return self.seconds(value)
            case "milliseconds":
                return self.milliseconds(value)
            case "points":
                return self.points(value)
        return self.number(value, 2)

    def interval(self, rate: Rate, kind: Kind = "share") -> str:
        """Write where the value would lie with other data of this size; nothing where that is not known."""
        if rate.value is None or rate.low is None or rate.high is None:
            return ""
        factor, digits, unit = _scale(rate.value, kind)
        return self.between(factor * rate.low, factor * rate.high, digits, unit)

    def narrow(self, rate: Rate, kind: Kind = "share") -> str:
        """Write the interval in few characters, for tables with many columns."""
        if rate.value is None or rate.low is None or rate.high is None:
            return ""
        factor, digits, _ = _scale(rate.value, kind)
        return join("-", (self.number(factor * end, digits) for end in (rate.low, rate.high)))

    def counted(self, n: int) -> str:
        """Write how much a number comes from."""
        return say("n = {n:,}", n=n)

    def parts(self, rate: Rate, measure: Measure) -> RateText:
        """Return a rate in its parts; of few items without an interval, which would pretend to know more."""
        if rate.value is None:
            return RateText(self.number(None))
        if rate.n < measure.few:
            exact = measure.mean or measure.kind != "share"
            value = self.value(rate.value, measure.kind) if exact else self.of(round(rate.value * rate.n), rate.n)
            return RateText(value, self.phrase(say("too few")))
        kind = measure.kind
        return RateText(self.value(rate.value, kind), self.interval(rate, kind), self.counted(rate.n))

    def rate(self, rate: Rate, kind: Kind = "share", counted: str = "") -> str:
        """Write a value with its interval and count, as in `72 % (68 to 76 %, n = 2,209)`, or n/a."""
        if rate.value is None:
            return self.number(None)
        around = join(", ", filter(None, (self.interval(rate, kind), counted or self.counted(rate.n))))
        return join("", (self.value(rate.value, kind), " (", around, ")"))


def _scale(value: float, kind: Kind) -> tuple[float, int, str]:
    """Return by what a value is multiplied, its decimals, and its unit."""
    if kind != "milliseconds":
        return _SCALES.get(kind, (1.0, 2, ""))
    return (0.001, 1, "s") if value >= SECONDS_FROM else (1.0, 1 if value < 10 else 0, "ms")


ENGLISH = Writer()
hundred, share_text, value_text = ENGLISH.hundred, ENGLISH.share, ENGLISH.value
interval_text, rate_text, milliseconds_text = ENGLISH.interval, ENGLISH.rate, ENGLISH.milliseconds


def score_text(value: float | None) -> str:
    """Write a score that is not a share of anything."""
    return ENGLISH.value(value, "score")


def seconds_text(value: float | None) -> str:
    """Write a duration."""
    return ENGLISH.value(value, "seconds")


def signed(value: float) -> str:
    """Write an effect with its sign; what rounds to nothing has none."""
    text = say("{value:+.2f}", value=value)
    return say("{value:.2f}", value=0.0) if text in ("+0.00", "-0.00") else text


def apart(value: float, limit: float) -> str:
    """Write a value with as many digits as it takes to be seen apart from a limit."""
    written = (f"{value:.{digits}f}" for digits in range(3, 17))
    return next((text for text in written if float(text) != limit), repr(float(value)))
