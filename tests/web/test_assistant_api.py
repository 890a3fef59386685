"""The API of the assistant: inbox, replies, comments, numbers, with the roles of staff."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from visited_assistant import add_faq, visit_assistant

from vivavoce.store.rows import Role
from vivavoce.workspace.assistant.talking import list_new, open_talk

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from conftest import Furnish, House

pytestmark = pytest.mark.slow
BASE = "/api/v1/projects/jobs/assistant"


@pytest.fixture(scope="module")
def furnish() -> Furnish:
    return add_faq


@pytest.fixture
def key(house: House) -> str:
    """Return the key of a visitor with an answered and an odd question."""
    return visit_assistant(house, "where can I park", "qwertz asdfgh zxcvbn")


def waiting(client: TestClient) -> dict[str, dict[str, Any]]:
    return {row["text"]: row for row in client.get(f"{BASE}/inbox").json()["items"]}


def test_a_program_works_off_the_inbox(house: House, reviewer: TestClient, editor: TestClient, key: str) -> None:
    rows = waiting(reviewer)
    odd, sure = rows["qwertz asdfgh zxcvbn"], rows["where can I park"]
    assert odd["waiting"] in ("handed_over", "unsure")
    assert (sure["waiting"], sure["intent"]) == ("random", "parking")
    judged = reviewer.post(f"{BASE}/messages/{sure['id']}/reviews", json={"verdict": "right"})
    assert judged.status_code == 201
    assert judged.headers["location"] == f"{BASE}/messages/{sure['id']}"
    assert list(waiting(reviewer)) == [odd["text"]]
    assert reviewer.post(f"{BASE}/reviews/{judged.json()['id']}/undo").json()["undone"]
    assert len(waiting(reviewer)) == 2
    reviewer.post(f"{BASE}/messages/{odd['id']}/replies", json={"text": "What do you mean?"})
    assert list_new(house.store, house.project, key, 1)[0].text == "What do you mean?"
    made = {"verdict": "new_topic", "name": "nonsense"}
    assert reviewer.post(f"{BASE}/messages/{odd['id']}/reviews", json=made).status_code == 403
    assert editor.post(f"{BASE}/messages/{odd['id']}/reviews", json=made).json()["topic"] == "nonsense"


def test_staff_comment_and_share_the_talks_out(
    house: House, reviewer: TestClient, editor: TestClient, key: str
) -> None:
    row = next(iter(waiting(reviewer).values()))
    own = house.users[Role.EDITOR]
    card = reviewer.put(f"{BASE}/messages/{row['id']}/assigned", json={"person": own.id}).json()
    assert card["assigned"] == (own.name or own.login)
    reviewer.post(f"{BASE}/messages/{row['id']}/comments", json={"text": "Is this ours?"})
    card = editor.get(f"{BASE}/messages/{row['id']}").json()
    assert [comment["text"] for comment in card["comments"]] == ["Is this ours?"]
    page = editor.get("/p/jobs/inbox").text
    assert "assigned a talk to you" in page
    assert "commented" in page
    assert "Is this ours?" in editor.get(f"/p/jobs/inbox?message={row['id']}").text
    editor.post("/p/jobs/inbox/seen")
    assert "commented" not in editor.get("/p/jobs/inbox").text
    assert reviewer.put(f"{BASE}/messages/{row['id']}/assigned", json={"person": "nobody"}).status_code == 404


def test_numbers_are_for_readers_and_reviews_are_not(reader: TestClient, stranger: TestClient, key: str) -> None:
    report = reader.get(f"{BASE}/numbers", params={"by": "week"}).json()
    assert report["whole"]["counted"] >= 2
    assert report["asking"] >= 1
    assert report["whole"]["automated"]["n"] == report["whole"]["counted"]
    assert reader.get(f"{BASE}/numbers", params={"until": "0001-01-01T00:00:00Z"}).status_code == 200
    row = next(iter(waiting(reader).values()))
    for method, part, body in (
        ("post", "reviews", {"verdict": "right"}),
        ("post", "replies", {"text": "x"}),
        ("post", "comments", {"text": "x"}),
        ("put", "assigned", {"person": None}),
    ):
        assert getattr(reader, method)(f"{BASE}/messages/{row['id']}/{part}", json=body).status_code == 403
    assert reader.post(f"{BASE}/learn").status_code == 403
    assert stranger.get(f"{BASE}/inbox").status_code == 401


def test_a_visitors_data_are_given_out_and_deleted_by_staff(
    house: House, reviewer: TestClient, editor: TestClient, key: str
) -> None:
    row = reviewer.get(f"{BASE}/inbox?order=newest").json()["items"][0]
    kept = reviewer.get(f"{BASE}/messages/{row['id']}/visitor").json()
    texts = [message["text"] for talk in kept["talks"] for message in talk["messages"]]
    assert texts == ["where can I park", "qwertz asdfgh zxcvbn"]
    file = reviewer.get(f"/p/jobs/inbox/{row['id']}/visitor")
    assert file.headers["content-disposition"].startswith("attachment")
    assert file.json() == kept
    assert reviewer.delete(f"{BASE}/messages/{row['id']}/visitor").status_code == 403
    assert editor.delete(f"{BASE}/messages/{row['id']}/visitor").status_code == 204
    assert reviewer.get(f"{BASE}/messages/{row['id']}").status_code == 404
    assert open_talk(house.store, house.project, key).messages == ()


def test_the_inbox_deletes_a_visitor(house: House, editor: TestClient, key: str) -> None:
    row = editor.get(f"{BASE}/inbox?order=newest").json()["items"][0]
    assert "Delete all" in editor.get(f"/p/jobs/inbox?message={row['id']}").text
    editor.post(f"/p/jobs/inbox/{row['id']}", data={"do": "forget"})
    assert editor.get(f"{BASE}/messages/{row['id']}").status_code == 404
