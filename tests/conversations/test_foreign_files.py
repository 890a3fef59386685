"""Files of other tools, given as scenarios: one sentence says what they are, and what to do with them."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from vivavoce.conversations.scenarios.formats.foreign import OTHER_TOOLS
from vivavoce.conversations.scenarios.suites import read_suite
from vivavoce.errors import FileError, InputError

PROMPTFOO = "description: x\nprompts:\n- 'Say {{a}}'\nproviders:\n- openai:gpt\ntests:\n- vars: {a: hi}\n"
TURN = {"testCaseConversationTurns": [{"userInput": {"input": {"text": {"text": "hi"}}}}]}
ACTIVITY = {"type": "message", "from": {"role": "user"}, "recipient": {}, "conversation": {}, "text": "hi"}
FILES = {
    "promptfooconfig.yaml": (PROMPTFOO, "a promptfoo configuration"),
    "scenarios.yaml": (f"{PROMPTFOO}scenarios:\n- config: []\n", "a promptfoo configuration"),
    "redteam.yaml": ("targets:\n- id: x\nredteam:\n  plugins: []\n", "a promptfoo configuration"),
    "tests.yaml": ("- vars: {a: hi}\n  assert:\n  - {type: contains, value: b}\n", "a promptfoo test list"),
    "tests.csv": ("question,__expected1,__expected2\nhi,contains:a,b\n", "a promptfoo test list"),
    "tests.jsonl": ('{"vars": {"a": "hi"}, "assert": []}\n', "a promptfoo test list"),
    "goldens.csv": ("input,expected_output,context\nhi,hello,\n", "a DeepEval dataset"),
    "goldens.json": (json.dumps([{"input": "hi", "expected_output": "hello"}]), "a DeepEval dataset"),
    "talks.json": (json.dumps([{"scenario": "a", "expected_outcome": "b"}]), "a DeepEval dataset"),
    "talk.transcript": (json.dumps([ACTIVITY]), "a Bot Framework transcript"),
    "talk.json": (json.dumps([ACTIVITY]), "a Bot Framework transcript"),
    "set.csv": (
        "Line #,Conversation #,Source,Input,Expected Output Intent\n1,1,User,hi,Greet\n",
        "an Amazon Lex test",
    ),
    "cases.json": (json.dumps([TURN]), "a set of Dialogflow CX test cases"),
    "nlu.yml": ("version: '3.1'\nnlu:\n- intent: a\n  examples: |\n    - b\n", "a Rasa training data file"),
    "domain.yml": ("intents: [a]\nslots: {}\n", "a Rasa domain"),
    "rows.jsonl": ('{"inputs": {"q": "hi"}, "outputs": {"a": "b"}}\n', "a LangSmith dataset"),
    "samples.jsonl": ('{"input": "hi", "target": "hello"}\n', "an inspect_ai dataset"),
    "log.jsonl": ('{"messages": [{"role": "user", "content": "hi"}]}\n', "a dialogue log"),
    "faq.csv": ("text,intent\nhi,greet\n", "a list of examples"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_another_tool_is_named_with_what_to_do(tmp_path: Path, name: str) -> None:
    content, what = FILES[name]
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(FileError) as caught:
        read_suite(tmp_path / name)
    assert caught.value.what.startswith(f"this is {what}")
    assert "Botium scripts or Rasa tests" in caught.value.what
    assert caught.value.remedy
    assert caught.value.faults == ()


@pytest.mark.parametrize("name", FILES)
def test_a_folder_with_nothing_else_says_the_same(tmp_path: Path, name: str) -> None:
    content, what = FILES[name]
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(FileError, match=f"{name}: this is {what}"):
        read_suite(tmp_path)


def test_beside_scenarios_a_file_of_another_tool_is_passed_over_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "suite.csv").write_text("scenario,level,user,expect_topic\na,basic,hi,greet\n", encoding="utf-8")
    (tmp_path / "promptfooconfig.yaml").write_text(PROMPTFOO, encoding="utf-8")
    suite = read_suite(tmp_path)
    assert "promptfooconfig.yaml skipped: it is a promptfoo configuration" in suite.notes


@pytest.mark.parametrize(
    ("names", "what"),
    [
        (("agent.json", "flows/Start/Start.json", "intents/a/a.json"), "Dialogflow CX agent"),
        (("agent.json", "intents/a.json"), "Dialogflow ES agent"),
        (("Manifest.json", "LexBot/BotLocales/en_US/Intents/a/Intent.json"), "Amazon Lex bot"),
    ],
)
def test_an_export_of_an_agent_is_known_as_archive_and_as_folder(
    tmp_path: Path, names: tuple[str, ...], what: str
) -> None:
    with zipfile.ZipFile(tmp_path / "agent.zip", "w") as archive:
        for name in names:
            archive.writestr(name, "{}")
            (tmp_path / "agent" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "agent" / name).write_text("{}", encoding="utf-8")
    for path in (tmp_path / "agent.zip", tmp_path / "agent"):
        with pytest.raises(FileError, match=what):
            read_suite(path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("suite.yaml", "scenarois: []\nlanguage: en\n", "scenarois"),
        ("suite.yaml", "scenarios:\n- id: a\nresponses: []\n", "responses"),
        ("sheet.csv", "scenario,level,text,intent\na,basic,hi,greet\n", "user"),
        ("data.json", "{broken", "cannot be read from '.json'"),
        ("data.jsonl", "", "cannot be read from '.jsonl'"),
        ("data.zip", "no archive", "cannot be read from '.zip'"),
    ],
)
def test_a_suite_with_a_fault_and_a_file_of_no_known_kind_get_their_own_message(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_suite(tmp_path / name)
    assert message in str(caught.value)
    assert "this is a" not in str(caught.value)


def test_real_files_of_other_tools_are_known(shared: Path) -> None:
    formats = shared / "data" / "formats"
    places = [
        "promptfoo/getting-started/promptfooconfig.yaml",
        "promptfoo/simple-csv/tests.csv",
        "lex_v2/airline-bot",
    ]
    places += ["dialogflow_cx/lifeblood-donation-agent.zip", "dialogflow_es/BikeShopAgent.zip"]
    places += ["luis/FlightBooking.json", "clu/BasicAssistantCLU.json", "watson/dialog-car_workspace.json"]
    for place in places:
        with pytest.raises(FileError, match=r"this is an? "):
            read_suite(formats / place)


def test_every_kind_says_what_it_is_and_what_to_do() -> None:
    assert all(kind.summary.startswith(("a ", "an ")) and kind.remedy for kind in OTHER_TOOLS)
