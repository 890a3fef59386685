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
from vivavoce.intents.result import DataFacts, Note, Result, list_items, rate_cell
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
        own = [setting.rates[name].value for setting in findings if setting.same_as is None]
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
class ComparisonResult(Result):
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

    def _repr_html_(self) -> str:
        """Show ranges and verdicts in a notebook."""
        head = "".join(f"<th>accuracy at {setting}</th>" for setting in self.settings)
        rows = "".join(
            f"<tr><th>{escape(each.name)}</th>{''.join(rate_cell(f.rates['accuracy']) for f in each.settings)}"
            f"<td>{'n/a' if each.aurc is None else f'{each.aurc.mean:.3f}'}</td></tr>"
            for each in self.classifiers
        )
        verdicts = []
        for difference in self.differences:
            gap = difference.pooled
            points = "n/a" if gap.test.difference is None else f"{100 * gap.test.difference:+.1f} points"
            more = f", about {gap.more_examples} more examples would settle it" if gap.more_examples else ""
            verdicts.append(f"{difference.a} against {difference.b}: {gap.verdict} ({points}{more})")
        head += "<th>mean AURC</th>"
        return f"<table><tr><th>engine</th>{head}</tr>{rows}</table><ul>{list_items(verdicts)}</ul>"


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
    material = Material.of(as_dataset(data))
    engines = _load_engines(classifiers, material.data)
    base = Design(PLAIN, retries, test_fraction, Partition(partition), Singletons(singletons), seed)
    plans = plan_splits(material, base, as_settings(settings))
    files: dict[str, RecordFile] = {}
    if record is not None:
        Path(record).mkdir(parents=True, exist_ok=True)
        for name, engine in engines.items():
            header = record_header(material, engine, base, True)
            files[name] = RecordFile(Path(record) / file_name(name), header)
    units, cores = plan_comparison(plans), workers or os.cpu_count() or 1
    runs: dict[str, ExamRecord | EngineFailure] = {}
    for name, engine in engines.items():
        report = partial(_report, progress, name) if progress else None
        pool: Any = {"executor": executor, "workers": cores, "record": files.get(name), "progress": report}
        try:
            runs[name] = run_units(units, material, engine, **pool)
        except Exception as error:  # one engine may fail in any way; the others are still worth comparing
            reason = error.what if isinstance(error, VivaError) else reason_of(error)
            runs[name] = EngineFailure(name, reason)
    return conclude_comparison(runs, engines, plans, material, threshold)


def _report(progress: Progress, name: str, stage: str, done: int, total: int) -> None:
    progress(f"{name}: {stage}", done, total)


def _load_engines(classifiers: Sequence[Named], data: Dataset) -> dict[str, AnyClassifier]:
    """Load all engines; refuse fewer than two, and two of one name."""
    pairs = [
        each if isinstance(each, tuple) else (each if isinstance(each, str) else each.name, each)
        for each in classifiers
    ]
    names = [name for name, _ in pairs]
    if len(names) < 2:
        raise UsageError(f"{plural(len(names), 'classifier')} cannot be compared", remedy="choose at least two")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(
            "classifiers must have different names",
            faults=[Fault(f"used {names.count(name)} times", f"'{name}'") for name in twice],
            remedy="name each once; in Python, use (name, classifier)",
        )
    return {name: load_classifier(engine, data) for name, engine in pairs}


def file_name(name: str) -> str:
    """Return a file name for the record of an engine: readable, safe everywhere, and different for each."""
    safe = re.sub(r"[^a-z0-9._-]+", "_", name.lower()).strip("._")[:80] or "engine"
    # Some file systems do not tell large letters from small ones, so a changed name gets a hash.
    suffix = "" if safe == name else "-" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{safe}{suffix}.sqlite"


def plan_comparison(plans: Plans) -> list[Unit]:
    """List the splits that every engine runs: a setting without small topics is the same as (0, 0) and runs once."""
    return [
        Unit(UnitKey(setting, retry), plan)
        for setting, plan in plans.items()
        if representative(setting, plans) == setting
        for retry in range(len(plan))
    ]


def conclude_comparison(
    runs: Mapping[str, ExamRecord | EngineFailure],
    engines: Mapping[str, AnyEngine],
    plans: Plans,
    material: Material,
    threshold: float,
) -> ComparisonResult:
    """Compute the result from the raw records: pure, no engine is asked again."""
    failures = tuple(run for run in runs.values() if isinstance(run, EngineFailure))
    examined = []
    for name, run in runs.items():
        if isinstance(run, ExamRecord):
            findings = {
                setting: find(results, material, plan, threshold=threshold, seed=plan.design.seed)
                for setting, plan in plans.items()
                if (results := run.of(setting))
            }
            examined.append(Examined(name, run, findings))
    if not examined:
        faults = [Fault(failure.reason, f"'{failure.name}'") for failure in failures]
        raise ClassifierError("every classifier failed", faults=faults, remedy="test each with a few examples")
    design = replace(next(iter(plans.values())).design, setting=PLAIN)
    classifiers = tuple(_describe_engine(engine, plans, engines[engine.name]) for engine in examined)
    differences = differences_of(examined, material, threshold=threshold, seed=design.seed)
    return ComparisonResult(
        data=DataFacts.of(material.data),
        design=design,
        threshold=threshold,
        settings=tuple(plans),
        classifiers=classifiers,
        differences=differences,
        failures=failures,
        warnings=tuple(_list_notes(classifiers, failures, len(differences), threshold, material)),
    )


def _describe_engine(examined: Examined, plans: Plans, engine: AnyEngine) -> ClassifierFindings:
    settings = []
    for setting in plans:
        source = representative(setting, plans)
        if source in examined.findings:
            findings = examined.findings[source]
            settings.append(findings if source == setting else replace(findings, setting=setting, same_as=source))
    accuracy, aurc = Spread.of(settings, "accuracy"), Spread.of(settings, "aurc")
    notes = tuple(getattr(engine, "notes", ()))
    return ClassifierFindings(examined.name, tuple(settings), accuracy, aurc, examined.run.failures, notes)


def _list_notes(
    classifiers: Sequence[ClassifierFindings],
    failures: Sequence[EngineFailure],
    pairs: int,
    threshold: float,
    material: Material,
) -> Iterator[Note]:
    for missing in failures:
        yield Note("failed_engine", say("{name} is missing: {reason}", name=missing.name, reason=missing.reason))
    for each in classifiers:
        for failure in each.failures:
            text = failure_text(failure) + " " + say("This round is not compared.")
            yield Note("failed", join(": ", (each.name, text)))
    for findings in classifiers[0].settings:
        if findings.same_as is not None:
            pair = {"setting": findings.setting, "same_as": findings.same_as}
            same = say("Setting {setting} equals {same_as}: no topic is small enough.", **pair)
            yield Note("same_setting", same + " " + say("It is counted once in ranges and differences."))
    unfair = say(
        "A single threshold ({threshold:g}) is not fair across classifiers, because their "
        "confidences have different scales. AURC covers all thresholds (lower is better): read it "
        "together with the accuracy."
    )
    yield Note("threshold", say(unfair, threshold=threshold))
    if pairs > 1:
        many = say(
            "Each interval holds for its pair alone; the verdicts hold for all {pairs} pairs together.", pairs=pairs
        )
        yield Note("many_pairs", many)
    for each in classifiers:
        yield from (Note("vectors", join("", (each.name, ": ", note, "."))) for note in each.notes)
    yield from (Note("excluded_row", note) for note in material.data.remarks)
    yield Note("consistency", CONSISTENCY)
