"""One evaluation in mode "fixed": repetitions with clocks, failures, warnings and a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from vivavoce.errors import ClassifierError
from vivavoce.nexcv.asking import Answers, EvaluationError, OnError, Stopwatch, ask
from vivavoce.nexcv.checks import named, plain_list, row_warnings
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
        self.classifier = classifier
        self.provider = provider
        self.strategy = strategy
        self.on_error = on_error
        self.result = result
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
        timed = self._timed(texts, labels)
        for repetition, (data, clock) in enumerate(timed, start=1):
            try:
                self._repeat(repetition, data, clock)
            except ClassifierError as error:
                if self.on_error == "raise":
                    self._finish(texts, labels)
                    raise self._stopped(repetition, error) from error
                self.failures.append({"repetition": repetition, "error": error.what})
        self._finish(texts, labels)
        if not self.scored:
            raise self._all_failed()

    def _timed(self, texts: list[Any], labels: list[Any]) -> Iterator[tuple[TestingDataset, Stopwatch]]:
        datasets = iter(self.provider.prepared(texts, labels, self.draws))
        while True:
            clock = Stopwatch()
            with clock.time("split"):
                data = next(datasets, None)
            if data is None:
                return
            yield data, clock

    def _repeat(self, repetition: int, data: TestingDataset, clock: Stopwatch) -> None:
        with clock.time("train"):
            self._fit(data)
        with clock.time("classify"):
            answers = ask(self.classifier, data.X_test, self.on_error)
        self.failures += [{"repetition": repetition, **failure} for failure in answers.failures]
        if len(answers.failures) == len(answers.guesses):
            raise ClassifierError("no text could be classified")
        with clock.time("score"):
            scored = self.strategy.score(data, answers.guesses, self.draws)
        self._keep(data, scored, answers, clock)

    def _fit(self, data: TestingDataset) -> None:
        try:
            self.classifier.fit(data.X_train, data.y_train)
        except Exception as error:
            what = error.what if isinstance(error, ClassifierError) else f"{type(error).__name__}: {error}"
            raise ClassifierError(f"fit failed: {what}") from error

    def _keep(self, data: TestingDataset, scored: Scored, answers: Answers, clock: Stopwatch) -> None:
        metrics = scored.metrics
        metrics["n_train"] = len(data.X_train)
        metrics["n_test"] = len(data.X_test)
        metrics |= data.facts
        metrics["errors"] = len(answers.failures)
        metrics["timings"] = _timings(clock, answers)
        self.result.add(metrics)
        self.scored.append(scored)
        self.n_train.append(len(data.X_train))
        self.confusions.add(scored.items)
        self._watch(set(data.y_train), answers)

    def _watch(self, trained: set[Any], answers: Answers) -> None:
        for guess in answers.guesses:
            if guess is None or guess.intent is None:
                continue
            if guess.intent not in trained:
                self.unknown[guess.intent] += 1
            if not 0 <= guess.confidence <= 1:
                self.outside += 1

    def _finish(self, texts: list[Any], labels: list[Any]) -> None:
        extra = self.result.extra
        if self.scored and self.provider.repeats:
            extra["aggregate"] = aggregate(self.scored, self.n_train)
        extra["pairs"] = self.confusions.ranked()
        extra["config"] = self._config(texts, labels)
        extra["warnings"] = self._warnings(texts, labels)
        if self.on_error == "record":
            extra["errors"] = self.failures

    def _config(self, texts: list[Any], labels: list[Any]) -> dict[str, Any]:
        names = [_intent(label) for label in labels]
        data = {"hash": fingerprint(texts, map(str, names)), "rows": len(texts), "labels": len(set(names))}
        data |= self.provider.describe(labels)
        options = self.provider.config() | self.strategy.config()
        return options | {"mode": "fixed", "seed": self.draws.seed, "on_error": self.on_error, "data": data}

    def _warnings(self, texts: list[Any], labels: list[Any]) -> list[str]:
        return [
            *self.provider.warnings(texts, labels),
            *self._negative_warnings(),
            *row_warnings(texts, [_intent(label) for label in labels]),
            *self._answer_warnings(),
        ]

    def _negative_warnings(self) -> Iterator[str]:
        items = [repetition.metrics["negative_items"] for repetition in self.scored]
        mean = sum(items) / len(items) if items else 0
        if 0 < mean < FEW_NEGATIVES:
            yield f"Few negatives: {mean:.1f} texts in a repetition say little about rejecting."

    def _answer_warnings(self) -> Iterator[str]:
        if self.unknown:
            total, names = self.unknown.total(), named(list(self.unknown))
            yield (
                f"{total} answers name an intent that was not trained ({names}): they count as wrong. "
                "A fallback is an empty list."
            )
        if self.outside:
            yield f"{self.outside} confidences are not between 0 and 1."
        if self.failures:
            yield f"{len(self.failures)} calls failed; what they were about is not in the numbers."

    def _stopped(self, repetition: int, error: ClassifierError) -> EvaluationError:
        place = f"repetition {repetition}" + (f", {error.where}" if error.where else "")
        return EvaluationError(
            error.what,
            where=place,
            remedy="the repetitions before are in `partial`; on_error='record' goes on after a failure",
            partial=self.result.asdict(),
        )

    def _all_failed(self) -> EvaluationError:
        last = self.failures[-1]["error"] if self.failures else "there was nothing to train"
        return EvaluationError(
            f"no repetition could be completed; the last failure: {last}",
            remedy="try the classifier with its test() method",
            partial=self.result.asdict(),
        )


def _timings(clock: Stopwatch, answers: Answers) -> dict[str, Any]:
    seconds = clock.seconds
    return {
        "split_sec": seconds["split"],
        "train_sec": seconds["train"],
        "classify_sec": answers.timing(seconds["classify"]),
        "score_sec": seconds["score"],
    }


def _intent(label: Any) -> Any:
    return label.get("intent_id") if isinstance(label, dict) else label
