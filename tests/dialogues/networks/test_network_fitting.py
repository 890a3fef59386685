"""One training run: honest, repeatable, and able to learn."""

from __future__ import annotations

import random
import sys
from dataclasses import replace

import numpy as np
import pytest

from vivavoce.dialogues.dialogue import rated_views
from vivavoce.dialogues.networks.fitting import (
    ARCHITECTURES,
    Fitted,
    Preset,
    best_seen,
    check_architectures,
    fit_preset,
    measure,
    require_torch,
    split_inner,
)
from vivavoce.dialogues.networks.vocabulary import make_lexicon
from vivavoce.errors import DataError, MissingPartError, UsageError
from vivavoce.text.glove import WordVectors

pytestmark = pytest.mark.slow

NEEDS_TORCH = pytest.mark.usefixtures("torch_is_here")
SHORT = Preset("short", epochs=3, rate=5e-3, batch=16)


def fit_network(architecture, train, test, *, epochs, rate, batch=100, patience=None, decay=False, **options):
    preset = Preset("", epochs, rate, batch, patience, decay)
    return fit_preset(architecture, train, test, preset, **options)


def marks_of(views):
    return np.asarray([view.quality for view in views], dtype=np.float32)


def test_without_torch_the_way_to_get_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingPartError, match=r'pip install "vivavoce\[train\]"'):
        require_torch()


def test_an_unknown_network_is_refused_with_the_nearest_name():
    with pytest.raises(UsageError, match="Did you mean 'bigru'"):
        check_architectures(["gru", "bi-gru"])


def test_the_inner_part_never_shares_a_dialogue_with_the_rest():
    groups = np.repeat(np.arange(30), 2)
    fit, held = split_inner(groups, 0.1, seed=4)
    assert len(held) == 6
    assert not set(groups[fit]) & set(groups[held])
    assert sorted([*fit, *held]) == list(range(60))


def test_the_best_epoch_seen_takes_each_measure_on_its_own():
    marks = np.asarray([1, 2, 3, 4], dtype=np.float32)
    near_but_wrong = np.asarray([2.6, 2.4, 2.6, 2.4], dtype=np.float32)
    right_but_far = np.asarray([11, 12, 13, 14], dtype=np.float32)
    fitted = Fitted("gru", 0, False, 9, 3, (1.0, 2.0), np.stack([near_but_wrong, right_but_far]))
    seen = best_seen(fitted, marks)
    assert seen.pearson == pytest.approx(1)
    assert seen.mse == measure(near_but_wrong, marks).mse
    assert fitted.epoch == 0
    assert fitted.honest.tolist() == near_but_wrong.tolist()


def test_a_constant_prediction_has_no_correlation():
    assert measure(np.full(3, 2.0, dtype=np.float32), np.asarray([1, 2, 3], dtype=np.float32)).pearson == 0


@NEEDS_TORCH
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_network_learns_which_word_makes_a_talk_good(architecture, parts):
    train, test = parts
    fitted = fit_network(architecture, train, test, epochs=10, rate=1e-2, seed=1, batch=16)
    assert measure(fitted.honest, marks_of(test)).pearson > 0.8


@NEEDS_TORCH
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_same_seed_gives_the_same_run_and_another_seed_another(architecture, parts):
    first, again, other = (fit_preset(architecture, *parts, SHORT, seed=seed) for seed in (1, 1, 2))
    assert first.inner_mse == again.inner_mse
    assert np.array_equal(first.predictions, again.predictions)
    assert not np.array_equal(first.predictions, other.predictions)


@NEEDS_TORCH
def test_the_marks_of_the_test_part_are_never_read(parts):
    train, test = parts
    marks = [view.quality for view in test]
    random.Random(0).shuffle(marks)  # noqa: S311 - a fixed order, not a secret
    shuffled = [replace(view, quality=mark) for view, mark in zip(test, marks, strict=True)]
    missing = [replace(view, quality=None) for view in test]
    first, *others = (fit_preset("gru", train, given, SHORT, seed=3) for given in (test, shuffled, missing))
    for other in others:
        assert other.epoch == first.epoch
        assert np.array_equal(other.predictions, first.predictions)


@NEEDS_TORCH
def test_the_shapes_of_a_run_are_those_of_its_rows(parts):
    train, test = parts
    told = []
    fitted = fit_preset("hre", train, test, SHORT, progress=lambda *given: told.append(given))
    assert fitted.predictions.shape == (3, len(test))
    assert fitted.predictions.dtype == np.float32
    assert len(fitted.inner_mse) == 3
    assert fitted.rows + fitted.inner_rows == len(train)
    assert told == [("hre", 1, 3), ("hre", 2, 3), ("hre", 3, 3)]


@NEEDS_TORCH
def test_a_run_stops_when_the_inner_part_has_not_improved_for_long(parts):
    fitted = fit_preset("gru", *parts, replace(SHORT, epochs=40, rate=0.5, patience=2), seed=1)
    epochs = len(fitted.inner_mse)
    assert epochs < 40
    assert epochs == fitted.epoch + 1 + 2


@NEEDS_TORCH
def test_given_vectors_are_not_changed(talks, parts):
    words = sorted(make_lexicon(talks).words)
    drawn = np.random.default_rng(0).normal(0, 0.4, (len(words), 100)).astype(np.float32)
    lexicon = make_lexicon(talks, WordVectors({word: row for row, word in enumerate(words)}, drawn))
    before = lexicon.vectors.copy()
    fitted = fit_preset("hre", *parts, SHORT, lexicon=lexicon)
    assert fitted.glove
    assert np.array_equal(lexicon.vectors, before)


@NEEDS_TORCH
def test_the_number_of_threads_is_put_back(parts):
    import torch

    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        fit_preset("hre", *parts, replace(SHORT, epochs=1), threads=1)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


@NEEDS_TORCH
def test_a_dialogue_on_both_sides_is_refused(parts):
    train, _ = parts
    with pytest.raises(UsageError, match="in both the training and the test rows"):
        fit_preset("gru", train, train[:1], SHORT)


@NEEDS_TORCH
def test_views_without_a_mark_cannot_be_learnt_from_and_are_all_named(parts):
    train, test = parts
    unmarked = [replace(view, quality=None) for view in train[:2]]
    with pytest.raises(DataError) as caught:
        fit_preset("gru", [*unmarked, *train[2:]], test, SHORT)
    assert all(view.dialogue.id in str(caught.value) for view in unmarked)


@NEEDS_TORCH
@pytest.mark.parametrize("wrong", [{"epochs": 0}, {"rate": 0.0}, {"batch": 0}])
def test_numbers_that_cannot_train_are_refused(parts, wrong):
    with pytest.raises(UsageError, match="cannot train with"):
        fit_preset("gru", *parts, replace(SHORT, **wrong))


@NEEDS_TORCH
def test_an_epoch_shows_every_row_once(talks):
    from vivavoce.dialogues.networks.fitting import batches
    from vivavoce.dialogues.networks.vocabulary import encode

    material = encode(list(rated_views(talks)), make_lexicon(talks))
    rows = np.arange(len(material))
    made = list(batches(material, rows, 16, np.random.default_rng(0)))
    assert sorted(np.concatenate(made).tolist()) == rows.tolist()
    assert max(map(len, made)) == 16
