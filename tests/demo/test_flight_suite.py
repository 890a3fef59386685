"""The shipped flight suite: an exam that is varied, honest and true to the facts of its agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

import vivavoce.demo
from vivavoce.agents import Agent, Flow, State, read_agent, respond
from vivavoce.bots.protocol import BotFacts
from vivavoce.conversations.judging.judge import judge
from vivavoce.conversations.judging.matching import capture, match_reply
from vivavoce.conversations.result import Verdict
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

FOLDER = Path(vivavoce.demo.__file__).parent / "suites" / "flight"
TURNS = {"basic": (1, 3), "medium": (3, 6), "complex": (6, 12)}
# Minutes ahead of universal time in the week of the flights.
ZONES = {"Melbourne": 660, "Sydney": 660, "Adelaide": 630, "Brisbane": 600, "Perth": 480}


@pytest.fixture(scope="module")
def suite() -> Suite:
    return read_suite(FOLDER)


@pytest.fixture(scope="module")
def agent() -> Agent:
    return read_agent(FOLDER / "agent.yaml")


def turns_of(suite: Suite, scenario: Scenario) -> Iterator[Turn]:
    for step in scenario.turns:
        if isinstance(step, Include):
            yield from (turn for turn in suite.parts[step.part] if isinstance(turn, Turn))
        else:
            yield step


def messages_of(suite: Suite, turn: Turn) -> list[str]:
    if isinstance(turn.user, Phrase):
        phrases = suite.lists[turn.user.list]
        return [phrases[turn.user.pick - 1]] if turn.user.pick else list(phrases)
    return [turn.user] if isinstance(turn.user, str) else []


def is_copy(scenario: Scenario) -> bool:
    return scenario.id.endswith("-typo")


def all_turns(suite: Suite, *, copies: bool) -> list[Turn]:
    scenarios = [scenario for scenario in suite.scenarios if is_copy(scenario) is copies]
    return [turn for scenario in scenarios for turn in turns_of(suite, scenario)]


def fold(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum() or sign == " ").strip()


# --- size and shape ----------------------------------------------------------------------------------------------


def test_the_suite_is_about_flights_and_names_its_agent(suite: Suite, agent: Agent) -> None:
    assert (suite.name, suite.language, suite.agent, agent.name) == ("flight", "en", "flight", "flight")
    assert {scenario.domain for scenario in suite.scenarios} == {"flight_booking"}


def test_every_level_has_a_dozen_clean_scenarios(suite: Suite) -> None:
    levels = Counter(scenario.level for scenario in suite.scenarios if not is_copy(scenario))
    assert set(levels) == set(TURNS)
    assert min(levels.values()) >= 12


def test_scenarios_are_as_long_as_their_level_says(suite: Suite) -> None:
    for scenario in suite.scenarios:
        least, most = TURNS[scenario.level]
        assert least <= len(list(turns_of(suite, scenario))) <= most, scenario.id


def test_there_are_enough_misspelt_copies_and_turns(suite: Suite) -> None:
    assert sum(is_copy(scenario) for scenario in suite.scenarios) >= 12
    assert len(all_turns(suite, copies=False)) + len(all_turns(suite, copies=True)) >= 220


def test_ids_are_unique(suite: Suite) -> None:
    assert max(Counter(scenario.id for scenario in suite.scenarios).values()) == 1
    for scenario in suite.scenarios:
        ids = [turn.id for turn in turns_of(suite, scenario) if turn.id]
        assert len(ids) == len(set(ids)), scenario.id


# --- what is asked and expected ----------------------------------------------------------------------------------


def test_a_sixth_of_the_clean_turns_is_out_of_scope(suite: Suite) -> None:
    turns = all_turns(suite, copies=False)
    assert 0.15 <= sum(turn.expect.fallback for turn in turns) / len(turns) <= 0.20


def test_most_scenarios_of_each_level_leave_the_scope_once(suite: Suite) -> None:
    for level in TURNS:
        scenarios = [s for s in suite.scenarios if s.level == level and not is_copy(s)]
        leaving = sum(any(turn.expect.fallback for turn in turns_of(suite, s)) for s in scenarios)
        assert leaving > len(scenarios) / 2, level


def test_every_turn_in_scope_is_judged_by_its_topic_and_by_its_reply(suite: Suite) -> None:
    for turn in all_turns(suite, copies=False):
        expect = turn.expect
        assert expect.fallback or (expect.intents and (expect.any or expect.all)), turn.user


def test_no_message_is_a_training_phrase(suite: Suite, agent: Agent) -> None:
    phrases = {fold(phrase) for group in agent.phrases.values() for phrase in group}
    turns = [*all_turns(suite, copies=False), *all_turns(suite, copies=True)]
    assert not [text for turn in turns for text in messages_of(suite, turn) if fold(text) in phrases]


def test_expected_topics_and_slots_exist_in_the_agent(suite: Suite, agent: Agent) -> None:
    topics, slots = set(agent.by_intent), set(agent.slot_names)
    for turn in all_turns(suite, copies=False):
        assert set(turn.expect.intents) <= topics, turn.user
        assert set(turn.expect.slots) <= slots, turn.user


def test_expected_values_are_values_of_their_slot(suite: Suite, agent: Agent) -> None:
    for turn in all_turns(suite, copies=False):
        for name, value in turn.expect.slots.items():
            known = agent.slots[name].values
            assert value.startswith("{") or not known or value in known, (turn.user, name)


def test_every_topic_of_the_agent_is_examined(suite: Suite, agent: Agent) -> None:
    asked = {intent for turn in all_turns(suite, copies=False) for intent in turn.expect.intents}
    assert asked == set(agent.by_intent)


def test_expected_flight_numbers_are_in_the_table(suite: Suite, agent: Agent) -> None:
    numbers = {row["number"] for row in agent.facts["flights"].rows}
    texts = [p.text for turn in all_turns(suite, copies=False) for p in (*turn.expect.any, *turn.expect.none)]
    named = {text for text in texts if text[:3] in ("BNK", "GLH", "NMB")}
    assert named
    assert named <= numbers


def test_no_refusal_passes_for_an_answer(suite: Suite, agent: Agent) -> None:
    for turn in all_turns(suite, copies=False):
        patterns = turn.expect.any or turn.expect.all
        for text in (*agent.fallback, agent.notice):
            met = [match_reply(p, [text], default=suite.defaults.match, values={}).passed for p in patterns]
            assert not any(met) if turn.expect.any else not met or not all(met), (turn.user, text)


def held_with_topics_understood(agent: Agent, plan: Plan, script: Script) -> Iterator[tuple[ScriptTurn, Verdict]]:
    """Hold a talk in which the topic of every message is guessed rightly; of several right ones, the best for it."""
    flow, state = Flow.of(agent), State()
    facts = BotFacts("flight", reports_intent=True, slots=agent.slot_names)
    saved: dict[str, str] = {}
    for turn in script.turns:
        guesses: list[tuple[Guess, ...]] = [(Guess(intent, 1.0),) for intent in turn.expect.intents] or [()]
        tried = [respond(flow, state, turn.text, guess) for guess in guesses]
        judged = [
            judge(turn, Exchange(turn.number, turn.text, Status.OK, r, values=saved), facts, plan) for _, r in tried
        ]
        best = next((place for place, verdict in enumerate(judged) if verdict.outcome.passed), 0)
        state, reply = tried[best]
        saved |= {name: found for name, p in turn.save.items() if (found := capture(p, reply.texts))}
        yield turn, judged[best]


def test_whoever_understands_the_topics_meets_every_expectation(suite: Suite, agent: Agent) -> None:
    plan = expand(suite)
    clean = [script for script in plan.scripts if "-typo" not in script.id]
    judged = [(script, *held) for script in clean for held in held_with_topics_understood(agent, plan, script)]
    failed = [
        (script.id, turn.text, verdict.reasons) for script, turn, verdict in judged if not verdict.outcome.passed
    ]
    assert not failed


# --- misspelt twins ----------------------------------------------------------------------------------------------


def test_a_third_of_the_turns_in_scope_has_a_misspelt_twin(suite: Suite) -> None:
    in_scope = sum(not turn.expect.fallback for turn in all_turns(suite, copies=False))
    misspelt = [turn for turn in all_turns(suite, copies=True) if turn.kind is Kind.TYPO]
    assert len(misspelt) >= in_scope / 3


def test_misspelt_turns_repeat_a_clean_turn_of_their_own_conversation_in_other_letters(suite: Suite) -> None:
    clean = {
        f"{scenario.id}/{turn.id}": (turn, messages_of(suite, turn))
        for scenario in suite.scenarios
        if not is_copy(scenario)
        for turn in turns_of(suite, scenario)
        if turn.id
    }
    for scenario in filter(is_copy, suite.scenarios):
        for turn in turns_of(suite, scenario):
            if turn.kind is not Kind.TYPO:
                assert not turn.expect.counted, turn.user
                continue
            assert turn.twin_of is not None
            twin, said = clean[turn.twin_of]
            assert turn.twin_of.partition("/")[0] == scenario.id.removesuffix("-typo")
            assert turn.expect.same
            assert not twin.expect.fallback
            assert fold(messages_of(suite, turn)[0]) not in {fold(text) for text in said}


def test_each_twin_is_repeated_once_and_in_order(suite: Suite) -> None:
    originals = {scenario.id: [turn.id for turn in turns_of(suite, scenario)] for scenario in suite.scenarios}
    for scenario in filter(is_copy, suite.scenarios):
        source = originals[scenario.id.removesuffix("-typo")]
        twins = [turn.twin_of for turn in turns_of(suite, scenario) if turn.twin_of]
        places = [source.index(twin.partition("/")[2]) for twin in twins]
        assert places == sorted(set(places)), scenario.id


# --- the facts ---------------------------------------------------------------------------------------------------


def minutes(clock: str) -> int:
    hours, rest = clock[:5].split(":")
    return int(hours) * 60 + int(rest) + (1440 if clock.endswith("next day") else 0)


def length(duration: str) -> int:
    hours, _, rest, _ = duration.split()
    return int(hours) * 60 + int(rest)


def test_flights_arrive_when_the_clocks_of_both_cities_say_so(agent: Agent) -> None:
    for row in agent.facts["flights"].rows:
        shift = ZONES[row["destination"]] - ZONES[row["origin"]]
        assert minutes(row["arrives"]) == minutes(row["departs"]) + length(row["duration"]) + shift, row["number"]


def test_every_day_of_the_week_and_every_pair_of_cities_has_flights(agent: Agent) -> None:
    rows = agent.facts["flights"].rows
    days = {(date(2019, 10, 10) + timedelta(days=n)).isoformat() for n in range(8)}
    assert {row["date"] for row in rows} == days
    pairs = {(row["origin"], row["destination"]) for row in rows}
    assert pairs == {(a, b) for a in ZONES for b in ZONES if a != b}


def test_durations_are_the_same_in_both_tables(agent: Agent) -> None:
    flown = {(row["origin"], row["destination"], row["duration"]) for row in agent.facts["flights"].rows}
    told = {(row["origin"], row["destination"], row["duration"]) for row in agent.facts["routes"].rows}
    assert flown == told


def test_the_agent_knows_every_flight_number_and_airline(agent: Agent) -> None:
    rows = agent.facts["flights"].rows
    assert {row["number"] for row in rows} == set(agent.slots["flight"].values)
    assert {row["airline"] for row in rows} == set(agent.slots["airline"].values)


def test_each_topic_has_a_dozen_phrases(agent: Agent) -> None:
    assert min(len(phrases) for phrases in agent.phrases.values()) >= 12
