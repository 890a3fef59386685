"""Problems, forecasts, remedies, decisions and thresholds through the API."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from exam_hall import fill_project, hold_guessed, hold_intents, small_data
from vivavoce.store.rows import Role

pytestmark = pytest.mark.slow
HERE = "/api/v1/projects/jobs"


@pytest.fixture
def hall(house: Any) -> Any:
    """Return the house with an exam in which two questions about topic 0 were answered with topic 1."""
    fill_project(house.store, house.project, house.users[Role.EDITOR].id)
    texts = [text for text, topic in small_data() if topic == "topic 0"]
    hold_guessed(house.store, house.project, dict.fromkeys(texts[:2], "topic 1"))
    return house


def ids(hall: Any) -> dict[str, str]:
    with hall.store.reading() as tx:
        return {name: own for own, name in tx.topics.names(hall.project.id).items()}


def examples(hall: Any, topic: str) -> list[str]:
    with hall.store.reading() as tx:
        return [row.id for row in tx.examples.of_topic(ids(hall)[topic])]


def count(hall: Any, topic: str) -> int:
    return len(examples(hall, topic)) if topic in ids(hall) else 0


def test_problems_are_listed_without_those_kept_apart(hall: Any, editor: TestClient, reader: TestClient) -> None:
    problems = reader.get(f"{HERE}/intents/1/problems").json()["items"]
    pair = next((one for one in problems if len(one["topic_ids"]) == 2), None)
    topics = pair["topic_ids"] if pair else [ids(hall)["topic 0"], ids(hall)["topic 1"]]
    kept = {"topics": topics, "high": 1000.0, "why": "two products"}
    assert reader.post(f"{HERE}/decisions", json=kept).status_code == 403
    assert editor.post(f"{HERE}/decisions", json=kept).status_code == 201
    assert editor.post(f"{HERE}/decisions", json=kept).status_code == 400
    left = reader.get(f"{HERE}/intents/1/problems").json()["items"]
    assert not any(set(one["topic_ids"]) == set(topics) for one in left)
    (decision,) = reader.get(f"{HERE}/decisions").json()["items"]
    assert decision["topics"] == topics
    assert editor.post(f"{HERE}/decisions/{decision['id']}/drop").status_code == 200
    assert reader.get(f"{HERE}/decisions").json()["items"] == []
    assert len(reader.get(f"{HERE}/intents/1/problems").json()["items"]) == len(problems)


def remedies(hall: Any) -> dict[str, dict[str, Any]]:
    topics = ids(hall)
    return {
        "move": {"moves": [{"topic": topics["topic 1"], "examples": examples(hall, "topic 0")[:2]}]},
        "merge": {"topics": [topics["topic 0"], topics["topic 1"]]},
        "out_of_scope": {"examples": examples(hall, "topic 0")[:2]},
        "split": {"topics": [topics["topic 0"]], "examples": examples(hall, "topic 0")[:3], "name": "topic 9"},
        "add_examples": {"topics": [topics["topic 0"]], "texts": ["brand new", "newer still"]},
        "retire": {"topics": [topics["topic 0"]]},
    }


@pytest.mark.parametrize(
    ("kind", "left"),
    [("move", 6), ("merge", 0), ("out_of_scope", 6), ("split", 5), ("add_examples", 10), ("retire", 0)],
)
def test_a_remedy_is_forecast_applied_and_kept_with_its_forecast(
    hall: Any, editor: TestClient, reader: TestClient, kind: str, left: int
) -> None:
    body = {"kind": kind, **remedies(hall)[kind]}
    told = reader.post(f"{HERE}/forecasts/try", json=body).json()
    assert told["rounds"] == 3
    assert set(told["effects"]) == {"accuracy", "automation_rate", "precision_answered"}
    assert count(hall, "topic 0") == 8
    assert reader.post(f"{HERE}/remedies", json=body).status_code == 403
    done = editor.post(f"{HERE}/remedies", json={**body, "why": "tried out"}).json()
    assert count(hall, "topic 0") == left
    assert done["forecast"] == told
    (past,) = reader.get(f"{HERE}/forecasts").json()["items"]
    assert past["edit"] == done["edit"]["id"]
    assert past["realised"] is None
    assert past["inside"] is None
    assert editor.post(f"{HERE}/edits/{past['edit']}/undo", json={}).status_code == 201
    assert count(hall, "topic 0") == 8
    assert reader.get(f"{HERE}/forecasts").json()["items"] == []


def test_what_an_incomplete_remedy_lacks_is_said(hall: Any, editor: TestClient) -> None:
    for kind in ("move", "merge", "out_of_scope", "split", "add_examples", "retire"):
        answer = editor.post(f"{HERE}/forecasts/try", json={"kind": kind})
        assert answer.status_code == 400
        assert kind in answer.json()["what"]
    gone = editor.post(f"{HERE}/forecasts/try", json={"kind": "retire", "topics": ["nobody"]})
    assert gone.status_code == 400
    assert editor.post(f"{HERE}/remedies", json={"kind": "burn"}).status_code == 422


def test_a_threshold_is_advised_and_adopted(hall: Any, editor: TestClient, reader: TestClient) -> None:
    hold_intents(hall.store, hall.project)
    advice = reader.get(f"{HERE}/intents/2/threshold?cost=1").json()
    costs = [point["cost"] for point in advice["curve"]]
    assert advice["cheapest"]["cost"] == min(costs)
    assert advice["today"]["threshold"] == 0.5
    address = f"{HERE}/intents/2/threshold"
    assert reader.put(address, json={"threshold": 0.3}).status_code == 403
    assert editor.put(address, json={"threshold": 0.3}).status_code == 200
    assert reader.get(address).json()["today"]["threshold"] == 0.3


def test_a_test_set_is_filled_and_asked_and_never_told(hall: Any, editor: TestClient, reader: TestClient) -> None:
    address, score = f"{HERE}/test-set", f"{HERE}/intents/2/test-set"
    hold_intents(hall.store, hall.project)
    assert reader.get(address).json() == {"total": 0, "topics": {}, "out_of_scope": 0}
    assert reader.get(score).status_code == 400
    assert reader.post(f"{address}/aside", json={"share": 0.25}).status_code == 403
    assert editor.post(f"{address}/aside", json={"share": 0.25}).status_code == 201
    assert editor.post(address, json={"texts": ["a real\tone"], "topic": "topic 1"}).status_code == 201
    assert editor.post(address, json={"texts": ["nobody knows"]}).status_code == 201
    assert editor.post(address, json={"texts": ["x"], "topic": "nowhere"}).status_code == 400
    size = reader.get(address).json()
    assert (size["total"], size["topics"]["topic 1"], size["out_of_scope"]) == (10, 3, 1)
    assert reader.get(score).json()["accuracy"]["n"] == 10
