"""Faults are planted in copies of the data, and counted when they are found."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce import demo
from vivavoce.errors import UsageError
from vivavoce.intents.exam import as_dataset
from vivavoce.intents.selftest import (
    MAX_PLANTED,
    MAX_SHARE,
    PlantKind,
    cut_topics,
    flip_labels,
    run_selftest,
    withhold_topics,
)
from vivavoce.records import Dataset

SIZES = st.lists(st.integers(1, 15), min_size=3, max_size=12)


def make_data(sizes: list[int]) -> Dataset:
    rows = [(f"question {topic} {n}", f"topic {topic}") for topic, size in enumerate(sizes) for n in range(size)]
    return as_dataset(([text for text, _ in rows], [topic for _, topic in rows]))


@given(SIZES, st.integers(0, 5))
def test_cut_topics_keep_their_examples_and_halves_of_at_least_four(sizes: list[int], seed: int) -> None:
    data = make_data(sizes)
    cut, halves = cut_topics(data, np.random.default_rng(seed))
    assert cut.texts == data.texts
    assert len(halves) <= min(MAX_PLANTED, max(1, int(MAX_SHARE * len(sizes))))
    for half in halves:
        first, second = sorted(half)
        assert min(cut.sizes[first], cut.sizes[second]) >= 4
        assert cut.sizes[first] + cut.sizes[second] == data.sizes[first]


@given(SIZES, st.integers(0, 5))
def test_flipped_labels_are_wrong_and_all_others_stay(sizes: list[int], seed: int) -> None:
    data = make_data(sizes)
    flipped, rows = flip_labels(data, np.random.default_rng(seed))
    changed = {data.number(n) for n in range(len(data)) if data.intents[n] != flipped.intents[n]}
    assert changed == rows


@given(SIZES, st.integers(0, 5))
def test_withheld_topics_are_out_of_scope_and_two_are_left(sizes: list[int], seed: int) -> None:
    data = make_data(sizes)
    withheld, topics = withhold_topics(data, np.random.default_rng(seed))
    assert not set(topics) & set(withheld.sizes)
    assert len(withheld.sizes) >= 2
    assert sum(intent is None for intent in withheld.intents) == sum(data.sizes[topic] for topic in topics)


@pytest.mark.slow
def test_what_is_found_is_counted_and_the_same_seed_finds_the_same() -> None:
    data = demo.load("recruiting-en")
    first, again = (run_selftest(data, "tfidf", rounds=2, seed=3) for _ in range(2))
    assert first == again
    assert [plant.kind for plant in first.plants] == list(PlantKind)
    assert first.to_json()["kind"] == "intents-selftest"
    labels = first.plants[1].found
    assert labels.n == round(0.03 * len(data))
    assert labels.low is not None
    assert labels.value is not None
    assert 0 < labels.low < labels.value < 1
    assert first.level is None or all(overlap >= first.level for *_, overlap in first.alike)
    assert replace(first, seed=4) != first


def test_data_that_are_too_small_are_refused() -> None:
    with pytest.raises(UsageError, match="too small"):
        run_selftest((["a", "b"], ["x", "y"]), "tfidf")


def test_the_same_seed_cuts_the_same_examples_in_every_process() -> None:
    code = (
        "import numpy as np; from vivavoce import demo; from vivavoce.intents.selftest import cut_topics; "
        "print(cut_topics(demo.load('recruiting-en'), np.random.default_rng(5))[0].intents)"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in "012"
    }
    assert len(outputs) == 1
