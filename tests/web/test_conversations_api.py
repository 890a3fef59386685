"""Conversations for programs: the same as the pages show, typed, and refused in the same words."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from held_talks import hold
from vivavoce.store.rows import Project, Role, Run

pytestmark = pytest.mark.slow

ODD = "slash/and?odd#name"


@dataclass(frozen=True)
class Desk:
    """A program of an editor, with a run that is done and one that waits."""

    client: TestClient
    path: str
    shop: Project
    done: Run
    waiting: Run

    def get(self, path: str, status: int = 200, **query: Any) -> Any:
        answer = self.client.get(f"{self.path}{path}", params=query)
        assert answer.status_code == status, answer.text
        return answer.json()

    def post(self, path: str, status: int, **body: Any) -> Any:
        answer = self.client.post(f"{self.path}{path}", json=body)
        assert answer.status_code == status, answer.text
        return answer.json()


@pytest.fixture(scope="module")
def sqlite_template(held_template: Path) -> Path:
    """Return the file of a workspace in which conversations were held; every test has a copy of its own."""
    return held_template


@pytest.fixture
def desk(house) -> Desk:
    with house.store.reading() as tx:
        shop = tx.projects.by_slug("shop")
        done, waiting = tx.runs.by_number(shop.id, 1), tx.runs.by_number(shop.id, 2)
    return Desk(house.enter(Role.EDITOR), "/api/v1/projects/shop/conversations", shop, done, waiting)


def test_a_look_ahead_and_the_run_that_follows_agree(desk: Desk) -> None:
    body = {"suite": "shop", "bots": ["parrot"], "levels": ["medium"], "repeats": 2}
    look = desk.post("/check", 200, **body)
    assert look["errors"] == []
    run = desk.post("", 201, **body)
    assert run["total"] == look["size"]["talks"] == 4
    assert run["kind"] == "conversations"
    # A list of one is that suite.
    assert desk.post("", 201, **{**body, "suite": ["shop"]})["suite_id"] == run["suite_id"]


@pytest.mark.parametrize(
    "body",
    [
        {"suite": "shop", "bots": ["nobody"]},
        {"suite": "nothing", "bots": ["parrot"]},
        {"suite": "shop", "bots": ["parrot"], "domains": ["mars"]},
        {"suite": "shop", "bots": []},
        {"suite": [], "bots": ["parrot"]},
        {"suite": ["shop", "nothing"], "bots": ["parrot"]},
        {"suite": "shop", "bots": ["parrot"], "repeats": 0},
        {"suite": "\0", "bots": ["parrot"]},
        {},
    ],
)
def test_what_cannot_begin_is_refused_and_nothing_is_kept(desk: Desk, body: dict[str, Any]) -> None:
    answer = desk.client.post(desk.path, json=body)
    assert 400 <= answer.status_code < 500
    assert desk.client.get(f"{desk.path}/{desk.waiting.number + 1}/bots").status_code == 404


def test_readers_may_look_but_not_begin(house, desk: Desk) -> None:
    reader = house.enter(Role.READER)
    body = {"suite": "shop", "bots": ["parrot"]}
    assert reader.post(f"{desk.path}/check", json=body).status_code == 200
    assert reader.post(desk.path, json=body).status_code == 403


def test_numbers_comparisons_and_problems_are_those_of_the_run(desk: Desk) -> None:
    path = f"/{desk.done.number}"
    cells = desk.get(f"{path}/cells")
    assert cells["total"] == len(cells["items"])
    whole = desk.get(f"{path}/cells", bot="parrot", domain="", level="")["items"]
    assert len(whole) == 1
    assert whole[0]["accuracy"]["value"] == pytest.approx(0.6)
    assert "echo_literal_accuracy" in whole[0]
    assert desk.get(f"{path}/comparisons")["items"][0]["verdict"]
    assert {one["bot"] for one in desk.get(f"{path}/problems")["items"]} == {"parrot", "mule"}
    assert len(desk.get(f"{path}/cells", limit=1, offset=1)["items"]) == 1


def test_a_run_that_goes_on_shows_how_far_it_is_and_has_no_numbers(desk: Desk) -> None:
    path = f"/{desk.waiting.number}"
    assert {one["bot"]: one["done"] for one in desk.get(f"{path}/bots")["items"]} == {"parrot": 0, "mule": 0}
    assert desk.get(f"{path}/turns") == {"items": [], "total": 0}
    desk.get(f"{path}/cells", 404)


def test_turns_and_transcripts_tell_what_was_said(desk: Desk) -> None:
    path = f"/{desk.done.number}"
    turns = desk.get(f"{path}/turns", bot="parrot", kind="typo", sort="-time")
    assert turns["total"] == 2
    assert turns["items"][0]["sent"] == "waht does it cost"
    talk = desk.get(f"{path}/transcript", script=ODD, repeat=1)
    assert (talk["repeat"], talk["repeats"], talk["next"]) == (1, 2, "")
    assert [row["reply"] for row in talk["turns"]["parrot"]] == ["is it <b>cheap</b>"]
    desk.get(f"{path}/transcript", 404, script="nothing")
    desk.get(f"{path}/turns", 422, sort="sideways")
    assert desk.get(f"{path}/turns", search="\0")["total"] == 0


def test_two_runs_are_held_against_each_other(desk: Desk, house) -> None:
    desk.get("/compare", 404, a=desk.done.number, b=desk.waiting.number)
    other = hold(house.store, desk.shop, repeats=2)
    diff = desk.get("/compare", a=desk.done.number, b=other.number)
    assert (diff["improved"], diff["regressed"], diff["unchanged"]) == ([], [], 20)
    desk.get("/compare", 400, a=other.number, b=other.number)
    desk.get("/compare", 404, a=other.number, b=99)
    desk.get("/compare", 422, a=0, b=1)
