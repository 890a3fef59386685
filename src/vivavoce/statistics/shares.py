"""One share of independent items: what the count allows the truth to be."""

from __future__ import annotations

import math
from statistics import NormalDist

from vivavoce.records import Rate


def wilson(hits: float, n: int, confidence: float = 0.95) -> Rate:
    """Return `hits` of `n` with Wilson's score interval; hits averaged over repeated tests need not be whole.

    centre ± half, where centre = (p + z²/2n) / (1 + z²/n) and half = z·sqrt(p(1-p)/n + z²/4n²) / (1 + z²/n).
    Meaning: the true shares that the count does not contradict. Never leaves 0..1, honest for small n.
    """
    _check_count(hits, n)
    if n == 0:
        return Rate(None, None, None, 0)
    low, high = score_interval(hits / n, n, NormalDist().inv_cdf((1 + confidence) / 2))
    return Rate(hits / n, low, high, n)


def score_interval(share: float, n: float, quantile: float) -> tuple[float, float]:
    """Return the ends of Wilson's interval for a share of `n` items, which need not be whole."""
    scale = 1 + quantile * quantile / n
    centre = (share + quantile * quantile / (2 * n)) / scale
    half = quantile * math.sqrt(share * (1 - share) / n + quantile * quantile / (4 * n * n)) / scale
    # The ends are 0 and 1 exactly when nothing or everything hit, and hold the share, whatever is rounded.
    low = 0.0 if share == 0 else max(0.0, min(share, centre - half))
    high = 1.0 if share == 1 else min(1.0, max(share, centre + half))
    return low, high


def clopper_pearson_upper(hits: int, n: int, confidence: float = 0.95) -> float:
    """Return the exact one-sided upper bound of a share (Clopper and Pearson).

    The p for which P(X <= hits | n, p) = 1 - confidence, which is the `confidence` quantile of
    Beta(hits + 1, n - hits). Meaning: with at least this confidence the true share is not above it, for any
    n; hence its use for guarantees. Nothing counted bounds nothing: 1.
    """
    from scipy.special import betaincinv

    _check_count(hits, n)
    return 1.0 if hits == n else float(betaincinv(hits + 1, n - hits, confidence))


def _check_count(hits: float, n: int) -> None:
    if not 0 <= hits <= n:
        raise ValueError(f"{hits} hits of {n} is not a count")
