"""Comparison of classifiers in units: one classifier on one split each, the same splits for all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from vivavoce.errors import VivaError
from vivavoce.intents.comparison import ComparisonResult, EngineFailure, conclude_comparison, plan_comparison
from vivavoce.intents.exam import load_classifier
from vivavoce.intents.record import ExamRecord
from vivavoce.intents.runner import Unit
from vivavoce.jobs.exams.documents import (
    canonical_json,
    figure_documents,
    find_unit,
    html_document,
    json_document,
    remarks_on,
)
from vivavoce.jobs.exams.kinds import ENGINES
from vivavoce.jobs.exams.preparation import (
    Gathered,
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
    Json,
    Measure,
    Options,
    StageProgress,
    UnitPlan,
    Work,
)
from vivavoce.messages import say


class Engines(Exam):
    """A comparison of classifiers; the material is a data set as `dataset_to_bytes` writes it."""

    kind = ENGINES

    def plan(self, material: bytes, options: Options) -> tuple[UnitPlan, ...]:
        """Return every split of every engine, one engine after the other."""
        checked = self.check(options)
        task = prepare_task(material, checked)
        plans: list[UnitPlan] = []
        for place, name in enumerate(checked["classifiers"]):
            try:
                engine = load_classifier(name)
            except VivaError:
                # It fails in its units and leaves the others alone.
                engine = None
            titles = {key: f"{name}: {unit.key}" for key, unit in _plan_units(place, task).items()}
            plans += schedule(engine, titles, UnitPlan(_reading_key(place), f"{name}: reading the texts"))
        return tuple(plans)

    def perform(self, work: Work) -> bytes:
        """Train and test one engine on one split, or let it read the texts."""
        checked = self.check(work.options)
        names, task = checked["classifiers"], prepare_task(work.material, checked)
        jobs = {
            key: (name, unit)
            for place, name in enumerate(names)
            for key, unit in {_reading_key(place): None, **_plan_units(place, task)}.items()
        }
        name, unit = find_unit(jobs, work.key)
        prepared = prepare_engine(work.run, name, work.material, checked)
        if unit is None:
            return canonical_json({"texts": len(task.material)})
        return result_to_bytes(prepared.work(unit), prepared.engine)

    def stage_facts(self, material: bytes, options: Options) -> dict[str, int]:
        """Return how many texts there are."""
        return count_texts(material)

    def describe_stage(self, facts: Mapping[str, int], progress: StageProgress) -> str:
        """Say whether the texts are read, the classifiers are trained, or the answers are counted."""
        if progress.concluding or not progress.begun:
            return describe_reading(facts, progress)
        return say("training and testing the classifiers")

    def conclude(self, material: bytes, options: Options, finished: Finished) -> Conclusion:
        """Say which engine is better, as a comparison in one go would."""
        from vivavoce.reports.intents.comparison import comparison_headline

        checked = self.check(options)
        task = prepare_task(material, checked)
        plans = {name: _plan_units(place, task) for place, name in enumerate(checked["classifiers"])}
        gathered = {name: gather(units, finished, name) for name, units in plans.items()}
        runs: dict[str, ExamRecord | EngineFailure] = {}
        for name, splits in gathered.items():
            try:
                runs[name] = splits.record()
            except VivaError as error:
                runs[name] = EngineFailure(name, error.what)
        facts = {name: splits.engine for name, splits in gathered.items()}
        result = conclude_comparison(runs, facts, task.plans, task.material, checked["threshold"])
        known = [key for place, units in enumerate(plans.values()) for key in (_reading_key(place), *units)]
        return Conclusion(
            headline=comparison_headline(result),
            measures=tuple(_list_measures(result)),
            documents=tuple(_build_documents(result, gathered)),
            warnings=(*(note.message for note in result.warnings), *remarks_on(finished, known)),
        )


def _reading_key(place: int) -> str:
    return f"{place + 1}/texts"


def _plan_units(place: int, task: Task) -> dict[str, Unit]:
    # By the place in the options: names of engines may be long and hold anything.
    return {f"{place + 1}/{unit_name(unit.key)}": unit for unit in plan_comparison(task.plans)}


def _list_measures(result: ComparisonResult) -> Iterator[Measure]:
    for classifier in result.classifiers:
        for findings in classifier.settings:
            scope = f"{classifier.name} at {setting_name(findings.setting)}"
            yield from (Measure(scope, name, rate) for name, rate in findings.rates.items())


def _build_documents(result: ComparisonResult, gathered: Mapping[str, Gathered]) -> Iterator[Document]:
    from vivavoce.reports.intents.charts import comparison_figures
    from vivavoce.reports.intents.comparison import render_comparison

    timed: Sequence[dict[str, Json]] = [
        {"classifier": name, **line} for name, splits in gathered.items() for line in timings_json(splits.results)
    ]
    yield json_document("findings.json", result.to_json())
    yield json_document("timings.json", {"units": timed})
    yield html_document("report.html", render_comparison(result))
    yield from figure_documents(comparison_figures(result))
