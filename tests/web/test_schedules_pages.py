"""Daily runs on their pages and over the API."""

from __future__ import annotations

import re

from starlette.testclient import TestClient

from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.projects.schedules import NewSchedule, create_schedule, list_schedules, start_scheduled
from vivavoce.workspace.scenarios.suites import import_suite

PATH = "/p/jobs/schedules"
API = "/api/v1/projects/jobs/schedules"


def test_the_usual_daily_run_is_one_click_away(house, editor: TestClient, reader: TestClient) -> None:
    assert "every day at 03:00 UTC" in editor.get(PATH).text
    assert '<button class="first">' not in reader.get(PATH).text
    form = {"kind": "intents", "retries": "10", "minute": "180"}
    assert editor.post(f"{PATH}/new", data=form).status_code == 303
    (line,) = list_schedules(house.store, house.project)
    assert (line.schedule.options, line.schedule.minute_of_day) == ({"retries": 10}, 180)
    page = reader.get(PATH).text
    assert "1 exam starts every day" in page
    assert "10 times" in page


def test_every_exam_has_a_form_before_and_after_there_is_material(house, editor: TestClient) -> None:
    for kind in ("intents", "engines", "conversations", "dialogues"):
        assert editor.get(f"{PATH}/new?kind={kind}").status_code == 200
    import_suite(house.store, PRODUCT, house.project, "flight")
    for kind in ("intents", "engines", "conversations", "dialogues"):
        assert f'name="kind" value="{kind}"' in editor.get(f"{PATH}/new?kind={kind}").text


def test_conversations_are_scheduled_with_suite_bots_and_levels(house, editor: TestClient) -> None:
    import_suite(house.store, PRODUCT, house.project, "flight")
    page = editor.get(f"{PATH}/new?kind=conversations").text
    suite = page.split('name="suite" value="')[1].split('"')[0]
    form = {"kind": "conversations", "suite": suite, "bots": ["keywords"], "levels": ["basic"], "repeats": "2"}
    assert editor.post(f"{PATH}/new", data=form).status_code == 303
    (line,) = list_schedules(house.store, house.project)
    assert line.schedule.options == {"suite": suite, "bots": ["keywords"], "levels": ["basic"], "repeats": 2}


def test_a_daily_run_may_have_several_suites(house, editor: TestClient) -> None:
    rows = [import_suite(house.store, PRODUCT, house.project, name) for name in ("flight", "medical")]
    assert len(rows) == 2
    page = editor.get(f"{PATH}/new?kind=conversations").text
    suites = re.findall('name="suite" value="([^"]+)"', page)
    form = {"kind": "conversations", "suite": suites, "bots": ["keywords"], "levels": ["basic"], "repeats": "1"}
    assert editor.post(f"{PATH}/new", data=form).status_code == 303
    (line,) = list_schedules(house.store, house.project)
    assert line.schedule.options["suite"] == suites
    shown = editor.get(f"{PATH}/{line.schedule.id}/edit").text
    assert all(f'value="{suite}" checked' in shown for suite in suites)
    run = start_scheduled(house.store, line.schedule)
    assert run.options["suites"] == suites
    assert editor.get(PATH).status_code == 200


def test_a_refused_form_keeps_what_was_ticked(house, editor: TestClient) -> None:
    form = {"kind": "engines", "classifiers": ["tfidf"], "retries": "7", "title": "My night"}
    answer = editor.post(f"{PATH}/new", data=form)
    assert answer.status_code == 400
    assert 'value="tfidf" checked' in answer.text
    assert "My night" in answer.text
    assert "choose at least 2" in answer.text


def test_a_daily_run_is_switched_and_deleted_with_undo(house, editor: TestClient, reader: TestClient) -> None:
    create_schedule(house.store, PRODUCT, house.project, NewSchedule("intents", "Nightly", {}))
    one = f"{PATH}/{list_schedules(house.store, house.project)[0].schedule.id}"
    assert reader.post(f"{one}/switch", data={"enabled": ""}).status_code == 403
    assert editor.post(f"{one}/switch", data={"enabled": ""}).status_code == 303
    page = editor.get(PATH).text
    assert "All daily runs are switched off." in page
    assert "Switch on: Nightly" in page
    assert "Delete this daily run?" in editor.get(f"{one}/delete").text
    assert editor.post(f"{one}/delete").status_code == 303
    assert list_schedules(house.store, house.project) == ()


def test_a_daily_run_is_changed_in_the_form_that_made_it_with_undo(house, editor, reader) -> None:
    import_suite(house.store, PRODUCT, house.project, "flight")
    options = {"suite": "flight", "bots": ["keywords"], "levels": ["basic"], "repeats": 2}
    create_schedule(house.store, PRODUCT, house.project, NewSchedule("conversations", "Nightly", options, 61))
    (line,) = list_schedules(house.store, house.project)
    path = f"{PATH}/{line.schedule.id}/edit"
    assert reader.get(path).status_code == 403
    assert f'href="{path}"' in editor.get(PATH).text
    page = editor.get(path).text
    for shown in (
        'value="Nightly"',
        'value="keywords" checked',
        'value="basic" checked',
        '<option value="61" selected',
    ):
        assert shown in page
    suite = page.split('name="suite" value="')[1].split('"')[0]
    form = {"kind": "conversations", "suite": suite, "bots": ["keywords"], "repeats": "3", "minute": "90"}
    assert editor.post(path, data={**form, "title": "Later"}).status_code == 303
    (line,) = list_schedules(house.store, house.project)
    assert (line.schedule.title, line.schedule.minute_of_day, line.schedule.next_at.minute) == ("Later", 90, 30)
    assert line.schedule.options == {"suite": suite, "bots": ["keywords"], "repeats": 3}
    with house.store.reading() as tx:
        (edit, *_) = tx.edits.of_project(house.project.id)
    assert editor.post(f"/p/jobs/edits/{edit.id}/undo").status_code == 303
    assert list_schedules(house.store, house.project)[0].schedule.options == options


def test_a_daily_run_keeps_the_live_share_of_out_of_scope_questions(house, editor) -> None:
    form = {"kind": "intents", "classifier": "tfidf", "retries": "5", "minute": "90", "title": "Nightly"}
    assert editor.post(f"{PATH}/new", data={**form, "out_of_scope_share": "0.3"}).status_code == 303
    (line,) = list_schedules(house.store, house.project)
    assert line.schedule.options == {"classifier": "tfidf", "retries": 5, "out_of_scope_share": 0.3}
    assert "30 % out of scope" in editor.get(PATH).text
    path = f"{PATH}/{line.schedule.id}/edit"
    assert 'value="0.3"' in editor.get(path).text
    assert editor.post(path, data={**form, "out_of_scope_share": "2"}).status_code == 400
    assert editor.post(path, data={**form, "out_of_scope_share": ""}).status_code == 303
    assert list_schedules(house.store, house.project)[0].schedule.options == {"classifier": "tfidf", "retries": 5}


def test_a_change_that_is_refused_keeps_what_was_typed_and_what_is_gone_stays_visible(house, editor) -> None:
    options = {"classifier": "tfidf"}
    create_schedule(house.store, PRODUCT, house.project, NewSchedule("intents", "Nightly", options))
    path = f"{PATH}/{list_schedules(house.store, house.project)[0].schedule.id}/edit"
    answer = editor.post(path, data={"kind": "intents", "classifier": "tdidf", "retries": "5", "title": "Typed"})
    assert answer.status_code == 400
    assert "Typed" in answer.text
    assert '<option value="tdidf" selected' in answer.text
    assert editor.post(path, data={"kind": "dialogues", "title": "Typed"}).status_code == 400


def test_the_list_can_be_taken_along(house, reader: TestClient) -> None:
    create_schedule(house.store, PRODUCT, house.project, NewSchedule("intents", "Nightly", {"retries": 3}))
    assert '"Nightly","intents"' in reader.get(f"{PATH}.csv").text
    assert reader.get(f"{PATH}.xlsx").status_code == 200
    assert reader.get(f"{PATH}.doc").status_code == 404


def test_the_api_makes_switches_and_deletes(editor: TestClient, reader: TestClient) -> None:
    body = {"kind": "intents", "title": "Nightly", "options": {"retries": 10}, "minute_of_day": 61}
    assert reader.post(API, json=body).status_code == 403
    assert editor.post(API, json=body).status_code == 201
    (line,) = reader.get(API).json()["items"]
    assert (line["schedule"]["minute_of_day"], line["last_run"], line["trouble"]) == (61, None, "")
    one = f"{API}/{line['schedule']['id']}"
    assert editor.put(one, json={"enabled": False}).json()["action"] == "switch schedule"
    assert editor.put(one, json={"enabled": True, "title": "Both"}).status_code == 400
    assert editor.put(one, json={"minute_of_day": 75}).json()["action"] == "change schedule"
    (line,) = reader.get(API).json()["items"]
    kept = line["schedule"]
    assert (kept["minute_of_day"], kept["title"], kept["options"]) == (75, "Nightly", {"retries": 10})
    assert editor.delete(one).status_code == 200
    assert editor.delete(one).status_code == 404


ODD = [
    {"kind": "nonsense"},
    {"kind": "intents", "minute_of_day": 1440},
    {"kind": "intents", "options": {"retries": "ten"}},
    {"kind": "intents", "options": {"retries": 1e99}},
    {"kind": "intents", "options": {"out_of_scope_share": "0.3"}},
    {"kind": "intents", "options": {"out_of_scope_share": 1}},
    {"kind": "intents", "options": {"classifier": ["x"]}},
    {"kind": "engines", "options": {"classifiers": [1, 2]}},
    {"kind": "conversations", "options": {"suite": 5}},
    {"kind": "conversations", "options": {"suite": "\u0000"}},
    {"kind": "dialogues", "options": {"batch": {"a": 1}}},
]


def test_no_body_brings_the_server_down(editor: TestClient) -> None:
    for body in ODD:
        assert editor.post(API, json=body).status_code in (400, 422), body
