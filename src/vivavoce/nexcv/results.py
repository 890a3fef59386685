"""What an evaluation found so far, as the dict that users write to JSON."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from statistics import stdev
from time import perf_counter
from typing import Any

from vivavoce.nexcv.scoring import AGGREGATED, Scored
from vivavoce.statistics import mean_rate


class EvaluationResult:
    """Collects the numbers of each training; `extra` holds what stands beside the original's keys.

    The original takes no arguments; `info` and `metrics` are filled by its evaluators and may be filled by yours.
    """

    def __init__(self, classifier: Any = None, evaluator: Any = None, dataset_provider: Any = None) -> None:
        """Start the clock."""
        parts = {"classifier": classifier, "evaluator": evaluator, "dataset_provider": dataset_provider}
        self.info: dict[str, Any] = {name: str(part) for name, part in parts.items() if part is not None}
        self.metrics: list[Any] = []
        self.extra: dict[str, Any] = {}
        self.start_time = datetime.now(UTC).replace(tzinfo=None)
        self._start = perf_counter()

    def add(self, metrics: Any) -> None:
        """Add the numbers of one training."""
        self.metrics.append(metrics)

    def asdict(self) -> dict[str, Any]:
        """Return the result up to now; times run on until the last call."""
        total = perf_counter() - self._start
        average = total / len(self.metrics) if self.metrics else 0.0
        self.info |= {"total_running_time_sec": total, "avg_running_time_sec": average}
        return {"info": dict(self.info), "metrics": list(self.metrics), **self.extra}


def aggregate(repetitions: Sequence[Scored], n_train: Sequence[int]) -> dict[str, dict[str, float | int | None]]:
    """Return mean, spread and interval of each number over the repetitions.

    The interval is wider than the plain one, because the repetitions share most of their examples.
    """
    n_test = [len(repetition.items) for repetition in repetitions]
    summaries: dict[str, dict[str, float | int | None]] = {}
    for name in AGGREGATED:
        values = [repetition.values[name] for repetition in repetitions]
        rate = mean_rate(values, n_test, n_train)
        known = [value for value in values if value is not None]
        spread = stdev(known) if len(known) > 1 else None
        summaries[name] = {"mean": rate.value, "sd": spread, "low": rate.low, "high": rate.high, "n": len(known)}
    return summaries
