"""Requests that meet something: real ids, names and numbers take the place of many that were made up."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

from filled_house import Filled
from schemathesis import Case
from schemathesis.core.parameters import ParameterLocation

from vivavoce.store.database import Store
from vivavoce.web.app import Application

# Of ten requests so many ask for what exists, each value for itself.
REAL_OF_TEN = 8


@dataclass
class Desk:
    """The application over a workspace that is made anew for every operation, and what is really in it."""

    app: Application
    key: str
    real: Mapping[str, Sequence[Any]]
    renew: Callable[[], Store]
    at: str = ""
    seen: dict[str, set[int]] = field(default_factory=dict)

    def ask(self, case: Case) -> Any:
        """Send a request, with real values in many places."""
        if case.operation.label != self.at:
            self.at = case.operation.label
            self.app.state.store = self.renew()
        self._make_real(case)
        response = case.call(headers={"Authorization": f"Bearer {self.key}"})
        self.seen.setdefault(case.operation.label, set()).add(response.status_code)
        return response

    def _make_real(self, case: Case) -> None:
        draw = random.Random(crc32(repr((case.path_parameters, case.query, case.body)).encode()))  # noqa: S311
        for place in _sound_parts(case):
            if isinstance(place, dict):
                for name in sorted(place.keys() & self.real.keys(), key=str):
                    place[name] = self._chosen(draw, name, place[name])

    def _chosen(self, draw: random.Random, name: str, value: Any) -> Any:
        """Return a real value in place of one that could have been it."""
        if draw.randrange(10) >= REAL_OF_TEN:
            return value
        real = draw.choice(self.real[name])
        if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
            return [real]
        return real if isinstance(value, type(real)) and value != "" else value


def _sound_parts(case: Case) -> list[Any]:
    """Return the parts of a request that were not made to be refused."""
    parts = {
        ParameterLocation.PATH: case.path_parameters,
        ParameterLocation.QUERY: case.query,
        ParameterLocation.BODY: case.body,
    }
    made = case.meta.components if case.meta else {}
    return [part for name, part in parts.items() if name not in made or made[name].mode.is_positive]


def real_values(filled: Filled) -> dict[str, list[Any]]:
    """Return what exists, by the names of parameters and fields."""
    project = filled.project
    with filled.store.reading() as tx:
        topics = [topic.id for topic in tx.topics.of_project(project.id)]
        examples = [row.id for row in tx.examples.page(project.id, limit=3)]
        suite = tx.suites.of_project(project.id)[0]
        scenarios = [row.id for row in tx.suites.scenarios(suite.id)]
        talks = [row.id for row in tx.dialogues.of_project(project.id)][:2]
        bot = tx.bots.of_project(project.id)[0]
        edits = [edit.id for edit in tx.edits.of_project(project.id, limit=20)]
        schedule = tx.schedules.of_project(project.id)[0]
    runs = [filled.intents, filled.later, filled.conversations, filled.scoring, filled.waiting]
    numbers = [run.number for run in runs]
    return {
        "slug": [project.slug], "topic_id": topics, "into": topics, "topics": topics, "topic": topics,
        "example_id": examples, "examples": examples, "suite_id": [suite.id], "scenario_id": scenarios,
        "talk_id": talks, "bot_id": [bot.id], "edit_id": edits, "schedule_id": [schedule.id],
        "person_id": [filled.person.id], "key_id": [filled.other_key], "number": numbers, "a": numbers, "b": numbers, "version": [1],
        "suite": [suite.name], "bots": [bot.name, "keywords"], "bot": [bot.name], "batch": ["june"],
        "classifier": ["tfidf"], "classifiers": ["tfidf"], "name": [project.name, "accuracy", "june", suite.name],
        "kind": ["csv", "json"], "key": [filled.preview], "rater": ["learned"],
    }  # fmt: skip
