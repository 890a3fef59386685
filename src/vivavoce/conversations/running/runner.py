"""A run: many conversations with several bots at once, within each bot's limits, resumable at any point."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from vivavoce.bots.asking import Allowance, AskingPolicy, LoopLag, Pace
from vivavoce.bots.protocol import Bot, BotFacts, Limits
from vivavoce.conversations.running.holding import Channel, Holding, hold
from vivavoce.conversations.running.record import RunRecord, settle_memory
from vivavoce.conversations.scenario import Plan, Script
from vivavoce.conversations.scenarios.joining import JoinedBot
from vivavoce.conversations.transcript import ConversationKey, RunHeader, State
from vivavoce.errors import UsageError, WorkError, plural
from vivavoce.messages import say, say_count
from vivavoce.version import __version__

Progress = Callable[[str, int, int], None]
# Conversations start this far apart, so that a bot does not get all of them at the same instant.
STEP_SECONDS = 0.0005
CLOSE_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of a run; None keeps the bot's own limit.

    `max_messages`: no conversation starts and no message is sent again that would exceed it. `give_up_after`: the
    number of failed conversations in a row that end the run for a bot; they can be resumed.
    """

    repeats: int = 1
    concurrency: int | None = None
    per_second: float | None = None
    timeout_s: float | None = None
    retries: int | None = None
    max_messages: int | None = None
    give_up_after: int = 10
    seed: int = 0

    def limits(self, limits: Limits) -> Limits:
        """Return a bot's limits, changed by these options."""
        values = {"at_once": self.concurrency} | {
            name: getattr(self, name) for name in ("per_second", "timeout_s", "retries")
        }
        return replace(limits, **{name: value for name, value in values.items() if value is not None})


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a run ended: conversations done, failed and left, and why any are left."""

    done: int
    errored: int
    left: int
    reasons: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every conversation was completed."""
        return not (self.errored or self.left)


def begin_run(
    folder: str | Path,
    plan: Plan,
    bots: Sequence[BotFacts],
    options: RunOptions,
    origin: Mapping[str, object] | None = None,
) -> RunRecord:
    """Create the record of a run, before the first message is sent."""
    return RunRecord.create(folder, make_header(plan, bots, options, origin))


def make_header(
    plan: Plan,
    bots: Sequence[BotFacts],
    options: RunOptions,
    origin: Mapping[str, object] | None = None,
    *,
    run: str = "",
) -> RunHeader:
    """Return the header of a run; without a name `run` it gets a random one."""
    names = [bot.name for bot in bots]
    if not names or len(set(names)) != len(names):
        raise UsageError("a run needs bots with unique names", remedy="name each bot once")
    if not plan.scripts:
        raise UsageError("nothing to run: no scenario is selected", remedy="choose other levels or domains")
    settings = {name: value for name, value in asdict(options).items() if name not in ("repeats", "seed")}
    limited = tuple(replace(bot, limits=options.limits(bot.limits)) for bot in bots)
    name = run or uuid4().hex[:12]
    return RunHeader(name, __version__, options.seed, plan, limited, options.repeats, settings, origin or {})


def options_of(header: RunHeader) -> RunOptions:
    """Return the options that a run started with."""
    return RunOptions(repeats=header.repeats, seed=header.seed, **header.options)  # type: ignore[arg-type]


async def hold_conversations(
    record: RunRecord, bots: Sequence[Bot], *, progress: Progress | None = None, limits: RunOptions | None = None
) -> RunEnd:
    """Hold every conversation of a record that is not done yet, then close the bots.

    Bots that compute on this machine run first, together, and all others after them, so that computing never delays a
    reply that is timed.
    """
    header = record.header
    options = limits or options_of(header)
    record.claim()
    report = progress or (lambda _stage, _done, _total: None)
    run = _Run(record, options, report, Allowance(options.max_messages), LoopLag())
    run.lag.start()
    try:
        with settle_memory():
            for in_process in (True, False):
                await run.hold_all([bot for bot in bots if bot.facts.in_process is in_process])
    finally:
        run.lag.stop()
        await close_bots(bots)
    return run.end()


def list_conversations(header: RunHeader) -> list[tuple[Script, int]]:
    """Return the scripts to hold with each bot, with their repeats: the first repeat of all scripts comes first."""
    return [(script, repeat) for repeat in range(header.repeats) for script in header.plan.scripts]


def shuffle_conversations(conversations: list[Any], seed: int) -> None:
    """Shuffle conversations into a random order that is the same for every bot."""
    random.Random(f"{seed}/order").shuffle(conversations)  # noqa: S311


def lag_for(bot: Bot, lag: LoopLag) -> LoopLag | None:
    """Return what measures the delays of this machine, or None for a bot that computes on it."""
    return None if bot.facts.in_process else lag


async def close_bots(bots: Iterable[Bot]) -> None:
    """Close bots; one that fails or takes too long does not hold up the others."""
    for bot in bots:
        # Not wait_for: before Python 3.12 it can lose a cancellation.
        with suppress(Exception):
            async with asyncio.timeout(CLOSE_SECONDS):
                await bot.close()


def despair(channel: Channel, failures: int, most: int) -> str:
    """Say why to stop calling a bot after this many failures in a row; empty if there is no reason to."""
    name, wait = channel.bot.facts.name, channel.policy.pace.turned_away
    if wait is not None:
        return say("{name} asked to wait {wait:,.0f} seconds (429)", name=name, wait=wait)
    if failures >= most:
        conversations = say_count(failures, "{n} conversation", "{n} conversations")
        return say("{name}: {talks} in a row without any answer", name=name, talks=conversations)
    return ""


@dataclass
class _Queue:
    """The conversations left for one bot. `by_suite`: its channels, if it is a different bot in each suite."""

    channel: Channel
    by_suite: Mapping[str, Channel]
    left: deque[tuple[Script, ConversationKey]]
    total: int
    done: int = 0
    failures: int = 0
    given_up: str = ""


@dataclass
class _Run:
    record: RunRecord
    options: RunOptions
    progress: Progress
    allowance: Allowance
    lag: LoopLag
    reasons: dict[str, None] = field(default_factory=dict)

    async def hold_all(self, bots: Sequence[Bot]) -> None:
        done = {key for key, state in self.record.states().items() if state is State.DONE}
        queues = [self._queue(bot, done) for bot in bots]
        workers = [
            queue for queue in queues for _ in range(min(queue.channel.policy.limits.at_once, len(queue.left)))
        ]
        # The order of the bots is random, so that none always gets the quiet moment.
        random.Random(f"{self.options.seed}/workers").shuffle(workers)  # noqa: S311
        try:
            async with asyncio.TaskGroup() as group:
                for place, queue in enumerate(workers):
                    apart = 0.0 if queue.channel.bot.facts.in_process else place * STEP_SECONDS
                    group.create_task(self._work(queue, apart))
        except ExceptionGroup as errors:
            cause = errors.exceptions[0]
            if not isinstance(cause, sqlite3.Error):
                raise cause from errors
            raise WorkError(
                f"the record could not be written: {cause}",
                where=str(self.record.folder),
                remedy="free up disk space, then resume the run",
            ) from errors

    def _queue(self, bot: Bot, done: Set[ConversationKey]) -> _Queue:
        header, limits = self.record.header, self.options.limits(bot.facts.limits)
        every = list_conversations(header)
        keyed = [(script, ConversationKey(bot.facts.name, script.id, repeat)) for script, repeat in every]
        left = [(script, key) for script, key in keyed if key not in done]
        shuffle_conversations(left, self.options.seed)
        policy = AskingPolicy(limits, Pace(limits), self.options.seed, self.allowance, lag_for(bot, self.lag))
        by_suite = bot.by_suite if isinstance(bot, JoinedBot) else {}
        channels = {suite: Channel(bot_of_suite, policy) for suite, bot_of_suite in by_suite.items()}
        return _Queue(Channel(bot, policy), channels, deque(left), len(every), len(every) - len(left))

    async def _work(self, queue: _Queue, delay: float) -> None:
        await asyncio.sleep(delay)
        while queue.left and not queue.given_up:
            script, key = queue.left.popleft()
            if not self.allowance.take(len(script.turns)):
                queue.left.append((script, key))
                return
            attempt = self.record.attempts(key) + 1
            channel = queue.by_suite.get(script.suite, queue.channel)
            holding = Holding(channel, self.record.header.plan.of(script), script, key, attempt)
            state = await hold(holding, self.record)
            self.allowance.give_back(len(script.turns) - holding.sent)
            queue.done += 1
            # A bot that never replies is as dead as one that cannot be reached.
            queue.failures = 0 if state is State.DONE and holding.heard > 0 else queue.failures + 1
            queue.given_up = queue.given_up or despair(queue.channel, queue.failures, self.options.give_up_after)
            if queue.given_up:
                self.reasons[queue.given_up] = None
            self.progress(queue.channel.bot.facts.name, queue.done, queue.total)

    def end(self) -> RunEnd:
        header = self.record.header
        planned = len(header.bots) * len(header.plan.scripts) * header.repeats
        states = list(self.record.states().values())
        done, errored = states.count(State.DONE), states.count(State.ERRORED)
        reasons = list(self.reasons)
        if self.allowance.refused and self.options.max_messages is not None:
            reasons.insert(0, f"the limit of {plural(self.options.max_messages, 'message')} was reached")
        return RunEnd(done, errored, planned - done - errored, tuple(reasons))
