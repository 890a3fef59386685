"""An intents exam with every kind of problem, kept as a run of a project."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

from vivavoce.intents import IntentsResult, Setting, examine_intents
from vivavoce.intents.problem_record import Problem, Remedy, order_problems
from vivavoce.intents.problems import ProblemKind, find_problems
from vivavoce.intents.quality import DataQuality, ProblemExample
from vivavoce.records import Dataset, Rate
from vivavoce.store.database import Store
from vivavoce.store.rows import DocumentRow, Project, Run, RunState
from vivavoce.store.stamps import new_id, now
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.topics.topics import add_topic

FRAMES = ("when do I get {}", "how is {} paid out", "who decides about {}", "is {} in the contract")
THINGS = ("the bonus", "overtime", "a raise", "my payslip", "expenses", "the pension")
SUSPECTS = (1, 6, 11)
PLACES = ("the office", "the canteen", "parking", "the entrance", "the gym", "floor two")


@cache
def mixed_exam() -> IntentsResult:
    """Return an exam with every kind of problem."""
    rows = [(frame.format(thing), thing) for thing in THINGS for frame in FRAMES]
    pay = [(text, "wages" if (n + n // len(FRAMES)) % 2 else "pay") for n, (text, _) in enumerate(rows)]
    answers = [
        (f"{word} {text}", f"vocative_{'no' if n % 2 else 'yes'}")
        for word in ("well", "hm")
        for n, text in enumerate(("sure thing", "by all means", "rather so", "it is so", "that is it", "so it be"))
    ]
    where = [
        (frame.replace("paid out", "found").format(place), "Place" if n % 3 else "place")
        for n, place in enumerate(PLACES)
        for frame in FRAMES
    ]
    twice = [("where is the lift", "pay"), ("where is the lift?", "place"), ("where is the lift!", "wages")]
    data = Dataset.of(*map(list, zip(*pay, *answers, *where, *twice, strict=True)))
    result = examine_intents(data, "tfidf", settings=[Setting(0, 0.0), Setting(0, 0.15)], threshold=0.0, workers=1)
    # So few examples make nobody sure that one is in the wrong topic.
    doubtful = tuple(ProblemExample(data.texts[row], row, data.intents[row], "leave") for row in SUSPECTS)
    found = find_problems(result.settings, (), DataQuality(suspects=doubtful, judged=len(data)))
    suspects = (problem for problem in found if problem.kind is ProblemKind.SUSPECTS)
    return replace(result, problems=order_problems((*result.problems, *suspects, *_describe_others(doubtful))))


def _describe_others(examples: tuple[ProblemExample, ...]) -> tuple[Problem, ...]:
    """Return a problem of each kind that so small an exam does not find, cheaper than those that it finds."""
    share, rows = Rate(0.02, 0.01, 0.03, 60), tuple(example.row for example in examples)
    facts = {
        ProblemKind.CLUSTER: (("pay", "wages", "place"), (Remedy.MOVE,)),
        ProblemKind.OUTLIERS: (("pay",), (Remedy.MOVE, Remedy.MARK_OUT_OF_SCOPE)),
        ProblemKind.TOO_SMALL: (("vocative_no", "vocative_yes"), (Remedy.ADD_EXAMPLES, Remedy.RETIRE)),
        ProblemKind.TO_SPLIT: (("place",), (Remedy.SPLIT,)),
        ProblemKind.NO_ANSWER: (("pay", "wages"), (Remedy.WRITE_ANSWER, Remedy.RETIRE)),
    }
    return tuple(
        Problem(kind, topics, 1.5, 1.1, 2.0, len(rows), remedies, rows, examples, share)
        for kind, (topics, remedies) in facts.items()
    )


def keep_exam(store: Store, project: Project, result: IntentsResult) -> None:
    """Keep a run that found this, and the topics that it is about."""
    for name in {line.intent for line in result.settings[0].intents}:
        add_topic(store, PRODUCT, project, name)
    at = now()
    run = Run(
        new_id(), project.id, 0, "intents", "Exam", RunState.DONE, {}, 1, 1, 1, 0, "One sentence.", "", None,
        None, None, "1", "h", 0, at, at, at,
    )  # fmt: skip
    documents = {"findings.json": result.to_json(), "warnings.json": [note.message for note in result.warnings]}
    with store.writing() as tx:
        tx.runs.add(run, b"{}", ())
        tx.documents.put(
            DocumentRow(run.id, name, "application/json", json.dumps(content).encode())
            for name, content in documents.items()
        )
