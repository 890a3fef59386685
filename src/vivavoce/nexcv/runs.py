"""One evaluation in mode "fixed": repetitions with clocks, failures, warnings and a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from vivavoce.errors import ClassifierError
from vivavoce.nexcv.asking import EvaluationError, OnError, Stopwatch, ask, describe_error
from vivavoce.nexcv.checks import join_labels, plain_list, row_warnings
from vivavoce.nexcv.datasets import TestingDataset, TestingDatasetProvider
from vivavoce.nexcv.evaluation_strategies import IntentEvaluationStrategy
from vivavoce.nexcv.pairs import Confusions
from vivavoce.nexcv.results import EvaluationResult, aggregate
from vivavoce.nexcv.scoring import Scored
from vivavoce.records import fingerprint

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
                        remedy=(
                            "earlier repetitions are in `partial`; with on_error='record' the "
                            "evaluation continues after a failure"
                        ),
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
