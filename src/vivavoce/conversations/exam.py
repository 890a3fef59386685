"""The whole exam in one call: read, hold, judge, count."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vivavoce.bots import Bot, load_bots
from vivavoce.conversations.result import ConversationsResult
from vivavoce.conversations.running.runner import RunOptions, begin_run, hold_conversations
from vivavoce.conversations.scenario import Suite
from vivavoce.conversations.scenarios.expansion import expand
from vivavoce.conversations.scenarios.suites import read_suite
from vivavoce.conversations.scoring import score_run


def examine_conversations(
    suite: Suite | str | Path,
    bots: Sequence[str | Bot],
    *,
    levels: Sequence[str] = (),
    domains: Sequence[str] = (),
    options: RunOptions | None = None,
    record: str | Path | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> ConversationsResult:
    """Hold the conversations of a suite with each bot and return the findings.

    `bots` are names as on the command line or objects with `open`. `record`: a new folder that keeps every exchange;
    without it the record is thrown away at the end.
    """
    how = options or RunOptions()
    material = suite if isinstance(suite, Suite) else read_suite(suite)
    plan = expand(material, levels=tuple(levels), domains=tuple(domains), seed=how.seed)
    loaded = [_loaded(bot, material.agent, how.seed) for bot in bots]
    with ExitStack() as stack:
        folder = Path(record) if record else Path(stack.enter_context(TemporaryDirectory())) / "run"
        kept = stack.enter_context(begin_run(folder, plan, [bot.facts for bot in loaded], how))
        _run(hold_conversations(kept, loaded, progress=progress))
        return score_run(kept)


def _loaded(bot: str | Bot, agent: str | None, seed: int) -> Bot:
    return load_bots([bot], agent=agent, seed=seed)[0] if isinstance(bot, str) else bot


def _run(work: Coroutine[Any, Any, object]) -> None:
    """Run to the end, in a notebook too, where an event loop is running already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()
