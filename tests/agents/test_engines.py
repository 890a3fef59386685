"""The three local engines."""

from __future__ import annotations

import asyncio
from functools import cache

import pytest
from agent_text import FERRY

from vivavoce.agents import ENGINES, Agent, Topic, parse_agent, train
from vivavoce.agents.engines import LocalEngine, choose_threshold
from vivavoce.errors import UsageError
from vivavoce.records import Guess
from vivavoce.text.languages import mixed

AGENT = parse_agent(FERRY)


@cache
def trained(name: str) -> LocalEngine:
    return train(name, AGENT)


def guesses(name: str, text: str) -> tuple[Guess, ...]:
    return asyncio.run(trained(name).understand(text))


@pytest.mark.parametrize("name", ENGINES)
def test_a_phrase_of_its_own_is_understood(name: str) -> None:
    for text, intent in (
        ("hello", "greet"),
        ("I need a ticket for the boat", "book"),
        ("can I bring a suitcase", "luggage"),
    ):
        best = guesses(name, text)[0]
        assert best.intent == intent
        assert best.confidence >= trained(name).threshold


@pytest.mark.parametrize("name", ENGINES)
def test_guesses_are_ordered_and_within_bounds(name: str) -> None:
    found = guesses(name, "yes, book me a ferry and tell me the fare")
    assert len(found) > 1
    assert [g.confidence for g in found] == sorted((g.confidence for g in found), reverse=True)
    assert all(0 < g.confidence <= 1 for g in found)


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("text", ["", "   ", "photosynthesis converts sunlight", "🙂"])
def test_what_is_foreign_is_held_back(name: str, text: str) -> None:
    assert not [g for g in guesses(name, text) if g.confidence >= trained(name).threshold]


def test_vectors_understand_words_that_no_phrase_has() -> None:
    assert guesses("vectors", "is there a limit for baggage")[0].intent == "luggage"


def test_nearest_counts_strange_words_against_a_message() -> None:
    near = guesses("nearest", "how much is the fare")[0]
    far = guesses("nearest", "how much is the photosynthesis of chlorophyll")[0]
    assert near == Guess("price", pytest.approx(1.0))
    assert far.confidence < guesses("nearest", "how much is the")[0].confidence
    assert far.confidence < guesses("nearest", "how much is the photosynthesis")[0].confidence


def test_keywords_match_whole_words_runs_and_pairs() -> None:
    assert guesses("keywords", "Good MORNING!")[0].intent == "greet"
    assert guesses("keywords", "morning, good") == ()
    assert guesses("keywords", "I need some kind of ticket")[0] == Guess("book", 0.75)
    assert guesses("keywords", "bookish tickets") == ()


def test_keywords_forgive_nothing_and_the_others_do() -> None:
    assert [name for name in ENGINES if not trained(name).forgiving] == ["keywords"]


def test_an_agent_without_keywords_is_refused_by_keywords() -> None:
    with pytest.raises(UsageError, match="no keywords"):
        train("keywords", Agent("bare", (Topic("a", ("b",)),)))


def test_words_serve_where_sentence_vectors_are_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixed, "encoder_available", lambda *_: False)
    engine = train("vectors", AGENT)
    assert "words and characters" in engine.about
    assert asyncio.run(engine.understand("can I bring a suitcase"))[0].intent == "luggage"


def test_an_agent_is_trained_with_the_vectors_of_its_language() -> None:
    topics = (
        Topic("luggage", ("Wie viel Gepäck darf ich mitnehmen?", "Darf ich einen Koffer mitbringen?")),
        Topic("price", ("Was kostet der Flug?", "Wie teuer ist eine Karte?")),
    )
    engine = train("vectors", Agent("Reise", topics, language="de-CH"))
    assert "+de@" in engine.about
    assert asyncio.run(engine.understand("Kann ich meine Tasche mitnehmen?"))[0].intent == "luggage"
    assert "words and characters" in train("vectors", Agent("Reise", topics, language="xx")).about


def test_an_agent_with_one_topic_can_be_trained() -> None:
    one = Agent("one", (Topic("only", ("hello there", "good day"), ("hello",)),))
    for name in ENGINES:
        assert asyncio.run(train(name, one).understand("hello there"))[0].intent == "only"


def test_training_twice_gives_the_same_guesses() -> None:
    for name in ENGINES:
        again = train(name, AGENT)
        assert asyncio.run(again.understand("what about a seat for a suitcase")) == guesses(
            name, "what about a seat for a suitcase"
        )


def test_the_threshold_parts_known_from_unknown_within_its_limits() -> None:
    assert choose_threshold([0.8] * 20, [0.44] * 20, (0.3, 0.6)) == 0.45
    assert choose_threshold([0.9] * 20, [0.8] * 20, (0.3, 0.6)) == 0.3
    assert choose_threshold([0.9], [0.8], (0.3, 0.6)) == 0.45
