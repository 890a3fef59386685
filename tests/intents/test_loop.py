"""The loop judged: forecasts beside outcomes, scores that rise for the wrong reason, and when to stop."""

from __future__ import annotations

import pytest

from vivavoce.errors import UsageError
from vivavoce.intents import PastForecast, compare_scores, judge_readiness, keep_record, split_off
from vivavoce.intents.guards import FROZEN
from vivavoce.intents.material import Material
from vivavoce.intents.pairs import Pair
from vivavoce.intents.problem_record import Problem, ProblemKind, Standing
from vivavoce.intents.readiness import ReasonKind
from vivavoce.records import Dataset
from vivavoce.text.duplicates import duplicate_groups

# --- the record of forecasts ---------------------------------------------------------------------------------


def test_a_record_counts_the_forecasts_that_held_among_the_last_whose_outcome_is_known() -> None:
    held, missed, open_ = (
        PastForecast(0.02, 0.0, 0.04, 0.03),
        PastForecast(0.02, 0.0, 0.04, -0.05),
        PastForecast(0.1, 0, 1),
    )
    record = keep_record([missed] * 20 + [held] * 10 + [missed, missed, open_])
    assert len(record.judged) == 12
    assert record.inside.value == pytest.approx(10 / 12)
    assert record.sentence == "Of the last 12 forecasts, 10 were within their range."
    assert record.trustworthy


def test_an_outcome_that_is_itself_uncertain_may_miss_by_as_much() -> None:
    assert not PastForecast(0.02, 0.01, 0.03, 0.05).inside
    assert PastForecast(0.02, 0.01, 0.03, 0.05, noise=0.02).inside


def test_forecasts_that_never_hold_are_not_to_be_trusted_and_none_are_not_judged() -> None:
    assert keep_record([PastForecast(0.0, 0.0, 0.0, 0.5)] * 12).trustworthy is False
    none = keep_record([])
    assert (none.trustworthy, none.error, none.inside.value) == (None, None, None)
    assert none.sentence == "No forecast could be checked yet."


def test_the_error_of_forecasts_stands_beside_that_of_no_change() -> None:
    record = keep_record([PastForecast(0.03, 0, 1, 0.02), PastForecast(0.0, 0, 1, 0.04)])
    assert record.error == pytest.approx(0.025)
    assert record.error_of_no_change == pytest.approx(0.03)


# --- gaming --------------------------------------------------------------------------------------------------


def scores(right: int, wrong: int, start: int = 0) -> dict[str, float]:
    return {f"q{n}": float(n < start + right) for n in range(start, start + right + wrong)}


def test_a_score_that_rose_because_hard_questions_were_deleted_is_suspicious() -> None:
    before = scores(70, 30)
    after = {key: value for key, value in before.items() if value or int(key[1:]) < 80}
    progress = compare_scores(before, after)
    assert progress.suspicious
    assert (progress.removed.n, progress.removed.value) == (20, 0.0)
    assert "20 questions are gone" in progress.sentence


def test_a_score_that_rose_on_the_same_questions_is_not() -> None:
    before = scores(60, 40)
    after = {key: float(int(key[1:]) < 75) for key in before}
    assert not compare_scores(before, after).suspicious
    # Deleting a few hard ones beside a true gain is no gaming.
    after = {key: value for key, value in after.items() if int(key[1:]) < 95}
    progress = compare_scores(before, after)
    assert not progress.suspicious
    assert progress.low is not None
    assert progress.low > 0


@pytest.mark.parametrize("removed", [range(10), range(40, 50)])
def test_deleting_easy_questions_or_any_is_no_gaming_while_the_score_does_not_rise(removed: range) -> None:
    before = scores(60, 40)
    after = {key: value for key, value in before.items() if int(key[1:]) not in removed}
    assert not compare_scores(before, after).suspicious


def test_exams_without_a_common_question_compare_nothing() -> None:
    progress = compare_scores(scores(3, 1), scores(4, 0, start=100))
    assert progress.stayed_after.value is None
    assert not progress.suspicious or progress.removed.n


# --- the frozen test set -------------------------------------------------------------------------------------


def build_data() -> Dataset:
    texts = [f"{topic} question number {word}" for topic in ("pay", "leave") for word in "abcdefghijklmnopqrst"]
    return Dataset.of([*texts, "pay question number a!", "rare one"], [*["pay"] * 20, *["leave"] * 20, "pay", "rare"])


def test_a_frozen_part_has_questions_of_every_larger_topic_and_shares_none_with_the_rest() -> None:
    data = build_data()
    kept, frozen = split_off(data, 0.25, seed=3)
    assert len(kept) + len(frozen) == len(data)
    assert {example.split for example in frozen} == {FROZEN}
    assert set(frozen.sizes) == {"pay", "leave"}
    assert 0.15 <= len(frozen) / len(data) <= 0.25
    groups = duplicate_groups([*kept.texts, *frozen.texts])
    assert not set(groups[: len(kept)]) & set(groups[len(kept) :])
    Material.of(kept)


def test_the_same_seed_freezes_the_same_questions_and_another_does_not() -> None:
    first, again, other = (split_off(build_data(), 0.25, seed=seed)[1].texts for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize("share", [0.0, 1.0, -1.0])
def test_a_share_that_freezes_nothing_or_all_is_refused(share: float) -> None:
    with pytest.raises(UsageError, match="frozen"):
        split_off(build_data(), share)


# --- when to stop --------------------------------------------------------------------------------------------


def problem(low: float, **more: object) -> Problem:
    return Problem(ProblemKind.PAIR, ("a", "b"), low + 1, low, low + 2, evidence=3, remedies=(), **more)  # type: ignore[arg-type]


def pair(low: float) -> Pair:
    values = dict.fromkeys(Pair.__dataclass_fields__, None)
    own = {"a": "a", "b": "b", "overlap": low + 0.05, "low": low, "enough": True, "same_answer": False}
    return Pair(**{**values, **own})  # type: ignore[arg-type]


def test_data_without_problems_are_good_enough_and_those_with_a_clash_are_not() -> None:
    assert judge_readiness([], []).good_enough
    bad = judge_readiness([problem(3)], [pair(0.8)])
    assert not bad.good_enough
    assert [reason.kind for reason in bad.reasons] == [ReasonKind.CLASH]
    assert bad.sentence == "There is 1 thing to do before your topics are in order."


def test_the_level_of_a_self_test_decides_what_a_clash_is() -> None:
    assert judge_readiness([problem(3)], [pair(0.8)], level=0.9).good_enough
    assert not judge_readiness([problem(3)], [pair(0.5)], level=0.4).good_enough


def test_what_people_keep_apart_does_not_count() -> None:
    kept = problem(30, standing=Standing.KEPT_APART)
    assert judge_readiness([kept], [pair(0.8)]).good_enough
    other = Problem(ProblemKind.WEAKEST_TOPIC, ("c",), 5, 2, 9, evidence=3, remedies=())
    assert judge_readiness([kept, other], [pair(0.8)]).good_enough


def test_a_costly_problem_must_be_fixed_unless_no_remedy_gains() -> None:
    assert not judge_readiness([problem(30)], []).good_enough
    settled = judge_readiness([problem(30)], [], forecasts=[])
    assert settled.good_enough
    assert settled.reasons[0].kind is ReasonKind.NO_GAIN
    assert all(reason.sentence for reason in (*settled.reasons, *judge_readiness([problem(30)], []).reasons))
