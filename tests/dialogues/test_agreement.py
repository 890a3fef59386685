"""Scores beside people's marks."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marked_talks import simulated, talk

from vivavoce.dialogues.agreement import fit_line, groups_of, measure, measure_rows, pair_up
from vivavoce.dialogues.dialogue import Rating
from vivavoce.dialogues.result import Score
from vivavoce.errors import UsageError

pytestmark = pytest.mark.slow


def test_each_kind_of_talk_with_marks_is_measured_by_itself() -> None:
    talks, scores = simulated(40)
    people = [talk(f"h{i}", 3.0 + i % 3, bots=False) for i in range(12)]
    unmarked = talk("u", None, bots=False)
    found = measure([*talks, *people, unmarked], [*scores, *(Score(one.id, 3.0) for one in (*people, unmarked))])
    assert list(found) == ["overall", "human-bot", "human-human"]
    assert [one.n for one in found.values()] == [52, 40, 12]
    assert found["human-bot"] == measure(talks, scores)["overall"]
    assert found["human-human"].pearson.value is None


def test_without_marks_there_is_an_empty_measure_and_no_zero() -> None:
    found = measure([talk("a")], [Score("a", 2.0)])
    assert list(found) == ["overall"]
    assert (found["overall"].n, found["overall"].pearson.value, found["overall"].mse.value) == (0, None, None)
    assert measure([], [])["overall"].n == 0


def test_a_named_bot_makes_a_talk_human_bot_even_if_messages_do_not_say_so() -> None:
    named, unnamed = talk("a", 2, bots=None, bot="x"), talk("b", 3, bots=None)
    found = measure([named, unnamed], [Score("a", 2.0), Score("b", 2.0)])
    assert {name: one.n for name, one in found.items()} == {"overall": 2, "human-bot": 1}


def test_refusals_with_a_mark_are_counted_and_change_no_number() -> None:
    talks, scores = simulated(30)
    refused = [talk("r1", 1.0), talk("r2", 5.0), talk("r3")]
    none = [Score("r1", None, refusal="short"), Score("r2", math.nan), Score("r3", None, refusal="short")]
    found = measure([*talks, *refused], [*scores, *none])["overall"]
    assert (found.n, found.refused) == (30, 2)
    assert replace(found, refused=0) == measure(talks, scores)["overall"]


def test_the_mark_of_a_dialogue_is_the_mean_of_its_marks() -> None:
    two = replace(talk("a"), ratings=(Rating("x", 2.0), Rating("y", 5.0), Rating("z", None)))
    assert pair_up([two], [Score("a", 3.0)]).ratings == (3.5,)


def test_the_line_and_the_bins_show_how_scores_are_off() -> None:
    talks, scores = simulated(2000, slope=0.5, shift=1.0, noise=0.3)
    found = measure(talks, scores)["overall"]
    assert (found.slope, found.intercept) == pytest.approx((0.5, 1.0), abs=0.1)
    assert [one.mark.n for one in found.bins] == [400] * 5
    for one in found.bins:
        assert one.mark.low < one.mark.value < one.mark.high
        assert one.mark.value == pytest.approx(0.5 * one.score + 1, abs=0.1)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=10, max_size=80))
def test_equal_scores_share_a_bin_and_bins_hold_every_row_once(rows: list[tuple[int, int]]) -> None:
    scores, marks = [float(a) for a, _ in rows], [float(b) for _, b in rows]
    bins = measure_rows(scores, marks).bins
    assert sum(one.mark.n for one in bins) == len(rows)
    assert [one.score for one in bins] == sorted(one.score for one in bins)
    assert sum(one.mark.value * one.mark.n for one in bins) == pytest.approx(sum(marks))
    assert len(bins) <= min(5, len(set(scores)))
    if len(set(scores)) == 1:
        assert len(bins) == 1


def test_few_marks_give_values_without_interval() -> None:
    few = measure(*simulated(9))["overall"]
    assert few.pearson.value is not None
    assert few.pearson.low is few.mse.low is None
    enough = measure(*simulated(10))["overall"]
    assert enough.pearson.low <= enough.pearson.value <= enough.pearson.high


def test_users_are_resampled_where_ten_are_named_else_dialogues() -> None:
    many = [talk(f"t{i}", user=f"u{i % 10}") for i in range(30)]
    assert len(set(groups_of(many))) == 10
    few = [talk(f"t{i}", user=f"u{i % 9}") for i in range(30)]
    assert len(set(groups_of(few))) == 30
    mixed = [*many, talk("alone")]
    assert groups_of(mixed)[-1] == ("dialogue", "alone")


def test_moods_of_users_widen_the_interval() -> None:
    talks, scores = simulated(300, noise=1.0)
    moods = [replace(one, user=f"u{i // 30}") for i, one in enumerate(talks)]
    shifted = [
        replace(one, ratings=(Rating("user", one.quality + 2 * (i // 30 % 2)),)) for i, one in enumerate(moods)
    ]
    nameless = [replace(one, user=None) for one in shifted]
    by_user, by_talk = (measure(some, scores)["overall"].mse for some in (shifted, nameless))
    assert by_user.value == by_talk.value
    assert by_user.high - by_user.low > 1.1 * (by_talk.high - by_talk.low)


def test_scores_that_do_not_belong_to_the_dialogues_are_refused() -> None:
    with pytest.raises(UsageError, match="1 dialogue but 2 scores"):
        measure([talk("a")], [Score("a", 1.0), Score("b", 1.0)])


def test_scores_without_spread_have_no_line() -> None:
    assert fit_line(np.full(9, 2.0), np.arange(9.0)) == (None, None)
    assert fit_line(np.arange(3.0), np.arange(3.0) * 2 + 1) == pytest.approx((2, 1))
