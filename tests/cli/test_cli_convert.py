"""`viva convert`, and exams held with the files of other tools."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from vivavoce.conversations import expand, read_suite

SUITE = """
suite: shop
fallback: {replies: ["*no idea*"]}
lists:
  hello: [hi, good day]
scenarios:
  - id: order
    level: basic
    tags: [smoke]
    turns:
      - user: {list: hello}
        expect: greet
      - user: a pizza to Rome
        expect: {intent: order, slots: {city: Rome}, reply: [on its way], buttons: [Pay]}
      - user: what is love
        expect: fallback
"""
CONVO = "greeting\n\n#me\nhello there\n\n#bot\nHELLO\n\n#me\nbye\n\n#bot\n!hello\n"
STORIES = """
version: "3.1"
stories:
- story: greet path
  steps:
  - intent: greet
    user: hello
  - action: utter_greet
"""
DOMAIN = "responses:\n  utter_greet:\n  - text: hello\n"


@pytest.fixture
def suite(folder: Path) -> Path:
    path = folder / "suite.yaml"
    path.write_text(SUITE, encoding="utf-8")
    return path


@pytest.fixture
def scripts(folder: Path) -> Path:
    place = folder / "scripts" / "greetings"
    place.mkdir(parents=True)
    (place / "greeting.convo.txt").write_text(CONVO, encoding="utf-8")
    (folder / "scripts" / "hello.utterances.txt").write_text("HELLO\nhello\nhi\n", encoding="utf-8")
    return folder / "scripts"


@pytest.fixture
def stories(folder: Path) -> Path:
    place = folder / "project" / "tests"
    place.mkdir(parents=True)
    (folder / "project" / "domain.yml").write_text(DOMAIN, encoding="utf-8")
    (place / "test_stories.yml").write_text(STORIES, encoding="utf-8")
    return place / "test_stories.yml"


def test_own_forms_lose_nothing_whatever_the_way(viva, suite, plain):
    way = [suite, "a.csv", "b.xlsx", "c.yml"]
    for before, after in pairwise(way):
        result = viva("convert", before, after)
        assert result.exit_code == 0, result.output
        assert "Nothing was lost." in plain(result.stdout)
    first, last = expand(read_suite(suite)), expand(read_suite("c.yml"))
    assert [(one.id, one.version) for one in first.scripts] == [(one.id, one.version) for one in last.scripts]


def test_a_folder_is_botium_and_losses_are_told_with_counts(viva, suite, plain):
    result = viva("convert", suite, "out")
    assert result.exit_code == 0
    assert sorted(path.name for path in Path("out").iterdir()) == [
        "incomprehension.utterances.txt",
        "order-hello-1.convo.txt",
        "order-hello-2.convo.txt",
    ]
    said = plain(result.stdout)
    assert "1 scenario, 2 conversations with 6 turns, as botium." in said
    assert "`tags` is not kept: 2 places" in said
    assert "lists and parts are expanded" in said
    again = expand(read_suite("out"))
    assert [turn.text for turn in again.scripts[0].turns] == ["hi", "a pizza to Rome", "what is love"]


def test_the_form_may_be_named_and_the_result_is_json(viva, suite):
    result = viva("convert", suite, "stories.yml", "--to", "rasa", "--json", "-")
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert (told["kind"], told["form"], told["turns"]) == ("conversion", "rasa", 6)
    assert any(line.startswith("`buttons` is not kept: 2 places") for line in told["lost"])
    assert "a pizza to [Rome](city)" in Path("stories.yml").read_text(encoding="utf-8")


def test_what_reading_had_to_leave_is_told_too(viva, stories, plain):
    stories.write_text(STORIES + "  - active_loop: form\n", encoding="utf-8")
    result = viva("convert", stories, "suite.yaml")
    assert "While reading: - not visible from outside, kept under `x-rasa`: 1 `active_loop`" in plain(result.stdout)


def test_quiet_says_nothing(viva, suite):
    result = viva("convert", suite, "out.csv", "--quiet")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["suite.yaml", "suite.yaml"], "would overwrite suite.yaml"),
        (["scripts", "scripts"], "would overwrite scripts"),
        (["scripts/greetings/greeting.convo.txt", "scripts"], "would overwrite"),
        (["suite.yaml", "scripts"], "not empty"),
        (["suite.yaml", "a.txt"], "'.txt' does not determine the format"),
        (["suite.yaml", "a.yaml", "--to", "rassa"], "Did you mean 'rasa'?"),
        (["suite.yaml", "a.csv", "--to", "rasa"], "not a valid path for rasa"),
        (["suite.yaml", "a.csv", "--to", "botium"], "not a valid path for botium"),
        (["suite.yaml", "none/out"], "the folder none does not exist"),
        (["suite.yaml", "none/out.csv"], "the folder none does not exist"),
        (["nothing.yaml", "a.csv"], "cannot be read"),
        (["suite.yaml", "a.csv", "--json", "suite.yaml"], "would overwrite suite.yaml"),
    ],
)
@pytest.mark.usefixtures("suite", "scripts")
def test_a_wrong_call_is_refused_before_anything_is_written(viva, plain, words, said):
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    result = viva("convert", *words)
    assert result.exit_code == 2
    assert said in plain(result.stderr)
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


def test_a_file_that_is_there_is_replaced_only_by_force(viva, suite, plain):
    Path("out.csv").write_text("mine", encoding="utf-8")
    refused = viva("convert", suite, "out.csv")
    assert (refused.exit_code, Path("out.csv").read_text(encoding="utf-8")) == (2, "mine")
    assert "OUT out.csv: a file with this name already exists" in plain(refused.stderr)
    assert "--force" in plain(refused.stderr)
    assert viva("convert", suite, "out.csv", "--force", "--quiet").exit_code == 0
    assert [one.id for one in read_suite("out.csv").scenarios] == ["order"]


def test_a_sheet_of_another_encoding_is_converted_when_it_is_named(viva, folder):
    (folder / "s.csv").write_bytes("scenario,level,user\na,basic,Zürich\n".encode("cp1252"))
    assert viva("convert", "s.csv", "s.yaml").exit_code == 2
    assert viva("convert", "s.csv", "s.yaml", "--encoding", "cp1252").exit_code == 0
    assert "Zürich" in Path("s.yaml").read_text(encoding="utf-8")


def cell_of(viva, suite):
    """Hold an exam with a bot that repeats what it hears; return its numbers."""
    result = viva("conversations", "run", suite, "--bot", "scripted:echo", "--record", "run", "--json", "-")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)["cells"][0]


def test_an_exam_is_held_with_a_folder_of_botium_scripts(viva, scripts):
    cell = cell_of(viva, scripts)
    assert (cell["conversations"], cell["turns"]) == (1, 2)
    # "hello there" holds the expected "hello", and "bye" does not hold what it must not.
    assert cell["accuracy"]["value"] == 1


def test_an_exam_is_held_with_rasa_test_stories(viva, stories):
    cell = cell_of(viva, stories)
    assert (cell["conversations"], cell["turns"]) == (1, 1)
    assert cell["accuracy"]["value"] == 1


def test_an_exam_is_held_with_a_real_project_of_rasa(viva, shared):
    place = shared / "data" / "formats" / "rasa" / "financial-demo" / "tests" / "test_stories.yml"
    assert cell_of(viva, place)["turns"] == 98
