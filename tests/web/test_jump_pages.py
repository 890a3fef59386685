"""Search and jump: one field that finds pages, content and runs."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.projects.jump import MAX_OF_A_KIND, find_hits
from vivavoce.workspace.topics.examples import add_examples
from vivavoce.workspace.topics.topics import add_topic

JUMP = "/p/jobs/jump"


@pytest.fixture
def visa(house: Any) -> str:
    texts = [f"visa question {n}" for n in range(9)]
    topic = add_topic(house.store, PRODUCT, house.project, "Visa & permits", examples=texts).topic.id
    add_examples(house.store, PRODUCT, house.project, ["the visa of my cat"])
    return topic


def test_words_find_topics_examples_and_pages(reader: TestClient, visa: str) -> None:
    page = reader.get(JUMP, params={"q": "VISA"}).text
    assert f'href="/p/jobs/topics/{visa}"' in page
    assert "Visa &amp; permits" in page
    assert "the visa of my cat" in reader.get(JUMP, params={"q": "cat"}).text
    assert 'href="/p/jobs/topics"' in reader.get(JUMP, params={"q": "topic"}).text
    reader.headers["cookie"] += "; viva_language=de"
    assert 'href="/p/jobs/topics"' in reader.get(JUMP, params={"q": "themen"}).text.partition("<main")[2]


def test_a_few_of_each_kind_are_found_and_nothing_for_no_words(house: Any, visa: str) -> None:
    found = find_hits(house.store, house.project, "visa")
    kinds = [hit.kind for hit in found]
    assert kinds.count("topic") == 1
    assert kinds.count("example") + kinds.count("out_of_scope") == MAX_OF_A_KIND
    assert next(hit.beside for hit in found if hit.kind == "example") == "Visa & permits"
    assert find_hits(house.store, house.project, "   ") == []


def test_bots_are_found_by_their_names(house: Any) -> None:
    with house.store.writing() as tx:
        bot = {"id": "b1", "project_id": house.project.id, "name": "Shopkeeper", "entry": {"kind": "http"}}
        made = tx.edits.insert("bots", {**bot, "created": house.project.created})
        tx.edits.apply(house.project.id, None, "add bot", "Bot", [made])
    assert [(hit.kind, hit.id) for hit in find_hits(house.store, house.project, "shop")] == [("bot", "b1")]


def test_while_one_types_only_the_results_are_sent(reader: TestClient, visa: str) -> None:
    part = reader.get(JUMP, params={"q": "visa"}, headers={"x-fragment": "1"}).text
    assert part.lstrip().startswith('<div class="jump-results"')
    assert "<html" not in part
    nothing = reader.get(JUMP, params={"q": "<b>zebra"}, headers={"x-fragment": "1"}).text
    assert "Nothing found" in nothing
    assert "&lt;b&gt;zebra" in nothing


def test_without_a_project_pages_of_the_workspace_are_found(admin: TestClient, reader: TestClient) -> None:
    assert 'href="/people"' in admin.get("/jump", params={"q": "peop"}).text.partition("<main")[2]
    assert 'href="/people"' not in reader.get("/jump", params={"q": "peop"}).text
    assert reader.get("/jump", params={"q": "x" * 5000}).status_code in (200, 400)
