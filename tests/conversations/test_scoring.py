"""Scoring a record: what a bot turned out to tell decides how it is judged, and what is left out is said."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from talkers import Talker, plan, script

from vivavoce.bots.protocol import BotFacts
from vivavoce.conversations import ConversationsResult, RunOptions, begin_run, hold_conversations, score_run
from vivavoce.outcomes import TurnOutcome
from vivavoce.records import Reply


class Quiet(Talker):
    """A bot of which nothing is known beforehand."""

    @property
    def facts(self) -> BotFacts:
        return BotFacts(self.name, limits=self.limits)


def scored(folder: Path, *bots: Talker) -> ConversationsResult:
    talks = plan(script("a", "hello", "and then?"), script("b", "good morning"))
    with begin_run(folder, talks, [bot.facts for bot in bots], RunOptions()) as record:
        asyncio.run(hold_conversations(record, bots))
        return score_run(record)


async def name_once(_session: str, _turn: int, text: str) -> Reply:
    return Reply((text,), intent="chat" if text == "hello" else None)


async def name_nothing(_session: str, _turn: int, text: str) -> Reply:
    return Reply((text,))


def test_a_bot_that_names_a_topic_once_is_judged_by_topics(tmp_path: Path) -> None:
    result = scored(tmp_path / "run", Quiet(name_once))
    assert [line.verdict.outcome for line in result.lines] == [
        TurnOutcome.RIGHT,
        TurnOutcome.MISSED,
        TurnOutcome.MISSED,
    ]
    assert result.cell("talker").intent_source == "bot"
    assert not any("names no topics" in warning for warning in result.warnings)


def test_turns_that_a_bot_without_topics_leaves_out_are_said(tmp_path: Path) -> None:
    result = scored(tmp_path / "run", Quiet(name_nothing))
    assert result.cell("talker").counts.counted == 0
    assert result.cell("talker").intent_source == "reply_only"
    assert "talker reports no topics: 3 of 3 turns could not be checked" in result.warnings[0]


def count_calls(folder: Path, conversations: int) -> int:
    """Return how many functions are called to score a record."""
    talks = plan(*(script(f"s{n}", "hello", "and then?") for n in range(conversations)))
    bot, calls = Quiet(name_once), 0
    with begin_run(folder, talks, [bot.facts], RunOptions()) as record:
        asyncio.run(hold_conversations(record, [bot]))
        score_run(record)  # what is loaded once is loaded now

        def count(_frame: object, _event: str, _arg: object) -> None:
            nonlocal calls
            calls += 1

        sys.setprofile(count)
        try:
            score_run(record)
        finally:
            sys.setprofile(None)
    return calls


def test_twice_as_many_conversations_take_twice_the_work_to_score(tmp_path: Path) -> None:
    assert count_calls(tmp_path / "two", 80) < 2.2 * count_calls(tmp_path / "one", 40)
