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
from typing import ParamSpec, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from vivavoce.classifiers.protocol import Classifier, Floats, Prepared, PreparingClassifier, ProbabilisticClassifier
from vivavoce.errors import ClassifierError, VivaError
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
from vivavoce.intents.splits import Rows, SplitPlan

BATCH = 256
Progress = Callable[[str, int, int], None]
AnyClassifier = Classifier | PreparingClassifier


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """What a result says about its engine, where the engine itself is no longer at hand."""

    name: str
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, engine: AnyClassifier) -> EngineFacts:
        """Describe an engine as it is now: some choose their means when they read the texts."""
        return cls(engine.name, tuple(getattr(engine, "notes", ())))


AnyEngine = AnyClassifier | EngineFacts


@dataclass(frozen=True, eq=False)
class Unit:
    """One split to be trained and tested; `keep_probabilities` where the pair ranking needs them."""

    key: UnitKey
    plan: SplitPlan
    keep_probabilities: bool = False


T = TypeVar("T")
P = ParamSpec("P")
Work = Callable[[Unit], UnitResult]
AskRows = Callable[[Rows], Answers]
TrainRows = Callable[[Rows], AskRows]


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
        alone = not is_parallel(classifier)
        with _open_pool(None if alone else executor, 1 if alone else workers) as pool:
            work = _make_worker(classifier, material, progress)
            for finished in _run(todo, work, pool):
                if isinstance(finished, UnitFailure):
                    failures.append(finished)
                else:
                    results.append(finished)
                    if record:
                        record.save(finished)
                if progress:
                    progress("examining", len(results) + len(failures), len(units))
    return assemble(results, failures)


def assemble(results: Sequence[UnitResult], failures: Sequence[UnitFailure]) -> ExamRecord:
    """Return the record of an exam; refuse one in which every unit failed."""
    if not results and failures:
        raise ClassifierError(
            f"the classifier failed in all {len(failures)} rounds; the first error: {failures[0]}",
            remedy=("test the classifier with a few examples; with --record FILE, finished rounds are kept"),
        )
    return ExamRecord(tuple(results), tuple(sorted(failures, key=lambda failure: failure.key)))


def is_parallel(classifier: AnyClassifier) -> bool:
    """Tell whether splits may run side by side: a remote engine holds one bot and can only learn one at a time."""
    return isinstance(classifier, PreparingClassifier) or bool(getattr(classifier, "parallel", False))


@contextmanager
def _open_pool(executor: Executor | None, workers: int) -> Iterator[Executor | None]:
    # One BLAS thread for each worker: more of them fight for the same cores.
    with threadpool_limits(1):
        if executor is not None or workers == 1:
            yield executor
        else:
            with ThreadPoolExecutor(workers, thread_name_prefix="viva-exam") as pool:
                yield pool


def _run(units: Sequence[Unit], work: Work, pool: Executor | None) -> Iterator[UnitResult | UnitFailure]:
    if pool is None:
        yield from (_do(work, unit) for unit in units)
        return
    futures: list[Future[UnitResult | UnitFailure]] = [pool.submit(_do, work, unit) for unit in units]
    try:
        for future in as_completed(futures):
            yield future.result()
    finally:
        for future in futures:
            future.cancel()


def _do(work: Work, unit: Unit) -> UnitResult | UnitFailure:
    try:
        return work(unit)
    except Exception as error:  # an engine may raise anything; the exam goes on and says so
        return UnitFailure(unit.key, reason_of(error))


def reason_of(error: Exception) -> str:
    """Return what went wrong with an engine, in one line where the engine said so."""
    text = str(error).strip() or "no message"
    return text if isinstance(error, ClassifierError) else f"{type(error).__name__}: {text}"


def row_trainer(classifier: AnyClassifier, material: Material, progress: Progress | None = None) -> TrainRows:
    """Return a function that trains on some rows and returns one that answers other rows.

    A plain engine holds one bot, so it answers with what it was trained on last. Whatever the engine raises
    becomes a ClassifierError.
    """
    prepared = None
    if isinstance(classifier, PreparingClassifier):
        prepared = _guard(_prepare)(classifier, material, progress)

    def train(rows: Rows) -> AskRows:
        if prepared is not None:
            model = prepared.train(rows)
            return lambda asked: _find_best(*model.probabilities(asked))
        engine = cast(Classifier, classifier)
        engine.fit(material.texts(rows), material.intents(rows))
        return lambda asked: _ask(engine, material, asked, keep=False)[0]

    return _guard(lambda rows: _guard(train(rows)))


def unit_worker(classifier: AnyClassifier, material: Material, progress: Progress | None = None) -> Work:
    """Return a function that does one unit at a time, in any order; the texts are read at once.

    Whatever the engine raises becomes a ClassifierError.
    """
    return _guard(_guard(_make_worker)(classifier, material, progress))


def _guard(call: Callable[P, T]) -> Callable[P, T]:
    def guarded(*arguments: P.args, **options: P.kwargs) -> T:
        try:
            # One model at a time makes small products: several BLAS threads spend their time waiting.
            with threadpool_limits(1):
                return call(*arguments, **options)
        except VivaError:
            raise
        except Exception as error:  # an engine may raise anything; the caller gets the one error tree
            raise ClassifierError(
                f"the classifier failed: {reason_of(error)}", remedy="test the classifier with a few examples"
            ) from error

    return guarded


def _prepare(classifier: PreparingClassifier, material: Material, progress: Progress | None) -> Prepared:
    tell = partial(progress, "reading texts") if progress else None
    return classifier.prepare(material.data.texts, material.labels, tell)


def _make_worker(classifier: AnyClassifier, material: Material, progress: Progress | None) -> Work:
    prepared = _prepare(classifier, material, progress) if isinstance(classifier, PreparingClassifier) else None
    return partial(_work, classifier, prepared, material)


def _work(classifier: AnyClassifier, prepared: Prepared | None, material: Material, unit: Unit) -> UnitResult:
    split, seconds = _time(lambda: unit.plan.split(unit.key.retry))
    if prepared is not None:
        model, training = _time(lambda: prepared.train(split.train))
        (columns, chances), classifying = _time(lambda: model.probabilities(split.test))
        wide = _widen(columns, chances, len(material.topics)) if unit.keep_probabilities else None
        answers, batches = _find_best(columns, chances, wide), [classifying / max(1, len(split.test))]
    else:
        engine = cast(Classifier, copy.deepcopy(classifier) if is_parallel(classifier) else classifier)
        texts, intents = material.texts(split.train), material.intents(split.train)
        _, training = _time(lambda: engine.fit(texts, intents))
        answers, batches = _ask(engine, material, split.test, keep=unit.keep_probabilities)
    timing, sizes = Timing(seconds, training, tuple(batches)), (len(split.train), len(split.excluded))
    return UnitResult(unit.key, split.test, split.negative, *sizes, answers, timing)


def _find_best(columns: Rows, chances: Floats, wide: np.ndarray | None = None) -> Answers:
    best = chances.argmax(axis=1) if len(chances) else np.empty(0, dtype=np.intp)
    confidence = chances[np.arange(len(best)), best].astype(np.float32)
    _check_confidence(confidence)
    return Answers(columns[best], confidence, wide)


def _ask(engine: Classifier, material: Material, rows: Rows, *, keep: bool) -> tuple[Answers, list[float]]:
    """Ask the engine in batches; returns its answers and the seconds per text of each batch."""
    code = {topic: place for place, topic in enumerate(material.topics)}
    parts, batches = [], []
    for begin in range(0, len(rows), BATCH):
        texts = material.texts(rows[begin : begin + BATCH])
        part, seconds = _time(partial(_ask_batch, engine, texts, code, keep))
        parts.append(part)
        batches.append(seconds / len(texts))
    if not parts:
        return Answers(np.empty(0, dtype=np.intp), np.empty(0, dtype=np.float32)), batches
    chances = [part.probabilities for part in parts if part.probabilities is not None]
    answers = Answers(
        np.concatenate([part.guess for part in parts]),
        np.concatenate([part.confidence for part in parts]),
        np.concatenate(chances) if len(chances) == len(parts) else None,
    )
    return answers, batches


def _ask_batch(engine: Classifier, texts: list[str], code: dict[str, int], keep: bool) -> Answers:
    chances = None
    if keep and isinstance(engine, ProbabilisticClassifier):
        probabilities = engine.probabilities(texts)
        columns = np.array([code[intent] for intent in probabilities.intents], dtype=np.intp)
        guesses = probabilities.guesses()
        chances = _widen(columns, probabilities.rows, len(code))
    else:
        guesses = engine.guess(texts)
    if len(guesses) != len(texts):
        raise ClassifierError(f"the classifier returned {len(guesses)} answers for {len(texts)} texts")
    best = np.full(len(guesses), NO_GUESS_CODE, dtype=np.intp)
    for place, guess in enumerate(guesses):
        if guess.intent is not None:
            if guess.intent not in code:
                raise ClassifierError(f"the classifier guessed '{guess.intent}', a topic it was not trained on")
            best[place] = code[guess.intent]
    confidence = np.fromiter((guess.confidence for guess in guesses), dtype=np.float32, count=len(guesses))
    _check_confidence(confidence)
    return Answers(best, confidence, chances)


def _check_confidence(confidence: NDArray[np.floating]) -> None:
    if not np.isfinite(confidence).all():
        raise ClassifierError("the classifier returned a confidence that is not a number")
    if ((confidence < 0) | (confidence > 1 + 1e-6)).any():
        worst = float(confidence[np.argmax(np.abs(confidence - 0.5))])
        raise ClassifierError(
            f"the classifier returned a confidence of {worst:g}",
            remedy="confidences must be between 0 and 1: scale them",
        )


def _widen(columns: np.ndarray, chances: np.ndarray, width: int) -> np.ndarray:
    wide = np.zeros((len(chances), width), dtype=np.float32)
    wide[:, columns] = chances
    return wide


def _time(call: Callable[[], T]) -> tuple[T, float]:
    begin = time.perf_counter()
    value = call()
    return value, time.perf_counter() - begin
