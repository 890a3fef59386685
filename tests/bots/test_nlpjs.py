"""nlp.js: installed once in its exact version, a real Node process that understands, an agent that replies."""

from __future__ import annotations

import asyncio
import json
import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from vivavoce.agents import read_agent
from vivavoce.bots import nlpjs
from vivavoce.bots.contract import check_bot
from vivavoce.bots.nlpjs import (
    NLPJS,
    NlpjsEngine,
    NodePackage,
    find_package,
    from_option,
    install_package,
    need_node,
    need_package,
)
from vivavoce.bots.protocol import BotContext
from vivavoce.errors import MissingPartError, UsageError, WorkError
from vivavoce.records import Guess, Reply

pytestmark = pytest.mark.slow

AGENT = Path(__file__).with_name("small_agent.yaml")
TINY = NodePackage("tiny", "tiny-bot", "1.2.3", 1)
# Does what npm does, without a network: `npm install ... --prefix FOLDER`.
NPM = """#!/bin/sh
echo "$@" >> "{log}"
{before}
mkdir -p node_modules/tiny-bot
echo '{{"version": "{version}"}}' > node_modules/tiny-bot/package.json
"""


@pytest.fixture(scope="module")
def engine(installed_nlpjs: Path) -> Iterator[NlpjsEngine]:
    made = NlpjsEngine(read_agent(AGENT))
    yield made
    made.server.stop()


def understand(engine: NlpjsEngine, text: str) -> tuple[Guess, ...]:
    return asyncio.run(engine.understand(text))


# --- the real engine -----------------------------------------------------------------------------------


def test_every_phrase_is_understood_as_its_topic(engine: NlpjsEngine) -> None:
    phrases = [(phrase, topic.intent) for topic in engine.agent.topics for phrase in topic.phrases]
    guessed = {phrase: understand(engine, phrase)[0] for phrase, _ in phrases}
    assert [(phrase, guessed[phrase].intent) for phrase, _ in phrases] == phrases
    assert all(engine.threshold <= guess.confidence <= 1 for guess in guessed.values())


def test_words_it_has_never_seen_are_no_topic(engine: NlpjsEngine) -> None:
    for text in ("xylophone quartz", "", "???"):
        assert all(guess.confidence < engine.threshold for guess in understand(engine, text)), text


def test_guesses_come_best_first_and_the_same_each_time(engine: NlpjsEngine) -> None:
    first = understand(engine, "please lend me nothing")
    assert first == understand(engine, "please lend me nothing")
    assert list(first) == sorted(first, key=lambda guess: -guess.confidence)


def test_the_process_ends_by_itself_when_its_standard_input_does(installed_nlpjs: Path) -> None:
    server = NlpjsEngine(read_agent(AGENT)).server
    child = server.ensure_running()
    server.stop()
    assert child.process.returncode == 0


SAID = ("hello", "I would like to borrow a book", "Emma", "4 days", "yes", "forget it please", "xylophone quartz")


def test_a_talk_goes_as_the_agent_says(installed_nlpjs: Path) -> None:
    async def run() -> list[Reply]:
        bot = from_option(str(AGENT), BotContext("nlpjs"))
        try:
            talk = await bot.open("s")
            said = (
                "hello",
                "I would like to borrow a book",
                "Emma",
                "4 days",
                "yes",
                "forget it please",
                "xylophone quartz",
            )
            return [await talk.say(text) for text in said]
        finally:
            await bot.close()

    replies = asyncio.run(run())
    assert [reply.intent for reply in replies] == ["greet", "lend", "lend", "lend", "affirm", "None", None]
    assert replies[4].text == "Done. You have Emma."
    assert [reply.fallback for reply in replies] == [False] * 6 + [True]


def test_the_bot_keeps_the_contract(installed_nlpjs: Path) -> None:
    report = check_bot(from_option(str(AGENT), BotContext("nlpjs")))
    assert report.passed, report.checks


def test_the_facts_name_the_version_and_the_threshold(installed_nlpjs: Path) -> None:
    facts = from_option(str(AGENT), BotContext("nlpjs", entry={"threshold": "0.75"})).facts
    assert NLPJS.pinned in facts.about
    assert "0.75" in facts.about
    assert not facts.in_process


def test_a_threshold_that_is_no_share_is_refused(installed_nlpjs: Path) -> None:
    with pytest.raises(UsageError, match="threshold"):
        from_option(str(AGENT), BotContext("nlpjs", entry={"threshold": "7"}))


# --- installing, with an npm that is not the real one --------------------------------------------------


class Npm:
    """A stand-in for npm on the path, and what it was asked."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.log = folder, folder / "npm.log"
        self.write("1.2.3")

    def write(self, version: str, before: str = "") -> None:
        script = self.folder / "npm"
        script.write_text(NPM.format(log=self.log, version=version, before=before))
        script.chmod(script.stat().st_mode | stat.S_IXUSR)

    @property
    def calls(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Npm:
    tools = tmp_path / "tools"
    tools.mkdir()
    monkeypatch.setenv("VIVA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}/usr/bin{os.pathsep}/bin")
    node = tools / "node"
    node.write_text("#!/bin/sh\necho v20.1.0\n")
    node.chmod(0o755)
    return Npm(tools)


def test_a_package_is_installed_once_without_running_its_scripts(npm: Npm) -> None:
    said: list[str] = []
    assert find_package(TINY) is None
    with pytest.raises(MissingPartError, match="viva bots start tiny"):
        need_package(TINY)
    folder = install_package(TINY, said.append)
    assert folder == install_package(TINY) == need_package(TINY)
    assert len(npm.calls) == len(said) == 1
    assert "--ignore-scripts" in npm.calls[0]
    assert json.loads((folder / "package.json").read_text())["dependencies"] == {"tiny-bot": "1.2.3"}


@pytest.mark.usefixtures("npm")
def test_several_may_install_at_once() -> None:
    with ThreadPoolExecutor(4) as pool:
        folders = set(pool.map(lambda _: install_package(TINY), range(8)))
    assert folders == {need_package(TINY)}
    assert [path.name for path in need_package(TINY).parent.iterdir()] == ["tiny"]


def test_another_version_is_replaced(npm: Npm) -> None:
    folder = install_package(TINY)
    (folder / "node_modules" / "tiny-bot" / "package.json").write_text('{"version": "1.0.0"}')
    assert find_package(TINY) is None
    install_package(TINY)
    assert find_package(TINY) == folder
    assert len(npm.calls) == 2


def test_what_npm_says_is_told_and_nothing_is_left_behind(npm: Npm) -> None:
    npm.write("1.2.3", before="echo 'npm error network is unreachable' >&2; exit 1")
    with pytest.raises(WorkError, match="network is unreachable") as caught:
        install_package(TINY)
    assert "viva bots start tiny" in caught.value.remedy
    assert not list((npm.folder.parent / "home" / "engines").iterdir())


def test_a_version_that_was_not_asked_for_is_refused(npm: Npm) -> None:
    npm.write("9.9.9")
    with pytest.raises(WorkError, match="a different version"):
        install_package(TINY)


def test_an_installation_that_never_ends_is_given_up(npm: Npm, monkeypatch: pytest.MonkeyPatch) -> None:
    npm.write("1.2.3", before="exec sleep 60")
    monkeypatch.setattr(nlpjs, "INSTALL_SECONDS", 0.2)
    with pytest.raises(WorkError, match=r"npm did not finish within 0\.2 seconds"):
        install_package(TINY)


@pytest.mark.parametrize(
    ("script", "says"), [(None, "`node` is not installed"), ("echo v12.0.0", "too old"), ("exit 3", "failed to run")]
)
def test_node_that_is_absent_old_or_broken_is_told(
    npm: Npm, script: str | None, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = npm.folder / "node"
    node.unlink()
    if script is None:
        monkeypatch.setenv("PATH", str(npm.folder))
    else:
        node.write_text(f"#!/bin/sh\n{script}\n")
        node.chmod(0o755)
    with pytest.raises(MissingPartError, match=says) as caught:
        need_node()
    assert "install Node" in caught.value.remedy


@pytest.mark.slow
@pytest.mark.usefixtures("installed_nlpjs")
def test_nlpjs_as_a_classifier_passes_nexcvs_own_test() -> None:
    from vivavoce.bots.classifier import BotClassifier
    from vivavoce.bots.nlpjs_training import NlpjsTrainee
    from vivavoce.nexcv.classifiers import further_violations, round_violations

    trainee = NlpjsTrainee()
    try:
        assert round_violations(BotClassifier(trainee)) == []
        assert further_violations(BotClassifier(trainee)) == []
    finally:
        trainee.stop()
