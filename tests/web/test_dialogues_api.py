"""Talks, their scores and people's marks through the API."""

from __future__ import annotations

from typing import Any

import pytest

from scored_talks import bring_talks, hold_scoring
from vivavoce.store.rows import Role

pytestmark = pytest.mark.slow

BASE = "/api/v1/projects/jobs"


def talk(name: str, *texts: str, **more: Any) -> dict[str, Any]:
    turns = [{"speaker": "you", "text": text, "is_bot": n % 2 == 1} for n, text in enumerate(texts or ("hi",))]
    return {"id": name, "turns": turns, **more}


def add(client, *talks: dict[str, Any], batch: str = "b", **more: Any):
    return client.post(f"{BASE}/dialogues", json={"batch": batch, "dialogues": list(talks), **more})


def test_talks_come_in_and_go_out(editor, reader) -> None:
    marks = [{"rater": "p", "quality": 4}]
    answer = add(editor, talk("a", "hi", "hello", bot="Rex", ratings=marks), talk("b"))
    assert answer.status_code == 201
    assert answer.json() == {"batch": "b", "added": 2, "replaced": 0, "skipped": 0, "refused": []}
    found = reader.get(f"{BASE}/dialogues?sort=name&bot=Rex").json()
    assert (found["total"], found["items"][0]["mark"]) == (1, 4.0)
    one = reader.get(f"{BASE}/dialogues/{found['items'][0]['id']}").json()
    assert (one["score"], one["marks"], len(one["dialogue"]["turns"])) == (None, 1, 2)
    assert add(editor, talk("a")).json()["skipped"] == 1
    assert add(editor, talk("a"), existing="replace").json()["replaced"] == 1
    assert reader.get(f"{BASE}/dialogue-batches").json() == {"items": [{"name": "b", "talks": 2}], "total": 1}
    assert editor.delete(f"{BASE}/dialogue-batches?name=b").json() == {"talks": 2}
    assert editor.delete(f"{BASE}/dialogue-batches?name=b").status_code == 404


def test_a_file_comes_in_by_two_steps(editor) -> None:
    def send(content: bytes):
        return editor.post(f"{BASE}/dialogue-uploads", files={"file": ("log.txt", content)}, data={"batch": "x"})

    prepared = send(b"User: hi\nBot: hello\n").json()
    assert prepared["counts"]["added"] == 1
    path = f"{BASE}/dialogue-uploads/{prepared['key']}"
    assert editor.get(path).json()["items"][0]["begins"] == "hi"
    applied = editor.post(f"{path}/apply")
    assert applied.json().get("added") == 1, applied.text
    assert editor.post(f"{path}/apply").status_code == 404
    again = send(b"User: bye\nBot: bye\n").json()
    assert editor.delete(f"{BASE}/dialogue-uploads/{again['key']}").status_code == 204
    assert send(b"").status_code == 400


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"batch": "", "dialogues": [talk("a")]},
        {"batch": "b", "dialogues": []},
        {"batch": "b", "dialogues": [{"id": "", "turns": []}]},
        {"batch": "b", "dialogues": [talk("a", "nul \0")]},
        {"batch": "b", "dialogues": [talk("a")], "existing": "perhaps"},
        {"batch": "b", "dialogues": [talk("a", ratings=[{"rater": "p", "quality": 7}])]},
    ],
)
def test_what_cannot_be_kept_is_refused(editor, body) -> None:
    assert editor.post(f"{BASE}/dialogues", json=body).status_code == 422


def test_odd_names_are_no_failure(house, editor) -> None:
    odd = ("%00", "a%2Fb", "0", "%F0%9F%98%80")
    asked = [f"dialogues/{name}" for name in odd] + [f"dialogue-uploads/{name}" for name in odd]
    asked += ["dialogues?search=%00", "dialogues?batch=%00", "ratings/agreement?bot=%00", "ratings/next?skip=%00"]
    for path in asked:
        assert house.enter(Role.EDITOR).get(f"{BASE}/{path}").status_code < 500, path
    for name in odd:
        assert 400 <= editor.delete(f"{BASE}/dialogue-batches?name={name}").status_code < 500


def test_marks_are_given_and_taken_back(reviewer, reader, editor) -> None:
    add(editor, talk("a", "hi", "hello"))
    asked = reviewer.get(f"{BASE}/ratings/next").json()
    assert (asked["done"], asked["total"]) == (0, 1)
    assert "score" not in asked
    path = f"{BASE}/dialogues/{asked['dialogue']['id']}/ratings"
    opinion = {"quality": 2, "answers": [{"number": 2, "verdict": "no"}]}
    assert reader.put(f"{path}/mine", json=opinion).status_code == 403
    assert reviewer.put(f"{path}/mine", json=opinion).json() == {"quality": 2, "answers": {"2": "no"}}
    assert [one["turn"] for one in reader.get(path).json()["items"]] == [0, 2]
    assert reviewer.get(f"{BASE}/ratings/next").json()["dialogue"] is None
    wrong = reviewer.put(f"{path}/mine", json={"quality": 2, "answers": [{"number": 1, "verdict": "no"}]})
    assert wrong.json()["faults"][0]["where"] == "answer-1"
    assert reviewer.put(f"{path}/mine", json={}).status_code == 400
    assert reviewer.delete(f"{path}/mine").status_code == 200
    assert reviewer.delete(f"{path}/mine").status_code == 404


def test_an_exam_is_started_and_its_findings_are_read(house, editor, reader, admin) -> None:
    assert editor.post(f"{BASE}/dialogue-runs", json={}).status_code == 400
    bring_talks(house.store, house.project)
    made = editor.post(f"{BASE}/dialogue-runs", json={"batch": "shipped", "title": "Spring"})
    assert (made.status_code, made.json()["title"]) == (201, "Spring")
    assert reader.get(f"{BASE}/dialogue-runs/{made.json()['number']}").status_code == 404
    assert editor.post(f"{BASE}/dialogue-runs", json={"rater": "length"}).status_code == 403
    assert admin.post(f"{BASE}/dialogue-runs", json={"rater": "lenght"}).status_code == 400
    assert editor.post(f"{BASE}/dialogue-batches/of-run/1", json={}).status_code == 404


def test_findings_tell_how_far_scores_can_be_trusted(house, reader) -> None:
    bring_talks(house.store, house.project)
    run = hold_scoring(house.store, house.project)
    found = reader.get(f"{BASE}/dialogue-runs/{run.number}").json()
    assert found["talks"] == 40
    assert found["passport"]["rater"]
    assert found["scored"] + sum(one["count"] for one in found["refused"]) == 40
    worst = reader.get(f"{BASE}/dialogues?limit=200").json()["items"]
    scores = [one["score"] for one in worst if one["score"] is not None]
    assert scores == sorted(scores)
    assert len(scores) == found["scored"]
    accord = reader.get(f"{BASE}/ratings/agreement").json()
    assert accord["marked"] == found["marked"]
    assert accord["follows"] in {"too_few", "alike", "weak", "moderate", "strong"}
    assert set(accord["bots"]) == {"Iris", "Otto", "Basil"}
    assert found["passport"]["drift"]["differs"] is True
