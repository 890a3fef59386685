"""Bots over the API: the same uses as on the pages."""

from __future__ import annotations

import json

from starlette.testclient import TestClient

PATH = "/api/v1/projects/jobs/bots"
HTTP = {"kind": "http", "url": "https://bot.example/chat"}


def test_a_bot_is_added_changed_and_deleted(admin: TestClient) -> None:
    assert admin.post(PATH, json={"name": "ours", "entry": HTTP}).status_code == 201
    (line,) = admin.get(PATH).json()["items"]
    assert line["address"] == "https://bot.example/chat"
    assert line["limits"] == {"at_once": 8, "per_second": None, "timeout_s": 30.0, "retries": 2}
    one = f"{PATH}/{line['bot']['id']}"
    changed = admin.put(one, json={"name": "theirs", "entry": {**HTTP, "limits": {"at_once": 1}}})
    assert changed.json()["action"] == "change bot"
    assert admin.get(one).json()["limits"]["at_once"] == 1
    assert admin.delete(one).status_code == 200
    assert admin.get(one).status_code == 404


def test_all_faults_of_an_entry_come_at_once(admin: TestClient) -> None:
    entry = {**HTTP, "headers": {"Cookie": "a=b", "X-Token": "t"}}
    answer = admin.post(PATH, json={"name": "ours", "entry": entry})
    assert answer.status_code == 400
    assert [fault["where"] for fault in answer.json()["faults"]] == ["headers.Cookie", "headers.X-Token"]


ODD = [
    {"kind": 5},
    {"kind": ""},
    {"kind": ":"},
    {"kind": "http", "url": 7},
    {"kind": "http", "url": "https://[::1"},
    {"kind": "http", "url": "https://a.example", "headers": []},
    {"kind": "http", "url": "https://a.example", "open": "x"},
    {"kind": "openai", "model": {}, "api_key": None, "extra": 3},
    {"kind": "scripted", "delay_s": []},
    {"kind": "nearest", "agent": ["flight"]},
    {"option": None},
    {"kind": "http", "url": "https://a.example/\u0000"},
    {"kind": "http", "url": "https://a.example/", "about": "\ud800"},
]


def test_no_entry_brings_the_server_down(admin: TestClient) -> None:
    for entry in ODD:
        body = json.dumps({"name": "odd", "entry": entry}).encode()
        answer = admin.post(PATH, content=body, headers={"content-type": "application/json"})
        assert answer.status_code in (400, 422), entry


def test_a_test_over_the_api_tells_every_check(admin: TestClient, editor: TestClient) -> None:
    admin.post(PATH, json={"name": "built in", "entry": {"kind": "keywords", "agent": "flight"}})
    bot_id = editor.get(PATH).json()["items"][0]["bot"]["id"]
    report = editor.post(f"{PATH}/{bot_id}/test").json()
    assert report["passed"] is True
    assert {"name", "passed", "note", "meaning"} == set(report["checks"][0])
