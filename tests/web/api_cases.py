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
    good: Mapping[str, Mapping[str, Mapping[str, Any]]]
    renew: Callable[[str], Store]
    thin: int = 1
    at: str = ""
    statuses: dict[str, set[int]] = field(default_factory=dict)
    failures: dict[tuple[str, str], str] = field(default_factory=dict)

    def examine(self, examples: int, *, systematic: bool) -> None:
        """Try every operation: with systematic requests where wanted, and with so many that are made up."""
        # Schemathesis takes how many requests to make up from a profile that is not the usual one of Hypothesis.
        before = settings.get_current_profile_name()
        settings.load_profile("default")
        try:
            self._examine(examples, systematic)
        finally:
            settings.load_profile(before)

    def _examine(self, examples: int, systematic: bool) -> None:
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
            self._send_good(found.ok())

            def test(case: Case) -> None:
                self.check(case)

            create_test(operation=found.ok(), test_func=test, config=config)()

    def _send_good(self, operation: Any) -> None:
        """Send a request that must succeed, where one is known, or one that reads what is there."""
        name = operation.definition.raw["operationId"]
        if name not in self.good and (operation.method != "get" or not self.good):
            return
        given = {
            "path_parameters": {one: values[0] for one, values in self.real.items() if f"{{{one}}}" in operation.path}
        }
        good = {part: dict(values) for part, values in self.good.get(name, {}).items()}
        given["path_parameters"] |= good.pop("path", {})
        case = operation.Case(**given, **good, **({"media_type": "application/json"} if "body" in good else {}))
        self._renew(name)
        self._judge(case, name)
        assert name not in self.good or any(status < 300 for status in self.statuses[name]), (
            name,
            self.statuses[name],
        )

    def _renew(self, operation: str) -> None:
        if operation != self.at:
            self.at, self.app.state.store = operation, self.renew(operation)

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
        self._renew(operation)
        self._make_real(case, random.Random(mark))  # noqa: S311
        self._judge(case, operation)

    def _judge(self, case: Case, operation: str) -> None:
        # Where the headers were made to be refused, a good key would spoil it.
        headers = self.headers if _is_sound(case, ParameterLocation.HEADER) else {}
        answer = case.call(headers=headers, timeout=120)
        self.statuses.setdefault(operation, set()).add(answer.status_code)
        try:
            # Much that fits the description is refused with a reason: a name that is taken, a run that is over.
            case.validate_response(answer, excluded_checks=[positive_data_acceptance], headers=headers)
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
    return [part for name, part in parts.items() if _is_sound(case, name)]


def _is_sound(case: Case, name: ParameterLocation) -> bool:
    made = case.meta.components if case.meta else {}
    return name not in made or made[name].mode.is_positive


def good_requests(filled: Filled) -> dict[str, dict[str, dict[str, Any]]]:
    """Return requests that succeed, by operation: what stands in the path, the query and the body."""
    talks, exam = {"number": filled.conversations.number}, {"number": filled.intents.number}
    two = {"a": filled.intents.number, "b": filled.later.number}
    bot = {"name": "mirror", "entry": {"kind": "scripted:echo"}}
    quick = {"retries": 1, "settings": [[0, 0]]}
    with filled.store.reading() as tx:
        suite = tx.suites.of_project(filled.project.id)[0]
        scenario = tx.suites.scenarios(suite.id)[0]
        topics = [topic.id for topic in tx.topics.of_project(filled.project.id)[:2]]
        turn = tx.turns.page(filled.conversations.id, limit=1)[0]
    renamed = scenario.text.replace(scenario.title, "Another title", 1)
    other = scenario.text.replace(scenario.name, "another-one", 1)
    return {
        "add_bot": {"body": bot}, "change_bot": {"body": bot}, "show_bot": {}, "try_bot": {}, "delete_bot": {},
        "start_conversations": {"body": {"suite": suite.name, "bots": ["parrot"]}},
        "list_bot_progress": {"path": talks}, "list_cells": {"path": talks}, "list_turns": {"path": talks},
        "list_bot_comparisons": {"path": talks}, "list_problems": {"path": talks},
        "show_transcript": {"path": talks, "query": {"script": turn.script}},
        "add_run_dialogues": {"path": talks, "body": {}},
        "show_dialogue_findings": {"path": {"number": filled.scoring.number}},
        "start_scoring": {"body": {"batch": "june"}}, "delete_batch": {"query": {"name": "june"}},
        "list_upload_talks": {"path": {"key": filled.talks_preview}},
        "apply_upload": {"path": {"key": filled.talks_preview}},
        "drop_upload": {"path": {"key": filled.talks_preview}}, "drop_import": {"path": {"key": filled.preview}},
        "show_import": {"path": {"key": filled.preview}}, "list_import_rows": {"path": {"key": filled.preview}},
        "apply_import": {"path": {"key": filled.preview}, "body": {}}, "show_suite": {}, "delete_schedule": {},
        "change_import": {"path": {"key": filled.preview}, "body": {"mode": "replace"}},
        "start_intents": {"body": quick}, "start_engines": {"body": {"classifiers": ["tfidf", "tfidf:de"], **quick}},
        "compare_intents": {"query": two}, "list_questions": {"path": exam}, "show_findings": {"path": exam},
        "show_report": {"path": exam}, "list_warnings": {"path": exam}, "undo_edit": {"body": {}},
        "cancel_run": {"path": {"number": filled.waiting.number}}, "delete_run": {"path": exam},
        "rename_run": {"path": exam, "body": {"title": "The first"}},
        "create_project": {"body": {"name": "Another"}},
        "change_project": {"body": {"name": "Jobs", "threshold": 0.4, "classifier": "tfidf"}},
        "add_scenario": {"body": {"text": other}}, "delete_topic": {}, "add_decision": {"body": {"topics": topics}},
        "change_scenario": {"body": {"text": renamed, "version": 1}}, "show_scenario": {},
        "list_scenario_versions": {},
        "add_suite": {"body": {"name": "empty"}}, "change_suite": {"body": {"name": "flights"}},
        "create_schedule": {"body": {"kind": "intents", "options": {"classifier": "tfidf"}}},
        "add_topic": {"body": {"name": "benefits", "examples": ["a car"]}}, "show_topic": {},
        "change_topic": {"body": {"name": "money"}}, "invite_person": {"body": {"login": "else@example.org"}},
        "make_key": {"body": {"name": "ci", "scopes": ["read"]}}, "show_key": {}, "make_person_link": {},
        "rate_talk": {"body": {"quality": 3}}, "show_dialogue": {}, "show_edit": {}, "end_person_sessions": {},
        "show_inbox_message": {}, "add_review": {"body": {"verdict": "right"}}, "undo_review": {},
        "add_reply": {"body": {"text": "Yes."}}, "add_comment": {"body": {"text": "Who knows?"}},
        "change_assignment": {"body": {"person": filled.person.id}}, "show_assistant_numbers": {}, "list_inbox": {},
        "start_learning": {},
        "prepare_import": {"body": {"text": "hello\tgreeting"}}, "export_topics": {"path": {"kind": "xlsx"}},
    }  # fmt: skip


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
        "rater": ["learned"], "message_id": [filled.message.id], "review_id": [filled.review.id],
        "person": [filled.person.id],
    }  # fmt: skip
