"""The medical suite is an exam: complete, varied, true to its agent, and not a copy of what the agent was taught."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import vivavoce.demo
from vivavoce.agents import Agent, Flow, State, read_agent, respond
from vivavoce.bots.protocol import BotFacts
from vivavoce.conversations.judging.judge import judge
from vivavoce.conversations.judging.matching import capture
from vivavoce.conversations.scenario import (
    Include,
    Kind,
    Phrase,
    Plan,
    Scenario,
    Script,
    ScriptTurn,
    Suite,
    Turn,
)
from vivavoce.conversations.scenarios.expansion import expand
from vivavoce.conversations.scenarios.suites import read_suite
from vivavoce.conversations.transcript import Exchange
from vivavoce.records import Guess, Status
from vivavoce.text.duplicates import normalise

FOLDER = Path(vivavoce.demo.__file__).parent / "suites" / "medical"
TURNS = {"basic": (1, 3), "medium": (3, 6), "complex": (6, 12)}
# Slots that replies look up: each of their values needs its row.
TABLES = {
    "conditions": "condition",
    "symptoms": "symptom",
    "injuries": "injury",
    "hospitals": "district",
    "side_effects": "medication",
}


@cache
def suite() -> Suite:
    return read_suite(FOLDER)


@cache
def agent() -> Agent:
    return read_agent(FOLDER / "agent.yaml")


def turns(scenario: Scenario) -> Iterator[Turn]:
    for step in scenario.turns:
        if isinstance(step, Include):
            yield from (turn for turn in suite().parts[step.part] if isinstance(turn, Turn))
        else:
            yield step


def said(turn: Turn) -> str:
    if isinstance(turn.user, Phrase):
        return suite().lists[turn.user.list][(turn.user.pick or 1) - 1]
    return str(turn.user)


def is_copy(scenario: Scenario) -> bool:
    return any(turn.kind is Kind.TYPO for turn in turns(scenario))


def clean() -> list[Scenario]:
    return [scenario for scenario in suite().scenarios if not is_copy(scenario)]


def copies() -> list[Scenario]:
    return [scenario for scenario in suite().scenarios if is_copy(scenario)]


def clean_turns() -> list[Turn]:
    return [turn for scenario in clean() for turn in turns(scenario)]


def misspelt() -> list[Turn]:
    return [turn for scenario in copies() for turn in turns(scenario) if turn.kind is Kind.TYPO]


def twins() -> dict[str, Turn]:
    return {f"{scenario.id}/{turn.id}": turn for scenario in clean() for turn in turns(scenario)}


# Size


def test_the_suite_names_its_agent_and_its_domain() -> None:
    assert (suite().name, suite().agent, suite().language) == ("medical", "medical", "en")
    assert {scenario.domain for scenario in suite().scenarios} == {"medical"}


def test_ids_are_unique() -> None:
    ids = [scenario.id for scenario in suite().scenarios]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("level", TURNS)
def test_every_level_has_at_least_twelve_clean_scenarios(level: str) -> None:
    assert sum(scenario.level == level for scenario in clean()) >= 12


@pytest.mark.parametrize("level", TURNS)
def test_scenarios_are_as_long_as_their_level_says(level: str) -> None:
    least, most = TURNS[level]
    lengths = {each.id: len(list(turns(each))) for each in suite().scenarios if each.level == level}
    assert {name: length for name, length in lengths.items() if not least <= length <= most} == {}


def test_there_are_enough_turns_and_copies() -> None:
    assert sum(len(list(turns(scenario))) for scenario in suite().scenarios) >= 220
    assert len(copies()) >= 12


# Out of scope


def test_a_sixth_of_the_clean_turns_or_a_little_more_is_out_of_scope() -> None:
    out = sum(turn.expect.fallback for turn in clean_turns())
    assert 0.15 <= out / len(clean_turns()) <= 0.20


@pytest.mark.parametrize("level", TURNS)
def test_most_scenarios_of_each_level_leave_the_subject_once(level: str) -> None:
    mine = [scenario for scenario in clean() if scenario.level == level]
    assert sum(any(turn.expect.fallback for turn in turns(each)) for each in mine) > len(mine) / 2


# Misspelt copies


def test_a_third_of_the_turns_in_scope_has_a_misspelt_twin() -> None:
    scope = [turn for turn in clean_turns() if not turn.expect.fallback]
    assert len(misspelt()) >= len(scope) / 3


def test_a_misspelt_turn_names_a_clean_one_in_scope_and_expects_the_same() -> None:
    for turn in misspelt():
        assert turn.expect.same
        assert not twins()[turn.twin_of or ""].expect.fallback


def test_a_misspelt_message_differs_from_its_twin_by_more_than_case_or_signs() -> None:
    alike = [
        said(turn) for turn in misspelt() if normalise(said(turn)) == normalise(said(twins()[turn.twin_of or ""]))
    ]
    assert alike == []


def test_no_clean_turn_has_two_misspelt_twins() -> None:
    named = [turn.twin_of for turn in misspelt()]
    assert len(set(named)) == len(named)


def test_copies_expect_nothing_of_the_turns_they_only_repeat() -> None:
    others = [turn for each in copies() for turn in turns(each) if turn.kind is not Kind.TYPO]
    assert others
    assert not any(turn.expect.counted for turn in others)


# Fair, and not taught


def test_no_message_is_a_training_phrase() -> None:
    taught = {normalise(phrase) for phrases in agent().phrases.values() for phrase in phrases}
    messages = [said(turn) for scenario in suite().scenarios for turn in turns(scenario)]
    assert [message for message in messages if normalise(message) in taught] == []


def test_every_turn_in_scope_expects_a_topic_and_a_reply() -> None:
    scope = [turn for turn in clean_turns() if not turn.expect.fallback]
    assert [said(turn) for turn in scope if not (turn.expect.intents and turn.expect.any)] == []


def test_every_topic_of_the_agent_is_asked_for() -> None:
    asked = {intent for turn in clean_turns() for intent in turn.expect.intents}
    assert asked == set(agent().by_intent)


def test_expected_slots_and_values_are_those_of_the_agent() -> None:
    for turn in clean_turns():
        for name, value in {**turn.expect.slots, **turn.expect.slots_after}.items():
            assert "{" in value or value in agent().slots[name].values, (name, value)


def test_rows_fill_in_conditions_of_the_agent() -> None:
    assert {row["illness"] for row in suite().rows.values()} <= set(agent().slots["condition"].values)


def test_no_expected_reply_is_part_of_the_fallback_or_of_the_notice() -> None:
    empty = [normalise(text) for text in (*agent().fallback, agent().notice)]
    wanted = {pattern.text for turn in clean_turns() for pattern in turn.expect.any}
    assert [text for text in wanted if any(f" {normalise(text)} " in f" {other} " for other in empty)] == []


# The agent


def understood(turn: ScriptTurn) -> list[Guess]:
    """Return what an engine without fault would say."""
    return [Guess(intent, 0.99) for intent in turn.expect.intents[:1]]


def failures(script: Script, plan: Plan, flow: Flow) -> Iterator[tuple[str, ...]]:
    """Hold a talk with a faultless engine; return the turns that the flow and the facts do not let pass."""
    bot = BotFacts("faultless", reports_intent=True, slots=flow.agent.slot_names)
    state, values = State(), dict[str, str]()
    for turn in script.turns:
        state, reply = respond(flow, state, turn.text, understood(turn))
        verdict = judge(turn, Exchange(turn.number, turn.text, Status.OK, reply, values=dict(values)), bot, plan)
        values |= {name: found for name, want in turn.save.items() if (found := capture(want, reply.texts))}
        if not verdict.outcome.passed:
            yield script.id, turn.text, *verdict.reasons


def test_who_understands_every_clean_message_passes_the_exam() -> None:
    plan = expand(suite(), scenarios=[scenario.id for scenario in clean()])
    flow = Flow.of(agent())
    assert [failure for script in plan.scripts for failure in failures(script, plan, flow)] == []


def test_who_says_nothing_but_the_fallback_passes_out_of_scope_turns_only() -> None:
    plan, flow = expand(suite(), scenarios=[scenario.id for scenario in clean()]), Flow.of(agent())
    bot = BotFacts("mute", reports_intent=True, slots=flow.agent.slot_names)
    for turn in (turn for script in plan.scripts for turn in script.turns):
        _, reply = respond(flow, State(), "?", ())
        verdict = judge(turn, Exchange(turn.number, turn.text, Status.OK, reply), bot, plan)
        assert verdict.outcome.passed == turn.expect.fallback


def test_suite_and_agent_say_that_they_are_no_advice() -> None:
    for notice in (suite().notice, agent().notice):
        assert "demonstration" in notice
        assert "no medical advice" in notice


def test_every_topic_is_taught_with_twelve_to_twenty_phrases_and_has_keywords() -> None:
    for topic in agent().topics:
        assert 12 <= len(set(topic.phrases)) <= 20, topic.intent
        assert topic.keywords, topic.intent


@pytest.mark.parametrize("table", TABLES)
def test_every_value_has_its_facts_and_every_fact_its_value(table: str) -> None:
    column = TABLES[table]
    assert {row[column] for row in agent().facts[table].rows} == set(agent().slots[column].values)


def test_every_medicine_has_a_dosage_for_everybody() -> None:
    slots = agent().slots
    known = {(row["medication"], row["age_group"]) for row in agent().facts["medicines"].rows}
    assert known == {(name, group) for name in slots["medication"].values for group in slots["age_group"].values}


def test_illnesses_point_to_medicines_specialists_and_illnesses_that_exist() -> None:
    slots, facts = agent().slots, agent().facts
    assert {row["choice"] for row in facts["conditions"].rows} <= set(slots["medication"].values)
    assert {row["field"] for row in facts["conditions"].rows} == set(slots["specialty"].values)
    assert {row["possible"] for row in facts["symptoms"].rows} == set(slots["condition"].values)


def test_facts_that_stand_in_two_tables_are_the_same() -> None:
    facts = agent().facts
    choice = {row["condition"]: row["choice"] for row in facts["conditions"].rows}
    doses = {row["medication"]: row["dosage"] for row in facts["medicines"].rows if row["age_group"] == "adult"}
    assert all(row["choice"] == choice[row["possible"]] for row in facts["symptoms"].rows)
    assert all(row["dose"] == doses[row["choice"]] for row in facts["conditions"].rows)


def test_red_flags_are_answered_with_the_emergency_number() -> None:
    (answer,) = agent().by_intent["emergency"].replies
    assert "112" in " ".join(answer.say)
