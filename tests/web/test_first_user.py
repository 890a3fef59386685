"""What the first people at the product ran into: none of it may come back."""

from __future__ import annotations

import html
import re
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import event
from starlette.testclient import TestClient

from exam_hall import SMALL, fill_project, found_in, hold_intents
from vivavoce.errors import MissingPartError, WorkError
from vivavoce.jobs.concluding import store_conclusion
from vivavoce.messages import say, say_count
from vivavoce.store.rows import Role, Run
from vivavoce.store.stamps import now
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.exams.intents import start_intents
from vivavoce.workspace.topics import topics
from vivavoce.workspace.topics.examples import add_examples, change_example, list_examples
from vivavoce.workspace.topics.history import topic_edits


@pytest.fixture
def editor(house: Any) -> TestClient:
    """Return the browser of an editor."""
    return house.enter(Role.EDITOR)  # type: ignore[no-any-return]


@pytest.fixture
def other(house: Any) -> Actor:
    """Return somebody else who edits at the same time."""
    return Actor(house.users[Role.ADMIN].id, "Ada", Role.ADMIN)


@pytest.fixture
def visa(house: Any, other: Actor) -> str:
    """Return the id of a topic with two examples."""
    made = topics.add_topic(
        house.store, other, house.project, "visa", description="Papers.", examples=["do I need a visa", "visa please"]
    )
    return made.topic.id


def filled(page: str) -> dict[str, str]:
    """Return the fields of the form of a page, as a browser would send them."""
    body = page[page.index("<main") :]
    found = {}
    for tag in re.findall(r"<input[^>]*>", body):
        name, value = re.search(r' name="([^"]*)"', tag), re.search(r' value="([^"]*)"', tag)
        if name:
            found[name[1]] = html.unescape(value[1]) if value else ""
    for name, value in re.findall(r'<textarea[^>]* name="([^"]*)"[^>]*>(.*?)</textarea>', body, re.S):
        found[name] = html.unescape(value).strip()
    return found


def test_a_topic_saved_by_two_joins_what_one_of_them_changed_and_shows_the_rest(
    editor: TestClient, house: Any, other: Actor, visa: str
) -> None:
    """The second save overwrites only what its form showed."""
    path = f"/p/jobs/topics/{visa}/edit"
    mine = filled(editor.get(path).text) | {"description": "My words."}
    topics.change_topic(house.store, other, house.project, visa, description="Their words.", owner="Ada")
    refused = editor.post(path, data=mine)
    assert refused.status_code == 409
    assert "<ins>Their</ins>" in refused.text or "Their" in refused.text.partition("</h1>")[2].partition("<form")[0]
    again = filled(refused.text)
    assert (again["description"], again["owner"], again["name"]) == ("My words.", "Ada", "visa")
    topics.change_topic(house.store, other, house.project, visa, owner="Grace")
    assert editor.post(path, data=again).status_code == 409, "a third version was not shown yet"
    seen = filled(editor.post(path, data=again).text)
    assert editor.post(path, data=seen).status_code == 303
    kept = topics.get_topic(house.store, house.project, visa)
    assert (kept.description, kept.owner) == ("My words.", "Grace")


def test_a_refused_form_of_a_topic_stands_for_the_state_that_it_showed(
    editor: TestClient, house: Any, other: Actor, visa: str
) -> None:
    """Another fault in the form gives no right to overwrite what came meanwhile."""
    path = f"/p/jobs/topics/{visa}/edit"
    mine = filled(editor.get(path).text)
    back = editor.post(path, data=mine | {"name": ""})
    assert back.status_code == 400
    topics.change_topic(house.store, other, house.project, visa, owner="Ada")
    assert editor.post(path, data=filled(back.text) | {"name": "visas"}).status_code == 409


def test_an_example_saved_by_two_shows_both_texts(editor: TestClient, house: Any, other: Actor, visa: str) -> None:
    """A save over somebody else's change is refused once, with both texts."""
    row = list_examples(house.store, house.project, topic_id=visa).examples[0]
    path = f"/p/jobs/examples/{row.id}"
    mine = filled(editor.get(path).text) | {"text": "mine is this"}
    change_example(house.store, other, house.project, row.id, text="theirs was that")
    refused = editor.post(path, data=mine)
    assert refused.status_code == 409
    assert "theirs" in refused.text
    assert filled(refused.text)["text"] == "mine is this"
    assert list_examples(house.store, house.project, topic_id=visa).examples[0].text == "theirs was that"
    assert editor.post(path, data=filled(refused.text)).status_code == 303
    assert list_examples(house.store, house.project, topic_id=visa).examples[0].text == "mine is this"


def test_a_database_that_is_locked_is_busy_and_not_broken(editor: TestClient, house: Any, visa: str) -> None:
    """Whoever comes while another one writes for long is asked to try again."""
    engine = house.store.engine

    def hurry(connection: Any, _record: object, _proxy: object) -> None:
        connection.execute("PRAGMA busy_timeout = 1")

    event.listen(engine, "checkout", hurry)
    try:
        with house.store.writing():
            page = editor.post("/p/jobs/examples", data={"from": visa, "text": "one more"})
            called = editor.post("/api/v1/projects/jobs/topics", json={"name": "late"})
            with pytest.raises(WorkError, match="busy"), house.store.writing():
                pass
    finally:
        event.remove(engine, "checkout", hurry)
    assert (page.status_code, called.status_code) == (503, 503)
    assert "try again" in page.text


def started(house: Any) -> Run:
    """Return an exam that has just begun."""
    fill_project(house.store, house.project)
    return start_intents(house.store, PRODUCT, house.project, options={**SMALL, "threshold": 0.3})


def test_the_state_of_a_run_is_in_the_part_that_renews_itself(editor: TestClient, house: Any) -> None:
    """Nothing outside that part says that the run waits, and the part says when it no longer does."""
    started(house)
    before, section, _ = editor.get("/p/jobs/intents/1").text.partition('<section id="run-progress"')
    mark = '<span class="chip neutral">'
    assert section
    assert mark not in before.partition("<main")[2]
    assert f"{mark}waiting" in editor.get("/p/jobs/runs/1/progress").text
    with house.store.writing() as tx:
        assert tx.units.claim("hall", 1, now())
    assert f"{mark}running" in editor.get("/p/jobs/runs/1/progress").text


def test_a_run_with_failed_parts_says_so_first_with_each_reason_once(editor: TestClient, house: Any) -> None:
    """The place of a failure, and how far a silent bot was counted, make no reasons of their own."""
    run = started(house)
    with house.store.writing() as tx:
        failed = 0
        while units := tx.units.claim("hall", 100, now()):
            tx.units.finish(units[0].id, "hall", b"done")
            for unit in units[1:]:
                failed += 1
                talks = say_count(failed, "{n} conversation", "{n} conversations")
                what = say("{name}: {talks} in a row without any answer", name="ada", talks=talks)
                error = WorkError(what, where=unit.key, remedy=say("see to it"))
                tx.units.fail(unit.id, "hall", error.as_message(), retry=False)
        (last,) = tx.units.claim_conclusions("hall", 1, now())
        store_conclusion(tx, run, last, "hall", found_in("intents", 0.3))
    page = editor.get("/p/jobs/intents/1").text
    assert failed > 1
    assert f"done, {failed} failed" in page
    assert f"<strong>{failed} ×</strong> ada: 1 conversation in a row without any answer" in page
    assert page.index("parts of this run failed") < page.index('class="tiles"')
    assert f"done, {failed} failed" in editor.get("/p/jobs/runs").text


def test_an_engine_that_cannot_run_here_is_not_offered_and_refused_at_its_field(
    editor: TestClient, house: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its reason is told where it would be chosen."""

    def lack(kind: str) -> None:
        if kind == "sif":
            raise MissingPartError("there are no word vectors", remedy="get them")

    monkeypatch.setattr("vivavoce.workspace.access.engine_rules._check_kind", lack)
    fill_project(house.store, house.project)
    intents, engines = editor.get("/p/jobs/intents").text, editor.get("/p/jobs/engines").text
    assert '<option value="sif"' not in intents
    assert '<option value="tfidf"' in intents
    assert "there are no word vectors; get them" in intents
    assert re.search(r'value="sif" disabled', engines)
    assert 'value="sif"' not in editor.get("/p/jobs/schedules/new?kind=engines").text
    form = {"classifier": "sif", "preset": "known", "retries": "1", "threshold": "0.3"}
    refused = editor.post("/p/jobs/intents", data=form)
    assert refused.status_code == 400
    assert "there are no word vectors" in refused.text[refused.text.index('id="classifier-error"') :][:200]
    both = editor.post("/p/jobs/engines", data=form | {"classifiers": ["sif", "tfidf"]})
    assert both.status_code == 400
    assert '<p class="fault">there are no word vectors' in both.text


def test_a_topic_counts_its_examples_and_not_how_often_they_were_tested(editor: TestClient, house: Any) -> None:
    """39 examples were said to have been right 52 times."""
    fill_project(house.store, house.project)
    hold_intents(house.store, house.project)
    ids = topics.topic_names(house.store, house.project)
    for own in ids:
        page = html.unescape(editor.get(f"/p/jobs/topics/{own}").text)
        said = re.search(r"of (\d+) examples? tested: (\d+) right, (\d+) declined, (\d+) wrong\.", page)
        assert said is not None
        tested, *counts = map(int, said.groups())
        assert sum(counts) == tested <= 8


def test_an_empty_list_of_mistakes_says_that_the_texts_are_alike(
    editor: TestClient, house: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two topics can be named together although nothing was taken for the other."""
    fill_project(house.store, house.project)
    hold_intents(house.store, house.project)
    found = SimpleNamespace(pairs=(SimpleNamespace(a="x", b="y"),))
    monkeypatch.setattr("vivavoce.web.pages.exams.intents_questions.intents.intents_result", lambda store, run: found)
    assert "their texts are similar" in editor.get("/p/jobs/intents/1/questions?intent=x&guess=y").text
    assert "their texts are similar" not in editor.get("/p/jobs/intents/1/questions?intent=x&guess=z").text


def test_an_undo_that_is_blocked_names_the_later_edit_with_the_way_to_it(
    editor: TestClient, house: Any, other: Actor, visa: str
) -> None:
    """Whoever follows what the page says gets there: the later one first, then the first one."""
    first = topics.change_topic(house.store, other, house.project, visa, owner="Ada")
    later = topics.change_topic(house.store, other, house.project, visa, owner="Grace")
    refused = editor.post(f"/p/jobs/edits/{first.id}/undo")
    assert refused.status_code == 409
    assert f"/p/jobs/edits/{later.id}/undo" in refused.text
    assert "someone else made changes" not in refused.text
    assert editor.post(f"/p/jobs/edits/{later.id}/undo").status_code == 303
    assert editor.post(f"/p/jobs/edits/{first.id}/undo").status_code == 303


def test_a_topic_that_got_examples_later_names_what_brought_them(
    editor: TestClient, house: Any, other: Actor, visa: str
) -> None:
    """What belongs to a topic keeps its making from being undone."""
    made = topic_edits(house.store, visa)[-1].edit
    added = add_examples(house.store, other, house.project, ["one more"], topic_id=visa).edit
    refused = editor.post(f"/p/jobs/edits/{made.id}/undo")
    assert refused.status_code == 409
    assert f"/p/jobs/edits/{added.id}/undo" in refused.text
