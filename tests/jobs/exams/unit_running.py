"""Doing the units of an exam for the tests of this folder: in order or not, here or in other processes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import Any

from pictures import undrawn
from vivavoce.errors import VivaError
from vivavoce.jobs.exams.protocol import Conclusion, Document, Exam, Failure, Finished, UnitPlan, Work
from vivavoce.jobs.exams.registry import load_exam, perform_work
from vivavoce.records import Dataset

WORDS = {
    "pay": "salary money wage bonus income payslip",
    "apply": "form application resume letter documents upload",
    "leave": "holiday vacation absence sickness parental sabbatical",
    "hours": "shift overtime weekend night flexible schedule",
    "visa": "visa permit passport",
}
Perform = Callable[[Iterable[Work]], dict[str, bytes]]


def small_dataset(each: int = 14, seed: int = 0) -> Dataset:
    """Four topics of one size and a small one, with words of other topics that make it hard, and a few doubles."""
    draw = random.Random(seed)  # noqa: S311
    noise = " ".join(WORDS.values()).split()
    texts, intents = [], []
    for topic, line in WORDS.items():
        for number in range(each if topic != "visa" else 4):
            chosen = [*draw.sample(line.split(), 2), draw.choice(noise)]
            # Every sixth message is said again in other capitals.
            said = f"where is the {' '.join(chosen)} of the house, and how do I get it {chr(97 + number)}{number}"
            texts.append(texts[-1].upper() if number % 6 == 5 else said)
            intents.append(topic)
    return Dataset.of(texts, intents)


def works(exam: Exam, material: bytes, options: Any, run: str = "run") -> list[Work]:
    return [Work(exam.name, run, material, options, unit.key) for unit in exam.plan(material, options)]


def perform_here(jobs: Iterable[Work]) -> dict[str, bytes]:
    return {work.key: perform_work(work) for work in jobs}


def shuffled(seed: int) -> Perform:
    def perform(jobs: Iterable[Work]) -> dict[str, bytes]:
        mixed = list(jobs)
        random.Random(seed).shuffle(mixed)  # noqa: S311
        return perform_here(mixed)

    return perform


def perform_in(executor: Any) -> Perform:
    """Send the phases one after the other, the units of each together."""

    def perform(jobs: Iterable[Work]) -> dict[str, bytes]:
        work = list(jobs)
        plans = {p.key: p.phase for p in load_exam(work[0].kind).plan(work[0].material, work[0].options)}
        done: dict[str, bytes] = {}
        for phase in sorted(set(plans.values())):
            futures = {one.key: executor.submit(perform_work, one) for one in work if plans[one.key] == phase}
            done |= {key: future.result() for key, future in futures.items()}
        return done

    return perform


def conclude(
    kind: str, material: bytes, given: Any, perform: Perform = perform_here, run: str = "run", *, drawn: bool = False
) -> Conclusion:
    """Do an exam; `drawn`: its charts are pictures of them."""
    exam = load_exam(kind)
    options = exam.check(given)
    finished = Finished(perform(works(exam, material, options, run)))
    with nullcontext() if drawn else undrawn():
        return exam.conclude(material, options, finished)


def perform_all(exam: Exam, material: bytes, options: Any, run: str = "run") -> Finished:
    """Do every unit; those that fail are recorded with their reason."""
    results: dict[str, bytes] = {}
    failures: list[Failure] = []
    for work in works(exam, material, options, run):
        try:
            results[work.key] = perform_work(work)
        except VivaError as error:
            failures.append(Failure(work.key, str(error)))
    return Finished(results, tuple(failures))


def document(conclusion: Conclusion, name: str = "findings.json") -> Document:
    return next(one for one in conclusion.documents if one.name == name)


def phases(plans: Iterable[UnitPlan]) -> list[int]:
    return [plan.phase for plan in plans]
