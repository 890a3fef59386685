"""SmolLM2: real weights behind a real OpenAI-compatible server on this machine."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from vivavoce.agents import read_agent
from vivavoce.bots.protocol import BotContext
from vivavoce.bots.smollm2 import SMOLLM2, WEIGHTS, SmolLM2Conversation, fallback_sentences, from_option, make_prompt
from vivavoce.bots.starting import start_engine
from vivavoce.errors import MissingPartError, UsageError, WorkError
from vivavoce.records import Reply
from vivavoce.text.weights import get_weights, need_weights

pytestmark = pytest.mark.slow

AGENT = Path(__file__).with_name("small_agent.yaml")
# Every word of an agent is read by the model again in every turn.
BRIEF_AGENT = """
format: 1
agent: library
title: A small library that lends books
fallback: [I only know about books.]
topics:
  - intent: greet
    phrases: [hello, good morning, hi there]
    replies: [{say: Hello! I lend books.}]
"""


@pytest.fixture(scope="session")
def weights() -> Path:
    """Fetch the weights, or skip (fail where engines are required) if that cannot be done here."""
    try:
        return get_weights(model=SMOLLM2) / WEIGHTS
    except (MissingPartError, WorkError) as error:
        if os.environ.get("VIVA_REQUIRE_ENGINES") == "1":
            pytest.fail(f"SmolLM2 cannot be had: {error}")
        pytest.skip(f"SmolLM2 cannot be had: {error.what}")


@pytest.mark.usefixtures("weights")
def test_the_model_answers_in_words_and_the_same_words_again(tmp_path: Path) -> None:
    agent = tmp_path / "brief.yaml"
    agent.write_text(BRIEF_AGENT, encoding="utf-8")

    async def run() -> list[Reply]:
        bot = from_option(str(agent), BotContext("smollm2", entry={"max_tokens": "12"}))
        try:
            return [await (await bot.open(session)).say("Hello, who are you?") for session in ("one", "two")]
        finally:
            await bot.close()

    one, two = asyncio.run(run())
    assert any(letter.isalpha() for letter in one.text)
    assert one.text == two.text
    assert (one.intent, one.fallback) == (None, False)


@pytest.mark.usefixtures("weights")
def test_without_an_agent_the_bare_model_is_served_to_any_client() -> None:
    from vivavoce.bots.openai import from_option as openai

    async def run(name: str) -> Reply:
        bot = openai(name, BotContext("bare", entry={"max_tokens": "4"}))
        try:
            return await (await bot.open("s")).say("Say hello.")
        finally:
            await bot.close()

    with start_engine("smollm2") as started:
        kind, _, option = started.how_to_talk.partition(":")
        assert kind == "openai"
        assert asyncio.run(run(option)).text
    # It ended by itself when its standard input did: nobody had to kill it.
    assert started.process.returncode == 0


def test_the_facts_are_those_of_a_slow_bot_that_tells_no_topic(weights: Path) -> None:
    facts = from_option(str(AGENT), BotContext("smollm2")).facts
    assert weights.name.startswith(SMOLLM2.name)
    assert (facts.reports_intent, facts.limits.at_once) == (False, 1)
    assert facts.fallback.replies == fallback_sentences(read_agent(AGENT))


def test_absent_weights_say_how_to_get_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("xllamacpp")
    monkeypatch.setenv("VIVA_HOME", str(tmp_path))
    with pytest.raises(MissingPartError, match="viva bots start smollm2"):
        from_option(str(AGENT), BotContext("smollm2"))


def test_a_missing_runtime_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vivavoce.bots.smollm2.find_spec", lambda name: None)
    with pytest.raises(MissingPartError, match=r"vivavoce\[engines\]"):
        from_option(str(AGENT), BotContext("smollm2"))


@pytest.mark.usefixtures("weights")
def test_without_an_agent_there_is_no_prompt_and_no_bot() -> None:
    with pytest.raises(UsageError, match="agent"):
        from_option("", BotContext("smollm2"))


def test_weights_with_a_wrong_byte_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVA_HOME", str(tmp_path))
    folder = tmp_path / "models" / SMOLLM2.name
    folder.mkdir(parents=True)
    with (folder / WEIGHTS).open("wb") as file:
        file.truncate(SMOLLM2.parts[0].size)
    with pytest.raises(MissingPartError, match="damaged"):
        need_weights(SMOLLM2)


def test_the_prompt_tells_the_agent_and_what_to_say_when_it_does_not_know() -> None:
    agent = read_agent(AGENT)
    prompt = make_prompt(agent)
    assert agent.fallback[0] in prompt
    assert "Moby Dick" in prompt


@pytest.mark.parametrize(
    ("said", "fallback"),
    [
        ("Sorry, I did not understand that. Ask me about books.", True),
        ("sorry i did NOT understand that! Is it raining?", True),
        ("I only know about books.", True),
        ("Emma is on A1.", False),
        ("", False),
    ],
)
def test_not_knowing_is_read_from_the_sentence_that_was_given(said: str, fallback: bool) -> None:
    class Saying:
        async def say(self, text: str) -> Reply:
            return Reply((said,) if said else ())

        async def close(self) -> None: ...

    talk = SmolLM2Conversation(Saying(), fallback_sentences(read_agent(AGENT)))  # type: ignore[arg-type]
    assert asyncio.run(talk.say("x")).fallback is fallback
