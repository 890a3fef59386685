"""From scenarios as written to conversations ready to be held."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from suite_strategies import expectations, patterns, shares, texts

from vivavoce.codec import from_json
from vivavoce.conversations.record_form import to_json
from vivavoce.conversations.scenario import (
    Defaults,
    FallbackRule,
    Kind,
    Match,
    OnMismatch,
    Pattern,
    Plan,
    Script,
    ScriptTurn,
    Suite,
)
from vivavoce.conversations.scenarios.check import measure_script
from vivavoce.conversations.scenarios.expansion import cover_pairs, expand
from vivavoce.conversations.scenarios.formats.yaml_reading import parse_yaml_suite
from vivavoce.errors import DataError, UsageError

pytestmark = pytest.mark.slow

WRITTEN = """
suite: s
defaults: {on_mismatch: stop}
lists:
  ask: [book a flight, "a ticket to {to}"]
rows:
  - {id: mel-syd, from: Melbourne, to: Sydney}
  - {id: per-ade, from: Perth, to: Adelaide (SA)}
parts:
  greet: [{user: hello, expect: greet}]
  open: [{include: greet}, {id: ask, user: from, expect: any}]
scenarios:
  - id: a
    level: basic
    domain: flights
    tags: [smoke]
    title: To {to}
    rows: [mel-syd, per-ade]
    setup: {slots: {home: "{from}"}}
    turns:
      - include: open
      - id: clean
        user: from {from} to {to}
        expect: {intent: book, slots: {origin: "{from}"}, reply: {any: [{regex: "to {to}.{2}"}, "{fare} {number}"]}}
        save: {fare: {regex: "([0-9]+)"}}
      - {user: form {from}, kind: typo, twin_of: clean, expect: same}
      - {user: {list: ask, pick: 2}, expect: book}
      - {user: {button: "Fly to {to}"}, expect: {same: true, within_ms: 50}, twin_of: a/t1}
  - id: b
    level: medium
    domain: other
    turns:
      - {user: {list: ask}, expect: fallback}
  - id: b-typo
    level: medium
    domain: other
    turns:
      - {user: {list: ask}, expect: same, twin_of: b/t1, kind: typo}
""".replace("{user: form {from}", '{user: "form {from}"')


@pytest.fixture
def suite() -> Suite:
    return parse_yaml_suite(WRITTEN)


@pytest.fixture
def plan(suite: Suite) -> Plan:
    return expand(suite)


def script(plan: Plan, name: str) -> Script:
    return next(one for one in plan.scripts if one.id == name)


def test_there_is_one_conversation_for_each_row_and_each_phrase(suite: Suite, plan: Plan) -> None:
    assert [one.id for one in plan.scripts] == [
        "a[mel-syd]",
        "a[per-ade]",
        "b[ask:1]",
        "b[ask:2]",
        "b-typo[ask:1]",
        "b-typo[ask:2]",
    ]


def test_parts_are_put_in_and_every_turn_has_an_id_and_a_number(plan: Plan) -> None:
    turns = script(plan, "a[mel-syd]").turns
    assert [turn.id for turn in turns] == ["t1", "ask", "clean", "t4", "t5", "t6"]
    assert [turn.number for turn in turns] == [1, 2, 3, 4, 5, 6]


def test_values_of_the_row_are_put_in_everywhere_and_saved_ones_stay(plan: Plan) -> None:
    found = script(plan, "a[per-ade]")
    clean = found.turns[2]
    assert (found.title, found.setup_slots) == ("To Adelaide (SA)", {"home": "Perth"})
    assert (clean.text, clean.expect.slots) == ("from Perth to Adelaide (SA)", {"origin": "Perth"})
    assert clean.expect.any == (Pattern(r"to Adelaide\ \(SA\).{2}", Match.REGEX), Pattern("{fare} {number}"))
    assert clean.save == {"fare": Pattern("([0-9]+)", Match.REGEX)}
    assert found.turns[4].text == "a ticket to Adelaide (SA)"
    assert (found.turns[5].text, found.turns[5].button) == ("Fly to Adelaide (SA)", True)


def test_a_twin_is_found_and_its_expectation_taken_over(plan: Plan) -> None:
    found = script(plan, "a[mel-syd]")
    assert found.turns[3].twin == ("a[mel-syd]", 3)
    assert found.turns[3].expect == found.turns[2].expect
    assert found.turns[5].twin == ("a[mel-syd]", 1)
    assert found.turns[5].expect == replace(found.turns[0].expect, within_ms=50.0)


def test_a_twin_in_another_scenario_is_the_one_with_the_same_choices(plan: Plan) -> None:
    for place in (1, 2):
        turn = script(plan, f"b-typo[ask:{place}]").turns[0]
        assert turn.twin == (f"b[ask:{place}]", 1)
        assert turn.expect.fallback
        assert not turn.expect.same


def test_a_twin_that_is_left_out_is_not_linked_but_its_expectation_holds(suite: Suite) -> None:
    turn = expand(suite, scenarios=["b-typo"]).scripts[0].turns[0]
    assert turn.twin is None
    assert turn.expect.fallback


def test_what_happens_after_a_mismatch_is_settled(plan: Plan) -> None:
    assert {one.on_mismatch for one in plan.scripts} == {OnMismatch.STOP}


@pytest.mark.parametrize(
    ("wanted", "scenarios"),
    [({"levels": ["basic"]}, {"a"}), ({"domains": ["other"]}, {"b", "b-typo"}), ({"tags": ["smoke"]}, {"a"})],
)
def test_a_plan_can_be_limited(suite: Suite, wanted: dict[str, list[str]], scenarios: set[str]) -> None:
    assert {one.scenario for one in expand(suite, **wanted).scripts} == scenarios  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ({"levels": ["bsic"]}, "unknown level 'bsic'"),
        ({"domains": ["x"]}, "unknown domain 'x'"),
        ({"tags": ["smok"]}, "unknown tag 'smok'"),
        ({"scenarios": ["c"]}, "unknown scenario 'c'"),
    ],
)
def test_what_does_not_exist_cannot_be_asked_for(suite: Suite, wanted: dict[str, list[str]], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        expand(suite, **wanted)  # type: ignore[arg-type]


def test_nothing_is_left_is_said(suite: Suite) -> None:
    with pytest.raises(UsageError, match="no scenario matches"):
        expand(suite, levels=["basic"], domains=["other"])


def test_a_sample_is_drawn_by_the_seed_and_keeps_the_order(suite: Suite, plan: Plan) -> None:
    every = [one.id for one in plan.scripts]
    drawn = {tuple(one.id for one in expand(suite, sample=3, seed=seed).scripts) for seed in range(20)}
    assert len(drawn) > 1
    assert all(len(one) == 3 and sorted(one, key=every.index) == list(one) for one in drawn)
    assert expand(suite, sample=3, seed=4) == expand(suite, sample=3, seed=4)


def test_a_version_changes_with_what_matters_and_with_nothing_else(suite: Suite, plan: Plan) -> None:
    first = plan.scripts[0]
    assert len(first.version) == 16
    assert int(first.version, 16) >= 0
    same = (
        WRITTEN.replace("title: To {to}", "title: other")
        .replace("id: clean", "id: klar")
        .replace("twin_of: clean", "twin_of: klar")
    )
    assert expand(parse_yaml_suite(same)).scripts[0].version == first.version
    for old, new in [
        ("user: hello", "user: hullo"),
        ("intent: book", "intent: look"),
        ("on_mismatch: stop", "on_mismatch: replay"),
    ]:
        other = expand(parse_yaml_suite(WRITTEN.replace(old, new)))
        assert other.scripts[0].version != first.version
        assert other.hash != plan.hash
    assert expand(parse_yaml_suite(WRITTEN)).hash == plan.hash


def test_a_version_does_not_depend_on_what_else_is_held(suite: Suite, plan: Plan) -> None:
    assert expand(suite, scenarios=["b-typo"]).scripts[0].version == script(plan, "b-typo[ask:1]").version


def test_all_that_leads_nowhere_is_told_at_once() -> None:
    broken = parse_yaml_suite(
        "lists: {l: [x], none: []}\nparts: {p: [{include: q}], q: [{include: p}]}\nrows: [{id: r}]\nscenarios:\n"
        "  - id: a\n    level: basic\n    rows: [s]\n"
        "    turns: [{include: pp}, {user: {list: m}}, {user: {list: l, pick: 2}}]\n"
        "  - {id: a, level: basic, turns: [{user: {list: none}}]}\n"
    )
    with pytest.raises(DataError) as caught:
        expand(broken)
    told = " ".join(fault.message for fault in caught.value.faults)
    for part in (
        "the id 'a'",
        "unknown row 's'",
        "unknown part 'pp'",
        "unknown list 'm'",
        "number 2 does not exist",
        "no phrases",
        "includes itself",
    ):
        assert part in told


@pytest.mark.parametrize(
    "turn",
    ["{user: a, expect: same}", "{user: a, expect: same, twin_of: b}", "{id: t, user: a, expect: same, twin_of: t}"],
)
def test_same_as_nothing_is_refused(turn: str) -> None:
    suite = parse_yaml_suite(f"scenarios: [{{id: a, level: basic, turns: [{turn}]}}]")
    with pytest.raises(DataError, match="same"):
        expand(suite)


def test_a_part_put_in_twice_keeps_ids_apart() -> None:
    suite = parse_yaml_suite(
        "parts: {p: [{id: x, user: a}]}\n"
        "scenarios: [{id: a, level: basic, turns: [{include: p}, {user: b}, {include: p}, {id: t2, user: c}]}]"
    )
    ids = [turn.id for turn in expand(suite).scripts[0].turns]
    assert ids == ["x", "t2-2", "x-2", "t2"]


@given(st.lists(st.integers(1, 5), min_size=1, max_size=5), st.integers(0, 3))
def test_every_pair_meets_and_no_more_than_the_product_is_tried(sizes: list[int], seed: int) -> None:
    rows = cover_pairs(sizes, seed)
    for (a, n), (b, m) in combinations(enumerate(sizes), 2):
        assert {(row[a], row[b]) for row in rows} == {(x, y) for x in range(n) for y in range(m)}
    assert {row[0] for row in rows} == set(range(sizes[0]))
    product = 1
    for size in sizes:
        product *= size
    assert len(rows) <= product
    assert rows == cover_pairs(sizes, seed)


def test_several_lists_are_not_multiplied() -> None:
    phrases = ", ".join(f"p{n}" for n in range(6))
    turns = ", ".join("{user: {list: l}}" for _ in range(4))
    suite = parse_yaml_suite(f"lists: {{l: [{phrases}]}}\nscenarios: [{{id: a, level: basic, turns: [{turns}]}}]")
    plan = expand(suite)
    assert 36 <= len(plan.scripts) < 100
    assert len({one.id for one in plan.scripts}) == len(plan.scripts)


def test_turns_slots_and_switches_are_measured(plan: Plan) -> None:
    found = measure_script(script(plan, "a[mel-syd]"))
    assert (found.turns, found.slots, found.switches) == (6, 1, 2)


script_turns = st.builds(
    ScriptTurn,
    number=st.integers(1, 9),
    id=texts,
    text=texts,
    expect=expectations,
    button=st.booleans(),
    kind=st.sampled_from(Kind),
    twin=st.none() | st.tuples(texts, st.integers(1, 9)),
    save=st.dictionaries(texts, patterns, max_size=2),
    wait_s=shares,
    pause_ms=shares,
    note=texts,
)
plans = st.builds(
    Plan,
    suite=texts,
    language=texts,
    scripts=st.lists(
        st.builds(
            Script,
            *[texts] * 5,
            turns=st.lists(script_turns, max_size=2).map(tuple),
            tags=st.lists(texts, max_size=2).map(tuple),
            on_mismatch=st.sampled_from(OnMismatch),
            version=texts,
            setup_slots=st.dictionaries(texts, texts, max_size=2),
        ),
        max_size=2,
    ).map(tuple),
    defaults=st.builds(Defaults, st.sampled_from(Match), st.sampled_from(OnMismatch), shares, shares),
    fallback=st.builds(FallbackRule, st.lists(texts, max_size=2).map(tuple), st.lists(texts, max_size=2).map(tuple)),
    notice=texts,
    hash=texts,
)


@given(plans)
@settings(max_examples=100)
def test_a_plan_goes_through_json_without_loss(plan: Plan) -> None:
    assert from_json(Plan, json.loads(json.dumps(to_json(plan))), what="a plan", remedy="") == plan


def test_the_plan_of_a_suite_goes_through_json_without_loss(plan: Plan) -> None:
    assert from_json(Plan, json.loads(json.dumps(to_json(plan))), what="a plan", remedy="") == plan
