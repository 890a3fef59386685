"""One text by itself: without matrices, and the same probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from vivavoce.classifiers.bayes import NaiveBayes, count, count_one

TEXTS = ["what do you pay", "how much is the salary", "where do I park", "is there parking", "can I bring my dog"]
LABELS = np.array([0, 0, 1, 1, 2])


@pytest.mark.parametrize(
    "text", ["how much do you pay pay pay", "PARKING!", "xyzzy", "", "?!", "我想找工作", "pay \ud800"]
)
def test_one_text_gets_the_probabilities_that_it_gets_among_others(text: str) -> None:
    counts = count(TEXTS)
    bayes = NaiveBayes.fit(counts, LABELS, 3)
    among_others = bayes.probabilities(count([text], like=counts.ids))
    assert bayes.probabilities(count_one(text).align(counts.ids)) == pytest.approx(among_others, abs=1e-6)
