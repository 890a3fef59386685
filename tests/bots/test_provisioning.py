"""The same agent on every platform: files in the shape of real projects, and a real engine that reads its own."""

from __future__ import annotations

import asyncio
import io
import json
import os
import subprocess
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from vivavoce import examine_conversations
from vivavoce.agents import read_agent
from vivavoce.bots.nlpjs import need_node
from vivavoce.bots.nlpjs_training import NlpjsTrainee
from vivavoce.bots.platform import Platform
from vivavoce.bots.protocol import BotFacts
from vivavoce.bots.provisioning import EXPORTS, ProvisionedBot, export_project, provision
from vivavoce.bots.training import RemoteIntent
from vivavoce.cli.app import app
from vivavoce.cli.bots import compare_bots
from vivavoce.errors import UsageError
from vivavoce.records import Guess, Reply

AGENT = read_agent("flight")
SHARED = Path(os.environ.get("VIVA_SHARED", Path(__file__).resolve().parents[3] / "shared")) / "data" / "formats"


def unpack(data: bytes) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: json.loads(archive.read(name)) for name in archive.namelist()}


def sample(*path: str) -> Any:
    file = SHARED.joinpath(*path)
    if not file.exists():
        pytest.skip("no sample projects: set VIVA_SHARED to the folder with data/formats")
    return json.loads(file.read_text(encoding="utf-8-sig"))


def phrases() -> dict[str, set[str]]:
    return {topic.intent: set(topic.phrases) for topic in AGENT.topics if topic.phrases}


def test_every_platform_is_given_all_topics_with_their_phrases() -> None:
    given: dict[str, dict[str, set[str]]] = {}
    rasa = yaml.safe_load(export_project(AGENT, "rasa")["data/nlu.yml"])["nlu"]
    given["rasa"] = {
        row["intent"]: {line.removeprefix("- ") for line in row["examples"].splitlines()} for row in rasa
    }
    dialogflow = unpack(export_project(AGENT, "dialogflow")["flight.zip"])
    given["dialogflow"] = {
        name.removeprefix("intents/").removesuffix("_usersays_en.json"): {
            "".join(part["text"] for part in row["data"]) for row in rows
        }
        for name, rows in dialogflow.items()
        if "_usersays_" in name
    }
    lex = unpack(export_project(AGENT, "lex")["flight.zip"])
    given["lex"] = {
        value["name"]: {row["utterance"] for row in value["sampleUtterances"]}
        for name, value in lex.items()
        if name.endswith("Intent.json") and value["sampleUtterances"]
    }
    clu = json.loads(export_project(AGENT, "clu")["flight.json"])["assets"]
    given["clu"] = {}
    for row in clu["utterances"]:
        given["clu"].setdefault(row["intent"], set()).add(row["text"])
    watson = json.loads(export_project(AGENT, "watson")["flight.json"])
    given["watson"] = {row["intent"]: {each["text"] for each in row["examples"]} for row in watson["intents"]}
    nlpjs = json.loads(export_project(AGENT, "nlpjs")["flight.json"])
    given["nlpjs"] = {row["intent"]: set(row["utterances"]) for row in nlpjs["data"] if row["utterances"]}
    assert set(given) == set(EXPORTS)
    for platform, topics in given.items():
        assert topics == phrases(), platform


@pytest.mark.slow
def test_two_exports_are_equal_and_each_has_its_fallback() -> None:
    for platform in EXPORTS:
        files = export_project(AGENT, platform)
        assert files == export_project(AGENT, platform)
        whole = b"".join(files.values())
        texts = json.dumps(unpack(whole)) if whole.startswith(b"PK") else whole.decode()
        # CLU only understands: its fallback is a topic without examples.
        fallback = '"category": "None"' if platform == "clu" else AGENT.fallback[0].split(".")[0]
        assert fallback in " ".join(texts.split()), platform


def test_files_have_the_shape_of_real_projects() -> None:
    lex, real = unpack(export_project(AGENT, "lex")["flight.zip"]), ("lex_v2", "airline-bot")
    assert lex["Manifest.json"] == sample(*real, "Manifest.json")
    own = lex["flight/BotLocales/en_US/Intents/greet/Intent.json"]
    theirs = sample(*real, "LexBot", "BotLocales", "en_US", "Intents", "Greeting", "Intent.json")
    assert set(own) <= set(theirs)
    assert set(lex["flight/Bot.json"]) <= set(sample(*real, "LexBot", "Bot.json"))
    dialogflow, bike = unpack(export_project(AGENT, "dialogflow")["flight.zip"]), ("dialogflow_es", "bike-shop")
    assert set(dialogflow["agent.json"]) <= set(sample(*bike, "agent.json"))
    fallback = sample(*bike, "intents", "Fallback Intent.json")
    assert set(dialogflow["intents/greet.json"]) <= set(fallback)
    assert set(dialogflow["intents/greet.json"]["responses"][0]) <= set(fallback["responses"][0])
    clu, assistant = json.loads(export_project(AGENT, "clu")["flight.json"]), sample("clu", "BasicAssistantCLU.json")
    assert set(clu) == set(assistant)
    assert set(clu["metadata"]) == set(assistant["metadata"])
    assert set(clu["assets"]["utterances"][0]) == set(assistant["assets"]["utterances"][0])


def test_an_unknown_platform_is_rejected_with_those_that_exist() -> None:
    with pytest.raises(UsageError, match="luis") as caught:
        export_project(AGENT, "luis")
    assert "rasa" in caught.value.remedy


@pytest.mark.slow
def test_a_real_nlpjs_reads_its_project(tmp_path: Path, installed_nlpjs: Path) -> None:
    for name, data in export_project(AGENT, "nlpjs").items():
        (tmp_path / name).write_bytes(data)
    script = """
    const { NlpManager } = require(require.resolve('node-nlp', { paths: [process.argv[1]] }));
    (async () => {
      const nlp = new NlpManager({ languages: ['en'], autoSave: false, nlu: { log: false } });
      nlp.addCorpus(process.argv[2]);
      await nlp.train();
      const { intent, answer } = await nlp.process('en', 'I need a wheelchair');
      console.log(JSON.stringify({ intent, answer }));
    })();
    """
    command = [need_node(), "-e", script, str(installed_nlpjs), str(tmp_path / "flight.json")]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path).stdout
    said = json.loads(printed.splitlines()[-1])
    assert said["intent"] == "special_assistance"
    assert "wheelchair" in said["answer"]


@pytest.mark.slow
@pytest.mark.usefixtures("installed_nlpjs")
def test_a_bot_is_given_the_topics_and_asked() -> None:
    bot = NlpjsTrainee()
    try:
        assert asyncio.run(provision(bot, AGENT)) == (0, len(phrases()))
        assert asyncio.run(provision(bot, AGENT)) == (len(phrases()), len(phrases()))
        assert asyncio.run(bot.classify("I need a wheelchair"))[0].intent == "special_assistance"
    finally:
        bot.stop()


def test_the_command_writes_a_project_once(tmp_path: Path) -> None:
    words = ["bots", "provision", "flight", "--platform", "rasa", "--out", str(tmp_path / "out"), "--quiet"]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert (tmp_path / "out" / "data" / "nlu.yml").exists()
    again = CliRunner().invoke(app, words)
    assert (again.exit_code, "exists already" in again.output) == (2, True)
    for wrong in (["bots", "provision", "flight"], ["bots", "provision", "--platform", "rasa"]):
        assert CliRunner().invoke(app, wrong).exit_code == 2


def test_a_bot_on_a_platform_is_compared_only_with_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RASA_TOKEN", raising=False)
    result = CliRunner().invoke(app, ["bots", "compare", "flight", "--bot", "rasa:http://127.0.0.1:9"])
    assert (result.exit_code, "--yes" in result.output) == (2, True)


class Echoing:
    """A bot that can be trained and knows exactly what it was taught; `foreign` is a topic of somebody else."""

    platform = Platform("Echo", "", "", "")
    may_erase = False
    facts = BotFacts("echo")

    def __init__(self, foreign: str = "") -> None:
        self.topics = {foreign: ("theirs",)} if foreign else {}
        self.foreign = foreign

    async def list_intents(self) -> tuple[RemoteIntent, ...]:
        return tuple(RemoteIntent(name, name, name != self.foreign) for name in self.topics)

    async def create_intent(self, name: str, examples: Sequence[str], replies: Sequence[str] = ()) -> None:
        self.topics[name] = tuple(examples)

    async def delete_intent(self, intent: RemoteIntent) -> None:
        del self.topics[intent.name]

    async def train(self, progress: Any = None) -> None:
        """It knows at once."""

    async def classify(self, text: str) -> tuple[Guess, ...]:
        return tuple(Guess(name, 1.0) for name, examples in self.topics.items() if text in examples)

    async def close(self) -> None:
        """Nothing is held."""


def test_a_platform_understands_and_the_agent_replies() -> None:
    async def talk() -> list[Reply]:
        bot = Echoing()
        await provision(bot, AGENT)
        conversation = await ProvisionedBot(bot, AGENT).open("one")
        return [await conversation.say(text) for text in ("I need a wheelchair", "quantum chromodynamics")]

    known, unknown = asyncio.run(talk())
    assert (known.intent, unknown.intent, unknown.fallback) == ("special_assistance", None, True)
    assert "wheelchair" in known.text
    assert AGENT.fallback[0] in unknown.text


def test_topics_of_others_are_left_alone() -> None:
    bot = Echoing("booking")
    with pytest.raises(UsageError, match="booking"):
        asyncio.run(provision(bot, AGENT))
    assert list(bot.topics) == ["booking"]


def test_a_comparison_gives_the_numbers_of_the_exam() -> None:
    [row] = compare_bots(["flight"], ["keywords"], file=None, may_train=False, progress=lambda *_: None)
    result = examine_conversations("flight", ["keywords"])
    cell = next(cell for cell in result.cells if not cell.level and not cell.domain)
    assert (row["agent"], row["bot"], row["turns"]) == ("flight", "keywords", cell.rates["accuracy"].n)
    assert row["accuracy"]["value"] == cell.rates["accuracy"].value
