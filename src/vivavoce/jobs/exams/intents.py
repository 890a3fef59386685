"""The intents exam in units: one split each, and one that reads the texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vivavoce.intents import exam
from vivavoce.intents.borrowing import measure_borrowing
from vivavoce.intents.findings import Pooled
from vivavoce.intents.material import Material
from vivavoce.intents.record import UnitResult
from vivavoce.intents.result import IntentsResult
from vivavoce.intents.runner import Unit
from vivavoce.intents.similarity import text_vectors
from vivavoce.intents.splits import Setting
from vivavoce.jobs.exams.documents import (
    canonical_json,
    dataset_from_bytes,
    dataset_to_bytes,
    figure_documents,
    find_unit,
    html_document,
    json_document,
    remarks_on,
)
from vivavoce.jobs.exams.kinds import INTENTS
from vivavoce.jobs.exams.preparation import (
    Lesson,
    Task,
    count_texts,
    describe_reading,
    gather,
    prepare_engine,
    prepare_task,
    result_to_bytes,
    schedule,
    setting_name,
    timings_json,
    unit_name,
)
from vivavoce.jobs.exams.protocol import (
    Conclusion,
    Document,
    Exam,
    Finished,
    Measure,
    Options,
    Outcome,
    StageProgress,
    UnitPlan,
    Work,
)
from vivavoce.messages import say
from vivavoce.outcomes import Outcome as Kind
from vivavoce.outcomes import outcome_places
from vivavoce.text.vectors import encoder_available

__all__ = ["Intents", "dataset_from_bytes", "dataset_to_bytes"]

READING = UnitPlan("texts", "reading the texts")
# An out-of-scope question left unanswered counts as right.
RIGHT = (Kind.RIGHT, Kind.DECLINED, Kind.DECLINED_NO_GUESS)
WRONG = (Kind.WRONG_INTENT, Kind.OVERREACH)


class Intents(Exam):
    """Cross-validation of training data; the material is a data set as `dataset_to_bytes` writes it."""

    kind = INTENTS

    def plan(self, material: bytes, options: Options) -> tuple[UnitPlan, ...]:
        """Return the reading of the texts, where the engine does it at once, and every split."""
        checked = self.check(options)
        task, language = prepare_task(material, checked), checked["borrow"]
        engines = {lesson: task.load(checked["classifier"], language, lesson) for lesson in _list_lessons(language)}
        titles = {
            key: f"{engines[lesson].name}: {unit.key}" if language else str(unit.key)
            for lesson in engines
            for key, unit in _plan_units(task, lesson).items()
        }
        return tuple(schedule(engines[Lesson.BOTH], titles, READING))

    def perform(self, work: Work) -> bytes:
        """Train and test one split, or read the texts."""
        checked = self.check(work.options)
        lesson = next(each for each in reversed(Lesson) if work.key.startswith(each))
        prepared = prepare_engine(work.run, checked["classifier"], work.material, checked, lesson)
        if work.key == READING.key:
            # The conclusion reads the same texts: vectors are kept on disk, and nobody waits for them there.
            return canonical_json({"texts": len(text_vectors(prepared.task.material))})
        unit = find_unit(_plan_units(prepared.task, lesson), work.key)
        return result_to_bytes(prepared.work(unit), prepared.engine)

    def stage_facts(self, material: bytes, options: Options) -> dict[str, int]:
        """Return how many texts there are, and whether sentence vectors are loaded to read them."""
        return {**count_texts(material), "vectors": int(encoder_available())}

    def describe_stage(self, facts: Mapping[str, int], progress: StageProgress) -> str:
        """Say whether the texts are read, which round it is (of all settings), or that the answers are counted."""
        readings = int(progress.first == READING.key)
        if progress.concluding or (readings and not progress.begun):
            return describe_reading(facts, progress)
        rounds = progress.total - readings
        number = max(1, min(progress.over - readings + 1, rounds))
        return say("round {number:,} of {rounds:,}", number=number, rounds=rounds)

    def conclude(self, material: bytes, options: Options, finished: Finished) -> Conclusion:
        """Say what the splits mean, as an exam in one go would."""
        checked = self.check(options)
        task, threshold, language = prepare_task(material, checked), checked["threshold"], checked["borrow"]
        units = {lesson: _plan_units(task, lesson) for lesson in _list_lessons(language)}
        splits = gather(units[Lesson.BOTH], finished, checked["classifier"])
        run, text = splits.record(), exam.judge_texts(task.material)
        result = exam.conclude(
            run,
            task.material,
            task.plans,
            splits.engine,
            threshold=threshold,
            text=text,
            out_of_scope_share=checked["out_of_scope_share"],
        )
        rivals = [gather(units[lesson], finished, lesson) for lesson in units if lesson]
        main = _choose_main(task)
        # A bot that failed in every round cannot be compared; the others are still worth reading.
        if language and all(rival.results for rival in rivals):
            runs = {each.engine.name: each.record() for each in (splits, *rivals)}
            lender = language, len(task.borrowed)
            borrowed = measure_borrowing(runs, lender, task.material, task.plans[main], threshold=threshold)
            result = replace(result, borrowed=borrowed)
        outcomes = _list_outcomes(run.of(main), task.material, threshold)
        # An outcome has the place of its example in the material of the run.
        placed = (replace(outcome, place=task.places[outcome.place]) for outcome in outcomes)
        conclusion = describe_result(result, tuple(placed))
        remarks = remarks_on(finished, [READING.key, *(key for own in units.values() for key in own)])
        rows = [{"k": row["k"], "p": row["p"], **row["timing"]} for row in result.to_json()["settings"]]
        timed = json_document("timings.json", {"settings": rows, "units": timings_json(splits.results)})
        return replace(
            conclusion,
            documents=(*conclusion.documents, timed, *_draw(result)),
            warnings=(*conclusion.warnings, *remarks),
        )

    def illustrate(self, findings: Mapping[str, Any], material: bytes, finished: Finished) -> Iterable[Document]:
        """Yield report and charts."""
        from vivavoce.intents.json_form import intents_result_from_json

        return _draw(intents_result_from_json(findings))


def describe_result(result: IntentsResult, outcomes: tuple[Outcome, ...]) -> Conclusion:
    """Return what follows from a result, without what was timed and drawn."""
    from vivavoce.reports.intents import wording

    findings = result.to_json()
    for row in findings["settings"]:
        row.pop("timing", None)
    return Conclusion(
        headline=wording.headline(result),
        measures=tuple(_list_measures(result)),
        outcomes=outcomes,
        documents=(json_document("findings.json", findings),),
        warnings=tuple(note.message for note in result.warnings),
    )


def _list_lessons(language: str | None) -> tuple[Lesson, ...]:
    return tuple(Lesson) if language else (Lesson.BOTH,)


def _choose_main(task: Task) -> Setting:
    return exam.representative(next(iter(task.plans)), task.plans)


def _plan_units(task: Task, lesson: Lesson) -> dict[str, Unit]:
    """Return all splits; of what is only compared with the bot, those of the first setting."""
    units = exam.plan_units(task.plans, task.material)
    if lesson is Lesson.BOTH:
        return {unit_name(unit.key): unit for unit in units}
    main = _choose_main(task)
    compared = [unit for unit in units if unit.key.setting == main and unit.key.leak_proof]
    return {f"{lesson}/{unit_name(unit.key)}": unit for unit in compared}


def _list_measures(result: IntentsResult) -> Iterator[Measure]:
    for findings in result.settings:
        scope = setting_name(findings.setting)
        yield from (Measure(scope, name, rate) for name, rate in findings.rates.items())


def _draw(result: IntentsResult) -> Iterator[Document]:
    from vivavoce.reports.intents.charts import intents_figures
    from vivavoce.reports.intents.html import render_result

    yield html_document("report.html", render_result(result))
    yield from figure_documents(intents_figures(result))


def _list_outcomes(results: Sequence[UnitResult], material: Material, threshold: float) -> Iterator[Outcome]:
    """Yield the outcome of each tested example, in the order of the data."""
    if not results:
        return
    pooled = Pooled.of(results, material)
    items = pooled.items
    places = outcome_places(items.truth, items.guess, items.confidence, threshold)
    height, width = len(material), len(Kind)
    flat = np.bincount(pooled.row * width + places, minlength=height * width)
    counts = flat.reshape(height, width).astype(np.intp)
    sure = np.bincount(pooled.row, weights=items.confidence, minlength=len(material))
    # Only tests with the usual outcome of the example: a wrong answer is never shown with the right guess of a test
    # in which the bot kept silent.
    typical = places == counts.argmax(axis=1)[pooled.row]
    guesses = _find_frequent(pooled.row[typical], items.guess[typical])
    kinds = list(Kind)
    for row in np.flatnonzero(counts.sum(axis=1)).tolist():
        example, total = material.data.examples[row], int(counts[row].sum())
        right, wrong = (int(sum(counts[row][kinds.index(kind)] for kind in group)) for group in (RIGHT, WRONG))
        yield Outcome(
            place=row,
            text=example.text,
            intent=example.intent,
            guess=material.name(guesses[row]),
            confidence=float(sure[row]) / total,
            outcome=str(kinds[int(counts[row].argmax())]),
            right=right,
            deferred=total - right - wrong,
            wrong=wrong,
        )


def _find_frequent(rows: NDArray[np.intp], guesses: NDArray[np.intp]) -> dict[int, int]:
    """Return the most frequent guess of each row; of two as frequent, the topic that comes first."""
    pairs, times = np.unique(np.stack([rows, guesses]), axis=1, return_counts=True)
    # Sorted so that the most frequent guess of a row comes last, and stays.
    order = np.lexsort((-pairs[1], times))
    return dict(zip(pairs[0][order].tolist(), pairs[1][order].tolist(), strict=True))
