"""Sessions: a conversation that is held again never goes on in the session of an earlier attempt."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from counting_bot import Counting, counting_bot
from vivavoce.bots.asking import new_session
from vivavoce.cli.app import app
from vivavoce.conversations import RunRecord, score_run

SAFE = re.compile(r"[A-Za-z0-9_-]{2,36}")
SUITE = """
suite: counting
scenarios:
  - id: count
    level: basic
    turns:
      - {user: one, expect: {reply: "message number 1"}}
      - {user: two, expect: {reply: "message number 2"}}
      - {user: three, expect: {reply: "message number 3"}}
"""


def viva(*words: str) -> int:
    return CliRunner().invoke(app, ["conversations", *words, "--quiet"]).exit_code


@pytest.fixture
def broken_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Counting]:
    """A run whose only conversation failed at its second turn, and the bot, which is whole again."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    with counting_bot() as bot:
        assert viva("run", "suite.yaml", "--bot", f"http:{bot.url}", "--retries", "0", "--record", "run") == 3
        bot.broken = False
        yield bot


def test_a_resumed_conversation_starts_in_a_new_session_and_a_bot_with_memory_is_right(broken_run: Counting) -> None:
    assert viva("resume", "run") == 0
    with RunRecord.open("run") as record:
        result = score_run(record)
    assert [line.verdict.outcome for line in result.lines] == ["right"] * 3
    assert sorted(broken_run.seen.values()) == [2, 3]


def test_the_record_says_which_session_belongs_to_which_attempt(broken_run: Counting) -> None:
    viva("resume", "run")
    with RunRecord.open("run") as record:
        (transcript,) = record.transcripts()
        assert record.transcript(transcript.key) == transcript
    assert [session.attempt for session in transcript.sessions] == [1, 2]
    assert {session.name for session in transcript.sessions} == set(broken_run.seen)


def test_a_record_of_an_older_version_is_resumed_in_a_new_session(broken_run: Counting) -> None:
    with closing(sqlite3.connect("run/run.sqlite")) as database:
        database.execute("DROP TABLE session")
        database.commit()
    with RunRecord.open("run") as record:
        assert [transcript.sessions for transcript in record.transcripts()] == [()]
    assert viva("resume", "run") == 0
    with RunRecord.open("run") as record:
        (transcript,) = record.transcripts()
    assert [session.attempt for session in transcript.sessions] == [2]
    assert sorted(broken_run.seen.values()) == [2, 3]


def test_session_names_are_short_and_safe_for_every_platform() -> None:
    names = {new_session() for _ in range(1000)}
    assert len(names) == 1000
    assert all(SAFE.fullmatch(name) for name in names)
