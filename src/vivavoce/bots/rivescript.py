"""RiveScript: a bot of rules, its brain written from an agent file.

Every phrase and every keyword becomes a trigger with wildcards; what is still to be asked for, the subject and the
offer before a "yes" are conditions over the variables that RiveScript keeps for each user; the catch-all is
the fallback. Replies that look something up call a macro, as RiveScript provides for. It forgives no misspelling.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from vivavoce.agents.agent import Agent, Answer, Condition, Topic
from vivavoce.agents.replies import Found, Known, fill_all, look_up
from vivavoce.agents.slots import SlotFinder, Wanted, give_values
from vivavoce.bots.agent import AGENT, LIMITS, agent_facts, load_agent
from vivavoce.bots.declaration import Connector, Reach, entry_facts
from vivavoce.bots.protocol import BotContext, BotFacts
from vivavoce.errors import BotError
from vivavoce.plugins import declare
from vivavoce.records import Reply, Status

UNSET = "undefined"
SLOT = "slot_"
# What may stand in a brain as it is; all else is said by a macro.
_PLAIN = re.compile(r"(?!.*(?://|=>))[^<>{}\\|@\n]+")
_WORDS = re.compile(r"[^\W_]+")
_APOSTROPHES = re.compile(r"['’‘`´]")


@declare(Connector(Reach.PROCESS, (AGENT,), option="agent", limits=LIMITS))
def from_option(option: str, context: BotContext) -> RiveScriptBot:
    """RiveScript, a rule-based bot; option: agent file."""
    agent = load_agent(option, context)
    facts = agent_facts(context.name, agent, "RiveScript rules generated from its phrases and keywords")
    return RiveScriptBot(agent, entry_facts(context, facts))


class RiveScriptBot:
    """An agent as rules. One brain for all conversations; RiveScript keeps their variables apart."""

    def __init__(self, agent: Agent, facts: BotFacts) -> None:
        from rivescript import RiveScript

        self.agent = agent
        self.finder = SlotFinder(agent, forgiving=False)
        self.facts = facts
        self.found: dict[str, Found] = {}
        self.answers: dict[str, Answer] = {}
        self.brain = RiveScript(utf8=True)
        self.brain.stream(to_rivescript(agent))
        self.brain.sort_replies()
        for macro in (self.answer, self.ask, self.outside, self.fallback):
            self.brain.set_subroutine(macro.__name__, macro)

    async def open(self, session: str) -> RiveScriptConversation:
        """Begin a conversation with no variables set."""
        return RiveScriptConversation(self, session)

    async def close(self) -> None:
        """Nothing is held outside this process."""

    # --- macros: what the brain calls, by these names ------------------------------------------------------

    def answer(self, brain: Any, arguments: Sequence[str]) -> str:
        """Say the first reply of a topic whose conditions hold; look up what it needs."""
        session = brain.current_user()
        topic, slots = self.get_topic(arguments[0]), self.slots(session)
        subject = brain.get_uservar(session, "subject")
        before = None if subject in (None, UNSET) else self.get_topic(subject).intent
        # Only now: the conditions of the replies ask for the subject before.
        self.note(session, {} if topic.side else {"subject": arguments[0]})
        known = Known(self.agent, slots, self.found.get(session, Found()))
        for reply in topic.replies:
            if (not reply.after or before in reply.after) and all(_is_met(c, known) for c in reply.conditions):
                texts = self._say(session, reply, known)
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

    # --- the variables of a conversation ---------------------------------------------------------------------------

    def slots(self, session: str) -> dict[str, str]:
        """Return the values that are known in a conversation."""
        variables = self.brain.get_uservars(session) or {}
        return {
            name.removeprefix(SLOT): value
            for name, value in variables.items()
            if name.startswith(SLOT) and value != UNSET
        }

    def note(self, session: str, values: Mapping[str, str | None]) -> None:
        """Set variables of a conversation; None forgets one."""
        for name, value in values.items():
            self.brain.set_uservar(session, name, UNSET if value is None else value)

    def get_topic(self, code: str) -> Topic:
        """Return the topic of a code in the brain."""
        return self.agent.topics[int(code.removeprefix("t"))]

    def _say(self, session: str, reply: Answer, known: Known) -> tuple[str, ...] | None:
        facts = look_up(self.agent, reply.find, reply.each, known) if reply.find else known.found
        if reply.find and not facts.count:
            return fill_all(reply.none, known) if reply.none else None
        known = Known(self.agent, known.slots, facts)
        texts = fill_all(reply.say, known)
        if texts is not None:
            self.found[session], self.answers[session] = facts, reply
            values = {SLOT + name: (fill_all([text], known) or (None,))[0] for name, text in reply.set.items()}
            places = {topic.intent: f"t{place}" for place, topic in enumerate(self.agent.topics)}
            offer = None if reply.offer is None else places[reply.offer]
            self.note(session, {**{SLOT + name: None for name in reply.clear}, **values, "offer": offer})
        return texts


class RiveScriptConversation:
    """One conversation: a user of the brain."""

    def __init__(self, bot: RiveScriptBot, session: str) -> None:
        self._bot, self._session = bot, session
        self._begun = False

    async def say(self, text: str) -> Reply:
        """Note the values of a message, then let the rules answer it."""
        from rivescript.exceptions import RiveScriptError

        subject = self._variable("subject")
        topic = self._bot.get_topic(subject) if subject else Topic("")
        known = self._bot.slots(self._session)
        wanted = Wanted(self._variable("asked"), topic.needs, topic.takes, known)
        values = give_values(self._bot.finder.find(text), wanted)
        self._bot.answers.pop(self._session, None)
        self._bot.note(self._session, {SLOT + name: value for name, value in values.values.items()})
        new = bool(subject and set(values.values) & set(topic.slots)) or bool(subject and values.outside)
        fresh = {"intent": None, "fallback": None, "asked": None, "outside": (*values.outside, None)[0]}
        offered = {"offered": self._variable("offer"), "offer": None}
        self._bot.note(self._session, {**fresh, **offered, "noted": "yes" if new else None})
        message = " ".join(_split_words(text)) or "vivanothing"
        try:
            answer = self._bot.brain.reply(self._session, message, errors_as_replies=False)
        except RiveScriptError as error:
            raise BotError(f"RiveScript failed: {error}", status=Status.FAILED, where=self._bot.facts.name) from error
        return self._build_reply(answer)

    async def close(self) -> None:
        """Forget the conversation."""
        if self._bot.brain.get_uservars(self._session):
            self._bot.brain.clear_uservars(self._session)
        self._bot.found.pop(self._session, None)
        self._bot.answers.pop(self._session, None)

    def _variable(self, name: str) -> str | None:
        value = self._bot.brain.get_uservar(self._session, name)
        return None if value in (None, UNSET) else str(value)

    def _build_reply(self, text: str) -> Reply:
        intent, answer = self._variable("intent"), self._bot.answers.get(self._session)
        fallback = self._variable("fallback") is not None
        notice = () if self._begun or not self._bot.agent.notice else (self._bot.agent.notice,)
        self._begun = True
        return Reply(
            texts=(*notice, *filter(None, text.split("\n"))),
            intent=self._bot.get_topic(intent).intent if intent and not fallback else None,
            slots=self._bot.slots(self._session),
            buttons=answer.buttons if answer else (),
            fallback=fallback,
        )


def _is_met(condition: Condition, known: Known) -> bool:
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
        lines += [f"// {' '.join(topic.intent.split())}", *_write_rule(agent, place, topic), ""]
        for trigger in _write_triggers(topic, finder):
            if trigger not in seen:
                seen.add(trigger)
                lines += [f"+ {trigger}", f"@ vivatopic t{place}", ""]
    lines += [
        "// a message that only brings values goes on with the subject; anything else is not understood",
        "+ *",
        "* <get noted> == yes => {@vivatopic <get subject>}",
        f"- {_write_text(agent.fallback[0], 'fallback')}<set fallback=yes>",
    ]
    return "\n".join(lines) + "\n"


def _write_rule(agent: Agent, place: int, topic: Topic) -> Iterator[str]:
    """Yield the rule that every trigger of a topic leads to: offers, what is missing, then the reply."""
    tags = f"<set intent=t{place}>" + ("" if topic.side else f"<set subject=t{place}>")
    yield f"+ vivatopic t{place}"
    if topic.intent == agent.yes:
        yield f"* <get offered> != {UNSET} => {{@vivatopic <get offered>}}"
    for name in topic.slots:
        if agent.slots[name].outside:
            saying = f"{_write_text(agent.slots[name].outside, f'outside {name}')}{tags}<set asked={name}>"
            yield f"* <get outside> == {name} => {saying}"
    for name in (name for name in topic.needs if agent.slots[name].default is None):
        asking = f"{_write_text(agent.slots[name].ask, f'ask {name}')}{tags}<set asked={name}>"
        yield f"* <get {SLOT}{name}> == {UNSET} => {asking}"
    reply = topic.replies[0] if len(topic.replies) == 1 else Answer(())
    if len(reply.say) == 1 and reply == Answer(say=reply.say) and _PLAIN.fullmatch(reply.say[0]):
        # It always says the same sentence.
        yield f"- {reply.say[0]}{tags}"
    else:
        # Tags come before macros, so where there is one it changes the subject itself.
        yield f"- <call>answer t{place}</call>{tags if topic.side else f'<set intent=t{place}>'}"


def _write_text(text: str, macro: str) -> str:
    return text if _PLAIN.fullmatch(text) else f"<call>{macro}</call>"


def _write_triggers(topic: Topic, finder: SlotFinder) -> Iterator[str]:
    """Yield the patterns of a topic: its phrases with values left open, its keywords in any order."""
    for phrase in topic.phrases:
        message = finder.find(phrase)
        text = message.text
        for mention in reversed(message.mentions):
            text = f"{text[: mention.start]} * {text[mention.end :]}"
        pattern = " ".join("*" if part == "*" else " ".join(_split_words(part)) for part in text.split())
        # A wildcard for each value within the phrase: not at its ends, and one for several in a row.
        words = re.sub(r"\*(?: \*)+", "*", " ".join(pattern.split())).strip("* ").split()
        if sum(word != "*" for word in words) > (1 if "*" in words else 0):
            yield "[*] " + " ".join(words) + " [*]"
    for keyword in topic.keywords:
        parts = [" ".join(_split_words(part)) for part in keyword.split("+")]
        for order in permutations([part for part in parts if part]):
            if order:
                yield "[*] " + " [*] ".join(order) + " [*]"


def _split_words(text: str) -> list[str]:
    return _WORDS.findall(_APOSTROPHES.sub("", text.lower()))
