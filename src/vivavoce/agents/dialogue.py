"""The flow of a talk: which topic a message belongs to, what is still to be asked, what is replied.

A turn is a pure function of the state before it, the message and the engine's guesses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from vivavoce.agents.agent import Agent, Answer, Condition, Topic
from vivavoce.agents.assignment import Taken, Wanted, give_values
from vivavoce.agents.engines import Engine
from vivavoce.agents.replies import Found, Known, fill, fill_all, look_up
from vivavoce.agents.slots import Message, SlotFinder
from vivavoce.records import Guess, Reply

__all__ = ["Dialogue", "Flow", "State", "respond"]


@dataclass(frozen=True)
class State:
    """What a talk remembers: values in the order they were said, the subject, the open question, the last rows.

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
        """Prepare an agent once for any number of talks."""
        return cls(agent, SlotFinder(agent, forgiving=forgiving), threshold)

    @property
    def sure(self) -> float:
        """The confidence from which on a guess may interrupt an open question: halfway to certainty."""
        return (1 + self.threshold) / 2


class Dialogue:
    """One talk of an agent with an engine. Talks share the flow and the engine."""

    def __init__(self, flow: Flow, engine: Engine) -> None:
        self._flow = flow
        self._engine = engine
        self.state = State()

    async def say(self, text: str) -> Reply:
        """Answer a message."""
        guesses = await self._engine.understand(text)
        self.state, reply = respond(self._flow, self.state, text, guesses)
        return reply


def respond(flow: Flow, state: State, text: str, guesses: Sequence[Guess] = ()) -> tuple[State, Reply]:
    """Answer a message; `guesses` are the engine's, best first. Returns the state after it and the reply."""
    message = flow.finder.find(text)
    topic, confidence = _choose(flow, state, message, guesses)
    taken = give_values(message, _wanted(flow.agent, state, topic))
    after = replace(state, slots=_noted(state.slots, taken.values), offer=None)
    if topic is None:
        # What was not understood may bring something new, but must not change what is known.
        after = replace(after, slots={**taken.values, **state.slots})
        return _noticed(flow.agent, *_fall_back(flow.agent, after, guesses))
    after, reply = _answer(flow.agent, state, after, topic, taken)
    if reply is None:
        return _noticed(flow.agent, *_fall_back(flow.agent, after, [Guess(topic.intent, confidence)]))
    return _noticed(flow.agent, after, replace(reply, confidence=confidence, slots=dict(after.slots)))


# --- which topic -------------------------------------------------------------------------------------------------


def _choose(flow: Flow, state: State, message: Message, guesses: Sequence[Guess]) -> tuple[Topic | None, float]:
    """Return the topic of a message and how sure it is; what follows from the flow is certain."""
    topics = flow.agent.by_intent
    best = guesses[0] if guesses and guesses[0].confidence >= flow.threshold else None
    guessed = topics.get(best.intent) if best and best.intent else None
    if state.asked and _fills(message, state.asked[0]) and not _interrupts(flow, state, message, guessed, best):
        return topics[state.asked[1]], _confidence(guesses, state.asked[1])
    if state.offer and guessed and guessed.intent == flow.agent.yes:
        return topics[state.offer], best.confidence if best else 0.0
    if state.subject and message.bare and _brings_new(flow.agent, state, message):
        return topics[state.subject], _confidence(guesses, state.subject)
    return guessed, best.confidence if best else 0.0


def _confidence(guesses: Sequence[Guess], intent: str) -> float:
    """Return the engine's own confidence where it agrees with the flow, else certainty."""
    return guesses[0].confidence if guesses and guesses[0].intent == intent else 1.0


def _fills(message: Message, asked: str) -> bool:
    return any(mention.option(asked) and mention.cued in (None, asked) for mention in message.mentions)


def _interrupts(flow: Flow, state: State, message: Message, guessed: Topic | None, best: Guess | None) -> bool:
    if guessed is None or best is None or guessed.side or message.bare:
        return False
    return best.confidence >= flow.sure and state.asked is not None and guessed.intent != state.asked[1]


def _brings_new(agent: Agent, state: State, message: Message) -> bool:
    """Whether a message has values for the subject of the talk that were not known."""
    topic = agent.by_intent[state.subject or ""]
    taken = give_values(message, _wanted(agent, state, topic))
    changed = [name for name, value in taken.values.items() if state.slots.get(name) != value]
    return bool({*changed, *taken.outside} & {*topic.slots})


def _wanted(agent: Agent, state: State, topic: Topic | None) -> Wanted:
    """Return who wants values: the topic, or the subject while a side topic is talked about."""
    asking = state.asked[0] if state.asked else None
    if (topic is None or topic.side) and state.subject:
        topic = agent.by_intent[state.subject]
    return Wanted(asking, topic.needs if topic else (), topic.takes if topic else (), state.slots)


def _noted(known: Mapping[str, str], values: Mapping[str, str]) -> dict[str, str]:
    """Return all values; what was said last stands last."""
    kept = {name: value for name, value in known.items() if values.get(name, value) == value}
    return {**kept, **values}


# --- what is replied ---------------------------------------------------------------------------------------------


def _answer(agent: Agent, before: State, state: State, topic: Topic, taken: Taken) -> tuple[State, Reply | None]:
    """Ask for what is missing, or say the first reply that holds; no reply where none holds."""
    if not topic.side:
        state = replace(state, subject=topic.intent)
    unusable = next((n for n in taken.outside if n in topic.slots and agent.slots[n].outside), None)
    if unusable:
        return _ask(state, topic, unusable, agent.slots[unusable].outside)
    known = Known(agent, state.slots, state.found)
    missing = next((name for name in topic.needs if known.value(name) is None), None)
    if missing:
        return _ask(state, topic, missing, agent.slots[missing].ask)
    for answer in topic.replies:
        if _holds(answer, before, known) and (said := _said(agent, state, answer)):
            return _finish(said[0], topic, before), replace(said[1], intent=topic.intent)
    return _finish(state, topic, before), None


def _ask(state: State, topic: Topic, slot: str, text: str) -> tuple[State, Reply]:
    reply = Reply(texts=(text,), intent=topic.intent, fallback=False)
    return replace(state, asked=(slot, topic.intent)), reply


def _finish(state: State, topic: Topic, before: State) -> State:
    """Close the question that was answered; a side topic leaves that of the subject open."""
    still_open = before.asked if topic.side and before.asked and before.asked[1] != topic.intent else None
    return replace(state, asked=still_open)


def _holds(answer: Answer, before: State, known: Known) -> bool:
    if answer.after and before.subject not in answer.after:
        return False
    return all(_is_so(condition, known) for condition in answer.conditions)


def _is_so(condition: Condition, known: Known) -> bool:
    if condition.known is not None:
        return (condition.slot in known.slots) is condition.known
    value = known.value(condition.slot)
    return value is not None and value.casefold() in {wanted.casefold() for wanted in condition.values}


def _said(agent: Agent, state: State, answer: Answer) -> tuple[State, Reply] | None:
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
    slots = _after_reply(state.slots, answer, known)
    # What is forgotten must not come back from the row that was found.
    row = {name: value for name, value in state.found.row.items() if name not in answer.clear}
    state = replace(state, slots=slots, offer=answer.offer, found=replace(state.found, row=row))
    return state, Reply(texts=texts, buttons=buttons or (), fallback=False)


def _after_reply(slots: Mapping[str, str], answer: Answer, known: Known) -> dict[str, str]:
    values = {name: value for name, text in answer.set.items() if (value := fill(text, known))}
    kept = {**_noted(slots, values)}
    for name in answer.clear:
        kept.pop(name, None)
    return kept


def _fall_back(agent: Agent, state: State, guesses: Sequence[Guess]) -> tuple[State, Reply]:
    """Say that nothing was understood, in turn; the topic that was held back is told."""
    text = agent.fallback[state.fallbacks % len(agent.fallback)]
    held = guesses[0] if guesses and guesses[0].intent is not None else None
    reply = Reply(texts=(text,), slots=dict(state.slots), fallback=True, guess=held)
    return replace(state, fallbacks=state.fallbacks + 1), reply


def _noticed(agent: Agent, state: State, reply: Reply) -> tuple[State, Reply]:
    """Put the notice before the first reply of a talk."""
    if state.noticed or not agent.notice:
        return state, reply
    return replace(state, noticed=True), replace(reply, texts=(agent.notice, *reply.texts))
