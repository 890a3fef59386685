"""Which slot takes which value of a message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vivavoce.agents.slots import Mention, Message


@dataclass(frozen=True)
class Taken:
    """Values given to slots, and slots that were offered a value outside their range."""

    values: Mapping[str, str]
    outside: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """What decides who takes a value: the slot that was asked for, those of the topic, and what is known.

    `known` is in the order in which slots were filled.
    """

    asked: str | None = None
    needs: Sequence[str] = ()
    takes: Sequence[str] = ()
    known: Mapping[str, str] = field(default_factory=dict)


def give_values(message: Message, wanted: Wanted) -> Taken:
    """Give each value to one slot: by its cue, the question before, the needs of the topic, or what is empty."""
    values: dict[str, str] = {}
    outside: list[str] = []
    ordered = sorted(message.mentions, key=lambda mention: mention.cued is None)
    for mention in ordered:
        slot = mention.cued or _taker(mention, message, wanted, values)
        option = mention.option(slot)
        if option is None or (option.slot in values and mention.cued is None and not mention.redone):
            continue
        if option.usable:
            values[option.slot] = option.value
        else:
            outside.append(option.slot)
    return Taken(values, tuple(dict.fromkeys(name for name in outside if name not in values)))


def _taker(mention: Mention, message: Message, wanted: Wanted, values: Mapping[str, str]) -> str | None:
    able = [option.slot for option in mention.options]
    if wanted.asked in able and wanted.asked not in values:
        return wanted.asked
    own = [name for name in (*wanted.needs, *wanted.takes) if name in able]
    if mention.loose:
        return own[0] if own and message.bare else None
    if mention.redone and (filled := [name for name in values if name in able]):
        return filled[-1]
    if any(wanted.known.get(option.slot) == option.value for option in mention.options):
        return None
    filled = [name for name in wanted.known if name in own and name not in values]
    if message.corrects and filled and not [n for n in wanted.needs if n in own and n not in wanted.known]:
        return filled[-1]
    free = [name for name in (*own, *able) if name not in wanted.known and name not in values]
    within = [name for name in free if name in own]
    again = [name for name in wanted.known if name in able and name not in values]
    return next(iter(within or filled[-1:] or free or again[-1:]), None)
