"""The threshold advisor: from examples to a threshold."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path

from vivavoce.errors import Fault, UsageError, WorkError
from vivavoce.intents.exam import (
    PLAIN,
    as_dataset,
    check_threshold,
    load_classifier,
    patient,
    plan_splits,
    plan_units,
    record_header,
)
from vivavoce.intents.material import Material
from vivavoce.intents.record import RecordFile, UnitFailure
from vivavoce.intents.result import DataFacts, Result
from vivavoce.intents.runner import AnyClassifier, Progress, run_units
from vivavoce.intents.splits import Design, Setting
from vivavoce.intents.threshold import CONFIDENCE, MAX_WRONG, WRONG_COSTS, Advice, advise, check_wishes, score_once
from vivavoce.records import Dataset
from vivavoce.settings import Settings

# The smallest topics ask the out-of-scope questions where the data have none.
SMALLEST = Setting(0, 0.15)


@dataclass(frozen=True, eq=False)
class ThresholdResult(Result):
    """What each threshold would do, and which to choose. `setting`: under which the questions were asked."""

    data: DataFacts
    classifier: str
    seed: int
    setting: Setting
    advice: Advice
    failures: tuple[UnitFailure, ...]


def advise_threshold(
    data: Dataset | tuple[Sequence[str], Sequence[str | None]],
    classifier: str | AnyClassifier = "linear",
    *,
    threshold: float = 0.5,
    wrong_costs: float = WRONG_COSTS,
    max_wrong: float = MAX_WRONG,
    confidence: float = CONFIDENCE,
    out_of_scope_share: float | None = None,
    test_fraction: float = Settings.test_fraction,
    seed: int = 0,
    executor: Executor | None = None,
    workers: int = 0,
    timeout: float | None = None,
    attempts: int = 1,
    record: Path | str | None = None,
    progress: Progress | None = None,
) -> ThresholdResult:
    """Cross-validate once and say which threshold to choose.

    `threshold` is today's. `wrong_costs`: a wrong answer is as bad as so many hand-overs. The guarantee: at most
    `max_wrong` of the answers are wrong, with this `confidence`. `out_of_scope_share` is the share of live questions
    that no topic fits. The other arguments are those of `examine_intents`.
    """
    today = check_threshold(threshold)
    check_wishes(wrong_costs, max_wrong, confidence, out_of_scope_share)
    material = Material.of(as_dataset(data))
    engine = patient(load_classifier(classifier, material.data), timeout, attempts)
    setting = choose_setting(material)
    design = Design(PLAIN, test_fraction=test_fraction, seed=seed)
    # As many rounds as it takes to test every question once.
    design = replace(design, retries=design.folds)
    plans = plan_splits(material, design, [setting])
    file = RecordFile(Path(record), record_header(material, engine, design, leak_proof=True)) if record else None
    units = [unit for unit in plan_units(plans, material) if unit.key.leak_proof]
    cores = workers or os.cpu_count() or 1
    run = run_units(units, material, engine, executor=executor, workers=cores, record=file, progress=progress)
    if not run.results:
        raise WorkError("no round could be completed", faults=[Fault(str(failure)) for failure in run.failures])
    scored = score_once(run.of(setting), material)
    wishes = {"wrong_costs": wrong_costs, "max_wrong": max_wrong, "confidence": confidence}
    advice = advise(scored, today, out_of_scope_share=out_of_scope_share, **wishes)
    return ThresholdResult(DataFacts.of(material.data), engine.name, seed, setting, advice, run.failures)


def choose_setting(material: Material) -> Setting:
    """Return the setting that asks out-of-scope questions: the data's own, else those of the smallest topics."""
    if (material.labels < 0).any():
        return PLAIN
    try:
        plan_splits(material, Design(SMALLEST), [SMALLEST])
    except UsageError:
        return PLAIN
    return SMALLEST
