"""The intents exam in units: one split each, and one that reads the texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from vivavoce.intents import exam
from vivavoce.intents.findings import Pooled
from vivavoce.intents.material import Material
from vivavoce.intents.record import UnitResult
from vivavoce.intents.result import IntentsResult
from vivavoce.intents.runner import Unit
from vivavoce.intents.similarity import text_vectors
from vivavoce.jobs.exams.bookkeeping import find_unit, remarks_on
from vivavoce.jobs.exams.documents import (
    canonical_json,
    dataset_from_bytes,
    dataset_to_bytes,
    figure_documents,
    html_document,
    json_document,
)
from vivavoce.jobs.exams.kinds import INTENTS
from vivavoce.jobs.exams.preparation import (
    Bench,
    Task,
    bench_of,
    gather,
    result_to_bytes,
    schedule,
    setting_name,
    task_of,
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
    UnitPlan,
    Work,
)
from vivavoce.outcomes import Outcome as Kind
from vivavoce.outcomes import outcome_places

__all__ = ["Intents", "dataset_from_bytes", "dataset_to_bytes"]

READING = UnitPlan("texts", "reading the texts")
# A stranger left unanswered was treated rightly, so it counts as right.
RIGHT = (Kind.RIGHT, Kind.DECLINED, Kind.DECLINED_NO_GUESS)
WRONG = (Kind.WRONG_INTENT, Kind.OVERREACH)


class Intents(Exam):
    """Cross-validation of training data; the material is a data set as `dataset_to_bytes` writes it."""

    kind = INTENTS

    def plan(self, material: bytes, options: Options) -> tuple[UnitPlan, ...]:
        """Return the reading of the texts, where the engine does it at once, and every split."""
        checked = self.check(options)
        units = _units(task_of(material, checked))
        titles = {name: str(unit.key) for name, unit in units.items()}
        return tuple(schedule(exam.load_classifier(checked["classifier"]), titles, READING))

    def perform(self, work: Work) -> bytes:
        """Train and test one split, or read the texts."""
        checked = self.check(work.options)
        bench = bench_of(work.run, checked["classifier"], work.material, checked)
        if work.key == READING.key:
            return _read(bench)
        unit = find_unit(_units(bench.task), work.key)
        return result_to_bytes(bench.work(unit), bench.engine)

    def conclude(self, material: bytes, options: Options, finished: Finished) -> Conclusion:
        """Say what the splits mean, as an exam in one go would."""
        from vivavoce.reports.intents import wording

        checked = self.check(options)
        task, threshold = task_of(material, checked), checked["threshold"]
        units = _units(task)
        found = gather(units, finished, checked["classifier"])
        run, text = found.record(), exam.judge_texts(task.material)
        result = exam.conclude(
            run,
            task.material,
            task.plans,
            found.engine,
            threshold=threshold,
            text=text,
            out_of_scope_share=checked["out_of_scope_share"],
        )
        main = exam.representative(next(iter(task.plans)), task.plans)
        return Conclusion(
            headline=wording.headline(result),
            measures=tuple(_measures(result)),
            outcomes=tuple(_outcomes(run.of(main), task.material, threshold)),
            documents=tuple(_documents(result, found.results)),
            warnings=(
                *(note.message for note in result.warnings),
                *remarks_on(finished, [READING.key, *units]),
            ),
        )


def _units(task: Task) -> dict[str, Unit]:
    return {unit_name(unit.key): unit for unit in exam.plan_units(task.plans, task.material)}


def _read(bench: Bench) -> bytes:
    """Read what the conclusion reads too: vectors are kept on disk, and nobody waits for them there."""
    vectors = text_vectors(bench.task.material)
    return canonical_json({"texts": len(vectors)})


# --- the conclusion ----------------------------------------------------------------------------------------------


def _measures(result: IntentsResult) -> Iterator[Measure]:
    for findings in result.settings:
        scope = setting_name(findings.setting)
        yield from (Measure(scope, name, rate) for name, rate in findings.rates.items())


def _documents(result: IntentsResult, results: Sequence[UnitResult]) -> Iterator[Document]:
    from vivavoce.reports.intents.charts import intents_figures
    from vivavoce.reports.intents.html import render_result

    findings = result.to_json()
    timed = [{"k": one["k"], "p": one["p"], **one.pop("timing")} for one in findings["settings"]]
    yield json_document("findings.json", findings)
    yield json_document("timings.json", {"settings": timed, "units": timings_json(results)})
    yield html_document("report.html", render_result(result))
    yield from figure_documents(intents_figures(result))


# --- each question -----------------------------------------------------------------------------------------------


def _outcomes(results: Sequence[UnitResult], material: Material, threshold: float) -> Iterator[Outcome]:
    """Yield what became of each example that was tested, in the order of the data."""
    if not results:
        return
    pooled = Pooled.of(results, material)
    items = pooled.items
    places = outcome_places(items.truth, items.guess, items.confidence, threshold)
    counts = _tally(pooled.row, places, len(material), len(Kind))
    sure = np.bincount(pooled.row, weights=items.confidence, minlength=len(material))
    # Only tests that came out as the example mostly did: a wrong answer is never shown with the right guess of a test
    # in which the bot kept silent.
    typical = places == counts.argmax(axis=1)[pooled.row]
    guesses = _frequent(pooled.row[typical], items.guess[typical])
    for row in np.flatnonzero(counts.sum(axis=1)).tolist():
        yield _outcome(material, row, counts[row], guesses[row], float(sure[row]))


def _outcome(material: Material, row: int, counts: NDArray[np.intp], guess: int, sure: float) -> Outcome:
    example, kinds = material.data.examples[row], list(Kind)
    total = int(counts.sum())
    right, wrong = (int(sum(counts[kinds.index(kind)] for kind in group)) for group in (RIGHT, WRONG))
    return Outcome(
        place=row,
        text=example.text,
        intent=example.intent,
        guess=material.name(guess),
        confidence=sure / total,
        outcome=str(kinds[int(counts.argmax())]),
        right=right,
        deferred=total - right - wrong,
        wrong=wrong,
    )


def _tally(rows: NDArray[np.intp], places: NDArray[np.intp], height: int, width: int) -> NDArray[np.intp]:
    flat = np.bincount(rows * width + places, minlength=height * width)
    return flat.reshape(height, width).astype(np.intp)


def _frequent(rows: NDArray[np.intp], guesses: NDArray[np.intp]) -> dict[int, int]:
    """Return the most frequent guess of each row; of two as frequent, the topic that comes first."""
    pairs, times = np.unique(np.stack([rows, guesses]), axis=1, return_counts=True)
    # Sorted so that the most frequent guess of a row comes last, and stays.
    order = np.lexsort((-pairs[1], times))
    return dict(zip(pairs[0][order].tolist(), pairs[1][order].tolist(), strict=True))
