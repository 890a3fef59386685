"""Train, ask, score, repeat."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from vivavoce.nexcv.classifiers import as_published
from vivavoce.nexcv.data_providers import NegativeExamplesDatasetProvider, TimeSeqDatasetProvider
from vivavoce.nexcv.datasets import TestingDatasetProvider
from vivavoce.nexcv.evaluation_strategies import EvaluationStrategy, IntentEvaluationStrategy
from vivavoce.nexcv.runs import EvaluationError, Run, check_on_error
from vivavoce.nexcv.scoring import EvaluationResult

__all__ = ["EvaluationError", "EvaluationResult", "Evaluator", "NexCVEvaluator", "SequentialEvaluator"]


class Evaluator:
    """Trains and tests a classifier on each data set of a provider, and scores it by a strategy.

    With an `IntentEvaluationStrategy` in mode "fixed" the result has further keys, and a failing classifier
    is handled by `on_error`: "raise" ends with `EvaluationError`, which keeps the result so far as `partial`,
    "record" leaves the failed texts out of the numbers and lists them.
    """

    def __init__(
        self,
        classifier: Any,
        dataset_provider: TestingDatasetProvider,
        evaluation_strategy: EvaluationStrategy,
        *,
        on_error: str = "raise",
    ) -> None:
        """Take the three parts of an evaluation."""
        self.classifier = classifier
        self.dataset_provider = dataset_provider
        self.evaluation_strategy = evaluation_strategy
        self.on_error = check_on_error(on_error)

    def __str__(self) -> str:
        return type(self).__name__

    def evaluate(self, X: Sequence[Any], y: Sequence[Any]) -> dict[str, Any]:
        """Return info and the numbers of each training, ready for JSON."""
        strategy = self.evaluation_strategy
        result = EvaluationResult(self.classifier, self, self.dataset_provider)
        if isinstance(strategy, IntentEvaluationStrategy) and strategy.mode == "fixed":
            Run(self.classifier, self.dataset_provider, strategy, self.on_error, result).evaluate(X, y)
        else:
            with as_published():
                draws = self.dataset_provider.draws()
                # All data sets first: the samples' draws come after all the splits'.
                for data in list(self.dataset_provider.make_datasets(X, y, draws)):
                    self.classifier.fit(data.X_train, data.y_train)
                    answers = [self.classifier.classify(text) for text in data.X_test]
                    result.add(strategy.measure(data.X_test, data.y_test, answers, draws))
        return result.asdict()


class NexCVEvaluator(Evaluator):
    """Cross-validation with plausible negative examples."""

    def __init__(  # noqa: PLR0917 - the original's order of arguments
        self,
        classifier: Any,
        min_category_size: int,
        other_min_prop: float,
        classification_threshold: float,
        max_samples: int,
        n_retries: int,
        *,
        mode: str = "fixed",
        random_state: Any = None,
        test_fraction: float = 0.2,
        others_label: str = "__Other",
        include_samples: Iterable[str] | None = None,
        singletons: str | None = None,
        on_error: str = "raise",
    ) -> None:
        """Take K, P, the threshold, how many samples to show and how often to repeat.

        `mode="exact"` gives the original's numbers bit for bit, faults included; "fixed" repairs them.
        `random_state` repeats the draws; in mode "exact" it is a seed of numpy's legacy generator.
        """
        provider = NegativeExamplesDatasetProvider(
            min_category_size,
            other_min_prop,
            n_retries,
            test_fraction,
            mode=mode,
            random_state=random_state,
            others_label=others_label,
            singletons=singletons,
        )
        strategy = IntentEvaluationStrategy(
            classification_threshold, others_label, include_samples, max_samples, mode=mode, random_state=random_state
        )
        super().__init__(classifier, provider, strategy, on_error=on_error)


class SequentialEvaluator(Evaluator):
    """Plays back the life of a bot: how good was it as its training data grew?"""

    def __init__(
        self,
        classifier: Any,
        classification_threshold: float,
        max_samples: int,
        *,
        mode: str = "fixed",
        random_state: Any = None,
        others_label: str = "__Other",
        include_samples: Iterable[str] | None = None,
        min_examples_ratio: float = 0.5,
        max_added_examples: int | None = 500,
        n_steps: int = 5,
        test_on_all: bool = False,
        undated: str = "error",
        on_error: str = "raise",
    ) -> None:
        """Take the threshold and how many samples to show; labels are dicts with `intent_id` and `created`.

        `undated` says what happens to items without a datetime: "error", or "drop" with a warning.
        """
        provider = TimeSeqDatasetProvider(
            min_examples_ratio,
            max_added_examples,
            n_steps,
            test_on_all=test_on_all,
            mode=mode,
            random_state=random_state,
            others_label=others_label,
            undated=undated,
        )
        strategy = IntentEvaluationStrategy(
            classification_threshold, others_label, include_samples, max_samples, mode=mode, random_state=random_state
        )
        super().__init__(classifier, provider, strategy, on_error=on_error)
