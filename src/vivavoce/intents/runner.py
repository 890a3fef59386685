"""Runs the units of an exam: each split is trained and tested, in parallel where the engine allows it.

A unit that fails is recorded and the others go on. Whatever the number of workers, the same seed gives the
same answers: a unit depends on its split alone.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

from vivavoce.classifiers.protocol import Classifier, Prepared, PreparingClassifier, ProbabilisticClassifier
from vivavoce.errors import ClassifierError
from vivavoce.intents.material import Material
from vivavoce.intents.record import (
    NO_GUESS_CODE,
    Answers,
    ExamRecord,
    RecordFile,
    Timing,
    UnitFailure,
    UnitKey,
    UnitResult,
)
from vivavoce.intents.splits import Split, SplitPlan
from vivavoce.records import Guess

BATCH = 256
Progress = Callable[[str, int, int], None]
AnyClassifier = Classifier | PreparingClassifier


@dataclass(frozen=True, eq=False)
class Unit:
    """One split to be trained and tested; `keep_probabilities` where the pair ranking needs them."""

    key: UnitKey
    plan: SplitPlan
    keep_probabilities: bool = False


T = TypeVar("T")
Work = Callable[[Unit], UnitResult]


def run_units(
    units: Sequence[Unit],
    material: Material,
    classifier: AnyClassifier,
    *,
    executor: Executor | None = None,
    workers: int = 1,
    record: RecordFile | None = None,
    progress: Progress | None = None,
) -> ExamRecord:
    """Run every unit that the record does not hold yet and return them all."""
    done = record.load() if record else {}
    results = [done[unit.key] for unit in units if unit.key in done]
    todo = [unit for unit in units if unit.key not in done]
    failures: list[UnitFailure] = []
    if todo:
        work = _work(classifier, material, progress)
        with _workplace(executor, workers if _parallel(classifier) else 1) as place:
            for finished in _run(todo, work, place):
                if isinstance(finished, UnitFailure):
                    failures.append(finished)
                else:
                    results.append(finished)
                    if record:
                        record.save(finished)
                if progress:
                    progress("examining", len(results) + len(failures), len(units))
    _require_some(results, failures)
    return ExamRecord(tuple(results), tuple(sorted(failures, key=lambda failure: failure.key)))


def _parallel(classifier: AnyClassifier) -> bool:
    """Tell whether splits may run side by side: a remote engine holds one bot and can only learn one at a time."""
    return isinstance(classifier, PreparingClassifier) or bool(getattr(classifier, "parallel", False))


@contextmanager
def _workplace(executor: Executor | None, workers: int) -> Iterator[Executor | None]:
    # One BLAS thread for each worker: more of them fight for the same cores.
    with threadpool_limits(1):
        if executor is not None or workers == 1:
            yield executor
        else:
            with ThreadPoolExecutor(workers, thread_name_prefix="viva-exam") as pool:
                yield pool


def _run(units: Sequence[Unit], work: Work, place: Executor | None) -> Iterator[UnitResult | UnitFailure]:
    if place is None:
        yield from (_attempt(work, unit) for unit in units)
        return
    futures: list[Future[UnitResult | UnitFailure]] = [place.submit(_attempt, work, unit) for unit in units]
    try:
        for future in as_completed(futures):
            yield future.result()
    finally:
        for future in futures:
            future.cancel()


def _attempt(work: Work, unit: Unit) -> UnitResult | UnitFailure:
    try:
        return work(unit)
    except Exception as error:  # an engine may raise anything; the exam goes on and says so
        text = str(error).strip() or "no message"
        return UnitFailure(
            unit.key, text if isinstance(error, ClassifierError) else f"{type(error).__name__}: {text}"
        )


def _require_some(results: Sequence[UnitResult], failures: Sequence[UnitFailure]) -> None:
    if not results and failures:
        raise ClassifierError(
            f"the classifier failed in all {len(failures)} retries; the first time: {failures[0]}",
            remedy="check the engine with a few examples; finished retries are kept if you give --record FILE",
        )


def _work(classifier: AnyClassifier, material: Material, progress: Progress | None) -> Work:
    if isinstance(classifier, PreparingClassifier):
        tell = partial(progress, "reading texts") if progress else None
        prepared = classifier.prepare(material.data.texts, material.labels, tell)
        return partial(_work_prepared, prepared, material)
    return partial(_work_plain, classifier, material)


def _work_prepared(prepared: Prepared, material: Material, unit: Unit) -> UnitResult:
    split, seconds = _timed(lambda: unit.plan.split(unit.key.retry))
    model, training = _timed(lambda: prepared.train(split.train))
    (columns, chances), classifying = _timed(lambda: model.probabilities(split.test))
    best = chances.argmax(axis=1) if len(chances) else np.empty(0, dtype=np.intp)
    confidence = chances[np.arange(len(best)), best].astype(np.float32)
    wide = _widen(columns, chances, len(material.topics)) if unit.keep_probabilities else None
    answers = Answers(columns[best], confidence, wide)
    timing = Timing(seconds, training, (classifying / max(1, len(split.test)),))
    return _result(unit, split, answers, timing)


def _work_plain(classifier: Classifier, material: Material, unit: Unit) -> UnitResult:
    split, seconds = _timed(lambda: unit.plan.split(unit.key.retry))
    engine = copy.deepcopy(classifier) if _parallel(classifier) else classifier
    texts, intents = material.texts(split.train), material.intents(split.train)
    _, training = _timed(lambda: engine.fit(texts, intents))
    answers, batches = _ask(engine, material, split, keep=unit.keep_probabilities)
    return _result(unit, split, answers, Timing(seconds, training, tuple(batches)))


def _ask(engine: Classifier, material: Material, split: Split, *, keep: bool) -> tuple[Answers, list[float]]:
    """Ask the engine in batches; returns its answers and the seconds per text of each batch."""
    code = {topic: place for place, topic in enumerate(material.topics)}
    full = keep and isinstance(engine, ProbabilisticClassifier)
    parts, batches = [], []
    for begin in range(0, len(split.test), BATCH):
        texts = material.texts(split.test[begin : begin + BATCH])
        asking = partial(_probable if full else _guessed, engine, texts, code)
        part, seconds = _timed(asking)
        parts.append(part)
        batches.append(seconds / len(texts))
    return _joined(parts), batches


def _probable(engine: ProbabilisticClassifier, texts: list[str], code: dict[str, int]) -> Answers:
    said = engine.probabilities(texts)
    columns = np.array([code[intent] for intent in said.intents], dtype=np.intp)
    return _coded(said.guesses(), texts, code, _widen(columns, said.rows, len(code)))


def _guessed(engine: Classifier, texts: list[str], code: dict[str, int]) -> Answers:
    return _coded(engine.guess(texts), texts, code)


def _coded(
    guesses: Sequence[Guess], texts: Sequence[str], code: dict[str, int], chances: np.ndarray | None = None
) -> Answers:
    if len(guesses) != len(texts):
        raise ClassifierError(f"the engine gave {len(guesses)} answers to {len(texts)} texts")
    best = np.fromiter((_code(guess, code) for guess in guesses), dtype=np.intp, count=len(guesses))
    confidence = np.fromiter((guess.confidence for guess in guesses), dtype=np.float32, count=len(guesses))
    if not np.isfinite(confidence).all():
        raise ClassifierError("the engine gave a confidence that is not a number")
    return Answers(best, confidence, chances)


def _code(guess: Guess, code: dict[str, int]) -> int:
    if guess.intent is None:
        return NO_GUESS_CODE
    try:
        return code[guess.intent]
    except KeyError:
        raise ClassifierError(f"the engine guessed '{guess.intent}', a topic it was never taught") from None


def _joined(parts: Sequence[Answers]) -> Answers:
    if not parts:
        return Answers(np.empty(0, dtype=np.intp), np.empty(0, dtype=np.float32))
    chances = [part.probabilities for part in parts if part.probabilities is not None]
    return Answers(
        np.concatenate([part.guess for part in parts]),
        np.concatenate([part.confidence for part in parts]),
        np.concatenate(chances) if len(chances) == len(parts) else None,
    )


def _widen(columns: np.ndarray, chances: np.ndarray, width: int) -> np.ndarray:
    wide = np.zeros((len(chances), width), dtype=np.float32)
    wide[:, columns] = chances
    return wide


def _result(unit: Unit, split: Split, answers: Answers, timing: Timing) -> UnitResult:
    return UnitResult(unit.key, split.test, split.negative, len(split.train), len(split.excluded), answers, timing)


def _timed(call: Callable[[], T]) -> tuple[T, float]:
    begin = time.perf_counter()
    value = call()
    return value, time.perf_counter() - begin
