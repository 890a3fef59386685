"""What a connector declares about itself: what it reaches, and which options its entries take.

The registry, the rules of a server and the forms of the application follow from it. A factory that declares nothing
is taken for one that runs a program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from vivavoce import plugins
from vivavoce.bots.protocol import BotContext, BotFacts, Fallback, Limits, Nature
from vivavoce.errors import Fault, UsageError, nearest
from vivavoce.messages import say
from vivavoce.plugins import Reach

__all__ = ["BotOption", "Connector", "Reach", "find_connector", "list_connectors", "ships"]

OptionType = Literal[
    "text", "long text", "number", "whole", "address", "choice", "flag", "headers", "json", "file", "agent"
]


@dataclass(frozen=True, slots=True)
class BotOption:
    """One key of an entry; `reply.texts` stands under `reply`.

    `label`: how a form calls it; without one it is written as YAML only. `variable`: the variable of the environment
    whose value is sent where the key is missing. `reads_files`: tells whether a value makes the bot read a file.
    """

    name: str
    type: OptionType = "text"
    help: str = ""
    default: str = ""
    label: str = ""
    group: str = ""
    required: bool = False
    secret: bool = False
    variable: str = ""
    choices: tuple[str, ...] = ()
    low: str = ""
    high: str = ""
    reads_files: Callable[[str], bool] | None = None

    @property
    def field(self) -> str:
        """The name of its field in a form."""
        return self.name.replace(".", "_")

    def value(self, entry: Mapping[str, object]) -> object:
        """Return what an entry says; None where it says nothing."""
        value: object = entry
        for step in self.name.split("."):
            value = value.get(step) if isinstance(value, Mapping) else None
        return value


USUAL_LIMITS = Limits()
# What every kind takes and a form shows.
ABOUT = BotOption("about", label=say("Description"))
_LIMITS = say("Limits")
_AT_ONCE = say("Maximum simultaneous conversations.")
_PER_SECOND = say("Empty: no limit.")
LIMIT_OPTIONS = (
    BotOption("limits.at_once", "whole", _AT_ONCE, label=say("Simultaneous conversations"), group=_LIMITS, low="1"),
    BotOption("limits.per_second", "number", _PER_SECOND, label=say("Messages per second"), group=_LIMITS, low="0"),
    BotOption("limits.timeout_s", "number", label=say("Reply timeout in seconds"), group=_LIMITS, low="0"),
    BotOption("limits.retries", "whole", label=say("Retries after a failure"), group=_LIMITS, low="0"),
)


@dataclass(frozen=True, slots=True)
class Connector:
    """What is known of a kind of bot before one is made. `options` None: it does not say which keys it takes.

    `option`: the key that the text after the colon of `kind:option` stands for. Kinds with the same `form` share one;
    `title` is that of the form, `choice` that of the kind in it, `position` its place among the others.
    """

    reach: Reach = Reach.PROGRAM
    options: tuple[BotOption, ...] | None = None
    option: str = "option"
    limits: Limits = USUAL_LIMITS
    form: str = ""
    title: str = ""
    choice: str = ""
    position: int = 100

    @property
    def keys(self) -> dict[str, tuple[str, ...] | None] | None:
        """The keys that an entry may hold, each with those that may stand under it (None: anything)."""
        if self.options is None:
            return None
        keys: dict[str, tuple[str, ...] | None] = {}
        for option in self.options:
            name, _, inner = option.name.partition(".")
            keys[name] = (*(keys.get(name) or ()), inner) if inner else keys.get(name)
        return keys

    @property
    def runs_agent(self) -> bool:
        """Whether it is made of an agent file, by training."""
        return any(option.type == "agent" for option in self.options or ())

    @property
    def learns_here(self) -> bool:
        """Whether it is trained in this process: the same agent always gives the same bot."""
        return self.runs_agent and self.reach is Reach.PROCESS

    def runs_programs(self, entry: Mapping[str, object], option: str, agent: str = "") -> bool:
        """Tell whether a bot starts programs, imports code, or reads files that its entry or `agent` names."""
        if self.reach is Reach.PROGRAM:
            return True
        has_agent = reads_file = False
        for declared in self.options or ():
            # What is written after the kind takes precedence over the entry.
            value = option if declared.name == self.option and option else declared.value(entry)
            if isinstance(value, str) and value:
                has_agent |= declared.type == "agent"
                if declared.reads_files is not None:
                    reads_file |= declared.reads_files(value)
                else:
                    reads_file |= declared.type == "file" or (declared.type == "agent" and not ships(value))
        return not ships(agent) if agent and self.runs_agent and not has_agent else reads_file


def find_connector(kind: str) -> Connector:
    """Return what a kind declares; of one that is missing, broken or silent nothing is taken for granted."""
    declared = plugins.find_declaration(plugins.BOTS, kind)
    return declared if isinstance(declared, Connector) else Connector()


def list_connectors() -> dict[str, Connector]:
    """Return what each installed kind declares, in the order in which they are offered."""
    every = {kind: find_connector(kind) for kind in plugins.available(plugins.BOTS)}
    return dict(sorted(every.items(), key=lambda item: (item[1].position, item[0])))


def ships(agent: str) -> bool:
    """Tell whether an agent ships with the product."""
    from vivavoce import demo

    try:
        demo.agent_path(agent)
    except UsageError:
        return False
    return True


Keys = Mapping[str, tuple[str, ...] | None]
Faults = Iterator[tuple[tuple[str, ...], str]]

COMMON_KEYS: Keys = {
    "kind": None,
    "option": None,
    "about": None,
    "agent": None,
    "reports_intent": None,
    "reports_actions": None,
    "nature": None,
    "limits": tuple(field.name for field in fields(Limits)),
    "fallback": tuple(field.name for field in fields(Fallback)),
}
_FACTS = ("about", "reports_intent", "reports_actions", "nature")
NOTHING = ("", "none", "null", "~")
YES = ("yes", "true", "on")
NO = ("no", "false", "off")


def flag(value: object) -> bool:
    """Read yes or no."""
    word = str(value).strip().lower()
    if word not in (*YES, *NO):
        raise ValueError(f"'{value}' is neither yes nor no")
    return word in YES


def number(value: object, *, least: float, most: float | None = None, whole: bool = False) -> float:
    """Read a number within its range."""
    try:
        amount = float(int(str(value)) if whole else str(value))
    except ValueError:
        raise ValueError(f"'{value}' is not a {'whole ' if whole else ''}number") from None
    if not least <= amount or (most is not None and not amount <= most) or amount == float("inf"):
        bounds = f"from {least:g} to {most:g}" if most is not None else f"{least:g} or more"
        raise ValueError(f"{value} is not {bounds}")
    return amount


def text_of(value: object) -> str:
    """Read one text."""
    if not isinstance(value, str):
        raise ValueError("this must be a single text")
    return value


def texts_of(value: object) -> tuple[str, ...]:
    """Read a list of texts; one text is a list of one."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise ValueError("this must be a text or a list of texts")


def _read_nature(value: object) -> Nature:
    try:
        return Nature(str(value).strip().lower())
    except ValueError:
        raise ValueError(f"'{value}' is neither {Nature.NLU} nor {Nature.LANGUAGE_MODEL}") from None


_READERS: Mapping[tuple[str, ...], Callable[[object], Any]] = {
    ("option",): text_of,
    ("about",): text_of,
    ("agent",): text_of,
    ("reports_intent",): flag,
    ("reports_actions",): flag,
    ("nature",): _read_nature,
    ("limits", "at_once"): lambda value: int(number(value, least=1, whole=True)),
    ("limits", "per_second"): lambda value: None if _is_nothing(value) else number(value, least=0.001),
    ("limits", "timeout_s"): lambda value: number(value, least=0.001),
    ("limits", "retries"): lambda value: int(number(value, least=0, whole=True)),
    ("fallback", "intents"): texts_of,
    ("fallback", "replies"): texts_of,
    ("fallback", "threshold"): lambda value: None if _is_nothing(value) else number(value, least=0, most=1),
}


def _is_nothing(value: object) -> bool:
    return isinstance(value, str) and value.strip().lower() in NOTHING


def entry_facts(context: BotContext, facts: BotFacts) -> BotFacts:
    """Return what is known about a bot, corrected by its entry: name, about, what it reports, limits, fallback."""
    faults = [Fault(message, ".".join(steps)) for steps, message in _value_faults(context.entry)]
    if faults:
        raise UsageError(say("these values are invalid"), where=context.name, faults=faults, remedy=say("fix them"))
    parts: dict[str, dict[str, Any]] = {"": {}, "limits": {}, "fallback": {}}
    for steps, value in _list_values(context.entry):
        if len(steps) == 2 or steps[0] in _FACTS:
            parts[steps[0] if len(steps) == 2 else ""][steps[-1]] = _READERS[steps](value)
    limits, fallback = replace(facts.limits, **parts["limits"]), replace(facts.fallback, **parts["fallback"])
    return replace(facts, name=context.name, limits=limits, fallback=fallback, **parts[""])


def entry_faults(entry: Mapping[str, object], own: Keys | None) -> Faults:
    """Yield what is wrong with an entry, each with the steps that lead to it; `own` None: other keys are free."""
    known = {**COMMON_KEYS, **(own or {})}
    for key, value in entry.items():
        inner_keys = known.get(key)
        if key not in known and own is not None:
            yield (key,), f"unknown key '{key}'.{nearest(key, list(known))}"
        elif inner_keys is not None and not isinstance(value, Mapping):
            yield (key,), f"'{key}' must contain these keys: {', '.join(inner_keys)}"
        elif inner_keys is not None and isinstance(value, Mapping):
            for inner in value:
                if inner not in inner_keys:
                    yield (key, inner), f"unknown key '{inner}' under '{key}'.{nearest(inner, inner_keys)}"
    yield from _value_faults(entry)


def _value_faults(entry: Mapping[str, object]) -> Faults:
    for steps, value in _list_values(entry):
        try:
            _READERS[steps](value)
        except ValueError as error:
            yield steps, f"{'.'.join(steps)}: {error}"


def _list_values(entry: Mapping[str, object]) -> Iterator[tuple[tuple[str, ...], object]]:
    for steps in _READERS:
        value: object = entry
        for step in steps:
            value = value.get(step) if isinstance(value, Mapping) else None
        if value is not None:
            yield steps, value
