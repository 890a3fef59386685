"""A run of conversations: its material as bytes, and its bots in this process.

Each bot has one channel, so that its limits, its pace and its known failures outlive a single conversation.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from vivavoce.bots import Bot, BotFacts, Limits, load_entries
from vivavoce.bots.asking import Allowance, AskingPolicy, LoopLag, Pace, Pacing
from vivavoce.bots.declaration import find_connector
from vivavoce.codec import Hook, from_json, shape
from vivavoce.conversations.record_form import header_to_text, transcript_from_text, transcript_to_text
from vivavoce.conversations.running.holding import Channel, Holding, hold_alone
from vivavoce.conversations.running.runner import close_bots, despair, lag_for, make_header, options_of
from vivavoce.conversations.scenarios.joining import join_facts
from vivavoce.conversations.transcript import ConversationKey, Exchange, RunHeader, State, Transcript
from vivavoce.errors import DataError, UsageError, WorkError, nearest
from vivavoce.messages import say, say_count

if TYPE_CHECKING:
    from vivavoce.conversations.running.runner import RunOptions
    from vivavoce.conversations.scenario import Plan, Script

Entry = Mapping[str, object]
TakeExchange = Callable[[Exchange], None]
PaceOf = Callable[[str, Limits], Pacing]
BotsBySuite = Mapping[str, Mapping[str, Bot]]


@dataclass(frozen=True)
class Material:
    """A run of conversations: its head with the pinned plan, the entries of its bots, and the agent of the suite.

    `agents`: that of each suite, where there are several.
    """

    header: RunHeader
    entries: Mapping[str, Entry]
    agent: str | None = None
    agents: Mapping[str, str | None] = field(default_factory=dict)

    @cached_property
    def conversations(self) -> Mapping[str, ConversationKey]:
        """Every conversation by the key of its unit."""
        keys = (
            ConversationKey(bot.name, script.id, repeat)
            for bot in self.header.bots
            for script in self.header.plan.scripts
            for repeat in range(self.header.repeats)
        )
        return {key.label: key for key in keys}

    @cached_property
    def scripts(self) -> Mapping[str, Script]:
        """Every script by its id."""
        return {script.id: script for script in self.header.plan.scripts}

    def conversation(self, unit: str) -> ConversationKey:
        """Return the conversation of a unit; DataError if the run has none of this key."""
        if unit not in self.conversations:
            raise DataError(
                say(
                    "unknown conversation '{unit}'.{nearest}",
                    unit=unit,
                    nearest=nearest(unit, list(self.conversations)),
                ),
                where=say("run {run}", run=self.header.run),
                remedy=say("the result belongs to another run, or the run was planned again"),
            )
        return self.conversations[unit]


def conversation_material(
    plan: Plan,
    bots: Sequence[tuple[str, Entry]],
    facts: Sequence[BotFacts],
    options: RunOptions,
    agent: str | None = None,
    *,
    agents: Mapping[str, str | None] | None = None,
    run: str = "",
) -> bytes:
    """Return the material of a run; `facts` are those of the bots, in the same order.

    `agents`: the agent of each suite, where the plan has several.
    """
    names = [name for name, _ in bots]
    if names != [bot.name for bot in facts]:
        raise UsageError(
            say(
                "the entries are for {names}, but the facts are for {names2}",
                names=", ".join(names) or "no bot",
                names2=", ".join(bot.name for bot in facts) or "no bot",
            ),
            remedy=say("pass the bots' facts in the order of their entries"),
        )
    material = Material(make_header(plan, facts, options, run=run), dict(bots), agent, agents or {})
    if len(material.conversations) != len(bots) * len(plan.scripts) * material.header.repeats:
        raise UsageError(
            say("two conversations would have the same key: bot names and scenario ids collide"),
            where=plan.suite,
            remedy=say("remove `/` from the bot names"),
        )
    parts = {"header": header_to_text(material.header), "bots": json.dumps(list(bots)), "agent": json.dumps(agent)}
    if agents:
        parts["agents"] = json.dumps(dict(agents))
    # Keys keep their order: that of slots and phrases may show in what is found.
    whole = ",".join(f'"{name}":{text}' for name, text in parts.items())
    return f"{{{whole}}}".encode("ascii")


_ENTRIES = Hook(None, lambda value, read_as: dict(read_as(value, tuple[tuple[str, Mapping[str, object]], ...])))
shape(Material, entries="bots", optional="agents", hooks={"entries": _ENTRIES})


@lru_cache(maxsize=4)
def read_material(content: bytes) -> Material:
    """Return the material; DataError if the bytes hold none."""
    what, remedy = "these bytes contain no run of conversations", "write them with conversation_material"
    try:
        plain = json.loads(content)
    except ValueError as error:
        raise DataError(f"{what} ({error})", remedy=remedy) from None
    return from_json(Material, plain, what=f"{what}: they", remedy=remedy)


def read_conversation(material: Material, unit: str, result: bytes) -> Transcript:
    """Return the conversation that is the result of a unit."""
    return transcript_from_text(material.conversation(unit), result)


def open_bots(content: bytes) -> BotsBySuite:
    """Build the bots of a run, by suite and name; refuse one that has changed since the run began.

    Where there is only one suite, its name is empty. A bot that runs no agent is the same one in every suite.
    """
    material = read_material(content)
    agents, seed = material.agents or {"": material.agent}, material.header.seed
    opened: dict[str, dict[str, Bot]] = {}
    for suite, agent in agents.items():
        first = next(iter(opened.values()), {})
        own = {name: entry for name, entry in material.entries.items() if not first or runs_agent(entry)}
        built = load_entries(own, agent=agent, seed=seed)
        opened[suite] = {**first, **{bot.facts.name: bot for bot in built}}
    changed = [
        then.name
        for then in material.header.bots
        if _identify(join_facts([bots[then.name].facts for bots in opened.values()])) != _identify(then)
    ]
    if changed:
        raise UsageError(
            say("changed since the run started: {names}", names=", ".join(changed)),
            where=say("run {run}", run=material.header.run),
            remedy=say("start a new run: replies from before and after a change are not counted together"),
        )
    return opened


def runs_agent(entry: Entry) -> bool:
    """Tell whether a bot is made of the agent of the suite."""
    kind = str(entry.get("kind", "")).partition(":")[0].strip()
    return find_connector(kind).runs_agent


def _identify(bot: BotFacts) -> tuple[object, ...]:
    return bot.about, bot.intents, bot.phrases


class RunBots:
    """The bots of one run in one process; open while units of the run are performed here.

    A bot that did not answer in many conversations in a row, or asks to be left alone, is not called again; a later
    retry opens the bots anew.
    """

    def __init__(
        self, material: Material, bots: BotsBySuite, pace_of: PaceOf | None = None, allowance: Allowance | None = None
    ) -> None:
        self.material = material
        self._options = options_of(material.header)
        self._allowance = allowance or Allowance(self._options.max_messages)
        pace, self._lag = pace_of or (lambda _name, limits: Pace(limits)), LoopLag()
        paces = {facts.name: pace(facts.name, facts.limits) for facts in material.header.bots}
        # A bot has the same pace in every suite, also where it is another one for each.
        self._channels = {
            (suite, name): open_channel(material, own[name], paces[name], self._allowance, self._lag)
            for suite, own in bots.items()
            for name in paces
        }
        self._failures: Counter[str] = Counter()

    @classmethod
    def open(cls, material: bytes, pace_of: PaceOf | None = None, *, allowance: Allowance | None = None) -> RunBots:
        """Build and train the bots of a run, which may take long.

        `pace_of` gives the pace of a bot, if limits hold over several processes; `allowance` likewise the messages
        that are left.
        """
        return cls(read_material(material), open_bots(material), pace_of, allowance)

    async def hold(self, key: str, take: TakeExchange = lambda _: None, *, attempt: int = 1) -> bytes:
        """Hold the conversation of a unit and return its transcript; `take` gets each exchange at once.

        `attempt` counts from 1 and is kept with the sessions of the conversation. WorkError if no further message
        may be sent to the bot.
        """
        conversation = self.material.conversation(key)
        bot, script = conversation.bot, self.material.scripts[conversation.script]
        turns, channel = len(script.turns), self._channels[script.suite, bot]
        if why := despair(channel, self._failures[bot], self._options.give_up_after):
            raise WorkError(why, where=key, remedy=say("fix the bot, then retry the missing conversations"))
        if not self._allowance.take(turns):
            most = say_count(self._options.max_messages or 0, "{n} message", "{n} messages")
            raise WorkError(
                say("limit of {most} reached", most=most), where=key, remedy=say("start a run with a higher limit")
            )
        holding = make_holding(self.material, channel, conversation, attempt)
        self._lag.start()
        try:
            transcript = await hold_alone(holding, take)
        finally:
            self._allowance.give_back(turns - holding.sent)
        answered = transcript.state is State.DONE and holding.heard > 0
        self._failures[bot] = 0 if answered else self._failures[bot] + 1
        return transcript_to_text(transcript).encode("ascii")

    async def close(self) -> None:
        """Close the bots."""
        self._lag.stop()
        # Each once, though it may be the same one in every suite.
        await close_bots({id(channel.bot): channel.bot for channel in self._channels.values()}.values())


def open_channel(
    material: Material, bot: Bot, pace: Pacing, allowance: Allowance, lag: LoopLag | None = None
) -> Channel:
    """Return the way to a bot of a run, under the limits that were set when the run began."""
    limits = {facts.name: facts.limits for facts in material.header.bots}
    watched = None if lag is None else lag_for(bot, lag)
    return Channel(bot, AskingPolicy(limits[bot.facts.name], pace, material.header.seed, allowance, watched))


def make_holding(material: Material, channel: Channel, key: ConversationKey, attempt: int = 1) -> Holding:
    """Return a conversation of a run, ready to be held."""
    script = material.scripts[key.script]
    return Holding(channel, material.header.plan.of(script), script, key, attempt)
