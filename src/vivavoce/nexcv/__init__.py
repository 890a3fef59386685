"""Drop-in for the original nex-cv: the same names, signatures and results.

Evaluators take two more keywords: `mode`, "fixed" (default: the known faults are repaired, further keys stand
beside the original's) or "exact" (bit for bit the original's numbers), and `random_state`.
"""

from vivavoce.nexcv.classifiers import APIClassifier
from vivavoce.nexcv.data_providers import (
    NegativeExamplesDatasetProvider,
    TestingDatasetProvider,
    TimeSeqDatasetProvider,
)
from vivavoce.nexcv.evaluation_strategies import EvaluationStrategy, IntentEvaluationStrategy
from vivavoce.nexcv.evaluators import (
    EvaluationError,
    EvaluationResult,
    Evaluator,
    NexCVEvaluator,
    SequentialEvaluator,
)

__all__ = [
    "APIClassifier",
    "EvaluationError",
    "EvaluationResult",
    "EvaluationStrategy",
    "Evaluator",
    "IntentEvaluationStrategy",
    "NegativeExamplesDatasetProvider",
    "NexCVEvaluator",
    "SequentialEvaluator",
    "TestingDatasetProvider",
    "TimeSeqDatasetProvider",
]
