"""What an evaluation found so far, as the dict that users write to JSON."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import stdev
from time import perf_counter
from typing import Any

from vivavoce.nexcv.scoring import AGGREGATED, Scored
from vivavoce.statistics import mean_rate


class EvaluationResult:
    """Collects the numbers of each training; `extra` holds what stands beside the original's keys."""

    def __init__(self, classifier: Any, evaluator: Any, dataset_provider: Any) -> None:
        """Start the clock."""
        self.classifier = str(classifier)
        self.evaluator = str(evaluator)
        self.dataset_provider = str(dataset_provider)
        self.metrics: list[Any] = []
        self.extra: dict[str, Any] = {}
        self._start = perf_counter()

    def add(self, metrics: Any) -> None:
        """Add the numbers of one training."""
        self.metrics.append(metrics)

    def asdict(self) -> dict[str, Any]:
        """Return the result up to now; times run on until the last call."""
        total = perf_counter() - self._start
        info = {
            "classifier": self.classifier,
            "evaluator": self.evaluator,
            "dataset_provider": self.dataset_provider,
            "total_running_time_sec": total,
            "avg_running_time_sec": total / len(self.metrics) if self.metrics else 0.0,
        }
        return {"info": info, "metrics": list(self.metrics), **self.extra}


def aggregate(repetitions: Sequence[Scored], n_train: Sequence[int]) -> dict[str, dict[str, float | int | None]]:
    """Return mean, spread and interval of each number over the repetitions.

    The interval is wider than the plain one, because the repetitions share most of their examples.
    """
    n_test = [len(repetition.items) for repetition in repetitions]
    return {
        name: _summary([repetition.values[name] for repetition in repetitions], n_test, n_train)
        for name in AGGREGATED
    }


def _summary(
    values: Sequence[float | None], n_test: Sequence[int], n_train: Sequence[int]
) -> dict[str, float | int | None]:
    rate = mean_rate(values, n_test, n_train)
    known = [value for value in values if value is not None]
    spread = stdev(known) if len(known) > 1 else None
    return {"mean": rate.value, "sd": spread, "low": rate.low, "high": rate.high, "n": len(known)}
