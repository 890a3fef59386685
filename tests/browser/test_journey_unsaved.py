"""Journeys of people who are interrupted: a session ends, a tab is closed, somebody leaves without saving."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from furnishing import actor_of, add_flight, add_people, add_project
from journeys import Server, fill, flash, heading, press, served, signed_in, until, visiting
from opening import check_accessible

from vivavoce.store.database import Store, open_store
from vivavoce.store.rows import Role, User
from vivavoce.workspace.access.secrets import Cost, hash_password
from vivavoce.workspace.scenarios.suites import parse_scenario

pytestmark = pytest.mark.browser
SECRET = "correct horse battery"  # noqa: S105 - of nobody
TEXT = "We open at nine.\nOn Sundays we sleep <late> & long."


@dataclass(frozen=True)
class Office:
    """A small workspace on a real server."""

    store: Store
    server: Server
    users: dict[Role, User]
    scenario: str

    def visit(self, browser: Any, role: Role = Role.EDITOR, **more: Any) -> Any:
        return visiting(browser, self.server.url, signed_in(self.store, self.users[role], self.server.url), **more)

    def end_sessions(self) -> None:
        with self.store.writing() as tx:
            for user in self.users.values():
                tx.sessions.end_all(user.id, None)

    def descriptions(self) -> list[str]:
        with self.store.reading() as tx:
            project = tx.projects.by_slug("office")
            assert project is not None
            return [topic.description.replace("\r\n", "\n") for topic in tx.topics.of_project(project.id)]


@pytest.fixture(scope="module")
def office(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    folder = tmp_path_factory.mktemp("office")
    path = Path(shutil.copy(sqlite_template, folder / "workspace.db"))
    with closing(open_store(path)) as store:
        users = add_people(store)
        with store.writing() as tx:
            for user in users.values():
                tx.users.set(user.id, password=hash_password(SECRET, Cost(2, 1, 1)))
        suite = add_flight(store, actor_of(users[Role.EDITOR]), add_project(store, "office"), most=1)
        with store.reading() as tx:
            scenario = tx.suites.scenarios(suite)[0].id
        with served(path, folder, options=("--processes", "1", "--no-worker")) as server:
            yield Office(store, server, users, scenario)


def sign_in(page: Any, user: User) -> None:
    fill(page, login=user.login, password=SECRET)
    press(page, "Sign in")


def send(page: Any) -> None:
    page.locator("main form[data-unsaved] .submit button").click()


def drafts(page: Any) -> list[str]:
    return list(page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('viva-draft:'))"))


def offered(page: Any) -> Any:
    return page.locator(".flash.draft")


@pytest.mark.parametrize("scripted", [True, False])
def test_a_session_ends_in_the_middle_and_the_text_is_saved_all_the_same(
    office: Office, browser: Any, scripted: bool
) -> None:
    name = f"hours {scripted}"
    with office.visit(browser, java_script_enabled=scripted) as page:
        page.goto("/p/office/topics/new")
        fill(page, name=name, description=f"{TEXT} {scripted}")
        if scripted:
            office.end_sessions()
        else:
            page.context.clear_cookies()
        send(page)
        assert "You were signed out. Sign in to continue with your text." in page.locator("main").inner_text()
        if scripted:
            check_accessible(page)
        sign_in(page, office.users[Role.EDITOR])
        assert heading(page) == "You are signed in again. Your text has not been submitted yet."
        if scripted:
            check_accessible(page)
        press(page, "Submit now")
        flash(page, "")
        assert heading(page) == name
        if scripted:
            assert drafts(page) == []
    assert f"{TEXT} {scripted}" in office.descriptions()


def test_after_signing_in_again_the_form_is_there_with_all_that_was_typed(office: Office, browser: Any) -> None:
    with office.visit(browser) as page:
        page.goto("/p/office/topics/new")
        fill(page, name="edited first", description=TEXT)
        office.end_sessions()
        send(page)
        sign_in(page, office.users[Role.EDITOR])
        page.get_by_role("link", name="Edit first").click()
        page.wait_for_url("**/p/office/topics/new")
        assert page.locator("[name=name]").input_value() == "edited first"
        assert page.locator("[name=description]").input_value() == TEXT
        fill(page, name="edited twice")
        send(page)
        flash(page, "")
        assert (heading(page), drafts(page)) == ("edited twice", [])


def test_a_draft_survives_the_tab_and_is_gone_when_it_is_saved(office: Office, browser: Any) -> None:
    with office.visit(browser) as page:
        page.goto("/p/office/topics/new")
        fill(page, name="late night", description=TEXT)
        until(lambda: drafts(page))
        again = page.context.new_page()
        page.close(run_before_unload=False)
        again.goto("/p/office/topics/new")
        assert "You have unsaved text from" in offered(again).inner_text()
        check_accessible(again)
        press(again, "Restore")
        assert again.locator("[name=description]").input_value() == TEXT
        send(again)
        flash(again, "")
        assert drafts(again) == []
        again.goto("/p/office/topics/new")
        assert offered(again).count() == 0


def test_a_draft_is_seen_by_nobody_else_and_discarded_for_good(office: Office, browser: Any) -> None:
    with office.visit(browser) as page:
        page.goto("/p/office/topics/new")
        fill(page, description=TEXT)
        until(lambda: drafts(page))
        mine = page.context.cookies()
        colleague = signed_in(office.store, office.users[Role.ADMIN], office.server.url)
        page.context.add_cookies(colleague["cookies"])
        other = page.context.new_page()
        other.goto("/p/office/topics/new")
        assert offered(other).count() == 0
        page.context.add_cookies(mine)
        other.goto("/p/office/topics/new")
        press(other, "Discard")
        other.reload()
        assert offered(other).count() == 0
        page.close(run_before_unload=False)


def test_signing_out_leaves_no_draft_behind(office: Office, browser: Any) -> None:
    with office.visit(browser) as page:
        page.goto("/p/office/topics/new")
        fill(page, description=TEXT)
        until(lambda: drafts(page))
        page.on("dialog", lambda dialog: dialog.accept())
        page.locator("details.person summary").click()
        page.get_by_role("button", name="Sign out", exact=True).click()
        page.wait_for_url("**/sign-in")
        assert drafts(page) == []


def test_leaving_unsaved_text_is_asked_about_and_leaving_saved_text_is_not(office: Office, browser: Any) -> None:
    asked: list[str] = []

    def stay(dialog: Any) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    with office.visit(browser) as page:
        page.on("dialog", stay)
        page.goto("/p/office/topics/new")
        page.locator("[name=name]").press_sequentially("half a name")
        page.get_by_role("link", name="Cancel").click(no_wait_after=True)
        page.wait_for_timeout(200)
        assert asked == ["beforeunload"]
        assert page.locator("[name=name]").input_value() == "half a name"
        send(page)
        flash(page, "")
        page.goto("/p/office/topics")
        assert asked == ["beforeunload"]


def test_turns_added_to_a_scenario_come_back_from_a_draft(office: Office, browser: Any) -> None:
    address = f"/p/office/scenarios/{office.scenario}"
    with office.store.reading() as tx:
        before = tx.suites.scenario(office.scenario)
    assert before is not None
    turns = len(parse_scenario(before.text).turns)
    with office.visit(browser) as page:
        page.goto(address)
        page.locator(f"main button[value='add:{turns - 1}']").click()
        page.locator(f"[name='{turns}-said']").fill("One more thing")
        until(lambda: page.evaluate("Object.values(localStorage).some(text => text.includes('One more thing'))"))
        again = page.context.new_page()
        page.close(run_before_unload=False)
        again.goto(address)
        assert again.locator(f"[name='{turns}-said']").count() == 0
        press(again, "Restore")
        again.locator(f"[name='{turns}-said']").wait_for()
        assert again.locator(f"[name='{turns}-said']").input_value() == "One more thing"
        again.locator("main button[value=save]").first.click()
        flash(again, "")
        assert drafts(again) == []
    with office.store.reading() as tx:
        after = tx.suites.scenario(office.scenario)
    assert after is not None
    assert len(parse_scenario(after.text).turns) == turns + 1
