"""The connector that the documentation shows can be copied as it stands."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from vivavoce import plugins
from vivavoce.bots import BotError, Status, check_bot, load_bots, runs_programs
from vivavoce.errors import DataError, UsageError
from vivavoce.web.pages.bots.form import bot_forms, entry_of, field_names, values_of
from vivavoce.workspace.access.bot_rules import BotRules, entry_faults

PAGE = Path(__file__).resolve().parents[2] / "docs" / "bots.md"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Offer the modules of a folder as plug-ins: that of the page, and two that are no bots."""
    chapter = PAGE.read_text(encoding="utf-8").partition("## A connector as a plug-in")[2]
    [code] = re.findall(r"```python\n(.*?)```", chapter, re.DOTALL)
    (tmp_path / "page_connector.py").write_text(code, encoding="utf-8")
    (tmp_path / "no_bots.py").write_text(
        "class Empty:\n    facts = None\ndef empty(option, context): return Empty()\n"
        "def nothing(option, context): return None\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    values = {"mybot": "page_connector:from_option", "empty": "no_bots:empty", "nothing": "no_bots:nothing"}
    points = tuple(EntryPoint(name, value, plugins.BOTS) for name, value in values.items())
    monkeypatch.setattr(plugins, "_points", lambda group: points)
    return tmp_path


def test_it_keeps_the_contract_under_its_name() -> None:
    report = check_bot(load_bots(["mybot:Good day!"])[0])
    assert report.passed, report.checks
    assert report.bot == "mybot:Good day!"
    assert any("Good day! You said: hello" in check.note for check in report.checks)


def test_its_entry_is_read_and_wrong_keys_are_refused(folder: Path) -> None:
    entry = "bots:\n  polite: {kind: mybot, greeting: Welcome!, limits: {at_once: 2}}\n"
    (folder / "bots.yaml").write_text(entry, encoding="utf-8")
    [bot] = load_bots(["polite"])
    assert bot.facts.limits.at_once == 2
    (folder / "bots.yaml").write_text(entry.replace("greeting", "greting"), encoding="utf-8")
    with pytest.raises(DataError, match="Did you mean 'greeting'"):
        load_bots(["polite"])


def test_its_failure_has_the_status_of_the_page() -> None:
    async def crash() -> None:
        await (await load_bots(["mybot"])[0].open("s")).say("crash")

    with pytest.raises(BotError) as caught:
        asyncio.run(crash())
    assert caught.value.status == Status.SERVER_ERROR


@pytest.mark.parametrize("name", ["empty", "nothing"])
def test_a_plug_in_that_gives_no_bot_is_refused_with_what_a_bot_needs(name: str) -> None:
    with pytest.raises(UsageError, match="not a bot") as caught:
        load_bots([name])
    assert "`facts`" in caught.value.remedy


DECLARED = """
from vivavoce.bots import BotOption, Connector, Reach, ScriptedBot, declare

OPTIONS = (BotOption("endpoint", "address", label="Endpoint", required=True), BotOption("token", secret=True))

@declare(Connector(Reach.ADDRESS, OPTIONS, option="endpoint", title="Acme bots"))
def acme(option, context):
    "Ask a bot of Acme; the option is its endpoint."
    return ScriptedBot(name=context.name)
"""


@pytest.fixture
def acme(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (folder / "acme_bots.py").write_text(DECLARED, encoding="utf-8")
    points = (EntryPoint("acme", "acme_bots:acme", plugins.BOTS), EntryPoint("mute", "no_bots:empty", plugins.BOTS))
    monkeypatch.setattr(plugins, "_points", lambda group: points)
    bot_forms.cache_clear()
    yield
    bot_forms.cache_clear()


@pytest.mark.usefixtures("acme")
def test_a_connector_that_declares_an_address_works_on_a_server_like_a_built_in() -> None:
    entry = {"kind": "acme", "endpoint": "https://bots.acme.example/1", "token": "${BOT_ACME}"}
    assert entry_faults("acme", entry, BotRules()) == ()
    assert not runs_programs("acme", entry)
    [inside] = entry_faults("acme", {**entry, "endpoint": "http://10.0.0.1/"}, BotRules())
    assert (inside.where, "private address" in inside.message) == ("endpoint", True)
    [misspelt] = entry_faults("acme", {**entry, "tokn": "x"}, BotRules())
    assert "token" in misspelt.message
    [silent] = entry_faults("mute", {"kind": "mute"}, BotRules())
    assert silent.where == "kind"


@pytest.mark.usefixtures("acme")
def test_its_form_is_made_from_what_it_declares() -> None:
    assert list(bot_forms()) == ["acme", "yaml"]
    assert "endpoint" in field_names("acme")
    assert "token" not in field_names("acme"), "what has no label is written as YAML"
    entry = {"kind": "acme", "endpoint": "https://bots.acme.example/1", "token": "${BOT_ACME}"}
    assert entry_of("acme", values_of("acme", entry), entry) == entry
