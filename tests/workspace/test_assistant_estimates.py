"""Simulated reviewers: what random checks say of all answers, and what the queue is worth."""

from __future__ import annotations

import numpy as np
import pytest

from vivavoce.workspace.assistant.numbers import estimate

ROUNDS = 2_000


@pytest.mark.parametrize(("messages", "share", "seed"), [(600, 0.1, 1), (2_000, 0.1, 2), (400, 0.3, 3)])
def test_live_accuracy_is_unbiased_and_its_intervals_cover(messages: int, share: float, seed: int) -> None:
    draw = np.random.default_rng(seed)
    off, covered, told = 0.0, 0, 0
    for _ in range(ROUNDS):
        sure = draw.beta(4, 1.5, messages)
        # Overconfident, as classifiers are; those that are hardly sure are drawn twice as often.
        right = draw.random(messages) < np.clip(sure - 0.08, 0, 1)
        chance = np.where(sure < 0.65, 2 * share, share)
        drawn = draw.random(messages) < chance
        rate = estimate(list(zip(right[drawn].tolist(), chance[drawn].tolist(), strict=True)))
        truth = float(right.mean())
        assert rate.value is not None
        assert rate.low is not None
        assert rate.high is not None
        off += rate.value - truth
        # The draws are a part of a finite number of messages, so the interval is a little too wide for these alone.
        covered += rate.low <= np.clip(sure - 0.08, 0, 1).mean() <= rate.high
        told += 1
    assert abs(off / told) < 0.01
    assert 0.93 <= covered / told <= 0.97


def test_without_checks_nothing_is_known() -> None:
    rate = estimate([])
    assert (rate.value, rate.low, rate.high, rate.n) == (None, None, None, 0)
