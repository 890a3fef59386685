"""The runner beside the physical limit: a bot that takes 100 ms, 2,000 conversations of 6 turns, 200 at once.

python benchmarks/conversations.py             # about a minute

Printed: wall time against the ideal (turns x 100 ms / 200), processor time for each turn beside that of a general
HTTP client (aiohttp) and of our connector alone on the same messages, and the peak memory of 10,000 conversations.
Then the processor time of holding and of scoring 1,000, 3,000 and 10,000 conversations of five turns: the time for
1,000 of them should not grow with their number.
"""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vivavoce.bots import Bot, load_bots
from vivavoce.conversations import RunRecord, score_run
from vivavoce.conversations.json_form import result_to_json
from vivavoce.conversations.running.runner import RunOptions, begin_run, hold_conversations
from vivavoce.conversations.scenario import Expectation, Pattern, Plan, Script, ScriptTurn
from vivavoce.reports.conversations.html import render_conversations

DELAY = 0.1
AT_ONCE = 200
TURNS = 6
HERE = Path(__file__).parent


def plan_of(conversations: int) -> Plan:
    """Return conversations of six turns, each with an expectation, as a real suite has them."""
    expect = Expectation(intents=("book_flight",), any=(Pattern("which day*"),))
    turns = tuple(ScriptTurn(n, f"t{n}", f"I would like to fly on day {n}", expect) for n in range(1, TURNS + 1))
    scripts = tuple(Script(f"talk-{n}", f"talk-{n}", "", "flight", "medium", turns) for n in range(conversations))
    return Plan("benchmark", "en", scripts)


@contextmanager
def slow_bot(delay: float) -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, str(HERE / "slow_bot.py"), str(delay)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdout is not None
        yield f"http://127.0.0.1:{int(server.stdout.readline())}/talk"
        server.terminate()


def run_once(url: str, conversations: int, folder: str, at_once: int = AT_ONCE) -> tuple[float, float]:
    """Return wall and processor seconds of a run."""

    async def hold() -> None:
        bots = load_bots([f"bot=http:{url}"])
        options = RunOptions(concurrency=at_once, timeout_s=10)
        with begin_run(folder, plan_of(conversations), [bot.facts for bot in bots], options) as record:
            end = await hold_conversations(record, bots)
        assert end.complete, end

    wall, cpu = time.perf_counter(), time.process_time()
    asyncio.run(hold())
    return time.perf_counter() - wall, time.process_time() - cpu


def run_bare(url: str, turns: int) -> tuple[float, float]:
    """Return wall and processor seconds of a general HTTP client alone, on the same messages."""
    import aiohttp

    async def post(session: aiohttp.ClientSession, left: Iterator[int], delay: float) -> None:
        await asyncio.sleep(delay)
        for n in left:
            async with session.post(url, json={"session": str(n), "text": "I would like to fly"}) as answer:
                json.loads(await answer.read())

    async def all_posts() -> None:
        left = iter(range(turns))
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=AT_ONCE)) as session:
            await asyncio.gather(*(post(session, left, n * 0.0005) for n in range(AT_ONCE)))

    wall, cpu = time.perf_counter(), time.process_time()
    asyncio.run(all_posts())
    return time.perf_counter() - wall, time.process_time() - cpu


def run_connector(url: str, turns: int) -> tuple[float, float]:
    """Return wall and processor seconds of our connector alone: no runner, no record."""

    async def talk(bot: Bot, left: Iterator[int], number: int) -> None:
        await asyncio.sleep(number * 0.0005)
        opened = await bot.open(str(number))
        for _ in left:
            await opened.say("I would like to fly")

    async def all_talks() -> None:
        [bot] = load_bots([f"bot=http:{url}"])
        left = iter(range(turns))
        await asyncio.gather(*(talk(bot, left, n) for n in range(AT_ONCE)))
        await bot.close()

    wall, cpu = time.perf_counter(), time.process_time()
    asyncio.run(all_talks())
    return time.perf_counter() - wall, time.process_time() - cpu


def distinct_plan(conversations: int) -> Plan:
    """Return conversations of five turns, each with a message and an expected text of its own."""

    def script(talk: int) -> Script:
        texts = [f"message {turn} of talk {talk}" for turn in range(1, 6)]
        turns = (ScriptTurn(n, f"t{n}", text, Expectation(any=(Pattern(text),))) for n, text in enumerate(texts, 1))
        level = ("basic", "medium", "complex")[talk % 3]
        return Script(f"talk-{talk}", f"talk-{talk}", "", "shop", level, tuple(turns))

    return Plan("scoring", "en", tuple(map(script, range(conversations))))


def hold_and_score(conversations: int, folder: str) -> tuple[float, float, float]:
    """Return processor seconds of holding with a bot that costs nothing, of scoring the record, and of its report."""
    bots = load_bots(["scripted:echo"])
    began = time.process_time()
    with begin_run(folder, distinct_plan(conversations), [bot.facts for bot in bots], RunOptions()) as record:
        asyncio.run(hold_conversations(record, bots))
    held = time.process_time()
    with RunRecord.open(folder) as record:
        result = score_run(record)
        json.dumps(result_to_json(result))
        scored = time.process_time()
        render_conversations(result, record)
    assert result.cells[0].rates["accuracy"].value == 1.0
    return held - began, scored - held, time.process_time() - scored


def compare_sizes() -> None:
    print("\nCPU seconds with scripted:echo; score: read the record, judge, count, write JSON")
    print(f"{'conversations x 5':20}{'hold':>8}{'score':>8}{'for 1,000':>11}{'ratio':>7}{'HTML':>8}")
    with tempfile.TemporaryDirectory() as folder:
        hold_and_score(100, f"{folder}/warm")
        first = 0.0
        for conversations in (1_000, 3_000, 10_000):
            held, scored, written = hold_and_score(conversations, f"{folder}/{conversations}")
            each = scored / conversations * 1000
            first = first or each
            print(f"{conversations:<20,}{held:>8.2f}{scored:>8.2f}{each:>11.2f}{each / first:>7.2f}{written:>8.2f}")


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    conversations = 2000
    turns = conversations * TURNS
    ideal = turns * DELAY / AT_ONCE
    with slow_bot(DELAY) as url, tempfile.TemporaryDirectory() as folder:
        bare_wall, bare_cpu = run_bare(url, turns)
        own_wall, own_cpu = run_connector(url, turns)
        wall, cpu = run_once(url, conversations, f"{folder}/run")
        before = peak_megabytes()
    with slow_bot(0.0) as url, tempfile.TemporaryDirectory() as folder:
        run_once(url, 10_000, f"{folder}/large", 50)
        after = peak_megabytes()
    rows = [
        ("ideal", f"{ideal:.2f}", "1.00", ""),
        ("aiohttp alone", f"{bare_wall:.2f}", f"{bare_wall / ideal:.2f}", f"{bare_cpu / turns * 1000:.2f}"),
        ("our connector alone", f"{own_wall:.2f}", f"{own_wall / ideal:.2f}", f"{own_cpu / turns * 1000:.2f}"),
        ("viva, with its record", f"{wall:.2f}", f"{wall / ideal:.2f}", f"{cpu / turns * 1000:.2f}"),
    ]
    print(f"{conversations:,} conversations x {TURNS} turns, {AT_ONCE} at once, a reply takes {DELAY * 1000:.0f} ms")
    print(f"{'':24}{'wall s':>8}{'ratio':>8}{'CPU ms a turn':>15}")
    for name, *cells in rows:
        print(f"{name:24}{cells[0]:>8}{cells[1]:>8}{cells[2]:>15}")
    print(f"overhead of runner and record: {(cpu - own_cpu) / turns * 1000:.2f} ms of CPU a turn")
    print(f"one core was busy for {cpu / ideal:.0%} of the ideal time; at 100 % it would be the limit")
    print(f"peak memory: {before:.0f} MB after these, {after:.0f} MB after 10,000 conversations more")
    compare_sizes()


if __name__ == "__main__":
    main()
