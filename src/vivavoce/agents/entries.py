"""Entries of an agent file, taken one by one, and what must fit together in it: each fault with its line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import date
from typing import TypeVar

from vivavoce.agents.agent import Agent, Answer, Slot, SlotKind
from vivavoce.agents.replies import placeholders
from vivavoce.errors import Fault, nearest
from vivavoce.files.yamls import Step, Value, YamlFile

T = TypeVar("T")
FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


class Entries:
    """Takes typed values out of a YAML file and remembers every fault."""

    def __init__(self, file: YamlFile) -> None:
        self.file = file
        self.faults: list[Fault] = []

    def fault(self, message: str, *steps: Step) -> None:
        """Note a fault at the line of these steps."""
        self.faults.append(Fault(message, f"line {self.file.line(*steps)}"))

    def mapping(self, value: Value | None, *steps: Step, keys: Sequence[str] = ()) -> Mapping[str, Value]:
        """Return a mapping; with `keys`, refuse all others."""
        if value is None or value == "":
            return {}
        if not isinstance(value, dict):
            self.fault(f"{_name(steps)} must contain keys and values, not {_shape(value)}", *steps)
            return {}
        for key in value if keys else ():
            if key not in keys:
                self.fault(f"unknown key '{key}'.{nearest(key, keys)}", *steps, key)
        return value

    def listed(self, value: Value | None, *steps: Step) -> Sequence[Value]:
        """Return a list; one value is a list of one."""
        if value is None or value == "":
            return []
        return value if isinstance(value, list) else [value]

    def text(self, value: Value | None, *steps: Step, default: str = "") -> str:
        """Return a text without blanks around it."""
        if value is None:
            return default
        if isinstance(value, str):
            return value.strip()
        self.fault(f"{_name(steps)} must be a text, not {_shape(value)}; a text with `: ` needs quotes", *steps)
        return default

    def texts(self, value: Value | None, *steps: Step) -> tuple[str, ...]:
        """Return a list of texts that are not empty."""
        texts = []
        for place, item in enumerate(self.listed(value, *steps)):
            text = self.text(item, *steps, place)
            if text:
                texts.append(text)
            elif isinstance(item, str):
                self.fault(f"an entry of {_name(steps)} is empty", *steps, place)
        return tuple(texts)

    def record(self, kind: type[T], entry: Mapping[str, Value], /, *steps: Step, **ready: object) -> T:
        """Read the fields of a record by their types; `ready` are those that are read already."""
        readers: Mapping[object, Callable[..., object]] = {
            "str": self.text,
            "str | None": lambda *item: self.text(*item) or None,
            "tuple[str, ...]": self.texts,
            "bool": self.flag,
            "float | None": self.number,
            "date | None": self.day,
        }
        for field in fields(kind):  # type: ignore[arg-type]
            if field.name not in ready:
                ready[field.name] = readers[field.type](entry.get(field.name), *steps, field.name)
        return kind(**ready)

    def flag(self, value: Value | None, *steps: Step) -> bool:
        """Return true or false; nothing is false."""
        text = self.text(value, *steps, default="false").lower()
        if text not in FLAGS:
            self.fault(f"{_name(steps)} must be true or false, not '{text}'", *steps)
        return FLAGS.get(text, False)

    def number(self, value: Value | None, *steps: Step) -> float | None:
        """Return a number, if one is given."""
        return self._parse(float, "a number", value, *steps)

    def day(self, value: Value | None, *steps: Step) -> date | None:
        """Return a date, if one is given."""
        return self._parse(date.fromisoformat, "a date such as 2019-10-12", value, *steps)

    def _parse(self, parse: Callable[[str], T], what: str, value: Value | None, *steps: Step) -> T | None:
        text = self.text(value, *steps)
        try:
            return parse(text) if text else None
        except ValueError:
            self.fault(f"{_name(steps)} must be {what}, not '{text}'", *steps)
            return None


def _name(steps: tuple[Step, ...]) -> str:
    names = [str(step) for step in steps if isinstance(step, str)]
    return f"`{names[-1]}`" if names else "the file"


def _shape(value: Value) -> str:
    return {dict: "keys and values", list: "a list", str: "a text"}[type(value)]


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
    finds = [answer.find for topic in agent.topics for answer in topic.replies if answer.find]
    tables = [agent.facts[find.table] for find in finds if find.table in agent.facts]
    columns = dict.fromkeys(column for table in tables for column in table.columns)
    for number, topic in enumerate(agent.topics):
        at = ("topics", number)
        _check_names(topic.needs, [*agent.slots], "slot", entries, *at, "needs")
        _check_names(topic.takes, [*agent.slots], "slot", entries, *at, "takes")
        for name in topic.needs:
            needed = agent.slots.get(name)
            if needed and not needed.ask and needed.default is None:
                entries.fault(f"the slot '{name}' is required but has no `ask` and no default", "slots", name)
        if not topic.replies:
            entries.fault(f"the topic '{topic.intent}' has no replies", *at)
        for place, answer in enumerate(topic.replies):
            _check_answer(agent, answer, [*columns], entries, *at, "replies", place)


def _check_slot(agent: Agent, slot: Slot, entries: Entries) -> None:
    at = ("slots", slot.name)
    if slot.kind is SlotKind.LIST and not slot.values:
        entries.fault(f"the slot '{slot.name}' has no values and no kind (date, number, time)", *at)
    if slot.kind is not SlotKind.LIST and slot.values:
        entries.fault(f"the slot '{slot.name}' is a {slot.kind} and cannot have values", *at, "values")
    if slot.kind is SlotKind.DATE and not (agent.today or slot.first):
        entries.fault(f"the date slot '{slot.name}' needs `today` in the agent or a `first` date", *at)
    for key, kind in OWN_KEYS.items():
        if getattr(slot, key) is not None and slot.kind is not kind:
            entries.fault(f"`{key}` is for slots of kind {kind} only", *at, key)
    for low, high in ((slot.first, slot.last), (slot.least, slot.most)):
        if low is not None and high is not None and low > high:  # type: ignore[operator]
            entries.fault(f"the range of the slot '{slot.name}' ends before it starts", *at)
    _check_synonyms(slot, entries, *at)


def _check_synonyms(slot: Slot, entries: Entries, *at: Step) -> None:
    owners: dict[str, str] = {}
    for value, others in slot.values.items():
        for word in (value, *others):
            owner = owners.setdefault(word.casefold(), value)
            if owner != value:
                entries.fault(f"'{word}' means two values: '{owner}' and '{value}'", *at, "values", value)
    if slot.default and slot.values and slot.default not in slot.values:
        known = nearest(slot.default, [*slot.values])
        entries.fault(f"the default '{slot.default}' is not one of the values.{known}", *at, "default")


def _check_intents(agent: Agent, entries: Entries) -> None:
    intents: set[str] = set()
    owners: dict[str, str] = {}
    for number, topic in enumerate(agent.topics):
        if not topic.intent:
            entries.fault("the topic has no intent", "topics", number)
        elif topic.intent in intents:
            entries.fault(f"the intent '{topic.intent}' appears twice", "topics", number, "intent")
        intents.add(topic.intent)
        if not topic.phrases:
            entries.fault(f"the topic '{topic.intent}' has no training phrases", "topics", number)
        for place, phrase in enumerate(topic.phrases):
            owner = owners.setdefault(" ".join(phrase.casefold().split()), topic.intent)
            if owner != topic.intent:
                message = f"the phrase '{phrase}' appears in two topics: '{owner}' and '{topic.intent}'"
                entries.fault(message, "topics", number, "phrases", place)
    if agent.yes is not None and agent.yes not in intents:
        entries.fault(f"unknown topic '{agent.yes}'.{nearest(agent.yes, [*intents])}", "yes")


def _check_answer(agent: Agent, answer: Answer, columns: Sequence[str], entries: Entries, *at: Step) -> None:
    topics = [topic.intent for topic in agent.topics]
    if not answer.say:
        entries.fault("the reply has no `say`", *at)
    _check_names(answer.after, topics, "topic", entries, *at, "after")
    _check_names([answer.offer] if answer.offer else [], topics, "topic", entries, *at, "offer")
    if answer.offer and agent.yes is None:
        entries.fault(
            ("an offer needs a topic for yes: name it `affirm`, or set `yes: INTENT` at the top"), *at, "offer"
        )
    _check_names(answer.clear, agent.slot_names, "slot", entries, *at, "clear")
    for condition in answer.conditions:
        name = condition.slot
        _check_names([name], agent.slot_names, "slot", entries, *at, "if", name)
        values = agent.slots[name].values if name in agent.slots else {}
        for value in condition.values if values else ():
            if value.casefold() not in {known.casefold() for known in values}:
                entries.fault(f"'{value}' is not a value of '{name}'.{nearest(value, [*values])}", *at, "if", name)
    _check_lookup(agent, answer, entries, *at)
    known = [*agent.slot_names, *columns, *FOUND]
    for key in ("say", "none", "buttons"):
        _check_placeholders(getattr(answer, key), known, entries, *at, key)
    for name, text in answer.set.items():
        _check_placeholders([text], known, entries, *at, "set", name)


def _check_lookup(agent: Agent, answer: Answer, entries: Entries, *at: Step) -> None:
    find = answer.find
    if find is None:
        for key in ("each", "none"):
            if getattr(answer, key):
                entries.fault(f"`{key}` requires `find`", *at, key)
        return
    table = agent.facts.get(find.table)
    if table is None:
        hint = nearest(find.table, [*agent.facts])
        entries.fault(f"the facts have no table '{find.table}'.{hint}", *at, "find", "in")
        return
    for key, pairs in (("where", find.where), ("at_most", find.at_most), ("at_least", find.at_least)):
        _check_names([column for column, _ in pairs], table.columns, "column", entries, *at, "find", key)
        _check_names([slot for _, slot in pairs], agent.slot_names, "slot", entries, *at, "find", key)
    _check_names([find.sort] if find.sort else [], table.columns, "column", entries, *at, "find", "sort")
    _check_placeholders([answer.each], [*table.columns, *agent.slot_names], entries, *at, "each")


def _check_placeholders(texts: Iterable[str], known: Sequence[str], entries: Entries, *at: Step) -> None:
    for text in texts:
        for name in placeholders(text):
            if name not in known:
                entries.fault(f"the placeholder {{{name}}} has no value.{nearest(name, known)}", *at)


def _check_names(names: Iterable[str], known: Sequence[str], what: str, entries: Entries, *at: Step) -> None:
    for name in names:
        if name not in known:
            entries.fault(f"unknown {what} '{name}'.{nearest(name, known)}", *at)
