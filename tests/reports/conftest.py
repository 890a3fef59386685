"""A small exam for all report tests: quick, with hostile names, negatives, and everything a result can hold."""

from __future__ import annotations

import pytest

from vivavoce.classifiers.fakes import JaccardClassifier, NullClassifier
from vivavoce.intents import IntentsResult, Setting, examine_intents
from vivavoce.records import Dataset, Example

HOSTILE = "<script>alert('x')</script> & \"pay\""
WORDS = {
    HOSTILE: "pay salary wage money bonus",
    "hours": "hours shift week time flexible",
    "leave": "leave holiday vacation days free",
    "apply": "apply application form send answer",
    "status": "apply application form send wait",
    "gym": "gym sport run fit club",
}
FRAMES = ("what about {0} and {1}", "{0} {1}?", "tell me the {0} of {1}", "is there {0} or {1} here <b>now</b>")


def small_dataset(extra: tuple[Example, ...] = ()) -> Dataset:
    examples = [
        Example(frame.format(words[place], words[(place + step) % 5]), topic, answer=topic)
        for topic, text in WORDS.items()
        for words in [text.split()]
        for step, frame in enumerate(FRAMES, 1)
        for place in range(2 if topic == "gym" else 4)
    ]
    return Dataset((*examples, *extra), "folder/<b>small</b>.csv")


@pytest.fixture(scope="session")
def result() -> IntentsResult:
    """All topics known, small topics unknown, and a setting that equals the first."""
    return examine_intents(
        small_dataset(),
        JaccardClassifier(),
        settings=(Setting(0, 0.0), Setting(0, 0.15), Setting(3, 0.0)),
        retries=5,
        threshold=0.3,
        workers=1,
    )


@pytest.fixture(scope="session")
def silent() -> IntentsResult:
    """A bot that is never sure enough, so that what is right among its answers is n/a."""
    return examine_intents(
        small_dataset(), JaccardClassifier(), settings=(Setting(0, 0.0),), retries=2, threshold=1.0, workers=1
    )


@pytest.fixture(scope="session")
def guessless() -> IntentsResult:
    """An engine that never has a guess."""
    return examine_intents(
        small_dataset(), NullClassifier(), settings=(Setting(0, 0.0),), retries=2, threshold=0.3, workers=1
    )


@pytest.fixture(scope="session")
def copies() -> IntentsResult:
    """Two topics, each of one text many times over: no split can test them."""
    texts = ["when is my salary paid"] * 500 + ["which hours are flexible"] * 500
    data = Dataset.of(texts, ["pay"] * 500 + ["hours"] * 500)
    return examine_intents(data, JaccardClassifier(), settings=(Setting(0, 0.0),), retries=2, workers=1)
