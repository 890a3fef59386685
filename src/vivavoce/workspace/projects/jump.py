"""Search and jump: topics, examples, suites, scenarios, bots and runs of a project that hold some words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from vivavoce.store.database import Store
from vivavoce.store.rows import Project
from vivavoce.store.transaction import Transaction

HitKind = Literal["topic", "example", "out_of_scope", "suite", "scenario", "bot", "run"]
MAX_OF_A_KIND = 6
LOOKED_AT_RUNS = 100


@dataclass(frozen=True, slots=True)
class Hit:
    """Something that holds the words. `id` is the number of a run; `beside`: its topic, suite or exam."""

    kind: HitKind
    id: str
    title: str
    beside: str = ""


def find_hits(store: Store, project: Project, words: str) -> list[Hit]:
    """Return what holds the words, a few of each kind; nothing for no words."""
    if not (words := words.strip()):
        return []
    with store.reading() as tx:
        return [
            hit
            for hits in (
                _topic_hits(tx, project, words),
                _named_hits(tx, project, words),
                _run_hits(tx, project, words),
                _example_hits(tx, project, words),
            )
            for hit in hits
        ]


def _topic_hits(tx: Transaction, project: Project, words: str) -> Iterator[Hit]:
    for topic, _ in tx.topics.page(project.id, words, limit=MAX_OF_A_KIND):
        yield Hit("topic", topic.id, topic.name)


def _named_hits(tx: Transaction, project: Project, words: str) -> Iterator[Hit]:
    wanted = words.casefold()
    suites = tx.suites.of_project(project.id)
    yield from (Hit("suite", suite.id, suite.name) for suite in suites if wanted in suite.name.casefold())
    scenarios = (
        Hit("scenario", scenario.id, scenario.name, suite.name)
        for suite in suites
        for scenario in tx.suites.scenarios(suite.id)
        if wanted in scenario.name.casefold()
    )
    yield from islice(scenarios, MAX_OF_A_KIND)
    yield from (
        Hit("bot", bot.id, bot.name) for bot in tx.bots.of_project(project.id) if wanted in bot.name.casefold()
    )


def _run_hits(tx: Transaction, project: Project, words: str) -> Iterator[Hit]:
    runs = tx.runs.page(project.id, limit=LOOKED_AT_RUNS)
    fitting = (run for run in runs if words.casefold() in run.title.casefold() or words == str(run.number))
    yield from (Hit("run", str(run.number), run.title, run.kind) for run in islice(fitting, MAX_OF_A_KIND))


def _example_hits(tx: Transaction, project: Project, words: str) -> Iterator[Hit]:
    names = tx.topics.names(project.id)
    for example in tx.examples.page(project.id, words, limit=MAX_OF_A_KIND):
        if example.topic_id is None:
            yield Hit("out_of_scope", example.id, example.text)
        else:
            yield Hit("example", example.id, example.text, names.get(example.topic_id, ""))
