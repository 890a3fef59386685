"""Which bot is better: bots ranked by their scored dialogues or by what people preferred."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from vivavoce.dialogues.agreement import check_pairing, groups_of, measure_rows, value_of
from vivavoce.dialogues.dialogue import Dialogue
from vivavoce.dialogues.result import Agreement, Ranking, Score, SystemLine, SystemPair
from vivavoce.errors import UsageError
from vivavoce.records import Rate
from vivavoce.statistics import (
    Spread,
    bounded_rate,
    bradley_terry,
    draw_weights,
    holm,
    items_to_decide,
    student,
    wilson,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

DRAWS = 1000
CONFIDENCE = 0.95
# Nobody sees a hundredth of a point: scores that near to each other are a draw.
STEP = 0.01
# Numbers in one table of dialogues, small enough to stay near the processor.
BLOCK = 400_000
# Fewer dialogues (or preferences) of a bot have no spread worth the name: no rank and no verdict from them.
MIN_DIALOGUES = 5
BETTER, WORSE, TOO_CLOSE = "better", "worse", "too close to call"
SURE = (BETTER, WORSE)
TOO_FEW_TALKS, TOO_FEW_PREFERENCES = "too few talks", "too few preferences"


@dataclass(frozen=True, slots=True)
class Preference:
    """One comparison of two bots: `won` is 1 if the first was preferred, 0 if the second was, 0.5 for a draw.

    `person`: who said so, where it is known; all that one person says is resampled together.
    """

    first: str
    second: str
    won: float = 1.0
    person: str | None = None


def rank_systems(dialogues: Sequence[Dialogue], scores: Sequence[Score], *, seed: int = 0) -> Ranking | None:
    """Rank the bots that the log names by their mean score; None for fewer than two with scored dialogues.

    Strengths: Bradley and Terry's, every dialogue of one bot against every dialogue of the other. Intervals:
    bootstrap over dialogues within each bot, or over users where the log names at least ten. A bot with fewer than
    5 scored dialogues has no rank and comes last.
    """
    check_pairing(dialogues, scores)
    rows = [
        (dialogue.bot, group, value)
        for dialogue, group, score in zip(dialogues, groups_of(dialogues), scores, strict=True)
        if dialogue.bot and (value := value_of(score)) is not None
    ]
    # In a fixed order, so that the order of the log decides nothing.
    rows.sort()
    bots = tuple(dict.fromkeys(bot for bot, _, _ in rows))
    if len(bots) < 2:
        return None
    place = {bot: number for number, bot in enumerate(bots)}
    codes = np.asarray([place[bot] for bot, _, _ in rows], dtype=np.intp)
    values = np.asarray([value for _, _, value in rows], dtype=np.float64)
    means, strengths = _draw_scores(len(bots), codes, values, [group for _, group, _ in rows], seed)
    sizes = np.bincount(codes, minlength=len(bots)).tolist()
    lines = [_make_line(bot, sizes[at], means[:, at], strengths[:, at]) for at, bot in enumerate(bots)]
    ranks = _rank(lines, means[0])
    gaps = []
    for a, b in combinations(ranks, 2):
        smaller, n = min(sizes[a], sizes[b]), sizes[a] + sizes[b]
        # Not even a complete parting of the scores is rarer than this by chance.
        least_p = min(1.0, 2 / math.comb(n, smaller))
        gaps.append(_Gap(bots[a], bots[b], means[:, a] - means[:, b], n, smaller, least_p))
    return _build_ranking(lines, ranks, _judge_pairs(gaps, TOO_FEW_TALKS))


def rank_by_preferences(preferences: Iterable[Preference], *, seed: int = 0) -> Ranking | None:
    """Rank bots by what people preferred, strongest first; None without preferences.

    `mean` is the share of comparisons won. A pair's difference is the share won by the first less that won by the
    second, where the two met; two bots that never met have none. A bot with fewer than 5 preferences has no rank.
    """
    comparisons = sorted(preferences, key=lambda each: (each.first, each.second, each.won, each.person or ""))
    wrong = [each for each in comparisons if each.first == each.second or not 0 <= each.won <= 1]
    if wrong:
        raise UsageError(
            f"{len(wrong)} of {len(comparisons)} preferences are invalid; the first is {wrong[0]}",
            remedy="compare two different bots and use 1 (the first won), 0 (the second won) or 0.5 (a draw)",
        )
    if not comparisons:
        return None
    bots = tuple(sorted({name for each in comparisons for name in (each.first, each.second)}))
    wins = _draw_wins(bots, comparisons, seed)
    met = (wins + wins.transpose(0, 2, 1)).sum(axis=2)
    shares = np.divide(wins.sum(axis=2), met, out=np.full(met.shape, np.nan), where=met > 0)
    strengths = bradley_terry(wins)
    lines = []
    for place, bot in enumerate(bots):
        n = round(float(met[0, place]))
        mean = _measure_share(shares[:, place], float(wins[0, place].sum()), n)
        lines.append(replace(_make_line(bot, n, shares[:, place], strengths[:, place]), mean=mean))
    ranks = _rank(lines, strengths[0])
    gaps = [_measure_preference_gap(bots, wins, a, b) for a, b in combinations(ranks, 2)]
    return _build_ranking(lines, ranks, _judge_pairs(gaps, TOO_FEW_PREFERENCES))


def system_agreement(dialogues: Sequence[Dialogue], scores: Sequence[Score], *, seed: int = 0) -> Agreement:
    """Compare the mean score of each bot with its mean rating; `n` counts bots.

    `refused`: bots that have ratings and no score. Ten bots or more give intervals (bootstrap over bots).
    """
    check_pairing(dialogues, scores)
    values: dict[str, list[float]] = {}
    ratings: dict[str, list[float]] = {}
    for dialogue, score in zip(dialogues, scores, strict=True):
        if dialogue.bot and (value := value_of(score)) is not None:
            values.setdefault(dialogue.bot, []).append(value)
        if dialogue.bot and dialogue.quality is not None:
            ratings.setdefault(dialogue.bot, []).append(dialogue.quality)
    both = sorted(values.keys() & ratings.keys())
    means = ([math.fsum(side[bot]) / len(side[bot]) for bot in both] for side in (values, ratings))
    return measure_rows(*means, seed=seed, refused=len(ratings.keys() - values.keys()))


def _draw_scores(
    bots: int, codes: Ints, values: Floats, groups: Sequence[tuple[str, str]], seed: int
) -> tuple[Floats, Floats]:
    """Return means and strengths of bots in the data (first row) and in every resample (the rows after it)."""
    by_user = any(kind == "user" for kind, _ in groups)
    # A user talks with many bots and takes them all along; a dialogue only represents dialogues of its bot.
    units: Sequence[Hashable] = groups if by_user else range(len(codes))
    step = max(1, BLOCK // (bots * len(codes)))
    blocks = [np.ones((1, len(codes)))]
    for weights in draw_weights(units, DRAWS, seed, None if by_user else codes.tolist()):
        blocks += np.split(weights, range(step, len(weights), step))
    means, tables = zip(*(_count(bots, codes, values, weights) for weights in blocks), strict=True)
    return np.concatenate(means), bradley_terry(np.concatenate(tables))


def _count(bots: int, codes: Ints, values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the mean of each bot and the table of wins for each resample.

    A pair's wins are its share of wins times the number of independent contests that n and m dialogues are worth,
    n·m / (n + m): all n·m contests share the same few dialogues.
    """
    member = np.eye(bots)[codes]
    n = weights @ member
    means = np.divide(weights @ (member * values[:, None]), n, out=np.full(n.shape, np.nan), where=n > 0)
    # How many dialogues of each bot have each score, lowest score first.
    steps, places = np.unique(np.rint(values / STEP), return_inverse=True)
    cells, cell = np.unique(codes * len(steps) + places.ravel(), return_inverse=True)
    order = np.argsort(cell, kind="stable")
    starts = np.searchsorted(cell[order], np.arange(len(cells)))
    counts = np.zeros((len(weights), bots * len(steps)))
    counts[:, cells] = np.add.reduceat(weights[:, order], starts, axis=1)
    at = counts.reshape(len(weights), bots, len(steps))
    # Dialogues below each score, those at it half: a draw is half a win.
    below = at.cumsum(axis=2) - at / 2
    wins = at @ below.transpose(0, 2, 1)
    both = n[:, :, None] + n[:, None, :]
    return means, np.divide(wins, both, out=np.zeros_like(wins), where=both > 0) * (1 - np.eye(bots))


def _draw_wins(bots: tuple[str, ...], comparisons: Sequence[Preference], seed: int) -> Floats:
    """Return the table of wins in the data (first) and in every resample of people or single preferences."""
    from scipy.sparse import csr_array

    size, n, place = len(bots), len(comparisons), {bot: number for number, bot in enumerate(bots)}
    first = np.asarray([place[each.first] for each in comparisons])
    second = np.asarray([place[each.second] for each in comparisons])
    won = np.asarray([each.won for each in comparisons])
    cells = (np.tile(np.arange(n), 2), np.concatenate((first * size + second, second * size + first)))
    table = csr_array((np.concatenate((won, 1 - won)), cells), shape=(n, size * size))
    units: list[Hashable] = [each.person or row for row, each in enumerate(comparisons)]
    blocks = [np.asarray(weights @ table) for weights in (np.ones((1, n)), *draw_weights(units, DRAWS, seed))]
    return np.concatenate(blocks).reshape(-1, size, size)


def _measure_preference_gap(bots: tuple[str, ...], wins: Floats, a: int, b: int) -> _Gap:
    won, lost = wins[:, a, b], wins[:, b, a]
    met = won + lost
    values = np.divide(won - lost, met, out=np.full(met.shape, np.nan), where=met > 0)
    n = round(float(met[0]))
    # Were both alike, n free choices would still differ by this much; a unanimous sample has no spread.
    chance = 1 / math.sqrt(n) if n else 0.0
    share = _measure_share((1 + values) / 2, float(won[0]), n)
    return _Gap(bots[a], bots[b], values, n, n, min(1.0, 2.0 ** (1 - n)), chance, share)


def _measure_share(values: Floats, won: float, n: int) -> Rate:
    """Return the share of comparisons won in the data (first), with an interval from its resamples."""
    resamples = values[1:][~np.isnan(values[1:])]
    if np.isnan(values[0]):
        return Rate(None, None, None, n)
    if len(resamples) < 2 or n < 2:
        return wilson(won, n)
    variance = float(resamples.var(ddof=1)) * n / (n - 1)
    # No surer than as many independent choices.
    variance = max(variance, float(values[0]) * (1 - float(values[0])) / n)
    return bounded_rate(float(values[0]), Spread(variance, n, min(won, n - won), n - 1), n)


@dataclass(frozen=True, slots=True)
class _Gap:
    """The difference of two bots in the data (first) and in every resample.

    `n`: items of both, `smaller`: of the side that has fewer. `least_p`, `least_error`: what so few items allow at
    best. `share`: of a share won, from which the interval follows.
    """

    first: str
    second: str
    values: Floats
    n: int
    smaller: int
    least_p: float = 0.0
    least_error: float = 0.0
    share: Rate | None = None

    @property
    def error(self) -> float | None:
        """The standard error, None where too few items show any."""
        resamples = self.values[1:][~np.isnan(self.values[1:])]
        if self.smaller < MIN_DIALOGUES or len(resamples) < 2:
            return None
        # Resamples of a small sample vary too little.
        return max(self.least_error, float(resamples.std(ddof=1)) * math.sqrt(self.smaller / (self.smaller - 1)))

    @property
    def rate(self) -> Rate:
        """The difference with its interval."""
        if self.share is None or self.share.low is None or self.share.high is None:
            return replace(_measure(self.values, self.smaller), n=self.n)
        return Rate(float(self.values[0]), 2 * self.share.low - 1, 2 * self.share.high - 1, self.n)

    @property
    def p(self) -> float | None:
        """The two-sided p of Student's t with the error of the resamples; the freedom is that of the smaller side.

        Counting resamples cannot go below 1 in 500, which Holm's correction for 55 pairs would make meaningless.
        """
        from scipy.special import stdtr

        error, difference = self.error, float(self.values[0])
        if error is None or math.isnan(difference):
            return None
        if abs(difference) <= 1e-12:
            return 1.0
        distance = abs(difference) / max(error, 1e-12)
        return max(self.least_p, float(2 * stdtr(self.smaller - 1, -distance)))


def _make_line(bot: str, n: int, means: Floats, strengths: Floats) -> SystemLine:
    """Return a bot that has no rank yet."""
    return SystemLine(bot, n, _measure(means, n), _measure(strengths, n), None, None, None)


def _rank(lines: Sequence[SystemLine], values: Floats) -> dict[int, int | None]:
    """Return the bots in order and the rank of each; those with too few items come last and have none.

    The rank is 1 + the number of better bots among those that are ranked; a single bot has no rank.
    """
    enough = [place for place, line in enumerate(lines) if line.n >= MIN_DIALOGUES]
    ranks: dict[int, int | None] = dict.fromkeys(range(len(lines)))
    if len(enough) > 1:
        # A difference in the last digit is rounding.
        ranks |= {place: 1 + int(sum(values[other] > values[place] + 1e-12 for other in enough)) for place in enough}
    order = sorted(ranks, key=lambda at: (at not in enough, ranks[at] or 0, -lines[at].n, lines[at].bot))
    return {place: ranks[place] for place in order}


def _build_ranking(
    lines: Sequence[SystemLine], ranks: Mapping[int, int | None], pairs: tuple[SystemPair, ...]
) -> Ranking:
    """Return the bots in order; a range of ranks leaves out only what the verdicts on pairs leave out."""
    total = sum(rank is not None for rank in ranks.values())
    winners = [pair.first if pair.verdict == BETTER else pair.second for pair in pairs if pair.verdict in SURE]
    losers = [pair.second if pair.verdict == BETTER else pair.first for pair in pairs if pair.verdict in SURE]
    ranked = []
    for place, rank in ranks.items():
        line = lines[place]
        if rank is not None:
            low, high = 1 + losers.count(line.bot), total - winners.count(line.bot)
            # People may prefer in a circle; then the verdicts do not agree with any order.
            line = replace(line, rank=rank, low_rank=min(low, rank), high_rank=max(high, rank))
        ranked.append(line)
    return Ranking(tuple(ranked), pairs)


def _measure(values: Floats, n: int) -> Rate:
    if np.isnan(values[0]):
        return Rate(None, None, None, n)
    resamples = values[1:][~np.isnan(values[1:])]
    # One dialogue, drawn again and again, has no spread: that is ignorance and not certainty.
    error = float(resamples.std(ddof=1)) * math.sqrt(n / (n - 1)) if n > 1 and len(resamples) > 1 else 0.0
    if error <= 1e-12:
        return Rate(float(values[0]), None, None, n)
    half = student(n - 1, CONFIDENCE) * error
    return Rate(float(values[0]), float(values[0]) - half, float(values[0]) + half, n)


def _judge_pairs(gaps: Sequence[_Gap], too_few: str) -> tuple[SystemPair, ...]:
    """Compare all pairs at once; pairs that say nothing do not cost the others their certainty."""
    known = [(row, p) for row, gap in enumerate(gaps) if (p := gap.p) is not None]
    adjusted = dict(zip((row for row, _ in known), holm([p for _, p in known]), strict=True))
    pairs = []
    for row, gap in enumerate(gaps):
        rate, error, p, more = gap.rate, gap.error, adjusted.get(row), None
        verdict = TOO_CLOSE if p is not None else too_few
        if p is not None and rate.value is not None and error is not None:
            if p < 1 - CONFIDENCE:
                verdict = BETTER if rate.value > 0 else WORSE
            else:
                # As strict as the correction for all pairs will be.
                confidence = 1 - (1 - CONFIDENCE) / len(known)
                more = items_to_decide(rate.value, error, gap.n, freedom=gap.smaller - 1, confidence=confidence)
        pairs.append(SystemPair(gap.first, gap.second, rate, p, verdict, None if more is None else max(1, more)))
    return tuple(pairs)
