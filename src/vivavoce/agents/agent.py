"""An agent as data: topics with their phrases, slots to fill, tables of facts and what is replied."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from functools import cached_property


class SlotKind(StrEnum):
    """What the values of a slot are."""

    LIST = "list"
    DATE = "date"
    NUMBER = "number"
    TIME = "time"


@dataclass(frozen=True)
class Slot:
    """A detail that is noted during a talk. `values`: each value of a list with other words for it."""

    name: str
    kind: SlotKind = SlotKind.LIST
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cues: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    ask: str = ""
    outside: str = ""
    first: date | None = None
    last: date | None = None
    least: float | None = None
    most: float | None = None
    default: str | None = None


@dataclass(frozen=True)
class Table:
    """Rows of facts; every row has a text for each column."""

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, str], ...]


@dataclass(frozen=True, slots=True)
class Find:
    """Which rows of a table a reply is about. Pairs are a column and the slot it is held against."""

    table: str
    where: tuple[tuple[str, str], ...] = ()
    at_most: tuple[tuple[str, str], ...] = ()
    at_least: tuple[tuple[str, str], ...] = ()
    sort: str = ""
    descending: bool = False
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """What must be true of a slot. `known` None: its value is one of `values`."""

    slot: str
    values: tuple[str, ...] = ()
    known: bool | None = None


@dataclass(frozen=True)
class Answer:
    """One of the replies of a topic, and when it is said. Each text of `say` is a bubble."""

    say: tuple[str, ...]
    after: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    find: Find | None = None
    each: str = ""
    none: tuple[str, ...] = ()
    buttons: tuple[str, ...] = ()
    set: Mapping[str, str] = field(default_factory=dict)
    clear: tuple[str, ...] = ()
    offer: str | None = None


@dataclass(frozen=True)
class Topic:
    """What people may want, how they say it, what must be known and what is replied."""

    intent: str
    phrases: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    side: bool = False
    replies: tuple[Answer, ...] = ()

    @property
    def slots(self) -> tuple[str, ...]:
        """The slots that the topic is about, those it needs first."""
        return (*self.needs, *self.takes)


@dataclass(frozen=True)
class Agent:
    """A whole agent file. `yes`: the topic that takes up an offer."""

    name: str
    topics: tuple[Topic, ...]
    title: str = ""
    language: str = "en"
    today: date | None = None
    notice: str = ""
    fallback: tuple[str, ...] = ("Sorry, I did not understand that.",)
    slots: Mapping[str, Slot] = field(default_factory=dict)
    facts: Mapping[str, Table] = field(default_factory=dict)
    yes: str | None = None
    source: str = "memory"

    @cached_property
    def by_intent(self) -> Mapping[str, Topic]:
        """The topics by their name."""
        return {topic.intent: topic for topic in self.topics}

    @property
    def phrases(self) -> Mapping[str, tuple[str, ...]]:
        """The training phrases of each topic."""
        return {topic.intent: topic.phrases for topic in self.topics}

    @property
    def slot_names(self) -> tuple[str, ...]:
        """All slots that a talk may know: the declared ones and those that replies set."""
        noted = (name for topic in self.topics for answer in topic.replies for name in answer.set)
        return tuple(dict.fromkeys((*self.slots, *noted)))
