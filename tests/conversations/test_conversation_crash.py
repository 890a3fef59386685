"""A run that is killed or stopped goes on where it was: nothing is lost, and nothing that was done is said again."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from vivavoce.cli.app import app
from vivavoce.conversations.running.record import RunRecord
from vivavoce.conversations.transcript import ConversationKey, State, Transcript

pytestmark = pytest.mark.slow

TALKS, TURNS, AT_ONCE = 240, 2, 20
PATIENCE = 120
# The log is written in one piece before the answer, as a real bot would act on a message before it answers.
BOT = """
import asyncio, os

LOG = os.open(os.environ["BOT_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)

class Bot:
    def __init__(self, session):
        self.session = session
    async def say(self, text):
        os.write(LOG, f"{self.session}\\t{text}\\n".encode())
        await asyncio.sleep(float(os.environ["BOT_SECONDS"]))
        return f"you said {text}"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a bot and a suite of many conversations."""
    (tmp_path / "logging_bot.py").write_text(BOT, encoding="utf-8")
    turn = "      - {user: '%s', expect: {reply: 'you said *'}}\n"
    talk = "  - id: talk-%03d\n    level: basic\n    turns:\n"
    talks = (talk % n + "".join(turn % f"{n} says {t}" for t in range(TURNS)) for n in range(TALKS))
    (tmp_path / "suite.yaml").write_text("suite: many\nscenarios:\n" + "".join(talks), encoding="utf-8")
    return tmp_path


def start(folder: Path, seconds: float, *words: str) -> subprocess.Popen[str]:
    """Start a command in the folder, with a bot that takes so long for each answer."""
    environment = {**os.environ, "BOT_LOG": str(folder / "bot.log"), "BOT_SECONDS": str(seconds)}
    return subprocess.Popen(
        [sys.executable, "-m", "vivavoce.cli", "conversations", *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever runs the tests in the background may ignore Ctrl-C; the run must not.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )


def start_run(folder: Path, seconds: float = 0.15) -> subprocess.Popen[str]:
    """Start a run and return once some of its conversations are done."""
    words = ("run", "suite.yaml", "--bot", "python:logging_bot.py:Bot", "--record", "record")
    process = start(folder, seconds, *words, "--concurrency", str(AT_ONCE), "--quiet")
    end = time.monotonic() + PATIENCE
    while len(done(folder / "record")) < AT_ONCE and time.monotonic() < end:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    return process


def resume(folder: Path) -> Result:
    """Go on with the run in this process, which is another one than that of the run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("BOT_LOG", str(folder / "bot.log"))
        patch.setenv("BOT_SECONDS", "0")
        # The bot of an earlier test writes to the log of that test.
        patch.delitem(sys.modules, "logging_bot", raising=False)
        return CliRunner().invoke(app, ["conversations", "resume", "record", "--quiet"])


def resume_to_the_end(folder: Path) -> None:
    """Go on with the run until it is complete."""
    ended = resume(folder)
    assert ended.exit_code == 0, ended.stderr


def done(record: Path) -> set[str]:
    """Return the scripts that are done in a record which another process may be writing."""
    file = record / "run.sqlite"
    if not file.exists():
        return set()
    with closing(sqlite3.connect(file, timeout=30)) as database:
        try:
            return {row[0] for row in database.execute("SELECT script FROM talk WHERE state = 'done'")}
        except sqlite3.OperationalError:
            return set()


def heard(folder: Path) -> Counter[str]:
    """Return how often the bot heard each message; every message of the suite is another one."""
    lines = (folder / "bot.log").read_text(encoding="utf-8").splitlines()
    return Counter(line.split("\t")[1] for line in lines)


def talk_of(message: str) -> str:
    return f"talk-{int(message.split(maxsplit=1)[0]):03}"


def assert_complete(folder: Path) -> None:
    """Every conversation is in the record once, in order and whole."""
    with RunRecord.open(folder / "record") as record:
        talks: list[Transcript] = list(record.transcripts())
    assert [talk.key for talk in talks] == [
        ConversationKey("python:logging_bot.py:Bot", f"talk-{n:03}") for n in range(TALKS)
    ]
    for talk in talks:
        assert talk.state is State.DONE
        assert [exchange.number for exchange in talk.exchanges] == list(range(1, TURNS + 1))
        assert [exchange.reply.text for exchange in talk.exchanges if exchange.reply] == [
            f"you said {exchange.sent}" for exchange in talk.exchanges
        ]


def assert_nothing_done_is_repeated(folder: Path, before: set[str], heard_before: Counter[str]) -> None:
    """What was done before was said once; what was said again was in flight."""
    again = heard(folder)
    assert len(again) == TALKS * TURNS
    repeated = {talk_of(message) for message, times in again.items() if times > 1}
    assert not repeated & before
    in_flight = {talk_of(message) for message in heard_before} - before
    assert repeated <= in_flight
    assert len(in_flight) <= AT_ONCE
    assert max(again.values()) <= 2


def test_after_a_kill_nothing_is_lost_and_only_what_was_in_flight_is_said_again(folder: Path) -> None:
    process = start_run(folder)
    process.kill()
    process.communicate()
    before, heard_before = done(folder / "record"), heard(folder)
    assert AT_ONCE <= len(before) < TALKS
    resume_to_the_end(folder)
    assert_complete(folder)
    assert_nothing_done_is_repeated(folder, before, heard_before)


def test_ctrl_c_ends_with_130_and_names_the_command_that_goes_on(folder: Path) -> None:
    process = start_run(folder)
    process.send_signal(signal.SIGINT)
    shown, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "viva conversations resume record" in told
    assert "Traceback" not in told
    assert not shown
    before, heard_before = done(folder / "record"), heard(folder)
    assert len(before) < TALKS
    resume_to_the_end(folder)
    assert_complete(folder)
    assert_nothing_done_is_repeated(folder, before, heard_before)


def test_a_run_can_be_read_while_it_goes_on_but_not_written_twice(folder: Path) -> None:
    process = start_run(folder, seconds=1.0)
    try:
        second = resume(folder)
        assert process.poll() is None, "the first run ended too early for this test"
        assert second.exit_code == 2
        assert "another process is writing this record" in " ".join(second.stderr.split())
        with RunRecord.open(folder / "record") as record:
            assert all(len(talk.exchanges) == TURNS for talk in record.transcripts())
    finally:
        process.kill()
        process.communicate()
