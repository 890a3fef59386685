"""Search and jump: topics, examples, suites, scenarios, bots and runs of a project that hold some words."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Literal

from vivavoce.store.database import Store
from vivavoce.store.rows import Project

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
    wanted = words.casefold()
    with store.reading() as tx:
        topics = tx.topics.page(project.id, words, limit=MAX_OF_A_KIND)
        suites, bots = tx.suites.of_project(project.id), tx.bots.of_project(project.id)
        scenarios = (
            Hit("scenario", scenario.id, scenario.name, suite.name)
            for suite in suites
            for scenario in tx.suites.scenarios(suite.id)
            if wanted in scenario.name.casefold()
        )
        runs = tx.runs.page(project.id, limit=LOOKED_AT_RUNS)
        fitting = (run for run in runs if wanted in run.title.casefold() or words == str(run.number))
        names = tx.topics.names(project.id)
        examples = tx.examples.page(project.id, words, limit=MAX_OF_A_KIND)
        return [
            *(Hit("topic", topic.id, topic.name) for topic, _ in topics),
            *(Hit("suite", suite.id, suite.name) for suite in suites if wanted in suite.name.casefold()),
            *islice(scenarios, MAX_OF_A_KIND),
            *(Hit("bot", bot.id, bot.name) for bot in bots if wanted in bot.name.casefold()),
            *(Hit("run", str(run.number), run.title, run.kind) for run in islice(fitting, MAX_OF_A_KIND)),
            *(
                Hit("example", example.id, example.text, names.get(example.topic_id, ""))
                if example.topic_id
                else Hit("out_of_scope", example.id, example.text)
                for example in examples
            ),
        ]
