"""Which of two engines is better: statistics of two records of the same splits, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from vivavoce.errors import WorkError
from vivavoce.intents.findings import SettingFindings
from vivavoce.intents.material import Material
from vivavoce.intents.record import NO_GUESS_CODE, ExamRecord, UnitResult
from vivavoce.intents.splits import Flags, Rows, Setting
from vivavoce.outcomes import Outcome, outcome_places
from vivavoce.statistics import PairedTest, corrected_paired_test, holm, items_to_decide, mcnemar_exact

ALPHA = 0.05
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
    second does not; `broken` is the reverse; `mcnemar` is the exact test of the two. `p` is that of the
    corrected t-test, or of McNemar's where the retries show no spread to test with; `p_adjusted` holds for all
    pairs of the comparison together and decides the verdict.
    """

    test: PairedTest
    p: float | None
    p_adjusted: float | None
    verdict: Verdict
    more_examples: int | None
    improved: int
    broken: int
    mcnemar: float


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
    gaps = tuple((s, _gap(_test(a, b, [s], "accuracy"), view)) for s, view in views.items())
    # Examples are counted at (0, 0) where it was run: only there each is tested as what it is.
    first = views.get(Setting()) or next(iter(views.values()), _Views.empty())
    return Difference(
        a=a.name,
        b=b.name,
        pooled=_gap(_test(a, b, settings, "accuracy"), first),
        settings=gaps,
        aurc=_test(a, b, settings, "aurc"),
        samples=_samples(a, b, first, material, seed),
    )


def _gap(test: PairedTest, view: _Views) -> Gap:
    improved, broken = int((view.a & ~view.b).sum()), int((view.b & ~view.a).sum())
    mcnemar = mcnemar_exact(improved, broken)
    # One retry, or retries that all differ by the same amount, have no spread: the formula is sure of anything.
    blind = test.difference is not None and (test.p is None or (test.standard_error == 0 and test.difference != 0))
    p = mcnemar if blind else test.p
    return Gap(test, p, None, Verdict.CLOSE, None, improved, broken, mcnemar)


def _test(a: Examined, b: Examined, settings: Sequence[Setting], name: str) -> PairedTest:
    """Test the mean difference over retries; of several settings, each retry gives their mean."""
    scores = [_scores(a, b, setting, name) for setting in settings]
    retries = sorted(set().union(*scores))
    if not retries:
        return _UNTESTED
    table = [[column[retry] for column in scores if retry in column] for retry in retries]
    return corrected_paired_test(
        [float(np.mean([one[0] for one in line])) for line in table],
        [round(float(np.mean([one[1] for one in line]))) for line in table],
        [round(float(np.mean([one[2] for one in line]))) for line in table],
    )


def _scores(a: Examined, b: Examined, setting: Setting, name: str) -> dict[int, tuple[float, int, int]]:
    """Return for each retry that both finished: the difference, and the sizes of test and training."""
    ours, theirs = (
        dict(zip((r.key.retry for r in one.run.of(setting)), one.findings[setting].per_retry, strict=True))
        for one in (a, b)
    )
    found: dict[int, tuple[float, int, int]] = {}
    for result, _ in _paired(a, b, setting):
        retry = result.key.retry
        x, y = ours[retry][name], theirs[retry][name]
        if x is not None and y is not None:
            found[retry] = (x - y, len(result.test), result.n_train)
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
    """For each example of one setting: whether each engine usually is right, and what it guessed first."""

    a: Flags
    b: Flags
    guess_a: Rows
    guess_b: Rows

    @classmethod
    def of(cls, a: Examined, b: Examined, setting: Setting, material: Material, threshold: float) -> _Views:
        pairs = _paired(a, b, setting)
        (right_a, guess_a), (right_b, guess_b) = (
            _usually([pair[side] for pair in pairs], material, threshold) for side in (0, 1)
        )
        return cls(right_a, right_b, guess_a, guess_b)

    @classmethod
    def empty(cls) -> _Views:
        nothing, none = np.zeros(0, dtype=bool), np.zeros(0, dtype=np.intp)
        return cls(nothing, nothing, none, none)


def _usually(results: Sequence[UnitResult], material: Material, threshold: float) -> tuple[Flags, Rows]:
    good, times = np.zeros(len(material)), np.zeros(len(material))
    guess = np.full(len(material), NO_GUESS_CODE, dtype=np.intp)
    for result in reversed(results):
        answers = result.answers
        truth = np.where(result.negative, -1, material.labels[result.test])
        good[result.test] += np.isin(outcome_places(truth, answers.guess, answers.confidence, threshold), _GOOD)
        times[result.test] += 1
        guess[result.test] = answers.guess
    return good > times / 2, guess


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
    """Return about how many more examples would decide; None where no number of them is known to."""
    if not gap.test.difference:
        return None
    error = gap.test.standard_error or math.sqrt(gap.improved + gap.broken) / examples
    more = items_to_decide(gap.test.difference, error, examples, confidence=1 - ALPHA / max(1, pairs))
    return None if more is None else max(1, more)
