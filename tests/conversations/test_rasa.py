"""Rasa test stories in and out."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.conversations.scenario import (
    Expectation,
    FallbackRule,
    Match,
    Pattern,
    Plan,
    Scenario,
    Suite,
    Turn,
)
from vivavoce.conversations.scenarios.expansion import expand
from vivavoce.conversations.scenarios.formats.rasa import read_rasa
from vivavoce.conversations.scenarios.formats.rasa_parts import mark_message, plain_message
from vivavoce.conversations.scenarios.formats.rasa_writing import carry_steps, write_rasa
from vivavoce.conversations.scenarios.suites import read_suite
from vivavoce.errors import DataError
from vivavoce.files.yamls import as_list, as_mapping, read_yaml

pytestmark = pytest.mark.slow

KEPT = "x-rasa"


def stories(folder: Path, text: str, domain: str = "") -> Suite:
    (folder / "stories.yml").write_text(text, encoding="utf-8")
    if domain:
        (folder / "domain.yml").write_text(domain, encoding="utf-8")
    return read_suite(folder / "stories.yml")


def turns_of(folder: Path, steps: str, domain: str = "") -> list[Turn]:
    lines = "\n".join(f"  {line}" for line in steps.strip("\n").splitlines())
    found = stories(folder, f"stories:\n- story: one\n  steps:\n{lines}\n", domain).scenarios[0].turns
    return [turn for turn in found if isinstance(turn, Turn)]


# --- messages ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("marked", "text", "slots"),
    [
        ("to [Paris](city)", "to Paris", {"city": "Paris"}),
        ("to [ny](city:New York)", "to ny", {"city": "New York"}),
        ('my [emblm]{"entity": "card", "value": "emblem"}', "my emblm", {"card": "emblem"}),
        ('in [Rome][{"entity": "city"}, {"entity": "place"}]', "in Rome", {"city": "Rome", "place": "Rome"}),
        ("see [1] and {this}", "see [1] and {this}", {}),
    ],
)
def test_marks_become_slots(marked: str, text: str, slots: dict[str, str]) -> None:
    assert plain_message(marked) == (text, slots, [])


def test_roles_and_groups_are_kept_aside() -> None:
    _, slots, aside = plain_message('from [Rome]{"entity": "city", "role": "from"} to [Bern]{"entity": "city"}')
    assert slots == {"city": "Rome"}
    assert aside == [{"city": {"role": "from", "value": "Rome"}}, {"city": {"value": "Bern"}}]


@given(st.text(max_size=30), st.dictionaries(st.text(min_size=1, max_size=5), st.text(max_size=5), max_size=3))
@settings(max_examples=200)
def test_marking_never_invents_or_changes_anything(text: str, slots: dict[str, str]) -> None:
    before, own, _ = plain_message(text)
    read, found, _ = plain_message(mark_message(text, slots))
    if before == text:
        assert read == text
        assert found.items() <= slots.items()
    else:
        assert own


def test_a_slot_is_marked_where_it_is_a_word_of_its_own() -> None:
    assert mark_message("London on monday", {"day": "on"}) == "London [on](day) monday"
    assert mark_message("to paris", {"city": "Paris"}) == 'to [paris]{"entity": "city", "value": "Paris"}'
    assert mark_message("to Rome", {"city": "Bern"}) == "to Rome"


# --- stories -----------------------------------------------------------------------------------------------------


def test_a_story_becomes_turns_with_intent_slots_and_action(tmp_path: Path) -> None:
    steps = """
- intent: book
  user: to [Rome](city)
- action: action_book
- slot_was_set:
  - city: Rome
  - day: null
- intent: nlu_fallback
  user: blah
- action: utter_default
"""
    first, second = turns_of(tmp_path, steps)
    wanted = {"slots": {"city": "Rome"}, "slots_after": {"city": "Rome", "day": ""}, "action": "action_book"}
    assert first == Turn("to Rome", Expectation(intents=("book",), **wanted), line=first.line)
    assert second.expect == Expectation(fallback=True, action="utter_default")
    assert (first.line, second.line) == (4, 10)


def test_texts_of_the_domain_are_expected_and_names_kept(tmp_path: Path) -> None:
    domain = """
responses:
  utter_hi:
  - text: Hi!
  - text: Hello {name}!
  utter_help:
  - text: I can help.
"""
    steps = "- intent: greet\n  user: hi\n- action: utter_hi\n- action: utter_help\n- action: action_x"
    (turn,) = turns_of(tmp_path, steps, domain)
    assert turn.expect.any == (Pattern("Hi!"), Pattern("Hello *!"))
    assert turn.expect.all == (Pattern("I can help."),)
    assert turn.expect.action == "action_x"
    assert turn.extras == {KEPT: [{"action": "utter_hi"}, {"action": "utter_help"}]}


def test_what_follows_a_step_without_a_text_is_not_expected_of_the_message_before(tmp_path: Path) -> None:
    steps = "- intent: greet\n  user: hi\n- action: action_a\n- intent: deny\n- action: action_b\n- active_loop: null"
    (turn,) = turns_of(tmp_path, steps)
    assert turn.expect == Expectation(intents=("greet",), action="action_a")
    assert turn.extras == {KEPT: [{"intent": "deny"}, {"action": "action_b"}, {"active_loop": "null"}]}
    notes = read_suite(tmp_path / "stories.yml").notes
    assert any("1 step with an intent but no text" in note for note in notes)


def test_of_a_slot_set_twice_the_last_value_is_expected_and_the_first_kept(tmp_path: Path) -> None:
    steps = "- intent: go\n  user: go\n- slot_was_set:\n  - form: a\n- slot_was_set:\n  - form: null"
    (turn,) = turns_of(tmp_path, steps)
    assert turn.expect.slots_after == {"form": ""}
    assert turn.extras == {KEPT: [{"slot_was_set": [{"form": "a"}]}]}


def test_each_choice_of_an_or_is_a_scenario(tmp_path: Path) -> None:
    text = "stories:\n- story: one\n  steps:\n  - or:\n    - {intent: a, user: x}\n    - {intent: b, user: y}\n"
    suite = stories(tmp_path, f"{text}  - action: action_z\n")
    assert [(one.id, one.turns[0].user) for one in suite.scenarios] == [("one", "x"), ("one-2", "y")]
    assert all(one.turns[0].expect.action == "action_z" for one in suite.scenarios)


def test_end_to_end_tests_have_fixtures_replies_and_slots(tmp_path: Path) -> None:
    text = """
fixtures:
- gold:
  - member: gold
test_cases:
- test_case: card
  fixtures: [gold, unknown]
  steps:
  - user: my card?
  - bot: It is golden.
  - utter: utter_more
  - slot_was_not_set: [limit]
"""
    scenario = stories(tmp_path, text).scenarios[0]
    assert scenario.setup_slots == {"member": "gold"}
    assert scenario.extras == {KEPT: [{"fixtures": "unknown"}]}
    wanted = Expectation(any=(Pattern("It is golden.", Match.EXACT),), action="utter_more", slots_after={"limit": ""})
    assert scenario.turns[0].expect == wanted


def test_stories_of_training_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no step has a `user` text"):
        stories(tmp_path, "stories:\n- story: one\n  steps:\n  - intent: greet\n  - action: utter_hi\n")


# --- a real project ----------------------------------------------------------------------------------------------


@pytest.fixture
def project(shared: Path) -> Path:
    return shared / "data" / "formats" / "rasa" / "financial-demo"


def test_a_real_project_is_read_whole(project: Path, shared: Path) -> None:
    counts = json.loads((shared / "data" / "formats" / "EXPECTED.json").read_text(encoding="utf-8"))
    expected = counts["rasa"]["financial-demo"]["tests/test_stories.yml"]
    suite = read_suite(project / "tests" / "test_stories.yml")
    assert len(suite.scenarios) == expected["stories"]
    assert sum(len(one.turns) for one in suite.scenarios) == expected["user_turns_with_text"]
    with pytest.raises(DataError):
        read_rasa(project / "data" / "stories" / "stories.yml")


def steps_of(path: Path) -> list[tuple[str, list[str]]]:
    """Return the steps of each story, those about slots one by one and in any order."""
    found = []
    for story in as_list(as_mapping(read_yaml(path).value)["stories"]):
        steps = [as_mapping(step) for step in as_list(as_mapping(story)["steps"])]
        flat = [str(slot) for step in steps for slot in as_list(step.get("slot_was_set"))]
        flat += [str(dict(step)) for step in steps if "slot_was_set" not in step]
        found.append((str(as_mapping(story)["story"]), sorted(flat)))
    return found


def test_a_real_project_comes_back_step_by_step(project: Path, tmp_path: Path) -> None:
    source = project / "tests" / "test_stories.yml"
    plan = expand(carry_steps(read_suite(source)))
    write_rasa(plan, tmp_path / "out.yml")
    assert steps_of(tmp_path / "out.yml") == steps_of(source)


# --- out and in again --------------------------------------------------------------------------------------------


def said_and_expected(plan: Plan) -> list[tuple[object, ...]]:
    """Return all that must survive: messages, the first intent, marked slots, actions, fallbacks."""
    return [
        (turn.text, turn.expect.intents[:1], turn.expect.action, turn.expect.fallback, marked(turn.text, turn.expect))
        for script in plan.scripts
        for turn in script.turns
    ]


def marked(text: str, expect: Expectation) -> dict[str, str]:
    return plain_message(mark_message(text, expect.slots))[1]


words = st.text("abcdefghijklmnop ÄÖéß.,;:'\"&/%=+-0123456789#!?", max_size=20).map(lambda text: f"w{text}w")
names = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True)


@st.composite
def simple_turns(draw: st.DrawFn) -> Turn:
    values = draw(st.dictionaries(names, st.from_regex(r"[A-Z][a-z]{3}\d", fullmatch=True), max_size=2))
    text = " and ".join([draw(words), *values.values()])
    fallback = draw(st.booleans())
    intents = () if fallback else (draw(names),)
    after = draw(st.dictionaries(names, words | st.just(""), max_size=2))
    replies = tuple(Pattern(text, Match.EXACT) for text in draw(st.lists(words, max_size=1)))
    action = draw(st.none() | names)
    expect = Expectation(
        fallback=fallback, intents=intents, slots=values, slots_after=after, any=replies, action=action
    )
    return Turn(text, expect)


@given(st.lists(simple_turns(), min_size=1, max_size=3), st.dictionaries(names, words, max_size=1))
@settings(max_examples=60, deadline=None)
def test_simple_suites_come_back_from_rasa_as_they_were(turns: list[Turn], setup: dict[str, str]) -> None:
    scenario = Scenario("talk", "basic", tuple(turns), setup_slots=setup)
    plan = expand(Suite("s", (scenario,), fallback=FallbackRule(intents=("nlu_fallback",))))
    with tempfile.TemporaryDirectory() as folder:
        lost = write_rasa(plan, Path(folder) / "stories.yml")
        suite = read_suite(Path(folder) / "stories.yml")
    assert not [line for line in lost if "talk/" in line]
    again = expand(suite)
    assert [turn.expect for turn in again.scripts[0].turns] == [turn.expect for turn in plan.scripts[0].turns]
    assert [turn.text for turn in again.scripts[0].turns] == [turn.text for turn in plan.scripts[0].turns]
    assert suite.scenarios[0].setup_slots == setup


wild = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"], include_characters="\n[](){}"), max_size=12
)
wild_turns = st.builds(
    Turn, wild, st.builds(Expectation, intents=st.tuples(wild), slots=st.dictionaries(wild, wild, max_size=2))
)


@given(wild_turns)
@settings(max_examples=80, deadline=None)
def test_whatever_does_not_come_back_was_told_as_lost(turn: Turn) -> None:
    plan = expand(Suite("s", (Scenario("talk", "basic", (turn,)),)))
    with tempfile.TemporaryDirectory() as folder:
        lost = write_rasa(plan, Path(folder) / "stories.yml")
        again = expand(read_suite(Path(folder) / "stories.yml"))
    old, new = plan.scripts[0].turns[0], again.scripts[0].turns[0]
    changed = (old.text, old.expect) != (new.text, new.expect)
    assert not changed or any("talk/" in line for line in lost)


@pytest.mark.parametrize("name", ["flight", "medical"])
def test_shipped_suites_come_back_from_rasa(tmp_path: Path, name: str) -> None:
    plan = expand(read_suite(name))
    lost = write_rasa(plan, tmp_path / "stories.yml")
    again = expand(read_suite(tmp_path / "stories.yml"))
    assert said_and_expected(again) == said_and_expected(plan)
    assert "the message itself" not in " ".join(lost)
    assert any(line.startswith("`any` is not kept: ") for line in lost)
