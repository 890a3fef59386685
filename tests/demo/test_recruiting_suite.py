"""The shipped recruiting suite: an exam over the shipped questions and answers, in words they do not use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import vivavoce.demo
from vivavoce.agents import Agent, Flow, State, read_agent, respond
from vivavoce.conversations.judging.matching import match_reply
from vivavoce.conversations.scenario import Include, Kind, Match, Scenario, Suite, Turn
from vivavoce.conversations.scenarios.suites import read_suite
from vivavoce.records import Guess

FOLDER = Path(vivavoce.demo.__file__).parent / "suites" / "recruiting"
TURNS = {"basic": (1, 3), "medium": (3, 6), "complex": (6, 12)}
GENERAL = {"greet", "thanks", "goodbye", "help", "complaint"}


@cache
def suite() -> Suite:
    return read_suite(FOLDER)


@cache
def agent() -> Agent:
    return read_agent("recruiting")


def turns_of(scenario: Scenario) -> Iterator[Turn]:
    for step in scenario.turns:
        if isinstance(step, Include):
            yield from (turn for turn in suite().parts[step.part] if isinstance(turn, Turn))
        else:
            yield step


def is_copy(scenario: Scenario) -> bool:
    return scenario.id.endswith("-typo")


def all_turns(*, copies: bool) -> list[Turn]:
    return [turn for scenario in suite().scenarios if is_copy(scenario) is copies for turn in turns_of(scenario)]


def in_scope() -> list[Turn]:
    return [turn for turn in all_turns(copies=False) if not turn.expect.fallback]


def fold(text: str) -> str:
    return " ".join("".join(sign if sign.isalnum() else " " for sign in text.casefold()).split())


# --- size and shape ----------------------------------------------------------------------------------------------


def test_the_suite_is_found_by_its_name_and_names_its_agent() -> None:
    assert "recruiting" in vivavoce.demo.suites()
    assert (suite().name, suite().language, suite().agent) == ("recruiting", "en", "recruiting")
    assert {scenario.domain for scenario in suite().scenarios} == {"recruiting"}


def test_every_level_has_at_least_ten_clean_scenarios() -> None:
    levels = Counter(scenario.level for scenario in suite().scenarios if not is_copy(scenario))
    assert set(levels) == set(TURNS)
    assert min(levels.values()) >= 10


def test_scenarios_are_as_long_as_their_level_says() -> None:
    for scenario in suite().scenarios:
        least, most = TURNS[scenario.level]
        assert least <= len(list(turns_of(scenario))) <= most, scenario.id


def test_ids_are_unique_and_tell_the_level() -> None:
    assert max(Counter(scenario.id for scenario in suite().scenarios).values()) == 1
    for scenario in suite().scenarios:
        assert scenario.id.split("-")[1] == scenario.level
        ids = [turn.id for turn in turns_of(scenario) if turn.id]
        assert len(ids) == len(set(ids)), scenario.id


# --- the agent ---------------------------------------------------------------------------------------------------


def test_the_agent_knows_all_shipped_topics_and_a_few_general_ones() -> None:
    shipped = {topic.intent for topic in vivavoce.demo.topics("recruiting-en")}
    assert set(agent().by_intent) == shipped | GENERAL


def test_every_topic_has_rules_for_the_engine_of_keywords() -> None:
    assert not [topic.intent for topic in agent().topics if not topic.keywords]


# --- what is asked and expected ----------------------------------------------------------------------------------


def test_a_sixth_of_the_clean_turns_is_out_of_scope() -> None:
    turns = all_turns(copies=False)
    assert 0.15 <= sum(turn.expect.fallback for turn in turns) / len(turns) <= 0.20


@pytest.mark.parametrize("level", TURNS)
def test_most_scenarios_of_a_level_leave_the_scope_once(level: str) -> None:
    scenarios = [scenario for scenario in suite().scenarios if scenario.level == level and not is_copy(scenario)]
    leaving = sum(any(turn.expect.fallback for turn in turns_of(scenario)) for scenario in scenarios)
    assert leaving > len(scenarios) / 2


def test_every_turn_in_scope_is_judged_by_its_topic_and_by_its_reply() -> None:
    for turn in in_scope():
        assert turn.expect.intents, turn.user
        assert turn.expect.any, turn.user


def test_every_topic_is_examined_and_no_other_expected() -> None:
    assert {intent for turn in in_scope() for intent in turn.expect.intents} == set(agent().by_intent)


def test_a_right_topic_always_has_a_right_answer() -> None:
    flow = Flow.of(agent())
    for turn in in_scope():
        for intent in turn.expect.intents:
            reply = respond(flow, State(noticed=True), str(turn.user), [Guess(intent, 1.0)])[1]
            found = [match_reply(p, reply.texts, default=Match.CONTAINS, values={}).passed for p in turn.expect.any]
            assert any(found), (turn.user, intent, reply.text)


def test_what_the_bot_says_when_lost_is_known_to_the_suite_as_a_fallback() -> None:
    for text in agent().fallback:
        shapes = [shape.strip("*") for shape in suite().fallback.replies]
        assert any(shape in text for shape in shapes), text


def test_no_message_is_a_training_phrase() -> None:
    phrases = {fold(phrase) for group in agent().phrases.values() for phrase in group}
    phrases |= {fold(example.text) for example in vivavoce.demo.load("recruiting-en")}
    turns = [*all_turns(copies=False), *all_turns(copies=True)]
    assert not [turn.user for turn in turns if fold(str(turn.user)) in phrases]


def test_no_message_is_said_twice_except_in_parts_that_are_shared() -> None:
    said = Counter(
        fold(str(step.user))
        for s in suite().scenarios
        if not is_copy(s)
        for step in s.turns
        if isinstance(step, Turn)
    )
    assert max(said.values()) == 1


# --- misspelt twins ----------------------------------------------------------------------------------------------


def test_a_third_of_the_turns_in_scope_has_a_misspelt_twin() -> None:
    twins = {turn.twin_of for turn in all_turns(copies=True) if turn.kind is Kind.TYPO}
    assert len(twins) >= len(in_scope()) / 3


def test_misspelt_turns_repeat_a_clean_turn_of_their_own_conversation_in_other_letters() -> None:
    originals = {
        scenario.id: {turn.id: turn for turn in turns_of(scenario) if turn.id} for scenario in suite().scenarios
    }
    for scenario in filter(is_copy, suite().scenarios):
        for turn in (turn for turn in turns_of(scenario) if turn.kind is Kind.TYPO):
            source, _, place = (turn.twin_of or "").partition("/")
            assert source == scenario.id.removesuffix("-typo")
            twin = originals[source][place]
            assert turn.expect.same
            assert not twin.expect.fallback
            assert fold(str(turn.user)) != fold(str(twin.user))


def test_what_stands_between_misspelt_turns_is_repeated_as_it_was_and_not_counted() -> None:
    clean = {str(turn.user) for turn in all_turns(copies=False)}
    for turn in all_turns(copies=True):
        if turn.kind is not Kind.TYPO:
            assert not turn.expect.counted
            assert turn.user in clean


def test_twins_come_in_the_order_of_their_conversation_and_once_each() -> None:
    originals = {scenario.id: [turn.id for turn in turns_of(scenario)] for scenario in suite().scenarios}
    for scenario in filter(is_copy, suite().scenarios):
        source = originals[scenario.id.removesuffix("-typo")]
        twins = [turn.twin_of for turn in turns_of(scenario) if turn.twin_of]
        places = [source.index(twin.partition("/")[2]) for twin in twins]
        assert places == sorted(set(places)), scenario.id
