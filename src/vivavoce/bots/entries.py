"""Entries of bots.yaml: which keys they may hold, and what their values mean.

A kind of bot lists the keys that it takes beside the common ones in a constant `ENTRY_KEYS` of its module, each
with the keys that may be under it (None: anything).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from vivavoce.bots.protocol import BotContext, BotFacts, Fallback, Limits, Nature
from vivavoce.errors import Fault, UsageError, nearest
from vivavoce.messages import say

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
