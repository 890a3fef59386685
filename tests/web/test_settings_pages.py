"""The settings of the workspace and of a project, and the audit log, as a browser meets them."""

from __future__ import annotations

import re
from base64 import b64decode
from typing import TYPE_CHECKING

from vivavoce.errors import MissingPartError
from vivavoce.store.rows import Role
from vivavoce.workspace.access.secrets import Cost, hash_password

if TYPE_CHECKING:
    from conftest import House


def test_the_log_is_paged_and_narrowed_down(house: House) -> None:
    admin, who = house.enter(Role.ADMIN), house.users[Role.EDITOR]
    with house.store.writing() as tx:
        for number in range(120):
            tx.audit.add("try", "thing", "", house.users[Role.ADMIN].id, detail=f"<{number}>")
        tx.audit.add("draw", "picture", "", who.id, house.project.id, detail="a cat")
    first = admin.get("/audit").text
    assert first.count("<tr>") == 51
    assert "121 in total" in first
    assert "&lt;119&gt;" in first
    assert "&lt;0&gt;" in admin.get("/audit?page=3").text
    assert admin.get("/audit?page=99").status_code == 200
    for narrowed in (f"/audit?person={who.id}", f"/audit?project={house.project.id}"):
        page = admin.get(narrowed).text
        assert "a cat" in page
        assert page.count("<tr>") == 2
    assert "a cat" in admin.get(f"/audit.csv?person={who.id}").text
    assert "Nothing here" in admin.get("/audit?person=0").text


def test_the_log_is_narrowed_down_by_what_was_done_by_words_and_to_the_product_itself(house: House) -> None:
    admin = house.enter(Role.ADMIN)
    assert "Nothing here yet" in admin.get("/audit").text
    with house.store.writing() as tx:
        tx.audit.add("draw", "picture", "", house.users[Role.EDITOR].id, detail="a cat of 100%")
        tx.audit.add("could not start", "schedule", "", None, detail="no examples")
    for asked, fits in (("action=draw", "a cat"), ("search=OF+100%25", "a cat"), ("person=product", "no examples")):
        page = admin.get(f"/audit?{asked}").text
        assert fits in page
        assert "1 matching entry." in page
        assert len(admin.get(f"/audit.csv?{asked}").text.splitlines()) == 2
    assert '<option value="draw" selected>' in admin.get("/audit?action=draw").text
    assert "0 matching entries." in admin.get("/audit?search=1000%25").text


def test_the_settings_tell_facts_and_keep_what_is_decided(house: House) -> None:
    admin = house.enter(Role.ADMIN)
    page = admin.get("/settings").text
    assert "No worker is running" in page
    assert "workspace.db" in page
    assert admin.post("/settings", data={"contact": "Ask Anna."}).status_code == 303
    # Where nobody has a password, strangers are led to the first start instead.
    with house.store.writing() as tx:
        tx.users.set(house.users[Role.ADMIN].id, password=hash_password("tortoise on the roof", Cost(2, 1, 1)))
    assert "Ask Anna." in house.enter(None).get("/sign-in").text
    assert "New keys are disabled" in admin.get("/account").text
    long = admin.post("/settings", data={"contact": "x" * 400})
    assert long.status_code == 400
    assert "x" * 400 in long.text


def test_editors_change_a_project_and_can_take_it_back(house: House) -> None:
    editor, path = house.enter(Role.EDITOR), "/p/jobs/settings"
    wrong = editor.post(path, data={"name": "Work", "threshold": "7", "classifier": "linear"})
    assert wrong.status_code == 400
    assert 'value="Work"' in wrong.text
    code = editor.post(path, data={"name": "Work", "threshold": "0.5", "classifier": "python:os:system"})
    assert code.status_code == 400
    saved = editor.post(path, data={"name": "Work", "threshold": "0,7", "classifier": "linear"})
    assert saved.status_code == 303
    assert "/p/jobs/edits/" in b64decode(saved.cookies["viva_flash"].strip('"'), altchars=b"-_").decode()
    assert "Work answers at a confidence of 0.7 or more" in editor.get(path).text
    reader = house.enter(Role.READER).get(path)
    assert reader.status_code == 200
    assert "<select" not in reader.text
    assert "Delete project" not in editor.get(path).text


def test_a_project_is_given_only_engines_that_can_run_and_keeps_its_own(house: House, monkeypatch) -> None:
    def lack(kind: str) -> None:
        if kind in ("sif", "tfidf"):
            raise MissingPartError(f"the vectors of {kind} are missing", remedy="get them")

    monkeypatch.setattr("vivavoce.workspace.access.engine_rules._check_kind", lack)
    editor, path = house.enter(Role.EDITOR), "/p/jobs/settings"
    page = editor.get(path).text
    assert '<option value="sif"' not in page
    assert '<option value="tfidf" selected' in page
    assert "tfidf cannot run: the vectors of tfidf are missing; get them." in page
    kept = {"name": "Work", "threshold": "0.5", "classifier": "tfidf"}
    assert editor.post(path, data=kept).status_code == 303
    refused = editor.post(path, data={**kept, "classifier": "sif"})
    assert refused.status_code == 400
    assert "The vectors of sif are missing" in refused.text


def test_daily_runs_are_found_from_the_settings_and_the_navigation(house: House) -> None:
    reader = house.enter(Role.READER)
    assert reader.get("/p/jobs").text.count('href="/p/jobs/schedules"') == 2, "sidebar, phone tabs"
    assert reader.get("/p/jobs/settings").text.count('href="/p/jobs/schedules"') == 3, "and the page"
    assert re.search(r'href="/p/jobs/schedules" aria-current="page"', reader.get("/p/jobs/schedules").text)


def test_a_project_goes_when_an_admin_types_its_name(house: House) -> None:
    admin, path = house.enter(Role.ADMIN), "/p/jobs/settings/delete"
    refused = admin.post(path, data={"confirmed": "jobs"})
    assert refused.status_code == 400
    assert "this does not match the project name" in refused.text
    assert admin.post(path, data={"confirmed": "Jobs"}).headers["location"] == "/projects"
    assert admin.get("/p/jobs/settings").status_code == 404


def test_pages_of_the_workspace_are_small(house: House) -> None:
    admin = house.enter(Role.ADMIN)
    with house.store.writing() as tx:
        for number in range(150):
            tx.users.add(f"person{number}@example.org")
            tx.audit.add("try", "thing", "", None, detail="x" * 300)
    for path in ("/people", "/audit", "/settings", "/account", "/p/jobs/settings"):
        assert len(admin.get(path).content) < 60_000, path
