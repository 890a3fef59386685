"""The blind test: train once, test once on messages kept aside; or score what any platform answered to them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Literal

import numpy as np

from vivavoce.errors import DataError, Fault, UsageError, nearest, plural
from vivavoce.intents.exam import as_dataset, check_threshold, load_classifier
from vivavoce.intents.findings import (
    ConfusionCell,
    IntentFindings,
    Pooled,
    Sample,
    confusion_table,
    draw_samples,
    intent_table,
)
from vivavoce.intents.influences import Floats, share_parts
from vivavoce.intents.material import Material
from vivavoce.intents.measures import (
    CalibrationBin,
    Items,
    RiskCoverage,
    calibration,
    counts_of,
    matthews,
    measure_others,
    risk_coverage,
)
from vivavoce.intents.record import NO_GUESS_CODE
from vivavoce.intents.result import DataFacts, Note, Result, list_items, rate_cell
from vivavoce.intents.runner import AnyClassifier, Progress, row_trainer
from vivavoce.intents.splits import OUT_OF_SCOPE, Flags, Rows
from vivavoce.outcomes import Counts, outcome_places
from vivavoce.records import NO_GUESS, Dataset, Example, Guess, Rate
from vivavoce.statistics import Spread, bounded_rate, ratio_spread, wilson
from vivavoce.statistics import resamples as bootstrap_rows
from vivavoce.text.duplicates import duplicate_groups

Data = Dataset | tuple[Sequence[str], Sequence[str | None]]
Unknown = Literal["refuse", "negative"]
Prediction = tuple[Example, Guess]
RESAMPLES = 1000
# The numbers whose intervals come from resamples, in the order in which they are shown.
RESAMPLED = ("f1_macro", "f1_weighted", "mcc", "oos_auroc", "aurc", "augrc", "ece")
# A softmax in single precision may end a hair above 1.
SLACK = 1e-6


@dataclass(frozen=True, slots=True)
class Leak:
    """Test rows that have a near-duplicate in training, and the accuracy on the others."""

    rows: int
    accuracy_without: Rate


@dataclass(frozen=True, eq=False)
class BlindResult(Result):
    """What one test found, every number with its interval over other questions of this kind."""

    data: DataFacts
    train: DataFacts | None
    classifier: str
    threshold: float
    seed: int
    rates: Mapping[str, Rate]
    counts: Counts
    intents: tuple[IntentFindings, ...]
    confusion: tuple[ConfusionCell, ...]
    curve: RiskCoverage
    bins: tuple[CalibrationBin, ...]
    samples: tuple[Sample, ...]
    leak: Leak | None
    unknown_intents: tuple[str, ...]
    predictions: tuple[Prediction, ...]
    warnings: tuple[Note, ...]

    def rate(self, name: str) -> Rate:
        """Return a number by its name."""
        if name not in self.rates:
            raise UsageError(f"unknown metric '{name}'.{nearest(name, list(self.rates))}")
        return self.rates[name]

    def _repr_html_(self) -> str:
        """Show the numbers in a notebook."""
        rows = "".join(f"<tr><th>{name.replace('_', ' ')}</th>{rate_cell(r)}</tr>" for name, r in self.rates.items())
        notes = list_items(note.message for note in self.warnings)
        return f"<table><caption>{escape(self.classifier)}</caption>{rows}</table><ul>{notes}</ul>"


def examine_blind(
    train: Data,
    test: Data,
    classifier: str | AnyClassifier = "linear",
    *,
    threshold: float = 0.5,
    unknown: Unknown = "refuse",
    seed: int = 0,
    resamples: int = RESAMPLES,
    progress: Progress | None = None,
) -> BlindResult:
    """Train once on `train`, test once on `test`; test rows without a topic are negatives.

    Test topics that are not in training are refused, or with `unknown="negative"` counted as negatives.
    """
    threshold = check_threshold(threshold)
    train, test = as_dataset(train), as_dataset(test)
    if len(train.sizes) < 2:
        raise DataError(
            f"the training data has {len(train.sizes)} topics",
            where=train.source,
            remedy="a classifier needs at least two topics",
        )
    unlearnt = _find_unlearnt(test, train, unknown)
    engine = load_classifier(classifier, train)
    guesses = _ask(engine, train, test, progress)
    result = _score(test, guesses, threshold, train, unlearnt, classifier=engine.name, seed=seed, resamples=resamples)
    notes = (Note("vectors", note[:1].upper() + note[1:] + ".") for note in getattr(engine, "notes", ()))
    return replace(result, warnings=(*result.warnings, *notes))


def score_predictions(
    truth: Data,
    guesses: Sequence[Guess],
    threshold: float = 0.5,
    *,
    train: Data | None = None,
    unknown: Unknown = "refuse",
    classifier: str = "predictions",
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> BlindResult:
    """Score answers that are already there, one guess for each row of `truth`, in order.

    With the `train` data that the engine had learnt from, near-duplicates in it are counted and topics that it
    lacks are found; without it the table of topics counts test rows as their examples. `resamples` 0 leaves
    out the bootstrap intervals.
    """
    threshold = check_threshold(threshold)
    test = as_dataset(truth)
    if len(guesses) != len(test):
        raise DataError(
            f"{len(guesses)} guesses for {len(test)} messages",
            where=test.source,
            remedy="provide exactly one guess per message, NO_GUESS if the classifier has none",
        )
    faults = [
        Fault(f"the confidence is {guess.confidence}, not a number from 0 to 1", f"guess {place}")
        for place, guess in enumerate(guesses)
        if not (math.isfinite(guess.confidence) and 0 <= guess.confidence <= 1 + SLACK)
    ]
    if faults:
        raise DataError("these guesses cannot be scored", faults=faults, remedy="scale the confidences to 0 to 1")
    learnt = None if train is None else as_dataset(train)
    unlearnt = () if learnt is None else _find_unlearnt(test, learnt, unknown)
    return _score(test, guesses, threshold, learnt, unlearnt, classifier=classifier, seed=seed, resamples=resamples)


def _find_unlearnt(test: Dataset, train: Dataset, unknown: str) -> tuple[str, ...]:
    """Return the test topics that are not in training; refuse them unless they are to be negatives."""
    if unknown not in ("refuse", "negative"):
        raise UsageError(f"unknown intents cannot be '{unknown}'", remedy="choose 'refuse' or 'negative'")
    names = tuple(sorted(test.sizes.keys() - train.sizes.keys()))
    if names and unknown == "refuse":
        known = list(train.sizes)
        raise DataError(
            f"{len(names)} test topics are not in the training data",
            where=test.source,
            faults=[Fault(f"{test.sizes[name]} rows.{nearest(name, known)}", f"topic '{name}'") for name in names],
            remedy="fix the names, or count such rows as out of scope with --unknown-intents negative",
        )
    return names


def _ask(engine: AnyClassifier, train: Dataset, test: Dataset, progress: Progress | None) -> list[Guess]:
    """Train on the rows that have a topic and ask all test rows, which show no label to the engine."""
    topics = tuple(sorted(train.sizes))
    known = [example for example in train if example.intent is not None]
    code = {topic: place for place, topic in enumerate(topics)}
    labels = [code[str(example.intent)] for example in known] + [OUT_OF_SCOPE] * len(test)
    data = Dataset((*known, *test.examples), train.source)
    both = Material(data, topics, np.array(labels, dtype=np.intp), np.arange(len(data)))
    rows = np.arange(len(data))
    answers = row_trainer(engine, both, progress)(rows[: len(known)])(rows[len(known) :])
    # The shortest decimal that names the single-precision number: 0.7 stays 0.7, on whichever side of a
    # threshold it stood, when the guesses are stored and scored again.
    return [
        NO_GUESS if code == NO_GUESS_CODE else Guess(topics[code], float(str(confidence)))
        for code, confidence in zip(answers.guess, answers.confidence, strict=True)
    ]


def _score(
    test: Dataset,
    guesses: Sequence[Guess],
    threshold: float,
    train: Dataset | None,
    unlearnt: tuple[str, ...],
    *,
    classifier: str,
    seed: int,
    resamples: int,
) -> BlindResult:
    if not len(test):
        raise DataError("nothing to test", where=test.source, remedy="add at least one message")
    material, items, leaking = _code_rows(test, guesses, train, unlearnt)
    pooled = Pooled(np.arange(len(test)), np.zeros(len(test), dtype=np.intp), items)
    places = outcome_places(items.truth, items.guess, items.confidence, threshold)
    intents, leak = intent_table(pooled, material, threshold), None
    if train is not None:
        sized = [replace(line, examples=train.sizes.get(line.intent, 0)) for line in intents]
        intents = tuple(sorted(sized, key=lambda line: (-line.examples, line.intent)))
        others = Items(items.truth[~leaking], items.guess[~leaking], items.confidence[~leaking])
        share = counts_of(others, threshold).shares()["accuracy"]
        leak = Leak(int(leaking.sum()), wilson(share.hits, share.n))
    return BlindResult(
        data=DataFacts.of(test),
        train=None if train is None else DataFacts.of(train),
        classifier=classifier,
        threshold=threshold,
        seed=seed,
        rates=_measure(items, material.groups, threshold, seed, resamples),
        counts=counts_of(items, threshold),
        intents=intents,
        confusion=confusion_table(pooled, material, threshold),
        curve=risk_coverage(items),
        bins=calibration(items)[1],
        samples=draw_samples(pooled, places, material, seed),
        leak=leak,
        unknown_intents=unlearnt,
        predictions=tuple(zip(test.examples, guesses, strict=True)),
        warnings=tuple(_list_notes(test, train, leak, unlearnt)),
    )


def _code_rows(
    test: Dataset, guesses: Sequence[Guess], train: Dataset | None, unlearnt: Sequence[str]
) -> tuple[Material, Items, Flags]:
    """Code the test rows and their guesses, and mark the rows that have a near-duplicate in training."""
    names = set(test.sizes) | {guess.intent for guess in guesses if guess.intent is not None}
    topics = tuple(sorted(names | set(train.sizes if train else ())))
    code = {topic: place for place, topic in enumerate(topics)}
    labels = np.array([OUT_OF_SCOPE if i is None else code[i] for i in test.intents], dtype=np.intp)
    learnt = [example.text for example in train or () if example.intent is not None]
    groups = np.asarray(duplicate_groups([*learnt, *test.texts], test.languages), dtype=np.intp)
    own = groups[len(learnt) :]
    truth = np.where(np.isin(labels, [code[name] for name in unlearnt]), OUT_OF_SCOPE, labels)
    best = [NO_GUESS_CODE if guess.intent is None else code[guess.intent] for guess in guesses]
    confidence = np.array([guess.confidence for guess in guesses], dtype=np.float64)
    items = Items(truth, np.array(best, dtype=np.intp), confidence)
    return Material(test, topics, labels, own), items, np.isin(own, groups[: len(learnt)])


def _measure(items: Items, groups: Rows, threshold: float, seed: int, resamples: int) -> Mapping[str, Rate]:
    """Return every number with its interval over other questions of this kind; near-duplicates are one question."""
    rates = {name: _bound_share(*parts, groups) for name, parts in share_parts(items, threshold).items()}
    # HINT3 and CLINC150 call the share of negatives that were declined "out-of-scope recall".
    rates["oos_recall"] = rates["negative_rejection"]
    # The other numbers get their intervals from resamples, in which near-duplicates are drawn together.
    numbers, count = _measure_others(items, threshold), len(np.unique(groups))
    drawn: dict[str, list[float]] = {name: [] for name in numbers}
    for rows in bootstrap_rows(groups.tolist(), resamples, seed) if count > 1 else ():
        part = Items(items.truth[rows], items.guess[rows], items.confidence[rows])
        for name, value in _measure_others(part, threshold).items():
            if value is not None:
                drawn[name].append(value)
    for name, value in numbers.items():
        rates[name] = _bound_number(value, drawn[name], len(items), count, -1.0 if name == "mcc" else 0.0)
    return rates


def _measure_others(items: Items, threshold: float) -> dict[str, float | None]:
    numbers = {**measure_others(items, threshold), "mcc": matthews(items, threshold)}
    return {name: numbers[name] for name in RESAMPLED}


def _bound_share(hits: Floats, n: Floats, groups: Rows) -> Rate:
    asked, total = round(float(n.sum())), float(hits.sum())
    if not asked:
        return Rate(None, None, None, 0)
    if len(np.unique(groups[n > 0])) == asked:
        return wilson(total, asked)
    own, counted = (np.bincount(groups, weights=part).astype(np.float64) for part in (hits, n))
    return bounded_rate(total / asked, ratio_spread(own, counted), asked)


def _bound_number(value: float | None, drawn: Sequence[float], n: int, groups: int, lowest: float) -> Rate:
    """Put an interval around a number that lies between `lowest` and 1, from the variance of its resamples."""
    if value is None:
        return Rate(None, None, None, 0)
    if len(drawn) < 2 or groups < 2:
        return Rate(value, None, None, n)
    span = 1 - lowest
    variance = float(np.var(drawn, ddof=1)) * groups / (groups - 1) / span**2
    spread = Spread(variance, groups, float(groups) if variance else 0.0, groups - 1)
    rate = bounded_rate((value - lowest) / span, spread, n)
    low, high = (None if end is None else lowest + span * end for end in (rate.low, rate.high))
    return Rate(value, low, high, n)


def _list_notes(test: Dataset, train: Dataset | None, leak: Leak | None, unlearnt: Sequence[str]) -> Iterator[Note]:
    if leak is not None and leak.rows:
        value = leak.accuracy_without.value
        accuracy, rows = "n/a" if value is None else f"{value:.3f}", plural(leak.rows, "test row")
        yield Note("leak", (f"{rows} with a near-duplicate in training; without them, accuracy is {accuracy}."))
    if unlearnt:
        rows = plural(sum(test.sizes[name] for name in unlearnt), "test row")
        yield Note("unknown_intents", f"{rows} of untrained topics counted as negative: {', '.join(unlearnt)}.")
    left_out = train.intents.count(None) if train else 0
    if left_out:
        yield Note("left_out", f"{plural(left_out, 'training row')} out of scope, not used for training.")
    if test.intents.count(None) + len(unlearnt) == 0:
        yield Note(
            "no_negatives",
            ("No test row is out of scope, so it is unknown how well the bot declines such questions."),
        )
    yield from (Note("excluded_row", note) for note in (*(train.remarks if train else ()), *test.remarks))
