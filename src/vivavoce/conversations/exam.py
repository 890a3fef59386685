"""The whole exam in one call: read, hold, judge, count. And its second half alone: from a record to its findings."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from vivavoce.bots import Bot, load_bots
from vivavoce.bots.python import as_bot
from vivavoce.conversations.findings.finding import find, make_lines
from vivavoce.conversations.result import ConversationsResult
from vivavoce.conversations.running.record import RunRecord, settle_memory
from vivavoce.conversations.running.runner import RunOptions, begin_run, hold_conversations
from vivavoce.conversations.scenario import Suite
from vivavoce.conversations.scenarios.expansion import expand
from vivavoce.conversations.scenarios.suites import read_suite
from vivavoce.conversations.transcript import State
from vivavoce.errors import UsageError
from vivavoce.messages import join_and, say, say_count


def examine_conversations(
    suite: Suite | str | Path,
    bots: Sequence[str | Bot | Callable[..., object]],
    *,
    levels: Sequence[str] = (),
    domains: Sequence[str] = (),
    options: RunOptions | None = None,
    record: str | Path | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> ConversationsResult:
    """Hold the conversations of a suite with each bot and return the findings.

    `bots` are names as on the command line, bots, or functions and classes of your own, which are known by their
    names. `record`: a new folder that keeps every exchange; without it the record is thrown away at the end.
    """
    if isinstance(bots, str) or not isinstance(bots, Iterable):
        raise UsageError("bots must be a list", remedy="put them in brackets, even a single one")
    how = options or RunOptions()
    material = suite if isinstance(suite, Suite) else read_suite(suite)
    plan = expand(material, levels=tuple(levels), domains=tuple(domains), seed=how.seed)
    every = list(bots)
    named = iter(load_bots([bot for bot in every if isinstance(bot, str)], agent=material.agent, seed=how.seed))
    loaded = [next(named) if isinstance(bot, str) else as_bot(bot) for bot in every]
    twice = [name for name, count in Counter(bot.facts.name for bot in loaded).items() if count > 1]
    if twice:
        remedy = 'name them: `PythonBot(function, BotFacts("name"))`, or `name=kind` for a kind'
        raise UsageError(f"several bots have the name {' and '.join(twice)}", remedy=remedy)

    def hold_and_score() -> ConversationsResult:
        with ExitStack() as stack:
            folder = Path(record) if record else Path(stack.enter_context(TemporaryDirectory())) / "run"
            run = stack.enter_context(begin_run(folder, plan, [bot.facts for bot in loaded], how))
            asyncio.run(hold_conversations(run, loaded, progress=progress))
            return score_run(run)

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return hold_and_score()
    # In a notebook a loop is running already. All of it in one thread: a record may be used only where it was opened.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(hold_and_score).result()


def score_run(record: RunRecord) -> ConversationsResult:
    """Judge every turn of a record and count; no bot is asked."""
    header = record.header_as_met()
    with settle_memory():
        lines = tuple(make_lines(header, record.transcripts()))
        return find(header, lines, failures=tuple(_describe_failures(record)), seed=header.seed)


def _describe_failures(record: RunRecord) -> Iterator[str]:
    """Say of each bot what could not be held; it enters no number."""
    planned = len(record.header.plan.scripts) * record.header.repeats
    states = record.states()
    for bot in record.header.bots:
        own = [state for key, state in states.items() if key.bot == bot.name]
        errored = own.count(State.ERRORED)
        left = planned - own.count(State.DONE) - errored
        parts = []
        if errored:
            conversations = say_count(errored, "{n} conversation", "{n} conversations")
            parts.append(say("{conversations} not completed", conversations=conversations))
        if left:
            conversations = say_count(left, "{n} conversation", "{n} conversations")
            parts.append(say("{conversations} not run yet", conversations=conversations))
        if parts:
            yield say_count(
                errored + left,
                "{name}: {parts}; resume the run to complete it.",
                "{name}: {parts}; resume the run to complete them.",
                name=bot.name,
                parts=join_and(parts),
            )
