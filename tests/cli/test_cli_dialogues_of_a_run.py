"""The folder of a run of conversations is a log for `viva dialogues`: checks and score speak of the same talks."""

from __future__ import annotations

import json

import pytest

SUITE = """
scenarios:
  - id: opening
    domain: shop
    level: basic
    turns:
      - {user: "are you open today", expect: {reply: ["*open*"]}}
      - {user: "and what about the car park", expect: {reply: ["*behind*"]}}
      - {user: "thank you very much"}
"""
BOTS = """
bots:
  good: {kind: "python:bot.py:good"}
  bad: {kind: "python:bot.py:bad"}
  gone: {kind: "scripted:failing=server_error"}
"""
CODE = """
def good(text):
    return "We are open until six, and you can park behind the shop."

def bad(text):
    return "I do not know what you mean by that."
"""


@pytest.fixture
def run(viva, folder):
    """Hold the conversations with a good bot, a bad one and one that fails."""
    for name, text in (("suite.yaml", SUITE), ("bots.yaml", BOTS), ("bot.py", CODE)):
        (folder / name).write_text(text, encoding="utf-8")
    chosen = [word for bot in ("good", "bad", "gone") for word in ("--bot", bot)]
    held = viva("conversations", "run", "suite.yaml", *chosen, "--record", "run", "--quiet", "--retries", "0")
    assert held.exit_code == 3, held.output


def test_the_talks_of_a_run_are_scored_with_whether_their_checks_passed(run, viva, folder):
    assert viva("dialogues", "score", "run", "--summary", "all.json", "--csv", "rows.csv", "--quiet").exit_code == 0
    whole = json.loads((folder / "all.json").read_text(encoding="utf-8"))
    assert [score["id"] for score in whole["scores"]] == ["good/opening/0", "bad/opening/0"]
    assert all(score["kind"] == "human-bot" for score in whole["scores"])
    assert any("not completed and skipped" in note for note in whole["notes"])
    rows = (folder / "rows.csv").read_text(encoding="utf-8").splitlines()
    place = rows[0].split(",").index("passed")
    assert [row.split(",")[place] for row in rows[1:]] == ["yes", "no"]


def test_a_talk_of_a_run_is_explained_by_its_name(run, viva, plain):
    result = viva("dialogues", "explain", "run", "good/opening/0")
    assert result.exit_code == 0
    assert "and what about the car park" in plain(result.output)


def test_a_folder_that_is_no_run_is_still_refused(viva, folder, plain):
    (folder / "empty").mkdir()
    result = viva("dialogues", "score", "empty")
    assert result.exit_code == 2
    assert "empty" in plain(result.output)
