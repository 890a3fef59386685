"""What the tests of the learned model share: planted talks, and one small model that has learned from them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from planted_talks import plant

from vivavoce.dialogues.dialogue import Dialogue, View, rated_views
from vivavoce.dialogues.model import recipe
from vivavoce.dialogues.model.model import Model
from vivavoce.dialogues.model.training import train_model


@pytest.fixture(scope="session")
def few_trees() -> Iterator[None]:
    """Keep forests small while these tests run: they learn often."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recipe, "TREES", 8)
        yield


@pytest.fixture(scope="session")
def planted() -> tuple[Dialogue, ...]:
    return tuple(plant(number) for number in range(160))


@pytest.fixture(scope="session")
def planted_views(planted: tuple[Dialogue, ...]) -> list[View]:
    return list(rated_views(planted))


@pytest.fixture(scope="session")
def small_model(planted: tuple[Dialogue, ...], few_trees: None) -> Model:
    return train_model(planted, learnt_from="planted talks", licence="none")
