"""A bot's life played back: train on what was known at a time, test on what came next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

import numpy as np

from vivavoce.errors import DataError, Fault, UsageError, plural
from vivavoce.files.columns import SYNONYMS
from vivavoce.files.dates import unreadable_date_rows
from vivavoce.intents.cuts import Fold, History
from vivavoce.intents.exam import check_threshold, load_classifier
from vivavoce.intents.material import Material
from vivavoce.intents.measures import Items, counts_of
from vivavoce.intents.record import Answers
from vivavoce.intents.result import DataFacts, Note, Result, list_items, rate_table
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
class TimelineResult(Result):
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

    def _repr_html_(self) -> str:
        """Show the periods in a notebook."""
        names = ("accuracy", "automation_rate", "precision_answered", "new_topic_share")
        # Two periods may begin and end on the same days.
        rows = [(f"{each.begin:%Y-%m-%d} to {each.end:%Y-%m-%d}", each.rates) for each in self.periods]
        notes = list_items(note.message for note in self.warnings)
        return f"{rate_table(self.classifier, names, rows)}<ul>{notes}</ul>"


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
    check_threshold(threshold)
    _check_options(mode, periods, min_test, undated)
    ordered, dropped = _sort_by_date(data, undated)
    engine, material = load_classifier(classifier, ordered), Material.of(ordered)
    history = History(tuple(_read_moment(example) for example in ordered), material.labels, material.groups)
    folds = history.forward(periods, min_test) if mode == "forward" else history.interleaved(periods)
    if not any(len(fold.test) for fold in folds):
        raise DataError(
            f"the history of {len(ordered)} rows is too short to split",
            where=data.source,
            remedy=f"there must be two topics and {min_test} rows before the first split, and new messages after it",
        )
    answers, frozen = _ask_models(row_trainer(engine, material, progress), folds, mode, progress)
    notes = [
        *_list_notes(history, folds, mode, periods=periods, min_test=min_test, undated=len(dropped)),
        *(Note("excluded_row", note) for note in ordered.remarks),
        *(Note("vectors", note[:1].upper() + note[1:] + ".") for note in getattr(engine, "notes", ())),
    ]
    parts = [_mark_unborn(fold, answer, material.labels) for fold, answer in zip(folds, answers, strict=True)]
    still = gain = None
    if frozen is not None:
        learnt = folds[0].train
        still = [_mark_unborn(f, answer, material.labels, learnt) for f, answer in zip(folds, frozen, strict=True)]
        # Message by message; near-duplicates are one case.
        right, before = (
            np.concatenate([items.right & (items.confidence >= threshold) for items, _ in side]).astype(float)
            for side in (parts, still)
        )
        groups = np.concatenate([material.groups[fold.test] for fold in folds])
        gain = paired_test(right.tolist(), before.tolist(), groups.tolist(), step=1.0)
    return TimelineResult(
        data=DataFacts.of(ordered),
        classifier=engine.name,
        mode=mode,
        threshold=threshold,
        seed=seed,
        periods=tuple(_build_periods(history, material, folds, parts, still, threshold=threshold)),
        # Interleaved steps test the same messages again and again: they cannot be added up.
        overall=_score(parts, threshold) if still else None,
        overall_frozen=_score(still, threshold) if still else None,
        maintenance=gain,
        undated=dropped,
        warnings=tuple(notes),
    )


def _check_options(mode: str, periods: int | None, min_test: int, undated: str) -> None:
    wrong = {
        "mode": (mode not in ("forward", "interleaved"), f"'{mode}' is neither 'forward' nor 'interleaved'"),
        "periods": (periods is not None and periods < 1, f"{periods} is less than 1"),
        "min_test": (min_test < 1, f"{min_test} is less than 1"),
        "undated": (undated not in ("refuse", "drop"), f"'{undated}' is neither 'refuse' nor 'drop'"),
    }
    faults = [Fault(message, name) for name, (is_wrong, message) in wrong.items() if is_wrong]
    if faults:
        raise UsageError("these options are invalid", faults=faults, remedy="fix the options above")


def _sort_by_date(data: Dataset, undated: str) -> tuple[Dataset, tuple[int, ...]]:
    """Return the dated rows from the oldest to the newest, and the numbers of those without a date."""
    missing = tuple(data.number(place) for place, example in enumerate(data) if example.created is None)
    if missing and len(missing) == len(data):
        if unreadable_date_rows(data.notes):
            what, remedy = "no example has a valid date", "write dates like 2024-12-31"
        else:
            plain, *others = SYNONYMS["created"]
            what = f"no example has a date: the file needs a column '{plain}'"
            remedy = f"add the column (other accepted names: {', '.join(others)}) with dates like 2024-12-31"
        raise DataError(what, where=data.source, remedy=remedy)
    if missing and undated != "drop":
        raise DataError(
            f"{len(missing)} of {len(data)} rows have no date",
            where=data.source,
            faults=[Fault("no date, or an invalid one", f"row {number}") for number in missing],
            remedy="fill in the column 'created', or skip such rows with --undated drop: each is listed",
        )
    dated = [place for place, example in enumerate(data) if example.created is not None]
    if len({example.created.tzinfo is None for example in data if example.created}) > 1:
        raise DataError(
            "some dates have a time zone and some do not",
            where=data.source,
            remedy="add a time zone to all of them: otherwise their order is unknown",
        )
    # A stable sort: rows of one moment keep the order of the file.
    return data.select(sorted(dated, key=lambda place: _read_moment(data.examples[place]))), missing


def _read_moment(example: Example) -> datetime:
    # Months and order are those of UTC, the same on every machine.
    created = example.created or datetime.min
    return created.astimezone(UTC) if created.tzinfo else created.replace(tzinfo=UTC)


def _ask_models(
    train: TrainRows, folds: Sequence[Fold], mode: Mode, progress: Progress | None
) -> tuple[list[Answers], list[Answers] | None]:
    """Ask each model its period, and the first model all periods before the engine is trained again."""
    first = train(folds[0].train)
    frozen = [first(fold.test) for fold in folds] if mode == "forward" else None
    answers = [frozen[0] if frozen else first(folds[0].test)]
    for done, fold in enumerate(folds[1:], 1):
        if progress:
            progress("examining", done, len(folds))
        answers.append(train(fold.train)(fold.test))
    if progress:
        progress("examining", len(folds), len(folds))
    return answers, frozen


# Messages with answers, and which of them have a topic that the model could not know.
_Part = tuple[Items, Flags]


def _mark_unborn(fold: Fold, answers: Answers, labels: Rows, learnt: Rows | None = None) -> _Part:
    true = labels[fold.test]
    unborn = (true >= 0) & ~np.isin(true, labels[fold.train if learnt is None else learnt])
    return Items(np.where(unborn, OUT_OF_SCOPE, true), answers.guess, answers.confidence), unborn


def _score(parts: Sequence[_Part], threshold: float) -> Scores:
    names = ("truth", "guess", "confidence")
    joined = Items(*(np.concatenate([getattr(items, name) for items, _ in parts]) for name in names))
    counts = counts_of(joined, threshold)
    shares = counts.shares()
    rates = {name: wilson(shares[name].hits, shares[name].n) for name in SHARES}
    rates["answered_right"] = wilson(counts[Outcome.RIGHT], counts.total)
    rates["new_topic_share"] = wilson(sum(int(unborn.sum()) for _, unborn in parts), counts.total)
    return Scores(rates, counts)


def _build_periods(
    history: History,
    material: Material,
    folds: Sequence[Fold],
    parts: Sequence[_Part],
    still: Sequence[_Part] | None,
    *,
    threshold: float,
) -> Iterator[Period]:
    for place, (fold, part) in enumerate(zip(folds, parts, strict=True)):
        rows = np.sort(np.concatenate([fold.test, fold.excluded]))
        yield Period(
            begin=history.moments[rows[0]],
            end=history.moments[rows[-1]],
            n_train=len(fold.train),
            n_test=len(fold.test),
            n_excluded=len(fold.excluded),
            new_topics=tuple(material.topics[c] for c in np.unique(material.labels[fold.test[part[1]]])),
            scores=_score([part], threshold),
            frozen=_score([still[place]], threshold) if still else None,
        )


def _list_notes(
    history: History, folds: Sequence[Fold], mode: Mode, *, periods: int | None, min_test: int, undated: int
) -> Iterator[Note]:
    if undated:
        yield Note("undated", f"{plural(undated, 'row')} without a date skipped.")
    for moment, n in history.bulk():
        yield Note(
            "bulk_import",
            (
                f"{n} of {len(history)} rows have the same time ({moment.isoformat()}), so they were "
                "imported together: they stay in one block, and their real order is unknown."
            ),
        )
    repeated = sum(len(fold.excluded) for fold in folds)
    if repeated:
        yield Note("excluded", f"{plural(repeated, 'test')} excluded: a near-duplicate was in training.")
    few = sum(len(fold.test) < min_test for fold in folds)
    if few:
        yield Note(
            "few_tests", (f"{few} of {len(folds)} periods have fewer than {min_test} tests: check the counts.")
        )
    if mode == "forward" and periods is not None and len(folds) < periods:
        yield Note("joined", f"{len(folds)} periods instead of {periods}: shorter ones had too few messages.")
    if mode == "forward":
        yield Note(
            "frozen",
            (
                "The frozen model rightly declines topics it was never trained on, so its accuracy can "
                "stay high while it helps fewer people: compare the share of messages answered "
                "correctly."
            ),
        )
    else:
        yield Note("past", "Interleaved tests are older than the last training row: they look back, not ahead.")
