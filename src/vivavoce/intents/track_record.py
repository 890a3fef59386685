"""How often forecasts were right: what was foretold of edits that were made, beside what became of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from vivavoce.intents.whatif.effects import CONFIDENCE
from vivavoce.messages import say
from vivavoce.records import Rate
from vivavoce.statistics import wilson

RECENT = 12


@dataclass(frozen=True, slots=True)
class PastForecast:
    """What was foretold of an edit that was made, and what the next exam showed; None while there was none.

    `realised`: the number after the edit less the number before, `noise`: half the width of its own interval. An exam
    after the edit is uncertain, too, so a forecast is right if the two intervals meet.
    """

    difference: float
    low: float
    high: float
    realised: float | None = None
    noise: float = 0.0

    @property
    def inside(self) -> bool | None:
        """Whether the range held what came; None while that is not known."""
        if self.realised is None:
            return None
        return self.low - self.noise <= self.realised <= self.high + self.noise


@dataclass(frozen=True)
class TrackRecord:
    """The last forecasts whose outcome is known, the newest last."""

    judged: tuple[PastForecast, ...]

    @cached_property
    def inside(self) -> Rate:
        """The share whose range held what came."""
        return wilson(sum(bool(past.inside) for past in self.judged), len(self.judged))

    @property
    def error(self) -> float | None:
        """The mean gap between forecast and outcome."""
        gaps = [abs(past.difference - past.realised) for past in self.judged if past.realised is not None]
        return sum(gaps) / len(gaps) if gaps else None

    @property
    def error_of_no_change(self) -> float | None:
        """The mean gap had no change been foretold."""
        gaps = [abs(past.realised) for past in self.judged if past.realised is not None]
        return sum(gaps) / len(gaps) if gaps else None

    @property
    def trustworthy(self) -> bool | None:
        """Whether the range holds as often as it says, as far as that can be told; None with fewer than three."""
        if len(self.judged) < 3 or self.inside.high is None:
            return None
        return self.inside.high >= CONFIDENCE

    @property
    def sentence(self) -> str:
        """The record in one sentence."""
        if not self.judged:
            return say("No forecast could be checked yet.")
        return say(
            "Of the last {n:,} forecasts, {inside:,} were within their range.",
            n=len(self.judged),
            inside=sum(bool(past.inside) for past in self.judged),
        )


def keep_record(forecasts: Iterable[PastForecast], most: int = RECENT) -> TrackRecord:
    """Return the record of the last forecasts, given from the oldest to the newest."""
    return TrackRecord(tuple(past for past in forecasts if past.realised is not None)[-most:])
