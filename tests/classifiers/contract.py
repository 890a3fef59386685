"""What every classifier promises, to be run over any of them.

Subclass `Contract` in a test module and give `classifier` as a fixture that returns a new, untrained one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from vivavoce.classifiers.protocol import Classifier, ProbabilisticClassifier
from vivavoce.records import Guess

TEXTS = (
    "how do i apply for the job",
    "where can i send my application form",
    "apply for this job now",
    "how much money is the pay",
    "what is the salary for this job",
    "tell me the pay",
    "hello there",
    "hello my friend",
    "good morning friend",
)
INTENTS = ("apply",) * 3 + ("pay",) * 3 + ("greet",) * 3
ASKED = ("hello friend", "what is the pay", "apply for a job", "qqqq zzzz", "", "hello friend")


class Contract:
    """Properties that hold for each classifier."""

    def test_it_follows_the_protocol_and_has_a_name(self, classifier: Classifier) -> None:
        assert isinstance(classifier, Classifier)
        assert classifier.name.strip()

    def test_there_is_one_guess_for_each_text(self, classifier: Classifier) -> None:
        guesses = trained(classifier).guess(ASKED)
        assert isinstance(guesses, list)
        assert len(guesses) == len(ASKED)
        assert all(isinstance(guess, Guess) for guess in guesses)

    def test_no_texts_get_no_guesses(self, classifier: Classifier) -> None:
        assert trained(classifier).guess([]) == []

    def test_confidence_is_a_number_from_0_to_1(self, classifier: Classifier) -> None:
        for guess in trained(classifier).guess(ASKED):
            assert isinstance(guess.confidence, float)
            assert 0.0 <= guess.confidence <= 1.0

    def test_guesses_are_plain_trained_topics(self, classifier: Classifier) -> None:
        for guess in trained(classifier).guess(ASKED):
            assert guess.intent is None or (type(guess.intent) is str and guess.intent in INTENTS)

    def test_no_guess_has_no_confidence(self, classifier: Classifier) -> None:
        for guess in trained(classifier).guess(ASKED):
            assert guess.intent is not None or guess.confidence == 0.0

    def test_order_is_kept(self, classifier: Classifier) -> None:
        trained(classifier)
        assert_alike(classifier.guess(ASKED[::-1]), classifier.guess(ASKED)[::-1])

    def test_a_guess_does_not_depend_on_its_neighbours(self, classifier: Classifier) -> None:
        trained(classifier)
        assert_alike([classifier.guess([text])[0] for text in ASKED], classifier.guess(ASKED))

    def test_training_twice_gives_the_same_guesses(self, classifier: Classifier) -> None:
        first = trained(classifier).guess(ASKED)
        assert trained(classifier).guess(ASKED) == first

    def test_training_forgets_what_was_learnt_before(self, classifier: Classifier) -> None:
        classifier.fit(["hello friend", "what is the pay"], ["old", "older"])
        before = trained(classifier).guess(ASKED)
        assert {guess.intent for guess in before} <= {*INTENTS, None}
        classifier.fit(["hello friend", "what is the pay"], ["old", "older"])
        assert_alike(trained(classifier).guess(ASKED), before)

    def test_labels_are_honoured_when_they_are_exchanged(self, classifier: Classifier) -> None:
        exchange = {"apply": "greet", "greet": "apply", "pay": "pay", None: None}
        before = trained(classifier).guess(TEXTS)
        classifier.fit(TEXTS, [str(exchange[intent]) for intent in INTENTS])
        if len({guess.intent for guess in before}) > 1:
            assert [exchange[guess.intent] for guess in before] == [g.intent for g in classifier.guess(TEXTS)]

    def test_one_topic_can_be_learnt(self, classifier: Classifier) -> None:
        classifier.fit(["hello there", "hello"], ["greet", "greet"])
        assert {guess.intent for guess in classifier.guess(ASKED)} <= {"greet", None}

    def test_probabilities_sum_to_1_and_agree_with_the_guesses(self, classifier: Classifier) -> None:
        if not isinstance(classifier, ProbabilisticClassifier):
            assert not hasattr(classifier, "probabilities")
            return
        trained(classifier)
        found = classifier.probabilities(ASKED)
        assert set(found.intents) == set(INTENTS)
        assert found.rows.shape == (len(ASKED), 3)
        assert (found.rows >= 0).all()
        assert found.rows.sum(axis=1) == pytest.approx(np.ones(len(ASKED)))
        assert_alike(found.guesses(), classifier.guess(ASKED))
        assert classifier.probabilities([]).guesses() == []


def trained(classifier: Classifier) -> Classifier:
    """Train on the examples of this module."""
    classifier.fit(TEXTS, INTENTS)
    return classifier


def assert_alike(one: Sequence[Guess], other: Sequence[Guess]) -> None:
    """Compare up to rounding: sums may be taken in another order when the batch differs."""
    assert [guess.intent for guess in one] == [guess.intent for guess in other]
    for mine, theirs in zip(one, other, strict=True):
        assert math.isclose(mine.confidence, theirs.confidence, abs_tol=1e-6)
