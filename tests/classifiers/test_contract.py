"""Every classifier that works offline keeps the contract."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from contract import TEXTS, Contract
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

from vivavoce.classifiers import fakes
from vivavoce.classifiers.estimator import EstimatorClassifier
from vivavoce.classifiers.protocol import Classifier
from vivavoce.classifiers.sif import SifClassifier
from vivavoce.text.glove import WordVectors
from vivavoce.text.words import words


def random_vectors() -> WordVectors:
    vocabulary = sorted({word for text in TEXTS for word in words(text)})
    matrix = np.random.default_rng(3).normal(size=(len(vocabulary), 20)).astype(np.float32)
    return WordVectors({word: row for row, word in enumerate(vocabulary)}, matrix)


OFFLINE: dict[str, Callable[[], Classifier]] = {
    "null": fakes.NullClassifier,
    "majority": fakes.MajorityClassifier,
    "failing": lambda: fakes.FailingClassifier(fakes.JaccardClassifier(), fail_at=100),
    "slow": lambda: fakes.SlowClassifier(fakes.JaccardClassifier(), seconds=0.0),
    "jaccard": fakes.JaccardClassifier,
    "nearest": fakes.NearestExample,
    "sif": lambda: SifClassifier(random_vectors()),
    "logistic regression": lambda: EstimatorClassifier(LogisticRegression(C=10)),
    "support vectors": lambda: EstimatorClassifier(LinearSVC()),
    "pairwise support vectors": lambda: EstimatorClassifier(SVC(decision_function_shape="ovo")),
    "forest": lambda: EstimatorClassifier(RandomForestClassifier(n_estimators=10)),
    "pipeline": lambda: EstimatorClassifier(make_pipeline(TfidfVectorizer(), LogisticRegression())),
}


class TestOffline(Contract):
    @pytest.fixture(params=OFFLINE)
    def classifier(self, request: pytest.FixtureRequest) -> Classifier:
        return OFFLINE[request.param]()


class TestEcho(Contract):
    # Its table is fixed beforehand, so it cannot follow labels that change.
    test_training_forgets_what_was_learnt_before = None  # type: ignore[assignment]
    test_labels_are_honoured_when_they_are_exchanged = None  # type: ignore[assignment]
    test_one_topic_can_be_learnt = None  # type: ignore[assignment]

    @pytest.fixture
    def classifier(self) -> Classifier:
        return fakes.EchoClassifier({"hello friend": "greet", "what is the pay": "pay"})
