"""Bot against bot: the same turns, whole scenarios drawn again, and no verdict that few of them cannot bear."""

from __future__ import annotations

import pytest
from exams import E, R, U, W, found, line, talk

from vivavoce.conversations.result import Comparison, ConversationsResult, Line
from vivavoce.outcomes import TurnOutcome
from vivavoce.statistics import mcnemar_exact


def side(bot: str, right: int, n: int = 60, turns: int = 1) -> list[Line]:
    """Return n conversations, of which the first pass."""
    return [one for place in range(n) for one in talk([R if place < right else W] * turns, f"s{place:03}", bot=bot)]


def first(result: ConversationsResult) -> Comparison:
    return result.comparisons[0]


def test_a_bot_that_is_clearly_better_is_called_so() -> None:
    found_one = first(found([*side("a", 55), *side("b", 30)], "a", "b"))
    assert found_one.difference == pytest.approx(25 / 60)
    assert found_one.verdict == "a better"
    assert found_one.more == 0
    assert (found_one.only_a, found_one.only_b, found_one.mcnemar_p) == (25, 0, mcnemar_exact(25, 0))
    assert (found_one.conversations, found_one.turns) == (60, 60)


def test_the_verdict_does_not_depend_on_who_is_named_first() -> None:
    lines = [*side("a", 55), *side("b", 30)]
    assert first(found(lines, "b", "a")).verdict == "a better"
    assert first(found(lines, "b", "a")).difference == pytest.approx(-25 / 60)


def test_a_small_difference_is_too_close_to_call_and_says_what_would_decide() -> None:
    lines = [*side("a", 31), *side("b", 30)]
    found_one = first(found(lines, "a", "b"))
    assert found_one.verdict == "too close to call"
    assert found_one.more is not None
    assert found_one.more > 60


def test_no_difference_at_all_cannot_be_decided_by_any_number() -> None:
    found_one = first(found([*side("a", 30), *side("b", 30)], "a", "b"))
    assert (found_one.difference, found_one.verdict, found_one.more) == (0, "too close to call", None)


@pytest.mark.parametrize(("scenarios", "verdict"), [(4, "too close to call"), (8, "a better")])
def test_few_scenarios_that_all_point_one_way_may_be_luck(scenarios: int, verdict: str) -> None:
    lines = [*side("a", scenarios, scenarios, turns=10), *side("b", 0, scenarios, turns=10)]
    one = first(found(lines, "a", "b"))
    assert one.verdict == verdict
    assert one.more == (2 if scenarios == 4 else 0), "six that all point one way would do"


def test_no_interval_goes_beyond_what_two_shares_can_differ_by() -> None:
    uneven = [*talk([R] * 9, "one", bot="a"), *talk([R], "two", bot="a"), *talk([R, W], "three", bot="a")]
    other = [*talk([W] * 9, "one", bot="b"), *talk([W], "two", bot="b"), *talk([W, W], "three", bot="b")]
    one = first(found([*uneven, *other], "a", "b"))
    assert one.low is not None
    assert one.high is not None
    assert -1 <= one.low <= one.high == 1


def test_only_turns_counted_for_both_are_compared() -> None:
    a = talk([R, R, R, W], "s", bot="a") + talk([R], "t", bot="a")
    b = talk([R, E, U, R], "s", bot="b")
    found_one = first(found([*a, *b], "a", "b"))
    assert (found_one.turns, found_one.conversations, found_one.only_a, found_one.only_b) == (2, 1, 0, 1)


def test_bots_that_never_met_have_no_difference() -> None:
    found_one = first(found([line(R, "s", bot="a"), line(R, "t", bot="b")], "a", "b"))
    assert found_one.difference is None
    assert found_one.mcnemar_p is None
    assert found_one.verdict == "cannot be compared"


def test_a_comparison_tells_how_many_scenarios_differ_and_among_how_many_it_was_judged() -> None:
    result = found([*side("a", 10), *side("b", 7), *side("c", 7)], "a", "b", "c")
    whole = [one for one in result.comparisons if not one.level]
    assert [(one.differing, one.family) for one in whole] == [(3, 3), (3, 3), (0, 3)]


def test_every_pair_is_compared_overall_and_in_each_domain_and_level() -> None:
    lines = [
        line(R, f"{domain}{level}", bot=bot, domain=domain, level=level)
        for bot in "abc"
        for domain in "xy"
        for level in ("basic", "medium")
    ]
    found_all = found(lines, "a", "b", "c").comparisons
    places = [(one.domain, one.level) for one in found_all if (one.a, one.b) == ("a", "c")]
    assert places == [("", ""), ("x", ""), ("y", ""), ("", "basic"), ("", "medium")]
    assert len(found_all) == 15


def test_more_bots_make_each_single_verdict_harder_to_reach() -> None:
    lines = [*side("a", 40), *side("b", 33)]
    alone = first(found(lines, "a", "b"))
    among = first(found([*lines, *side("c", 33), *side("d", 33)], "a", "b", "c", "d"))
    assert alone.p is not None
    assert among.p is not None
    assert among.p > alone.p


def test_a_difference_is_the_difference_of_accuracies_on_the_same_turns() -> None:
    result = found([*side("a", 41, turns=3), *side("b", 22, turns=3)], "a", "b")
    gap = (result.cell("a").rates["accuracy"].value or 0) - (result.cell("b").rates["accuracy"].value or 0)
    assert first(result).difference == pytest.approx(gap)


def test_passing_by_a_right_refusal_counts_as_passing() -> None:
    lines = [line(TurnOutcome.DECLINED, f"s{n}", bot="a") for n in range(30)]
    lines += [line(TurnOutcome.OVERREACH, f"s{n}", bot="b") for n in range(30)]
    assert first(found(lines, "a", "b")).verdict == "a better"
