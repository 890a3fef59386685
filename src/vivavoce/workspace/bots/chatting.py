"""Talks of people with bots: tried out while a scenario is written, and saved as one.

A talk is kept open between messages in this process. Where it is gone (another process, a restart, a bot that hung
up) it is begun again and what the visitor said before is said again.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import TimeoutError as TookTooLong
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from vivavoce.bots import Bot, Reply, Status, Talk, load_entry, runs_programs
from vivavoce.bots.asking import AskingPolicy, ask, open_talk
from vivavoce.bots.declaration import find_connector
from vivavoce.bots.guard import Addresses, limited_to
from vivavoce.bots.pace import Pace
from vivavoce.bots.sessions import new_session
from vivavoce.errors import AbsentError, AccessError, BotError, UsageError, WorkError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import BotRow, Project, SuiteRow
from vivavoce.store.stamps import new_id
from vivavoce.workspace.access.bot_rules import BotRules, entry_faults
from vivavoce.workspace.scenarios.drafts import Draft, DraftTurn

if TYPE_CHECKING:
    from vivavoce.bots.asking import Answered

MOST_MESSAGES = 30
MOST_LETTERS = 2_000
LONGEST_REPLY_S = 30.0
LONGEST_S = 90.0
IDLE_S = 600.0
MOST_TALKS = 40


@dataclass(frozen=True, slots=True)
class Reach:
    """What bots may do here: live at private addresses, be programs on this machine, be sent these variables."""

    private_bots: bool = False
    bot_programs: bool = False
    variables: tuple[str, ...] = ()

    @property
    def addresses(self) -> Addresses:
        """Where connections may go."""
        return self.rules.addresses

    @property
    def rules(self) -> BotRules:
        """What their entries may say."""
        return BotRules(self.private_bots, self.bot_programs, self.variables)


@dataclass(frozen=True)
class Partner:
    """A bot that somebody talks to, and the agent that it runs where it names none."""

    row: BotRow
    agent: str | None = None
    reach: Reach = Reach()


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
        found = tx.bots.get(bot_id)
    if found is None or found.project_id != project.id:
        raise AbsentError(
            say("there is no bot '{bot_id}'", bot_id=bot_id), remedy=say("choose one from the list of bots")
        )
    return found


def list_partners(store: Store, project: Project) -> tuple[BotRow, ...]:
    """Return the bots that can be talked to, by name."""
    with store.reading() as tx:
        return tx.bots.of_project(project.id)


def make_partner(row: BotRow, suite: SuiteRow | None, reach: Reach) -> Partner:
    """Return a bot ready to be talked to; refused where its entry says what is not allowed here (any more)."""
    agent = suite.agent if suite else None
    kind = str(row.entry.get("kind", ""))
    if runs_programs(kind, row.entry, agent=agent) and not reach.bot_programs:
        raise AccessError(
            say("'{name}' is a program on this machine, and programs are not started here", name=row.name),
            remedy=say("choose another bot; whoever runs the server can allow programs"),
        )
    faults = entry_faults(row.name, row.entry, reach.rules)
    if faults:
        raise UsageError(
            say("'{name}' cannot be asked as it is", name=row.name),
            faults=faults,
            remedy=say("an admin can correct its entry"),
        )
    return Partner(row, agent, reach)


def send_message(partner: Partner, key: str, earlier: Sequence[str], text: str) -> Heard:
    """Say a message in the talk of this key and return the reply; `earlier`: what was said in it before.

    UsageError for what cannot be said; whatever the bot does is told as `trouble`.
    """
    said = text.strip()
    if not said or len(said) > MOST_LETTERS:
        raise UsageError(
            say("a message needs 1 to {most_letters:,} characters", most_letters=MOST_LETTERS),
            remedy=say("write another message"),
        )
    if len(earlier) >= MOST_MESSAGES:
        raise UsageError(
            say("the talk has {count} messages, which is the most", count=len(earlier)),
            remedy=say("save it as a scenario, or begin again"),
        )
    return _desk().say(partner, key, tuple(earlier), said)


def ask_bot(partner: Partner, messages: Sequence[str]) -> Heard:
    """Say messages one after another in a talk of their own and return what came to the last."""
    if not messages:
        raise UsageError(say("there is nothing to say"), remedy=say("write what the visitor says first"))
    return send_message(partner, new_id(), messages[:-1], messages[-1])


def draft_from_talk(heard: Sequence[Heard], *, name: str = "", level: str = "basic") -> Draft:
    """Return a talk as a scenario in which the bot should do again what it did."""
    return Draft(name=name, level=level, turns=tuple(_turn(one) for one in heard))


def _turn(heard: Heard) -> DraftTurn:
    replied = " ".join(heard.reply.split())
    return DraftTurn(
        said=heard.said,
        topics=(heard.topic,) if heard.topic and not heard.fallback else (),
        fallback=heard.fallback,
        any=(replied,) if replied and not heard.fallback else (),
        slots=tuple(heard.slots.items()) if not heard.fallback else (),
    )


# --- the talks that are open -------------------------------------------------------------------------------------


@dataclass
class _Open:
    """A talk that is open: what was said in it, and when for the last time."""

    bot: Bot
    talk: Talk
    policy: AskingPolicy
    said: list[str]
    since: float
    own_bot: bool


class Desk:
    """The talks of this process, on an event loop of their own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._talks: dict[str, _Open] = {}
        threading.Thread(target=self._loop.run_forever, name="viva-chat", daemon=True).start()

    def say(self, partner: Partner, key: str, earlier: tuple[str, ...], text: str) -> Heard:
        """Say a message and wait for the reply."""
        known = self._talks.get(key)
        bot = None if known is not None and known.said == list(earlier) else _load(partner)
        # What must be trained was trained above, beside the loop on which others wait for their replies.
        work = asyncio.run_coroutine_threadsafe(self._say(partner, key, earlier, text, bot), self._loop)
        try:
            return work.result(LONGEST_S)
        except TookTooLong:
            work.cancel()
            return Heard(text, trouble=f"the bot took longer than {LONGEST_S:g} s")
        except BotError as error:
            return Heard(text, trouble=error.what)

    async def _say(self, partner: Partner, key: str, earlier: tuple[str, ...], text: str, bot: Bot | None) -> Heard:
        with limited_to(partner.reach.addresses):
            await self._tidy()
            # Taken out while it is used: a second message at the same time begins a talk of its own.
            known = self._talks.pop(key, None)
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
            self._talks[key] = known
            return _heard(text, answered)

    async def _tidy(self) -> None:
        """End talks in which nobody has said anything for long, and the oldest where there are too many."""
        line = time.monotonic() - IDLE_S
        oldest = sorted(self._talks, key=lambda key: self._talks[key].since)
        many = len(oldest) - MOST_TALKS + 1
        for place, key in enumerate(oldest):
            if place < many or self._talks[key].since < line:
                await _end(self._talks.pop(key))


@lru_cache(maxsize=1)
def _desk() -> Desk:
    return Desk()


async def _begin(bot: Bot, key: str, earlier: Sequence[str], thinking: bool) -> _Open:
    limits = replace(bot.facts.limits, retries=0, timeout_s=min(bot.facts.limits.timeout_s, LONGEST_REPLY_S))
    policy = AskingPolicy(limits, Pace(limits))
    opened = await open_talk(bot, new_session(), policy)
    if opened.talk is None:
        await bot.close()
        raise BotError(opened.error or say("the bot did not begin a talk"), status=str(opened.status))
    found = _Open(bot, opened.talk, policy, [], time.monotonic(), not thinking)
    for text in earlier:
        answered = await ask(found.talk, text, policy, LONGEST_REPLY_S, key)
        if answered.status not in (Status.OK, Status.EMPTY):
            await _end(found)
            raise BotError(answered.error or str(answered.status), status=str(answered.status))
        found.said.append(text)
    return found


async def _end(known: _Open | None) -> None:
    if known is None:
        return
    with suppress(Exception):
        await known.talk.close()
    if known.own_bot:
        with suppress(Exception):
            await known.bot.close()


def _heard(text: str, answered: Answered) -> Heard:
    reply = answered.reply or Reply()
    spoken = reply.shown.strip()
    trouble = "" if spoken else "the bot said nothing"
    return Heard(text, _storable(spoken), reply.intent or "", bool(reply.fallback), dict(reply.slots), trouble)


def _storable(text: str) -> str:
    return text.replace("\x00", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


# --- bots --------------------------------------------------------------------------------------------------------


def _load(partner: Partner) -> Bot:
    row = partner.row
    try:
        if _is_thinking(row):
            return _thinking_bot(row.name, json.dumps(dict(row.entry), sort_keys=True), partner.agent)
        return load_entry(row.name, row.entry, agent=partner.agent)
    except WorkError as error:
        raise UsageError(
            error.what, where=row.name, remedy=error.remedy or say("look at the entry of the bot")
        ) from error


def _is_thinking(row: BotRow) -> bool:
    return find_connector(str(row.entry.get("kind", "")).partition(":")[0].strip()).learns_here


@lru_cache(maxsize=8)
def _thinking_bot(name: str, entry: str, agent: str | None) -> Bot:
    """Return a bot that thinks in this process; training takes seconds, and what it learns never changes."""
    return load_entry(name, json.loads(entry), agent=agent)
