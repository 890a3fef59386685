"""What can be trained and asked."""

from vivavoce.classifiers.protocol import Classifier, ProbabilisticClassifier, Probabilities

__all__ = ["Classifier", "ProbabilisticClassifier", "Probabilities"]
