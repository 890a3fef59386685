"""The intents exam: from examples to findings."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
from threadpoolctl import threadpool_limits

from vivavoce import plugins
from vivavoce.classifiers.linear import DefaultClassifier
from vivavoce.classifiers.patient import PatientClassifier
from vivavoce.classifiers.protocol import PreparingClassifier
from vivavoce.errors import UsageError
from vivavoce.intents.borrowing import borrow as borrow_examples
from vivavoce.intents.borrowing import divide_by_language, measure_borrowing
from vivavoce.intents.findings import SettingFindings, count_mistaken, count_retries, find
from vivavoce.intents.losses import find_losses
from vivavoce.intents.material import Material
from vivavoce.intents.notes import notes_of
from vivavoce.intents.pairs import CANDIDATES, MAX_PAIRS, Pair, mean_probabilities, rank_pairs
from vivavoce.intents.problems import PAIRS, Problem, ProblemKind, find_asides, find_problems
from vivavoce.intents.quality import add_structure, add_suspects, judge_quality
from vivavoce.intents.record import ExamRecord, RecordFile, RecordHeader, UnitKey
from vivavoce.intents.result import DataFacts, Inflation, IntentsResult
from vivavoce.intents.runner import AnyClassifier, AnyEngine, Progress, Unit, run_units
from vivavoce.intents.similarity import text_vectors
from vivavoce.intents.splits import PAPER_SETTINGS, Design, Partition, Setting, Singletons, SplitPlan
from vivavoce.intents.topic_structure import TextView
from vivavoce.intents.traffic import Traffic, check_share
from vivavoce.outcomes import Counts
from vivavoce.records import Dataset, Example
from vivavoce.settings import Settings
from vivavoce.statistics import paired_test
from vivavoce.version import __version__

PLAIN = Setting(0, 0.0)
# How many retries measure what near-duplicates on both sides would add to the score.
NAIVE_RETRIES = 2


def examine_intents(
    data: Dataset | tuple[Sequence[str], Sequence[str | None]],
    classifier: str | AnyClassifier = "linear",
    *,
    settings: Sequence[Setting | tuple[int, float]] = PAPER_SETTINGS,
    retries: int = Settings.retries,
    threshold: float = 0.5,
    test_fraction: float = Settings.test_fraction,
    partition: Partition | str = Partition.KFOLD,
    singletons: Singletons | str = Singletons.TRAIN,
    leak_proof: bool = True,
    text_view: bool = True,
    out_of_scope_share: float | None = None,
    pairs: int = MAX_PAIRS,
    borrow: str | None = None,
    seed: int = 0,
    executor: Executor | None = None,
    workers: int = 0,
    timeout: float | None = None,
    attempts: int = 1,
    record: Path | str | None = None,
    progress: Progress | None = None,
) -> IntentsResult:
    """Cross-validate training data with plausible negative examples and say what is confused.

    `classifier` is a name (see `viva classifiers`) or any object with `fit` and `guess`. `workers` 0 means all
    cores. `record` names a file in which finished retries are kept, so that a stopped exam can go on. `text_view`
    off ranks the confused pairs by what the engine says alone, without comparing the texts. `pairs`: how many of them
    the result holds. `out_of_scope_share` is the share of live questions that no topic fits: accuracy, automation
    rate and the other shares of all questions are weighted for it. `borrow` is a language such as `en`: its examples
    are trained and never tested, and the result says what they bring. `timeout` (seconds a call) and `attempts` are
    for engines that live elsewhere.
    """
    data, usual = as_dataset(data), ""
    lent: tuple[Example, ...] = ()
    if borrow is not None:
        data, lent, usual = divide_by_language(data, borrow)
    engine = patient(load_classifier(classifier, data), timeout, attempts)
    rivals: list[AnyClassifier] = []
    if borrow is not None:
        rivals = [engine, borrow_examples(engine, lent, borrow, usual=usual, own=False)]
        engine = borrow_examples(engine, lent, borrow, usual=usual)
    material = Material.of(data, leak_proof=leak_proof)
    wanted = as_settings(settings)
    base = Design(PLAIN, retries, test_fraction, Partition(partition), Singletons(singletons), seed)
    plans = plan_splits(material, base, wanted)
    threshold, share, pairs = check_threshold(threshold), check_share(out_of_scope_share), check_pairs(pairs)
    file = RecordFile(Path(record), record_header(material, engine, base, leak_proof)) if record else None
    units, cores = plan_units(plans, material), workers or os.cpu_count() or 1
    run = run_units(units, material, engine, executor=executor, workers=cores, record=file, progress=progress)
    text = judge_texts(material, progress) if text_view else None
    borrowed = None
    if borrow is not None:
        setting = representative(next(iter(plans)), plans)
        first = [unit for unit in units if unit.key.setting == setting and unit.key.leak_proof]
        runs = {engine.name: run}
        for rival in rivals:
            runs[rival.name] = run_units(first, material, rival, executor=executor, workers=cores, progress=progress)
        borrowed = measure_borrowing(runs, (borrow, len(lent)), material, plans[setting], threshold=threshold)
    result = conclude(
        run, material, plans, engine, threshold=threshold, text=text, out_of_scope_share=share, most_pairs=pairs
    )
    return replace(result, borrowed=borrowed)


def plan_splits(material: Material, design: Design, settings: Sequence[Setting]) -> dict[Setting, SplitPlan]:
    """Return the splits of each setting, all of the same design."""
    return {s: SplitPlan(material.labels, replace(design, setting=s), material.groups) for s in settings}


def judge_texts(material: Material, progress: Progress | None = None) -> TextView:
    """Return what the texts alone say, to the last bit the same on any number of cores."""
    with threadpool_limits(1):
        return TextView.of(text_vectors(material, progress), material)


def load_classifier(classifier: str | AnyClassifier, data: Dataset | None = None) -> AnyClassifier:
    """Return the classifier of this name, or the object itself if it is one.

    The default classifier reads texts in the languages that `data`, from which it is going to learn, name.
    """
    engine = classifier
    if isinstance(engine, str):
        kind, option = plugins.split_name(engine)
        engine = cast(AnyClassifier, plugins.build(plugins.CLASSIFIERS, kind, option))
    if data is not None and isinstance(engine, DefaultClassifier):
        engine.languages = data.languages
    return engine


def patient(engine: AnyClassifier, timeout: float | None, attempts: int) -> AnyClassifier:
    """Give calls to an engine a time limit and further attempts, where any are asked for."""
    if (timeout is None and attempts == 1) or isinstance(engine, PreparingClassifier):
        return engine
    return PatientClassifier(engine, timeout=timeout, attempts=attempts)


def as_dataset(data: Dataset | tuple[Sequence[str], Sequence[str | None]]) -> Dataset:
    """Return a data set, built from two lists if need be."""
    return data if isinstance(data, Dataset) else Dataset.of(*data)


def as_settings(settings: Sequence[Setting | tuple[int, float]]) -> tuple[Setting, ...]:
    """Return the settings without repeats; refuse none at all."""
    if not settings:
        raise UsageError("no setting given", remedy="add at least one, for example 0,0.15")
    return tuple(dict.fromkeys(s if isinstance(s, Setting) else Setting(*s) for s in settings))


def check_threshold(threshold: float) -> float:
    """Refuse a threshold that no confidence can meet or miss; return it as a plain number.

    A NumPy number would be compared in its own precision: 0.7 of 64 bits is above 0.7 of 32.
    """
    if not 0 <= threshold <= 1:
        raise UsageError(f"the threshold must be between 0 and 1, not {threshold}")
    return float(threshold)


def check_pairs(pairs: int) -> int:
    """Refuse a negative number of pairs."""
    if pairs < 0:
        raise UsageError(f"the number of pairs must not be negative, but is {pairs}", remedy="use 0 or more")
    return pairs


def record_header(material: Material, engine: AnyClassifier, design: Design, leak_proof: bool) -> RecordHeader:
    """Say what a record belongs to."""
    shape = f"{design.test_fraction:g} {design.partition} {design.singletons} {'grouped' if leak_proof else 'naive'}"
    return RecordHeader(__version__, material.data.hash, engine.name, design.seed, shape)


def plan_units(plans: dict[Setting, SplitPlan], material: Material) -> list[Unit]:
    """List the splits to run: a setting without small topics is the same as (0, 0) and runs once."""
    units = [
        Unit(UnitKey(setting, retry), plan, plan.is_plain)
        for setting, plan in plans.items()
        if representative(setting, plans) == setting
        for retry in range(len(plan))
    ]
    if len(material.repeated) and PLAIN in plans:
        plan = SplitPlan(material.labels, plans[PLAIN].design)
        units += [Unit(UnitKey(PLAIN, r, leak_proof=False), plan) for r in range(min(NAIVE_RETRIES, len(plan)))]
    return units


def representative(setting: Setting, plans: dict[Setting, SplitPlan]) -> Setting:
    """Return the setting whose splits serve this one: (0, 0) where no topic is small."""
    if setting == PLAIN or not plans[setting].is_plain or PLAIN not in plans:
        return setting
    return PLAIN


def conclude(
    run: ExamRecord,
    material: Material,
    plans: dict[Setting, SplitPlan],
    engine: AnyEngine,
    *,
    threshold: float,
    text: TextView | None = None,
    out_of_scope_share: float | None = None,
    most_pairs: int = MAX_PAIRS,
) -> IntentsResult:
    """Compute the result from the raw record: pure, no engine is asked again."""
    design = next(iter(plans.values())).design
    # One BLAS thread: sums that are split over cores differ in their last bit.
    with threadpool_limits(1):
        findings = _find_all(run, material, plans, threshold, out_of_scope_share)
        # Pairs are ranked on splits in which every topic is tested as itself.
        plain = next((run.of(setting) for setting, plan in plans.items() if plan.is_plain and run.of(setting)), ())
        chances = mean_probabilities(plain, material) if plain else None
        pairs = rank_pairs(
            chances,
            None if text is None else text.chances,
            material,
            seed=design.seed,
            most=max(CANDIDATES, most_pairs),
            mistaken=count_mistaken(findings),
            losses=find_losses(plain, material, threshold) if plain else None,
        )
        inflation = _measure_inflation(run, material, threshold)
    asked = next((setting.setting for setting in findings if setting.counts.negatives), None)
    quality = judge_quality(material, run.of(representative(asked, plans)) if asked else (), threshold)
    # A classifier that gives its best guess alone does not say how likely the other topics are.
    if all(result.answers.probabilities is not None for result in plain):
        quality = add_suspects(quality, material, chances, text)
    if text is not None:
        quality = add_structure(quality, material, text, chances)
    share = {"out_of_scope_share": out_of_scope_share}
    problems = find_problems(findings, pairs, quality, **share)
    return IntentsResult(
        data=DataFacts.of(material.data),
        classifier=engine.name,
        threshold=threshold,
        design=replace(design, setting=PLAIN),
        settings=findings,
        problems=problems,
        asides=find_asides(findings, pairs, quality, **share),
        pairs=_choose_pairs(pairs, problems, most_pairs),
        warnings=notes_of(findings, material, plans, run, engine=engine, inflation=inflation, **share),
        failures=run.failures,
        inflation=inflation,
        out_of_scope_share=out_of_scope_share,
    )


def _choose_pairs(pairs: Sequence[Pair], problems: Sequence[Problem], most: int) -> tuple[Pair, ...]:
    """Return the first pairs, and those that a problem is about."""
    topics = [set(problem.topics) for problem in problems if problem.kind in (*PAIRS, ProblemKind.CLUSTER)]
    return tuple(
        pair for place, pair in enumerate(pairs) if place < most or any({pair.a, pair.b} <= names for names in topics)
    )


def _find_all(
    run: ExamRecord, material: Material, plans: dict[Setting, SplitPlan], threshold: float, share: float | None
) -> tuple[SettingFindings, ...]:
    # The outcomes of each retry, for the settings that asked out-of-scope questions.
    negatives: dict[Setting, dict[int, Counts]] = {}
    for setting in plans if share is not None else ():
        retries = count_retries(run.of(setting), material, threshold)
        if any(counts.negatives for counts in retries.values()):
            negatives[setting] = retries
    every: list[SettingFindings] = []
    for setting, plan in plans.items():
        source = representative(setting, plans)
        results = run.of(source)
        if results:
            # The setting's own negatives, else those of the first setting that has some.
            asked = source if source in negatives else next(iter(negatives), None)
            traffic = None if share is None or asked is None else Traffic(share, asked, negatives[asked])
            findings = find(results, material, plan, threshold=threshold, seed=plan.design.seed, traffic=traffic)
            every.append(findings if source == setting else replace(findings, same_as=source))
    return tuple(every)


def _measure_inflation(run: ExamRecord, material: Material, threshold: float) -> Inflation | None:
    """Compare the rows that have a near-duplicate: right when it was in training, right when it was not."""
    naive, honest = run.of(PLAIN, leak_proof=False), run.of(PLAIN)
    if not naive or not honest:
        return None
    rights = []
    for results in (naive, honest):
        right, times = np.zeros(len(material)), np.zeros(len(material))
        for result in results:
            answers = result.answers
            right[result.test] += (answers.guess == material.labels[result.test]) & (answers.confidence >= threshold)
            times[result.test] += 1
        times[times == 0] = np.nan
        rights.append(right / times)
    rows = np.intersect1d(material.repeated, np.flatnonzero(~np.isnan(rights[0]) & ~np.isnan(rights[1])))
    if not len(rows):
        return None
    apart, together = (right[rows].tolist() for right in rights)
    test = paired_test(apart, together, material.groups[rows].tolist(), step=1.0)
    part = len(material.repeated) / len(material)
    low, high = (None if end is None else end * part for end in (test.low, test.high))
    return Inflation((test.difference or 0.0) * part, low, high, len(material.repeated))
