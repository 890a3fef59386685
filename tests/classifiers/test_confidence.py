"""How sure the default classifier may be follows from its examples: how many, how far apart, how clear the topics."""

from __future__ import annotations

import numpy as np
import pytest

from vivavoce.classifiers.calibration import MAX_FAMILIAR_AT, MIN_FAMILIAR_AT, Calibration


def build_topics(examples: int, spread: float, topics: int = 6) -> list[np.ndarray]:
    """Return unit vectors around as many axes as there are topics."""
    rng = np.random.default_rng(0)
    rows = np.eye(32)[np.repeat(np.arange(topics), examples)]
    rows = rows + rng.normal(scale=spread, size=rows.shape)
    vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return np.split(vectors, topics)


def test_few_examples_make_a_model_timid_so_it_is_sharpened_more() -> None:
    few, many = (Calibration.of(build_topics(n, 0.05)) for n in (4, 40))
    assert few.sharpness > many.sharpness


def test_a_model_of_topics_that_are_hard_to_tell_apart_stays_timid() -> None:
    clear, mixed = (Calibration.of(build_topics(10, spread)) for spread in (0.05, 0.8))
    assert clear.sharpness - mixed.sharpness > 0.5


def test_where_examples_lie_far_apart_a_question_may_be_far_from_them() -> None:
    near, far = (Calibration.of(build_topics(6, spread)) for spread in (0.01, 0.3))
    assert near.familiar_at == pytest.approx(MAX_FAMILIAR_AT)
    assert far.familiar_at == pytest.approx(MIN_FAMILIAR_AT)
    nearest = np.array([0.3], dtype=np.float32)
    assert far.find_familiarity(nearest) > near.find_familiarity(nearest)


def test_a_question_at_the_middle_keeps_half_of_its_confidence_and_a_nearer_one_more() -> None:
    calibration = Calibration(2.0, 0.4)
    middle, nearer = calibration.find_familiarity(np.array([0.4, 0.9], dtype=np.float32))
    assert middle == pytest.approx(0.5)
    assert nearer > 0.99


def test_topics_with_one_example_each_say_nothing() -> None:
    assert Calibration.of(build_topics(1, 0.1)).familiar_at == MAX_FAMILIAR_AT
