"""What to fix next on pages: one order, a way to everything that is advised, and nothing where nothing is wrong."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from starlette.testclient import TestClient

from vivavoce.intents import IntentsResult, Setting, examine_intents
from vivavoce.intents.problems import ProblemKind
from vivavoce.records import Dataset
from vivavoce.reports.problem_wording import problem_advice, problem_sentence
from vivavoce.store.rows import DocumentRow, Role, Run, RunState
from vivavoce.store.stamps import new_id, now
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.topics.topics import add_topic

FRAMES = ("when do I get {}", "how is {} paid out", "who decides about {}", "is {} in the contract")
THINGS = ("the bonus", "overtime", "a raise", "my payslip", "expenses", "the pension")
PLACES = ("the office", "the canteen", "parking", "the entrance", "the gym", "floor two")


@cache
def mixed() -> IntentsResult:
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
    return examine_intents(data, "tfidf", settings=[Setting(0, 0.0), Setting(0, 0.15)], threshold=0.0, workers=1)


def keep(house: Any, result: IntentsResult) -> None:
    """Keep a run that found this, and the topics that it is about."""
    for name in {line.intent for line in result.settings[0].intents}:
        add_topic(house.store, PRODUCT, house.project, name)
    at = now()
    run = Run(
        new_id(), house.project.id, 0, "intents", "Exam", RunState.DONE, {}, 1, 1, 1, 0, "One sentence.", "", None,
        None, None, "1", "h", 0, at, at, at,
    )  # fmt: skip
    documents = {"findings.json": result.to_json(), "warnings.json": [note.message for note in result.warnings]}
    with house.store.writing() as tx:
        tx.runs.add(run, b"{}", ())
        tx.documents.put(
            DocumentRow(run.id, name, "application/json", json.dumps(content).encode())
            for name, content in documents.items()
        )


@pytest.fixture
def editor(house: Any) -> TestClient:
    keep(house, mixed())
    return house.enter(Role.EDITOR)  # type: ignore[no-any-return]


def shown(client: TestClient, path: str) -> str:
    return html.unescape(client.get(path).text)


def part(page: str, title: str) -> str:
    return page[page.index(f"<h2>{title}</h2>") :].partition("</section>")[0]


def test_the_exam_has_every_kind_of_problem() -> None:
    assert {problem.kind for problem in mixed().problems} == set(ProblemKind)


def test_the_result_and_today_tell_the_problems_in_the_order_of_the_exam(editor: TestClient) -> None:
    result = part(shown(editor, "/p/jobs/intents/1"), "What to fix next")
    today = part(shown(editor, "/p/jobs"), "The biggest problems")
    every = [problem_sentence(problem) for problem in mixed().problems]
    places = [result.index(sentence) for sentence in every]
    assert places == sorted(places)
    assert [sentence for sentence in every if sentence in today] == every[:3]
    assert all(problem_advice(problem) in result for problem in mixed().problems)


def test_only_topics_that_may_be_one_can_be_merged_on_pages(editor: TestClient) -> None:
    result = part(shown(editor, "/p/jobs/intents/1"), "What to fix next")
    merged = re.findall(r"topics/merge\?topic=([\w-]+)&topic=([\w-]+)", result)
    ids = dict(re.findall(r'href="/p/jobs/topics/([\w-]+)">([^<]+)</a>', result))
    pairs = {frozenset(ids[own] for own in pair) for pair in merged}
    assert pairs == {frozenset(("pay", "wages")), frozenset(("place", "Place"))}
    assert "'vocative_yes' and 'vocative_no'" in result or "'vocative_no' and 'vocative_yes'" in result


def test_readers_are_offered_no_edit(editor: TestClient, reader: TestClient) -> None:
    assert "topics/merge" not in part(shown(reader, "/p/jobs/intents/1"), "What to fix next")
    assert "topics/merge" not in part(shown(reader, "/p/jobs"), "The biggest problems")


def test_contradictions_lead_to_the_page_of_duplicates_and_no_page_shows_a_command(editor: TestClient) -> None:
    result = shown(editor, "/p/jobs/intents/1")
    assert 'href="/p/jobs/topics/duplicates?show=apart"' in part(result, "What to fix next")
    assert editor.get("/p/jobs/topics/duplicates?show=apart").status_code == 200
    for page in (result, shown(editor, "/p/jobs")):
        assert "viva intents" not in page


def test_every_link_of_a_problem_leads_somewhere(editor: TestClient) -> None:
    result = part(shown(editor, "/p/jobs/intents/1"), "What to fix next")
    links = set(re.findall(r'href="([^"]+)"', result))
    assert len(links) >= 8
    assert {link: editor.get(link).status_code for link in links} == dict.fromkeys(links, 200)


def test_nothing_worth_anybodys_time_is_shown_as_a_good_result(house: Any, reader: TestClient) -> None:
    keep(house, replace(mixed(), problems=()))
    today = shown(reader, "/p/jobs")
    assert "Nothing worth your time today." in part(today, "The biggest problems")
    assert "nothing needs your time today" in today
    result = part(shown(reader, "/p/jobs/intents/1"), "What to fix next")
    assert "Nothing worth your time" in result
    assert "<li>" not in result


def test_the_api_has_the_same_problems_with_cost_and_remedies(editor: TestClient) -> None:
    found = editor.get("/api/v1/projects/jobs/today").json()["problems"]
    for one, problem in zip(found, mixed().problems, strict=False):
        assert (one["kind"], tuple(one["topics"])) == (problem.kind, problem.topics)
        assert one["cost"]["value"] == pytest.approx(problem.cost)
        assert one["remedies"] == list(problem.remedies)
