"""Scripted conversations as data: what the visitor writes and what the bot should do about it.

`Suite` is a file as it was written (parts, rows and lists not yet put in), so that it can be written back;
`Script` is one conversation ready to be held. `expansion` turns the one into the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from vivavoce.records import Action

LEVELS = ("basic", "medium", "complex")


class Kind(StrEnum):
    """What is special about a message. Out of scope is not a kind: it is an expected fallback."""

    CLEAN = "clean"
    TYPO = "typo"
    PARAPHRASE = "paraphrase"
    SMALLTALK = "smalltalk"


class Match(StrEnum):
    """How an expected text is held against a reply."""

    EXACT = "exact"
    CONTAINS = "contains"
    SUBSTRING = "substring"
    WILDCARD = "wildcard"
    REGEX = "regex"
    FUZZY = "fuzzy"
    SIMILAR = "similar"


class OnMismatch(StrEnum):
    """What happens to the rest of a conversation after a turn that failed."""

    CONTINUE = "continue"
    STOP = "stop"
    REPLAY = "replay"


@dataclass(frozen=True, slots=True)
class Pattern:
    """One expected text. `match` None: the default of the suite, or a wildcard where the text has a `*`."""

    text: str
    match: Match | None = None
    minimum: float | None = None


@dataclass(frozen=True)
class ExpectedAction:
    """An action that the bot should take; `args`: arguments that it must be given, further ones do not matter."""

    name: str
    args: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return str(Action(self.name, self.args)) if self.args else self.name


@dataclass(frozen=True)
class Expectation:
    """What a turn should bring. All that is given must hold; `counted` False: nothing is expected (`expect: any`).

    `action`: the name of the only action; `actions`: several of them, or one with arguments. `accepted`: whole
    replies that a person called fine, whatever else is expected.
    """

    counted: bool = True
    fallback: bool = False
    same: bool = False
    intents: tuple[str, ...] = ()
    min_confidence: float | None = None
    margin_over: float | None = None
    any: tuple[Pattern, ...] = ()
    all: tuple[Pattern, ...] = ()
    none: tuple[Pattern, ...] = ()
    order_any: bool = False
    slots: Mapping[str, str] = field(default_factory=dict)
    slots_after: Mapping[str, str] = field(default_factory=dict)
    slot_names: tuple[str, ...] = ()
    slot_values: tuple[str, ...] = ()
    buttons: tuple[str, ...] = ()
    cards: tuple[str, ...] = ()
    media: tuple[str, ...] = ()
    action: str | None = None
    within_ms: float | None = None
    answered: bool = False
    optional: bool = False
    extras: Mapping[str, object] = field(default_factory=dict)
    actions: tuple[ExpectedAction, ...] = ()
    accepted: tuple[str, ...] = ()

    @property
    def all_actions(self) -> tuple[ExpectedAction, ...]:
        """Every action that is expected."""
        return (*((ExpectedAction(self.action),) if self.action else ()), *self.actions)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A message taken from a list: the given place (counted from 1), or each of them in turn where None."""

    list: str
    pick: int | None = None


@dataclass(frozen=True, slots=True)
class Button:
    """A click on a button that the bot offered."""

    label: str


@dataclass(frozen=True, slots=True)
class Include:
    """The turns of a part, put in here."""

    part: str


UserInput = str | Phrase | Button


@dataclass(frozen=True)
class Turn:
    """One message and what should follow. `line`: its line in the file.

    `twin_of`: the id of the clean turn that a misspelt one repeats, `scenario/turn` if it is in another.
    """

    user: UserInput
    expect: Expectation = Expectation(counted=False)
    id: str = ""
    kind: Kind = Kind.CLEAN
    twin_of: str | None = None
    save: Mapping[str, Pattern] = field(default_factory=dict)
    wait_s: float | None = None
    pause_ms: float | None = None
    note: str = ""
    line: int | None = None
    extras: Mapping[str, object] = field(default_factory=dict)


Step = Turn | Include


@dataclass(frozen=True)
class Scenario:
    """A conversation as it was written; `rows` name the rows that fill its placeholders, one talk for each."""

    id: str
    level: str
    turns: tuple[Step, ...]
    title: str = ""
    domain: str = ""
    tags: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    on_mismatch: OnMismatch | None = None
    setup_slots: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    line: int | None = None
    extras: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Defaults:
    """What holds where a scenario says nothing."""

    match: Match = Match.CONTAINS
    on_mismatch: OnMismatch = OnMismatch.CONTINUE
    wait_s: float | None = None
    settle_ms: float | None = None


@dataclass(frozen=True, slots=True)
class FallbackRule:
    """How a bot says that it did not understand: names of intents, texts of replies (wildcards allowed)."""

    intents: tuple[str, ...] = ()
    replies: tuple[str, ...] = ()


@dataclass(frozen=True)
class Suite:
    """A file or folder of scenarios as it was written."""

    name: str
    scenarios: tuple[Scenario, ...]
    language: str = "en"
    title: str = ""
    notice: str = ""
    agent: str | None = None
    defaults: Defaults = Defaults()
    fallback: FallbackRule = FallbackRule()
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rows: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    parts: Mapping[str, tuple[Step, ...]] = field(default_factory=dict)
    levels: tuple[str, ...] = LEVELS
    source: str = "memory"
    notes: tuple[str, ...] = ()
    extras: Mapping[str, object] = field(default_factory=dict)

    @property
    def all_turns(self) -> tuple[Turn, ...]:
        """The turns of all scenarios and parts."""
        every = (*(scenario.turns for scenario in self.scenarios), *self.parts.values())
        return tuple(step for steps in every for step in steps if isinstance(step, Turn))


@dataclass(frozen=True)
class ScriptTurn:
    """A turn ready to be said. `text` and patterns may still hold `{name}` of values saved during the talk.

    `number` counts from 1 and is the place in the script; `id` is unique within it. `twin`: the clean turn that a
    misspelt one repeats, as script and number. `same` has been replaced by the twin's expectation.
    """

    number: int
    id: str
    text: str
    expect: Expectation
    button: bool = False
    kind: Kind = Kind.CLEAN
    twin: tuple[str, int] | None = None
    save: Mapping[str, Pattern] = field(default_factory=dict)
    wait_s: float | None = None
    pause_ms: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Script:
    """One conversation ready to be held. `id` is the scenario's, with the row and the phrase where there are several.

    `version` is a hash of all that matters for its result. `suite`: which suite it is from, in a plan of several.
    """

    id: str
    scenario: str
    title: str
    domain: str
    level: str
    turns: tuple[ScriptTurn, ...]
    tags: tuple[str, ...] = ()
    on_mismatch: OnMismatch = OnMismatch.CONTINUE
    version: str = ""
    setup_slots: Mapping[str, str] = field(default_factory=dict)
    suite: str = ""


@dataclass(frozen=True)
class SuiteRules:
    """What one of several suites says of its conversations."""

    defaults: Defaults = Defaults()
    fallback: FallbackRule = FallbackRule()


@dataclass(frozen=True)
class Plan:
    """All conversations of a run, and what is needed to judge them. `rules`: by suite, where there are several."""

    suite: str
    language: str
    scripts: tuple[Script, ...]
    defaults: Defaults = Defaults()
    fallback: FallbackRule = FallbackRule()
    notice: str = ""
    hash: str = ""
    rules: Mapping[str, SuiteRules] = field(default_factory=dict)

    def of(self, script: Script) -> Plan:
        """Return the plan with what the suite of a conversation says; alone, a suite says it for all."""
        rules = self.rules.get(script.suite)
        return self if rules is None else replace(self, defaults=rules.defaults, fallback=rules.fallback)
