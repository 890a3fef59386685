"""The threshold advisor: small curves counted by hand, and what must hold for any scores."""

from __future__ import annotations

import json
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.errors import UsageError
from vivavoce.intents import advise_threshold
from vivavoce.intents.material import Material
from vivavoce.intents.record import Answers, Timing, UnitKey, UnitResult
from vivavoce.intents.splits import Setting
from vivavoce.intents.threshold import GRID, Scored, Shortfall, advise, count_at, find_guarantee, score_once
from vivavoce.records import Dataset


def scored_of(*rows: tuple[float, str]) -> Scored:
    """Return questions from their confidence and what they are: right, wrong or out."""
    kinds = np.array([kind for _, kind in rows])
    return Scored(np.array([sure for sure, _ in rows], dtype=np.float32), kinds == "right", kinds == "out")


TINY = scored_of((0.9, "right"), (0.8, "right"), (0.7, "wrong"), (0.6, "out"), (0.4, "right"), (-1, "out"))


def many(n: int, wrong: int = 0, out: int = 0, sure: float = 0.8) -> Scored:
    """Return questions of the same confidence."""
    return scored_of(*[(sure, "wrong" if place < wrong else "right") for place in range(n)], *[(0.1, "out")] * out)


class TestCounts:
    def test_a_tiny_curve_is_counted_by_hand(self) -> None:
        point = count_at(TINY, 0.7, wrong_costs=5)
        assert (point.n_answered, point.n_wrong, point.n_out) == (3, 1, 0)
        assert point.answered.value == pytest.approx(3 / 6)
        assert point.answered.n == 6
        assert point.wrong.value == pytest.approx(1 / 3)
        assert point.wrong.n == 3
        assert point.out_of_scope_answered.value == 0
        assert point.out_of_scope_answered.n == 2
        # One wrong answer and three hand-overs among six questions.
        assert point.cost.value == pytest.approx(100 * (5 + 3) / 6)

    def test_an_answered_out_of_scope_question_is_a_wrong_answer(self) -> None:
        point = count_at(TINY, 0.6)
        assert (point.n_answered, point.n_wrong, point.n_out) == (4, 2, 1)

    def test_a_confidence_equal_to_the_threshold_answers(self) -> None:
        assert count_at(TINY, 0.9).n_answered == 1

    def test_no_guess_is_never_answered(self) -> None:
        assert count_at(TINY, 0.0).n_answered == 5

    def test_nothing_answered_has_no_share_of_wrong_answers(self) -> None:
        point = count_at(TINY, 0.95)
        assert point.wrong.value is None
        assert point.wrong.n == 0
        assert point.cost.value == 100

    def test_a_share_of_out_of_scope_questions_weighs_them(self) -> None:
        point = count_at(TINY, 0.6, share=0.5)
        # Of the known questions 3 of 4 are answered, of the others 1 of 2: half and half.
        assert point.answered.value == pytest.approx(0.5 * 3 / 4 + 0.5 * 1 / 2)
        assert point.wrong.value == pytest.approx((0.5 / 4 + 0.5 / 2) / (0.5 * 3 / 4 + 0.5 / 2))

    def test_the_share_that_was_tested_changes_nothing(self) -> None:
        plain, weighed = count_at(TINY, 0.6), count_at(TINY, 0.6, share=2 / 6)
        assert weighed.wrong.value == pytest.approx(plain.wrong.value)
        assert weighed.cost.value == pytest.approx(plain.cost.value)


class TestCost:
    def test_the_cheapest_threshold_is_right_above_the_mistakes(self) -> None:
        # Two answers and four hand-overs; several thresholds do the same, and the middle one is chosen.
        best = advise(TINY, 0.5, wrong_costs=5).cheapest
        assert 0.7 < best.threshold <= 0.8
        assert best.cost.value == pytest.approx(100 * 4 / 6)

    def test_cheap_mistakes_lower_the_threshold(self) -> None:
        low, high = (advise(TINY, 0.5, wrong_costs=costs).cheapest.threshold for costs in (0.1, 20))
        assert low < high

    def test_more_out_of_scope_questions_raise_the_threshold(self) -> None:
        rows = [(place / 100, "right") for place in range(30, 100)] + [
            (place / 100, "out") for place in range(20, 60)
        ]
        low, high = (
            advise(scored_of(*rows), 0.5, wrong_costs=2, out_of_scope_share=s).cheapest.threshold for s in (0.05, 0.8)
        )
        assert low < high


class TestGuarantee:
    def test_45_right_answers_are_the_fewest_for_5_percent_with_90_percent(self) -> None:
        assert find_guarantee(many(45), 0.05, 0.9).threshold == 0.0
        short = find_guarantee(many(44), 0.05, 0.9)
        assert (short.threshold, short.shortfall, short.needed) == (None, Shortfall.TOO_FEW, 45)
        assert find_guarantee(many(44), 5e-324, 0.9).shortfall is Shortfall.TOO_FEW

    def test_the_bound_is_that_of_clopper_and_pearson(self) -> None:
        # 1 - 0.1 ** (1 / 100) for no mistake in 100.
        assert find_guarantee(many(100), 0.05, 0.9).bound == pytest.approx(1 - 0.1**0.01)

    def test_too_many_mistakes_everywhere_give_no_guarantee(self) -> None:
        short = find_guarantee(many(400, wrong=100), 0.05, 0.9)
        assert short.threshold is None
        assert short.shortfall is Shortfall.TOO_WRONG
        assert 0.25 < short.bound < 0.35

    def test_the_threshold_stays_above_the_mistakes(self) -> None:
        rows = [(0.9, "right")] * 300 + [(0.5, "wrong")] * 300
        assert find_guarantee(scored_of(*rows), 0.05, 0.9).threshold == 0.51

    def test_few_out_of_scope_questions_cannot_promise_much_about_many(self) -> None:
        questions = many(2000, out=10)
        assert find_guarantee(questions, 0.05, 0.9).threshold is not None
        short = find_guarantee(questions, 0.05, 0.9, share=0.5)
        assert short.threshold is None
        assert short.shortfall is Shortfall.TOO_FEW

    def test_it_holds_as_often_as_it_says(self) -> None:
        # Confidence and truth of each question are known to chance alone: right with a probability of its confidence.
        rng, broken, promised = np.random.default_rng(0), 0, 0
        levels = np.linspace(0, 1, 2001) ** 0.25
        for _ in range(400):
            sure = rng.random(500) ** 0.25
            questions = Scored(sure, rng.random(500) < sure, np.zeros(500, dtype=bool))
            threshold = find_guarantee(questions, 0.1, 0.9).threshold
            if threshold is not None:
                promised += 1
                broken += float((1 - levels[levels >= threshold]).mean()) > 0.1
        assert promised > 200
        assert broken / 400 < 0.1

    @settings(max_examples=60, deadline=None)
    @given(st.integers(0, 44), st.integers(0, 30), st.sampled_from([None, 0.0, 0.3]))
    def test_it_never_claims_anything_with_too_few_answers(self, n: int, out: int, share: float | None) -> None:
        rows = [(0.9, "right")] * n + [(-1.0, "out")] * out
        if rows:
            assert find_guarantee(scored_of(*rows), 0.05, 0.9, share).threshold is None


QUESTIONS = st.lists(
    st.tuples(st.floats(0, 1, width=32), st.sampled_from(["right", "wrong", "out"])), min_size=1, max_size=60
).map(lambda rows: scored_of((0.5, "right"), (0.2, "out"), *rows))


@settings(max_examples=60, deadline=None)
@given(QUESTIONS, st.sampled_from([None, 0.0, 0.2, 0.9]), st.floats(0.1, 50))
def test_a_higher_threshold_never_answers_more(questions: Scored, share: float | None, costs: float) -> None:
    advice = advise(questions, 0.5, wrong_costs=costs, out_of_scope_share=share)
    shares = [point.answered.value or 0.0 for point in advice.curve]
    assert all(a >= b - 1e-12 for a, b in pairwise(shares))
    counts = [(point.n_answered, point.n_wrong, point.n_out) for point in advice.curve]
    assert all(
        a >= b for after, before in zip(counts[1:], counts, strict=False) for a, b in zip(before, after, strict=True)
    )
    for point in advice.curve:
        for rate in (point.answered, point.wrong, point.out_of_scope_answered):
            if rate.value is not None:
                assert 0 <= rate.low <= rate.value <= rate.high <= 1
        assert point.cost.low <= point.cost.value + 1e-9
        assert point.cost.value <= point.cost.high + 1e-9
        assert advice.cheapest.cost.value <= point.cost.value + 1e-9
    assert [point.threshold for point in advice.curve] == list(GRID)


def test_a_question_of_many_rounds_and_near_duplicates_counts_once() -> None:
    data = Dataset.of(["a one", "a two", "b one", "b two", "off"], ["a", "a", "b", "b", None])
    material = Material(data, ("a", "b"), np.array([0, 0, 1, 1, -1]), np.array([0, 0, 1, 2, 3]))

    def round_of(number: int, test: list[int], guess: list[int], sure: float) -> UnitResult:
        answers = Answers(np.array(guess), np.full(len(test), sure, dtype=np.float32))
        negative = material.labels[test] < 0
        return UnitResult(UnitKey(Setting(0, 0.0), number), np.array(test), negative, 3, 0, answers, Timing(0, 0, ()))

    rounds = [round_of(0, [0, 1, 4], [0, 1, -1], 0.9), round_of(1, [0, 2, 3, 4], [1, 1, 0, 1], 0.3)]
    scored = score_once(rounds, material)
    assert len(scored) == 4
    assert scored.n_out == 1
    assert scored.right.tolist() == [True, False, True, False]
    assert scored.confidence.tolist() == pytest.approx([0.9, -1, 0.3, 0.3])


@pytest.mark.parametrize(
    ("wishes", "word"),
    [
        ({"wrong_costs": 0}, "hand-overs"),
        ({"wrong_costs": math.nan}, "hand-overs"),
        ({"max_wrong": 1}, "wrong answers"),
        ({"confidence": 1}, "confidence"),
        ({"out_of_scope_share": 1}, "out-of-scope"),
    ],
)
def test_wishes_without_sense_are_refused(wishes: dict[str, float], word: str) -> None:
    with pytest.raises(UsageError, match=word):
        advise(TINY, 0.5, **wishes)


def test_a_share_without_out_of_scope_questions_is_refused() -> None:
    with pytest.raises(UsageError, match="no out-of-scope question"):
        advise(many(60), 0.5, out_of_scope_share=0.3)


def test_examples_become_advice_with_a_stable_json_form() -> None:
    topics = {"hours": "when open today", "pay": "salary money wage", "place": "office city street"}
    texts = [
        f"{word} {number} {topic}" for topic, words in topics.items() for number in range(6) for word in words.split()
    ]
    names = [topic for topic, words in topics.items() for _ in range(6) for _ in words.split()]
    data = ([*texts, "tell me a joke", "sing a song"], [*names, None, None])
    result = advise_threshold(data, "tfidf", workers=1, out_of_scope_share=0.2)
    again = advise_threshold(data, "tfidf", workers=1, out_of_scope_share=0.2)
    content = result.to_json()
    assert content == again.to_json()
    assert {"curve", "chosen", "today", "guarantee", "guaranteed", "questions", "k", "p"} <= content.keys()
    assert content["kind"] == "intents-threshold"
    assert content["out_of_scope"] == 2
    assert len(json.dumps(content)) > 0
