"""A bot's life played back: train on what was known at a time, test on what came next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from typing import Any, Literal

import numpy as np

from vivavoce.errors import DataError, Fault, UsageError, plural
from vivavoce.files.columns import SYNONYMS
from vivavoce.files.dates import unreadable_date_rows
from vivavoce.intents.cuts import Fold, History
from vivavoce.intents.exam import check_threshold, load_classifier
from vivavoce.intents.material import Material
from vivavoce.intents.measures import Items, counts_of
from vivavoce.intents.record import Answers
from vivavoce.intents.result import DataFacts, Note, rate_cell
from vivavoce.intents.runner import AnyClassifier, Progress, TrainRows, row_trainer
from vivavoce.intents.splits import OUT_OF_SCOPE, Flags, Rows
from vivavoce.outcomes import Counts, Outcome
from vivavoce.records import Dataset, Example, Rate
from vivavoce.statistics import PairedTest, paired_test, wilson

Mode = Literal["forward", "interleaved"]
Undated = Literal["refuse", "drop"]
MIN_TEST = 30
SHARES = ("accuracy", "in_scope_accuracy", "automation_rate", "precision_answered", "negative_rejection")


@dataclass(frozen=True, eq=False)
class Scores:
    """What one model did with some messages. Topics that it had never seen are negatives for it.

    `rates` has the shares of an exam, `answered_right` (of all messages, those answered rightly) and
    `new_topic_share` (messages whose topic did not exist when the model was trained).
    """

    rates: Mapping[str, Rate]
    counts: Counts


@dataclass(frozen=True, eq=False)
class Period:
    """The messages from one moment to another, and the model trained on those before them.

    `frozen` is the model of the first period on the same messages: what the bot would do if nobody had cared.
    """

    begin: datetime
    end: datetime
    n_train: int
    n_test: int
    n_excluded: int
    new_topics: tuple[str, ...]
    scores: Scores
    frozen: Scores | None

    @property
    def rates(self) -> Mapping[str, Rate]:
        """The numbers of the model of this period."""
        return self.scores.rates


@dataclass(frozen=True, eq=False)
class TimelineResult:
    """The result of an exam over time. `maintenance`: messages answered rightly, with training minus without."""

    data: DataFacts
    classifier: str
    mode: Mode
    threshold: float
    seed: int
    periods: tuple[Period, ...]
    overall: Scores | None
    overall_frozen: Scores | None
    maintenance: PairedTest | None
    undated: tuple[int, ...]
    warnings: tuple[Note, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the stable JSON form."""
        from vivavoce.intents.json_form import to_json

        return to_json(self)  # type: ignore[no-any-return]

    def _repr_html_(self) -> str:
        """Show the periods in a notebook."""
        names = ("accuracy", "automation_rate", "precision_answered", "new_topic_share")
        head = "".join(f"<th>{name.replace('_', ' ')}</th>" for name in names)
        rows = "".join(
            f"<tr><th>{period.begin:%Y-%m-%d} to {period.end:%Y-%m-%d}</th>"
            f"{''.join(rate_cell(period.rates[name]) for name in names)}</tr>"
            for period in self.periods
        )
        notes = "".join(f"<li>{escape(note.message)}</li>" for note in self.warnings)
        return f"<table><tr><th>{escape(self.classifier)}</th>{head}</tr>{rows}</table><ul>{notes}</ul>"


def examine_over_time(
    data: Dataset,
    classifier: str | AnyClassifier = "linear",
    *,
    mode: Mode = "forward",
    periods: int | None = None,
    threshold: float = 0.5,
    seed: int = 0,
    min_test: int = MIN_TEST,
    undated: Undated = "refuse",
    progress: Progress | None = None,
) -> TimelineResult:
    """Play back the history of dated examples.

    `forward` trains on all that came before a period and tests on the period: calendar months, or `periods` of
    even size, joined until each has `min_test` messages. `interleaved` does what the original nex-cv did.
    Rows without a date are refused, or with `undated="drop"` left out and listed.
    """
    _check_options(mode, periods, threshold, min_test, undated)
    ordered, dropped = _ordered(data, undated)
    engine, material = load_classifier(classifier), Material.of(ordered)
    history = History(tuple(_moment(example) for example in ordered), material.labels, material.groups)
    folds = history.forward(periods, min_test) if mode == "forward" else history.interleaved(periods)
    _require_tests(folds, ordered, min_test)
    told = _Playback(history, material, threshold, seed, tuple(folds), mode)
    answers, frozen = _answers(row_trainer(engine, material, progress), told, progress)
    notes = (*_notes(told, periods, min_test, len(dropped)), *_other_notes(ordered, engine))
    return _result(told, answers, frozen, name=engine.name, undated=dropped, notes=notes)


@dataclass(frozen=True, eq=False)
class _Playback:
    """All that the steps of a playback share."""

    history: History
    material: Material
    threshold: float
    seed: int
    folds: tuple[Fold, ...]
    mode: Mode


def _check_options(mode: str, periods: int | None, threshold: float, min_test: int, undated: str) -> None:
    threshold = check_threshold(threshold)
    faults = []
    if mode not in ("forward", "interleaved"):
        faults.append(Fault(f"'{mode}' is neither 'forward' nor 'interleaved'", "mode"))
    if periods is not None and periods < 1:
        faults.append(Fault(f"{periods} is not at least 1", "periods"))
    if min_test < 1:
        faults.append(Fault(f"{min_test} is not at least 1", "min_test"))
    if undated not in ("refuse", "drop"):
        faults.append(Fault(f"'{undated}' is neither 'refuse' nor 'drop'", "undated"))
    if faults:
        raise UsageError("these options cannot be used", faults=faults, remedy="correct the options named above")


def _ordered(data: Dataset, undated: str) -> tuple[Dataset, tuple[int, ...]]:
    """Return the dated rows from the oldest to the newest, and the numbers of those without a date."""
    numbers = [place if example.row is None else example.row for place, example in enumerate(data)]
    missing = tuple(number for number, example in zip(numbers, data, strict=True) if example.created is None)
    if missing and len(missing) == len(data):
        raise _no_dates(data)
    if missing and undated != "drop":
        raise DataError(
            f"{len(missing)} of {len(data)} rows have no date",
            where=data.source,
            faults=[Fault("no date, or one that cannot be read", f"row {number}") for number in missing],
            remedy="fill the column 'created', or leave such rows out with --undated drop: each is listed",
        )
    dated = [place for place, example in enumerate(data) if example.created is not None]
    _refuse_mixed_zones([data.examples[place] for place in dated], data.source)
    # A stable sort: rows of one moment keep the order of the file.
    return data.select(sorted(dated, key=lambda place: _moment(data.examples[place]))), missing


def _no_dates(data: Dataset) -> DataError:
    if unreadable_date_rows(data.notes):
        return DataError(
            "no example has a date that can be read",
            where=data.source,
            remedy="write dates like 2024-12-31",
        )
    plain, *others = SYNONYMS["created"]
    return DataError(
        f"no example has a date: the file needs a column '{plain}'",
        where=data.source,
        remedy=f"add the column (it may also be called {', '.join(others)}), with dates like 2024-12-31",
    )


def _refuse_mixed_zones(examples: Sequence[Example], source: str) -> None:
    if len({example.created.tzinfo is None for example in examples if example.created}) > 1:
        raise DataError(
            "some dates have a time zone and some have none",
            where=source,
            remedy="give all of them one: their order is not known otherwise",
        )


def _moment(example: Example) -> datetime:
    # Months and order are those of UTC, the same on every machine.
    created = example.created or datetime.min
    return created.astimezone(UTC) if created.tzinfo else created.replace(tzinfo=UTC)


def _require_tests(folds: Sequence[Fold], data: Dataset, min_test: int) -> None:
    if not any(len(fold.test) for fold in folds):
        raise DataError(
            f"the history of {len(data)} rows is too short to cut",
            where=data.source,
            remedy=f"there must be two topics and {min_test} rows before the first cut, and new messages after it",
        )


def _answers(
    train: TrainRows, told: _Playback, progress: Progress | None
) -> tuple[list[Answers], list[Answers] | None]:
    """Ask each model its period, and the first model all periods before the engine is trained again."""
    first = train(told.folds[0].train)
    frozen = [first(fold.test) for fold in told.folds] if told.mode == "forward" else None
    answers = [frozen[0] if frozen else first(told.folds[0].test)]
    for done, fold in enumerate(told.folds[1:], 1):
        if progress:
            progress("examining", done, len(told.folds))
        answers.append(train(fold.train)(fold.test))
    if progress:
        progress("examining", len(told.folds), len(told.folds))
    return answers, frozen


def _result(
    told: _Playback,
    answers: Sequence[Answers],
    frozen: Sequence[Answers] | None,
    *,
    name: str,
    undated: tuple[int, ...],
    notes: tuple[Note, ...],
) -> TimelineResult:
    labels = told.material.labels
    parts = [_items(fold, given, labels) for fold, given in zip(told.folds, answers, strict=True)]
    still = None
    if frozen is not None:
        born = told.folds[0].train
        still = [_items(f, given, labels, born) for f, given in zip(told.folds, frozen, strict=True)]
    return TimelineResult(
        data=DataFacts.of(told.material.data),
        classifier=name,
        mode=told.mode,
        threshold=told.threshold,
        seed=told.seed,
        periods=tuple(
            _period(fold, part, still[place] if still else None, told)
            for place, (fold, part) in enumerate(zip(told.folds, parts, strict=True))
        ),
        # Interleaved steps test the same messages again and again: they cannot be added up.
        overall=_scores(parts, told.threshold) if still else None,
        overall_frozen=_scores(still, told.threshold) if still else None,
        maintenance=_maintenance(parts, still, told) if still else None,
        undated=undated,
        warnings=notes,
    )


@dataclass(frozen=True, eq=False)
class _Part:
    """Messages with answers; `unborn` have a topic that the model could not know."""

    items: Items
    unborn: Flags


def _items(fold: Fold, answers: Answers, labels: Rows, learnt: Rows | None = None) -> _Part:
    true = labels[fold.test]
    unborn = (true >= 0) & ~np.isin(true, labels[fold.train if learnt is None else learnt])
    return _Part(Items(np.where(unborn, OUT_OF_SCOPE, true), answers.guess, answers.confidence), unborn)


def _scores(parts: Sequence[_Part], threshold: float) -> Scores:
    joined = Items(
        np.concatenate([part.items.truth for part in parts]),
        np.concatenate([part.items.guess for part in parts]),
        np.concatenate([part.items.confidence for part in parts]),
    )
    counts = counts_of(joined, threshold)
    shares = counts.shares()
    rates = {name: wilson(shares[name].hits, shares[name].n) for name in SHARES}
    rates["answered_right"] = wilson(counts[Outcome.RIGHT], counts.total)
    rates["new_topic_share"] = wilson(sum(int(part.unborn.sum()) for part in parts), counts.total)
    return Scores(rates, counts)


def _period(fold: Fold, part: _Part, still: _Part | None, told: _Playback) -> Period:
    material, moments = told.material, told.history.moments
    rows = np.sort(np.concatenate([fold.test, fold.excluded]))
    unborn = np.unique(material.labels[fold.test[part.unborn]])
    return Period(
        begin=moments[rows[0]],
        end=moments[rows[-1]],
        n_train=len(fold.train),
        n_test=len(fold.test),
        n_excluded=len(fold.excluded),
        new_topics=tuple(material.topics[code] for code in unborn),
        scores=_scores([part], told.threshold),
        frozen=None if still is None else _scores([still], told.threshold),
    )


def _maintenance(parts: Sequence[_Part], still: Sequence[_Part], told: _Playback) -> PairedTest:
    """Compare message by message; near-duplicates stand or fall together."""
    right, before = (
        np.concatenate([part.items.right & (part.items.confidence >= told.threshold) for part in side])
        for side in (parts, still)
    )
    groups = np.concatenate([told.material.groups[fold.test] for fold in told.folds])
    return paired_test(right.astype(float).tolist(), before.astype(float).tolist(), groups.tolist(), step=1.0)


def _notes(told: _Playback, asked: int | None, min_test: int, undated: int) -> Iterator[Note]:
    if undated:
        yield Note("undated", f"{plural(undated, 'row')} without a date left out.")
    for moment, n in told.history.bulk():
        yield Note(
            "bulk_import",
            f"{n} of {len(told.history)} rows bear the same moment ({moment.isoformat()}), so they were imported "
            "together: they stay in one block, and their true order is not known.",
        )
    repeated = sum(len(fold.excluded) for fold in told.folds)
    if repeated:
        yield Note("excluded", f"{plural(repeated, 'test')} left out: a near-duplicate was in training.")
    few = sum(len(fold.test) < min_test for fold in told.folds)
    if few:
        yield Note(
            "few_tests", f"{few} of {len(told.folds)} periods have fewer than {min_test} tests: read the counts."
        )
    if told.mode == "forward" and asked is not None and len(told.folds) < asked:
        yield Note("joined", f"{len(told.folds)} periods instead of {asked}: shorter ones had too few messages.")
    if told.mode == "forward":
        yield Note(
            "frozen",
            "The frozen model rightly declines topics that it never learnt, so its accuracy can stay high while it "
            "helps fewer people: compare the share of messages answered rightly.",
        )
    else:
        yield Note("past", "Interleaved tests are older than the last training row: they look back, not ahead.")


def _other_notes(data: Dataset, engine: AnyClassifier) -> Iterator[Note]:
    yield from (Note("excluded_row", note) for note in data.remarks)
    yield from (Note("vectors", note[:1].upper() + note[1:] + ".") for note in getattr(engine, "notes", ()))
