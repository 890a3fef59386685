"""Engines side by side: identical splits, the range over the settings, and which differences are real."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

from vivavoce.errors import ClassifierError, Fault, UsageError, VivaError, plural
from vivavoce.intents.differences import Difference, Examined, differences_of
from vivavoce.intents.exam import (
    PLAIN,
    as_dataset,
    as_settings,
    check_threshold,
    load_classifier,
    plan_splits,
    record_header,
    representative,
)
from vivavoce.intents.findings import SettingFindings, find
from vivavoce.intents.material import Material
from vivavoce.intents.notes import CONSISTENCY, failure_text
from vivavoce.intents.record import ExamRecord, RecordFile, UnitFailure, UnitKey
from vivavoce.intents.result import DataFacts, Note, rate_cell
from vivavoce.intents.runner import AnyClassifier, AnyEngine, Progress, Unit, reason_of, run_units
from vivavoce.intents.splits import PAPER_SETTINGS, Design, Partition, Setting, Singletons, SplitPlan
from vivavoce.messages import join, say
from vivavoce.records import Dataset
from vivavoce.settings import Settings

Named = str | AnyClassifier | tuple[str, str | AnyClassifier]
Plans = dict[Setting, SplitPlan]


@dataclass(frozen=True, slots=True)
class Spread:
    """A number over the settings: its lowest, its highest, its mean. A setting equal to (0, 0) counts once."""

    low: float
    high: float
    mean: float

    @classmethod
    def of(cls, findings: Sequence[SettingFindings], name: str) -> Spread | None:
        """Return the spread of a rate; None where no setting has it."""
        own = [one.rates[name].value for one in findings if one.same_as is None]
        values = [value for value in own if value is not None]
        return cls(min(values), max(values), sum(values) / len(values)) if values else None


@dataclass(frozen=True, eq=False)
class ClassifierFindings:
    """One engine: its settings, and the range of its accuracy and of its AURC over them."""

    name: str
    settings: tuple[SettingFindings, ...]
    accuracy: Spread | None
    aurc: Spread | None
    failures: tuple[UnitFailure, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EngineFailure:
    """An engine of which nothing is known, and why."""

    name: str
    reason: str


@dataclass(frozen=True, eq=False)
class ComparisonResult:
    """The result of a comparison. A difference is said of its `a` against its `b`."""

    data: DataFacts
    design: Design
    threshold: float
    settings: tuple[Setting, ...]
    classifiers: tuple[ClassifierFindings, ...]
    differences: tuple[Difference, ...]
    failures: tuple[EngineFailure, ...]
    warnings: tuple[Note, ...]

    def between(self, a: str, b: str) -> Difference:
        """Return the difference of two engines, in the order in which they were given."""
        for difference in self.differences:
            if (difference.a, difference.b) == (a, b):
                return difference
        raise UsageError(f"'{a}' was not compared with '{b}' in this order")

    def to_json(self) -> dict[str, Any]:
        """Return the stable JSON form."""
        from vivavoce.intents.json_form import to_json

        return to_json(self)  # type: ignore[no-any-return]

    def _repr_html_(self) -> str:
        """Show ranges and verdicts in a notebook."""
        head = "".join(f"<th>accuracy at {setting}</th>" for setting in self.settings)
        rows = "".join(
            f"<tr><th>{escape(one.name)}</th>{''.join(rate_cell(f.rates['accuracy']) for f in one.settings)}"
            f"<td>{'n/a' if one.aurc is None else f'{one.aurc.mean:.3f}'}</td></tr>"
            for one in self.classifiers
        )
        said = "".join(f"<li>{escape(_sentence(one))}</li>" for one in self.differences)
        return f"<table><tr><th>engine</th>{head}<th>mean AURC</th></tr>{rows}</table><ul>{said}</ul>"


def _sentence(one: Difference) -> str:
    gap = one.pooled
    points = "n/a" if gap.test.difference is None else f"{100 * gap.test.difference:+.1f} points"
    more = f", about {gap.more_examples} more examples would decide" if gap.more_examples else ""
    return f"{one.a} against {one.b}: {gap.verdict} ({points}{more})"


def compare_classifiers(
    data: Dataset | tuple[Sequence[str], Sequence[str | None]],
    classifiers: Sequence[Named],
    *,
    settings: Sequence[Setting | tuple[int, float]] = PAPER_SETTINGS,
    retries: int = Settings.retries,
    threshold: float = 0.5,
    test_fraction: float = Settings.test_fraction,
    partition: Partition | str = Partition.KFOLD,
    singletons: Singletons | str = Singletons.TRAIN,
    seed: int = 0,
    executor: Executor | None = None,
    workers: int = 0,
    record: Path | str | None = None,
    progress: Progress | None = None,
) -> ComparisonResult:
    """Examine several engines on identical splits and say which differences are real.

    A classifier is a name, an object, or (name, either) where two would have the same name. `record` names a
    folder in which finished retries of every engine are kept. An engine that fails does not stop the others.
    """
    threshold = check_threshold(threshold)
    engines = _engines(classifiers)
    material = Material.of(as_dataset(data))
    base = Design(PLAIN, retries, test_fraction, Partition(partition), Singletons(singletons), seed)
    plans = plan_splits(material, base, as_settings(settings))
    files = _files(record, material, engines, base)
    run = partial(_run, plans=plans, material=material, executor=executor, workers=workers, progress=progress)
    runs = {name: run(name, engine, file=files.get(name)) for name, engine in engines.items()}
    return conclude_comparison(runs, engines, plans, material, threshold)


def _engines(classifiers: Sequence[Named]) -> dict[str, AnyClassifier]:
    """Load all engines; refuse fewer than two, and two of one name."""
    pairs = [
        one if isinstance(one, tuple) else (one if isinstance(one, str) else one.name, one) for one in classifiers
    ]
    names = [name for name, _ in pairs]
    if len(names) < 2:
        raise UsageError(f"{plural(len(names), 'classifier')} cannot be compared", remedy="give at least two")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(
            "classifiers of the same name cannot be told apart",
            faults=[Fault(f"given {names.count(name)} times", f"'{name}'") for name in twice],
            remedy="name each once; in Python give (name, classifier)",
        )
    return {name: load_classifier(engine) for name, engine in pairs}


def _files(
    folder: Path | str | None, material: Material, engines: Mapping[str, AnyClassifier], design: Design
) -> dict[str, RecordFile]:
    if folder is None:
        return {}
    Path(folder).mkdir(parents=True, exist_ok=True)
    return {
        name: RecordFile(Path(folder) / file_name(name), record_header(material, engine, design, True))
        for name, engine in engines.items()
    }


def file_name(name: str) -> str:
    """Return a file name for the record of an engine: readable, safe everywhere, and different for each."""
    safe = re.sub(r"[^a-z0-9._-]+", "_", name.lower()).strip("._")[:80] or "engine"
    # Some file systems do not tell large letters from small ones, so a changed name gets a mark of its own.
    mark = "" if safe == name else "-" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{safe}{mark}.sqlite"


def _run(
    name: str,
    engine: AnyClassifier,
    *,
    plans: Plans,
    material: Material,
    executor: Executor | None,
    workers: int,
    progress: Progress | None,
    file: RecordFile | None,
) -> ExamRecord | EngineFailure:
    units = plan_comparison(plans)
    tell = None if progress is None else partial(_tell, progress, name)
    cores = workers or os.cpu_count() or 1
    try:
        return run_units(units, material, engine, executor=executor, workers=cores, record=file, progress=tell)
    except Exception as error:  # one engine may fail in any way; the others are still worth comparing
        return EngineFailure(name, error.what if isinstance(error, VivaError) else reason_of(error))


def plan_comparison(plans: Plans) -> list[Unit]:
    """List the splits that every engine runs: a setting without small topics is the same as (0, 0) and runs once."""
    return [
        Unit(UnitKey(setting, retry), plan)
        for setting, plan in plans.items()
        if representative(setting, plans) == setting
        for retry in range(len(plan))
    ]


def _tell(progress: Progress, name: str, stage: str, done: int, total: int) -> None:
    progress(f"{name}: {stage}", done, total)


def conclude_comparison(
    runs: Mapping[str, ExamRecord | EngineFailure],
    engines: Mapping[str, AnyEngine],
    plans: Plans,
    material: Material,
    threshold: float,
) -> ComparisonResult:
    """Compute the result from the raw records: pure, no engine is asked again."""
    failures = tuple(run for run in runs.values() if isinstance(run, EngineFailure))
    examined = [
        Examined(name, run, _found(run, material, plans, threshold))
        for name, run in runs.items()
        if isinstance(run, ExamRecord)
    ]
    if not examined:
        faults = [Fault(failure.reason, f"'{failure.name}'") for failure in failures]
        raise ClassifierError("every classifier failed", faults=faults, remedy="check each with a few examples")
    design = replace(next(iter(plans.values())).design, setting=PLAIN)
    found = tuple(_of_engine(one, plans, engines[one.name]) for one in examined)
    differences = differences_of(examined, material, threshold=threshold, seed=design.seed)
    return ComparisonResult(
        data=DataFacts.of(material.data),
        design=design,
        threshold=threshold,
        settings=tuple(plans),
        classifiers=found,
        differences=differences,
        failures=failures,
        warnings=tuple(_notes(found, failures, len(differences), threshold, material)),
    )


def _found(run: ExamRecord, material: Material, plans: Plans, threshold: float) -> dict[Setting, SettingFindings]:
    """Return the findings of each setting that was run and of which a retry was finished."""
    return {
        setting: find(results, material, plan, threshold=threshold, seed=plan.design.seed)
        for setting, plan in plans.items()
        if (results := run.of(setting))
    }


def _of_engine(one: Examined, plans: Plans, engine: AnyEngine) -> ClassifierFindings:
    sources = {setting: representative(setting, plans) for setting in plans}
    settings = tuple(
        one.findings[source] if source == setting else replace(one.findings[source], setting=setting, same_as=source)
        for setting, source in sources.items()
        if source in one.findings
    )
    return ClassifierFindings(
        name=one.name,
        settings=settings,
        accuracy=Spread.of(settings, "accuracy"),
        aurc=Spread.of(settings, "aurc"),
        failures=one.run.failures,
        notes=tuple(getattr(engine, "notes", ())),
    )


NOT_COMPARED = say("This retry is not compared.")


def _notes(
    found: Sequence[ClassifierFindings],
    failures: Sequence[EngineFailure],
    pairs: int,
    threshold: float,
    material: Material,
) -> Iterator[Note]:
    yield from (
        Note("failed_engine", say("{name} is missing: {reason}", name=one.name, reason=one.reason))
        for one in failures
    )
    for one in found:
        texts = (failure_text(failure) + " " + NOT_COMPARED for failure in one.failures)
        yield from (Note("failed", join(": ", (one.name, text))) for text in texts)
    for findings in found[0].settings:
        if findings.same_as is not None:
            pair = {"setting": findings.setting, "same_as": findings.same_as}
            same = say("Setting {setting} equals {same_as}: no topic is small enough.", **pair)
            yield Note("same_setting", same + " " + say("It counts once in ranges and differences."))
    unfair = say(
        "One threshold ({threshold:g}) is not fair between engines, whose confidences have different "
        "scales. AURC looks at all thresholds (lower is better): read it beside the accuracy."
    )
    yield Note("threshold", say(unfair, threshold=threshold))
    if pairs > 1:
        told = say("An interval is for its pair alone; verdicts hold for all {pairs} pairs together.", pairs=pairs)
        yield Note("many_pairs", told)
    for one in found:
        yield from (Note("vectors", join("", (one.name, ": ", note, "."))) for note in one.notes)
    yield from (Note("excluded_row", note) for note in material.data.remarks)
    yield Note("consistency", CONSISTENCY)
