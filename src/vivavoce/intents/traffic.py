"""Shares as live traffic would give them: known and out-of-scope questions weighed by a share that the user gives.

An exam asks as many out-of-scope questions as the data happen to hold. Visitors ask more, or fewer. With their share
q, the known questions of a retry weigh 1 - q together and its negatives weigh q.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from vivavoce.errors import UsageError
from vivavoce.intents.splits import Setting
from vivavoce.outcomes import Counts, Outcome
from vivavoce.records import Rate
from vivavoce.settings import MAX_OUT_OF_SCOPE
from vivavoce.statistics import wilson

# The shares that depend on how many questions are out of scope; all others are about one of the two kinds alone.
MIXED = (
    *("accuracy", "automation_rate", "precision_answered"),
    *("carefulness", "good_carefulness", "deferral_precision", "deferral_recall"),
)
OUT_OF_SCOPE_OUTCOMES = frozenset({Outcome.OVERREACH, Outcome.DECLINED, Outcome.DECLINED_NO_GUESS})


@dataclass(frozen=True)
class Traffic:
    """The share of out-of-scope questions, and the negatives that stand for them: by retry, of one setting."""

    share: float
    setting: Setting
    negatives: Mapping[int, Counts]

    @cached_property
    def pooled(self) -> Counts:
        """The negatives of all retries together."""
        return Counts({outcome: sum(counts[outcome] for counts in self.negatives.values()) for outcome in Outcome})

    def weigh(self, measured: Mapping[str, float | None], counts: Counts, retry: int) -> Mapping[str, float | None]:
        """Return the numbers of one retry with the mixed shares weighed anew.

        A retry that asked no out-of-scope question takes those of all retries.
        """
        own = self.negatives.get(retry)
        negatives = own if own is not None and own.negatives else self.pooled
        return {**measured, **{name: _mix(name, counts, negatives, self.share)[0] for name in MIXED}}

    def widen(self, rates: Mapping[str, Rate], counts: Counts, times: float) -> Mapping[str, Rate]:
        """Make the intervals at least as wide as few, heavily weighed questions allow; `times` each was tested."""
        wide: dict[str, Rate] = {}
        for name, rate in rates.items():
            wide[name] = rate
            if name in MIXED and rate.value is not None:
                _, n, worth = _mix(name, counts, self.pooled, self.share)
                examples = max(1, round(worth / times))
                around = wilson(min(1.0, max(0.0, rate.value)) * examples, examples)
                low = min(around.low or 0.0, rate.value if rate.low is None else rate.low)
                high = max(around.high or 0.0, rate.value if rate.high is None else rate.high)
                wide[name] = replace(rate, low=low, high=high, n=n)
        return wide


def check_share(share: float | None) -> float | None:
    """Refuse a share of out-of-scope questions that leaves no known ones."""
    if share is not None and not 0 <= share <= MAX_OUT_OF_SCOPE:
        raise UsageError(f"the share of out-of-scope questions must be from 0 to {MAX_OUT_OF_SCOPE:g}, not {share}")
    return None if share is None else float(share)


def _mix(name: str, known: Counts, negatives: Counts, share: float) -> tuple[float | None, int, float]:
    """Return a weighed share, the tests behind it, and how many tests of equal weight would say as much (Kish)."""
    asked = Counts({o: n for o, n in known.by_outcome.items() if o not in OUT_OF_SCOPE_OUTCOMES})
    outside = Counts({o: n for o, n in negatives.by_outcome.items() if o in OUT_OF_SCOPE_OUTCOMES})
    if not asked.total or not outside.total:
        return None, 0, 0.0
    a, b = asked.shares()[name], outside.shares()[name]
    heavy, light = (1 - share) / asked.total, share / outside.total
    tests = heavy * a.n + light * b.n
    if not tests:
        return None, 0, 0.0
    worth = tests**2 / (heavy**2 * a.n + light**2 * b.n)
    return (heavy * a.hits + light * b.hits) / tests, a.n + b.n, worth
