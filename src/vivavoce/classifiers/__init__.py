"""What can be trained and asked."""

from vivavoce.classifiers.api import FourMethodClassifier
from vivavoce.classifiers.protocol import (
    Classifier,
    Prepared,
    PreparingClassifier,
    ProbabilisticClassifier,
    Probabilities,
)

__all__ = [
    "Classifier",
    "FourMethodClassifier",
    "Prepared",
    "PreparingClassifier",
    "ProbabilisticClassifier",
    "Probabilities",
]
