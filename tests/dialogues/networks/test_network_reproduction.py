"""The published tables beside ours."""

from __future__ import annotations

import pytest

from vivavoce.dialogues.networks.fitting import ARCHITECTURES, QUICK
from vivavoce.dialogues.networks.reproduction import PUBLISHED, reproduce
from vivavoce.errors import DataError

pytestmark = [pytest.mark.usefixtures("torch_is_here"), pytest.mark.slow]


def test_a_quick_look_has_one_row_for_each_network_beside_the_published_values(talks):
    told = []
    found = reproduce(talks, preset=QUICK, seeds=(5,), progress=lambda *given: told.append(given))
    assert [row.architecture for row in found.rows] == list(ARCHITECTURES)
    assert [row.published for row in found.rows] == [PUBLISHED[name] for name in ARCHITECTURES]
    assert (found.dialogues, found.views, found.glove) == (80, 96, False)
    assert all(row.best.pearson.sd is None for row in found.rows)
    assert told[-1] == ("hre", 6, 6)
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)


def test_the_best_epoch_seen_is_never_worse_than_the_honest_one(talks):
    found = reproduce(talks, preset=QUICK, seeds=(5, 7), architectures=("hre",))
    row = found.rows[0]
    assert row.best.mse.mean <= row.honest.mse.mean
    assert row.best.pearson.mean >= row.honest.pearson.mean
    assert row.best.spearman.mean >= row.honest.spearman.mean
    assert row.best.pearson.sd is not None


def test_two_processes_find_the_same_as_one(talks):
    given = {"preset": QUICK, "seeds": (5, 7), "architectures": ("gru",)}
    assert reproduce(talks, **given) == reproduce(talks, **given, workers=2)


def test_without_rated_dialogues_there_is_nothing_to_reproduce():
    with pytest.raises(DataError, match="nothing to train on"):
        reproduce([])
