"""The pages of topics and of the history: what people see, send and take back."""

from __future__ import annotations

import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from vivavoce.store.stamps import now
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.topics.examples import list_examples
from vivavoce.workspace.topics.history import list_edits
from vivavoce.workspace.topics.topics import add_topic

TOPICS = "/p/jobs/topics"


@pytest.fixture
def visa(house: Any) -> str:
    texts = [f"visa {n}" for n in range(6)]
    return add_topic(house.store, PRODUCT, house.project, "visa", answers={"en": "Yes."}, examples=texts).topic.id


@pytest.fixture
def pay(house: Any) -> str:
    return add_topic(house.store, PRODUCT, house.project, "pay <b>", examples=["pay 0", "visa 0"]).topic.id


def examples(house: Any, topic_id: str | None = None) -> dict[str, str]:
    found = list_examples(house.store, house.project, topic_id=topic_id, limit=200)
    return {row.text: row.id for row in found.examples}


def names(house: Any) -> set[str]:
    with house.store.reading() as tx:
        return {topic.name for topic in tx.topics.of_project(house.project.id)}


def undo_newest(client: TestClient, house: Any, came_from: str = "") -> Any:
    newest = list_edits(house.store, house.project, limit=1).lines[0].edit
    headers = {"referer": f"http://localhost{came_from}"} if came_from else {}
    return client.post(f"/p/jobs/edits/{newest.id}/undo", headers=headers)


# --- looking -----------------------------------------------------------------------------------------------------


def test_an_empty_project_says_what_to_do_next(editor: TestClient, reader: TestClient) -> None:
    page = editor.get(TOPICS)
    assert page.status_code == 200
    assert "no topics yet" in page.text
    assert 'href="/p/jobs/import"' in page.text
    assert 'href="/p/jobs/import"' not in reader.get(TOPICS).text


def test_the_list_shows_sizes_and_flags_and_escapes_names(reader: TestClient, visa: str, pay: str) -> None:
    text = reader.get(TOPICS).text
    assert "2 topics, 8 examples; 1 needs attention." in text
    assert "pay &lt;b&gt;" in text
    assert "<b>" not in text
    assert text.count("few examples") == 2, "the flag of one topic and the filter"
    assert "1 topic has no answer" in text, "counted apart"
    assert "not examined yet" in text
    assert 'type="checkbox" name="topic"' not in text, "a reader chooses nothing"


@pytest.mark.parametrize("sort", ["name", "-name", "size", "-size", "share", "wrong", "flags", "owner"])
def test_the_list_is_searched_sorted_and_paged_by_its_address(
    reader: TestClient, visa: str, pay: str, sort: str
) -> None:
    found = reader.get(TOPICS, params={"q": "VISA", "sort": sort, "page": 1}).text
    assert f"{TOPICS}/{visa}" in found
    assert f"{TOPICS}/{pay}" not in found
    assert "1 of 2 topics shown." in found
    beyond = reader.get(TOPICS, params={"sort": sort, "page": 9})
    assert beyond.status_code == 200
    assert reader.get(TOPICS, params={"sort": "colour"}).status_code == 400
    assert reader.get(TOPICS, params={"flag": "few"}).text.count('scope="row"') == 1


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_the_list_and_the_history_can_be_taken_along(reader: TestClient, visa: str, kind: str) -> None:
    newest = re.findall(r"/p/jobs/edits/(\w+)\"", reader.get("/p/jobs/edits").text)[0]
    for path in (
        f"{TOPICS}.{kind}",
        f"{TOPICS}/export.{kind}",
        f"/p/jobs/edits.{kind}",
        f"/p/jobs/edits/{newest}.{kind}",
    ):
        answer = reader.get(path)
        assert answer.status_code == 200, path
        assert answer.headers["content-disposition"].startswith("attachment")
        assert kind == "xlsx" or b"visa" in answer.content


def test_a_topic_shows_its_examples_answer_and_history(editor: TestClient, reader: TestClient, visa: str) -> None:
    text = editor.get(f"{TOPICS}/{visa}").text
    assert "6 examples, not examined yet." in text
    assert "Yes." in text
    assert "visa 5" in text
    assert "Topic visa created with 6 examples" in text
    assert "visa 5" not in editor.get(f"{TOPICS}/{visa}?q=visa+1").text
    assert "<textarea" not in reader.get(f"{TOPICS}/{visa}").text
    assert reader.get(f"{TOPICS}/nowhere").status_code == 404


# --- changing ----------------------------------------------------------------------------------------------------


def test_a_topic_is_made_changed_and_taken_back(editor: TestClient, house: Any) -> None:
    assert editor.get(f"{TOPICS}/new").status_code == 200
    made = editor.post(TOPICS, data={"name": "leave", "answer-en": "30 days", "text": "holiday\nvacation"})
    assert made.status_code == 303
    path = made.headers["location"]
    form = editor.get(f"{path}/edit").text
    seen = re.search(r'name="seen" value="(\w+)"', form)
    assert seen is not None
    sent = {"name": "days off", "description": "", "owner": "Ann", "answer-en": "25 days", "seen": seen[1]}
    assert editor.post(f"{path}/edit", data=sent | {"why": "clearer"}).status_code == 303
    assert names(house) == {"days off"}
    late = editor.post(f"{path}/edit", data=sent | {"name": "free time"})
    assert late.status_code == 409
    assert "free time" in late.text, "what was typed is still there"
    back = undo_newest(editor, house, path)
    assert back.headers["location"] == path
    assert names(house) == {"leave"}


def test_an_undo_leads_to_the_list_where_the_page_went_with_it(editor: TestClient, house: Any) -> None:
    path = editor.post(TOPICS, data={"name": "leave"}).headers["location"]
    assert undo_newest(editor, house, path).headers["location"] == TOPICS
    assert undo_newest(editor, house).headers["location"] == "/p/jobs/edits"
    foreign = editor.post("/p/jobs/edits/nothing/undo", headers={"referer": "http://elsewhere/p/jobs/topics"})
    assert foreign.status_code == 404


def test_a_form_that_is_refused_comes_back_as_it_was_filled_in(editor: TestClient, visa: str) -> None:
    refused = editor.post(TOPICS, data={"name": "visa", "description": "typed with care", "text": "one\ntwo"})
    assert refused.status_code == 400
    assert "typed with care" in refused.text
    assert "one\ntwo" in refused.text
    assert 'aria-invalid="true"' in refused.text
    lines = editor.post("/p/jobs/examples", data={"from": visa, "text": "fine\nx\tnowhere"})
    assert lines.status_code == 400
    assert "line 2" in lines.text
    assert "fine\nx\tnowhere" in lines.text


def test_deleting_and_merging_say_before_what_will_happen(
    editor: TestClient, house: Any, visa: str, pay: str
) -> None:
    ask = editor.get(f"{TOPICS}/delete", params={"topic": [visa, pay]}).text
    assert "This deletes 2 topics with their examples (8) and answers (1)." in ask
    ask = editor.get(f"{TOPICS}/merge", params={"topic": [visa, pay]}).text
    assert "up to 8 examples" in ask
    assert names(house) == {"visa", "pay <b>"}
    merged = editor.post(f"{TOPICS}/merge", data={"topic": [visa, pay], "into": visa, "answer": "fill"})
    assert merged.headers["location"] == f"{TOPICS}/{visa}"
    assert len(examples(house, visa)) == 7
    undo_newest(editor, house)
    assert editor.post(f"{TOPICS}/delete", data={"topic": [visa, pay], "why": "old"}).status_code == 303
    assert names(house) == set()
    undo_newest(editor, house)
    assert names(house) == {"visa", "pay <b>"}


def test_a_merge_needs_a_target_that_is_there(editor: TestClient, visa: str, pay: str) -> None:
    assert editor.get(f"{TOPICS}/merge", params={"topic": visa}).status_code == 200
    assert editor.get(f"{TOPICS}/merge").status_code == 400
    assert editor.post(f"{TOPICS}/merge", data={"topic": [visa], "into": visa}).status_code == 400
    assert editor.post(f"{TOPICS}/merge", data={"topic": [visa], "into": pay, "answer": "x"}).status_code == 400


def test_examples_are_added_written_anew_moved_split_off_and_deleted(
    editor: TestClient, house: Any, visa: str, pay: str
) -> None:
    editor.post("/p/jobs/examples", data={"from": visa, "text": "new one\nvisa 0"})
    own = examples(house, visa)
    assert len(own) == 7
    assert editor.get(f"/p/jobs/examples/{own['new one']}").status_code == 200
    editor.post(f"/p/jobs/examples/{own['new one']}", data={"text": "newer", "language": "en"})
    editor.post("/p/jobs/examples/move", data={"from": visa, "example": own["new one"], "target": "pay <b>"})
    assert "newer" in examples(house, pay)
    editor.post("/p/jobs/examples/move", data={"from": visa, "example": own["visa 1"], "target": "oos"})
    assert "visa 1" in editor.get(f"{TOPICS}/out-of-scope").text
    chosen = {"example": [own["visa 2"], own["visa 3"]], "from": visa}
    assert "2 examples become a new topic" in editor.get("/p/jobs/examples/split", params=chosen).text
    assert editor.post("/p/jobs/examples/split", data=chosen | {"name": "visa"}).status_code == 400
    assert editor.post("/p/jobs/examples/split", data=chosen | {"name": "permits"}).status_code == 303
    assert "permits" in names(house)
    assert "This deletes 2 examples" in editor.get("/p/jobs/examples/delete", params=chosen).text
    editor.post("/p/jobs/examples/delete", data=chosen)
    assert "visa 2" not in examples(house)


def test_nothing_chosen_and_what_is_gone_are_told_on_the_page(editor: TestClient, visa: str) -> None:
    none = editor.post("/p/jobs/examples/move", data={"from": visa, "target": "oos"})
    assert none.status_code == 400
    assert "no example selected" in none.text.lower()
    assert editor.get("/p/jobs/examples/gone").status_code == 404


def test_a_reader_can_change_nothing(reader: TestClient, house: Any, visa: str) -> None:
    before = examples(house), names(house)
    for path in ("", "/delete", "/merge", f"/{visa}/edit"):
        assert reader.post(f"{TOPICS}{path}", data={"topic": visa, "name": "x"}).status_code == 403
    for path in ("/new", "/delete", "/merge", f"/{visa}/edit"):
        assert reader.get(f"{TOPICS}{path}").status_code == 403
    for path in ("examples", "examples/move", "import", "import/k/apply"):
        assert reader.post(f"/p/jobs/{path}", data={"text": "x"}).status_code == 403
    assert undo_newest(reader, house).status_code == 403
    assert (examples(house), names(house)) == before


def test_a_topic_is_chosen_on_purpose_before_examples_are_moved_and_the_ticks_stay(
    editor: TestClient, house: Any, visa: str, pay: str
) -> None:
    page = editor.get(f"{TOPICS}/{visa}").text
    assert '<option value="" selected>choose a topic</option>' in page
    chosen = examples(house, visa)["visa 1"]
    refused = editor.post("/p/jobs/examples/move", data={"from": visa, "example": chosen, "reason": "wrong place"})
    assert refused.status_code == 400
    assert "no topic selected" in refused.text.lower()
    assert f'value="{chosen}" checked' in refused.text
    assert "wrong place" in refused.text
    moved = {"from": visa, "example": chosen, "target": "pay <b>", "reason": "wrong place"}
    assert editor.post("/p/jobs/examples/move", data=moved).status_code == 303
    assert list_edits(house.store, house.project, limit=1).lines[0].edit.why == "wrong place"


def test_a_merge_asks_which_topic_remains_and_shows_the_answers_before_one_is_lost(
    editor: TestClient, house: Any, visa: str, pay: str
) -> None:
    editor.post(f"{TOPICS}/{pay}/edit", data={"name": "pay", "answer-en": "Monthly."})
    asked = editor.get(f"{TOPICS}/merge", params={"topic": [visa, pay]}).text
    assert f'name="into" value="{visa}" checked' in asked, "the larger one is chosen beforehand"
    assert "visa 5" in asked, "the questions are shown"
    assert '<option value="" selected>choose what to do</option>' in asked, "where answers differ, nothing is chosen"
    assert "Monthly." in asked
    assert "Yes." in asked
    none = editor.post(f"{TOPICS}/merge", data={"topic": [visa, pay]})
    assert none.status_code == 400
    assert "no topic selected" in none.text.lower()
    torn = editor.post(f"{TOPICS}/merge", data={"topic": [pay], "into": visa})
    assert torn.status_code == 400
    assert "Monthly." in torn.text
    assert "Yes." in torn.text, "the answer of the topic that remains is shown too"
    assert names(house) == {"visa", "pay"}
    assert editor.post(f"{TOPICS}/merge", data={"topic": [pay], "into": visa, "answer": "take"}).status_code == 303
    assert "Monthly." in editor.get(f"{TOPICS}/{visa}").text
    undo_newest(editor, house)
    assert "Yes." in editor.get(f"{TOPICS}/{visa}").text
    assert "Monthly." in editor.get(f"{TOPICS}/{pay}").text


def test_ticks_hold_for_one_page_or_for_all_that_match(editor: TestClient, house: Any, visa: str) -> None:
    assert 'name="all"' not in editor.get(f"{TOPICS}/{visa}").text, "all of it is on the page"
    lines = "\n".join(f"permit {n}" for n in range(60))
    editor.post("/p/jobs/examples", data={"from": visa, "text": lines})
    page = editor.get(f"{TOPICS}/{visa}?q=permit").text
    assert "shows 50 of 60" in page
    assert "all 60 that match the filter" in page
    every = {"from": visa, "all": "on", "q": "permit", "total": "60"}
    ask = editor.get("/p/jobs/examples/delete", params=every).text
    assert "This deletes 60 examples" in ask
    assert 'name="example"' not in ask
    assert editor.post("/p/jobs/examples/delete", data=every | {"total": "59"}).status_code == 409
    assert editor.post("/p/jobs/examples/move", data=every | {"target": "oos"}).status_code == 303
    assert set(examples(house, visa)) == {f"visa {n}" for n in range(6)}
    undo_newest(editor, house)
    assert editor.post("/p/jobs/examples/split", data=every | {"name": "permits"}).status_code == 303
    assert len(examples(house, visa)) == 6


def test_all_topics_that_match_are_deleted_together(editor: TestClient, house: Any, visa: str) -> None:
    lines = "\n".join(f"hello {n}\ttopic {n}" for n in range(45))
    path = editor.post("/p/jobs/import", data={"pasted": lines}).headers["location"]
    editor.post(f"{path}/apply")
    assert "all 45 that match the filter" in editor.get(f"{TOPICS}?q=topic").text
    every = {"all": "on", "q": "topic", "total": "45"}
    assert "This deletes 45 topics" in editor.get(f"{TOPICS}/delete", params=every).text
    assert editor.post(f"{TOPICS}/delete", data=every).status_code == 303
    assert names(house) == {"visa"}


def test_examples_that_say_nearly_the_same_are_found_from_the_list(
    editor: TestClient, reader: TestClient, visa: str
) -> None:
    assert f"{TOPICS}/duplicates" in reader.get(TOPICS).text
    assert "No near-duplicate examples." in reader.get(f"{TOPICS}/duplicates").text
    editor.post(TOPICS, data={"name": "pay", "text": "Visa 0!\nsalary"})
    page = reader.get(f"{TOPICS}/duplicates?show=apart").text
    assert "1 group of near-duplicate examples" in page
    assert "1 of them spans different topics" in page
    assert "Visa 0!" in page
    assert "salary" not in page


def test_near_duplicates_are_moved_and_deleted_where_they_are_seen(
    editor: TestClient, house: Any, visa: str, pay: str
) -> None:
    page = editor.get(f"{TOPICS}/duplicates").text
    own = examples(house, pay)["visa 0"]
    assert f'name="example" value="{own}"' in page
    sent = {"from": "duplicates", "example": own}
    refused = editor.post("/p/jobs/examples/move", data=sent)
    assert refused.status_code == 400
    assert f'value="{own}" checked' in refused.text
    moved = editor.post("/p/jobs/examples/move", data=sent | {"target": "oos"})
    assert moved.headers["location"] == f"{TOPICS}/duplicates"
    undo_newest(editor, house)
    gone = editor.post("/p/jobs/examples/delete", data=sent)
    assert gone.headers["location"] == f"{TOPICS}/duplicates"
    assert "visa 0" not in examples(house, pay)


def test_selected_examples_go_out_of_scope_with_one_button(editor: TestClient, house: Any, visa: str) -> None:
    assert 'name="out_of_scope"' in editor.get(f"{TOPICS}/{visa}").text
    sent = {"from": visa, "example": examples(house, visa)["visa 1"], "target": "", "out_of_scope": "on"}
    assert editor.post("/p/jobs/examples/move", data=sent).status_code == 303
    assert "visa 1" not in examples(house, visa)
    assert "visa 1" in editor.get(f"{TOPICS}/out-of-scope").text


def test_topics_of_nearly_one_name_lead_to_their_merge(editor: TestClient, reader: TestClient, visa: str) -> None:
    other = editor.post(TOPICS, data={"name": "Visas", "text": "permit"}).headers["location"].rpartition("/")[2]
    page = editor.get(TOPICS, params={"flag": "twin"}).text
    assert "similar name" in page
    assert f"{TOPICS}/merge?topic={visa}&amp;topic={other}" in page
    assert "/merge?" not in reader.get(TOPICS).text
    alone = editor.get(f"{TOPICS}/merge", params={"topic": visa}).text
    assert f'<option value="{other}" selected>Visas</option>' in alone, "the twin is chosen beforehand"


def test_the_list_is_narrowed_down_by_owner_and_language(editor: TestClient, house: Any, visa: str, pay: str) -> None:
    editor.post(f"{TOPICS}/{visa}/edit", data={"name": "visa", "owner": "Ann & Bo", "answer-en": "Yes."})
    page = editor.get(TOPICS).text
    assert "owner=Ann+%26+Bo" in page
    for query in ({"owner": "Ann & Bo"}, {"language": "en"}):
        found = editor.get(TOPICS, params=query).text
        assert f"{TOPICS}/{visa}" in found
        assert f"{TOPICS}/{pay}" not in found
    every = {"all": "on", "owner": "Ann & Bo", "total": "1"}
    assert "This deletes 1 topic" in editor.get(f"{TOPICS}/delete", params=every).text


# --- history -----------------------------------------------------------------------------------------------------


def test_the_history_leads_to_every_edit_with_before_and_after(editor: TestClient, house: Any, visa: str) -> None:
    editor.post(f"{TOPICS}/{visa}/edit", data={"name": "permits", "answer-en": "Yes.", "why": "clearer"})
    page = editor.get("/p/jobs/edits").text
    assert "Topic visa: renamed to permits" in page
    assert "clearer" in page
    newest = list_edits(house.store, house.project, limit=1).lines[0].edit
    shown = editor.get(f"/p/jobs/edits/{newest.id}").text
    assert "<del>visa</del>" in shown
    assert "<ins>permits</ins>" in shown
    undo_newest(editor, house)
    assert "This was undone." in editor.get(f"/p/jobs/edits/{newest.id}").text
    assert editor.post(f"/p/jobs/edits/{newest.id}/undo").status_code == 409


def test_an_edit_of_a_bot_is_told_in_plain_words(admin: TestClient, house: Any) -> None:
    values = {"id": "b1", "project_id": house.project.id, "name": "shop", "created": now()}
    entry = {"kind": "http", "url": "http://a", "headers": {"X-Key": "KEY"}}
    with house.store.writing() as tx:
        bot = tx.edits.insert("bots", {**values, "entry": entry})
        edit = tx.edits.apply(house.project.id, None, "add bot", "Bot shop", [bot])
    page = admin.get(f"/p/jobs/edits/{edit.id}").text
    assert '<h3 dir="auto">bot shop' in page
    assert '<span class="muted">headers: X-Key:</span> <ins>KEY</ins>' in page
    assert "{&#39;" not in page
    assert "out of scope" not in page


# --- weight ------------------------------------------------------------------------------------------------------


def test_pages_stay_light_with_many_topics_and_examples(editor: TestClient, house: Any) -> None:
    lines = "\n".join(f"a message of usual length number {n}\ttopic number {n % 120}" for n in range(3000))
    path = editor.post("/p/jobs/import", data={"pasted": lines}).headers["location"]
    assert len(editor.get(path).content) < 60_000
    editor.post(f"{path}/apply")
    with house.store.reading() as tx:
        topic = tx.topics.by_name(house.project.id, "topic number 7")
    for page in (TOPICS, f"{TOPICS}/{topic.id}", "/p/jobs/edits"):
        assert len(editor.get(page).content) < 60_000, page
