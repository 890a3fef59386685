"""The whole exam from Python, in one call."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from vivavoce import ConversationsResult, examine_conversations
from vivavoce.bots import BotFacts, PythonBot, Reply, ScriptedBot
from vivavoce.conversations import RunRecord
from vivavoce.errors import UsageError

SUITE = """
suite: small
scenarios:
  - {id: a, domain: shop, level: basic, turns: [{user: hello, expect: {reply: hello}}]}
  - {id: b, domain: shop, level: basic, turns: [{user: bye, expect: {reply: bye}}]}
"""


def echo(text: str) -> str:
    return text


class Deaf:
    async def say(self, text: str) -> Reply:
        return Reply(["Pardon?"])  # type: ignore[arg-type]


class Speechless:
    async def open(self, session: str) -> None: ...


@pytest.fixture(autouse=True)
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "small.yaml"
    path.write_text(SUITE, encoding="utf-8")
    return path


def accuracies(result: ConversationsResult) -> dict[str, float | None]:
    return {bot.name: result.cell(bot.name).rates["accuracy"].value for bot in result.header.bots}


def test_names_bots_functions_and_classes_are_examined_side_by_side(suite: Path) -> None:
    mine = PythonBot(echo, BotFacts("mine"))
    # ScriptedBot says "Hello." to everything: right for one of the two.
    result = examine_conversations(suite, [echo, "scripted:echo", Deaf, ScriptedBot(), mine])
    assert accuracies(result) == {"echo": 1.0, "scripted:echo": 1.0, "Deaf": 0.0, "scripted": 0.5, "mine": 1.0}
    assert result.failures == ()


def test_it_can_be_called_where_an_event_loop_runs(suite: Path) -> None:
    async def notebook() -> ConversationsResult:
        return examine_conversations(suite, [echo])

    assert accuracies(asyncio.run(notebook())) == {"echo": 1.0}


def test_the_record_is_kept_where_one_is_asked_for_and_only_there(suite: Path, tmp_path: Path) -> None:
    examine_conversations(suite, [echo])
    assert list(tmp_path.iterdir()) == [suite]
    examine_conversations(suite, [echo], record="kept")
    with RunRecord.open(tmp_path / "kept") as record:
        said = [exchange.sent for talk in record.transcripts() for exchange in talk.exchanges]
    assert sorted(said) == ["bye", "hello"]


@pytest.mark.parametrize(
    ("bots", "said"),
    [
        ([5], "not a bot: 5"),
        ([Speechless()], "has no `facts`"),
        ([echo, echo], "several bots have the name echo"),
        ("echo", "must be a list"),
        (echo, "must be a list"),
        (["scriptd", echo], "Did you mean 'scripted'"),
    ],
)
def test_what_is_no_bot_is_refused_with_what_to_do(suite: Path, bots: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        examine_conversations(suite, bots)
    assert caught.value.remedy


def test_a_cell_that_does_not_exist_is_refused_with_the_nearest(suite: Path) -> None:
    result = examine_conversations(suite, [echo])
    with pytest.raises(UsageError, match="Did you mean 'echo'") as caught:
        result.cell("ecco", level="bsic")
    assert "Did you mean 'basic'" in str(caught.value)
    assert "bots: echo; domains: shop; levels: basic" in caught.value.remedy
