"""One evaluation in mode "fixed": repetitions with clocks, failures, warnings and a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Literal

import numpy as np

from vivavoce.classifiers.api import batch_answers, guess_of, shown
from vivavoce.errors import ClassifierError, UsageError
from vivavoce.nexcv.checks import join_labels, plain_list, row_warnings
from vivavoce.nexcv.datasets import TestingDataset, TestingDatasetProvider
from vivavoce.nexcv.evaluation_strategies import IntentEvaluationStrategy
from vivavoce.nexcv.scoring import Confusions, EvaluationResult, Scored, aggregate
from vivavoce.records import Guess, fingerprint

FEW_NEGATIVES = 10


class Run:
    """Trains and tests on each data set; what was measured before a failure is kept."""

    def __init__(
        self,
        classifier: Any,
        provider: TestingDatasetProvider,
        strategy: IntentEvaluationStrategy,
        on_error: OnError,
        result: EvaluationResult,
    ) -> None:
        """Take the parts of the evaluation and the result to fill."""
        self.classifier, self.provider, self.strategy = classifier, provider, strategy
        self.on_error, self.result = on_error, result
        self.draws = provider.draws()
        self.scored: list[Scored] = []
        self.n_train: list[int] = []
        self.failures: list[dict[str, Any]] = []
        self.confusions = Confusions()
        self.unknown: Counter[Any] = Counter()
        self.outside = 0

    def evaluate(self, X: Sequence[Any], y: Sequence[Any]) -> None:
        """Fill the result; on a failure that ends the evaluation, raise it with the result so far."""
        texts, labels = plain_list(X), plain_list(y)
        for repetition, (data, clock) in enumerate(self._draw_datasets(texts, labels), start=1):
            try:
                self._repeat(repetition, data, clock)
            except ClassifierError as error:
                if self.on_error == "raise":
                    self._finish(texts, labels)
                    raise EvaluationError(
                        error.what,
                        where=f"repetition {repetition}" + (f", {error.where}" if error.where else ""),
                        remedy="earlier repetitions are in `partial`; with on_error='record' the evaluation "
                        "continues after a failure",
                        partial=self.result.asdict(),
                    ) from error
                self.failures.append({"repetition": repetition, "error": error.what})
        self._finish(texts, labels)
        if not self.scored:
            last = self.failures[-1]["error"] if self.failures else "there was nothing to train"
            raise EvaluationError(
                f"no repetition could be completed; the last failure: {last}",
                remedy="check the classifier with its test() method",
                partial=self.result.asdict(),
            )

    def _draw_datasets(self, texts: list[Any], labels: list[Any]) -> Iterator[tuple[TestingDataset, Stopwatch]]:
        datasets = iter(self.provider.make_datasets(texts, labels, self.draws))
        while True:
            clock = Stopwatch()
            with clock.time("split"):
                data = next(datasets, None)
            if data is None:
                return
            yield data, clock

    def _repeat(self, repetition: int, data: TestingDataset, clock: Stopwatch) -> None:
        with clock.time("train"):
            try:
                self.classifier.fit(data.X_train, data.y_train)
            except Exception as error:
                raise ClassifierError(f"fit failed: {describe_error(error)}") from error
        with clock.time("classify"):
            answers = ask(self.classifier, data.X_test, self.on_error)
        self.failures += [{"repetition": repetition, **failure} for failure in answers.failures]
        if len(answers.failures) == len(answers.guesses):
            raise ClassifierError("no text could be classified")
        with clock.time("score"):
            scored = self.strategy.score(data, answers.guesses, self.draws)
        seconds: dict[str, Any] = {f"{name}_sec": time for name, time in clock.seconds.items()}
        seconds["classify_sec"] = answers.timing(seconds["classify_sec"])
        sizes = {"n_train": len(data.X_train), "n_test": len(data.X_test)}
        metrics = scored.metrics
        metrics |= {**sizes, **data.facts, "errors": len(answers.failures), "timings": seconds}
        self.result.add(metrics)
        self.scored.append(scored)
        self.n_train.append(len(data.X_train))
        self.confusions.add(scored.items)
        trained = set(data.y_train)
        for guess in answers.guesses:
            if guess is not None and guess.intent is not None:
                if guess.intent not in trained:
                    self.unknown[guess.intent] += 1
                self.outside += not 0 <= guess.confidence <= 1

    def _finish(self, texts: list[Any], labels: list[Any]) -> None:
        extra = self.result.extra
        if self.scored and self.provider.repeats:
            extra["aggregate"] = aggregate(self.scored, self.n_train)
        extra["pairs"] = self.confusions.rank()
        names = [label.get("intent_id") if isinstance(label, dict) else label for label in labels]
        data = {"hash": fingerprint(texts, map(str, names)), "rows": len(texts), "labels": len(set(names))}
        data |= self.provider.describe(labels)
        options = self.provider.config() | self.strategy.config()
        options |= {"mode": "fixed", "seed": self.draws.seed, "on_error": self.on_error, "data": data}
        extra["config"] = options
        extra["warnings"] = [*self.provider.warnings(texts, labels), *self._list_warnings(texts, names)]
        if self.on_error == "record":
            extra["errors"] = self.failures

    def _list_warnings(self, texts: list[Any], names: list[Any]) -> Iterator[str]:
        items = [repetition.metrics["negative_items"] for repetition in self.scored]
        mean = sum(items) / len(items) if items else 0
        if 0 < mean < FEW_NEGATIVES:
            yield f"Few negatives: {mean:.1f} texts per repetition say little about rejection."
        yield from row_warnings(texts, names)
        if self.unknown:
            total, labels = self.unknown.total(), join_labels(list(self.unknown))
            yield (
                f"{total} answers name an intent that was not trained ({labels}): they count as "
                "wrong. Return an empty list to decline."
            )
        if self.outside:
            yield f"{self.outside} confidences are not between 0 and 1."
        if self.failures:
            yield f"{len(self.failures)} calls failed; their texts are not in the numbers."


OnError = Literal["raise", "record"]
ON_ERROR: tuple[OnError, ...] = ("raise", "record")


class EvaluationError(ClassifierError):
    """A classifier failed and the evaluation ended; `partial` is the result of the repetitions before."""

    partial: dict[str, Any]

    def __init__(self, what: str, *, partial: dict[str, Any] | None = None, **rest: Any) -> None:
        """Keep what was measured before the failure."""
        super().__init__(what, **rest)
        self.partial = partial or {}

    def __reduce__(self) -> tuple[object, ...]:
        # The result so far crosses process borders with the error.
        return (*super().__reduce__(), {"partial": self.partial})


class Stopwatch:
    """Seconds by a clock that never goes back, by the name of the work."""

    def __init__(self) -> None:
        """Start with nothing measured."""
        self.seconds: dict[str, float] = {}

    @contextmanager
    def time(self, name: str) -> Iterator[None]:
        """Measure the block, also when it fails."""
        start = perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = perf_counter() - start


@dataclass
class Answers:
    """One guess for each text (None: the call failed), the seconds each took, and the failures."""

    guesses: list[Guess | None] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    failures: list[dict[str, Any]] = field(default_factory=list)
    batch: bool = False

    def timing(self, total: float) -> dict[str, float | bool | None]:
        """Return total, mean and percentiles; a batch has no time for a single text."""
        asked = len(self.guesses)
        p50, p95 = (None, None) if self.batch or not self.seconds else np.percentile(self.seconds, (50, 95)).tolist()
        mean = total / asked if asked else None
        return {"total": total, "mean": mean, "p50": p50, "p95": p95, "batch": self.batch}


def check_on_error(on_error: str) -> OnError:
    """Return what to do with failures, or refuse it."""
    for known in ON_ERROR:
        if on_error == known:
            return known
    raise UsageError(f"on_error cannot be {on_error!r}", remedy="use 'raise' or 'record'")


def ask(classifier: Any, texts: Sequence[str], on_error: OnError) -> Answers:
    """Ask all texts: in one batch where the classifier can, else one by one."""
    try:
        replies = batch_answers(classifier, texts)
    except Exception as error:
        if on_error == "raise":
            raise ClassifierError(f"classify_batch failed: {describe_error(error)}") from error
        replies = None  # one text may be the cause: the others can still be asked singly
    answers = Answers(batch=replies is not None)
    for number, text in enumerate(texts):
        start = perf_counter()
        try:
            reply = classifier.classify(text) if replies is None else replies[number]
            answers.guesses.append(guess_of(reply, text))
        except Exception as error:
            if on_error == "raise":
                raise ClassifierError(describe_error(error), where=f"text {number} {shown(text)}") from error
            answers.guesses.append(None)
            answers.failures.append({"text_number": number, "text": text, "error": describe_error(error)})
        answers.seconds.append(perf_counter() - start)
    return answers


def describe_error(error: Exception) -> str:
    """Return what a classifier did wrong, in one line."""
    return error.what if isinstance(error, ClassifierError) else f"{type(error).__name__}: {error}"
