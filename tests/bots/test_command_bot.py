"""A bot that is a program: JSON lines in and out, and no process left behind."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from vivavoce.bots.command import CommandBot, from_option
from vivavoce.bots.protocol import BotContext
from vivavoce.errors import BotError, UsageError
from vivavoce.records import Reply, Status

pytestmark = pytest.mark.slow

PROGRAM = """
import json, os, subprocess, sys, time
mode = sys.argv[1]
print("starting in mode", mode, file=sys.stderr, flush=True)
counts, late = {}, []
if mode == "deaf":
    import signal
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
for line in iter(sys.stdin.readline, ""):
    told = json.loads(line)
    session, text = told["session"], told["text"]
    counts[session] = counts.get(session, 0) + 1
    answer = {"session": session, "reply": f"{text} {counts[session]}", "intent": "greet", "confidence": 0.5}
    if mode == "die":
        sys.exit("the model is missing")
    if mode == "silent":
        continue
    if mode == "late" and text == "slow":
        late.append(answer)
        continue
    for old in late:
        print(json.dumps(old), flush=True)
    late = []
    if mode == "reverse":
        late_one = getattr(sys, "held", None)
        if late_one is None:
            sys.held = answer
            continue
        print(json.dumps(answer)), print(json.dumps(sys.held), flush=True)
        continue
    if mode == "nameless":
        del answer["session"]
    if mode == "pid":
        answer = {"session": session, "texts": [str(os.getpid())]}
    if mode == "deaf":
        answer = {"session": session, "texts": [str(os.getpid()), str(child.pid)]}
    if mode == "secret":
        answer["reply"] = os.environ["BOT_KEY"] + " " + os.getcwd()
    if mode == "tell":
        sys.exit("cannot log in with " + os.environ["BOT_KEY"])
    if mode == "text":
        print("hello there", flush=True)
    elif mode == "latin":
        sys.stdout.buffer.write(b'"caf\\xe9"\\n'), sys.stdout.flush()
    elif mode == "huge":
        print("x" * 3_000_000, flush=True)
    elif mode == "shape":
        print('{"status": "fine"}', flush=True)
    else:
        print(json.dumps(answer), flush=True)
    if mode == "deaf":
        while True:
            time.sleep(1)
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "bot program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(path))}"


def made(program: str, mode: str, **entry: Any) -> CommandBot:
    return from_option(f"{program} {mode}", BotContext("program", entry=entry))


def talk_to(bot: CommandBot, *messages: str, sessions: tuple[str, ...] = ("one",)) -> list[Reply]:
    """Say each message in each talk, one after another; close everything twice."""

    async def held() -> list[Reply]:
        try:
            talks = [await bot.open(session) for session in sessions]
            found = [await talk.say(message) for message in messages for talk in talks]
            for talk in (*talks, *talks):
                await talk.close()
            return found
        finally:
            await bot.close()
            await bot.close()

    return asyncio.run(held())


def test_lines_go_in_and_come_out(program: str) -> None:
    found = talk_to(made(program, "ok"), "a", "b", sessions=("x", "y"))
    assert [reply.text for reply in found] == ["a 1", "a 1", "b 2", "b 2"]
    assert (found[0].intent, found[0].confidence) == ("greet", 0.5)


def test_one_program_serves_all_talks_or_each_its_own(program: str) -> None:
    shared = talk_to(made(program, "pid"), "a", sessions=("x", "y"))
    own = talk_to(made(program, "pid", per_talk="yes"), "a", "b", sessions=("x", "y"))
    assert shared[0].text == shared[1].text
    assert [own[0].text, own[1].text] == [own[2].text, own[3].text]
    assert own[0].text != own[1].text
    assert not still_alive([int(reply.text) for reply in (*shared, *own)])


def still_alive(processes: list[int]) -> list[int]:
    """Those alive after a while: a killed process closes its pipes a moment before it is gone."""
    end = time.monotonic() + 10
    while (alive := [process for process in processes if is_alive(process)]) and time.monotonic() < end:
        time.sleep(0.01)
    return alive


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    if not Path("/proc/self/stat").exists():
        return True
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").split()[2] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_answers_find_their_talk_in_any_order(program: str) -> None:
    async def held() -> list[str]:
        bot = made(program, "reverse")
        talks = [await bot.open(session) for session in ("x", "y")]
        found = await asyncio.gather(talks[0].say("first"), talks[1].say("second"))
        await bot.close()
        return [reply.text for reply in found]

    assert asyncio.run(held()) == ["first 1", "second 1"]


def test_an_answer_without_a_session_belongs_to_the_oldest_message(program: str) -> None:
    found = talk_to(made(program, "nameless"), "a", "b", sessions=("x", "y"))
    assert [reply.text for reply in found] == ["a 1", "a 1", "b 2", "b 2"]


def test_an_answer_that_comes_too_late_is_not_taken_for_the_next(program: str) -> None:
    async def held() -> str:
        bot = made(program, "late")
        talk = await bot.open("one")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await talk.say("slow")
        reply = await talk.say("next")
        await bot.close()
        return reply.text

    assert asyncio.run(held()) == "next 2"


@pytest.mark.parametrize(
    ("mode", "status"),
    [
        ("die", Status.CLOSED),
        ("text", Status.NOT_JSON),
        ("latin", Status.BAD_ENCODING),
        ("huge", Status.TOO_LARGE),
        ("shape", Status.UNEXPECTED),
    ],
)
def test_each_misbehaviour_has_its_status_and_a_remedy(program: str, mode: str, status: Status) -> None:
    with pytest.raises(BotError) as caught:
        talk_to(made(program, mode), "hi")
    assert caught.value.status == status
    assert caught.value.remedy


def test_the_last_words_of_a_program_are_told(program: str) -> None:
    with pytest.raises(BotError, match=r"exited with code 1.*the model is missing") as caught:
        talk_to(made(program, "die"), "hi")
    assert "starting in mode die" in str(caught.value)


def test_all_who_wait_hear_of_the_end_and_a_new_talk_starts_anew(program: str) -> None:
    async def held() -> tuple[list[object], int]:
        bot = made(program, "silent")
        talks = [await bot.open(session) for session in ("x", "y")]
        waiting = [asyncio.create_task(talk.say("hi")) for talk in talks]
        await asyncio.sleep(0.2)
        first = bot._shared
        assert first is not None
        os.kill(first._process.pid, 9)
        ends = await asyncio.gather(*waiting, return_exceptions=True)
        with pytest.raises(BotError):
            await talks[0].say("still there?")
        await bot.open("z")
        second = bot._shared
        assert second is not None
        different = int(second is not first)
        await bot.close()
        return ends, different

    ends, different = asyncio.run(held())
    assert [getattr(end, "status", end) for end in ends] == [Status.CLOSED, Status.CLOSED]
    assert different


def test_a_program_that_will_not_end_is_ended_with_its_children(program: str) -> None:
    reply = talk_to(made(program, "deaf"), "hi")[0]
    assert len(reply.texts) == 2
    assert not still_alive([int(process) for process in reply.texts])


def test_closing_in_the_middle_of_a_message_ends_it(program: str) -> None:
    async def held() -> object:
        bot = made(program, "silent")
        talk = await bot.open("one")
        waiting = asyncio.create_task(talk.say("hi"))
        await asyncio.sleep(0.1)
        await bot.close()
        return (await asyncio.gather(waiting, return_exceptions=True))[0]

    assert getattr(asyncio.run(held()), "status", None) == Status.CLOSED


def test_folder_and_environment_are_given_and_secrets_struck_out(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIVA_TEST_KEY", "very-hidden")
    more = {"cwd": str(tmp_path), "env": {"BOT_KEY": "${VIVA_TEST_KEY}"}}
    bot = made(program, "secret", **more)
    assert talk_to(bot, "hi")[0].text == f"*** {tmp_path}"
    assert "hidden" not in repr(bot.facts)
    with pytest.raises(BotError, match=r"log in with \*\*\*") as caught:
        talk_to(made(program, "tell", **more), "hi")
    assert "hidden" not in str(caught.value)


def test_no_shell_reads_the_command(tmp_path: Path) -> None:
    bot = from_option(f"echo hi > {tmp_path / 'made'}", BotContext("program"))
    with pytest.raises(BotError):
        talk_to(bot, "hi")
    assert not (tmp_path / "made").exists()


def test_a_program_that_is_not_there_cannot_be_started() -> None:
    with pytest.raises(BotError, match="cannot start the program") as caught:
        talk_to(from_option("/not/there --now", BotContext("program")), "hi")
    assert caught.value.status == Status.FAILED


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({}, "command is missing"),
        ({"command": "a 'b"}, "the command is invalid"),
        ({"command": "a", "per_talk": "maybe"}, "per_talk"),
        ({"command": "a", "env": "X=1"}, "env"),
    ],
)
def test_a_wrong_entry_is_refused_when_the_bot_is_made(entry: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        from_option("", BotContext("program", entry=entry))
