"""Drafts: what a form does not show is never lost, whatever is done to what it shows."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce import demo
from vivavoce.conversations import Scenario, read_suite
from vivavoce.conversations.scenario import Expectation, Include, Kind, Match, Pattern, Phrase, Turn
from vivavoce.errors import UsageError
from vivavoce.workspace.scenarios.drafts import (
    NOTHING,
    Draft,
    DraftTurn,
    draft_of,
    draft_turn,
    is_open,
    keep_head,
    keep_scenario,
    keep_step,
    locked_head,
    locked_parts,
    read_kept_scenario,
    read_kept_step,
    scenario_of,
    step_of,
)
from vivavoce.workspace.scenarios.suites import parse_scenario, scenario_columns, without_lines

pytestmark = pytest.mark.slow

SHIPPED = [without_lines(one) for name in demo.suites() for one in read_suite(name).scenarios]
TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=30)
LINES = TEXTS.map(lambda text: " ".join(text.split())).filter(bool)
PATTERNS = st.builds(Pattern, TEXTS.filter(bool), st.sampled_from([None, *Match]), st.sampled_from([None, 0.5]))
EXPECTATIONS = st.builds(
    Expectation,
    counted=st.booleans(),
    fallback=st.booleans(),
    intents=st.lists(LINES, max_size=2).map(tuple),
    any=st.lists(PATTERNS, max_size=3).map(tuple),
    none=st.lists(PATTERNS, max_size=2).map(tuple),
    slots=st.dictionaries(LINES, TEXTS, max_size=2),
    slots_after=st.dictionaries(LINES, TEXTS, max_size=1),
    min_confidence=st.sampled_from([None, 0.5]),
    within_ms=st.sampled_from([None, 800.0]),
    extras=st.dictionaries(st.just("x-own"), LINES, max_size=1),
)
TURNS = st.builds(
    Turn,
    user=st.one_of(TEXTS, st.builds(Phrase, LINES, st.sampled_from([None, 2]))),
    expect=st.one_of(EXPECTATIONS, st.just(NOTHING), st.just(Expectation(same=True))),
    id=st.sampled_from(["", "ask"]),
    kind=st.sampled_from(list(Kind)),
    save=st.dictionaries(LINES, PATTERNS, max_size=1),
    note=TEXTS,
    extras=st.dictionaries(st.just("x-raw"), LINES, max_size=1),
)
STEPS = st.one_of(TURNS, st.builds(Include, LINES))
SCENARIOS = st.builds(
    Scenario,
    id=LINES,
    level=st.just("basic"),
    turns=st.lists(STEPS, max_size=4).map(tuple),
    title=TEXTS,
    tags=st.lists(LINES, max_size=2).map(tuple),
    rows=st.lists(LINES, max_size=1).map(tuple),
    setup_slots=st.dictionaries(LINES, LINES, max_size=1),
    note=TEXTS,
    extras=st.dictionaries(st.just("x-own"), LINES, max_size=1),
)


@settings(deadline=None, max_examples=60)
@given(SCENARIOS)
def test_a_scenario_survives_its_form(scenario: Scenario) -> None:
    assert scenario_of(draft_of(scenario)) == scenario


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(SHIPPED), st.data())
def test_an_edit_of_a_shipped_scenario_touches_what_was_edited_and_nothing_else(scenario, data) -> None:
    place = data.draw(st.integers(0, len(scenario.turns) - 1))
    draft, texts = draft_of(scenario), tuple(data.draw(st.lists(LINES, min_size=1, max_size=3, unique=True)))
    turns = (*draft.turns[:place], replace(draft.turns[place], any=texts), *draft.turns[place + 1 :])
    found = scenario_of(replace(draft, turns=turns))
    was, now = scenario.turns[place], found.turns[place]
    assert (*found.turns[:place], was, *found.turns[place + 1 :]) == scenario.turns
    if isinstance(was, Include) or was.expect.same:
        assert now == was
        return
    locked = [one for one in was.expect.any if not is_open(one)]
    assert set(now.expect.any) >= {*map(Pattern, texts), *locked}
    assert replace(now.expect, any=(), counted=True) == replace(was.expect, any=(), counted=True)
    assert replace(now, expect=was.expect) == was


@settings(deadline=None, max_examples=60)
@given(STEPS)
def test_a_step_is_carried_by_a_form_as_it_is(step) -> None:
    assert read_kept_step(keep_step(step)) == step


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(SHIPPED))
def test_a_scenario_is_carried_by_a_form_and_by_its_text_as_it_is(scenario: Scenario) -> None:
    assert read_kept_scenario(keep_scenario(scenario)) == scenario
    assert read_kept_scenario(keep_head(scenario)) == replace(scenario, turns=())
    assert parse_scenario(scenario_columns(scenario)["text"]) == scenario


def test_a_new_turn_that_expects_something_is_counted_and_one_that_does_not_is_not() -> None:
    assert step_of(DraftTurn(said="Hello")).expect == NOTHING
    assert step_of(DraftTurn(said="Hello", topics=("greet",))).expect == Expectation(intents=("greet",))
    emptied = replace(draft_turn(Turn("Hello", Expectation(intents=("greet",)))), topics=())
    assert step_of(emptied).expect == NOTHING


def test_the_box_for_mistakes_changes_the_kind_and_leaves_other_kinds_alone() -> None:
    for kind in Kind:
        drawn = draft_turn(Turn("Hello", kind=kind))
        assert step_of(drawn).kind is kind
        assert step_of(replace(drawn, typo=True)).kind is Kind.TYPO
    assert step_of(replace(draft_turn(Turn("Helo", kind=Kind.TYPO)), typo=False)).kind is Kind.CLEAN


def test_what_is_locked_is_told() -> None:
    regex = Pattern("a+", Match.REGEX)
    turn = Turn("x", Expectation(any=(Pattern("plain"), regex), counted=False), id="ask", save={"n": regex})
    told = dict(locked_parts(draft_turn(turn)))
    assert set(told) == {"id", "save", "expect: counted", "expect: reply"}
    assert "a+" in told["expect: reply"]
    assert "plain" not in told["expect: reply"]
    assert locked_head(draft_of(Scenario("a", "basic", (), rows=("r",)))) == (("rows", '["r"]'),)
    assert locked_head(Draft()) == ()


@pytest.mark.parametrize("text", ["{", "3", "[]", '{"user": {"no": 1}}', '{"user": "a", "other": "b"}'])
def test_a_form_that_was_changed_on_its_way_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="the form data was altered"):
        read_kept_step(text)
