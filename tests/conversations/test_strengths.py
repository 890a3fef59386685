"""Three or more bots on one scale."""

from __future__ import annotations

import numpy as np
import pytest
from exams import R, W, found, talk
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.conversations.result import Line
from vivavoce.statistics import bradley_terry

counts = st.integers(0, 200)


def contest(**passes: list[int]) -> list[Line]:
    """Return conversations of four turns; each bot passes so many of them."""
    return [
        one
        for bot, each in passes.items()
        for place, n in enumerate(each)
        for one in talk([R] * n + [W] * (4 - n), f"s{place:03}", bot=bot)
    ]


@settings(deadline=None)
@given(st.lists(counts, min_size=6, max_size=6))
def test_at_the_strengths_found_expected_wins_equal_the_wins(numbers: list[int]) -> None:
    wins = np.zeros((3, 3))
    wins[~np.eye(3, dtype=bool)] = numbers
    strengths = bradley_terry(wins, prior=0.5)
    table = wins + 0.5 * (1 - np.eye(3))
    chance = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    expected = ((table + table.T) * chance).sum(axis=1)
    assert strengths.sum() == pytest.approx(0, abs=1e-9)
    assert expected == pytest.approx(table.sum(axis=1), rel=1e-6)


def test_two_players_are_as_far_apart_as_the_odds() -> None:
    strengths = bradley_terry(np.array([[0.0, 29.5], [9.5, 0.0]]))
    assert strengths[0] - strengths[1] == pytest.approx(np.log(3))


def test_an_unbeaten_player_stays_finite() -> None:
    strengths = bradley_terry(np.array([[0.0, 100000.0], [0.0, 0.0]]))
    assert np.isfinite(strengths).all()
    assert strengths[0] - strengths[1] == pytest.approx(np.log(100000.5 / 0.5), rel=1e-6)


def test_many_tables_at_once_give_what_each_gives_alone() -> None:
    tables = np.random.default_rng(0).integers(0, 30, size=(5, 4, 4)) * (1.0 - np.eye(4))
    together = bradley_terry(tables)
    assert together == pytest.approx(np.stack([bradley_terry(table) for table in tables]))


def test_no_prior_is_refused() -> None:
    with pytest.raises(ValueError, match="prior"):
        bradley_terry(np.zeros((2, 2)), prior=0)


def test_bots_are_ranked_by_the_conversations_they_win() -> None:
    rng = np.random.default_rng(1)
    lines = contest(
        good=rng.integers(2, 5, 60).tolist(),
        fair=rng.integers(1, 5, 60).tolist(),
        bad=rng.integers(0, 3, 60).tolist(),
    )
    ranked = found(lines, "bad", "fair", "good").strengths
    assert [one.bot for one in ranked] == ["good", "fair", "bad"]
    assert sum(one.strength for one in ranked) == pytest.approx(0)
    for one in ranked:
        assert one.low is not None
        assert one.high is not None
        assert one.low < one.strength < one.high
        assert one.contests == 120
    assert sum(one.wins for one in ranked) == 180


def test_draws_are_half_a_win_for_both() -> None:
    ranked = found(contest(a=[4, 2], b=[4, 2], c=[4, 2]), "a", "b", "c").strengths
    assert [(one.wins, one.strength) for one in ranked] == [(2, 0), (2, 0), (2, 0)]


def test_two_bots_need_no_scale() -> None:
    assert found(contest(a=[4], b=[2]), "a", "b").strengths == ()


def test_a_bot_that_wins_everything_has_a_finite_place() -> None:
    ranked = found(contest(a=[4] * 10, b=[2] * 10, c=[0] * 10), "a", "b", "c").strengths
    assert all(np.isfinite(one.strength) for one in ranked)
    assert ranked[0].wins == ranked[0].contests == 20
