"""One conversation: the turns of a script one after another, each recorded before the next is sent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vivavoce.bots.asking import Answered, AskingPolicy, ask, new_session, open_conversation
from vivavoce.bots.protocol import Bot, Conversation
from vivavoce.conversations.scenario import OnMismatch, Plan, Script, ScriptTurn
from vivavoce.conversations.scenarios.placeholders import fill
from vivavoce.conversations.transcript import ConversationKey, Exchange, Session, State, Transcript
from vivavoce.records import Status

if TYPE_CHECKING:
    from vivavoce.conversations.running.record import RunRecord

CLOSE_SECONDS = 5.0
# A bot may go to sleep after this long without a message: its next reply is marked as cold.
IDLE_SECONDS = 60.0


@dataclass
class Channel:
    """One bot, how it is called, and when it last was."""

    bot: Bot
    policy: AskingPolicy
    last_used: float | None = None
    messages: int = 0

    def mark(self, now: float) -> bool:
        """Note that a message is sent now, and return whether the bot may be cold."""
        cold = self.last_used is None or now - self.last_used > IDLE_SECONDS
        self.last_used = now
        self.messages += 1
        return cold


@dataclass
class Holding:
    """A conversation in progress."""

    channel: Channel
    plan: Plan
    script: Script
    key: ConversationKey
    attempt: int = 1
    session: str = ""
    talk: Conversation | None = None
    values: dict[str, str] = field(default_factory=dict)
    good: list[str] = field(default_factory=list)
    replayed: bool = False
    sent: int = 0
    heard: int = 0


async def hold(holding: Holding, record: RunRecord | _MemoryRecord) -> State:
    """Hold and record one conversation; return how it ended."""
    record.begin(holding.key)
    try:
        opened = await _open_session(holding, record)
        if opened.conversation is not None:
            state, note = await _say_all(holding, record)
        else:
            first = holding.script.turns[0]
            record.add(holding.key, _build_exchange(first, holding, opened, first.text))
            state, note = State.ERRORED, "the conversation could not be opened"
    finally:
        await _close(holding)
    record.finish(holding.key, state, note)
    return state


@dataclass
class _MemoryRecord:
    """The record of one conversation, kept in memory and reported as it grows."""

    report: Callable[[Exchange], None]
    exchanges: list[Exchange] = field(default_factory=list)
    sessions: list[Session] = field(default_factory=list)
    note: str = ""

    def begin(self, key: ConversationKey) -> None:
        self.exchanges.clear()

    def open_session(self, key: ConversationKey, session: Session) -> None:
        self.sessions.append(session)

    def add(self, key: ConversationKey, exchange: Exchange) -> None:
        self.exchanges.append(exchange)
        self.report(exchange)

    def finish(self, key: ConversationKey, state: State, note: str = "") -> None:
        self.note = note


async def hold_alone(holding: Holding, report: Callable[[Exchange], None] = lambda _: None) -> Transcript:
    """Hold one conversation without a record; `report` gets each exchange at once."""
    record = _MemoryRecord(report)
    state = await hold(holding, record)
    return Transcript(holding.key, state, tuple(record.exchanges), record.note, tuple(record.sessions))


async def _open_session(holding: Holding, record: RunRecord | _MemoryRecord) -> Answered:
    """Start a new session, so that the bot cannot continue an earlier attempt."""
    holding.session = new_session()
    record.open_session(holding.key, Session(holding.session, holding.attempt))
    opened = await open_conversation(holding.channel.bot, holding.session, holding.channel.policy)
    holding.talk = opened.conversation
    return opened


async def _say_all(holding: Holding, record: RunRecord | _MemoryRecord) -> tuple[State, str]:
    for turn in holding.script.turns:
        exchange = await _say(holding, turn)
        record.add(holding.key, exchange)
        holding.heard += exchange.status is Status.OK
        if exchange.status.error:
            return State.ERRORED, f"turn {turn.number}: {exchange.error or exchange.status.meaning}"
        _save(holding, turn, exchange)
        if holding.script.on_mismatch is OnMismatch.CONTINUE:
            continue
        from vivavoce.conversations.judging.judge import judge

        outcome = judge(turn, exchange, holding.channel.bot.facts, holding.plan).outcome
        if outcome.counted and not outcome.passed:
            if holding.script.on_mismatch is OnMismatch.STOP:
                return State.DONE, f"stopped after turn {turn.number}, which failed"
            if not await _replay(holding, record):
                return State.ERRORED, f"the conversation could not be restarted after turn {turn.number}"
        else:
            holding.good.append(exchange.sent)
    return State.DONE, ""


async def _say(holding: Holding, turn: ScriptTurn) -> Exchange:
    if turn.pause_ms:
        await asyncio.sleep(turn.pause_ms / 1000)
    text = fill(turn.text, holding.values)
    channel = holding.channel
    if channel.bot.facts.in_process:
        # A bot in this process never waits: without this it would block the loop until its last conversation.
        await asyncio.sleep(0)
    cold = channel.mark(asyncio.get_running_loop().time())
    holding.sent += 1
    assert holding.talk is not None, "a conversation must be opened before a message is sent"  # noqa: S101
    patience = turn.wait_s or max(channel.policy.limits.timeout_s, holding.plan.defaults.wait_s or 0)
    answered = await ask(holding.talk, text, channel.policy, patience, f"{holding.session}/{turn.number}")
    return _build_exchange(turn, holding, answered, text, cold)


def _build_exchange(
    turn: ScriptTurn, holding: Holding, answered: Answered, text: str, cold: bool = False
) -> Exchange:
    return Exchange(
        turn.number,
        text,
        answered.status,
        answered.reply,
        answered.first_ms,
        answered.last_ms,
        answered.attempts,
        cold,
        answered.error,
        holding.replayed,
        dict(holding.values),
        answered.lag_ms,
    )


def _save(holding: Holding, turn: ScriptTurn, exchange: Exchange) -> None:
    if not turn.save or exchange.reply is None:
        return
    from vivavoce.conversations.judging.matching import capture

    for name, pattern in turn.save.items():
        value = capture(pattern, exchange.reply.texts, default=holding.plan.defaults.match, values=holding.values)
        if value is not None:
            holding.values[name] = value


async def _replay(holding: Holding, record: RunRecord | _MemoryRecord) -> bool:
    """Restart the conversation and repeat the turns that passed, so that the next turn starts from a good state."""
    await _close(holding)
    channel = holding.channel
    opened = await _open_session(holding, record)
    holding.replayed = True
    if opened.conversation is None:
        return False
    for place, text in enumerate(holding.good):
        if not channel.policy.allowance.take(1):
            return False
        channel.mark(asyncio.get_running_loop().time())
        patience, name = channel.policy.limits.timeout_s, f"{holding.session}/{place}"
        if (await ask(opened.conversation, text, channel.policy, patience, name)).status is not Status.OK:
            return False
    return True


async def _close(holding: Holding) -> None:
    talk, holding.talk = holding.talk, None
    if talk is not None:
        # Trouble at closing says nothing about the replies.
        with suppress(Exception):
            async with asyncio.timeout(CLOSE_SECONDS):
                await talk.close()
