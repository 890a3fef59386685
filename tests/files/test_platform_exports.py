"""Exports of platforms, read as training data."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from vivavoce.errors import FileError
from vivavoce.files import read_dataset
from vivavoce.records import is_out_of_scope

RASA = (
    "version: '3.1'\nnlu:\n- intent: fare\n  examples: |\n    - how much to [Perth](city)\n    - fare\n- synonym: a\n"
)
LEX = {"name": "Fare", "sampleUtterances": [{"utterance": "how much to {City}"}]}
CLOSING = {"message": {"plainTextMessage": {"value": "It depends."}}}
LEX_CLOSED = {**LEX, "intentClosingSetting": {"closingResponse": {"messageGroupList": [CLOSING]}}}
SAYS = [{"data": [{"text": "how much "}, {"text": "to Perth"}]}]
SPEECHES = [{"lang": "de", "speech": "Je nachdem."}, {"lang": "en", "speech": ["It depends."]}]
SPEECH = {"responses": [{"messages": SPEECHES}]}
ES = {"intents/Fare.json": {"name": "Fare", **SPEECH}, "intents/Fare_usersays_en.json": SAYS}
ES_NONE = {"intents/No.json": {"name": "No", "fallbackIntent": True}, "intents/No_usersays_en.json": SAYS}
CX = {
    "intents/fare/fare.json": {"displayName": "fare"},
    "intents/fare/trainingPhrases/en.json": {"trainingPhrases": [{"parts": [{"text": "how much to Perth"}]}]},
    "flows/Start/Start.json": {},
}
WATSON = {
    "language": "en",
    "workspace": {
        "intents": [{"intent": "action_1", "examples": [{"text": "how much to Perth"}]}],
        "actions": [{"title": "Fare", "condition": {"intent": "action_1"}}],
        "counterexamples": [{"text": "sing"}],
    },
}
CLU = {"metadata": {"language": "en-us"}, "assets": {"utterances": [{"text": "how much to Perth", "intent": "Fare"}]}}


def zipped(folder: Path, parts: dict[str, Any]) -> Path:
    path = folder / "agent.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, json.dumps(content))
    return path


def written(folder: Path, name: str, content: str) -> Path:
    (folder / name).write_text(content, encoding="utf-8")
    return folder / name


def rows(path: Path) -> list[tuple[str, str | None, str | None]]:
    return [(example.text, example.intent, example.answer) for example in read_dataset(path)]


def test_each_platform_gives_messages_with_topics_and_answers(tmp_path: Path) -> None:
    asked = "how much to Perth"
    assert rows(written(tmp_path, "nlu.yml", RASA)) == [(asked, "fare", None), ("fare", "fare", None)]
    assert rows(zipped(tmp_path, ES | ES_NONE)) == [(asked, "Fare", "It depends."), (asked, None, None)]
    assert rows(zipped(tmp_path, CX)) == [(asked, "fare", None)]
    lex = {"Bot/BotLocales/en_US/Intents/Fare/Intent.json": LEX_CLOSED}
    assert rows(zipped(tmp_path, lex)) == [("how much to {City}", "Fare", "It depends.")]
    assert rows(written(tmp_path, "skill.json", json.dumps(WATSON))) == [(asked, "Fare", None), ("sing", None, None)]
    assert rows(written(tmp_path, "clu.json", json.dumps(CLU))) == [(asked, "Fare", None)]


def test_what_is_left_out_is_named(tmp_path: Path) -> None:
    assert "not imported from this export: synonym" in str(read_dataset(written(tmp_path, "n.yml", RASA)).notes)
    assert "not imported from this export: flows" in str(read_dataset(zipped(tmp_path, CX)).notes)


def test_an_export_without_messages_and_a_damaged_one_are_refused(tmp_path: Path) -> None:
    for path in (
        written(tmp_path, "domain.yml", "responses: {}\n"),
        zipped(tmp_path, {"agent.json": {}}),
        zipped(tmp_path, {"intents/Fare_usersays_en.json": [{"data": "?"}]}),
        written(tmp_path, "bad.zip", "no archive"),
        written(tmp_path, "clu.json", json.dumps({"metadata": {}, "assets": []})),
    ):
        with pytest.raises(FileError, match="export"):
            read_dataset(path)


def test_an_archive_that_unpacks_to_more_than_the_limit_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path, {**ES, "entities/large.json": "x" * 100_000})
    with pytest.raises(FileError, match="larger than the limit"):
        read_dataset(path, max_bytes=50_000)


SAMPLES = {
    ("rasa", "financial-demo", "data/nlu/nlu.yml"): "rasa/financial-demo/data/nlu/nlu.yml",
    ("dialogflow_es", "BikeShopAgent.zip"): "dialogflow_es/BikeShopAgent.zip",
    ("dialogflow_cx", "lifeblood-donation-agent.zip"): "dialogflow_cx/lifeblood-donation-agent.zip",
    ("lex_v2", "airline-bot", "en_US"): "lex_v2/airline-bot",
    ("watson", "dialog-car_workspace.json"): "watson/dialog-car_workspace.json",
    ("luis", "FlightBooking.json"): "luis/FlightBooking.json",
    ("clu", "BasicAssistantCLU.json"): "clu/BasicAssistantCLU.json",
}


@pytest.mark.parametrize("keys", SAMPLES)
def test_real_exports_are_read_in_full(keys: tuple[str, ...], shared: Path, tmp_path: Path) -> None:
    folder = shared / "data" / "formats"
    path, expected = folder / SAMPLES[keys], json.loads((folder / "EXPECTED.json").read_text(encoding="utf-8"))
    for key in keys:
        expected = expected[key]
    if path.is_dir():
        parts = {str(file.relative_to(path)): json.loads(file.read_bytes()) for file in path.rglob("*.json")}
        path = zipped(tmp_path, parts)
    counts = Counter(example.intent for example in read_dataset(path))
    topics = {name: n for name, n in expected["intents"].items() if n and not is_out_of_scope(name)}
    outside = sum(n for name, n in expected["intents"].items() if is_out_of_scope(name))
    assert counts.pop(None, 0) == outside + expected.get("counterexamples", 0)
    assert counts == topics
