"""Two raters on the same talks: who follows people better, and whether that is sure."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from vivavoce.dialogues import (
    Dialogue,
    DialoguesResult,
    Rating,
    Score,
    Utterance,
    compare_raters,
    examine_dialogues,
)
from vivavoce.dialogues.json_form import to_json
from vivavoce.errors import UsageError


class ByFunction:
    """A rater that is a function of the place of a talk."""

    origin = None

    def __init__(self, name: str, rate: Callable[[int], float | None]) -> None:
        self.name, self._rate = name, rate

    def rate(self, dialogues: list[Dialogue]) -> list[Score]:
        values = [self._rate(int(dialogue.id)) for dialogue in dialogues]
        return [
            Score(one.id, value, refusal="" if value is not None else "no")
            for one, value in zip(dialogues, values, strict=True)
        ]


def talks(count: int = 60, people: int = 0) -> list[Dialogue]:
    draw = random.Random(1)  # noqa: S311 - marks, not secrets
    return [
        Dialogue(
            str(number),
            tuple(Utterance("AB"[n % 2], "hello there", number >= people and n % 2 == 1) for n in range(6)),
            (Rating("A", draw.uniform(1, 5)),),
        )
        for number in range(count)
    ]


def examined(dialogues: list[Dialogue], name: str, rate: Callable[[int], float | None]) -> DialoguesResult:
    return examine_dialogues(dialogues, ByFunction(name, rate))


def marks_of(dialogues: list[Dialogue]) -> Callable[[int], float | None]:
    return lambda place: dialogues[place].quality


def noise(place: int) -> float:
    return random.Random(place).uniform(1, 5)  # noqa: S311 - marks, not secrets


def test_the_rater_that_knows_the_marks_is_surely_better_in_every_measure() -> None:
    log = talks()
    (found,) = compare_raters([examined(log, "knowing", marks_of(log)), examined(log, "guessing", noise)])
    assert (found.first, found.second, found.kind, found.n) == ("knowing", "guessing", "overall", 60)
    for test in (found.pearson, found.spearman, found.mse):
        assert test.low is not None
        assert test.low > 0


def test_turning_the_raters_round_turns_the_differences_round() -> None:
    log = talks()
    results = [examined(log, "knowing", marks_of(log)), examined(log, "guessing", noise)]
    (there,), (back,) = compare_raters(results), compare_raters(results[::-1])
    for name in ("pearson", "spearman", "mse"):
        assert getattr(there, name).difference == pytest.approx(-getattr(back, name).difference)


def test_a_rater_does_not_differ_from_itself() -> None:
    log = talks()
    (found,) = compare_raters([examined(log, "one", noise), examined(log, "same", noise)])
    assert found.pearson.difference == found.mse.difference == 0


def test_only_talks_that_both_scored_are_counted() -> None:
    log = talks()
    half = examined(log, "half", lambda place: noise(place) if place % 2 else None)
    (found,) = compare_raters([half, examined(log, "all", noise)])
    assert found.n == 30


def test_kinds_of_talks_are_compared_by_themselves_and_every_pair_is() -> None:
    log = talks(people=20)
    results = [examined(log, name, noise) for name in ("a", "b", "c")]
    found = compare_raters(results)
    assert [(one.first, one.second) for one in found[::3]] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [(one.kind, one.n) for one in found[:3]] == [("overall", 60), ("human-bot", 40), ("human-human", 20)]


def test_nothing_in_common_is_no_difference_of_zero() -> None:
    log = talks(4)
    results = [
        examined(log, "even", lambda place: None if place % 2 else 3.0),
        examined(log, "odd", lambda place: 3.0 if place % 2 else None),
    ]
    (found,) = compare_raters(results)
    assert (found.n, found.pearson.difference, found.mse.difference) == (0, None, None)
    assert to_json(found)["pearson"]["difference"] is None


def test_results_of_different_logs_are_refused() -> None:
    with pytest.raises(UsageError, match="same dialogues"):
        compare_raters([examined(talks(10), "a", noise), examined(talks(11), "b", noise)])


def test_one_rater_alone_has_nothing_to_be_compared_with() -> None:
    assert compare_raters([examined(talks(10), "a", noise)]) == ()
