"""Engines that fail on purpose, named by the tests of this folder as `python:failing_engines:NAME`."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.classifiers.fakes import MajorityClassifier
from vivavoce.records import Guess


class Broken:
    """Fails in every training."""

    name = "broken"
    parallel = True

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        raise ValueError("the engine is on fire")

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        raise AssertionError("never trained")


class Alone(MajorityClassifier):
    """Holds one bot: it does not say that splits may run side by side."""

    name = "alone"
    parallel = False


class Counting:
    """Counts how often the texts are read; `prepare` is the expensive part."""

    name = "counting"
    read = 0

    def prepare(self, texts: Sequence[str], labels: object, progress: object = None) -> object:
        from vivavoce.classifiers.lexical import tfidf

        type(self).read += 1
        return tfidf("").prepare(texts, labels)

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        raise AssertionError("it prepares")

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        raise AssertionError("it prepares")
