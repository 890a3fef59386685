"""What must fit together in an agent: slots, topics, tables and placeholders that are named must exist."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from vivavoce.agents.agent import Agent, Answer, Find, Slot, SlotKind, Topic
from vivavoce.agents.entries import Entries
from vivavoce.agents.replies import placeholders
from vivavoce.errors import nearest
from vivavoce.files.yamls import Step

FOUND = ("found", "count")
# Keys that mean something for one kind of slots only.
OWN_KEYS = {"first": SlotKind.DATE, "last": SlotKind.DATE, "least": SlotKind.NUMBER, "most": SlotKind.NUMBER}


def check_agent(agent: Agent, entries: Entries) -> None:
    """Note everything that does not fit."""
    if not agent.topics:
        entries.fault("the agent has no topics", "topics")
    for slot in agent.slots.values():
        _check_slot(agent, slot, entries)
    _check_intents(agent, entries)
    _check_phrases(agent, entries)
    names = _Names.of(agent)
    for number, topic in enumerate(agent.topics):
        _check_topic(agent, topic, names, entries, "topics", number)


# --- slots -------------------------------------------------------------------------------------------------------


def _check_slot(agent: Agent, slot: Slot, entries: Entries) -> None:
    at = ("slots", slot.name)
    if slot.kind is SlotKind.LIST and not slot.values:
        entries.fault(f"the slot '{slot.name}' has neither values nor a kind (date, number, time)", *at)
    if slot.kind is not SlotKind.LIST and slot.values:
        entries.fault(f"the slot '{slot.name}' is a {slot.kind} and cannot have values", *at, "values")
    if slot.kind is SlotKind.DATE and not (agent.today or slot.first):
        entries.fault(f"the date '{slot.name}' needs `today` of the agent, or its own `first`", *at)
    for key, kind in OWN_KEYS.items():
        if getattr(slot, key) is not None and slot.kind is not kind:
            entries.fault(f"`{key}` is for slots of kind {kind} only", *at, key)
    for low, high in ((slot.first, slot.last), (slot.least, slot.most)):
        if low is not None and high is not None and low > high:  # type: ignore[operator]
            entries.fault(f"the range of the slot '{slot.name}' ends before it begins", *at)
    _check_synonyms(slot, entries, *at)


def _check_synonyms(slot: Slot, entries: Entries, *at: Step) -> None:
    owners: dict[str, str] = {}
    for value, others in slot.values.items():
        for word in (value, *others):
            owner = owners.setdefault(word.casefold(), value)
            if owner != value:
                entries.fault(f"'{word}' stands for two values: '{owner}' and '{value}'", *at, "values", value)
    if slot.default and slot.values and slot.default not in slot.values:
        known = nearest(slot.default, [*slot.values])
        entries.fault(f"the default '{slot.default}' is none of the values.{known}", *at, "default")


# --- topics ------------------------------------------------------------------------------------------------------


def _check_intents(agent: Agent, entries: Entries) -> None:
    seen: set[str] = set()
    for number, topic in enumerate(agent.topics):
        if not topic.intent:
            entries.fault("the topic has no intent", "topics", number)
        elif topic.intent in seen:
            entries.fault(f"the intent '{topic.intent}' is given twice", "topics", number, "intent")
        seen.add(topic.intent)
    if agent.yes is not None and agent.yes not in seen:
        entries.fault(f"there is no topic '{agent.yes}'.{nearest(agent.yes, [*seen])}", "yes")


def _check_phrases(agent: Agent, entries: Entries) -> None:
    owners: dict[str, str] = {}
    for number, topic in enumerate(agent.topics):
        if not topic.phrases:
            entries.fault(f"the topic '{topic.intent}' has no phrases to learn from", "topics", number)
        for place, phrase in enumerate(topic.phrases):
            owner = owners.setdefault(" ".join(phrase.casefold().split()), topic.intent)
            if owner != topic.intent:
                message = f"the phrase '{phrase}' stands in two topics: '{owner}' and '{topic.intent}'"
                entries.fault(message, "topics", number, "phrases", place)


class _Names:
    """What may be named: slots (also those that replies set), topics, and columns of tables that are looked up."""

    def __init__(self, slots: Sequence[str], topics: Sequence[str], columns: Sequence[str]) -> None:
        self.slots = slots
        self.topics = topics
        self.columns = columns

    @classmethod
    def of(cls, agent: Agent) -> _Names:
        finds = [answer.find for topic in agent.topics for answer in topic.replies if answer.find]
        tables = [agent.facts[find.table] for find in finds if find.table in agent.facts]
        columns = dict.fromkeys(column for table in tables for column in table.columns)
        return cls(agent.slot_names, [topic.intent for topic in agent.topics], [*columns])


def _check_topic(agent: Agent, topic: Topic, names: _Names, entries: Entries, *at: Step) -> None:
    _known(topic.needs, [*agent.slots], "slot", entries, *at, "needs")
    _known(topic.takes, [*agent.slots], "slot", entries, *at, "takes")
    for name in topic.needs:
        slot = agent.slots.get(name)
        if slot and not slot.ask and slot.default is None:
            entries.fault(f"the slot '{name}' is needed but has no `ask` and no default", "slots", name)
    if not topic.replies:
        entries.fault(f"the topic '{topic.intent}' has no replies", *at)
    for place, answer in enumerate(topic.replies):
        _check_answer(agent, answer, names, entries, *at, "replies", place)


def _check_answer(agent: Agent, answer: Answer, names: _Names, entries: Entries, *at: Step) -> None:
    if not answer.say:
        entries.fault("the reply has no `say`", *at)
    _known(answer.after, names.topics, "topic", entries, *at, "after")
    _known([answer.offer] if answer.offer else [], names.topics, "topic", entries, *at, "offer")
    if answer.offer and agent.yes is None:
        entries.fault("an offer needs a topic for yes: name it `affirm`, or write `yes: INTENT` above", *at, "offer")
    _known(answer.clear, names.slots, "slot", entries, *at, "clear")
    for condition in answer.conditions:
        _known([condition.slot], names.slots, "slot", entries, *at, "if", condition.slot)
        _check_condition(agent, condition.slot, condition.values, entries, *at, "if", condition.slot)
    _check_lookup(agent, answer, names, entries, *at)
    for key, texts in _texts(answer):
        _check_placeholders(texts, [*names.slots, *names.columns, *FOUND], entries, *at, *key)


def _check_condition(agent: Agent, name: str, values: Iterable[str], entries: Entries, *at: Step) -> None:
    slot = agent.slots.get(name)
    for value in values if slot and slot.values else ():
        if slot and value.casefold() not in {known.casefold() for known in slot.values}:
            entries.fault(f"'{value}' is no value of '{name}'.{nearest(value, [*slot.values])}", *at)


def _check_lookup(agent: Agent, answer: Answer, names: _Names, entries: Entries, *at: Step) -> None:
    if answer.find is None:
        for key in ("each", "none"):
            if getattr(answer, key):
                entries.fault(f"`{key}` needs `find`", *at, key)
        return
    table = agent.facts.get(answer.find.table)
    if table is None:
        known = nearest(answer.find.table, [*agent.facts])
        entries.fault(f"there is no table '{answer.find.table}' among the facts.{known}", *at, "find", "in")
        return
    for key, columns, slots in _lookups(answer.find):
        _known(columns, table.columns, "column", entries, *at, "find", key)
        _known(slots, names.slots, "slot", entries, *at, "find", key)
    _check_placeholders([answer.each], [*table.columns, *names.slots], entries, *at, "each")


def _lookups(find: Find) -> Iterator[tuple[str, list[str], list[str]]]:
    for key, pairs in (("where", find.where), ("at_most", find.at_most), ("at_least", find.at_least)):
        yield key, [column for column, _ in pairs], [slot for _, slot in pairs]
    yield "sort", [find.sort] if find.sort else [], []


def _texts(answer: Answer) -> Iterator[tuple[tuple[Step, ...], Iterable[str]]]:
    yield ("say",), answer.say
    yield ("none",), answer.none
    yield ("buttons",), answer.buttons
    notes: Mapping[str, str] = answer.set
    yield from (((("set"), name), [text]) for name, text in notes.items())


def _check_placeholders(texts: Iterable[str], known: Sequence[str], entries: Entries, *at: Step) -> None:
    for text in texts:
        for name in placeholders(text):
            if name not in known:
                entries.fault(f"nothing fills the placeholder {{{name}}}.{nearest(name, known)}", *at)


def _known(names: Iterable[str], known: Sequence[str], what: str, entries: Entries, *at: Step) -> None:
    for name in names:
        if name not in known:
            entries.fault(f"there is no {what} '{name}'.{nearest(name, known)}", *at)
