"""The flow of a conversation: which topic a message belongs to, what is still to be asked, what is replied.

A turn is a pure function of the state before it, the message and the engine's guesses.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from vivavoce.agents.agent import Agent, Answer, Condition, SlotKind, Topic
from vivavoce.agents.engines import Engine
from vivavoce.agents.replies import Found, Known, fill, fill_all, look_up
from vivavoce.agents.slots import Message, SlotFinder, Taken, Wanted, give_values
from vivavoce.records import Guess, Reply


@dataclass(frozen=True)
class State:
    """What a conversation remembers: values in the order they were said, subject, open question, last rows.

    `asked`: the slot that was asked for, and the topic that needs it. `offer`: the topic that a yes means now.
    """

    slots: Mapping[str, str] = field(default_factory=dict)
    subject: str | None = None
    asked: tuple[str, str] | None = None
    offer: str | None = None
    found: Found = field(default_factory=Found)
    noticed: bool = False
    fallbacks: int = 0


@dataclass(frozen=True)
class Flow:
    """An agent ready to talk: how its slots are found, and from which confidence on a guess counts."""

    agent: Agent
    finder: SlotFinder
    threshold: float = 0.5

    @classmethod
    def of(cls, agent: Agent, *, threshold: float = 0.5, forgiving: bool = True) -> Flow:
        """Prepare an agent once for any number of conversations."""
        return cls(agent, SlotFinder(agent, forgiving=forgiving), threshold)


class Dialogue:
    """One conversation of an agent with an engine. All share the flow and the engine."""

    def __init__(self, flow: Flow, engine: Engine) -> None:
        self._flow = flow
        self._engine = engine
        self.state = State()

    async def say(self, text: str) -> Reply:
        """Answer a message."""
        guesses = await self._engine.understand(text)
        self.state, reply = respond(self._flow, self.state, text, guesses)
        return reply

    async def close(self) -> None:
        """Nothing is held."""


def respond(flow: Flow, state: State, text: str, guesses: Sequence[Guess] = ()) -> tuple[State, Reply]:
    """Answer a message; `guesses` are the engine's, best first. Returns the state after it and the reply."""
    agent = flow.agent
    message = flow.finder.find(text)
    topic, confidence = _choose(flow, state, message, guesses)
    taken = give_values(message, _find_wanted(agent, state, topic))
    after, reply = replace(state, slots=_add_values(state.slots, taken.values), offer=None), None
    if topic is not None:
        after, reply = _answer(agent, state, after, topic, taken)
        guesses = [Guess(topic.intent, confidence)]
    else:
        # What was not understood may bring something new, but must not change what is known.
        after = replace(after, slots={**taken.values, **state.slots})
    slots = dict(after.slots)
    if reply is not None:
        reply = replace(reply, confidence=confidence, slots=slots)
    else:
        # Say that nothing was understood, each text in turn; the topic that was held back is named.
        fallback = agent.fallback[after.fallbacks % len(agent.fallback)]
        guess = guesses[0] if guesses and guesses[0].intent is not None else None
        reply = Reply(texts=(fallback,), slots=slots, fallback=True, guess=guess)
        after = replace(after, fallbacks=after.fallbacks + 1)
    if agent.notice and not after.noticed:
        return replace(after, noticed=True), replace(reply, texts=(agent.notice, *reply.texts))
    return after, reply


def _choose(flow: Flow, state: State, message: Message, guesses: Sequence[Guess]) -> tuple[Topic | None, float]:
    """Return the topic of a message and how sure it is; what follows from the flow is certain."""
    topics = flow.agent.by_intent
    best = guesses[0] if guesses and guesses[0].confidence >= flow.threshold else None
    guess = topics.get(best.intent) if best and best.intent else None
    confidence = best.confidence if best else 0.0
    if state.asked:
        slot, intent = state.asked
        fills = any(mention.option(slot) and mention.cued in (None, slot) for mention in message.mentions)
        other = guess is not None and not guess.side and not message.bare and guess.intent != intent
        # Halfway to certainty a guess may interrupt an open question.
        if fills and not (other and confidence >= (1 + flow.threshold) / 2):
            return topics[intent], _find_confidence(guesses, intent)
    if state.offer and guess and guess.intent == flow.agent.yes:
        return topics[state.offer], confidence
    if state.subject and message.bare and _brings_new(flow.agent, state, message):
        return topics[state.subject], _find_confidence(guesses, state.subject)
    return guess, confidence


def _find_confidence(guesses: Sequence[Guess], intent: str) -> float:
    """Return the engine's own confidence where it agrees with the flow, else certainty."""
    return guesses[0].confidence if guesses and guesses[0].intent == intent else 1.0


def _brings_new(agent: Agent, state: State, message: Message) -> bool:
    """Whether a message has values for the subject of the conversation that were not known."""
    topic = agent.by_intent[state.subject or ""]
    taken = give_values(message, _find_wanted(agent, state, topic))
    changed = [name for name, value in taken.values.items() if state.slots.get(name) != value]
    return bool({*changed, *taken.outside} & {*topic.slots})


def _find_wanted(agent: Agent, state: State, topic: Topic | None) -> Wanted:
    """Return who wants values: the topic, or the subject while a side topic is talked about."""
    asking = state.asked[0] if state.asked else None
    if (topic is None or topic.side) and state.subject:
        topic = agent.by_intent[state.subject]
    return Wanted(asking, topic.needs if topic else (), topic.takes if topic else (), state.slots)


def _add_values(known: Mapping[str, str], values: Mapping[str, str]) -> dict[str, str]:
    """Return all values; what was said last comes last."""
    unchanged = {name: value for name, value in known.items() if values.get(name, value) == value}
    return {**unchanged, **values}


def _answer(agent: Agent, before: State, state: State, topic: Topic, taken: Taken) -> tuple[State, Reply | None]:
    """Ask for what is missing, or say the first reply that holds; no reply where none holds."""
    if not topic.side:
        state = replace(state, subject=topic.intent)
    known = Known(agent, state.slots, state.found)
    unusable = next((name for name in taken.outside if name in topic.slots and agent.slots[name].outside), None)
    missing = next((name for name in topic.needs if known.value(name) is None), None)
    if unusable or missing:
        name = unusable or missing or ""
        text = agent.slots[name].outside if unusable else agent.slots[name].ask
        return replace(state, asked=(name, topic.intent)), Reply(texts=(text,), intent=topic.intent, fallback=False)
    # The question is answered; a side topic leaves that of the subject open.
    still_open = before.asked if topic.side and before.asked and before.asked[1] != topic.intent else None
    for answer in topic.replies:
        fits = not answer.after or before.subject in answer.after
        if fits and all(_holds(condition, known) for condition in answer.conditions):
            result = _build_reply(agent, state, answer)
            if result:
                return replace(result[0], asked=still_open), replace(result[1], intent=topic.intent)
    return replace(state, asked=still_open), None


def _holds(condition: Condition, known: Known) -> bool:
    if condition.known is not None:
        return (condition.slot in known.slots) is condition.known
    value = known.value(condition.slot)
    return value is not None and value.casefold() in {wanted.casefold() for wanted in condition.values}


def _build_reply(agent: Agent, state: State, answer: Answer) -> tuple[State, Reply] | None:
    """Return the reply and the state after it; nothing where a value for one of its placeholders is missing."""
    known = Known(agent, state.slots, state.found)
    if answer.find:
        state = replace(state, found=look_up(agent, answer.find, answer.each, known))
        known = Known(agent, state.slots, state.found)
        if not state.found.count:
            texts = fill_all(answer.none, known)
            return (state, Reply(texts=texts, fallback=False)) if texts else None
    texts, buttons = fill_all(answer.say, known), fill_all(answer.buttons, known)
    if not texts:
        return None
    values = {name: value for name, text in answer.set.items() if (value := fill(text, known))}
    # What is forgotten must not come back from the row that was found.
    slots, row = (
        {name: value for name, value in each.items() if name not in answer.clear}
        for each in (_add_values(state.slots, values), state.found.row)
    )
    state = replace(state, slots=slots, offer=answer.offer, found=replace(state.found, row=row))
    return state, Reply(texts=texts, buttons=buttons or (), fallback=False)


PHRASES_SHOWN = 2


def answer_pairs(agent: Agent) -> list[tuple[str, str]]:
    """Return each phrase with the reply to it as the first message of a talk, without the notice."""
    flow = Flow.of(agent)
    start = State(noticed=True)
    return [
        (phrase, respond(flow, start, phrase, (Guess(topic.intent, 1.0),))[1].text)
        for topic in agent.topics
        for phrase in topic.phrases
    ]


def describe_agent(agent: Agent, limit: int = 4000) -> str:
    """Return what the agent knows as a plain text of at most `limit` characters.

    Topics come first, then slots, then as many whole lines of facts as there is room for.
    """
    lines = list(_lines(agent))
    lengths = list(accumulate(len(line) + 1 for line in lines))
    return "\n".join(lines[: bisect_right(lengths, limit)])


def _lines(agent: Agent) -> Iterator[str]:
    yield agent.title or agent.name
    if agent.notice:
        yield f"Notice: {agent.notice}"
    if agent.today:
        yield f"Today is {agent.today.isoformat()}."
    yield f"If you do not know or it is about something else, say: {agent.fallback[0]}"
    yield "Topics:"
    for topic in agent.topics:
        needs = f" [needs {', '.join(topic.needs)}]" if topic.needs else ""
        asked = " / ".join(topic.phrases[:PHRASES_SHOWN])
        replies = [
            (f"(after {', '.join(answer.after)}) " if answer.after else "") + " ".join(answer.say)
            for answer in topic.replies
        ]
        yield f'- {topic.intent}{needs}: "{asked}" -> {" | ".join(replies)}'
    yield "Details to ask for:"
    for slot in agent.slots.values():
        values = ", ".join(slot.values) if slot.kind is SlotKind.LIST else str(slot.kind)
        if slot.first and slot.last:
            values += f" from {slot.first.isoformat()} to {slot.last.isoformat()}"
        if slot.ask:
            yield f"- {slot.name} ({values}): {slot.ask}"
    for name, table in agent.facts.items():
        yield f"Facts, {name} ({', '.join(table.columns)}):"
        yield from (", ".join(row[column] for column in table.columns) for row in table.rows)
