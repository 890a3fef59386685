"""An agent told to others: pairs of message and reply for bots that retrieve, a plain text for language models."""

from __future__ import annotations

from collections.abc import Iterator

from vivavoce.agents.agent import Agent, SlotKind
from vivavoce.agents.dialogue import Flow, State, respond
from vivavoce.records import Guess

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
    kept: list[str] = []
    room = limit
    for line in _lines(agent):
        if len(line) + 1 > room:
            break
        kept.append(line)
        room -= len(line) + 1
    return "\n".join(kept)


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
