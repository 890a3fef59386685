"""Conversations of people with bots: tried out while a scenario is written, and saved as one.

A conversation is kept open between messages in this process. Where it is gone (another process, a restart, a bot that
hung up) it is begun again, and the messages sent before are sent again.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import TimeoutError as TookTooLong
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache

from vivavoce.bots import Bot, Conversation, Reply, Status, load_entry, runs_programs
from vivavoce.bots.asking import AskingPolicy, Pace, ask, new_session, open_conversation
from vivavoce.bots.declaration import find_connector
from vivavoce.bots.guard import limited_to
from vivavoce.errors import AbsentError, AccessError, BotError, UsageError, WorkError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import BotRow, Project, SuiteRow
from vivavoce.store.stamps import new_id
from vivavoce.workspace.access.bot_rules import BotRules, Entry, entry_faults
from vivavoce.workspace.scenarios.drafts import Draft, DraftTurn

MAX_OF_ONE = 2
# Well below the 40 threads in which a process answers.
MAX_OF_ALL = 16


class CrowdedError(UsageError):
    """More is being asked of bots than is allowed at once."""


class Places:
    """Who is waiting for bots at the moment."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken: Counter[str] = Counter()

    @property
    def taken(self) -> int:
        """How many places are held now."""
        return self._taken.total()

    @contextmanager
    def take(self, person: str) -> Iterator[None]:
        """Hold a place for somebody while they talk to a bot; refuse where too many are held."""
        with self._lock:
            if self._taken[person] >= MAX_OF_ONE:
                raise CrowdedError(
                    say("you are already waiting for {most_of_one} bot replies", most_of_one=MAX_OF_ONE),
                    remedy=say(
                        "wait for one of your tests or chats to finish, then try again; a test takes "
                        "at most half a minute"
                    ),
                )
            if self.taken >= MAX_OF_ALL:
                raise CrowdedError(
                    say("too many people are waiting for bots right now"), remedy=say("try again in half a minute")
                )
            self._taken[person] += 1
        try:
            yield
        finally:
            with self._lock:
                self._taken[person] -= 1


PLACES = Places()
MAX_MESSAGES = 30
MAX_LETTERS = 2_000
LONGEST_REPLY_S = 30.0
LONGEST_S = 90.0
IDLE_S = 600.0
MAX_OPEN = 40


@dataclass(frozen=True)
class Partner:
    """A bot that somebody talks to, and the agent that it runs where it names none."""

    row: BotRow
    agent: str | None = None
    rules: BotRules = field(default_factory=BotRules)


@dataclass(frozen=True)
class Heard:
    """What the visitor said and what the bot made of it. `trouble`: why there is no reply."""

    said: str
    reply: str = ""
    topic: str = ""
    fallback: bool = False
    slots: Mapping[str, str] = field(default_factory=dict)
    trouble: str = ""


def find_bot(store: Store, project: Project, bot_id: str) -> BotRow:
    """Return a bot of the project; AbsentError where it has none of this id."""
    with store.reading() as tx:
        bot = tx.bots.get(bot_id)
    if bot is None or bot.project_id != project.id:
        raise AbsentError(
            say("bot '{bot_id}' not found", bot_id=bot_id), remedy=say("choose one from the list of bots")
        )
    return bot


def list_partners(store: Store, project: Project) -> tuple[BotRow, ...]:
    """Return the bots that can be talked to, by name."""
    with store.reading() as tx:
        return tx.bots.of_project(project.id)


def make_partner(row: BotRow, suite: SuiteRow | None, rules: BotRules) -> Partner:
    """Return a bot ready to be talked to; refused where its entry says what is not allowed here (any more)."""
    agent = suite.agent if suite else None
    refuse_program(row.name, row.entry, rules, agent)
    if faults := entry_faults(row.name, row.entry, rules):
        what, remedy = say("the entry of '{name}' is invalid", name=row.name), say("an admin can fix its entry")
        raise UsageError(what, faults=faults, remedy=remedy)
    return Partner(row, agent, rules)


def refuse_program(name: str, entry: Entry, rules: BotRules, agent: str | None = None) -> None:
    """Refuse a bot that is a program where programs are not allowed."""
    if runs_programs(str(entry.get("kind", "")), entry, agent=agent) and not rules.bot_programs:
        raise AccessError(
            say("'{name}' is a program on the server, and programs are not allowed here", name=name),
            remedy=say("ask your server admin to set `bot_programs`"),
        )


def send_message(partner: Partner, key: str, earlier: Sequence[str], text: str) -> Heard:
    """Say a message in the talk of this key and return the reply; `earlier`: what was said in it before.

    UsageError for what cannot be said; whatever the bot does is told as `trouble`.
    """
    message = text.strip()
    if not message or len(message) > MAX_LETTERS:
        raise UsageError(
            say("a message needs 1 to {most_letters:,} characters", most_letters=MAX_LETTERS),
            remedy=say("change the message"),
        )
    if len(earlier) >= MAX_MESSAGES:
        raise UsageError(
            say("the chat has reached its limit of {count} messages", count=len(earlier)),
            remedy=say("save it as a scenario, or start over"),
        )
    return _open_conversations().send(partner, key, tuple(earlier), message)


def ask_bot(partner: Partner, messages: Sequence[str]) -> Heard:
    """Say messages one after another in a talk of their own and return what came to the last."""
    if not messages:
        raise UsageError(say("no messages yet"), remedy=say("first write what the visitor says"))
    return send_message(partner, new_id(), messages[:-1], messages[-1])


def draft_from_talk(heard: Sequence[Heard], *, name: str = "") -> Draft:
    """Return a talk as a scenario in which the bot should do again what it did."""

    def make_turn(heard: Heard) -> DraftTurn:
        if heard.fallback:
            return DraftTurn(said=heard.said, fallback=True)
        reply = " ".join(heard.reply.split())
        return DraftTurn(
            said=heard.said,
            topics=(heard.topic,) if heard.topic else (),
            any=(reply,) if reply else (),
            slots=tuple(heard.slots.items()),
        )

    return Draft(name=name, turns=tuple(map(make_turn, heard)))


@dataclass
class _Open:
    """A conversation that is open: what was said in it, and when for the last time."""

    bot: Bot
    talk: Conversation
    policy: AskingPolicy
    said: list[str]
    since: float
    own_bot: bool


class OpenConversations:
    """The conversations of this process, on an event loop of their own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._open: dict[str, _Open] = {}
        threading.Thread(target=self._loop.run_forever, name="viva-chat", daemon=True).start()

    def send(self, partner: Partner, key: str, earlier: tuple[str, ...], text: str) -> Heard:
        """Say a message and wait for the reply."""
        known = self._open.get(key)
        bot = None if known is not None and known.said == list(earlier) else _load(partner)
        # What must be trained was trained above, beside the loop on which others wait for their replies.
        work = asyncio.run_coroutine_threadsafe(self._send(partner, key, earlier, text, bot), self._loop)
        try:
            return work.result(LONGEST_S)
        except TookTooLong:
            work.cancel()
            return Heard(text, trouble=f"the bot took longer than {LONGEST_S:g} s")
        except BotError as error:
            return Heard(text, trouble=error.what)

    async def _send(self, partner: Partner, key: str, earlier: tuple[str, ...], text: str, bot: Bot | None) -> Heard:
        with limited_to(partner.rules.addresses):
            await self._tidy()
            # Taken out while it is used: a second message at the same time begins a talk of its own.
            known = self._open.pop(key, None)
            if known is None or known.said != list(earlier):
                await _end(known)
                known = await _begin(bot or _load(partner), key, earlier, _is_thinking(partner.row))
            try:
                answered = await ask(known.talk, text, known.policy, LONGEST_REPLY_S, key)
            except asyncio.CancelledError:
                await _end(known)
                raise
            if answered.status not in (Status.OK, Status.EMPTY):
                await _end(known)
                return Heard(text, trouble=answered.error or str(answered.status))
            known.said.append(text)
            known.since = time.monotonic()
            self._open[key] = known
            reply = answered.reply or Reply()
            words = reply.shown.strip()
            storable = words.replace("\x00", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()
            trouble = "" if words else "the bot returned nothing"
            return Heard(text, storable, reply.intent or "", bool(reply.fallback), dict(reply.slots), trouble)

    async def _tidy(self) -> None:
        """End conversations in which nobody has said anything for long, and the oldest where there are too many."""
        line = time.monotonic() - IDLE_S
        oldest = sorted(self._open, key=lambda key: self._open[key].since)
        many = len(oldest) - MAX_OPEN + 1
        for place, key in enumerate(oldest):
            if place < many or self._open[key].since < line:
                await _end(self._open.pop(key))


@lru_cache(maxsize=1)
def _open_conversations() -> OpenConversations:
    return OpenConversations()


async def _begin(bot: Bot, key: str, earlier: Sequence[str], thinking: bool) -> _Open:
    limits = replace(bot.facts.limits, retries=0, timeout_s=min(bot.facts.limits.timeout_s, LONGEST_REPLY_S))
    policy = AskingPolicy(limits, Pace(limits))
    opened = await open_conversation(bot, new_session(), policy)
    if opened.conversation is None:
        await bot.close()
        raise BotError(opened.error or say("the bot did not start a conversation"), status=str(opened.status))
    conversation = _Open(bot, opened.conversation, policy, [], time.monotonic(), not thinking)
    for text in earlier:
        answered = await ask(conversation.talk, text, policy, LONGEST_REPLY_S, key)
        if answered.status not in (Status.OK, Status.EMPTY):
            await _end(conversation)
            raise BotError(answered.error or str(answered.status), status=str(answered.status))
        conversation.said.append(text)
    return conversation


async def _end(known: _Open | None) -> None:
    if known is None:
        return
    with suppress(Exception):
        await known.talk.close()
    if known.own_bot:
        with suppress(Exception):
            await known.bot.close()


def _load(partner: Partner) -> Bot:
    row = partner.row
    try:
        if _is_thinking(row):
            return _thinking_bot(row.name, json.dumps(dict(row.entry), sort_keys=True), partner.agent)
        return load_entry(row.name, row.entry, agent=partner.agent)
    except WorkError as error:
        raise UsageError(error.what, where=row.name, remedy=error.remedy or say("check the bot's entry")) from error


def _is_thinking(row: BotRow) -> bool:
    return find_connector(str(row.entry.get("kind", "")).partition(":")[0].strip()).learns_here


@lru_cache(maxsize=8)
def _thinking_bot(name: str, entry: str, agent: str | None) -> Bot:
    """Return a bot that thinks in this process; training takes seconds, and what it learns never changes."""
    return load_entry(name, json.loads(entry), agent=agent)
