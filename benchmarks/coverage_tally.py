"""Counts how often the truth lies in a printed interval, and how often equals are called different."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from vivavoce.records import Rate


@dataclass(frozen=True)
class Drawn:
    """What one draw printed: numbers with intervals, the truth where it is known, and verdicts on equals.

    A number without a known truth is held against the mean of all draws: the value with other draws of this kind.
    `means`: quantities of which only the mean over all draws is of interest.
    """

    rates: dict[str, Rate]
    truths: dict[str, float] = field(default_factory=dict)
    verdicts: dict[str, bool] = field(default_factory=dict)
    means: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Line:
    """One number: how many of its intervals held the truth, or, of a verdict, how many were false."""

    name: str
    hits: int
    n: int
    verdict: bool = False


class Tallies:
    """All draws of one design."""

    def __init__(self, draws: Iterable[Drawn]) -> None:
        self.draws = list(draws)

    def lines(self) -> Iterator[Line]:
        """Yield a line for each number, then one for each verdict."""
        for name in dict.fromkeys(name for draw in self.draws for name in draw.rates):
            held = [hit for draw in self.draws if (hit := self._holds(draw, name)) is not None]
            if held:
                yield Line(name, sum(held), len(held))
        for name in dict.fromkeys(name for draw in self.draws for name in draw.verdicts):
            false = [draw.verdicts[name] for draw in self.draws if name in draw.verdicts]
            yield Line(name, sum(false), len(false), verdict=True)

    def means(self) -> dict[str, float]:
        """Return the mean over all draws of what is no number with an interval."""
        names = dict.fromkeys(name for draw in self.draws for name in draw.means)
        return {
            name: float(np.mean([draw.means[name] for draw in self.draws if name in draw.means])) for name in names
        }

    def _holds(self, draw: Drawn, name: str) -> bool | None:
        rate = draw.rates.get(name)
        if rate is None or rate.value is None or rate.low is None or rate.high is None:
            return None
        truth = draw.truths[name] if name in draw.truths else self._mean(name)
        return bool(rate.low - 1e-9 <= truth <= rate.high + 1e-9)

    def _mean(self, name: str) -> float:
        known = [draw.rates[name].value for draw in self.draws if name in draw.rates]
        return float(np.mean([value for value in known if value is not None]))
