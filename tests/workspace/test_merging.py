"""Two versions put together: no change is lost, and what both changed is asked."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce import demo
from vivavoce.conversations import Scenario, read_suite
from vivavoce.conversations.scenario import Include, Turn
from vivavoce.workspace.scenarios.merging import MINE, THEIRS, merge_scenarios, pair_turns
from vivavoce.workspace.scenarios.suites import without_lines

pytestmark = pytest.mark.slow

SHIPPED = [without_lines(one) for name in demo.suites() for one in read_suite(name).scenarios if len(one.turns) > 2]
BASES = st.sampled_from(SHIPPED)


def edited(scenario: Scenario, place: int, note: str) -> Scenario:
    was = scenario.turns[place]
    turn = replace(was, note=note) if isinstance(was, Turn) else Include(note)
    return replace(scenario, turns=(*scenario.turns[:place], turn, *scenario.turns[place + 1 :]))


def without(scenario: Scenario, place: int) -> Scenario:
    return replace(scenario, turns=(*scenario.turns[:place], *scenario.turns[place + 1 :]))


def added(scenario: Scenario, place: int, text: str) -> Scenario:
    return replace(scenario, turns=(*scenario.turns[:place], Turn(text), *scenario.turns[place:]))


def changes() -> st.SearchStrategy:
    """Return ways to change a scenario."""

    def several(steps):
        def change(scenario: Scenario) -> Scenario:
            for kind, place, text in steps:
                at = place % max(len(scenario.turns), 1)
                if kind == "add":
                    scenario = added(scenario, at, text)
                elif scenario.turns:
                    scenario = edited(scenario, at, text) if kind == "edit" else without(scenario, at)
            return scenario

        return change

    step = st.tuples(st.sampled_from(["add", "edit", "delete"]), st.integers(0, 20), st.text("abc", min_size=1))
    return st.lists(step, max_size=3).map(several)


@settings(deadline=None, max_examples=30)
@given(BASES, changes())
def test_where_only_one_changed_something_that_is_the_result(base: Scenario, change) -> None:
    other = change(base)
    for theirs, mine in ((other, base), (base, other), (other, other)):
        merge = merge_scenarios(base, theirs, mine)
        assert not merge.conflicts
        assert merge.resolve() == other


@settings(deadline=None, max_examples=30)
@given(BASES, changes(), changes())
def test_every_turn_of_both_is_in_the_result_or_in_a_question_unless_one_of_them_deleted_it(
    base: Scenario, one, two
) -> None:
    theirs, mine = one(base), two(base)
    merge = merge_scenarios(base, theirs, mine)
    asked = [turn for conflict in merge.conflicts for turn in (conflict.theirs, conflict.mine)]
    kept = [*merge.resolve().turns, *asked]
    for version in (theirs, mine):
        origins = pair_turns(base.turns, version.turns)
        for turn, origin in zip(version.turns, origins, strict=True):
            changed = origin is None or base.turns[origin] != turn
            assert not changed or turn in kept


@settings(deadline=None, max_examples=30)
@given(BASES, st.data())
def test_changes_of_different_turns_are_put_together_without_a_question(base: Scenario, data) -> None:
    places = st.integers(0, len(base.turns) - 1)
    first, second = data.draw(st.tuples(places, places).filter(lambda pair: pair[0] != pair[1]))
    merge = merge_scenarios(base, edited(base, first, "theirs"), edited(base, second, "mine"))
    assert not merge.conflicts
    assert merge.resolve() == edited(edited(base, first, "theirs"), second, "mine")


@settings(deadline=None, max_examples=30)
@given(BASES, st.data())
def test_changes_of_the_same_turn_are_a_question_and_either_answer_holds(base: Scenario, data) -> None:
    place = data.draw(st.integers(0, len(base.turns) - 1))
    merge = merge_scenarios(base, edited(base, place, "theirs"), edited(base, place, "mine"))
    (question,) = merge.conflicts
    assert question.number == place + 1
    for choice in (THEIRS, MINE):
        assert merge.resolve(lambda _, choice=choice: choice) == edited(base, place, choice)


def test_a_turn_that_one_deleted_and_the_other_edited_is_a_question() -> None:
    base = SHIPPED[0]
    merge = merge_scenarios(base, without(base, 1), edited(base, 1, "mine"))
    assert [(one.theirs, one.number) for one in merge.conflicts] == [(None, 2)]
    assert merge.resolve(lambda _: THEIRS) == without(base, 1)
    assert merge.resolve(lambda _: MINE) == edited(base, 1, "mine")


def test_a_turn_that_was_moved_stays_where_it_was_moved_to_with_the_change_of_the_other() -> None:
    base = SHIPPED[0]
    moved = replace(base, turns=(base.turns[1], base.turns[0], *base.turns[2:]))
    merge = merge_scenarios(base, edited(base, 0, "theirs"), moved)
    assert not merge.conflicts
    assert merge.resolve().turns == (base.turns[1], replace(base.turns[0], note="theirs"), *base.turns[2:])


def test_titles_that_both_changed_are_a_question_and_other_fields_go_together() -> None:
    base = SHIPPED[0]
    merge = merge_scenarios(base, replace(base, title="A", domain="x"), replace(base, title="B", note="why"))
    assert [one.field for one in merge.conflicts] == ["title"]
    found = merge.resolve(lambda _: THEIRS)
    assert (found.title, found.domain, found.note) == ("A", "x", "why")
