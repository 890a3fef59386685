"""Conversations one at a time: what a run of them is made of, as bytes, and the room in which they are held.

A room holds the bots of one run in one process. Each bot has one channel, so that its limits, its pace and what is
known of its moods outlive a single talk.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from vivavoce.bots import Bot, BotFacts, Limits, load_entries
from vivavoce.bots.asking import AskingPolicy
from vivavoce.bots.lag import LoopLag
from vivavoce.bots.pace import Allowance, Pace, Pacing
from vivavoce.codec import Hook, from_json, shape
from vivavoce.conversations.record_form import (
    header_to_text,
    transcript_from_text,
    transcript_to_text,
)
from vivavoce.conversations.running.holding import Channel, Holding, hold_alone
from vivavoce.conversations.running.runner import close_bots, despair, lag_for, make_header, options_of
from vivavoce.conversations.transcript import Exchange, RunHeader, State, TalkKey, Transcript
from vivavoce.errors import DataError, UsageError, WorkError, nearest
from vivavoce.messages import say, say_count

if TYPE_CHECKING:
    from vivavoce.conversations.running.runner import RunOptions
    from vivavoce.conversations.scenario import Plan, Script

__all__ = [
    "Material",
    "PaceOf",
    "TalkRoom",
    "Told",
    "conversation_material",
    "open_bots",
    "read_material",
    "read_talk",
]

Entry = Mapping[str, object]
Told = Callable[[Exchange], None]
PaceOf = Callable[[str, Limits], Pacing]


# --- what a run is made of ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Material:
    """A run of conversations: its head with the pinned plan, the entries of its bots, and the agent of the suite."""

    header: RunHeader
    entries: Mapping[str, Entry]
    agent: str | None = None

    @cached_property
    def talks(self) -> Mapping[str, TalkKey]:
        """Every conversation by the key of its unit."""
        keys = (
            TalkKey(bot.name, script.id, repeat)
            for bot in self.header.bots
            for script in self.header.plan.scripts
            for repeat in range(self.header.repeats)
        )
        return {key.label: key for key in keys}

    @cached_property
    def scripts(self) -> Mapping[str, Script]:
        """Every script by its id."""
        return {script.id: script for script in self.header.plan.scripts}

    def talk(self, unit: str) -> TalkKey:
        """Return the conversation of a unit; DataError where the run has none of this key."""
        if unit not in self.talks:
            raise DataError(
                say(
                    "there is no conversation '{unit}'.{nearest}", unit=unit, nearest=nearest(unit, list(self.talks))
                ),
                where=say("run {run}", run=self.header.run),
                remedy=say("the result belongs to another run, or the run was planned anew"),
            )
        return self.talks[unit]


def conversation_material(
    plan: Plan,
    bots: Sequence[tuple[str, Entry]],
    facts: Sequence[BotFacts],
    options: RunOptions,
    agent: str | None = None,
    *,
    run: str = "",
) -> bytes:
    """Return all that a run of conversations is made of; `facts` are those of the bots, in the same order."""
    names = [name for name, _ in bots]
    if names != [one.name for one in facts]:
        raise UsageError(
            say(
                "the entries are of {names}, what is known is of {names2}",
                names=", ".join(names) or "no bot",
                names2=", ".join(one.name for one in facts) or "no bot",
            ),
            remedy=say("give the facts of the bots in the order of their entries"),
        )
    material = Material(make_header(plan, facts, options, run=run), dict(bots), agent)
    _check_keys(material)
    parts = {"header": header_to_text(material.header), "bots": json.dumps(list(bots)), "agent": json.dumps(agent)}
    # Keys keep their order: that of slots and phrases may show in what is found.
    whole = ",".join(f'"{name}":{text}' for name, text in parts.items())
    return f"{{{whole}}}".encode("ascii")


def _check_keys(material: Material) -> None:
    header = material.header
    planned = len(header.bots) * len(header.plan.scripts) * header.repeats
    if len(material.talks) != planned:
        raise UsageError(
            say("two conversations would have the same key: the names of bots and the ids of scenarios run together"),
            where=header.plan.suite,
            remedy=say("leave `/` out of the names of the bots"),
        )


def _read_entries(value: Any, read_as: Callable[[Any, Any], Any]) -> dict[str, Entry]:
    return dict(read_as(value, tuple[tuple[str, Mapping[str, object]], ...]))


shape(Material, entries="bots", hooks={"entries": Hook(None, _read_entries)})


@lru_cache(maxsize=4)
def read_material(content: bytes) -> Material:
    """Return the material that was written; DataError where the bytes hold none."""
    what, remedy = "these bytes hold no run of conversations", "write them with conversation_material"
    try:
        plain = json.loads(content)
    except ValueError as error:
        raise DataError(f"{what} ({error})", remedy=remedy) from None
    return from_json(Material, plain, what=f"{what}: they", remedy=remedy)


def read_talk(material: Material, unit: str, result: bytes) -> Transcript:
    """Return the conversation that is the result of a unit."""
    return transcript_from_text(material.talk(unit), result)


# --- the room ----------------------------------------------------------------------------------------------------


def open_bots(content: bytes) -> dict[str, Bot]:
    """Build the bots of a run by their names; refused where one is no longer what it was when the run began."""
    material = read_material(content)
    bots = load_entries(material.entries, agent=material.agent, seed=material.header.seed)
    changed = [
        bot.facts.name for bot, then in zip(bots, material.header.bots, strict=True) if _differ(bot.facts, then)
    ]
    if changed:
        raise UsageError(
            say("no longer what it was when the run began: {names}", names=", ".join(changed)),
            where=say("run {run}", run=material.header.run),
            remedy=say("begin a new run: answers of what a bot was and of what it became are not counted together"),
        )
    return {bot.facts.name: bot for bot in bots}


def _differ(now: BotFacts, then: BotFacts) -> bool:
    return (now.about, now.intents, now.phrases) != (then.about, then.intents, then.phrases)


class TalkRoom:
    """The bots of one run in one process, ready to talk; kept while units of the run are done here.

    A bot that gave no answer in many talks in a row, or asks to be left alone, is not asked again in this room:
    whoever tries again later opens a new one.
    """

    def __init__(
        self,
        material: Material,
        bots: Mapping[str, Bot],
        pace_of: PaceOf | None = None,
        allowance: Allowance | None = None,
    ) -> None:
        self.material = material
        self._options = options_of(material.header)
        self._allowance = allowance or Allowance(self._options.max_messages)
        pace, self._lag = pace_of or _own_pace, LoopLag()
        self._channels = {
            name: open_channel(material, bots[name], pace(name, limits), self._allowance, self._lag)
            for name, limits in ((facts.name, facts.limits) for facts in material.header.bots)
        }
        self._failures: Counter[str] = Counter()

    @classmethod
    def open(cls, material: bytes, pace_of: PaceOf | None = None, *, allowance: Allowance | None = None) -> TalkRoom:
        """Build the bots of a run and return their room; what must be trained is trained here, so this may take long.

        `pace_of` gives the pace of a bot, where limits hold over several processes; `allowance` likewise the
        messages that are left.
        """
        return cls(read_material(material), open_bots(material), pace_of, allowance)

    async def hold(self, key: str, told: Told = lambda _: None, *, attempt: int = 1) -> bytes:
        """Hold the conversation of a unit and return its transcript; `told` hears of each exchange at once.

        `attempt` counts from 1 and is kept with the sessions of the talk.
        WorkError where no further message may be sent to the bot.
        """
        talk = self.material.talk(key)
        turns, channel = len(self.material.scripts[talk.script].turns), self._channels[talk.bot]
        self._refuse_in_vain(channel, key)
        self._set_aside(turns, key)
        holding = make_holding(self.material, channel, talk, attempt)
        self._lag.start()
        try:
            transcript = await hold_alone(holding, told)
        finally:
            self._allowance.give_back(turns - holding.said)
        answered = transcript.state is State.DONE and holding.heard > 0
        self._failures[talk.bot] = 0 if answered else self._failures[talk.bot] + 1
        return transcript_to_text(transcript).encode("ascii")

    async def close(self) -> None:
        """Close the bots."""
        self._lag.stop()
        await close_bots([channel.bot for channel in self._channels.values()])

    def _refuse_in_vain(self, channel: Channel, key: str) -> None:
        why = despair(channel, self._failures[channel.bot.facts.name], self._options.give_up_after)
        if why:
            raise WorkError(why, where=key, remedy=say("see to the bot, then try again what was not held"))

    def _set_aside(self, turns: int, key: str) -> None:
        if not self._allowance.take(turns):
            most = say_count(self._options.max_messages or 0, "{n} message", "{n} messages")
            raise WorkError(
                say("the cap of {most} was reached", most=most),
                where=key,
                remedy=say("begin a run with a higher cap"),
            )


def open_channel(
    material: Material, bot: Bot, pace: Pacing, allowance: Allowance, lag: LoopLag | None = None
) -> Channel:
    """Return the way to a bot of a run, under the limits that were set when the run began."""
    limits = {facts.name: facts.limits for facts in material.header.bots}
    watched = None if lag is None else lag_for(bot, lag)
    return Channel(bot, AskingPolicy(limits[bot.facts.name], pace, material.header.seed, allowance, watched))


def make_holding(material: Material, channel: Channel, talk: TalkKey, attempt: int = 1) -> Holding:
    """Return a conversation of a run, ready to be held."""
    return Holding(channel, material.header.plan, material.scripts[talk.script], talk, attempt)


def _own_pace(_name: str, limits: Limits) -> Pacing:
    return Pace(limits)
