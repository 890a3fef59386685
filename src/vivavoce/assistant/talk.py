"""What a talk with the assistant is made of: frozen state in, a message, an outcome out.

A server keeps `State` in a row (`state.to_json()`, `State.from_json`) and hands it back with the next message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from vivavoce.assistant.openings import Opening
from vivavoce.codec import from_json, shape, to_json
from vivavoce.messages import say
from vivavoce.records import Action, Guess

LANGUAGES = ("en", "de", "fr", "zh")


class Stage(StrEnum):
    """Who decided what a message means: the general intents, the company's FAQ, the job search, or nobody."""

    GENERAL = "general"
    FAQ = "faq"
    FLOW = "flow"
    NONE = "none"


class HandOver(StrEnum):
    """Why a person is needed: no guess was sure enough, there is no answer in the bank, or the visitor asked."""

    UNSURE = "unsure"
    NO_ANSWER = "no_answer"
    ASKED = "asked"


class Step(StrEnum):
    """What a job search waits for: a profession, a place, a choice among shown openings, a mail address."""

    PROFESSION = "profession"
    PLACE = "place"
    SHOWN = "shown"
    ADDRESS = "address"


@dataclass(frozen=True, slots=True)
class Button:
    """What a visitor may press: `label` is shown, `send` is the message that pressing it sends."""

    label: str
    send: str


@dataclass(frozen=True, slots=True)
class Link:
    """A link with the text that is shown."""

    label: str
    url: str


@dataclass(frozen=True, slots=True)
class Entity:
    """A profession or a place in a message: `text` is message[start:end], `value` what it stands for.

    `kind` is `profession` or `place`. `key` identifies a place (`geonames id`, `country:DE`, `region:DE.BY`); a
    profession has its usual form as key.
    """

    kind: str
    text: str
    start: int
    end: int
    value: str
    key: str


@dataclass(frozen=True, slots=True)
class Search:
    """A job search in progress. `place` is the key of a place, `anywhere`: the visitor does not mind where.

    `shown`: how many openings were shown. `left_out`: `place` or `profession`
    where nothing fits both. `subject`: the topic that the search interrupted.
    """

    step: Step
    profession: str = ""
    place: str = ""
    place_name: str = ""
    anywhere: bool = False
    any_profession: bool = False
    shown: int = 0
    left_out: str = ""
    subject: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """What the assistant remembers of a talk between two messages; a new talk begins with `State()`.

    `search`: the job search in progress. `topic`: the last topic of the FAQ that was answered. `question` and
    `offered`: the message that is unclear, and the topics offered for it ("did you mean"). `last`: what was said
    last, to say it again. `unsure`: how many messages in a row were not understood.
    """

    language: str = ""
    search: Search | None = None
    topic: str = ""
    question: str = ""
    offered: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    last_buttons: tuple[Button, ...] = ()
    unsure: int = 0

    def first_shown(self, openings: Sequence[Opening]) -> int:
        """Return the number of the first of the openings shown last."""
        return max(1, self.search.shown - len(openings) + 1) if self.search else 1

    def to_json(self) -> dict[str, Any]:
        """Return the state as plain JSON values."""
        return dict(to_json(self))

    @classmethod
    def from_json(cls, data: object) -> State:
        """Return the state that `to_json` wrote; fields that are missing have their defaults."""
        remedy = say("begin a new talk")
        return from_json(cls, data, what=say("the state of a talk"), remedy=remedy)


shape(State, brief=True)
shape(Search, brief=True)


@dataclass(frozen=True, slots=True)
class Choice:
    """A visitor chose what an unclear message meant: a label for it. `intent` None: none of those offered."""

    question: str
    intent: str | None
    offered: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the assistant says to one message, and why.

    `stage` decided; `intent` and `confidence` are what it decided (a general intent, a topic of the FAQ; None:
    nothing). `general` and `faq` are the three best guesses of both stages, empty where a stage was not asked.
    `slots` holds `profession` and `place` of the job search; `openings` are those to show, of `total` found.
    `hand_over`: a person is needed. `offered`: the topics of a "did you mean"; `chosen`: what the visitor chose.
    `actions` are for the caller to carry out: `subscribe(address, profession, place, language)` and `unsubscribe()`.
    """

    state: State
    language: str
    texts: tuple[str, ...]
    buttons: tuple[Button, ...] = ()
    links: tuple[Link, ...] = ()
    stage: Stage = Stage.NONE
    intent: str | None = None
    confidence: float | None = None
    general: tuple[Guess, ...] = ()
    faq: tuple[Guess, ...] = ()
    entities: tuple[Entity, ...] = ()
    slots: Mapping[str, str] = field(default_factory=dict)
    openings: tuple[Opening, ...] = ()
    total: int = 0
    hand_over: HandOver | None = None
    offered: tuple[str, ...] = ()
    chosen: Choice | None = None
    actions: tuple[Action, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """All that is said and shown, for channels that show nothing but text."""
        listed = (" · ".join(filter(None, (each.title, each.place, each.url))) for each in self.openings)
        numbered = (f"{number}. {line}" for number, line in enumerate(listed, self.state.first_shown(self.openings)))
        return (*self.texts, *numbered, *(f"{link.label}: {link.url}" for link in self.links))
