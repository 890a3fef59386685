"""Small runs for the tests of the workers."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from vivavoce.bots import load_entries
from vivavoce.conversations import Plan, RunOptions
from vivavoce.conversations.scenario import Expectation, Script, ScriptTurn
from vivavoce.jobs.exams.conversation_run import conversation_material
from vivavoce.jobs.exams.documents import dataset_to_bytes
from vivavoce.jobs.starting import start_run
from vivavoce.jobs.worker import Rhythm
from vivavoce.records import Dataset
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run
from vivavoce.store.stamps import new_id

NOON = datetime(2024, 5, 2, 12, tzinfo=UTC)
# Nobody waits in tests.
QUICK = Rhythm(lease=30, beat=5, poll=0.05, flush=0.02, schedules=0.05)
SMALL = {"classifier": "tfidf", "retries": 2, "settings": [[0, 0]], "leak_proof": False}
Entry = Mapping[str, Any]


def add_project(store: Store) -> Project:
    with store.writing() as tx:
        return tx.projects.add(
            "shop", "Shop", language="en", languages=("en",), classifier="tfidf", threshold=0.4, at=NOON
        )


def small_material(topics: int = 3, each: int = 8) -> bytes:
    draw = random.Random(0)  # noqa: S311
    words = [f"word{n}" for n in range(topics * 4)]
    rows = [
        (" ".join([*draw.sample(words[topic * 4 : topic * 4 + 4], 2), draw.choice(words), str(n)]), f"topic {topic}")
        for topic in range(topics)
        for n in range(each)
    ]
    return dataset_to_bytes(Dataset.of([text for text, _ in rows], [topic for _, topic in rows]))


def small_plan(talks: int, turns: int = 1, expect: Expectation | None = None) -> Plan:
    expect = expect or Expectation(intents=("chat",))
    said = tuple(ScriptTurn(n, f"t{n}", f"message {n}", expect) for n in range(1, turns + 1))
    scripts = (Script(f"s{n}", f"s{n}", f"Talk {n}", "test", "basic", said, version="1") for n in range(talks))
    return Plan("small", "en", tuple(scripts), hash="0" * 16)


def talks_material(
    talks: int, bots: Mapping[str, Entry], turns: int = 1, *, expect: Expectation | None = None, **options: Any
) -> bytes:
    facts = [bot.facts for bot in load_entries(dict(bots))]
    plan = small_plan(talks, turns, expect)
    return conversation_material(plan, list(bots.items()), facts, RunOptions(**options), run=new_id())


def start_talks(
    store: Store,
    project: Project,
    talks: int,
    bots: Mapping[str, Entry],
    turns: int = 1,
    *,
    expect: Expectation | None = None,
    **options: Any,
) -> Run:
    material = talks_material(talks, bots, turns, expect=expect, **options)
    return start_run(store, project.id, "conversations", "Talks", options, material, user_id=None)


def start_intents(store: Store, project: Project, **options: Any) -> Run:
    given = {**SMALL, **options}
    return start_run(store, project.id, "intents", "Topics", given, small_material(), user_id=None)


def start_engines(store: Store, project: Project, engines: Sequence[str], **options: Any) -> Run:
    given = {**SMALL, **options, "classifiers": list(engines)}
    del given["classifier"]
    return start_run(store, project.id, "engines", "Engines", given, small_material(), user_id=None)


def seen(store: Store, run: Run) -> Run:
    with store.reading() as tx:
        found = tx.runs.get(run.id)
    assert found is not None
    return found
