"""From answers to numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

from vivavoce.classifiers.api import guess_of
from vivavoce.errors import DataError, Fault
from vivavoce.nexcv.checks import check_lengths, number, plain_list, refuse, whole_number
from vivavoce.nexcv.datasets import Draws, TestingDataset, check_mode, draws_for
from vivavoce.nexcv.scoring import Judged, Scored, Shown, published_metrics, published_outcome, score
from vivavoce.outcomes import is_answered, outcome_of
from vivavoce.records import Guess

__all__ = ["EvaluationStrategy", "IntentEvaluationStrategy"]


class EvaluationStrategy(ABC):
    """Turns true labels and answers into numbers. A subclass needs `get_metrics` only."""

    @abstractmethod
    def get_metrics(self, X: Sequence[Any], y: Sequence[Any], classify_results: Sequence[Any]) -> Any:
        """Return the numbers for these texts, true labels (None: negative) and answers of `classify`."""

    def measure(self, X: Sequence[Any], y: Sequence[Any], classify_results: Sequence[Any], draws: Draws) -> Any:
        """Return the numbers of one training within an evaluation and its draws."""
        return self.get_metrics(X, y, classify_results)

    def config(self) -> dict[str, Any]:
        """Return the options that results record."""
        return {}


class IntentEvaluationStrategy(EvaluationStrategy):
    """Accuracy, F1, carefulness and confusion of guesses that are shown above a confidence only."""

    TRUE_LABEL = "T"
    FALSE_LABEL = "F"
    FALSE_OTHER = "FO"
    TRUE_OTHER = "TO"
    FALSE_CONSERVATIVE_OTHER = "FCO"
    CODES = (TRUE_LABEL, FALSE_LABEL, FALSE_OTHER, TRUE_OTHER, FALSE_CONSERVATIVE_OTHER)

    def __init__(
        self,
        classification_threshold: float,
        others_label: str = "__Other",
        include_samples: Iterable[str] | None = None,
        max_samples: int = 10,
        *,
        mode: str = "fixed",
        random_state: Any = None,
    ) -> None:
        """Suppress guesses below the threshold; show samples of these outcome codes (default: all).

        `max_samples`: how many, 0 for all, less than 0 for none.
        """
        self.mode = check_mode(mode)
        self.classification_threshold = classification_threshold
        self.others_label = others_label
        self.include_samples = list(include_samples or ())
        self.max_samples = max_samples
        self.random_state = random_state
        if self.mode == "exact":
            return
        unknown = [code for code in self.include_samples if code not in self.CODES]
        checks = {
            "classification_threshold": (
                number(classification_threshold),
                f"{classification_threshold!r} is not a number",
            ),
            "others_label": (isinstance(others_label, str) and others_label, f"{others_label!r} is not a name"),
            "max_samples": (whole_number(max_samples), f"{max_samples!r} is not a whole number"),
            "include_samples": (not unknown, f"{unknown} are not in {', '.join(self.CODES)}"),
        }
        faults = [Fault(message, name) for name, (is_good, message) in checks.items() if not is_good]
        refuse(faults, "these options are invalid")

    def get_outcome(self, y_i: Any, annotation: Any) -> tuple[Any, Any, Any, str]:
        """Return true label, shown label, confidence and outcome code of one item."""
        if self.mode == "exact":
            return published_outcome(y_i, annotation, self.classification_threshold, self.others_label)
        item = self._judge("", y_i, guess_of(annotation, ""), None)
        return item.truth, item.shown, item.guess.confidence, item.outcome.published

    def get_metrics(self, X: Sequence[Any], y: Sequence[Any], classify_results: Sequence[Any]) -> Any:
        """Return the numbers for these texts, true labels (None: negative) and answers of `classify`."""
        return self.measure(X, y, classify_results, draws_for(self.mode, self.random_state))

    def measure(self, X: Sequence[Any], y: Sequence[Any], classify_results: Sequence[Any], draws: Draws) -> Any:
        """Return the numbers of one training within an evaluation and its draws."""
        if self.mode == "fixed":
            check_lengths(X=len(X), y=len(y), classify_results=len(classify_results))
            guesses = [guess_of(answer, text) for answer, text in zip(classify_results, X, strict=True)]
            data = TestingDataset([], [], plain_list(X), plain_list(y))
            return self.score(data, guesses, draws).metrics
        # As published: unequal lengths are noticed only when both comparisons differ.
        if len(X) != len(y) != len(classify_results):
            return None
        rows = zip(X, y, classify_results, strict=False)
        items = [Shown(text, *self.get_outcome(truth, result)) for text, truth, result in rows]
        metrics = published_metrics(items, self.others_label)
        codes = [item.code for item in items]
        metrics["samples"] = [tuple(item) for item in self._draw_samples(items, codes, draws)]
        return metrics

    def score(self, data: TestingDataset, guesses: Sequence[Guess | None], draws: Draws) -> Scored:
        """Return the numbers of one training; items whose call failed (None) are left out."""
        origins = data.origins or [None] * len(data.X_test)
        rows = zip(data.X_test, data.y_test, guesses, origins, strict=True)
        items = [self._judge(text, truth, guess, origin) for text, truth, guess, origin in rows if guess is not None]
        if not items:
            raise DataError("there are no answers to score", remedy="check the recorded errors of the classifier")
        scored = score(items, self.others_label)
        codes = [item.outcome.published for item in items]
        scored.metrics["samples"] = [item.as_sample() for item in self._draw_samples(items, codes, draws)]
        return scored

    def _judge(self, text: Any, truth: Any, guess: Guess, origin: Any) -> Judged:
        threshold = self.classification_threshold
        shown = guess.intent if is_answered(guess, threshold) else self.others_label
        return Judged(text, truth, guess, shown, outcome_of(truth, guess, threshold), origin)

    def _draw_samples(self, items: Sequence[Any], codes: Sequence[str], draws: Draws) -> list[Any]:
        if self.max_samples < 0:
            return []
        wanted = self.include_samples or self.CODES
        candidates = [item for item, code in zip(items, codes, strict=True) if code in wanted]
        return draws.sample(candidates, self.max_samples or len(candidates))

    def config(self) -> dict[str, Any]:
        """Return threshold, name of the others and number of samples."""
        return {name: getattr(self, name) for name in ("classification_threshold", "others_label", "max_samples")}
