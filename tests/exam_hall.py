"""Exams that were held, without anybody waiting for them: a small project and what its runs found."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from pictures import undrawn
from vivavoce.jobs.concluding import put_findings, store_conclusion
from vivavoce.jobs.exams.documents import dataset_from_bytes, dataset_to_bytes
from vivavoce.jobs.exams.protocol import Conclusion, Finished, Outcome, Work
from vivavoce.jobs.exams.registry import load_exam
from vivavoce.records import Dataset, Example
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run, RunState
from vivavoce.store.stamps import new_id, now
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.exams.intents import start_engines, start_intents
from vivavoce.workspace.topics.datasets import exam_material

SMALL: dict[str, Any] = {"retries": 2, "settings": [[0, 0], [0, 0.3]], "leak_proof": False}
ENGINES = ("tfidf", "tfidf:en")
TOPICS = 4
EACH = 8


@cache
def small_data() -> tuple[tuple[str, str], ...]:
    """Return messages with their topics; words of other topics make some of them hard."""
    draw = random.Random(0)  # noqa: S311
    words = [f"word{n}" for n in range(TOPICS * 4)]
    return tuple(
        (" ".join([*draw.sample(words[topic * 4 : topic * 4 + 4], 2), draw.choice(words), str(n)]), f"topic {topic}")
        for topic in range(TOPICS)
        for n in range(EACH)
    )


def fill_project(store: Store, project: Project, user_id: str | None = None) -> None:
    """Bring the messages into a project, as one edit."""
    ids = {topic: new_id() for _, topic in small_data()}
    with store.writing() as tx:
        changes = [
            tx.edits.insert(
                "topics",
                {
                    "id": own,
                    "project_id": project.id,
                    "name": topic,
                    "description": "",
                    "owner": "",
                    "created": now(),
                },
                own,
            )
            for topic, own in ids.items()
        ]
        changes += [
            tx.edits.insert(
                "examples",
                {
                    "id": new_id(),
                    "project_id": project.id,
                    "topic_id": ids[topic],
                    "text": text,
                    "language": "en",
                    "source": "test",
                    "created": now(),
                    "place": place,
                },
                ids[topic],
            )
            for place, (text, topic) in enumerate(small_data())
        ]
        tx.edits.apply(project.id, user_id, "import", "Imported small.csv", changes, why="to begin")


@cache
def found_in(kind: str, threshold: float) -> Conclusion:
    """Return what an exam of these messages finds."""
    material = dataset_to_bytes(Dataset.of(*(list(column) for column in zip(*small_data(), strict=True))))
    exam = load_exam(kind)
    engines = {"classifiers": list(ENGINES)} if kind == "engines" else {"classifier": "tfidf"}
    options = exam.check({**SMALL, **engines, "threshold": threshold})
    works = [Work(kind, "hall", material, options, unit.key) for unit in exam.plan(material, options)]
    finished = Finished({work.key: exam.perform(work) for work in works})
    with undrawn():
        return exam.conclude(material, options, finished)


def hold_intents(
    store: Store, project: Project, threshold: float = 0.3, *, actor: Actor = PRODUCT, title: str = ""
) -> Run:
    """Hold an intents exam."""
    options = {**SMALL, "classifier": "tfidf", "threshold": threshold}
    run = start_intents(store, actor, project, title=title, options=options)
    return finish(store, run, found_in("intents", threshold))


GUESSED: dict[str, Any] = {"retries": 2, "settings": [[0, 0]], "leak_proof": False, "classifier": "tfidf"}


def hold_guessed(store: Store, project: Project, guesses: Mapping[str, str | None] | None = None) -> Run:
    """Hold an exam: the bot guesses the topic of each example, or what is said here (None: it keeps silent)."""
    run = start_intents(store, PRODUCT, project, options=GUESSED)
    with store.reading() as tx:
        material = tx.runs.material(run.id)
    return finish(store, run, _found_guesses(material, guesses or {}))


def keep_guessed(store: Store, project: Project, guesses: Mapping[str, str | None]) -> Run:
    """Keep such an exam as one that is over already: where workers are about, nothing is left for them to do."""
    at, material = now(), exam_material(store, project)
    run = Run(
        new_id(), project.id, 0, "intents", "Exam", RunState.DONE, {**GUESSED, "threshold": 0.3}, 1, 1, 1, 0,
        "One sentence.", "", None, None, None, "1", "h", 0, at, at, at,
    )  # fmt: skip
    with store.writing() as tx:
        kept = tx.runs.add(run, material, ())
        put_findings(tx, kept, _found_guesses(material, guesses))
    return kept


def _found_guesses(material: bytes, guesses: Mapping[str, str | None]) -> Conclusion:
    outcomes = tuple(
        _guessed(place, example, guesses.get(example.text, example.intent))
        for place, example in enumerate(dataset_from_bytes(material).examples)
    )
    return replace(found_in("intents", 0.3), outcomes=outcomes)


def _guessed(place: int, example: Example, guess: str | None) -> Outcome:
    silent = "missed" if example.intent else "declined"
    wrong = "wrong_intent" if example.intent else "overreach"
    outcome = silent if guess is None else "right" if guess == example.intent else wrong
    right, deferred = int(outcome in ("right", "declined")), int(outcome == "missed")
    return Outcome(place, example.text, example.intent, guess, 0.9, outcome, right, deferred, 1 - right - deferred)


def hold_engines(store: Store, project: Project) -> Run:
    """Compare two engines."""
    run = start_engines(store, PRODUCT, project, ENGINES, options={**SMALL, "threshold": 0.3})
    return finish(store, run, found_in("engines", 0.3))


def finish(store: Store, run: Run, found: Conclusion, *, failed: int = 0) -> Run:
    """End a run as a worker would: all units are done but the first `failed`, and this is what they mean."""
    with store.writing() as tx:
        # Units of a later phase can be claimed when the earlier ones are over.
        while units := tx.units.claim("hall", 100, now()):
            for unit in units:
                if failed:
                    failed -= 1
                    tx.units.fail(unit.id, "hall", "the engine is on fire", retry=False)
                else:
                    tx.units.finish(unit.id, "hall", b"done")
        (last,) = tx.units.claim_conclusions("hall", 1, now())
        store_conclusion(tx, run, last, "hall", found)
        done = tx.runs.get(run.id)
    assert done is not None
    return done
