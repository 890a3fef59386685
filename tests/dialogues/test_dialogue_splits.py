"""Splits never put one group on both sides."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from vivavoce.dialogues.corpus.preprocessing import prepare, rows
from vivavoce.dialogues.corpus.published import read_convai2017
from vivavoce.dialogues.dialogue import Dialogue, Rating, Utterance, View, rated_views
from vivavoce.dialogues.splits import (
    by_bot,
    by_dialogue,
    check_groups,
    fixed_splits,
    grouped_folds,
    language_clusters,
)
from vivavoce.errors import UsageError

groups_ = st.lists(st.integers(0, 12), min_size=2, max_size=60)


def sides(groups: list[int], rows: np.ndarray) -> set[int]:
    return {groups[row] for row in rows}


@given(groups_, st.integers(2, 6), st.integers(0, 5))
def test_folds_part_all_rows_and_no_group(groups: list[int], folds: int, seed: int) -> None:
    assume(len(set(groups)) >= folds)
    splits = grouped_folds(groups, folds, seed)
    assert len(splits) == folds
    assert sorted(row for _, test in splits for row in test) == list(range(len(groups)))
    for train, test in splits:
        assert len(test)
        assert sorted([*train, *test]) == list(range(len(groups)))
        assert not sides(groups, train) & sides(groups, test)


@given(groups_, st.integers(2, 6), st.integers(0, 5))
def test_folds_are_balanced_up_to_the_largest_group(groups: list[int], folds: int, seed: int) -> None:
    assume(len(set(groups)) >= folds)
    sizes = [len(test) for _, test in grouped_folds(groups, folds, seed)]
    assert max(sizes) - min(sizes) <= max(Counter(groups).values())


def test_the_seed_alone_decides() -> None:
    groups = [row // 2 for row in range(200)]
    first, again, other = (grouped_folds(groups, 5, seed) for seed in (1, 1, 2))
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a[1], b[1]) for a, b in zip(first, other, strict=True))


@given(groups_, st.floats(0.05, 0.9))
def test_fixed_splits_set_apart_whole_groups_of_about_the_share(groups: list[int], share: float) -> None:
    assume(len(set(groups)) >= 2)
    splits = fixed_splits(groups, share)
    assert len(splits) == 5
    for train, test in splits:
        assert len(train)
        assert len(test)
        assert not sides(groups, train) & sides(groups, test)
        assert len(test) <= share * len(groups) + max(Counter(groups).values())


def test_the_five_fixed_splits_differ_and_hold_a_tenth() -> None:
    tests = [tuple(test) for _, test in fixed_splits(range(1000))]
    assert len(set(tests)) == 5
    assert {len(test) for test in tests} == {100}


def test_what_cannot_be_parted_is_refused() -> None:
    with pytest.raises(UsageError, match="2 groups cannot be split into 3 folds"):
        grouped_folds([1, 1, 2], 3, 0)
    with pytest.raises(UsageError):
        grouped_folds([1, 2], 1, 0)
    with pytest.raises(UsageError):
        fixed_splits([1, 2], share=1.0)


# Groups of views


def view(name: str, peer: str = "hello", *, is_bot: bool = True, **more: str) -> View:
    turns = (Utterance("Ann", "hi", False), Utterance("Max", peer, is_bot))
    return View(Dialogue(name, turns, **more), "Ann", 3.0)  # type: ignore[arg-type]


def test_a_view_belongs_to_its_dialogue_and_bot() -> None:
    views = [view("1", user="u", bot="v1"), view("2", user="u", bot="v2"), view("u"), view("4", is_bot=False)]
    assert by_dialogue(views) == ["1", "2", "u", "4"]
    assert by_bot([*views[:2], views[3]]) == ["v1", "v2", "human"]
    with pytest.raises(UsageError, match="1 view of 4"):
        by_bot(views)


def test_a_split_by_row_is_refused() -> None:
    turns = (Utterance("Ann", "hi", False), Utterance("Max", "hi", False))
    dialogue = Dialogue("both", turns, (Rating("Ann", 1.0), Rating("Max", 5.0)))
    views = [*rated_views([dialogue]), view("other")]
    with pytest.raises(UsageError, match="'both'"):
        check_groups(views, [0, 2], [1])
    check_groups(views, [2], [0, 1])
    for train, test in grouped_folds(by_dialogue(views), 2, 0):
        check_groups(views, train, test)


def test_bots_that_speak_alike_share_a_cluster() -> None:
    parrots = [view(f"p{number}", f"polly wants a cracker {number}") for number in range(6)]
    clerks = [view(f"c{number}", f"your ticket has been booked {number}") for number in range(4)]
    people = [view(f"h{number}", "polly wants a cracker", is_bot=False) for number in range(2)]
    labels = language_clusters([*parrots, *clerks, *people], n=2)
    assert labels == ["bot-01"] * 6 + ["bot-02"] * 4 + ["human"] * 2


def test_all_views_of_a_dialogue_are_in_one_cluster() -> None:
    turns = tuple(Utterance("ab"[place % 2], text, None) for place, text in enumerate(["one", "two", "one", "two"]))
    both = Dialogue("x", turns, (Rating("a", 1.0), Rating("b", 2.0)))
    views = [*rated_views([both]), view("1", "two"), view("2", "one")]
    labels = language_clusters(views, n=3)
    assert labels[0] == labels[1]


@pytest.mark.parametrize("peers", [[], ["", ""], ["hi"], ["hi", "hi"], ["привет", "пока пока"], ["🙂", "🙃"]])
def test_few_odd_or_empty_texts_still_get_a_cluster(peers: list[str]) -> None:
    labels = language_clusters([view(str(place), peer) for place, peer in enumerate(peers)])
    assert len(labels) == len(peers)
    assert len(set(labels)) == len(set(peers))


@pytest.mark.shared
def test_the_public_dialogues_fall_into_twelve_clusters_again_and_again(shared: Path) -> None:
    views = rows(prepare(read_convai2017(shared / "data")))[::3]
    labels = language_clusters(views)
    assert labels == language_clusters(views)
    assert set(labels) == {"human", *(f"bot-{number:02d}" for number in range(1, 13))}
    for train, test in grouped_folds(labels, len(set(labels)), 0):
        check_groups(views, train, test)
