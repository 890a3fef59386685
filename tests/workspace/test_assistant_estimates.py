"""Simulated reviewers: what random checks say of all answers, and what the queue is worth."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from vivavoce.store.rows import MessageRow
from vivavoce.workspace.assistant.numbers import estimate
from vivavoce.workspace.assistant.reviewing import mix

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


def test_a_day_that_ends_early_leaves_the_live_accuracy_unbiased() -> None:
    draw = np.random.default_rng(5)
    off, covered = 0.0, 0
    for _ in range(ROUNDS // 2):
        sure = draw.beta(4, 1.5, 400)
        truth = np.clip(sure - 0.08, 0, 1)
        chance = np.where(sure < 0.65, 0.6, 0.3)
        waiting = [
            SimpleNamespace(
                id=number, drawn=drawn, hand_over="", chance=chance[number], right=right, gain=1 - sure[number]
            )
            for number, (drawn, right) in enumerate(
                zip(draw.random(400) < chance, draw.random(400) < truth, strict=True)
            )
            if drawn or sure[number] < 0.65
        ]
        queue = mix(cast("list[MessageRow]", sorted(waiting, key=lambda row: -row.gain)))
        reviewed = cast("list[Any]", queue[: len(queue) // 2])
        rate = estimate([(row.right, row.chance) for row in reviewed if row.drawn])
        assert rate.value is not None
        assert rate.low is not None
        assert rate.high is not None
        off += rate.value - truth.mean()
        covered += rate.low <= truth.mean() <= rate.high
    assert abs(off / (ROUNDS // 2)) < 0.01
    assert 0.93 <= covered / (ROUNDS // 2) <= 0.97


def test_without_checks_nothing_is_known() -> None:
    rate = estimate([])
    assert (rate.value, rate.low, rate.high, rate.n) == (None, None, None, 0)
