"""Requests that meet something: real ids, names and numbers take the place of many that were made up."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import schemathesis
from filled_house import Filled
from hypothesis import HealthCheck, Phase, settings
from schemathesis import Case
from schemathesis.core.failures import FailureGroup
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.hypothesis.builder import HypothesisTestConfig, HypothesisTestMode, create_test
from schemathesis.generation.meta import TestPhase
from schemathesis.specs.openapi.checks import positive_data_acceptance

from vivavoce.store.database import Store
from vivavoce.web.app import API, Application

# Of ten values so many are real ones.
REAL_OF_TEN = 8
LONGEST = 1500


@dataclass
class Desk:
    """The application over a workspace that is made anew for every operation, and what is really in it.

    `thin`: of the systematic requests, which are thousands, one of so many is sent.
    """

    app: Application
    key: str
    real: Mapping[str, Sequence[Any]]
    renew: Callable[[str], Store]
    thin: int = 1
    at: str = ""
    statuses: dict[str, set[int]] = field(default_factory=dict)
    failures: dict[tuple[str, str], str] = field(default_factory=dict)

    def examine(self, examples: int, *, systematic: bool) -> None:
        """Try every operation: with systematic requests where wanted, and with so many that are made up."""
        schema = schemathesis.openapi.from_asgi(f"{API}/openapi.json", self.app)
        modes = [HypothesisTestMode.FUZZING, *([HypothesisTestMode.COVERAGE] if systematic else [])]
        chosen = settings(
            max_examples=examples,
            derandomize=True,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.explicit, Phase.generate],
        )
        config = HypothesisTestConfig(modes=modes, settings=chosen, project=schema.config)
        for found in schema.get_all_operations():

            def test(case: Case) -> None:
                self.check(case)

            create_test(operation=found.ok(), test_func=test, config=config)()

    @property
    def headers(self) -> dict[str, str]:
        """How a program shows who it is."""
        return {"Authorization": f"Bearer {self.key}"}

    def check(self, case: Case) -> None:
        """Send a request and hold the answer against the description; what differs is kept."""
        mark = crc32(repr((case.path_parameters, case.query, case.body)).encode())
        if case.meta and case.meta.phase.name is TestPhase.COVERAGE and mark % self.thin:
            return
        operation = case.operation.definition.raw["operationId"]
        if operation != self.at:
            self.at, self.app.state.store = operation, self.renew(operation)
        self._make_real(case, random.Random(mark))  # noqa: S311
        answer = case.call(headers=self.headers)
        self.statuses.setdefault(operation, set()).add(answer.status_code)
        try:
            # Much that fits the description is refused with a reason: a name that is taken, a run that is over.
            case.validate_response(answer, excluded_checks=[positive_data_acceptance], headers=self.headers)
        except FailureGroup as found:
            for failure in found.exceptions:
                told = f"{answer.status_code} {failure}\n{case.as_curl_command()}"[:LONGEST]
                self.failures.setdefault((operation, type(failure).__name__), told)

    def _make_real(self, case: Case, draw: random.Random) -> None:
        for part in _sound_parts(case):
            if isinstance(part, dict):
                for name in sorted(part.keys() & self.real.keys(), key=str):
                    part[name] = self._chosen(draw, name, part[name])

    def _chosen(self, draw: random.Random, name: str, value: Any) -> Any:
        """Return a real value in place of one that could have been it."""
        real = draw.choice(self.real[name])
        if draw.randrange(10) >= REAL_OF_TEN:
            return value
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
        scenarios = tx.suites.scenarios(suite.id)
        talks = [row.id for row in tx.dialogues.of_project(project.id)][:2]
        bot = tx.bots.of_project(project.id)[0]
        edits = [edit.id for edit in tx.edits.of_project(project.id, limit=20)]
        schedule = tx.schedules.of_project(project.id)[0]
        turn = tx.turns.page(filled.conversations.id, limit=1)[0]
    # Each as often as its operations ask for it.
    numbers = [filled.intents.number, filled.later.number, filled.conversations.number, filled.scoring.number]
    return {
        "slug": [project.slug], "topic_id": topics, "into": topics, "topics": topics, "topic": topics,
        "example_id": examples, "examples": examples, "suite_id": [suite.id], "script": [turn.script],
        "scenario_id": [row.id for row in scenarios], "text": [scenarios[0].text], "talk_id": talks,
        "bot_id": [bot.id], "edit_id": edits, "schedule_id": [schedule.id], "person_id": [filled.person.id],
        "number": [*numbers, filled.waiting.number], "a": numbers, "b": numbers, "version": [1],
        "suite": [suite.name], "bots": [bot.name, "keywords"], "bot": [bot.name], "batch": ["june"],
        "classifier": ["tfidf"], "name": [project.name, "june", "confusion", suite.name],
        "key_id": [filled.other_key], "kind": ["csv", "json"], "key": [filled.preview, filled.talks_preview],
        "rater": ["learned"],
    }  # fmt: skip
