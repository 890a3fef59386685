"""Which threshold a bot should have: what each one does, the cheapest, and the lowest that keeps a promise.

Every question counts once, near-duplicates together: the first time that it was asked of a classifier which had not
seen it. Counts are then counts of independent questions, as the exact bounds of Clopper and Pearson need them. With a
share of out-of-scope questions, known questions weigh 1 - share together and out-of-scope questions weigh the share.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import UsageError
from vivavoce.intents.material import Material
from vivavoce.intents.record import UnitResult
from vivavoce.intents.splits import Flags
from vivavoce.intents.traffic import check_share
from vivavoce.messages import say
from vivavoce.records import Rate
from vivavoce.statistics import Spread, bounded_rate, wilson

# The thresholds to choose from. They are fixed beforehand, or the guarantee would not hold.
GRID = tuple(step / 100 for step in range(101))
WRONG_COSTS, MAX_WRONG, CONFIDENCE = 5.0, 0.05, 0.9
# A question without a guess is declined at every threshold.
NEVER = -1.0
# The search for a guarantee begins where so many wrong answers could be forgiven, or a quarter of the questions is
# answered: after 45 answers, the fewest that can be enough, one mistake would end it.
FORGIVEN, FIRST_PART = 3, 4
# How the risk of a wrong promise is divided between its three bounds: wrong answers, out-of-scope questions that are
# answered, questions that are answered. The last is the least in doubt.
DIVISION = (0.45, 0.45, 0.1)


@dataclass(frozen=True, eq=False)
class Scored:
    """Independent questions, each scored once: how sure the guess is, whether it is right, whether no topic fits."""

    confidence: NDArray[np.floating]
    right: Flags
    out_of_scope: Flags

    def __len__(self) -> int:
        return len(self.confidence)

    @cached_property
    def n_out(self) -> int:
        """How many questions are out of scope."""
        return int(self.out_of_scope.sum())

    @cached_property
    def n_known(self) -> int:
        """How many questions belong to a topic."""
        return len(self) - self.n_out

    def weights(self, share: float | None) -> NDArray[np.float64]:
        """Return what each question weighs; without a share they are equal."""
        if share is None:
            return np.ones(len(self))
        known, outside = (1 - share) / max(1, self.n_known), share / max(1, self.n_out)
        return np.where(self.out_of_scope, outside, known) * len(self)


@dataclass(frozen=True, slots=True)
class Cost:
    """What 100 messages cost, in hand-overs, with its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class AtThreshold:
    """What a bot does at a threshold: shares of all questions, of its answers, and of the out-of-scope questions.

    `n_answered`, `n_wrong` and `n_out` are plain counts: answers, wrong ones, and those to out-of-scope questions.
    """

    threshold: float
    answered: Rate
    wrong: Rate
    out_of_scope_answered: Rate
    cost: Cost
    n_answered: int
    n_wrong: int
    n_out: int


class Shortfall(StrEnum):
    """Why there is no guarantee."""

    TOO_FEW = "too_few"
    TOO_WRONG = "too_wrong"


@dataclass(frozen=True, slots=True)
class Guarantee:
    """At most `max_wrong` of the answers are wrong, with this confidence; `threshold` None: no threshold promises it.

    `bound`: so many answers may be wrong at the threshold, or where the search ended without one. `needed`: answers
    without a mistake that it takes at least.
    """

    max_wrong: float
    confidence: float
    threshold: float | None
    bound: float
    needed: int
    shortfall: Shortfall | None = None


@dataclass(frozen=True, eq=False)
class Advice:
    """What each threshold does, today's, the one of least cost, and the lowest with the guarantee."""

    curve: tuple[AtThreshold, ...]
    today: AtThreshold
    cheapest: AtThreshold
    guaranteed: AtThreshold | None
    guarantee: Guarantee
    wrong_costs: float
    out_of_scope_share: float | None
    questions: int
    out_of_scope: int


def score_once(results: Sequence[UnitResult], material: Material) -> Scored:
    """Take each question from the first round that tested it; near-duplicates are one question."""
    rows = np.concatenate([result.test for result in results])
    negative = np.concatenate([result.negative for result in results])
    guess = np.concatenate([result.answers.guess for result in results])
    confidence = np.concatenate([result.answers.confidence for result in results])
    first = np.sort(np.unique(material.groups[rows], return_index=True)[1])
    rows, guess, negative = rows[first], guess[first], negative[first]
    outside = negative | (material.labels[rows] < 0)
    right = (guess >= 0) & (guess == material.labels[rows]) & ~outside
    return Scored(np.where(guess >= 0, confidence[first], NEVER), right, outside)


def count_at(
    scored: Scored, threshold: float, *, wrong_costs: float = WRONG_COSTS, share: float | None = None
) -> AtThreshold:
    """Count what a bot does at a threshold."""
    # Single precision is compared with a plain number: 0.7 reaches 0.7.
    answered = scored.confidence >= threshold
    wrong, outside = answered & ~scored.right, answered & scored.out_of_scope
    weights = scored.weights(share)
    every = np.ones(len(scored), dtype=bool)
    return AtThreshold(
        threshold,
        answered=_weigh(answered, every, weights),
        wrong=_weigh(wrong, answered, weights),
        out_of_scope_answered=wilson(int(outside.sum()), scored.n_out),
        cost=_price(np.where(wrong, wrong_costs, np.where(answered, 0.0, 1.0)), weights, max(1.0, wrong_costs)),
        n_answered=int(answered.sum()),
        n_wrong=int(wrong.sum()),
        n_out=int(outside.sum()),
    )


def advise(
    scored: Scored,
    today: float,
    *,
    wrong_costs: float = WRONG_COSTS,
    max_wrong: float = MAX_WRONG,
    confidence: float = CONFIDENCE,
    out_of_scope_share: float | None = None,
) -> Advice:
    """Choose a threshold by cost and by guarantee. `wrong_costs`: a wrong answer is as bad as so many hand-overs."""
    share = check_wishes(wrong_costs, max_wrong, confidence, out_of_scope_share)
    if share and not scored.n_out:
        raise UsageError(
            say("no out-of-scope question was asked, so none can be weighted"),
            remedy=say("add out-of-scope examples, or leave out the share of out-of-scope questions"),
        )
    if not scored.n_known:
        raise UsageError(say("no question of a topic was tested"), remedy=say("add examples"))
    curve = tuple(count_at(scored, step, wrong_costs=wrong_costs, share=share) for step in GRID)
    guarantee = find_guarantee(scored, max_wrong, confidence, share)
    lowest = guarantee.threshold
    return Advice(
        curve=curve,
        today=count_at(scored, today, wrong_costs=wrong_costs, share=share),
        cheapest=_choose_cheapest(curve),
        guaranteed=None if lowest is None else curve[GRID.index(lowest)],
        guarantee=guarantee,
        wrong_costs=wrong_costs,
        out_of_scope_share=share,
        questions=len(scored),
        out_of_scope=scored.n_out,
    )


def check_wishes(wrong_costs: float, max_wrong: float, confidence: float, share: float | None) -> float | None:
    """Refuse wishes that make no sense; return the share of out-of-scope questions as a plain number."""
    if not (math.isfinite(wrong_costs) and wrong_costs > 0):
        raise UsageError(say("a wrong answer must cost more than 0 hand-overs, not {cost:g}", cost=wrong_costs))
    if not 0 < max_wrong < 1:
        raise UsageError(
            say("the share of wrong answers must be above 0 and below 1, not {share:g}", share=max_wrong),
            remedy=say("use for example 0.05"),
        )
    if not 0 < confidence < 1:
        raise UsageError(
            say("the confidence of a guarantee must be above 0 and below 1, not {share:g}", share=confidence),
            remedy=say("use for example 0.9"),
        )
    return check_share(share)


def find_guarantee(scored: Scored, max_wrong: float, confidence: float, share: float | None = None) -> Guarantee:
    """Find the lowest threshold at which at most `max_wrong` of the answers are wrong, with this confidence.

    Thresholds are tested from the highest to the lowest, each at the full risk, and the first that fails ends the
    search (fixed-sequence testing): the first one that is truly too low is accepted with a probability of at most
    1 - confidence, and without it none below is reached.
    """
    miss = 1 - confidence
    # A share of next to nothing needs more answers than there are numbers for.
    needed = math.ceil(min(math.log(miss) / math.log1p(-max_wrong), 1e15))
    none = Guarantee(max_wrong, confidence, None, 1.0, needed, Shortfall.TOO_FEW)
    best = _bound_wrong(np.array([0, scored.n_known, 0]), scored, share, miss)
    if best > max_wrong:
        return replace(none, bound=best)
    start = max(needed, min(_enough_to_forgive(max_wrong, miss, needed), len(scored) // FIRST_PART))
    found = none
    for threshold in reversed(GRID):
        answered = scored.confidence >= threshold
        if answered.sum() < start:
            continue
        known = answered & ~scored.out_of_scope
        counts = np.array([(known & ~scored.right).sum(), known.sum(), (answered & scored.out_of_scope).sum()])
        bound = _bound_wrong(counts, scored, share, miss)
        if bound > max_wrong:
            return found if found.threshold is not None else replace(none, bound=bound, shortfall=Shortfall.TOO_WRONG)
        found = Guarantee(max_wrong, confidence, threshold, bound, needed)
    return found


def _bound_wrong(counts: NDArray[np.intp], scored: Scored, share: float | None, miss: float) -> float:
    """Return the share of wrong answers that is exceeded with a probability of at most `miss`.

    `counts`: known questions answered wrongly, known questions answered, out-of-scope questions answered.
    """
    wrong, known, outside = (int(count) for count in counts)
    if share is None:
        return _upper(wrong + outside, known + outside, miss)
    if share == 0:
        return _upper(wrong, known, miss)
    mistaken = _upper(wrong, known, miss * DIVISION[0])
    strange = share * _upper(outside, scored.n_out, miss * DIVISION[1])
    usual = (1 - share) * (1 - _upper(scored.n_known - known, scored.n_known, miss * DIVISION[2]))
    return (usual * mistaken + strange) / (usual + strange)


def _upper(hits: int, n: int, miss: float) -> float:
    """Return the upper end of Clopper and Pearson's one-sided interval."""
    from scipy.special import betaincinv

    return 1.0 if hits >= n else float(betaincinv(hits + 1, n - hits, 1 - miss))


def _enough_to_forgive(max_wrong: float, miss: float, needed: int) -> int:
    """Return how many answers it takes so that a few wrong ones do not break the guarantee."""
    low, high = needed, needed * 2
    while _upper(FORGIVEN, high, miss) > max_wrong:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _upper(FORGIVEN, middle, miss) > max_wrong else (low, middle)
    return high


def _choose_cheapest(curve: Sequence[AtThreshold]) -> AtThreshold:
    """Return the threshold of least cost; the middle one where several cost the same."""
    least = min(point.cost.value for point in curve)
    ties = [point for point in curve if math.isclose(point.cost.value, least)]
    return ties[len(ties) // 2]


def _weigh(hits: Flags, counted: Flags, weights: NDArray[np.float64]) -> Rate:
    """Return a weighted share with Wilson's interval for as many questions of equal weight as say as much (Kish)."""
    own = weights[counted]
    total = float(own.sum())
    if not total:
        return Rate(None, None, None, 0)
    value = min(1.0, float(weights[hits & counted].sum()) / total)
    worth = max(1, round(total**2 / float(own @ own)))
    return replace(wilson(value * worth, worth), n=int(counted.sum()))


def _price(costs: NDArray[np.float64], weights: NDArray[np.float64], most: float) -> Cost:
    """Return the mean cost of 100 messages with its interval."""
    n, total = len(costs), float(weights.sum())
    mean = float(costs @ weights) / total
    gaps = (costs - mean) / most * weights / total
    telling = min(np.count_nonzero(costs > 0), np.count_nonzero(costs < most))
    spread = Spread(float(gaps @ gaps), n, float(telling), max(1, n - 1))
    rate = bounded_rate(min(1.0, mean / most), spread, n)
    low, high = (mean / most if end is None else end for end in (rate.low, rate.high))
    return Cost(100 * mean, 100 * most * low, 100 * most * high)
