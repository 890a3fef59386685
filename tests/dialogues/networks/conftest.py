"""What the tests of the networks share: torch, and a few talks."""

from __future__ import annotations

import importlib.util
import os
import random

import pytest

from vivavoce.dialogues.dialogue import Dialogue, Rating, Utterance, View, rated_views

ABSENT = 'torch is not installed: pip install "vivavoce[train]"'
WORDS = ("hello", "you", "like", "music", "what", "is", "your", "name", "tell", "me", "rain", "why", "not", "sure")


@pytest.fixture
def torch_is_here() -> None:
    """Skip a test that needs torch where there is none; fail it where torch must be."""
    if importlib.util.find_spec("torch") is not None:
        return
    if os.environ.get("VIVA_REQUIRE_TRAIN") == "1":
        pytest.fail(ABSENT)
    pytest.skip(ABSENT)


def invent(number: int) -> Dialogue:
    """Return a talk whose mark goes with what the bot says: good talks have the word `great` in them."""
    chance = random.Random(number)  # noqa: S311 - talks, not secrets
    good = number % 2 == 0
    turns = []
    for place in range(chance.randint(2, 6)):
        said = [chance.choice(WORDS) for _ in range(chance.randint(1, 7))]
        if place % 2:
            said.insert(chance.randint(0, len(said)), "great" if good else "boring")
        turns.append(Utterance("Bob" if place % 2 else "Ann", " ".join(said), is_bot=bool(place % 2)))
    both = number % 5 == 0
    marks = [Rating("Ann", 5.0 if good else 1.0)] + ([Rating("Bob", 4.0 if good else 2.0)] if both else [])
    return Dialogue(f"talk-{number}", tuple(turns), tuple(marks))


@pytest.fixture
def talks() -> list[Dialogue]:
    return [invent(number) for number in range(80)]


@pytest.fixture
def parts(talks: list[Dialogue]) -> tuple[list[View], list[View]]:
    return list(rated_views(talks[:60])), list(rated_views(talks[60:]))
