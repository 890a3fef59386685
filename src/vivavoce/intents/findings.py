"""What an exam found: numbers with counts and intervals, from the raw record alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vivavoce.intents.intervals import items_of, rates_of
from vivavoce.intents.material import Material
from vivavoce.intents.measures import (
    CalibrationBin,
    Items,
    RiskCoverage,
    calibration,
    counts_of,
    measures,
    risk_coverage,
)
from vivavoce.intents.record import UnitResult
from vivavoce.intents.splits import Rows, Setting, SplitPlan
from vivavoce.intents.traffic import Traffic
from vivavoce.outcomes import Counts, Outcome, outcome_places
from vivavoce.records import Rate
from vivavoce.statistics import wilson

SAMPLES_PER_OUTCOME = 5


@dataclass(frozen=True, slots=True)
class IntentFindings:
    """One topic: how its own messages fared, and what it wrongly attracted."""

    intent: str
    examples: int
    recall: Rate
    precision: Rate
    deferred: Rate
    f1: float | None
    attracted: int
    negatives: int


@dataclass(frozen=True, slots=True)
class ConfusionCell:
    """Messages of one topic that were guessed to be another: how many were answered so, how many held back.

    `negative` marks messages of a topic that was held out: they were to be declined. `guess` None: no guess.
    """

    origin: str | None
    guess: str | None
    negative: bool
    answered: int
    deferred: int


@dataclass(frozen=True, slots=True)
class Sample:
    """One message and what became of it."""

    text: str
    row: int
    intent: str | None
    guess: str | None
    confidence: float
    outcome: Outcome
    negative: bool


@dataclass(frozen=True, slots=True)
class TimingFindings:
    """Seconds: split and train are means for a retry, classify is per message."""

    split: float
    train: float
    classify_p50: float
    classify_p95: float


@dataclass(frozen=True, slots=True)
class BlindSpots:
    """What this setting cannot see: topics never tested as themselves, and the pairs among them."""

    topics: tuple[str, ...]
    pairs: int


@dataclass(frozen=True, eq=False)
class SettingFindings:
    """Everything found under one setting.

    `out_of_scope_share`: the share of out-of-scope questions that the mixed shares are weighted for, None: as tested.
    `negatives_from`: the setting whose negatives were weighed, where this one has none.
    """

    setting: Setting
    rates: Mapping[str, Rate]
    counts: Counts
    per_retry: tuple[Mapping[str, float | None], ...]
    n_test: tuple[int, ...]
    n_train: tuple[int, ...]
    n_excluded: int
    intents: tuple[IntentFindings, ...]
    confusion: tuple[ConfusionCell, ...]
    curve: RiskCoverage
    bins: tuple[CalibrationBin, ...]
    samples: tuple[Sample, ...]
    blind_spots: BlindSpots
    low_topics: tuple[str, ...]
    share_low: float
    same_as: Setting | None = None
    out_of_scope_share: float | None = None
    negatives_from: Setting | None = None
    timing: TimingFindings | None = None

    def __getattr__(self, name: str) -> Rate:
        """Return a rate as an attribute: findings.accuracy is findings.rates["accuracy"]."""
        # A copy has no rates yet when it is asked for its methods.
        rates: Mapping[str, Rate] = vars(self).get("rates", {})
        if name not in rates:
            raise AttributeError(f"'SettingFindings' object has no attribute '{name}'")
        return rates[name]


@dataclass(frozen=True, eq=False)
class Pooled:
    """The test items of all retries side by side; `row` says which example each is."""

    row: Rows
    retry: Rows
    items: Items

    @classmethod
    def of(cls, results: Sequence[UnitResult], material: Material) -> Pooled:
        """Join the retries of one setting."""
        rows = np.concatenate([result.test for result in results])
        negative = np.concatenate([result.negative for result in results])
        retry = np.repeat([result.key.retry for result in results], [len(result.test) for result in results])
        truth = np.where(negative, -1, material.labels[rows])
        guess = np.concatenate([result.answers.guess for result in results])
        confidence = np.concatenate([result.answers.confidence for result in results])
        return cls(rows, retry, Items(truth, guess, confidence))


def find(
    results: Sequence[UnitResult],
    material: Material,
    plan: SplitPlan,
    *,
    threshold: float,
    seed: int,
    traffic: Traffic | None = None,
) -> SettingFindings:
    """Compute the findings of one setting from its finished retries; `traffic` weighs the mixed shares."""
    items = [items_of(result, material) for result in results]
    per_retry = tuple(measures(each, threshold) for each in items)
    if traffic is not None:
        per_retry = tuple(
            traffic.weigh(numbers, counts_of(each, threshold), result.key.retry)
            for numbers, each, result in zip(per_retry, items, results, strict=True)
        )
    pooled = Pooled.of(results, material)
    places = outcome_places(pooled.items.truth, pooled.items.guess, pooled.items.confidence, threshold)
    counts = counts_of(pooled.items, threshold)
    rates = rates_of(results, per_retry, material, threshold)
    rates = {**rates, "recall_macro": replace(rates["recall_macro"], n=counts.total - counts.negatives)}
    if traffic is not None:
        rates = traffic.widen(rates, counts, counts.total / max(1, len(np.unique(pooled.row))))
    # By the record, not by the plan: ties in size make other topics small in each turn.
    tested = np.unique(pooled.items.truth)
    untested = tuple(topic for code, topic in enumerate(material.topics) if code not in tested)
    classify = np.concatenate([result.timing.classify for result in results])
    middle, slow = np.percentile(classify, [50, 95]) if len(classify) else (0.0, 0.0)
    split, train = (np.mean([getattr(result.timing, part) for result in results]) for part in ("split", "train"))
    return SettingFindings(
        setting=plan.design.setting,
        rates=rates,
        counts=counts,
        per_retry=per_retry,
        n_test=tuple(len(result.test) for result in results),
        n_train=tuple(result.n_train for result in results),
        n_excluded=sum(result.n_excluded for result in results),
        intents=intent_table(pooled, material, threshold),
        confusion=confusion_table(pooled, material, threshold),
        curve=risk_coverage(pooled.items),
        bins=calibration(pooled.items)[1],
        samples=draw_samples(pooled, places, material, seed),
        timing=TimingFindings(float(split), float(train), float(middle), float(slow)),
        blind_spots=BlindSpots(untested, len(untested) * (len(untested) - 1) // 2),
        low_topics=tuple(material.topics[code] for code in np.sort(plan.low_topics())),
        share_low=plan.share_low,
        out_of_scope_share=None if traffic is None else traffic.share,
        negatives_from=None if traffic is None or counts.negatives else traffic.setting,
    )


def count_retries(results: Sequence[UnitResult], material: Material, threshold: float) -> dict[int, Counts]:
    """Return the outcomes of each retry."""
    return {result.key.retry: counts_of(items_of(result, material), threshold) for result in results}


def intent_table(pooled: Pooled, material: Material, threshold: float) -> tuple[IntentFindings, ...]:
    """Return one line for each topic, in the order of its size.

    An example tested in several retries is one observation, not several: counts are averaged over its tests
    before the Wilson interval is drawn.
    """
    items, width = pooled.items, len(material.topics)
    times = np.bincount(pooled.row, minlength=len(material)).astype(np.float64)
    weight = 1.0 / times[pooled.row]
    answered = (items.guess >= 0) & (items.confidence >= threshold)
    in_scope = ~items.negative
    origin = material.labels[pooled.row]

    def total(mask: NDArray[np.bool_], by: Rows) -> NDArray[np.float64]:
        return np.asarray(np.bincount(by[mask], weights=weight[mask], minlength=width), dtype=np.float64)

    tested = total(in_scope, origin)
    right = total(in_scope & answered & items.right, origin)
    silent = total(in_scope & ~answered, origin)
    guessed = total(answered, items.guess)
    negatives = np.bincount(origin[items.negative & (origin >= 0)], minlength=width)
    # The examples that were wrongly answered with a topic in at least half of their tests.
    wrong = answered & ~items.right
    (guess, row), tests = np.unique(np.stack([items.guess[wrong], pooled.row[wrong]]), axis=1, return_counts=True)
    attracted = np.bincount(guess[2 * tests >= times[row]], minlength=width)
    lines = [
        IntentFindings(
            intent=topic,
            examples=material.data.sizes.get(topic, 0),
            recall=_build_rate(right[code], tested[code]),
            precision=_build_rate(right[code], guessed[code]),
            deferred=_build_rate(silent[code], tested[code]),
            f1=float(2 * right[code] / (tested[code] + guessed[code])) if tested[code] else None,
            attracted=int(attracted[code]),
            negatives=int(negatives[code]),
        )
        for code, topic in enumerate(material.topics)
    ]
    return tuple(sorted(lines, key=lambda line: (-line.examples, line.intent)))


def _build_rate(hits: float, n: float) -> Rate:
    whole = round(n)
    return wilson(min(1.0, hits / n) * whole, whole) if whole else Rate(None, None, None, 0)


def confusion_table(pooled: Pooled, material: Material, threshold: float) -> tuple[ConfusionCell, ...]:
    """Return the filled cells of the confusion matrix, negatives with their topic of origin, largest first."""
    items, width = pooled.items, len(material.topics) + 1
    origin = material.labels[pooled.row] + 1
    key = (origin * width + items.guess + 1) * 2 + items.negative
    answered = (items.guess >= 0) & (items.confidence >= threshold)
    cells, place = np.unique(key, return_inverse=True)
    total = np.bincount(place, minlength=len(cells))
    table = [
        ConfusionCell(
            origin=material.name(int(cell) // 2 // width - 1),
            guess=material.name(int(cell) // 2 % width - 1),
            negative=bool(cell % 2),
            answered=int(spoken),
            deferred=int(n - spoken),
        )
        for cell, spoken, n in zip(cells, np.bincount(place[answered], minlength=len(cells)), total, strict=True)
    ]
    return tuple(sorted(table, key=lambda cell: -(cell.answered + cell.deferred)))


def draw_samples(pooled: Pooled, places: Rows, material: Material, seed: int) -> tuple[Sample, ...]:
    """Draw a few messages of each outcome at random, each example at most once for an outcome."""
    rng = np.random.default_rng([seed, 1])
    samples: list[Sample] = []
    for place, outcome in enumerate(Outcome):
        candidates = rng.permutation(np.flatnonzero(places == place))
        _, first = np.unique(pooled.row[candidates], return_index=True)
        for item in candidates[np.sort(first)[:SAMPLES_PER_OUTCOME]].tolist():
            row = int(pooled.row[item])
            example, number = material.data.examples[row], material.data.number(row)
            guess, confidence = material.name(int(pooled.items.guess[item])), float(pooled.items.confidence[item])
            negative = bool(pooled.items.negative[item])
            samples.append(Sample(example.text, number, example.intent, guess, confidence, outcome, negative))
    return tuple(samples)


def count_mistaken(settings: Sequence[SettingFindings]) -> Mapping[frozenset[str], tuple[int, int]] | None:
    """Count, for each two topics, the questions answered with the other one, and such guesses that were held back.

    Counted in the first setting that held no topic out; None where there is none.
    """
    plain = next((findings for findings in settings if not findings.low_topics), None)
    if plain is None:
        return None
    counts: dict[frozenset[str], tuple[int, int]] = {}
    for cell in plain.confusion:
        if not cell.negative and cell.origin is not None and cell.guess is not None and cell.origin != cell.guess:
            pair = frozenset((cell.origin, cell.guess))
            answered, held_back = counts.get(pair, (0, 0))
            counts[pair] = answered + cell.answered, held_back + cell.deferred
    return counts
