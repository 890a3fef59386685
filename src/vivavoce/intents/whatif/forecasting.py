"""What edits of training data would bring, before anybody makes them.

The data are examined before and after on the same splits, with fits that have converged. The splits are not those of
an exam with the same seed: a pair of topics that was picked because it looked bad there would look better anywhere.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vivavoce.classifiers.protocol import Prepared, PreparingClassifier, RelabellingPrepared
from vivavoce.classifiers.protocol import Progress as ReadingProgress
from vivavoce.intents.exam import PLAIN, as_dataset, check_threshold, load_classifier
from vivavoce.intents.material import Material
from vivavoce.intents.notes import CONSISTENCY
from vivavoce.intents.record import ExamRecord, UnitFailure, UnitKey, UnitResult
from vivavoce.intents.result import DataFacts, Note, Result
from vivavoce.intents.runner import AnyClassifier, Progress, Unit, run_units
from vivavoce.intents.splits import Design, Partition, Rows, Singletons, SplitPlan
from vivavoce.intents.whatif.coding import EditedMaterial, EditedPlan
from vivavoce.intents.whatif.edits import Edit, RetireTopic, apply_edit, as_edits
from vivavoce.intents.whatif.effects import (
    CONFIDENCE,
    ChangedQuestion,
    Effect,
    list_changes,
    measure_effects,
    pair_rounds,
)
from vivavoce.records import Dataset
from vivavoce.settings import Settings

# What is added to a seed, so that a forecast draws other splits than the exam with that seed.
FRESH = 1_000_003


@dataclass(frozen=True, eq=False)
class Forecast(Result):
    """What edits would bring, at setting (0, 0), where every topic is tested as itself.

    `effects`: on accuracy, automation rate and precision of answered, over all questions. `on_topics`: the same for
    the questions of the edited topics alone. `by_later_topics`: of a merge, the effect on accuracy if the answers
    before were judged as if the topics were already one: what is left are the questions that the bot understands
    better. Of a split, the effect if those who ask the new topic needed another answer before, too.
    `refits`: how many rounds had to be trained again.
    """

    data: DataFacts
    after: DataFacts
    classifier: str
    threshold: float
    seed: int
    rounds: int
    refits: int
    confidence: float
    edits: tuple[Edit, ...]
    effects: Mapping[str, Effect]
    on_topics: Mapping[str, Effect]
    by_later_topics: Effect | None
    improved: tuple[ChangedQuestion, ...]
    broken: tuple[ChangedQuestion, ...]
    warnings: tuple[Note, ...]
    failures: tuple[UnitFailure, ...] = ()

    @property
    def sentence(self) -> str:
        """The verdict in one sentence."""
        from vivavoce.intents.whatif.wording import describe_forecast

        return describe_forecast(self)

    def _repr_html_(self) -> str:
        """Show the verdict in a notebook."""
        from html import escape

        return f"<p>{escape(self.sentence)}</p>"


class Forecaster:
    """Forecasts edits of one data set. What is known of the data before is found once, for all edits.

    `retries`: rounds; fewer make a preview, with wider intervals. `seed`: as of the exam that suggested the edits;
    the splits are others.
    """

    def __init__(
        self,
        data: Dataset | tuple[Sequence[str], Sequence[str | None]],
        classifier: str | AnyClassifier = "linear",
        *,
        retries: int = Settings.retries,
        threshold: float = 0.5,
        test_fraction: float = Settings.test_fraction,
        partition: Partition | str = Partition.KFOLD,
        singletons: Singletons | str = Singletons.TRAIN,
        seed: int = 0,
        workers: int = 0,
        progress: Progress | None = None,
    ) -> None:
        self.material = Material.of(as_dataset(data))
        self.threshold, self.seed = check_threshold(threshold), seed
        design = Design(PLAIN, retries, test_fraction, Partition(partition), Singletons(singletons), FRESH + seed)
        self.plan = SplitPlan(self.material.labels, design, self.material.groups)
        engine = load_classifier(classifier, self.material.data)
        self.classifier = _Rereader(engine) if isinstance(engine, PreparingClassifier) else engine
        self._workers, self._progress = workers or os.cpu_count() or 1, progress
        self._before: ExamRecord | None = None

    def forecast(self, edit: Edit | Sequence[Edit]) -> Forecast:
        """Return what one edit or several would bring."""
        edits, base = as_edits(edit), self.material
        after = apply_edit(base.data, edits)
        # Refuses what could not be examined: a single topic, for instance.
        Material.of(after, leak_proof=False)
        edited = EditedMaterial.of(base, after, edits)
        before, record, refits = self._examine_before(), *self._examine_after(edited)
        old, new = before.of(PLAIN), record.of(PLAIN)
        rounds = pair_rounds(old, new, edited)
        improved, broken = list_changes(rounds, edited, base.topics, self.threshold)
        later = pair_rounds(old, new, edited, later=True) if edited.later is not None else None
        return Forecast(
            data=DataFacts.of(base.data),
            after=DataFacts.of(after),
            classifier=self.classifier.name,
            threshold=self.threshold,
            seed=self.seed,
            rounds=len(rounds),
            refits=refits,
            confidence=CONFIDENCE,
            edits=edits,
            effects=measure_effects(rounds, edited, self.threshold),
            on_topics=measure_effects(rounds, edited, self.threshold, edited.touched),
            by_later_topics=measure_effects(later, edited, self.threshold)["accuracy"] if later else None,
            improved=improved,
            broken=broken,
            warnings=tuple(_find_notes(edits, len(rounds))),
            failures=(*before.failures, *record.failures),
        )

    def _examine_before(self) -> ExamRecord:
        if self._before is None:
            units = [Unit(UnitKey(PLAIN, retry), self.plan) for retry in range(len(self.plan))]
            self._before = self._run(units, self.material)
        return self._before

    def _examine_after(self, edited: EditedMaterial) -> tuple[ExamRecord, int]:
        """Train again only the rounds whose training examples change."""
        plan = EditedPlan(self.plan, edited)
        units = [Unit(UnitKey(PLAIN, retry), plan) for retry in range(len(plan)) if plan.changes(retry)]
        record = self._run(units, edited.material) if units else ExamRecord(())
        again = {unit.key for unit in units}
        kept: list[UnitResult] = [result for result in self._examine_before() if result.key not in again]
        return ExamRecord((*kept, *record.results), record.failures), len(units)

    def _run(self, units: Sequence[Unit], material: Material) -> ExamRecord:
        return run_units(units, material, self.classifier, workers=self._workers, progress=self._progress)


def forecast(
    data: Dataset | tuple[Sequence[str], Sequence[str | None]],
    edit: Edit | Sequence[Edit],
    classifier: str | AnyClassifier = "linear",
    *,
    retries: int = Settings.retries,
    threshold: float = 0.5,
    test_fraction: float = Settings.test_fraction,
    partition: Partition | str = Partition.KFOLD,
    singletons: Singletons | str = Singletons.TRAIN,
    seed: int = 0,
    workers: int = 0,
    progress: Progress | None = None,
) -> Forecast:
    """Return what an edit, or several together, would bring; for many edits of the same data use `Forecaster`."""
    forecaster = Forecaster(
        data,
        classifier,
        retries=retries,
        threshold=threshold,
        test_fraction=test_fraction,
        partition=partition,
        singletons=singletons,
        seed=seed,
        workers=workers,
        progress=progress,
    )
    return forecaster.forecast(edit)


def _find_notes(edits: Sequence[Edit], rounds: int) -> Iterator[Note]:
    if any(isinstance(edit, RetireTopic) for edit in edits):
        text = "The questions of a dropped topic still come: they count as out of scope, and declining them is right."
        yield Note("retired", text)
    if rounds < Settings.retries:
        text = f"A preview: {rounds} rounds instead of {Settings.retries}, so the intervals are wider."
        yield Note("preview", text)
    yield Note("consistency", CONSISTENCY)


class _Rereader:
    """A classifier that reads the texts once: under other topics, what it knows of them is used again."""

    def __init__(self, engine: PreparingClassifier) -> None:
        self.engine, self.name = engine, engine.name
        self._texts: Sequence[str] = ()
        self._prepared: Prepared | None = None

    def prepare(self, texts: Sequence[str], labels: Rows, progress: ReadingProgress | None = None) -> Prepared:
        """Read the texts, or give them other topics."""
        labels = np.asarray(labels, dtype=np.intp)
        if self._prepared is None:
            self._texts, self._prepared = texts, self.engine.prepare(texts, labels, progress)
            return self._prepared
        if texts == self._texts and isinstance(self._prepared, RelabellingPrepared):
            return self._prepared.relabel(labels)
        return self.engine.prepare(texts, labels, progress)
