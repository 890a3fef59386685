"""RiveScript: a bot of rules, its brain written from an agent file.

Every phrase and every keyword becomes a trigger with wildcards; what is still to be asked for, the subject of a talk
and the offer before a "yes" are conditions over the variables that RiveScript keeps for each user; the catch-all is
the fallback. Replies that look something up call a macro, as RiveScript provides for. It forgives no misspelling.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from vivavoce.agents.agent import Agent, Answer, Condition, Topic
from vivavoce.agents.assignment import Wanted, give_values
from vivavoce.agents.replies import Found, Known, fill_all, look_up
from vivavoce.agents.slots import SlotFinder
from vivavoce.bots.agent import AGENT, LIMITS, agent_facts, load_agent
from vivavoce.bots.declaration import Connector, Reach
from vivavoce.bots.entries import entry_facts
from vivavoce.bots.protocol import BotContext, BotFacts
from vivavoce.errors import BotError
from vivavoce.plugins import declare
from vivavoce.records import Reply, Status

__all__ = ["RiveScriptBot", "from_option", "to_rivescript"]

UNSET = "undefined"
SLOT = "slot_"
# What may stand in a brain as it is; all else is said by a macro.
_PLAIN = re.compile(r"(?!.*(?://|=>))[^<>{}\\|@\n]+")
_WORDS = re.compile(r"[^\W_]+")
_APOSTROPHES = re.compile(r"['’‘`´]")


@declare(Connector(Reach.PROCESS, (AGENT,), option="agent", limits=LIMITS))
def from_option(option: str, context: BotContext) -> RiveScriptBot:
    """RiveScript, a bot of rules: its brain is written from the agent file that the option names."""
    agent = load_agent(option, context)
    facts = agent_facts(context.name, agent, "rules in RiveScript, written from its phrases and keywords")
    return RiveScriptBot(agent, entry_facts(context, facts))


class RiveScriptBot:
    """An agent as rules. One brain for all talks; RiveScript keeps the variables of each talk apart."""

    def __init__(self, agent: Agent, facts: BotFacts) -> None:
        from rivescript import RiveScript

        self.agent = agent
        self.finder = SlotFinder(agent, forgiving=False)
        self._facts = facts
        self.found: dict[str, Found] = {}
        self.answers: dict[str, Answer] = {}
        self.brain = RiveScript(utf8=True)
        self.brain.stream(to_rivescript(agent))
        self.brain.sort_replies()
        for macro in (self.answer, self.ask, self.outside, self.fallback):
            self.brain.set_subroutine(macro.__name__, macro)

    @property
    def facts(self) -> BotFacts:
        """What is known about the bot."""
        return self._facts

    async def open(self, session: str) -> RiveScriptTalk:
        """Begin a talk with no variables set."""
        return RiveScriptTalk(self, session)

    async def close(self) -> None:
        """Nothing is held outside this process."""

    # --- macros: what the brain calls, by these names ------------------------------------------------------

    def answer(self, brain: Any, arguments: Sequence[str]) -> str:
        """Say the first reply of a topic whose conditions hold; look up what it needs."""
        session = brain.current_user()
        topic, slots = self.agent.topics[_place(arguments[0])], self.slots(session)
        subject = brain.get_uservar(session, "subject")
        before = None if subject in (None, UNSET) else self.agent.topics[_place(subject)].intent
        # Only now: the conditions of the replies ask for the subject before.
        self.note(session, {} if topic.side else {"subject": arguments[0]})
        for reply in topic.replies:
            if _holds(reply, before, Known(self.agent, slots, self._last(session))):
                texts = self._say(session, reply, slots)
                if texts is not None:
                    return "\n".join(texts)
        return self.fallback(brain, ())

    def ask(self, brain: Any, arguments: Sequence[str]) -> str:
        """Ask for a slot."""
        return self.agent.slots[arguments[0]].ask

    def outside(self, brain: Any, arguments: Sequence[str]) -> str:
        """Say that a value cannot be used."""
        return self.agent.slots[arguments[0]].outside

    def fallback(self, brain: Any, arguments: Sequence[str]) -> str:
        """Say that nothing was understood."""
        brain.set_uservar(brain.current_user(), "fallback", "yes")
        return self.agent.fallback[0]

    # --- the variables of a talk ---------------------------------------------------------------------------

    def slots(self, session: str) -> dict[str, str]:
        """Return the values that are known in a talk."""
        variables = self.brain.get_uservars(session) or {}
        return {
            name.removeprefix(SLOT): value
            for name, value in variables.items()
            if name.startswith(SLOT) and value != UNSET
        }

    def note(self, session: str, values: Mapping[str, str | None]) -> None:
        """Set variables of a talk; None forgets one."""
        for name, value in values.items():
            self.brain.set_uservar(session, name, UNSET if value is None else value)

    def _last(self, session: str) -> Found:
        return self.found.get(session, Found())

    def _say(self, session: str, reply: Answer, slots: Mapping[str, str]) -> tuple[str, ...] | None:
        known = Known(self.agent, slots, self._last(session))
        found = look_up(self.agent, reply.find, reply.each, known) if reply.find else known.found
        if reply.find and not found.count:
            return fill_all(reply.none, known) if reply.none else None
        known = Known(self.agent, slots, found)
        texts = fill_all(reply.say, known)
        if texts is not None:
            self.found[session], self.answers[session] = found, reply
            noted = {SLOT + name: (fill_all([text], known) or (None,))[0] for name, text in reply.set.items()}
            self.note(session, {**dict.fromkeys((SLOT + name for name in reply.clear), None), **noted})
            self.note(session, {"offer": _code_of(self.agent, reply.offer)})
        return texts


class RiveScriptTalk:
    """One conversation: a user of the brain."""

    def __init__(self, bot: RiveScriptBot, session: str) -> None:
        self._bot, self._session = bot, session
        self._begun = False

    async def say(self, text: str) -> Reply:
        """Note the values of a message, then let the rules answer it."""
        from rivescript.exceptions import RiveScriptError

        self._prepare(text)
        message = " ".join(_words(text)) or "vivanothing"
        try:
            said = self._bot.brain.reply(self._session, message, errors_as_replies=False)
        except RiveScriptError as error:
            raise BotError(f"RiveScript failed: {error}", status=Status.FAILED, where=self._bot.facts.name) from error
        return self._reply(said)

    async def close(self) -> None:
        """Forget the talk."""
        if self._bot.brain.get_uservars(self._session):
            self._bot.brain.clear_uservars(self._session)
        self._bot.found.pop(self._session, None)
        self._bot.answers.pop(self._session, None)

    def _variable(self, name: str) -> str | None:
        value = self._bot.brain.get_uservar(self._session, name)
        return None if value in (None, UNSET) else str(value)

    def _prepare(self, text: str) -> None:
        agent, subject = self._bot.agent, self._variable("subject")
        topic = agent.topics[_place(subject)] if subject else Topic("")
        known = self._bot.slots(self._session)
        wanted = Wanted(self._variable("asked"), topic.needs, topic.takes, known)
        taken = give_values(self._bot.finder.find(text), wanted)
        self._bot.answers.pop(self._session, None)
        self._bot.note(self._session, {SLOT + name: value for name, value in taken.values.items()})
        new = bool(subject and set(taken.values) & set(topic.slots)) or bool(subject and taken.outside)
        fresh = {"intent": None, "fallback": None, "asked": None, "outside": (*taken.outside, None)[0]}
        offered = {"offered": self._variable("offer"), "offer": None}
        self._bot.note(self._session, {**fresh, **offered, "noted": "yes" if new else None})

    def _reply(self, said: str) -> Reply:
        intent, answer = self._variable("intent"), self._bot.answers.get(self._session)
        fallback = self._variable("fallback") is not None
        notice = () if self._begun or not self._bot.agent.notice else (self._bot.agent.notice,)
        self._begun = True
        return Reply(
            texts=(*notice, *filter(None, said.split("\n"))),
            intent=self._bot.agent.topics[_place(intent)].intent if intent and not fallback else None,
            slots=self._bot.slots(self._session),
            buttons=answer.buttons if answer else (),
            fallback=fallback,
        )


def _holds(reply: Answer, subject: str | None, known: Known) -> bool:
    return (not reply.after or subject in reply.after) and all(_is_true(c, known) for c in reply.conditions)


def _is_true(condition: Condition, known: Known) -> bool:
    value = known.value(condition.slot)
    if condition.known is not None:
        return (value is not None) == condition.known
    return value is not None and value.casefold() in [each.casefold() for each in condition.values]


# --- the brain -----------------------------------------------------------------------------------------


def to_rivescript(agent: Agent) -> str:
    """Return the rules of an agent in RiveScript."""
    lines = ["! version = 2.0", ""]
    seen: set[str] = set()
    finder = SlotFinder(agent, forgiving=False)
    for place, topic in enumerate(agent.topics):
        lines += [f"// {' '.join(topic.intent.split())}", *_body(agent, place, topic), ""]
        for trigger in _triggers(topic, finder):
            if trigger not in seen:
                seen.add(trigger)
                lines += [f"+ {trigger}", f"@ vivatopic t{place}", ""]
    return "\n".join([*lines, *_catch_all(agent)]) + "\n"


def _body(agent: Agent, place: int, topic: Topic) -> Iterator[str]:
    """Yield the rule that every trigger of a topic leads to: offers, what is missing, then the reply."""
    mark = f"<set intent=t{place}>" + ("" if topic.side else f"<set subject=t{place}>")
    yield f"+ vivatopic t{place}"
    if topic.intent == agent.yes:
        yield f"* <get offered> != {UNSET} => {{@vivatopic <get offered>}}"
    for name in topic.slots:
        if agent.slots[name].outside:
            saying = f"{_text(agent.slots[name].outside, f'outside {name}')}{mark}<set asked={name}>"
            yield f"* <get outside> == {name} => {saying}"
    for name in (name for name in topic.needs if agent.slots[name].default is None):
        asking = f"{_text(agent.slots[name].ask, f'ask {name}')}{mark}<set asked={name}>"
        yield f"* <get {SLOT}{name}> == {UNSET} => {asking}"
    # Tags come before macros, so where there is one it changes the subject itself.
    yield f"- {_reply_text(topic, place)}{mark if topic.side or _is_plain(topic) else f'<set intent=t{place}>'}"


def _catch_all(agent: Agent) -> Iterator[str]:
    yield "// a message that only brings values goes on with the subject; anything else is not understood"
    yield "+ *"
    yield "* <get noted> == yes => {@vivatopic <get subject>}"
    yield f"- {_text(agent.fallback[0], 'fallback')}<set fallback=yes>"


def _reply_text(topic: Topic, place: int) -> str:
    return topic.replies[0].say[0] if _is_plain(topic) else f"<call>answer t{place}</call>"


def _is_plain(topic: Topic) -> bool:
    """Whether a topic always says the same sentence."""
    if len(topic.replies) != 1:
        return False
    reply = topic.replies[0]
    plain = reply == Answer(say=reply.say) and len(reply.say) == 1
    return plain and _PLAIN.fullmatch(reply.say[0]) is not None


def _text(text: str, macro: str) -> str:
    return text if _PLAIN.fullmatch(text) else f"<call>{macro}</call>"


def _triggers(topic: Topic, finder: SlotFinder) -> Iterator[str]:
    """Yield the patterns of a topic: its phrases with values left open, its keywords in any order."""
    for phrase in topic.phrases:
        words = _open(phrase, finder)
        if sum(word != "*" for word in words) > (1 if "*" in words else 0):
            yield "[*] " + " ".join(words) + " [*]"
    for keyword in topic.keywords:
        parts = [" ".join(_words(part)) for part in keyword.split("+")]
        for order in permutations([part for part in parts if part]):
            if order:
                yield "[*] " + " [*] ".join(order) + " [*]"


def _open(phrase: str, finder: SlotFinder) -> list[str]:
    """Return the words of a phrase with a wildcard for each value in it."""
    message = finder.find(phrase)
    text = message.text
    for mention in reversed(message.mentions):
        text = f"{text[: mention.start]} * {text[mention.end :]}"
    words = [word for part in text.split() for word in (["*"] if part == "*" else _words(part))]
    ends = [word for place, word in enumerate(words) if word != "*" or words[place - 1 : place] != ["*"]]
    while ends and ends[0] == "*":
        ends.pop(0)
    while ends and ends[-1] == "*":
        ends.pop()
    return ends


def _words(text: str) -> list[str]:
    return _WORDS.findall(_APOSTROPHES.sub("", text.lower()))


def _place(code: str) -> int:
    return int(code.removeprefix("t"))


def _code_of(agent: Agent, intent: str | None) -> str | None:
    places = {topic.intent: place for place, topic in enumerate(agent.topics)}
    return None if intent is None else f"t{places[intent]}"
