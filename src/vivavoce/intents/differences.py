"""Which of two engines is better: statistics of two records of the same splits, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from vivavoce.errors import WorkError
from vivavoce.intents.findings import SettingFindings
from vivavoce.intents.influences import Floats
from vivavoce.intents.intervals import Influence, influences_on, variance_over_items
from vivavoce.intents.material import Material
from vivavoce.intents.record import NO_GUESS_CODE, ExamRecord, UnitResult
from vivavoce.intents.splits import Flags, Rows, Setting
from vivavoce.outcomes import Outcome, outcome_places
from vivavoce.statistics import PairedTest, holm, items_to_decide, mcnemar_exact, student, student_p

ALPHA = 0.05
# The variance of a difference over data sets as a multiple of what the test items of one data set show: both engines
# are trained on the same examples, so most of what a training set does to one it does to the other.
TRAINING_OF_GAP = 1.3
SHOWN = 10
_GOOD = [list(Outcome).index(one) for one in (Outcome.RIGHT, Outcome.DECLINED, Outcome.DECLINED_NO_GUESS)]
_UNTESTED = PairedTest(None, None, None, None)


class Verdict(StrEnum):
    """What may be said of the first engine against the second."""

    BETTER = "better"
    WORSE = "worse"
    CLOSE = "too close to call"


@dataclass(frozen=True, eq=False)
class Examined:
    """One engine after its exam. `findings` has each setting that was run; equal settings are run once."""

    name: str
    run: ExamRecord
    findings: Mapping[Setting, SettingFindings]


@dataclass(frozen=True, slots=True)
class Gap:
    """Accuracy of one engine minus that of another on the same splits.

    `improved` counts the examples that the first engine gets right in more than half of their tests and the
    second does not; `broken` is the reverse; `mcnemar` is the exact test of the two. `p` and the interval rest on the
    same standard error, that over other examples of the same topics; `p_adjusted` holds for all pairs of the
    comparison together and decides the verdict. `untested`: examples that no retry tested.
    """

    test: PairedTest
    p: float | None
    p_adjusted: float | None
    verdict: Verdict
    more_examples: int | None
    improved: int
    broken: int
    mcnemar: float
    freedom: int | None = None
    untested: int = 0


@dataclass(frozen=True, slots=True)
class Differing:
    """An example that one of the two engines usually gets right and the other does not."""

    text: str
    row: int
    intent: str | None
    guess_a: str | None
    guess_b: str | None
    right: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Two engines side by side: over all settings together, in each, and over all thresholds (AURC)."""

    a: str
    b: str
    pooled: Gap
    settings: tuple[tuple[Setting, Gap], ...]
    aurc: PairedTest
    samples: tuple[Differing, ...]


def differences_of(
    engines: Sequence[Examined], material: Material, *, threshold: float, seed: int
) -> tuple[Difference, ...]:
    """Compare every pair of engines; verdicts are adjusted for the number of pairs (Holm)."""
    pairs = [(a, b) for place, a in enumerate(engines) for b in engines[place + 1 :]]
    raw = [_difference(a, b, material, threshold, seed) for a, b in pairs]
    pooled = _decided([one.pooled for one in raw], len(material))
    families = {setting: _family(raw, setting, len(material)) for one in raw for setting, _ in one.settings}
    return tuple(
        replace(
            one,
            pooled=pooled[place],
            settings=tuple((setting, families[setting][place]) for setting, _ in one.settings),
        )
        for place, one in enumerate(raw)
    )


def _family(raw: Sequence[Difference], setting: Setting, examples: int) -> dict[int, Gap]:
    """Decide all pairs in one setting; an engine that failed there is in none."""
    found = {place: dict(one.settings)[setting] for place, one in enumerate(raw) if setting in dict(one.settings)}
    return dict(zip(found, _decided(list(found.values()), examples), strict=True))


# --- one pair ----------------------------------------------------------------------------------------------


def _difference(a: Examined, b: Examined, material: Material, threshold: float, seed: int) -> Difference:
    settings = [setting for setting in a.findings if setting in b.findings]
    views = {setting: _Views.of(a, b, setting, material, threshold) for setting in settings}
    moves = {setting: _moves(a, b, setting, material, threshold) for setting in settings}
    gaps = tuple(
        (s, _gap(_tested(a, b, {s: moves[s]}, "accuracy", material), view, int(view.differing.sum())))
        for s, view in views.items()
    )
    differing = np.any([view.differing for view in views.values()], axis=0).sum() if views else 0
    # Examples are counted at (0, 0) where it was run: only there each is tested as what it is.
    first = views.get(Setting()) or next(iter(views.values()), _Views.empty())
    return Difference(
        a=a.name,
        b=b.name,
        pooled=_gap(_tested(a, b, moves, "accuracy", material), first, int(differing)),
        settings=gaps,
        aurc=_tested(a, b, moves, "aurc", material).test,
        samples=_samples(a, b, first, material, seed),
    )


@dataclass(frozen=True, slots=True)
class _Tested:
    """A difference with its test, the freedom of its standard error, and how many examples no retry tested."""

    test: PairedTest
    freedom: int | None = None
    untested: int = 0


def _gap(tested: _Tested, view: _Views, differing: int) -> Gap:
    improved, broken = int((view.a & ~view.b).sum()), int((view.b & ~view.a).sum())
    # If the engines were alike, each example that differs would be a fair coin: few of them cannot show more.
    least = min(1.0, 2 * 0.5**differing)
    return Gap(
        test=tested.test,
        p=None if tested.test.p is None else max(tested.test.p, least),
        p_adjusted=None,
        verdict=Verdict.CLOSE,
        more_examples=None,
        improved=improved,
        broken=broken,
        mcnemar=mcnemar_exact(improved, broken),
        freedom=tested.freedom,
        untested=tested.untested,
    )


Moves = tuple[Mapping[str, Influence], Mapping[str, Influence]]


def _moves(a: Examined, b: Examined, setting: Setting, material: Material, threshold: float) -> Moves | None:
    """Return how each example moves each number of both engines, over the retries that both finished."""
    pairs = _paired(a, b, setting)
    if not pairs:
        return None
    retries = {ours.key.retry for ours, _ in pairs}
    values = [
        [
            numbers
            for result, numbers in zip(one.run.of(setting), one.findings[setting].per_retry, strict=True)
            if result.key.retry in retries
        ]
        for one in (a, b)
    ]
    ours, theirs = (
        influences_on([pair[side] for pair in pairs], values[side], material, threshold) for side in (0, 1)
    )
    return ours, theirs


def _tested(
    a: Examined, b: Examined, moves: Mapping[Setting, Moves | None], name: str, material: Material
) -> _Tested:
    """Test the mean difference over retries; of several settings, each retry gives their mean."""
    scores = [_scores(a, b, setting, name) for setting in moves]
    retries = sorted(set().union(*scores))
    if not retries:
        return _Tested(_UNTESTED)
    means = [np.mean([column[retry] for column in scores if retry in column]) for retry in retries]
    return _test(float(np.mean(means)), [each for each in moves.values() if each], name, material)


def _test(difference: float, moves: Sequence[Moves], name: str, material: Material) -> _Tested:
    rows = np.mean([ours[name].rows - theirs[name].rows for ours, theirs in moves], axis=0)
    tested = np.any([ours[name].tested for ours, _ in moves], axis=0)
    groups, untested = len(np.unique(material.groups[tested])), _untested(tested, material)
    if groups < 2:
        return _Tested(PairedTest(difference, None, None, None), untested=untested)
    variance, freedom, _ = variance_over_items(rows, tested, material)
    # As if one more example differed: where few do, or none, their spread says little.
    error = math.sqrt(TRAINING_OF_GAP * variance + 1 / groups**2)
    half = student(freedom) * error
    p = student_p(difference / error, freedom)
    return _Tested(PairedTest(difference, difference - half, difference + half, p, error), freedom, untested)


def _untested(tested: Flags, material: Material) -> int:
    """Count the examples of tested topics that no retry tested; those that contradict another never are."""
    open_rows = ~tested & np.isin(material.labels, material.labels[tested])
    open_rows[material.contradictory] = False
    return int(open_rows.sum())


def _scores(a: Examined, b: Examined, setting: Setting, name: str) -> dict[int, float]:
    """Return the difference in each retry that both finished."""
    ours, theirs = (
        dict(zip((r.key.retry for r in one.run.of(setting)), one.findings[setting].per_retry, strict=True))
        for one in (a, b)
    )
    found: dict[int, float] = {}
    for result, _ in _paired(a, b, setting):
        retry = result.key.retry
        x, y = ours[retry][name], theirs[retry][name]
        if x is not None and y is not None:
            found[retry] = x - y
    return found


def _paired(a: Examined, b: Examined, setting: Setting) -> list[tuple[UnitResult, UnitResult]]:
    """Return the retries that both finished, and make sure that they are the same splits."""
    others = {result.key.retry: result for result in b.run.of(setting)}
    pairs = [(ours, others[ours.key.retry]) for ours in a.run.of(setting) if ours.key.retry in others]
    for ours, theirs in pairs:
        same = np.array_equal(ours.test, theirs.test) and np.array_equal(ours.negative, theirs.negative)
        if not same or ours.n_train != theirs.n_train:
            raise WorkError(
                f"'{a.name}' and '{b.name}' were tested on different rows in {ours.key}",
                remedy="give an empty folder for the records: these were made by another version",
            )
    return pairs


@dataclass(frozen=True, eq=False)
class _Views:
    """For each example of one setting: whether each engine usually is right, and what it guessed first.

    `differing`: whether the two are not right equally often.
    """

    a: Flags
    b: Flags
    guess_a: Rows
    guess_b: Rows
    differing: Flags

    @classmethod
    def of(cls, a: Examined, b: Examined, setting: Setting, material: Material, threshold: float) -> _Views:
        pairs = _paired(a, b, setting)
        (good_a, times, guess_a), (good_b, _, guess_b) = (
            _count_good([pair[side] for pair in pairs], material, threshold) for side in (0, 1)
        )
        return cls(good_a > times / 2, good_b > times / 2, guess_a, guess_b, good_a != good_b)

    @classmethod
    def empty(cls) -> _Views:
        nothing, none = np.zeros(0, dtype=bool), np.zeros(0, dtype=np.intp)
        return cls(nothing, nothing, none, none, nothing)


def _count_good(results: Sequence[UnitResult], material: Material, threshold: float) -> tuple[Floats, Floats, Rows]:
    """Return for each example how often the decision was right, how often it was tested, and the first guess."""
    good, times = np.zeros(len(material)), np.zeros(len(material))
    guess = np.full(len(material), NO_GUESS_CODE, dtype=np.intp)
    for result in reversed(results):
        answers = result.answers
        truth = np.where(result.negative, -1, material.labels[result.test])
        good[result.test] += np.isin(outcome_places(truth, answers.guess, answers.confidence, threshold), _GOOD)
        times[result.test] += 1
        guess[result.test] = answers.guess
    return good, times, guess


def _samples(a: Examined, b: Examined, view: _Views, material: Material, seed: int) -> tuple[Differing, ...]:
    rows = np.random.default_rng([seed, 2]).permutation(np.flatnonzero(view.a != view.b))[:SHOWN]
    return tuple(_differing(int(row), a, b, view, material) for row in np.sort(rows))


def _differing(row: int, a: Examined, b: Examined, view: _Views, material: Material) -> Differing:
    example = material.data.examples[row]
    return Differing(
        text=example.text,
        row=row if example.row is None else example.row,
        intent=example.intent,
        guess_a=material.name(int(view.guess_a[row])),
        guess_b=material.name(int(view.guess_b[row])),
        right=a.name if view.a[row] else b.name,
    )


# --- all pairs ---------------------------------------------------------------------------------------------


def _decided(gaps: Sequence[Gap], examples: int) -> list[Gap]:
    """Adjust the p values of one family of comparisons and put the verdicts."""
    known = [place for place, gap in enumerate(gaps) if gap.p is not None]
    adjusted = dict(zip(known, holm([float(gaps[place].p or 0.0) for place in known]), strict=True))
    return [_verdict(gap, adjusted.get(place), len(known), examples) for place, gap in enumerate(gaps)]


def _verdict(gap: Gap, p: float | None, pairs: int, examples: int) -> Gap:
    difference = gap.test.difference
    if p is None or difference is None or not difference or p >= ALPHA:
        return replace(gap, p_adjusted=p, more_examples=_more(gap, pairs, examples))
    verdict = Verdict.BETTER if difference > 0 else Verdict.WORSE
    return replace(gap, p_adjusted=p, verdict=verdict, more_examples=0)


def _more(gap: Gap, pairs: int, examples: int) -> int | None:
    """Return about how many more examples would decide; None where no number of them is known to.

    With the standard error of the verdict. As long as some examples were never tested, more retries come first.
    """
    test = gap.test
    if not test.difference or test.standard_error is None or gap.untested:
        return None
    confidence = 1 - ALPHA / max(1, pairs)
    more = items_to_decide(test.difference, test.standard_error, examples, freedom=gap.freedom, confidence=confidence)
    return None if more is None else max(1, more)
