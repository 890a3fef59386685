"""Suites and scenarios for programs: the same uses as on the pages, and no save over somebody else's."""

from __future__ import annotations

import pytest
import yaml

from vivavoce.conversations import read_suite
from vivavoce.conversations.scenarios.formats.yaml_reading import parse_yaml_suite
from vivavoce.conversations.scenarios.formats.yaml_writing import suite_value
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.scenarios.suites import import_suite

API = "/api/v1/projects/jobs"
SCENARIO = "id: mine\nlevel: basic\nturns:\n- user: Hello\n  expect: greet\n"


@pytest.fixture(scope="module")
def furnish():
    """Bring the suite in once: every test begins with it."""
    return lambda store, project, users: import_suite(store, PRODUCT, project, "flight")


@pytest.fixture
def suite(editor) -> str:
    return editor.get(f"{API}/suites").json()["items"][0]["suite"]["id"]


def first(editor, suite: str) -> dict:
    return editor.get(f"{API}/suites/{suite}/scenarios?limit=1").json()["items"][0]


def test_a_suite_goes_in_and_out_as_text(editor, suite) -> None:
    text = editor.get(f"{API}/suites/{suite}/file").text
    assert suite_value(parse_yaml_suite(text)) == suite_value(read_suite("flight"))
    assert editor.post(f"{API}/suites", json={"name": "again", "text": text}).status_code == 201
    assert editor.post(f"{API}/suites", json={"name": "again", "text": text}).status_code == 400
    assert editor.get(f"{API}/suites").json()["total"] == 2


def test_scenarios_are_listed_in_pages(editor, suite) -> None:
    found = editor.get(f"{API}/suites/{suite}/scenarios?limit=5&offset=3&level=basic").json()
    assert (len(found["items"]), found["total"]) == (5, 20)
    assert {row["level"] for row in found["items"]} == {"basic"}
    assert editor.get(f"{API}/suites/{suite}/scenarios?limit=1000").status_code == 422


def test_a_save_over_a_newer_version_is_refused_and_the_newer_one_stays(editor, suite) -> None:
    row = first(editor, suite)
    path = f"{API}/scenarios/{row['id']}"
    changed = yaml.safe_load(row["text"]) | {"title": "One"}
    body = {"text": yaml.safe_dump(changed), "version": 1}
    saved = editor.put(path, json=body)
    assert saved.status_code == 200, saved.text
    assert editor.put(path, json=body | {"text": yaml.safe_dump(changed | {"title": "Two"})}).status_code == 409
    assert editor.get(path).json()["title"] == "One"
    versions = editor.get(f"{path}/versions").json()
    assert [one["version"] for one in versions["items"]] == [2, 1]
    assert editor.post(f"{path}/versions/1/restore").status_code == 200
    assert editor.get(path).json()["text"] == row["text"]


def test_what_is_no_scenario_is_refused_with_its_faults(editor, suite) -> None:
    odd = [SCENARIO.replace("greet", "{a: b}"), SCENARIO.replace("basic", "odd"), SCENARIO.replace("mine", "a/b")]
    for text in ("", "{", "- 1", "id: x", "a: &a [*a]", "id: x\nturns: 3\nlevel: basic", *odd):
        answer = editor.post(f"{API}/suites/{suite}/scenarios", json={"text": text})
        assert answer.status_code == 400, answer.text
        assert answer.json()["what"]


def test_a_scenario_is_added_once_and_deleted(editor, suite) -> None:
    made = editor.post(f"{API}/suites/{suite}/scenarios", json={"text": SCENARIO, "why": "new"})
    assert made.status_code == 201, made.text
    assert editor.post(f"{API}/suites/{suite}/scenarios", json={"text": SCENARIO}).status_code == 400
    path = f"{API}/scenarios/{made.json()['scenario_id']}"
    assert editor.delete(path).json()["action"] == "delete"
    assert editor.get(path).status_code == 404


def test_suites_are_renamed_pasted_into_and_deleted(editor, suite) -> None:
    path = f"{API}/suites/{suite}"
    assert editor.put(path, json={"name": "air", "title": "By air"}).status_code == 200
    text = "scenario,level,user,expect_topic\nmine,basic,Hello,greet\n"
    assert editor.post(f"{path}/pasted", json={"text": text}).status_code == 201
    assert editor.get(path).json()["name"] == "air"
    assert editor.delete(path).status_code == 200
    assert editor.get(path).status_code == 404


def test_only_what_ships_is_taken_by_its_name(editor, suite) -> None:
    assert editor.delete(f"{API}/suites/{suite}").status_code == 200
    assert editor.post(f"{API}/suites", json={"shipped": "flight"}).status_code == 201
    for shipped in ("nothing", "/etc/passwd", "../flight"):
        assert editor.post(f"{API}/suites", json={"shipped": shipped}).status_code == 400


def test_a_reader_reads_and_a_stranger_sees_nothing(reader, stranger, suite) -> None:
    assert reader.get(f"{API}/suites/{suite}").status_code == 200
    assert reader.delete(f"{API}/suites/{suite}").status_code == 403
    assert stranger.get(f"{API}/suites").status_code == 401
