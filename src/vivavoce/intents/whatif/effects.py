"""What edits do to the answers: differences with intervals, and the questions that change.

Both sides answer the same questions in the same rounds, so a difference rests on the questions that change alone. Its
interval is that over other examples of the same topics, widened for other training sets, as between two classifiers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vivavoce.intents.influences import share_parts
from vivavoce.intents.intervals import linearise_share
from vivavoce.intents.measures import Items
from vivavoce.intents.record import UnitResult
from vivavoce.intents.splits import Flags, Rows
from vivavoce.intents.whatif.coding import EditedMaterial
from vivavoce.outcomes import Outcome, outcome_places
from vivavoce.statistics import stratified_variance, student

NUMBERS = ("accuracy", "automation_rate", "precision_answered")
CONFIDENCE = 0.9
# The variance of an effect over data sets as a multiple of what the test items of one data set show; measured by
# benchmarks/whatif.py.
TRAINING_OF_EDIT = 1.3
_OUTCOMES = tuple(Outcome)
_GOOD = [_OUTCOMES.index(good) for good in (Outcome.RIGHT, Outcome.DECLINED, Outcome.DECLINED_NO_GUESS)]


@dataclass(frozen=True, slots=True)
class Effect:
    """What edits do to a number: the difference with its 90 % interval, and both values. `n`: questions behind it.

    All are None where nothing was there to count, and the ends where one question alone says nothing.
    """

    difference: float | None
    low: float | None
    high: float | None
    before: float | None
    after: float | None
    n: int


@dataclass(frozen=True, slots=True)
class ChangedQuestion:
    """A question that one side usually gets right and the other does not, as in the first round where they differ."""

    row: int
    text: str
    intent_before: str | None
    intent: str | None
    guess_before: str | None
    guess: str | None
    before: Outcome
    after: Outcome


@dataclass(frozen=True, eq=False)
class Round:
    """The questions of one round, and what became of them before and after."""

    test: Rows
    before: Items
    after: Items


def pair_rounds(
    before: Sequence[UnitResult], after: Sequence[UnitResult], edited: EditedMaterial, *, later: bool = False
) -> list[Round]:
    """Put both sides of each round side by side.

    `later`: judge the answers before by what has become of their topics. A question is left out of a round in which
    the edit leaves nothing of its topic to train on.
    """
    rounds, labels = [], edited.material.labels
    theirs = {result.key.retry: result for result in after}
    for old in before:
        new = theirs.get(old.key.retry)
        if new is None:
            continue
        counted = (labels[old.test] < 0) | np.isin(labels[old.test], _trained_topics(old.test, labels))
        test, guess = old.test[counted], old.answers.guess[counted]
        truth = edited.judged[test]
        if later and edited.later is not None:
            truth, guess = labels[test], np.where(guess >= 0, edited.later[guess], guess)
        rounds.append(
            Round(
                test,
                Items(np.maximum(truth, -1), guess, old.answers.confidence[counted]),
                Items(labels[test], new.answers.guess[counted], new.answers.confidence[counted]),
            )
        )
    return rounds


def _trained_topics(test: Rows, labels: Rows) -> Rows:
    others = np.ones(len(labels), dtype=bool)
    others[test] = False
    return np.unique(labels[others])


def measure_effects(
    rounds: Sequence[Round], edited: EditedMaterial, threshold: float, among: Flags | None = None
) -> Mapping[str, Effect]:
    """Return the effect on each number, of all questions or of those of some rows."""
    sides: list[list[Mapping[str, tuple[np.ndarray, np.ndarray]]]] = [
        [share_parts(items, threshold) for items in side]
        for side in ([r.before for r in rounds], [r.after for r in rounds])
    ]
    tests = [each.test for each in rounds]
    if among is not None:
        keep = [among[test] for test in tests]
        tests = [test[kept] for test, kept in zip(tests, keep, strict=True)]
        sides = [
            [
                {name: (hit[kept], n[kept]) for name, (hit, n) in parts.items()}
                for parts, kept in zip(side, keep, strict=True)
            ]
            for side in sides
        ]
    return {name: _measure(name, tests, sides, edited) for name in NUMBERS}


def _measure(
    name: str,
    tests: Sequence[Rows],
    sides: Sequence[Sequence[Mapping[str, tuple[np.ndarray, np.ndarray]]]],
    edited: EditedMaterial,
) -> Effect:
    both = [(test, old[name], new[name]) for test, old, new in zip(tests, *sides, strict=True)]
    # A round in which one side answers nothing has no precision.
    both = [(test, old, new) for test, old, new in both if old[1].sum() and new[1].sum()]
    if not both:
        return Effect(None, None, None, None, None, 0)
    rows, size = [test for test, _, _ in both], len(edited.before)
    before, after = (
        linearise_share(rows, parts, [float(hit.sum() / n.sum()) for hit, n in parts], size)
        for parts in ([old for _, old, _ in both], [new for _, _, new in both])
    )
    was, becomes = before.value or 0.0, after.value or 0.0
    difference, part = becomes - was, before.part | after.part
    groups = edited.material.groups
    units, n = len(np.unique(groups[part])), int(part.sum())
    if all(np.array_equal(old, new) for _, *pair in both for old, new in zip(*pair, strict=True)):
        return Effect(0.0, 0.0, 0.0, was, was, n)
    if units < 2:
        return Effect(difference, None, None, was, becomes, n)
    tested = before.tested
    moved = (after.rows - before.rows)[tested]
    variance, freedom, _ = stratified_variance(moved, groups[tested], edited.before[tested])
    # As if one more question differed: where few do, their spread says little.
    half = student(freedom, CONFIDENCE) * math.sqrt(TRAINING_OF_EDIT * variance + 1 / units**2)
    low, high = max(-1.0, difference - half), min(1.0, difference + half)
    return Effect(difference, low, high, was, becomes, n)


def list_changes(
    rounds: Sequence[Round], edited: EditedMaterial, base_topics: Sequence[str], threshold: float
) -> tuple[tuple[ChangedQuestion, ...], tuple[ChangedQuestion, ...]]:
    """Return the questions that would become right and those that would break, in the order of their rows."""
    size = len(edited.before)
    times, counts = np.zeros(size), np.zeros((2, size))
    outcomes = [
        [outcome_places(i.truth, i.guess, i.confidence, threshold) for i in (r.before, r.after)] for r in rounds
    ]
    for each, sides in zip(rounds, outcomes, strict=True):
        times[each.test] += 1
        for count, places in zip(counts, sides, strict=True):
            count[each.test] += np.isin(places, _GOOD)
    usually = counts > times / 2
    lists = []
    for wanted in (usually[1] & ~usually[0], usually[0] & ~usually[1]):
        lists.append(
            tuple(_describe(row, rounds, outcomes, edited, base_topics) for row in np.flatnonzero(wanted).tolist())
        )
    return lists[0], lists[1]


def _describe(
    row: int,
    rounds: Sequence[Round],
    outcomes: Sequence[Sequence[Rows]],
    edited: EditedMaterial,
    base_topics: Sequence[str],
) -> ChangedQuestion:
    material = edited.material
    met = [
        (each, sides, int(np.flatnonzero(each.test == row)[0]))
        for each, sides in zip(rounds, outcomes, strict=True)
        if row in each.test
    ]
    each, (old, new), place = next(
        ((e, s, p) for e, s, p in met if np.isin(s[0][p], _GOOD) != np.isin(s[1][p], _GOOD)), met[0]
    )
    return ChangedQuestion(
        material.data.number(int(row)),
        material.data.texts[row],
        _name(base_topics, int(edited.before[row])),
        material.data.intents[row],
        _name(base_topics, int(each.before.guess[place])),
        material.name(int(each.after.guess[place])),
        _OUTCOMES[int(old[place])],
        _OUTCOMES[int(new[place])],
    )


def _name(topics: Sequence[str], code: int) -> str | None:
    return topics[code] if 0 <= code < len(topics) else None
