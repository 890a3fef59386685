"""Engines that live elsewhere get a time limit and a second chance."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from vivavoce.classifiers.fakes import JaccardClassifier
from vivavoce.classifiers.patient import PatientClassifier, within
from vivavoce.errors import ClassifierError, UsageError
from vivavoce.intents.exam import examine_intents
from vivavoce.records import Guess


class Flaky(JaccardClassifier):
    """Fails every time but the n-th."""

    def __init__(self, fails: int) -> None:
        super().__init__()
        self.fails = fails
        self.calls = 0

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        self.calls += 1
        if self.calls % (self.fails + 1):
            raise ConnectionError("the line was busy")
        return super().guess(texts)


def data() -> tuple[list[str], list[str]]:
    return [f"{word} number {n}" for word in ("red", "blue", "green") for n in range(8)], [
        word for word in ("red", "blue", "green") for _ in range(8)
    ]


def test_a_call_that_fails_is_made_again_and_counted() -> None:
    engine = PatientClassifier(Flaky(2), attempts=3, pause=0.0)
    engine.fit(*data())
    assert engine.guess(["red number"])[0].intent == "red"
    assert engine.repeated == 2


def test_after_the_last_attempt_the_error_says_how_often_and_why() -> None:
    engine = PatientClassifier(Flaky(5), attempts=2, pause=0.0)
    engine.fit(*data())
    with pytest.raises(ClassifierError, match=r"failed 2 times.*the line was busy"):
        engine.guess(["red"])


def test_one_attempt_passes_the_engines_own_error_on() -> None:
    engine = PatientClassifier(Flaky(5))
    engine.fit(*data())
    with pytest.raises(ConnectionError):
        engine.guess(["red"])


def test_a_call_that_hangs_ends_with_the_time_limit() -> None:
    never = threading.Event()
    with pytest.raises(ClassifierError, match=r"timed out after 0.05 s when thinking"):
        within(0.05, never.wait, "thinking")
    never.set()


def test_what_a_call_in_time_returns_or_raises_comes_through() -> None:
    assert within(30, lambda: 7, "adding") == 7
    with pytest.raises(ZeroDivisionError):
        within(30, lambda: 1 / 0, "dividing")


@pytest.mark.parametrize("wrong", [{"attempts": 0}, {"timeout": 0.0}])
def test_senseless_limits_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        PatientClassifier(JaccardClassifier(), **wrong)  # type: ignore[arg-type]


def test_an_exam_with_a_flaky_engine_gives_the_numbers_of_a_steady_one_and_says_so() -> None:
    steady = examine_intents(data(), JaccardClassifier(), retries=5, text_view=False)
    engine = PatientClassifier(Flaky(1), attempts=2, pause=0.0)
    flaky = examine_intents(data(), engine, retries=5, text_view=False)
    assert flaky.rate("accuracy") == steady.rate("accuracy")
    assert any(note.kind == "repeated" for note in flaky.warnings)
    assert flaky.failures == ()
