"""An exam says when the confidence of a classifier is far from how often it is right."""

from __future__ import annotations

import pytest

from vivavoce.intents import examine_intents
from vivavoce.intents.exam import PLAIN
from vivavoce.records import Guess

WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
TEXTS = [f"{topic} {a} {b}" for topic in ("pay", "leave") for a in WORDS for b in WORDS[:6]]
INTENTS = [text.split()[0] for text in TEXTS]


class Stated:
    """Knows the topic of every text, and states this confidence."""

    name = "stated"

    def __init__(self, confidence: float) -> None:
        self.confidence = confidence

    def fit(self, texts: list[str], intents: list[str]) -> None:
        pass

    def guess(self, texts: list[str]) -> list[Guess]:
        return [Guess(text.split()[0], self.confidence) for text in texts]


@pytest.mark.parametrize(("confidence", "warned"), [(0.5, True), (0.8, True), (0.9, False), (1.0, False)])
def test_a_confidence_far_from_the_truth_is_named(confidence: float, warned: bool) -> None:
    result = examine_intents((TEXTS, INTENTS), Stated(confidence), settings=[PLAIN], text_view=False)
    notes = [note.message for note in result.warnings if note.kind == "calibration"]
    assert bool(notes) is warned
    if warned:
        assert f"{100 * confidence:.0f} %, and 100 % of its guesses are right" in notes[0]
