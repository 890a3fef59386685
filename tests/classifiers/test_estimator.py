"""Any scikit-learn classifier takes part, by object or by name."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.svm import SVC, LinearSVC

from vivavoce.classifiers.estimator import EstimatorClassifier, from_option
from vivavoce.classifiers.protocol import Classifier, ProbabilisticClassifier
from vivavoce.errors import UsageError

pytestmark = pytest.mark.slow

TEXTS = [
    "how do I apply",
    "where to apply",
    "apply now",
    "what is the pay",
    "how much pay",
    "pay me",
    "hi",
    "hello",
    "hey",
]
INTENTS = ["apply"] * 3 + ["pay"] * 3 + ["greet"] * 3


def trained(estimator: Any, **options: Any) -> EstimatorClassifier:
    classifier = EstimatorClassifier(estimator, **options)
    classifier.fit(TEXTS, INTENTS)
    return classifier


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(C=100),
        LinearSVC(),
        SVC(kernel="linear"),
        SVC(kernel="linear", decision_function_shape="ovo"),
        Perceptron(),
        MultinomialNB(alpha=0.1),
        GaussianNB(),
        RandomForestClassifier(n_estimators=30),
        make_pipeline(CountVectorizer(), LinearSVC()),
        make_pipeline(FeatureUnion([("a", TfidfVectorizer()), ("b", HashingVectorizer())]), LinearSVC()),
        GridSearchCV(make_pipeline(TfidfVectorizer(), LogisticRegression()), {"logisticregression__C": [10]}, cv=2),
        VotingClassifier([("a", make_pipeline(TfidfVectorizer(), LinearSVC()))]),
    ],
    ids=lambda estimator: str(estimator)[:40],
)
def test_many_kinds_learn_the_topics(estimator: Any) -> None:
    classifier = trained(estimator)
    guesses = classifier.guess(["apply please", "hello"])
    assert [guess.intent for guess in guesses] == ["apply", "greet"]
    assert all(0 <= guess.confidence <= 1 for guess in guesses)


class OnlyTexts(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Refuses everything but a list of texts."""

    def fit(self, X: Any, y: Any) -> OnlyTexts:
        assert isinstance(X, list)
        assert all(isinstance(text, str) for text in X)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        assert all(isinstance(text, str) for text in X)
        return np.array([self.classes_[0]] * len(X))


def test_an_estimator_without_scores_is_sure() -> None:
    (guess,) = trained(OnlyTexts(), vectoriser="passthrough").guess(["x"])
    assert (guess.intent, guess.confidence) == ("apply", 1.0)


def test_a_vectoriser_of_the_user_replaces_the_default() -> None:
    seen: list[str] = []

    def split(text: str) -> list[str]:
        seen.append(text)
        return text.split()

    trained(LinearSVC(), vectoriser=CountVectorizer(tokenizer=split, token_pattern=None))
    assert seen == [text.lower() for text in TEXTS]


def test_the_estimator_of_the_user_is_never_trained_itself() -> None:
    own = LogisticRegression()
    trained(own)
    assert not hasattr(own, "classes_")
    assert own.random_state is None


@pytest.mark.parametrize(
    ("estimator", "expected"),
    [
        (LogisticRegression(), True),
        (LinearSVC(), False),
        (GridSearchCV(LogisticRegression(), {"C": [1]}), True),
        (make_pipeline(TfidfVectorizer(), LinearSVC()), False),
    ],
)
def test_probabilities_exist_exactly_when_the_estimator_has_them(estimator: Any, expected: bool) -> None:
    classifier = EstimatorClassifier(estimator)
    assert isinstance(classifier, Classifier)
    assert isinstance(classifier, ProbabilisticClassifier) is expected


def test_the_softmax_of_two_topics_is_the_logistic_function() -> None:
    classifier = EstimatorClassifier(LinearSVC(), vectoriser=(vectoriser := TfidfVectorizer()))
    classifier.fit(TEXTS[:6], INTENTS[:6])
    (guess,) = classifier.guess(["pay me"])
    score = LinearSVC(random_state=0).fit(vectoriser.fit_transform(TEXTS[:6]), INTENTS[:6])
    distance = score.decision_function(vectoriser.transform(["pay me"]))[0]
    assert (guess.intent, guess.confidence) == ("pay", pytest.approx(1 / (1 + np.exp(-distance))))


def test_randomness_is_pinned() -> None:
    first, second = (
        trained(RandomForestClassifier(n_estimators=5)),
        trained(RandomForestClassifier(n_estimators=5)),
    )
    assert first.guess(TEXTS) == second.guess(TEXTS)


def test_one_topic_is_certain() -> None:
    for estimator in (LogisticRegression(), LinearSVC()):
        classifier = EstimatorClassifier(estimator)
        classifier.fit(["a", "b"], ["only", "only"])
        (guess,) = classifier.guess(["x"])
        assert (guess.intent, guess.confidence) == ("only", 1.0)


def test_it_can_be_sent_to_another_process() -> None:
    classifier = trained(LogisticRegression())
    copy = pickle.loads(pickle.dumps(classifier))  # noqa: S301
    assert copy.guess(TEXTS) == classifier.guess(TEXTS)
    copy.fit(["a", "b"], ["x", "y"])
    assert set(copy.probabilities(["a"]).intents) == {"x", "y"}
    assert set(classifier.probabilities(["a"]).intents) == set(INTENTS)


def test_its_name_is_that_of_the_last_step_unless_given() -> None:
    assert EstimatorClassifier(make_pipeline(CountVectorizer(), LinearSVC())).name == "LinearSVC"
    assert EstimatorClassifier(LinearSVC(), name="mine").name == "mine"


def test_what_is_not_an_estimator_is_refused() -> None:
    with pytest.raises(UsageError, match="lacks fit, predict, get_params"):
        EstimatorClassifier(object())
    with pytest.raises(UsageError, match="LinearSVC is a class"):
        EstimatorClassifier(LinearSVC)
    with pytest.raises(UsageError, match="not trained"):
        EstimatorClassifier(LinearSVC()).guess(["x"])


def test_an_option_names_the_estimator_and_its_parameters() -> None:
    option = "sklearn.linear_model.LogisticRegression?C=10&max_iter=500&class_weight=balanced&fit_intercept=false"
    classifier = from_option(option)
    assert classifier.name == option
    parameters = classifier._pipeline.steps[-1][1].get_params()
    wanted = {"C": 10, "max_iter": 500, "class_weight": "balanced", "fit_intercept": False}
    assert wanted.items() <= parameters.items()
    classifier.fit(TEXTS, INTENTS)
    assert classifier.guess(["apply"])[0].intent == "apply"
    assert isinstance(from_option("sklearn.dummy.DummyClassifier")._pipeline.steps[-1][1], DummyClassifier)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("", "no estimator"),
        ("LinearSVC", r"Did you mean 'sklearn\.svm\.LinearSVC'"),
        ("os.system", "not a scikit-learn classifier"),
        ("sklearnish.svm.SVC", "not a scikit-learn classifier"),
        ("sklearn.svm.LinearSVG", r"Did you mean 'sklearn\.svm\.LinearSVC'"),
        ("sklearn.swm.LinearSVC", r"Did you mean 'sklearn\.svm\.LinearSVC'"),
        ("sklearn.cluster.KMeans", "not a classifier"),
        ("sklearn.utils.os", "not a classifier|no classifier"),
        ("sklearn.svm.LinearSVC?c=1", "no parameter 'c'"),
        ("sklearn.svm.LinearSVC?max_itr=1", "Did you mean 'max_iter'"),
        ("sklearn.svm.LinearSVC?C", "parameter=value"),
        ("sklearn.svm.LinearSVC?C=1&C=2", "twice"),
        ("sklearn.svm.LinearSVC?C=-1", "'C' parameter"),
        ("sklearn.svm.LinearSVC?C=ten", "'C' parameter"),
        ("sklearn.ensemble.VotingClassifier", "estimators"),
    ],
)
def test_a_wrong_option_is_explained(option: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        from_option(option)
