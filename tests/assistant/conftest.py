"""The assistant of the invented company, made once."""

from __future__ import annotations

import pytest

from vivavoce.assistant import Assistant, Outcome, State
from vivavoce.text.vectors import encoder_available


@pytest.fixture(scope="session")
def assistant() -> Assistant:
    return Assistant.load("demo")


@pytest.fixture
def talk(assistant):
    """Return a function that holds a whole talk and returns its outcomes; the state goes through JSON each time."""

    def hold(*messages: str, state: State | None = None, page: str = "") -> list[Outcome]:
        state, outcomes = state or State(), []
        for message in messages:
            outcomes.append(assistant.reply(state, message, page_language=page))
            state = State.from_json(outcomes[-1].state.to_json())
            assert state == outcomes[-1].state
        return outcomes

    return hold


@pytest.fixture
def vectors() -> None:
    if not encoder_available():
        pytest.skip("no sentence vectors are installed: viva models get")
