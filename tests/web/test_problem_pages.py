"""What to fix next on pages: one order, a way to everything that is advised, and nothing where nothing is wrong."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import Any

import pytest
from starlette.testclient import TestClient

from problem_hall import keep_exam, mixed_exam
from vivavoce.intents.problem_record import Standing
from vivavoce.intents.problems import ProblemKind
from vivavoce.records import Rate
from vivavoce.reports.intents.problem_wording import attraction_sentence, problem_advice, problem_sentence
from vivavoce.store.rows import Role
from vivavoce.web.language import Words
from vivavoce.web.pages.exams.exam_pages import problem_title
from vivavoce.workspace.exams.project_exams import Problem
from vivavoce.workspace.projects.today import MAX_PROBLEMS

FIX = "Most costly problems"


@pytest.fixture
def editor(house: Any) -> TestClient:
    keep_exam(house.store, house.project, mixed_exam())
    return house.enter(Role.EDITOR)  # type: ignore[no-any-return]


def shown(client: TestClient, path: str) -> str:
    return html.unescape(client.get(path).text)


def part(page: str, title: str) -> str:
    return page[page.index(f"<h2>{title}</h2>") :].partition("</section>")[0]


def test_the_exam_has_every_kind_of_problem() -> None:
    assert {problem.kind for problem in mixed_exam().problems} == set(ProblemKind)


def test_the_result_and_today_tell_the_problems_in_the_order_of_the_exam(editor: TestClient) -> None:
    result = part(shown(editor, "/p/jobs/intents/1"), FIX)
    every = [problem_sentence(problem) for problem in mixed_exam().problems]
    places = [result.index(sentence) for sentence in every]
    assert places == sorted(places)
    today = part(shown(editor, "/p/jobs"), "What to do next")
    titles = [problem_title(Words("en"), problem) for problem in as_listed()]
    assert re.findall(r'<h3 dir="auto">([^<]+)</h3>', today) == titles
    assert all(problem_advice(problem) in result for problem in mixed_exam().problems)


def as_listed() -> list[Problem]:
    """Return the problems as Today has them: the most costly first."""
    found = sorted(mixed_exam().problems, key=lambda problem: -problem.cost)[:MAX_PROBLEMS]
    return [
        Problem(
            *("intents", str(one.kind), "", 1, one.topics, tuple("x" for _ in one.topics)),
            cost=Rate(one.cost, one.low, one.high, one.evidence),
        )
        for one in found
    ]


def test_each_problem_on_today_has_its_cost_and_one_button_to_where_it_can_be_fixed(editor: TestClient) -> None:
    today = part(shown(editor, "/p/jobs"), "What to do next")
    costs = [int(cost) for cost in re.findall(r'class="cost"><b>(\d+)</b>', today)]
    assert costs == sorted(costs, reverse=True)
    buttons = re.findall(r'<a class="btn (primary|soft)" href="([^"]+)">', today)
    assert len(buttons) == len(costs)
    # The checklist has the one filled button as long as it is shown.
    assert [look for look, _ in buttons] == ["soft"] * len(buttons)
    assert {href: editor.get(href).status_code for _, href in buttons} == {href: 200 for _, href in buttons}
    editor.headers["cookie"] += "; " + editor.post("/p/jobs/checklist").headers["set-cookie"].split(";")[0]
    assert shown(editor, "/p/jobs").count("btn primary") == 1


def test_only_topics_that_may_be_one_can_be_merged_on_pages(editor: TestClient) -> None:
    result = part(shown(editor, "/p/jobs/intents/1"), FIX)
    merged = re.findall(r"topics/merge\?topic=([\w-]+)&topic=([\w-]+)", result)
    ids = dict(re.findall(r'href="/p/jobs/topics/([\w-]+)" dir="auto">([^<]+)</a>', result))
    pairs = {frozenset(ids[own] for own in pair) for pair in merged}
    assert pairs == {frozenset(("pay", "wages")), frozenset(("place", "Place"))}
    assert "'vocative_yes' and 'vocative_no'" in result or "'vocative_no' and 'vocative_yes'" in result


def test_readers_are_offered_no_edit(editor: TestClient, reader: TestClient) -> None:
    assert "topics/merge" not in part(shown(reader, "/p/jobs/intents/1"), FIX)
    today = part(shown(reader, "/p/jobs"), "What to do next")
    assert "topics/merge" not in today
    assert "Add " not in re.sub(r"<p.*?</p>", "", today)


def test_contradictions_lead_to_the_page_of_duplicates_and_no_page_shows_a_command(editor: TestClient) -> None:
    result = shown(editor, "/p/jobs/intents/1")
    assert 'href="/p/jobs/topics/duplicates?show=apart"' in part(result, FIX)
    assert editor.get("/p/jobs/topics/duplicates?show=apart").status_code == 200
    for page in (result, shown(editor, "/p/jobs")):
        assert "viva intents" not in page


def test_every_link_of_a_problem_leads_somewhere(editor: TestClient) -> None:
    result = part(shown(editor, "/p/jobs/intents/1"), FIX)
    links = set(re.findall(r'href="([^"]+)"', result))
    assert len(links) >= 8
    assert {link: editor.get(link).status_code for link in links} == dict.fromkeys(links, 200)


def test_it_is_said_which_topic_attracts_which_questions_with_a_way_to_the_words(editor: TestClient) -> None:
    result = part(shown(editor, "/p/jobs/intents/1"), FIX)
    problem = next(each for each in mixed_exam().problems if each.kind is ProblemKind.OUT_OF_SCOPE)
    assert problem.attracted
    assert all(attraction_sentence(each) in result for each in problem.attracted)
    assert "pair/card?" in result
    assert "kind=out_of_scope" in result


def test_confused_topics_that_need_no_fix_are_listed_apart_with_the_reason(house: Any, reader: TestClient) -> None:
    pair = next(each for each in mixed_exam().problems if each.kind is ProblemKind.PAIR)
    asides = (
        replace(pair, standing=Standing.SAME_ANSWER),
        replace(pair, topics=("a", "b"), standing=Standing.UNCLEAR),
    )
    keep_exam(house.store, house.project, replace(mixed_exam(), asides=asides))
    result = part(shown(reader, "/p/jobs/intents/1"), FIX)
    assert "2 groups of similar topics left as they are" in result
    assert "give the same answer" in result
    assert '<a href="/p/jobs/intents/1/pair?a=a&b=b" dir="auto">a and b</a>' in result


def test_nothing_worth_anybodys_time_is_shown_as_a_good_result(house: Any, reader: TestClient) -> None:
    keep_exam(house.store, house.project, replace(mixed_exam(), problems=()))
    today = shown(reader, "/p/jobs")
    assert "Nothing to fix today" in part(today, "What to do next")
    result = part(shown(reader, "/p/jobs/intents/1"), FIX)
    assert "Nothing needs fixing" in result
    assert "<tr>" not in result


def test_the_api_has_the_same_problems_with_cost_and_remedies(editor: TestClient) -> None:
    found = editor.get("/api/v1/projects/jobs/today").json()["problems"]
    for one, problem in zip(found, mixed_exam().problems, strict=False):
        assert (one["kind"], tuple(one["topics"])) == (problem.kind, problem.topics)
        assert one["cost"]["value"] == pytest.approx(problem.cost)
        assert one["remedies"] == list(problem.remedies)
