"""What the exams of training data share: material and splits prepared once per process, units as bytes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any

from vivavoce.classifiers.protocol import PreparingClassifier
from vivavoce.errors import ClassifierError, WorkError
from vivavoce.intents.borrowing import borrow, divide_by_language
from vivavoce.intents.exam import PLAIN, load_classifier, plan_splits
from vivavoce.intents.material import Material
from vivavoce.intents.record import ExamRecord, UnitFailure, UnitKey, UnitResult, decode_result, encode_result
from vivavoce.intents.runner import AnyClassifier, EngineFacts, Unit, assemble, is_parallel, unit_worker
from vivavoce.intents.splits import Design, Partition, Setting, Singletons, SplitPlan
from vivavoce.jobs.exams.documents import NOT_DONE, canonical_json, dataset_from_bytes, reasons_of
from vivavoce.jobs.exams.kinds import BORROW, SPLITS
from vivavoce.jobs.exams.protocol import Finished, Json, Options, StageProgress, UnitPlan
from vivavoce.kept import Kept
from vivavoce.messages import add_messages, restore_messages, say, say_count
from vivavoce.records import Example

# The threshold is applied at the end; it changes neither splits nor answers.
SHAPE = tuple(option.name for option in (*SPLITS, BORROW) if option.name != "threshold")


class Lesson(StrEnum):
    """What a bot that may borrow examples learns from: its own and the borrowed ones, or one kind alone."""

    BOTH = ""
    OWN = "own"
    BORROWED = "borrowed"


@dataclass(frozen=True, eq=False)
class Task:
    """What is examined: the material in numbers, and its splits under each setting, the first one first.

    `places` says where each row is in the material of the run, which also holds the `borrowed` examples.
    """

    material: Material
    plans: dict[Setting, SplitPlan]
    places: Sequence[int]
    borrowed: tuple[Example, ...] = ()
    usual: str = ""

    def load(self, classifier: str, language: str | None, lesson: Lesson = Lesson.BOTH) -> AnyClassifier:
        """Return the classifier; where examples of a `language` are borrowed, what learns this lesson."""
        engine = load_classifier(classifier, self.material.data)
        if language is None or lesson is Lesson.OWN:
            return engine
        return borrow(engine, self.borrowed, language, usual=self.usual, own=lesson is Lesson.BOTH)


@dataclass(frozen=True, eq=False)
class PreparedEngine:
    """An engine that has read the texts of a task, ready to train and test one split at a time."""

    task: Task
    engine: AnyClassifier
    work: Callable[[Unit], UnitResult]


_TASKS: Kept[Task] = Kept(4)
_ENGINES: Kept[PreparedEngine] = Kept(4)


def prepare_task(content: bytes, options: Mapping[str, Any]) -> Task:
    """Return the material and the splits; `options` are checked ones."""

    def prepare() -> Task:
        whole = data = dataset_from_bytes(content)
        borrowed: tuple[Example, ...] = ()
        usual = ""
        if options.get("borrow"):
            data, borrowed, usual = divide_by_language(whole, options["borrow"])
        own = set(map(id, data))
        places = [place for place, example in enumerate(whole) if id(example) in own]
        material = Material.of(data, leak_proof=options["leak_proof"])
        design = Design(
            PLAIN,
            options["retries"],
            options["test_fraction"],
            Partition(options["partition"]),
            Singletons(options["singletons"]),
            options["seed"],
        )
        plans = plan_splits(material, design, [Setting(k, p) for k, p in options["settings"]])
        return Task(material, plans, places, borrowed, usual)

    return _TASKS.get((sha256(content).digest(), _shape(options)), prepare)


def prepare_engine(
    run: str, classifier: str, content: bytes, options: Mapping[str, Any], lesson: Lesson = Lesson.BOTH
) -> PreparedEngine:
    """Return the prepared classifier of a run: two runs never share an engine, which may hold one bot."""

    def prepare() -> PreparedEngine:
        task = prepare_task(content, options)
        engine = task.load(classifier, options.get("borrow"), lesson)
        return PreparedEngine(task, engine, unit_worker(engine, task.material))

    return _ENGINES.get((run, sha256(content).digest(), classifier, lesson, _shape(options)), prepare)


def _shape(options: Options) -> bytes:
    return canonical_json({name: options.get(name) for name in SHAPE})


def setting_name(setting: Setting) -> str:
    """Return a setting as in scopes and keys, such as `0,0.15`."""
    return f"{setting.k},{repr(float(setting.p)).removesuffix('.0')}"


def unit_name(key: UnitKey) -> str:
    """Return the stable key of a split, such as `0,0.15/3`."""
    return f"{setting_name(key.setting)}/{key.retry + 1}{'' if key.leak_proof else '/naive'}"


def schedule(engine: AnyClassifier | None, titles: Mapping[str, str], reading: UnitPlan) -> Iterator[UnitPlan]:
    """Yield the units of one engine in order; `titles` by key. None: the engine could not be loaded.

    An engine that reads all texts first does so in a separate unit: else every process would read them at the same
    time, and vectors may differ in their last bit with the other texts of a batch. An engine that holds one bot
    learns one split at a time, so each waits for the one before.
    """
    first = 0
    if isinstance(engine, PreparingClassifier):
        yield reading
        first = 1
    alone = engine is not None and not is_parallel(engine)
    for place, (key, title) in enumerate(titles.items()):
        yield UnitPlan(key, title, first + place if alone else first)


def count_texts(content: bytes) -> dict[str, int]:
    """Return how many texts an exam of training data reads."""
    return {"texts": len(dataset_from_bytes(content).examples)}


def describe_reading(facts: Mapping[str, int], progress: StageProgress) -> str:
    """Say that texts are read, before the first round is over, or that the answers are counted, after the last."""
    if progress.concluding:
        return say("counting the answers")
    texts = say_count(facts["texts"], "{n:,} text", "{n:,} texts")
    if facts.get("vectors"):
        return say("loading sentence vectors and reading {texts}", texts=texts)
    return say("reading {texts}", texts=texts)


def result_to_bytes(result: UnitResult, engine: AnyClassifier) -> bytes:
    """Return a finished split and what its engine says of itself: one line of JSON, then the arrays."""
    facts = EngineFacts.of(engine)
    meta, arrays = encode_result(result)
    head = add_messages({"engine": facts.name, "notes": list(facts.notes), "unit": meta})
    return canonical_json(head) + b"\n" + arrays


@dataclass(frozen=True, eq=False)
class Gathered:
    """The splits of one engine: results, failures, and the facts of the engine."""

    results: tuple[UnitResult, ...]
    failures: tuple[UnitFailure, ...]
    engine: EngineFacts

    def record(self) -> ExamRecord:
        """Return the record; refuse one that holds nothing."""
        if not self.results and all(failure.reason == NOT_DONE for failure in self.failures):
            raise WorkError(say("no split of this exam was completed"), remedy=say("resume the run"))
        try:
            return assemble(self.results, self.failures)
        except ClassifierError as error:
            remedy = say("test the classifier with a few examples, then retry the failed units")
            raise ClassifierError(error.what, remedy=remedy) from None


def gather(units: Mapping[str, Unit], finished: Finished, name: str) -> Gathered:
    """Return the results of these units in the order of the plan; `name` is that of the engine."""
    reasons = reasons_of(finished)
    results, facts = [], []
    for content in (finished.results[key] for key in units if key in finished.results):
        head, _, arrays = content.partition(b"\n")
        plain = restore_messages(json.loads(head))
        results.append(decode_result(plain["unit"], arrays))
        facts.append(EngineFacts(plain["engine"], tuple(plain["notes"])))
    failures = [
        UnitFailure(unit.key, reasons.get(key, NOT_DONE))
        for key, unit in units.items()
        if key not in finished.results
    ]
    notes = dict.fromkeys(note for each in facts for note in each.notes)
    engine = EngineFacts(facts[0].name if facts else name, tuple(notes))
    return Gathered(tuple(results), tuple(failures), engine)


def timings_json(results: Sequence[UnitResult]) -> list[dict[str, Json]]:
    """Return the seconds that each split took."""
    return [
        {
            "unit": unit_name(result.key),
            "split_seconds": result.timing.split,
            "train_seconds": result.timing.train,
            "classify_seconds": list(result.timing.classify),
        }
        for result in results
    ]
