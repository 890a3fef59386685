"""The key `faq` of agent files: topics of the shipped material, behind the own ones."""

from __future__ import annotations

import pytest

from vivavoce import demo
from vivavoce.agents import Agent, Flow, State, respond
from vivavoce.agents.reading import parse_agent
from vivavoce.errors import DataError
from vivavoce.records import Guess

HEAD = "format: 1\nagent: jobs\nfaq: recruiting-en\n"


def agent_with(topics: str = "") -> Agent:
    return parse_agent(HEAD + (f"topics:\n{topics}" if topics else ""))


def fold(phrase: str) -> str:
    return " ".join(phrase.casefold().split())


@pytest.mark.parametrize("name", demo.shipped())
def test_an_agent_may_consist_of_shipped_topics_alone(name: str) -> None:
    agent = parse_agent(f"format: 1\nagent: jobs\nfaq: {name}\n")
    assert [topic.intent for topic in agent.topics] == [topic.intent for topic in demo.topics(name)]


@pytest.mark.parametrize("name", demo.shipped())
def test_every_example_is_a_phrase_of_exactly_one_topic(name: str) -> None:
    agent = parse_agent(f"format: 1\nagent: jobs\nfaq: {name}\n")
    owners: dict[str, set[str]] = {}
    for intent, phrases in agent.phrases.items():
        for phrase in phrases:
            owners.setdefault(fold(phrase), set()).add(intent)
    given: dict[str, set[str | None]] = {}
    for example in demo.load(name):
        given.setdefault(fold(example.text), set()).add(example.intent)
    assert owners.keys() == given.keys()
    assert all(len(intents) == 1 and intents <= given[phrase] for phrase, intents in owners.items())


def test_the_shipped_answer_is_what_is_replied() -> None:
    flow = Flow.of(agent_with())
    for topic in demo.topics("recruiting-en"):
        reply = respond(flow, State(), "whatever", [Guess(topic.intent, 1.0)])[1]
        assert (reply.intent, reply.text) == (topic.intent, topic.answer)


def test_own_topics_come_first_and_keep_the_phrases_and_replies_they_give() -> None:
    agent = agent_with(
        "  - {intent: greet, phrases: [hi], replies: [Hi.]}\n"
        "  - {intent: salary, phrases: [show me the money], replies: [Enough.]}\n"
    )
    assert [topic.intent for topic in agent.topics][:2] == ["greet", "salary"]
    assert len(agent.topics) == len(demo.topics("recruiting-en")) + 1
    assert agent.by_intent["salary"].phrases == ("show me the money",)
    assert agent.by_intent["salary"].replies[0].say == ("Enough.",)


def test_what_an_own_topic_lacks_is_taken_from_the_shipped_one() -> None:
    plain = agent_with().by_intent["salary"]
    own = agent_with("  - {intent: salary, keywords: [money]}\n").by_intent["salary"]
    assert (own.phrases, own.replies, own.keywords) == (plain.phrases, plain.replies, ("money",))


def test_a_phrase_of_an_own_topic_is_taken_out_of_the_shipped_ones() -> None:
    assert "hello" in agent_with().by_intent["bot_identity"].phrases
    agent = agent_with("  - {intent: greet, phrases: [Hello], replies: [Hi.]}\n")
    assert "hello" not in agent.by_intent["bot_identity"].phrases


def test_an_own_topic_that_is_not_shipped_still_needs_phrases_and_replies() -> None:
    with pytest.raises(DataError) as caught:
        agent_with("  - {intent: greet}\n")
    messages = " ".join(fault.message for fault in caught.value.faults)
    assert "no training phrases" in messages
    assert "no replies" in messages


def test_material_that_does_not_exist_is_a_fault_with_its_line_beside_all_others() -> None:
    with pytest.raises(DataError) as caught:
        parse_agent("format: 1\nagent: jobs\nfaq: recruiting-eng\ncolour: red\n")
    faults = {fault.where: fault.message for fault in caught.value.faults}
    assert "recruiting-en" in faults["line 3"]
    assert "colour" in faults["line 4"]
