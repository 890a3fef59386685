"""The shipped model beside people's marks on talks that it never learned from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from vivavoce.dialogues.corpus.preprocessing import prepare
from vivavoce.dialogues.corpus.published import read_convai2017, read_fed
from vivavoce.dialogues.dialogue import Dialogue, Kind, View, judge_of, rated_views
from vivavoce.dialogues.model.weights import SHIPPED, load_weights

pytestmark = [pytest.mark.shared, pytest.mark.slow]


def test_talks_with_bots_of_a_later_time_are_scored_as_people_marked_them(shared: Path) -> None:
    autumn = [one for one in prepare(read_convai2017(shared / "data")).kept if one.source != "july2017"]
    views = list(rated_views(one for one in autumn if one.kind is Kind.HUMAN_BOT))
    scores = load_weights(SHIPPED).predict(views)
    assert len(views) > 500
    assert np.corrcoef(scores, [view.quality for view in views])[0, 1] > 0.40


def test_talks_of_another_collection_are_ordered_as_people_order_them(shared: Path) -> None:
    marked: list[Dialogue] = [one for one in read_fed(shared / "data") if one.quality is not None]
    scores = load_weights(SHIPPED).predict([View(one, judge_of(one)) for one in marked])
    assert len(marked) == 125
    assert spearmanr(scores, [one.quality for one in marked]).statistic > 0.55
