"""The scenario editor: every button without a script, nothing lost, two people at once."""

from __future__ import annotations

import re
from base64 import b64decode
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from starlette.testclient import TestClient

from vivavoce.conversations.scenario import Kind, Turn
from vivavoce.store.rows import Role, ScenarioRow, SuiteRow
from vivavoce.store.stamps import new_id, now
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.scenarios.suites import import_suite, parse_scenario


class FormReader(HTMLParser):
    """Reads the fields of the form with a class as a browser would send them."""

    def __init__(self, wanted: str) -> None:
        super().__init__()
        self.wanted, self.inside = wanted, False
        self.fields: list[tuple[str, str]] = []
        self._area: str | None = None
        self._select = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attributes}
        if tag == "form":
            self.inside = self.wanted in found.get("class", "").split()
        if not self.inside:
            return
        if tag == "textarea":
            self._area = ""
            self._name = found["name"]
        elif tag == "select":
            self._select = found["name"]
        elif tag == "option" and self._select and ("selected" in found or not self._has(self._select)):
            self.fields = [pair for pair in self.fields if pair[0] != self._select]
            self.fields.append((self._select, found["value"]))
        elif tag == "input" and (found.get("type") not in ("checkbox", "radio") or "checked" in found):
            self.fields.append((found["name"], found.get("value", "on")))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.inside = False
        if tag == "select":
            self._select = ""
        if tag == "textarea" and self._area is not None:
            # A line break right after the tag is not part of the text; browsers send CR and LF.
            self.fields.append((self._name, self._area.removeprefix("\n").replace("\n", "\r\n")))
            self._area = None

    def handle_data(self, data: str) -> None:
        if self._area is not None:
            self._area += data

    def _has(self, name: str) -> bool:
        return any(key == name for key, _ in self.fields)


def fields_in(page: str, wanted: str = "editor") -> dict[str, list[str]]:
    reader = FormReader(wanted)
    reader.feed(page)
    found: dict[str, list[str]] = {}
    for name, value in reader.fields:
        found.setdefault(name, []).append(value)
    return found


def press(client: TestClient, path: str, page: str, do: str, form: str = "editor", **changes):
    data = {**fields_in(page, form), **{name: value for name, value in changes.items() if value is not None}}
    return client.post(path, data={**data, "do": do})


@pytest.fixture(scope="module")
def furnish():
    """Bring the suite in once: every test begins with it."""
    return lambda store, project, users: import_suite(store, PRODUCT, project, "flight")


@pytest.fixture
def flight(house) -> SuiteRow:
    with house.store.reading() as tx:
        return tx.suites.of_project(house.project.id)[0]


@pytest.fixture
def rows(house, flight) -> dict[str, ScenarioRow]:
    return scenarios(house, flight)


def scenarios(house, suite) -> dict[str, ScenarioRow]:
    with house.store.reading() as tx:
        return {row.name: row for row in tx.suites.scenarios(suite.id)}


def add_bot(house, entry) -> str:
    bot_id = new_id()
    row = {"id": bot_id, "project_id": house.project.id, "name": "helper", "entry": entry, "created": now()}
    with house.store.writing() as tx:
        tx.edits.apply(house.project.id, None, "create", "a bot", [tx.edits.insert("bots", row)])
    return bot_id


SOME = ("flight-basic-01", "flight-basic-02", "flight-basic-04", "flight-basic-01-typo", "flight-medium-06")


@pytest.mark.parametrize("name", SOME)
def test_a_scenario_that_is_sent_back_keeps_all_that_nobody_touched(house, editor, flight, rows, name: str) -> None:
    path = f"/p/jobs/scenarios/{rows[name].id}"
    sent = press(editor, path, editor.get(path).text, "save", title="Another title")
    assert sent.status_code == 303, sent.text
    before, after = (parse_scenario(one[name].text) for one in (rows, scenarios(house, flight)))
    assert after == replace(before, title="Another title")


def test_turns_are_added_moved_and_deleted_without_saving(house, editor, flight, rows) -> None:
    row = rows["flight-basic-01"]
    path = f"/p/jobs/scenarios/{row.id}"
    page = editor.get(path).text
    before = [turn.user for turn in parse_scenario(row.text).turns]
    page = press(editor, path, page, "add:0").text
    assert 'id="turn-4"' in page
    page = press(editor, path, page, "down:0", **{"1-said": "Something new"}).text
    said = fields_in(page)
    assert said["0-said"] == ["Something new"]
    assert said["1-said"] == [before[0]]
    page = press(editor, path, page, "delete:3").text
    assert scenarios(house, flight)["flight-basic-01"].version == 1, "nothing is saved before it is asked for"
    assert press(editor, path, page, "save").status_code == 303
    now_there = parse_scenario(scenarios(house, flight)["flight-basic-01"].text)
    assert [turn.user for turn in now_there.turns] == ["Something new", *before[:2]]


def test_what_is_typed_into_the_fields_is_what_is_saved(house, editor, flight) -> None:
    path = f"/p/jobs/suites/{flight.id}/new"
    page = editor.get(path).text
    said = {
        "name": "mine",
        "title": "My own",
        "level": "basic",
        "0-said": "Is there a meal?",
        "0-topic": ["ask_meal", ""],
        "0-any": "yes\r\na meal is served",
        "0-none": "no",
        "0-slots": "origin = Melbourne\r\nclass = economy",
        "0-note": "asked every day",
    }
    assert press(editor, path, page, "save", **said).status_code == 303
    turn = parse_scenario(scenarios(house, flight)["mine"].text).turns[0]
    assert isinstance(turn, Turn)
    assert turn.user == "Is there a meal?"
    assert turn.expect.intents == ("ask_meal",)
    assert [one.text for one in turn.expect.any] == ["yes", "a meal is served"]
    assert [one.text for one in turn.expect.none] == ["no"]
    assert dict(turn.expect.slots) == {"origin": "Melbourne", "class": "economy"}
    assert turn.note == "asked every day"


def test_a_form_that_cannot_be_used_is_shown_again_with_what_was_typed_and_where_it_is_wrong(editor, flight) -> None:
    path = f"/p/jobs/suites/{flight.id}/new"
    page = editor.get(path).text
    answer = press(editor, path, page, "save", **{"0-said": "Hello {nobody}", "0-slots": "no pair"})
    assert answer.status_code == 400
    assert "write name = value" in answer.text
    answer = press(editor, path, page, "save", **{"0-said": "Hello {nobody}", "0-any": "hi"})
    assert answer.status_code == 400
    assert "has no value" in answer.text
    assert fields_in(answer.text)["0-said"] == ["Hello {nobody}"]


def test_a_misspelt_version_is_shown_with_its_letters_and_saved_beside_the_clean_one(
    house, editor, flight, rows
) -> None:
    path = f"/p/jobs/scenarios/{rows['flight-basic-01'].id}"
    page = press(editor, path, editor.get(path).text, "misspell:0").text
    assert "<del>" in page or "<ins>" in page
    misspelt = fields_in(page)["0-misspelt"][0]
    assert press(editor, path, page, "save").status_code == 303
    twin = parse_scenario(scenarios(house, flight)["flight-basic-01~typo"].text)
    assert isinstance(twin.turns[0], Turn)
    assert (twin.turns[0].user, twin.turns[0].kind) == (misspelt, Kind.TYPO)
    assert twin.turns[0].twin_of == "flight-basic-01/ask"
    assert not any(turn.expect.counted for turn in twin.turns[1:])


def test_an_answer_is_tried_at_once(editor, rows) -> None:
    path = f"/p/jobs/scenarios/{rows['flight-basic-01'].id}"
    page = editor.get(path).text
    good = press(editor, path, page, "try:1", **{"1-answer": "Your seat is booked."}).text
    assert ">passes<" in good
    bad = press(editor, path, page, "try:0", **{"0-answer": "BNK101, or GLH211"}).text
    assert ">does not pass<" in bad
    taken = press(editor, path, bad, "use:0").text
    assert "BNK101, or GLH211" in fields_in(taken)["0-any"][0]


def test_the_bot_is_asked_for_its_current_answer(house, editor, rows) -> None:
    bot = add_bot(house, {"kind": "keywords"})
    path = f"/p/jobs/scenarios/{rows['flight-basic-01'].id}"
    page = press(editor, path, editor.get(path).text, "ask:1", **{"0-bot": "nobody", "1-bot": bot}).text
    assert "Booked" in fields_in(page)["1-answer"][0]
    assert "Booked" not in fields_in(page)["1-any"][0]


def test_the_bot_s_current_answer_is_used_in_one_step(house, editor, rows) -> None:
    bot = add_bot(house, {"kind": "keywords"})
    path = f"/p/jobs/scenarios/{rows['flight-basic-01'].id}"
    page = press(editor, path, editor.get(path).text, "adopt:1", **{"1-bot": bot}).text
    assert "Booked" in fields_in(page)["1-any"][0]
    assert ">passes<" in page


def test_what_a_button_shows_is_what_it_is_called(editor, rows) -> None:
    page = editor.get(f"/p/jobs/scenarios/{rows['flight-basic-01'].id}").text
    buttons = re.findall(r"<button[^>]*>", page[page.index('<form method="post" action="/p/jobs/scenarios') :])
    assert buttons
    assert not [button for button in buttons if "aria-label" in button]


def test_a_scenario_that_expects_nothing_is_saved_with_a_warning(editor, flight) -> None:
    path = f"/p/jobs/suites/{flight.id}/new"
    page = editor.get(path).text
    assert "This scenario expects nothing" not in page
    saved = press(editor, path, page, "save", **{"name": "empty", "level": "basic", "0-said": "hello"})
    assert saved.status_code == 303
    flash = b64decode(saved.cookies["viva_flash"].strip('"'), altchars=b"-_").decode()
    assert "no turn expects anything, so nothing is checked" in flash
    assert "This scenario expects nothing" in editor.get(saved.headers["location"]).text


def test_accepted_replies_are_edited_with_their_turn(editor, rows) -> None:
    path = f"/p/jobs/scenarios/{rows['flight-basic-01'].id}"
    accepted = {"0-accepted": "Ask again *.", "0-answer": "Ask again tomorrow."}
    assert press(editor, path, editor.get(path).text, "save", **accepted).status_code == 303
    page = editor.get(path).text
    assert fields_in(page)["0-accepted"] == ["Ask again *."]
    assert ">passes<" in press(editor, path, page, "try:0", **{"0-answer": "Ask again tomorrow."}).text


def test_a_talk_becomes_a_scenario(house, editor, flight) -> None:
    bot = add_bot(house, {"kind": "keywords"})
    path = "/p/jobs/scenarios/chat"
    page = editor.get(f"{path}?suite={flight.id}").text
    message = "Which airlines fly from Melbourne to Sydney?"
    page = press(editor, path, page, "say", "chat", bot=bot, suite=flight.id, text=message).text
    assert "Melbourne" in page
    page = press(editor, path, page, "say", "chat", text="Tell me a joke about ducks").text
    editing = press(editor, path, page, "save", "chat", text="").text
    fields = fields_in(editing)
    assert fields["0-said"] == [message]
    assert fields["0-any"][0]
    assert fields["1-fallback"] == ["on"]
    saved = press(editor, f"/p/jobs/suites/{flight.id}/new", editing, "save", name="from-a-talk")
    assert saved.status_code == 303, saved.text
    assert "from-a-talk" in scenarios(house, flight)


def test_two_editors_who_changed_different_turns_get_both_changes(house, editor, flight, rows) -> None:
    other = house.enter(Role.ADMIN)
    path = f"/p/jobs/scenarios/{rows['flight-basic-01'].id}"
    mine, theirs = editor.get(path).text, other.get(path).text
    assert press(other, path, theirs, "save", **{"0-note": "theirs"}).status_code == 303
    stale = press(editor, path, mine, "save", **{"2-note": "mine"})
    assert stale.status_code == 409
    assert press(editor, path, stale.text, "save").status_code == 303
    turns = parse_scenario(scenarios(house, flight)["flight-basic-01"].text).turns
    assert [turn.note for turn in turns] == ["theirs", "", "mine"]


@pytest.mark.parametrize("choice", ["mine", "theirs"])
def test_two_editors_who_changed_the_same_turn_choose_and_nothing_is_overwritten(
    house, editor, flight, rows, choice: str
) -> None:
    other = house.enter(Role.ADMIN)
    path = f"/p/jobs/scenarios/{rows['flight-basic-01'].id}"
    mine, theirs = editor.get(path).text, other.get(path).text
    assert press(other, path, theirs, "save", **{"0-note": "theirs", "title": "Their title"}).status_code == 303
    asked = press(editor, path, mine, "save", **{"0-note": "mine", "2-note": "also mine"})
    assert asked.status_code == 409
    assert "theirs" in asked.text
    saved = press(editor, f"{path}/merge", asked.text, "", "merge", **{"turn-0": choice})
    assert saved.status_code == 303
    found = parse_scenario(scenarios(house, flight)["flight-basic-01"].text)
    assert [turn.note for turn in found.turns] == [choice, "", "also mine"]
    assert found.title == "Their title"


def test_versions_are_listed_compared_and_brought_back(house, editor, flight, rows) -> None:
    path = f"/p/jobs/scenarios/{rows['flight-basic-01'].id}"
    press(editor, path, editor.get(path).text, "save", title="Other words", why="A better title")
    page = editor.get(f"{path}/versions").text
    assert "A better title" in page
    assert "<ins>Other</ins>" in page
    assert editor.post(f"{path}/versions/1/restore").status_code == 303
    found = scenarios(house, flight)["flight-basic-01"]
    assert (found.version, found.title) == (3, rows["flight-basic-01"].title)
    assert editor.get(f"{path}/versions?older=1&newer=99").status_code == 404


def test_an_empty_message_is_refused_at_its_turn(house, editor, flight, rows) -> None:
    path = f"/p/jobs/scenarios/{rows['flight-basic-01'].id}"
    page = editor.get(path).text
    for button in ("save", "check"):
        answer = press(editor, path, page, button, **{"0-said": " "})
        assert answer.status_code == 400
        assert "turn 1" in answer.text
        assert "the visitor says nothing here" in answer.text.partition('id="turn-1"')[2].partition('id="turn-2"')[0]
    assert scenarios(house, flight)["flight-basic-01"].version == 1


def test_a_copy_begins_with_all_of_its_source_and_a_title_of_its_own(editor, flight, rows) -> None:
    source = rows["flight-basic-02"]
    page = editor.get(f"/p/jobs/suites/{flight.id}/new?copy={source.id}").text
    assert fields_in(page)["title"] == [f"{source.title} (2)"]
    assert press(editor, f"/p/jobs/suites/{flight.id}/new", page, "save").status_code == 303


def test_a_reader_sees_a_scenario_but_changes_nothing(house, reader, rows) -> None:
    path = f"/p/jobs/scenarios/{rows['flight-basic-01'].id}"
    page = reader.get(path)
    assert page.status_code == 200
    assert "<fieldset disabled>" in page.text
    assert reader.post(path, data={"do": "save"}).status_code == 403
    assert reader.get("/p/jobs/scenarios/chat").status_code == 403


def test_a_scenario_that_twins_need_is_not_deleted_and_any_other_can_be_undone(house, editor, flight, rows) -> None:
    twins = [row for row in rows.values() if "twin_of" in row.text]
    needed = parse_scenario(twins[0].text)
    named = next(turn.twin_of for turn in needed.turns if isinstance(turn, Turn) and turn.twin_of)
    clean = rows[named.split("/")[0]]
    if clean.id != twins[0].id:
        assert editor.post(f"/p/jobs/scenarios/{clean.id}/delete").status_code == 400
    gone = editor.post(f"/p/jobs/scenarios/{twins[0].id}/delete")
    assert gone.status_code == 303
    assert twins[0].name not in scenarios(house, flight)


@pytest.mark.parametrize("kept", ["{", "[1]", '{"a": 1}', "[" * 5000])
def test_a_form_that_was_tampered_with_is_refused(editor, rows, kept: str) -> None:
    path = f"/p/jobs/scenarios/{rows['flight-basic-01'].id}"
    answer = press(editor, path, editor.get(path).text, "save", **{"0-kept": kept})
    assert answer.status_code == 400


def test_what_was_typed_for_a_scenario_that_is_gone_can_be_saved_anew(house, editor, flight, rows) -> None:
    row = rows["flight-basic-15"]
    path = f"/p/jobs/scenarios/{row.id}"
    page = editor.get(path).text
    assert house.enter(Role.ADMIN).post(f"{path}/delete").status_code == 303
    offered = press(editor, path, page, "save", title="Kept")
    assert offered.status_code == 409
    assert press(editor, f"/p/jobs/suites/{flight.id}/new", offered.text, "save").status_code == 303
    assert scenarios(house, flight)["flight-basic-15"].title == "Kept"


def test_a_name_that_is_taken_is_told_beside_the_name(editor, flight) -> None:
    path = f"/p/jobs/suites/{flight.id}/new"
    answer = press(editor, path, editor.get(path).text, "save", name="flight-basic-01", **{"0-said": "Hello"})
    assert answer.status_code == 400
    assert 'id="name-error"' in answer.text
