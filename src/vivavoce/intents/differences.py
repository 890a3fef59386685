"""Which of two engines is better: statistics of two records of the same splits, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from vivavoce.errors import WorkError
from vivavoce.intents.findings import SettingFindings
from vivavoce.intents.intervals import Influence, influences_on, items_of, variance_over_items
from vivavoce.intents.material import Material
from vivavoce.intents.record import NO_GUESS_CODE, ExamRecord
from vivavoce.intents.splits import Flags, Rows, Setting
from vivavoce.outcomes import Outcome, outcome_places
from vivavoce.statistics import PairedTest, holm, items_to_decide, mcnemar_exact, student, student_p

ALPHA = 0.05
# The variance of a difference over data sets as a multiple of what the test items of one data set show: both engines
# are trained on the same examples, so most of what a training set does to one it does to the other.
TRAINING_OF_GAP = 1.3
SHOWN = 10
_GOOD = [list(Outcome).index(good) for good in (Outcome.RIGHT, Outcome.DECLINED, Outcome.DECLINED_NO_GUESS)]


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
    raw = [_compare(a, b, material, threshold, seed) for a, b in pairs]
    # Verdicts are decided in families: over all settings together, and in each setting the pairs that have it.
    pooled = _decide([difference.pooled for difference in raw], len(material))
    gaps = [dict(difference.settings) for difference in raw]
    families: dict[Setting, dict[int, Gap]] = {}
    for setting in dict.fromkeys(setting for settings in gaps for setting in settings):
        places = [place for place, settings in enumerate(gaps) if setting in settings]
        decided = _decide([gaps[place][setting] for place in places], len(material))
        families[setting] = dict(zip(places, decided, strict=True))
    return tuple(
        replace(
            difference,
            pooled=pooled[place],
            settings=tuple((setting, families[setting][place]) for setting, _ in difference.settings),
        )
        for place, difference in enumerate(raw)
    )


# --- one pair ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Shared:
    """What two engines did in the retries of one setting that both finished; first the one, then the other.

    `numbers`: those of each retry. `moves`: how each example moves each number. `good`: whether the engine usually is
    right about each example. `guesses`: its first guess. `differing`: whether the two are not right equally often.
    """

    retries: list[int]
    numbers: list[list[Mapping[str, float | None]]]
    moves: list[Mapping[str, Influence]]
    good: list[Flags]
    guesses: list[Rows]
    differing: Flags


def _compare(a: Examined, b: Examined, material: Material, threshold: float, seed: int) -> Difference:
    shared = {s: _find_shared(a, b, s, material, threshold) for s in a.findings if s in b.findings}
    settings = tuple(
        (s, _build_gap(*_test([both], "accuracy", material), both, both.differing)) for s, both in shared.items()
    )
    every = list(shared.values())
    differing = np.any([both.differing for both in every], axis=0) if every else np.zeros(0, dtype=bool)
    # Examples are counted at (0, 0) where it was run: only there each is tested as what it is.
    first = shared.get(Setting()) or next(iter(every), None)
    return Difference(
        a=a.name,
        b=b.name,
        pooled=_build_gap(*_test(every, "accuracy", material), first, differing),
        settings=settings,
        aurc=_test(every, "aurc", material)[0],
        samples=_draw_samples(a, b, first, material, seed) if first else (),
    )


def _find_shared(a: Examined, b: Examined, setting: Setting, material: Material, threshold: float) -> _Shared:
    theirs = {result.key.retry: result for result in b.run.of(setting)}
    pairs = [(ours, theirs[ours.key.retry]) for ours in a.run.of(setting) if ours.key.retry in theirs]
    for ours, other in pairs:
        same = np.array_equal(ours.test, other.test) and np.array_equal(ours.negative, other.negative)
        if not same or ours.n_train != other.n_train:
            raise WorkError(
                f"'{a.name}' and '{b.name}' were tested on different rows for {ours.key}",
                remedy="use an empty folder for the records: these were created by another version",
            )
    retries = [ours.key.retry for ours, _ in pairs]
    times = np.zeros(len(material))
    for ours, _ in pairs:
        times[ours.test] += 1
    numbers, moves, counts, guesses = [], [], [], []
    for side, engine in enumerate((a, b)):
        results = [pair[side] for pair in pairs]
        tested = [result.key.retry for result in engine.run.of(setting)]
        by_retry = dict(zip(tested, engine.findings[setting].per_retry, strict=True))
        numbers.append([by_retry[retry] for retry in retries])
        moves.append(influences_on(results, numbers[-1], material, threshold) if results else {})
        good, guess = np.zeros(len(material)), np.full(len(material), NO_GUESS_CODE, dtype=np.intp)
        for result in reversed(results):
            items = items_of(result, material)
            good[result.test] += np.isin(outcome_places(items.truth, items.guess, items.confidence, threshold), _GOOD)
            guess[result.test] = items.guess
        counts.append(good)
        guesses.append(guess)
    return _Shared(retries, numbers, moves, [good > times / 2 for good in counts], guesses, counts[0] != counts[1])


def _build_gap(test: PairedTest, freedom: int | None, untested: int, both: _Shared | None, differing: Flags) -> Gap:
    a, b = both.good if both else (differing, differing)
    improved, broken = int((a & ~b).sum()), int((b & ~a).sum())
    # If the engines were alike, each example that differs would be a fair coin: few of them cannot show more.
    least = min(1.0, 2 * 0.5 ** int(differing.sum()))
    return Gap(
        test=test,
        p=None if test.p is None else max(test.p, least),
        p_adjusted=None,
        verdict=Verdict.CLOSE,
        more_examples=None,
        improved=improved,
        broken=broken,
        mcnemar=mcnemar_exact(improved, broken),
        freedom=freedom,
        untested=untested,
    )


def _test(shared: Sequence[_Shared], name: str, material: Material) -> tuple[PairedTest, int | None, int]:
    """Test the mean difference over retries; of several settings, each retry gives their mean.

    Returned with the freedom of its standard error, and how many examples no retry tested.
    """
    scores: dict[int, list[float]] = {}
    for both in shared:
        for retry, ours, theirs in zip(both.retries, *both.numbers, strict=True):
            x, y = ours[name], theirs[name]
            if x is not None and y is not None:
                scores.setdefault(retry, []).append(x - y)
    if not scores:
        return PairedTest(None, None, None, None), None, 0
    difference = float(np.mean([np.mean(scores[retry]) for retry in sorted(scores)]))
    moves = [(both.moves[0][name], both.moves[1][name]) for both in shared if both.retries]
    rows = np.mean([ours.rows - theirs.rows for ours, theirs in moves], axis=0)
    tested = np.any([ours.tested for ours, _ in moves], axis=0)
    # Examples that contradict another are never tested.
    open_rows = ~tested & np.isin(material.labels, material.labels[tested])
    open_rows[material.contradictory] = False
    groups, untested = len(np.unique(material.groups[tested])), int(open_rows.sum())
    if groups < 2:
        return PairedTest(difference, None, None, None), None, untested
    variance, freedom, _ = variance_over_items(rows, tested, material)
    # As if one more example differed: where few do, or none, their spread says little.
    error = math.sqrt(TRAINING_OF_GAP * variance + 1 / groups**2)
    half = student(freedom) * error
    p = student_p(difference / error, freedom)
    return PairedTest(difference, difference - half, difference + half, p, error), freedom, untested


def _draw_samples(a: Examined, b: Examined, both: _Shared, material: Material, seed: int) -> tuple[Differing, ...]:
    good = both.good[0]
    rows = np.random.default_rng([seed, 2]).permutation(np.flatnonzero(good != both.good[1]))[:SHOWN]
    samples = []
    for row in np.sort(rows).tolist():
        example = material.data.examples[row]
        guess_a, guess_b = (material.name(int(guess[row])) for guess in both.guesses)
        right = a.name if good[row] else b.name
        samples.append(Differing(example.text, material.data.number(row), example.intent, guess_a, guess_b, right))
    return tuple(samples)


# --- all pairs ---------------------------------------------------------------------------------------------


def _decide(gaps: Sequence[Gap], examples: int) -> list[Gap]:
    """Adjust the p values of one family of comparisons and put the verdicts."""
    known = [place for place, gap in enumerate(gaps) if gap.p is not None]
    adjusted = dict(zip(known, holm([float(gaps[place].p or 0.0) for place in known]), strict=True))
    decided = []
    for place, gap in enumerate(gaps):
        p, difference = adjusted.get(place), gap.test.difference
        if p is None or not difference or p >= ALPHA:
            verdict, more = Verdict.CLOSE, _estimate_more(gap, len(known), examples)
        else:
            verdict, more = Verdict.BETTER if difference > 0 else Verdict.WORSE, 0
        decided.append(replace(gap, p_adjusted=p, verdict=verdict, more_examples=more))
    return decided


def _estimate_more(gap: Gap, pairs: int, examples: int) -> int | None:
    """Return about how many more examples would decide; None where no number of them is known to.

    With the standard error of the verdict. As long as some examples were never tested, more retries come first.
    """
    test = gap.test
    if not test.difference or test.standard_error is None or gap.untested:
        return None
    confidence = 1 - ALPHA / max(1, pairs)
    more = items_to_decide(test.difference, test.standard_error, examples, freedom=gap.freedom, confidence=confidence)
    return None if more is None else max(1, more)
