"""Learning the parts: what must not be seen is not seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from planted_talks import plant

from vivavoce.dialogues.dialogue import Dialogue, Kind, View, rated_views
from vivavoce.dialogues.model import recipe
from vivavoce.dialogues.model.features import NAMES
from vivavoce.dialogues.model.messages import encode_view
from vivavoce.dialogues.model.model import OUTPUTS
from vivavoce.dialogues.model.recipe import learn_parts
from vivavoce.dialogues.model.training import predict_splits
from vivavoce.dialogues.splits import by_dialogue, check_groups, grouped_folds

pytestmark = [pytest.mark.usefixtures("few_trees"), pytest.mark.slow]


@pytest.fixture(scope="module")
def some(planted_views: list[View]) -> list[View]:
    return planted_views[:60]


def with_thumbs(dialogue: Dialogue, thumb: bool | None) -> Dialogue:
    return replace(dialogue, turns=tuple(replace(turn, thumb=thumb) for turn in dialogue.turns))


def likings(views: list[View]) -> list[np.ndarray]:
    talks = [encode_view(view, {}) for view in views]
    return recipe._predict_thumbs(views, talks, recipe._gather_thumbs(views, talks), 0)


def outputs(views: list[View], seed: int = 0) -> np.ndarray:
    parts = learn_parts(views, seed=seed)
    return parts.predict([parts.read(view) for view in views])


def test_the_same_seed_learns_the_same_and_another_does_not(some: list[View]) -> None:
    assert np.array_equal(outputs(some), outputs(some))
    assert not np.array_equal(outputs(some), outputs(some, seed=1))


def test_what_is_known_of_a_talk_in_learning_does_not_depend_on_its_own_thumbs(some: list[View]) -> None:
    own = some[3].dialogue.id
    before = likings(some)
    turned = [
        replace(view, dialogue=with_thumbs(view.dialogue, False)) if view.dialogue.id == own else view
        for view in some
    ]
    after = likings(turned)
    mine = [row for row, view in enumerate(some) if view.dialogue.id == own]
    assert all(np.array_equal(before[row], after[row]) for row in mine)
    assert not all(np.array_equal(one, other) for one, other in zip(before, after, strict=True))


def test_a_repetition_that_got_thumbs_down_is_liked_less(planted_views: list[View]) -> None:
    found = {True: [], False: []}
    for view, liked in zip(planted_views, likings(planted_views), strict=True):
        for turn, value in zip(view.dialogue.turns, liked, strict=True):
            if turn.thumb is not None:
                found[turn.thumb].append(value)
    assert np.mean(found[True]) > np.mean(found[False])


def test_without_any_thumbs_every_message_is_liked_alike(some: list[View]) -> None:
    views = [replace(view, dialogue=with_thumbs(view.dialogue, None)) for view in some]
    parts = learn_parts(views)
    talks = [parts.read(view) for view in views]
    assert {float(value) for talk in talks for value in parts.thumbs.predict(talk)} == {0.5}
    assert np.isfinite(parts.predict(talks)).all()


@pytest.mark.parametrize("kind", [Kind.HUMAN_BOT, Kind.HUMAN_HUMAN])
def test_talks_of_one_kind_can_be_learned_from(planted_views: list[View], kind: Kind) -> None:
    found = outputs([view for view in planted_views if view.dialogue.kind is kind][:40])
    assert np.isfinite(found).all()
    assert found[:, OUTPUTS.index("human")] == pytest.approx(float(kind is Kind.HUMAN_HUMAN), abs=1e-6)


def test_a_test_row_is_predicted_without_its_mark_and_its_thumbs(some: list[View]) -> None:
    split = grouped_folds(by_dialogue(some), 4, 0)[0]
    check_groups(some, *split)
    before = predict_splits(some, [split])
    hidden = list(some)
    for row in split[1]:
        view = some[row]
        hidden[row] = replace(view, quality=6 - (view.quality or 0), dialogue=with_thumbs(view.dialogue, True))
    after = predict_splits(hidden, [split])
    assert np.array_equal(before[split[1]], after[split[1]])
    assert np.isnan(before[split[0]]).all()
    assert np.isfinite(before[split[1]]).all()


def test_the_words_of_a_test_row_are_not_learned(some: list[View]) -> None:
    split = grouped_folds(by_dialogue(some), 4, 0)[0]
    strange = list(some)
    for row in split[1]:
        turns = tuple(replace(turn, text="xyzzy " + turn.text) for turn in some[row].dialogue.turns)
        strange[row] = replace(some[row], dialogue=replace(some[row].dialogue, turns=turns))
    parts = learn_parts([strange[row] for row in split[0]])
    assert "music" in parts.words.index
    for terms in (parts.words, parts.thumbs.terms, parts.wording.judge, parts.wording.peer):
        assert "xyzzy" not in terms.index


def test_targets_are_relative_to_the_kind(planted_views: list[View]) -> None:
    targets = recipe._make_targets(planted_views)
    human = targets[:, 1] == 1
    assert targets[human, 0].mean() == pytest.approx(0)
    assert targets[~human, 0].mean() == pytest.approx(0)
    assert human.tolist() == [view.dialogue.kind is Kind.HUMAN_HUMAN for view in planted_views]


def test_a_talk_does_not_vouch_for_its_own_words() -> None:
    texts = [("rare common",), ("rare common",), ("common",), ("common",)]
    views = [
        replace(view, dialogue=replace(view.dialogue, turns=(replace(view.dialogue.turns[0], text=text),)))
        for view, (text,) in zip(rated_views(plant(number) for number in (1, 2, 3, 4)), texts, strict=True)
    ]
    words, seen = recipe._learn_words(views)
    assert set(words.names) == {"rare", "common"}
    assert set(seen) == {"common"}, "seen from inside, one other talk has it, which is too few"
    assert seen["common"] == pytest.approx(1)


def test_the_kernel_and_the_forest_stand_on_the_same_features(some: list[View]) -> None:
    parts = learn_parts(some)
    assert parts.kernel.examples.shape == (len(some), len(NAMES))
    assert parts.scales.values.shape[0] == len(NAMES)
    assert parts.forest.features.max() < len(NAMES)
    assert len(parts.forest.roots) == recipe.TREES
