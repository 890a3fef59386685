"""The pages about talks: brought in, listed, read, rated, scored."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import pytest
from starlette.testclient import TestClient

from scored_talks import bring_talks, hold_scoring
from vivavoce.dialogues.dialogue import Dialogue, Utterance
from vivavoce.store.rows import Role, Run, RunState, TurnRow, Unit, UnitState
from vivavoce.store.stamps import new_id, now
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.dialogues.dialogues import find_talk, list_talks
from vivavoce.workspace.dialogues.imports import add_talks
from vivavoce.workspace.dialogues.ratings import opinion_of
from vivavoce.workspace.dialogues.reading import TalkChoices

pytestmark = pytest.mark.slow

BASE = "/p/jobs/dialogues"
PAGES = ("", "/batches", "/agreement")


@pytest.fixture
def talks(house) -> dict[str, str]:
    """Bring the shipped talks in; returns their ids by name."""
    return bring_talks(house.store, house.project)


@pytest.fixture
def scored(house, talks) -> Run:
    """Score the talks."""
    return hold_scoring(house.store, house.project)


def post(client: TestClient, path: str, **data: str):
    return client.post(f"{BASE}{path}", data=data)


def follow(client: TestClient, answer) -> str:
    assert answer.status_code == 303, answer.text
    cookie = answer.headers.get("set-cookie", "").split(";")[0]
    found = client.get(answer.headers["location"], headers={"cookie": f"{client.headers['cookie']}; {cookie}"})
    assert found.status_code == 200
    return found.text


def upload(client: TestClient, content: bytes, name: str = "log.jsonl", **data: str):
    return client.post(f"{BASE}/add", data=data, files={"file": (name, content)})


# --- empty and who may what --------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PAGES)
def test_an_empty_project_says_what_to_do_next(reader, editor, path) -> None:
    assert reader.get(f"{BASE}{path}").status_code == 200
    assert "/dialogues/add" not in reader.get(BASE).text
    assert "/dialogues/add" in editor.get(BASE).text


def test_readers_look_reviewers_rate_editors_change(house, talks) -> None:
    one = next(iter(talks.values()))
    for role, rate, change in ((Role.READER, 403, 403), (Role.REVIEWER, 303, 403), (Role.EDITOR, 303, 303)):
        client = house.enter(role)
        assert client.get(f"{BASE}/{one}").status_code == 200
        assert client.get(f"{BASE}/rate").status_code == (403 if rate == 403 else 200)
        assert post(client, f"/{one}/rate", quality="3").status_code == rate
        assert client.get(f"{BASE}/add").status_code == (403 if change == 403 else 200)
        assert post(client, "/score").status_code == change


# --- bringing in -------------------------------------------------------------------------------------------------


def test_a_file_is_previewed_and_then_brought_in(house, editor) -> None:
    lines = [json.dumps({"id": n, "turns": [{"speaker": "a", "text": f"say {n}"}]}) for n in ("one", "two")]
    answer = upload(editor, "\n".join([*lines, '{"id": "three"}']).encode(), batch="March")
    assert answer.status_code == 303
    path = answer.headers["location"]
    text = editor.get(path).text
    assert "2 dialogues with 2 messages can be imported. 1 dialogue is rejected." in text
    assert "Why dialogues are rejected" in text
    assert "three" not in editor.get(f"{path}?kind=added").text
    assert "say one" in editor.get(f"{path}?kind=added").text
    assert editor.get(f"{path}.csv").status_code == 200
    assert list_talks(house.store, house.project).total == 0
    assert "2 new" in follow(editor, editor.post(f"{path}/apply"))
    assert {line.batch for line in list_talks(house.store, house.project).lines} == {"March"}
    assert editor.get(path).status_code == 404


def test_a_preview_is_read_differently_or_dropped(house, editor) -> None:
    line = json.dumps({"id": "one", "turns": [{"speaker": "x", "text": "hi"}, {"speaker": "y", "text": "yes"}]})
    path = upload(editor, line.encode()).headers["location"]
    refused = editor.post(path, data={"choices": "1", "speaker": "nobody"})
    assert refused.status_code == 400
    assert "unknown speaker" in refused.text.lower()
    again = editor.post(path, data={"choices": "1", "speaker": "y", "bot": "Rex", "batch": "b"}).headers["location"]
    assert "Rex" in editor.get(again).text
    assert "Nothing was imported" in follow(editor, editor.post(f"{again}/drop"))
    assert list_talks(house.store, house.project).total == 0


@pytest.mark.parametrize("content", [b"", b"\x00\xff", b'{"id": 1}'])
def test_what_cannot_be_read_is_refused_on_the_form(editor, content) -> None:
    answer = upload(editor, content)
    assert answer.status_code == 400
    assert 'role="alert"' in answer.text


def test_conversations_of_a_run_become_talks(house, editor) -> None:
    with house.store.writing() as tx:
        run = Run(
            new_id(), house.project.id, 1, "conversations", "Flights", RunState.DONE, {}, 1, 1, 1, 0, "", "", None,
            None, None, "1", "0", 0, now(), now(), now(),
        )  # fmt: skip
        tx.runs.add(
            run, b"", [Unit("u", run.id, "s", "s", 0, 0, "Rex", "", UnitState.DONE, 1, None, None, None, None, "")]
        )
        tx.turns.put(
            [TurnRow("u", 1, run.id, "Rex", "s", "s", "d", "basic", "say", 1, "hi", "hello", "ok", "right", {}, 1.0)]
        )
    assert "1: Flights" in editor.get(f"{BASE}/add").text
    assert "1 new" in follow(editor, post(editor, "/add/run", run="1"))
    assert post(editor, "/add/run", run="7").status_code == 400
    assert post(editor, "/add/run").status_code == 400
    line = list_talks(house.store, house.project).lines[0]
    assert (line.bot, line.passed, line.batch) == ("Rex", True, "run 1")
    assert "all passed" in editor.get(f"{BASE}/{line.id}").text


# --- lists -------------------------------------------------------------------------------------------------------


def test_the_worst_talk_stands_first_and_the_list_narrows_down(reader, scored, talks) -> None:
    both = reader.get(BASE).text + reader.get(f"{BASE}?page=2").text
    rows = re.findall(rf'href="{BASE}/([0-9a-f]{{16}})"', both)
    assert sorted(rows) == sorted(talks.values())
    best = re.findall(rf'href="{BASE}/([0-9a-f]{{16}})"', reader.get(f"{BASE}?sort=-score").text)
    assert best[0] != rows[0]
    # What people gave is not marked as low where the score is.
    assert re.findall(r'<td class="n (?:low|middle|high|none)" data-label="([^"]+)"', both) == ["Score"] * len(rows)
    assert "No matching dialogues" in reader.get(f"{BASE}?q=zzzzzz").text
    assert reader.get(f"{BASE}?bot=nobody&batch=x&marks=with&sort=odd&page=9").status_code == 200


def test_the_list_goes_out_as_a_table(reader, talks) -> None:
    answer = reader.get(f"{BASE}.csv?q=shift")
    assert answer.text.startswith('\ufeff"name","bot","batch"')
    assert reader.get(f"{BASE}.xlsx").content.startswith(b"PK")
    assert reader.get(f"{BASE}.pdf").status_code == 404


def test_a_batch_is_deleted_after_a_question(house, editor, talks) -> None:
    asked = editor.get(f"{BASE}/batches/delete?name=shipped").text
    assert "40 dialogues" in asked
    assert "You cannot undo this" in asked
    assert "40 dialogues deleted" in follow(editor, post(editor, "/batches/delete", name="shipped"))
    assert list_talks(house.store, house.project).total == 0
    assert editor.get(f"{BASE}/batches/delete?name=shipped").status_code == 404


# --- one talk ----------------------------------------------------------------------------------------------------


def test_a_talk_shows_its_messages_and_escapes_them(house, reader) -> None:
    odd = Dialogue("<i>x</i>", (Utterance("<b>", "<script>alert(1)</script>"),))
    add_talks(house.store, PRODUCT, house.project, [odd], TalkChoices("b"))
    line = list_talks(house.store, house.project).lines[0]
    for path in (f"{BASE}/{line.id}", BASE):
        text = reader.get(path).text
        assert "<script>alert" not in text
        assert "<i>x" not in text
    assert reader.get(f"{BASE}/nothing").status_code == 404


def test_a_long_talk_is_paged_and_marks_on_other_pages_stay(house, reviewer) -> None:
    long = Dialogue("long", tuple(Utterance("s", f"message {n}", is_bot=True) for n in range(1, 251)))
    add_talks(house.store, PRODUCT, house.project, [long], TalkChoices("b"))
    one = list_talks(house.store, house.project).lines[0].id
    assert "message 250" in reviewer.get(f"{BASE}/{one}?page=3").text
    post(reviewer, f"/{one}/rate", **{"page": "1", "quality": "2", "answer-3": "no"})
    post(reviewer, f"/{one}/rate", **{"page": "3", "quality": "4", "answer-250": "yes"})
    user = house.users[Role.REVIEWER]
    given = find_talk(house.store, house.project, one).ratings
    opinion = opinion_of(given, Actor(user.id, user.name, Role.REVIEWER))
    assert (opinion.quality, dict(opinion.answers)) == (4, {3: "no", 250: "yes"})


def test_marks_are_kept_shown_and_taken_back(reviewer, talks) -> None:
    one = talks["demo-01"]
    assert "Rating saved" in follow(reviewer, post(reviewer, f"/{one}/rate", **{"quality": "2", "answer-1": "no"}))
    text = reviewer.get(f"{BASE}/{one}").text
    assert re.search(r'name="quality" value="2" checked', text)
    assert re.search(r'name="answer-1" value="no" checked', text)
    assert "Ratings removed" in follow(reviewer, post(reviewer, f"/{one}/take-back"))
    assert not re.search(r'name="quality" value="\d" checked', reviewer.get(f"{BASE}/{one}").text)


@pytest.mark.parametrize("data", [{}, {"quality": "9"}, {"quality": "x"}, {"quality": "3", "answer-1": "maybe"}])
def test_what_is_no_mark_is_shown_again_with_its_fault(reviewer, talks, data) -> None:
    answer = post(reviewer, f"/{talks['demo-01']}/rate", **data)
    assert answer.status_code == 400
    assert 'role="alert"' in answer.text


# --- the queue ---------------------------------------------------------------------------------------------------


def test_the_queue_hides_the_score_until_the_mark_is_given(reviewer, scored, talks) -> None:
    text = reviewer.get(f"{BASE}/rate?order=worst").text
    assert " points" not in text
    assert "lowest" in text
    talk = re.search(r'name="talk" value="(\w+)"', text)
    assert talk
    answer = post(reviewer, "/rate", talk=talk[1], quality="4", order="worst")
    after = reviewer.get(answer.headers["location"]).text
    assert "You rated it 4; the score is" in after
    above, _, below = after.partition('class="rating')
    assert f'name="talk" value="{talk[1]}"' in above
    assert f'name="talk" value="{talk[1]}"' not in below
    back = follow(reviewer, post(reviewer, "/rate/undo", talk=talk[1], order="worst"))
    assert f'name="talk" value="{talk[1]}"' in back.partition('class="rating')[2]


def test_a_talk_of_the_queue_can_be_skipped_and_needs_a_mark(reviewer, talks) -> None:
    text = reviewer.get(f"{BASE}/rate").text
    talk = re.search(r'name="talk" value="(\w+)"', text)
    skip = re.search(r'href="([^"]*skip=\w+)"', text)
    assert talk
    assert skip
    assert f'name="talk" value="{talk[1]}"' not in reviewer.get(skip[1].replace("&amp;", "&")).text
    refused = post(reviewer, "/rate", talk=talk[1], **{"answer-1": "yes"})
    assert refused.status_code == 400
    assert f'name="talk" value="{talk[1]}"' in refused.text


def test_the_queue_ends(house, reviewer, talks) -> None:
    add = [post(reviewer, f"/{one}/rate", quality="3").status_code for one in talks.values()]
    assert set(add) == {303}
    assert "You have rated every dialogue here" in reviewer.get(f"{BASE}/rate").text
    assert "No dialogues to rate" in reviewer.get(f"{BASE}/rate?bot=nobody").text


# --- the exam ----------------------------------------------------------------------------------------------------


def test_an_exam_is_started_and_watched(editor, talks) -> None:
    answer = post(editor, "/score", batch="shipped", title="Spring")
    text = follow(editor, answer)
    assert "Spring" in text
    assert "data-poll" in text
    assert post(editor, "/score", batch="nothing").status_code == 400
    assert post(editor, "/score", rater="length").status_code == 403


def test_a_rater_that_is_not_there_is_refused_on_the_form(admin, talks) -> None:
    answer = post(admin, "/score", rater="lenght", title="as typed")
    assert answer.status_code == 400
    assert "as typed" in answer.text
    assert "length" in answer.text


def test_a_result_says_first_whether_it_can_be_trusted(reader, scored) -> None:
    text = reader.get(f"{BASE}/runs/{scored.number}").text
    for said in (
        "cannot compare bots",
        "Mean score by bot",
        "How far can you trust these scores?",
        "Mean score",
    ):
        assert said in text
    assert text.index("cannot compare bots") < text.index("Mean score")
    assert len(text) < 200_000


def test_bots_have_no_ranks_where_the_scores_may_not_compare_them(reader, scored) -> None:
    text = reader.get(f"{BASE}/runs/{scored.number}").text
    assert "Bots are listed by name: these scores cannot rank them yet." in text
    for said in ("Which bot is better?", "best first", "m-rank", "scores higher", "is better"):
        assert said not in text


def test_a_log_of_another_kind_is_warned_of_once_beside_the_verdict(reader, scored) -> None:
    text = reader.get(f"{BASE}/runs/{scored.number}").text
    assert text.count("differ from those the rater was trained on") == 1
    assert text.index("differ from those") < text.index("Dialogues by score")
    assert "by bot (n/a below 10)" in text


def test_the_rating_page_says_how_many_talks_are_left_out(house, talks, reviewer) -> None:
    alone = (Utterance("you", "anybody?", is_bot=False),)
    add_talks(house.store, PRODUCT, house.project, [Dialogue("silent", alone)], TalkChoices("late"))
    text = reviewer.get(f"{BASE}/rate").text
    assert "1 dialogue is left out: the bot says nothing in it." in text


def test_a_scored_talk_tells_what_each_message_did(reader, scored, talks) -> None:
    text = reader.get(f"{BASE}/{talks['demo-01']}").text
    assert "A person would probably rate this dialogue" in text
    chart = reader.get(f"{BASE}/{talks['demo-01']}/chart.json")
    assert chart.json()["width"] == "container"
    assert " points" in text
    assert "For experts" in text


def test_agreement_is_counted_over_all_and_for_each_bot(reader, scored) -> None:
    text = reader.get(f"{BASE}/agreement").text
    assert "Spearman" in text
    assert "By bot; n/a below 10 rated dialogues" in text
    for bot in ("Iris", "Otto", "Basil"):
        assert f'<th scope="row">{bot}</th>' in text
    assert "By bot" not in reader.get(f"{BASE}/agreement?bot=Iris").text
    assert "n/a" in reader.get(f"{BASE}/agreement?bot=nobody").text
    assert f'href="{BASE}/agreement.csv"' in text
    told = reader.get(f"{BASE}/agreement.csv").text
    for said in ('"score and marks","spearman"', '"marks of talks","alpha"', '"answers","called good"'):
        assert said in told
    assert reader.get(f"{BASE}/agreement.xlsx").content[:2] == b"PK"
    assert reader.get(f"{BASE}/agreement.pdf").status_code == 404


def test_every_page_is_in_german_too(house, scored, talks) -> None:
    client = house.enter(Role.EDITOR)
    client.headers["cookie"] += "; viva_language=de"
    paths: Sequence[str] = ("", "/add", "/rate", "/agreement", "/batches", "/score", f"/{talks['demo-01']}")
    for path in (*paths, f"/runs/{scored.number}"):
        answer = client.get(f"{BASE}{path}")
        assert answer.status_code == 200
        assert '<html lang="de"' in answer.text
