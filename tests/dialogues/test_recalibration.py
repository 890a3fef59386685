"""Scores on the scale of local marks."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marked_talks import simulated, talk

from vivavoce.dialogues.dialogue import Dialogue
from vivavoce.dialogues.recalibration import (
    apply,
    recalibrate,
    recalibration_from_json,
    recalibration_to_json,
    why_unused,
)
from vivavoce.dialogues.result import Reason, Recalibration, Score, TurnEffect
from vivavoce.errors import DataError
from vivavoce.records import Rate

LINE = Recalibration(0.5, 2.0, 40, Rate(0.4, 0.1, 0.7, 40), True, "it helps", (-1.0, 0.5), "fixed")
values = st.floats(1, 5, allow_nan=False)


def test_below_thirty_marks_nothing_is_learned() -> None:
    assert recalibrate(*simulated(29, shift=1.0)) is None
    assert recalibrate(*simulated(30, shift=1.0)) is not None
    talks, scores = simulated(40)
    refused = [Score(one.id, None, refusal="short") for one in scores[:11]]
    assert recalibrate(talks, [*refused, *scores[11:]]) is None


def test_scores_that_are_off_are_moved_and_the_gain_is_about_right() -> None:
    found = recalibrate(*simulated(400, slope=0.5, shift=0.5, noise=0.4))
    assert found.adopted
    assert (found.slope, found.intercept) == pytest.approx((0.5, 0.5), abs=0.15)
    # Scores between 2 and 4 are off by 0.5·score - 0.5: on average 1.02 squared.
    assert found.gain.low < 0.25 * (9 + 1 / 3) - 0.5 * 3 + 0.25 < found.gain.high
    assert found.gain.low > 0
    assert found.reason.startswith("Adjusting the scores to the scale of your 400 ratings helps")
    assert found.residuals == pytest.approx((-0.51, 0.51), abs=0.15)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.integers(30, 120))
def test_scores_that_are_exactly_right_are_left_alone(seed: int, n: int) -> None:
    found = recalibrate(*simulated(n, noise=0.0, seed=seed))
    assert not found.adopted
    assert (found.slope, found.intercept) == pytest.approx((1, 0), abs=1e-9)
    assert found.gain.value == pytest.approx(0, abs=1e-12)


def test_scores_that_are_right_on_average_are_hardly_ever_moved() -> None:
    adopted = [recalibrate(*simulated(60, noise=0.5, seed=seed), seed=seed).adopted for seed in range(40)]
    assert sum(adopted) <= 2


def test_few_marks_move_the_scores_part_of_the_way_only() -> None:
    few, many = (recalibrate(*simulated(n, shift=1.0, noise=0.05)) for n in (30, 400))
    at = [one.slope * 3 + one.intercept for one in (few, many)]
    assert at == pytest.approx([3.75, 3.98], abs=0.05)


def test_marks_that_run_against_the_score_never_turn_the_order_round() -> None:
    found = recalibrate(*simulated(100, slope=-1.0, shift=6.0, noise=0.2))
    assert 0 < found.slope < 0.1


def test_constant_scores_follow_nobody_and_are_not_moved() -> None:
    talks, scores = simulated(40, shift=0.5)
    found = recalibrate(talks, [replace(score, score=2.0) for score in scores])
    assert found.slope == 1
    assert (found.adopted, found.level_only) == (False, True)
    assert "all scores or all ratings are the same" in found.reason


def strangers(n: int, seed: int) -> tuple[list[Dialogue], list[Score]]:
    """Return marks around 4 and scores around 2.75 that know nothing of them."""
    draw = np.random.default_rng(seed)
    talks = [talk(f"t{i}", float(mark)) for i, mark in enumerate(np.clip(draw.normal(4, 0.7, n), 1, 5))]
    return talks, [Score(one.id, float(score)) for one, score in zip(talks, draw.uniform(1.5, 4, n), strict=True)]


def test_a_score_that_follows_nobody_is_hardly_ever_adopted_however_much_its_level_gains() -> None:
    found = [recalibrate(*strangers(60, seed), seed=seed) for seed in range(40)]
    assert all(one.gain.low > 0 and one.level_only for one in found)
    # Of correlations that are 0, one in forty looks surely above 0.
    assert sum(one.adopted for one in found) <= 4
    for one in found:
        assert one.adopted or "Adjusting would correct only the level" in one.reason
        assert one.level.value == pytest.approx(one.gain.value, abs=0.3)


def test_a_score_that_follows_people_gains_more_than_its_level() -> None:
    found = recalibrate(*simulated(200, shift=0.8, noise=0.4))
    assert found.adopted
    assert not found.level_only
    assert found.gain.value > found.level.value
    assert "level" not in found.reason


def test_an_adopted_line_that_is_no_better_than_its_level_says_so() -> None:
    found = recalibrate(*simulated(80, shift=1.0, noise=1.2))
    assert (found.adopted, found.level_only) == (True, True)
    assert "This corrects only the level" in found.reason
    assert "order of the dialogues still says little" in found.reason


def test_why_a_line_is_not_used_is_told_by_its_reason() -> None:
    assert "only the level" in why_unused(recalibrate(*strangers(60, 0)))
    assert "not certain enough" in why_unused(recalibrate(*simulated(40, noise=0.0)))


def test_dialogues_of_one_user_are_held_out_together() -> None:
    # Each user has one mood and one score: only a line that saw the user could profit.
    draw = np.random.default_rng(0)
    moods, scores = draw.normal(0, 1.2, 12), draw.uniform(2.5, 3.5, 12)
    talks = [
        talk(f"t{i}", float(np.clip(scores[i % 12] + moods[i % 12], 1, 5)), user=f"u{i % 12}") for i in range(240)
    ]
    given_scores = [Score(one.id, float(scores[i % 12])) for i, one in enumerate(talks)]
    nameless = [replace(one, user=None) for one in talks]
    by_user, by_talk = recalibrate(talks, given_scores), recalibrate(nameless, given_scores)
    assert by_user.gain.value < by_talk.gain.value
    assert not by_user.adopted


def test_the_same_seed_gives_the_same_line() -> None:
    talks, scores = simulated(50, shift=0.4)
    assert recalibrate(talks, scores, seed=3) == recalibrate(talks, scores, seed=3)


def test_marks_of_one_dialogue_under_one_name_say_nothing() -> None:
    same = [talk("same", 3.0)] * 40
    assert recalibrate(same, [Score("same", 2.0)] * 40) is None


# --- applying


@given(st.lists(values, min_size=2, max_size=20), st.floats(0.05, 3), st.floats(-4, 4))
def test_moved_scores_keep_their_order_and_the_scale(
    given_values: list[float], slope: float, intercept: float
) -> None:
    line = replace(LINE, slope=slope, intercept=intercept)
    scores = [Score(str(i), value, 1.0, 5.0) for i, value in enumerate(sorted(given_values))]
    moved = apply(line, scores)
    assert [one.score for one in moved] == sorted(one.score for one in moved)
    assert all(1 <= one.low <= one.score <= one.high <= 5 for one in moved)
    assert [one.id for one in moved] == [one.id for one in scores]


def test_effects_and_reasons_shrink_with_the_line() -> None:
    score = Score("a", 3.0, 2.0, 4.0, (TurnEffect(1, "u", -0.4),), (Reason("short", 0.6, "short"),), ("careful",))
    moved = apply(LINE, [score])[0]
    assert (moved.score, moved.low, moved.high) == (3.5, 2.5, 4.0)
    assert (moved.turns[0].effect, moved.reasons[0].effect) == pytest.approx((-0.2, 0.3))
    assert moved.warnings == ("careful",)


def test_without_residuals_the_interval_follows_the_line() -> None:
    bare = replace(LINE, residuals=None)
    moved = apply(bare, [Score("a", 3.0, 2.0, 4.0), Score("b", 3.0)])
    assert (moved[0].low, moved[0].high) == (3.0, 4.0)
    assert (moved[1].low, moved[1].high) == (None, None)


def test_a_line_that_was_not_adopted_and_a_refusal_change_nothing() -> None:
    scores = [Score("a", 3.0, 2.0, 4.0), Score("b", None, refusal="short")]
    assert apply(replace(LINE, adopted=False), scores) == scores
    assert apply(LINE, scores)[1] == scores[1]


def test_intervals_of_moved_scores_hold_about_eight_of_ten_new_marks() -> None:
    line = recalibrate(*simulated(300, slope=0.5, shift=0.5, noise=0.4))
    talks, scores = simulated(1000, slope=0.5, shift=0.5, noise=0.4, seed=9)
    moved = apply(line, scores)
    held = [one.low <= talked.quality <= one.high for one, talked in zip(moved, talks, strict=True)]
    assert 0.74 <= np.mean(held) <= 0.86


# --- keeping


def test_what_is_written_is_read_again() -> None:
    for line in (LINE, replace(LINE, residuals=None, rater=""), recalibrate(*simulated(40))):
        text = json.dumps(recalibration_to_json(line), allow_nan=False)
        assert recalibration_from_json(json.loads(text)) == line


@pytest.mark.parametrize("content", [None, [], "x", {}, {"kind": "other"}])
def test_something_else_is_refused(content: object) -> None:
    with pytest.raises(DataError, match="this is not a recalibration") as caught:
        recalibration_from_json(content, "line.json")
    assert caught.value.where == "line.json"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("slope", 0),
        ("slope", -1.0),
        ("slope", "1"),
        ("slope", True),
        ("slope", float("nan")),
        ("intercept", None),
        ("intercept", float("inf")),
        ("n", 29),
        ("n", 40.5),
        ("n", None),
        ("gain", 0.4),
        ("gain", {"value": 1.0}),
        ("gain", {"value": "a", "n": 4}),
        ("gain", {"n": 40}),
        ("adopted", "yes"),
        ("reason", None),
        ("residuals", [1.0]),
        ("residuals", [1.0, -1.0]),
        ("residuals", "ab"),
        ("rater", 3),
        ("level", 0.4),
        ("level_only", "no"),
    ],
)
def test_bad_content_is_refused_by_its_name(name: str, value: object) -> None:
    content = {**recalibration_to_json(LINE), name: value}
    with pytest.raises(DataError) as caught:
        recalibration_from_json(content)
    assert [fault.where.split(".")[0] for fault in caught.value.faults] == [name]


def test_a_file_from_before_levels_were_told_is_still_read() -> None:
    content = {name: value for name, value in recalibration_to_json(LINE).items() if not name.startswith("level")}
    assert recalibration_from_json(content) == LINE


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(DataError) as caught:
        recalibration_from_json({"kind": "recalibration"})
    assert len(caught.value.faults) == 6
