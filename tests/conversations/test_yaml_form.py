"""Scenarios in YAML."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from suite_strategies import bare, suites

from vivavoce.conversations.scenario import (
    Button,
    Expectation,
    Include,
    Kind,
    Match,
    OnMismatch,
    Pattern,
    Phrase,
    Scenario,
    Suite,
    Turn,
)
from vivavoce.conversations.scenarios.formats.yaml_reading import parse_yaml_suite
from vivavoce.conversations.scenarios.formats.yaml_writing import suite_value
from vivavoce.errors import DataError
from vivavoce.files.yamls import dump_yaml

pytestmark = pytest.mark.slow

EXAMPLE = """
format: 1
suite: flight-booking
language: en
agent: flight
defaults: {match: contains, on_mismatch: continue, wait_s: 10, settle_ms: 800}
fallback:
  intents: [nlu_fallback]
  replies: ["*rephrase*"]
levels: [expert]
lists:
  ask_booking: [I want to book a flight, I need a plane ticket]
rows:
  - {id: mel-syd, from: Melbourne, to: Sydney}
parts:
  greet:
    - user: hello
      expect: {intent: greet}
x-owner: {team: [travel]}
scenarios:
  - id: fb-basic-01
    title: One-way ticket
    domain: flight_booking
    level: basic
    tags: [smoke]
    rows: [mel-syd]
    on_mismatch: stop
    setup: {slots: {name: Ann}}
    note: seen in the logs
    turns:
      - include: greet
      - id: t1
        user: "from {from} to {to} at 9pm"
        expect:
          intent: book_flight
          min_confidence: 0.5
          slots: {origin: "{from}"}
          reply:
            any:
              - "which date*"
              - regex: "(when|what day).*travel"
              - similar: "On which date?"
                min: 0.8
            none: ["error"]
          within_ms: 2000
      - id: t1-typo
        user: "form {from} to {to}"
        kind: typo
        twin_of: t1
        expect: same
      - user: yes
        expect: {intent: affirm, buttons: [Morning, Evening], x-note: kept}
        save: {fare: {regex: "AUD ([0-9]+)"}}
        pause_ms: 50
        wait_s: 3
        note: the answer is short
      - user: "Can you find the nearest hospital?"
        expect: fallback
      - user: {list: ask_booking, pick: 1}
        expect: book_flight
      - user: {button: Morning}
        expect: any
      - user: two people
        expect:
          intent: [change, book_flight]
          reply: {all: ["2", "{fare}"]}
          order: any
          answered: true
          optional: yes
"""


def turn(written: str) -> Turn:
    lines = "".join(f"        {line}\n" for line in written.strip().splitlines())
    suite = parse_yaml_suite(f"scenarios:\n  - id: a\n    level: basic\n    turns:\n      -\n{lines}")
    found = suite.scenarios[0].turns[0]
    assert isinstance(found, Turn)
    return found


def faults(written: str) -> list[str]:
    with pytest.raises(DataError) as caught:
        parse_yaml_suite(written, source="s.yaml")
    return [str(fault) for fault in caught.value.faults]


def test_all_of_the_example_is_understood() -> None:
    suite = parse_yaml_suite(EXAMPLE)
    scenario = suite.scenarios[0]
    include, first, typo, yes, away, listed, click, last = scenario.turns
    assert (suite.name, suite.agent, suite.levels[-1], suite.defaults.settle_ms) == (
        "flight-booking",
        "flight",
        "expert",
        800,
    )
    assert suite.extras == {"x-owner": {"team": ["travel"]}}
    assert (scenario.rows, scenario.on_mismatch, scenario.setup_slots) == (
        ("mel-syd",),
        OnMismatch.STOP,
        {"name": "Ann"},
    )
    assert include == Include("greet")
    assert isinstance(first, Turn)
    assert first.expect.any == (
        Pattern("which date*"),
        Pattern("(when|what day).*travel", Match.REGEX),
        Pattern("On which date?", Match.SIMILAR, 0.8),
    )
    line = EXAMPLE.splitlines().index("      - id: t1") + 1
    assert (first.expect.min_confidence, first.expect.within_ms, first.line) == (0.5, 2000.0, line)
    assert isinstance(typo, Turn)
    assert (typo.kind, typo.twin_of, typo.expect.same) == (Kind.TYPO, "t1", True)
    assert isinstance(yes, Turn)
    assert (yes.user, yes.save, yes.pause_ms, yes.wait_s) == (
        "yes",
        {"fare": Pattern("AUD ([0-9]+)", Match.REGEX)},
        50,
        3,
    )
    assert yes.expect.extras == {"x-note": "kept"}
    assert isinstance(away, Turn)
    assert away.expect == Expectation(fallback=True)
    assert isinstance(listed, Turn)
    assert (listed.user, listed.expect.intents) == (Phrase("ask_booking", 1), ("book_flight",))
    assert isinstance(click, Turn)
    assert (click.user, click.expect.counted) == (Button("Morning"), False)
    assert isinstance(last, Turn)
    assert (last.expect.intents, last.expect.order_any, last.expect.answered, last.expect.optional) == (
        ("change", "book_flight"),
        True,
        True,
        True,
    )


@pytest.mark.parametrize("written", ["yes", "no", "on", "9:30", "007", "2023-06-22", "~"])
def test_what_looks_like_something_else_stays_what_the_visitor_wrote(written: str) -> None:
    found = turn(f"user: {written}\nexpect: {{slots: {{a: {written}}}, reply: {{any: [{written}]}}}}")
    assert (found.user, found.expect.slots, found.expect.any) == (written, {"a": written}, (Pattern(written),))


def test_a_reply_may_be_given_as_one_text_or_a_list_of_alternatives() -> None:
    assert turn("user: a\nexpect: {reply: hello}").expect.any == (Pattern("hello"),)
    assert turn("user: a\nexpect: {reply: [hello, {exact: hi}]}").expect.any == (
        Pattern("hello"),
        Pattern("hi", Match.EXACT),
    )
    assert turn("user: a\nexpect: {reply: {fuzzy: hi, min: 0.9}}").expect.any == (Pattern("hi", Match.FUZZY, 0.9),)


def test_all_faults_are_told_at_once_with_their_lines_and_the_nearest_key() -> None:
    found = faults(
        "suite: a\nscenarois: []\nscenarios:\n"
        "  - id: one\n    level: bsic\n    turns:\n"
        "      - user: hi\n        expcet: greet\n"
        "      - expect: {min_confidence: high, reply: {anny: [x]}, optional: maybe}\n"
        "      - user: {list: a, pick: 0}\n        kind: tpyo\n"
        "  - level: basic\n    on_mismatch: halt\n    turns: text\n"
    )
    assert "line 2: unknown key 'scenarois' in a suite. Did you mean 'scenarios'?" in found
    assert "line 8: unknown key 'expcet' in a turn. Did you mean 'expect'?" in found
    assert "line 9: the turn has no `user`: enter what the visitor writes" in found
    assert "line 9: this must be a number from 0 to 1, not 'high'" in found
    assert "line 9: unknown key 'anny' in `reply`. Did you mean 'any'?" in found
    assert "line 9: this must be true or false, not 'maybe'" in found
    assert "line 10: this must be a whole number of 1 or more, not '0'" in found
    assert any(one.startswith("line 11: this must be one of clean, typo") for one in found)
    assert any(one.startswith("line 5: 'bsic' is not a level. Did you mean 'basic'?") for one in found)
    assert "line 12: the scenario has no `id`" in found
    assert any(one.startswith("line 13:") for one in found)
    assert any(one.startswith("line 14:") for one in found)
    assert len(found) == 12


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("", "no scenarios: add a list under `scenarios:`"),
        ("agent: x\ntopics: []", "agent file"),
        ("format: 2\nscenarios: []", "unknown format '2'"),
        ("scenarios: []\nrows: [{a: b}, {id: x}, {id: x}]", "the row has no `id`"),
        ("scenarios: []\ndefaults: {match: fuzy}", "Did you mean 'fuzzy'?"),
        ("scenarios: [{id: a, level: basic, turns: [{user: {pick: 1}}]}]", "`user` must be a text"),
        ("scenarios: [{id: a, level: basic, turns: [{user: a, save: {x: {exact: a, regex: b}}}]}]", "exactly one of"),
        ("scenarios: [{id: a, level: basic, turns: [{include: x, user: a}]}]", "unknown key 'user' in an `include`"),
        ("scenarios: [{id: a, level: basic, turns: [{user: [a]}]}]", "not a list"),
        ("scenarios: [{id: a, level: basic, turns: [{user: a, expect: {order: all}}]}]", "`order` must be"),
        ("scenarios: [{id: a, level: basic, turns: [{user: a, wait_s: nan}]}]", "number of at least 0, not 'nan'"),
    ],
)
def test_what_is_wrong_is_said_plainly(written: str, expected: str) -> None:
    assert any(expected in fault for fault in faults(written))


@given(suites)
@settings(max_examples=150)
def test_a_suite_is_read_back_as_it_was_written(suite: Suite) -> None:
    assert bare(parse_yaml_suite(dump_yaml(suite_value(suite)))) == suite


def test_the_example_does_not_change_when_it_is_written_and_read_again() -> None:
    suite = parse_yaml_suite(EXAMPLE)
    again = dump_yaml(suite_value(suite))
    assert bare(parse_yaml_suite(again)) == bare(suite)
    assert dump_yaml(suite_value(parse_yaml_suite(again))) == again


def test_a_topic_with_the_name_of_a_short_form_keeps_its_meaning() -> None:
    suite = Suite("a", (Scenario("s", "basic", (Turn("hi", Expectation(intents=("any",))),)),))
    assert bare(parse_yaml_suite(dump_yaml(suite_value(suite)))) == suite
