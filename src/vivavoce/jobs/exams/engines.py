"""Engines side by side in units: one engine on one split each, the same splits for all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from vivavoce.errors import VivaError
from vivavoce.intents.comparison import ComparisonResult, EngineFailure, conclude_comparison, plan_comparison
from vivavoce.intents.exam import load_classifier
from vivavoce.intents.record import ExamRecord
from vivavoce.intents.runner import AnyClassifier, Unit
from vivavoce.jobs.exams.bookkeeping import find_unit, remarks_on
from vivavoce.jobs.exams.documents import canonical_json, figure_documents, html_document, json_document
from vivavoce.jobs.exams.kinds import ENGINES
from vivavoce.jobs.exams.preparation import (
    Gathered,
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
    Json,
    Measure,
    Options,
    UnitPlan,
    Work,
)

__all__ = ["Engines"]


class Engines(Exam):
    """A comparison of classifiers; the material is a data set as `dataset_to_bytes` writes it."""

    kind = ENGINES

    def plan(self, material: bytes, options: Options) -> tuple[UnitPlan, ...]:
        """Return every split of every engine, one engine after the other."""
        checked = self.check(options)
        task = task_of(material, checked)
        return tuple(plan for place, name in enumerate(checked["classifiers"]) for plan in _plans(place, name, task))

    def perform(self, work: Work) -> bytes:
        """Train and test one engine on one split, or let it read the texts."""
        checked = self.check(work.options)
        names, task = checked["classifiers"], task_of(work.material, checked)
        jobs = {
            key: (name, unit)
            for place, name in enumerate(names)
            for key, unit in {_reading(place): None, **_units(place, task)}.items()
        }
        name, unit = find_unit(jobs, work.key)
        bench = bench_of(work.run, name, work.material, checked)
        if unit is None:
            return canonical_json({"texts": len(task.material)})
        return result_to_bytes(bench.work(unit), bench.engine)

    def conclude(self, material: bytes, options: Options, finished: Finished) -> Conclusion:
        """Say which engine is better, as a comparison in one go would."""
        from vivavoce.reports.intents.comparison import comparison_headline

        checked = self.check(options)
        task = task_of(material, checked)
        plans = {name: _units(place, task) for place, name in enumerate(checked["classifiers"])}
        found = {name: gather(units, finished, name) for name, units in plans.items()}
        runs = {name: _run(name, one) for name, one in found.items()}
        facts = {name: one.engine for name, one in found.items()}
        result = conclude_comparison(runs, facts, task.plans, task.material, checked["threshold"])
        known = [key for place, units in enumerate(plans.values()) for key in (_reading(place), *units)]
        return Conclusion(
            headline=comparison_headline(result),
            measures=tuple(_measures(result)),
            documents=tuple(_documents(result, found)),
            warnings=(*(note.message for note in result.warnings), *remarks_on(finished, known)),
        )


# --- units -------------------------------------------------------------------------------------------------------


def _reading(place: int) -> str:
    return f"{place + 1}/texts"


def _units(place: int, task: Task) -> dict[str, Unit]:
    # By the place in the options: names of engines may be long and hold anything.
    return {f"{place + 1}/{unit_name(unit.key)}": unit for unit in plan_comparison(task.plans)}


def _plans(place: int, name: str, task: Task) -> Iterator[UnitPlan]:
    titles = {key: f"{name}: {unit.key}" for key, unit in _units(place, task).items()}
    return schedule(_loaded(name), titles, UnitPlan(_reading(place), f"{name}: reading the texts"))


def _loaded(name: str) -> AnyClassifier | None:
    """Return the engine; one that cannot be loaded fails in its units and leaves the others alone."""
    try:
        return load_classifier(name)
    except VivaError:
        return None


def _run(name: str, found: Gathered) -> ExamRecord | EngineFailure:
    try:
        return found.record()
    except VivaError as error:
        return EngineFailure(name, error.what)


# --- the conclusion ----------------------------------------------------------------------------------------------


def _measures(result: ComparisonResult) -> Iterator[Measure]:
    for one in result.classifiers:
        for findings in one.settings:
            scope = f"{one.name} at {setting_name(findings.setting)}"
            yield from (Measure(scope, name, rate) for name, rate in findings.rates.items())


def _documents(result: ComparisonResult, found: Mapping[str, Gathered]) -> Iterator[Document]:
    from vivavoce.reports.intents.charts import comparison_figures
    from vivavoce.reports.intents.comparison import render_comparison

    timed: Sequence[dict[str, Json]] = [
        {"classifier": name, **line} for name, one in found.items() for line in timings_json(one.results)
    ]
    yield json_document("findings.json", result.to_json())
    yield json_document("timings.json", {"units": timed})
    yield html_document("report.html", render_comparison(result))
    yield from figure_documents(comparison_figures(result))
