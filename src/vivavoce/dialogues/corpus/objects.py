"""Dialogues as JSON objects: our own shape, chat logs (`messages` with `role` and `content`), ConvAI as published."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from vivavoce.dialogues.corpus.convai import (
    USED_2017,
    USED_2018,
    is_convai2017,
    is_convai2018,
    read_2017,
    read_2018,
)
from vivavoce.dialogues.corpus.entries import Entry, Findings
from vivavoce.dialogues.corpus.messages import read_messages, read_ratings
from vivavoce.dialogues.corpus.trackers import are_trackers, is_event, is_tracker, read_tracker, read_trackers
from vivavoce.dialogues.corpus.values import UnreadableError, kind_of, read_flag, read_name
from vivavoce.dialogues.dialogue import Dialogue, Utterance
from vivavoce.errors import nearest
from vivavoce.files.tables import ReadOptions
from vivavoce.messages import say

SYNONYMS: dict[str, tuple[str, ...]] = {
    "id": ("id", "dialogue_id", "dialog_id", "dialogId", "conversation_id", "session_id", "thread_id"),
    "turns": ("turns", "messages", "utterances", "thread"),
    "ratings": ("ratings", "rating", "quality"),
    "bot": ("bot", "bot_id", "bots"),
    "user": ("user", "user_id"),
    "passed": ("passed",),
    "source": ("source",),
}
CHAT = "messages"
SHAPE = 'write {"id": ..., "turns": [{"speaker": ..., "text": ...}]}'


@dataclass(frozen=True, slots=True)
class Keys:
    """Which key of an object holds what; None where it has none. `unknown`: keys that mean nothing here."""

    id: str | None
    turns: str | None
    ratings: str | None
    bot: str | None
    user: str | None
    passed: str | None
    source: str | None
    unknown: tuple[str, ...]
    doubled: tuple[tuple[str, str], ...]


def read_object(item: object, row: int, unit: str, options: ReadOptions) -> Iterator[Entry]:
    """Yield the dialogue of one object, or those of a Rasa tracker."""
    found = Findings(f"{unit} {row}")
    if not isinstance(item, dict):
        found.fault(say("this is {kind_of}, not a dialogue: {shape}", kind_of=kind_of(item), shape=SHAPE))
        yield found.entry(None)
    elif is_tracker(item):
        yield from read_tracker(item, row, found.place)
    elif are_trackers(item):
        yield from read_trackers(item, row, found.place)
    elif is_convai2017(item):
        yield found.entry(_convai(item, found, USED_2017, lambda: read_2017(item, row)))
    elif is_convai2018(item):
        yield found.entry(_convai(item, found, USED_2018, lambda: read_2018(item, row, str(row))))
    else:
        yield found.entry(_dialogue(item, row, found, options))


def _convai(
    item: Mapping[str, object], found: Findings, used: frozenset[str], read: Callable[[], Dialogue]
) -> Dialogue | None:
    for key in (key for key in item if key not in used):
        found.remark(f"the key '{key}' is passed over")
    try:
        return read()
    except UnreadableError as error:
        found.fault(error.args[0])
        return None


def _dialogue(item: Mapping[str, object], row: int, found: Findings, options: ReadOptions) -> Dialogue | None:
    keys = _keys(tuple(item))
    if keys.turns is None:
        found.fault(_no_turns(item))
        return None
    for key, used in keys.doubled:
        found.remark(f"the key '{key}' is passed over: '{used}' says the same")
    for key in keys.unknown:
        found.remark(f"the key '{key}' is passed over.{nearest(key, list(SYNONYMS))}")
    turns = read_messages(item[keys.turns], found, options)
    bot, turns = _bot(item.get(keys.bot) if keys.bot else None, turns, found)
    return Dialogue(
        id=_id(item, keys, row, found),
        turns=turns,
        ratings=read_ratings(item[keys.ratings], found) if keys.ratings else (),
        source=_name(item, keys.source, "source", found) or "",
        bot=bot,
        user=_name(item, keys.user, "user", found),
        passed=_passed(item, keys.passed, found),
        row=row,
    )


@lru_cache(maxsize=1024)
def _keys(names: tuple[str, ...]) -> Keys:
    """Find the keys; most objects of a file have the same, so the answer is kept."""
    taken = {role: [name for name in known if name in names] for role, known in SYNONYMS.items()}
    used = {role: (found[0] if found else None) for role, found in taken.items()}
    doubled = tuple((name, found[0]) for found in taken.values() for name in found[1:])
    known = {name for names in SYNONYMS.values() for name in names}
    return Keys(**used, unknown=tuple(name for name in names if name not in known), doubled=doubled)


def _no_turns(item: Mapping[str, object]) -> str:
    if is_event(item):
        return "this is a single event of Rasa: export whole trackers (`sender_id` with a list of `events`)"
    near = next((hint for key in item if (hint := nearest(key, SYNONYMS["turns"]))), "")
    shown = ", ".join(f"'{key}'" for key in list(item)[:10]) or "none"
    return f"the key 'turns' is missing (keys found: {shown}).{near} {SHAPE[0].upper()}{SHAPE[1:]}"


def _id(item: Mapping[str, object], keys: Keys, row: int, found: Findings) -> str:
    if keys.id is not None:
        return _name(item, keys.id, "id", found, required=True) or ""
    if keys.turns != CHAT:
        found.fault(say("the key 'id' is missing: give each dialogue its own name"))
        return ""
    found.remark("there is no id: the number in the file is used")
    return str(row)


def _name(
    item: Mapping[str, object], key: str | None, what: str, found: Findings, required: bool = False
) -> str | None:
    value = item.get(key) if key else None
    if (value is None or value == "") and not required:
        return None
    try:
        return read_name(value, what)
    except UnreadableError as error:
        found.fault(error.args[0])
        return None


def _passed(item: Mapping[str, object], key: str | None, found: Findings) -> bool | None:
    try:
        return read_flag(item[key], "'passed'") if key else None
    except UnreadableError as error:
        found.fault(error.args[0])
        return None


def _bot(value: object, turns: tuple[Utterance, ...], found: Findings) -> tuple[str | None, tuple[Utterance, ...]]:
    """Return the name of the system; a list names the speakers that are bots instead."""
    if not isinstance(value, list):
        return _name({"bot": value}, "bot", "bot", found), turns
    speakers = {turn.speaker for turn in turns}
    if not all(isinstance(name, str) for name in value):
        found.fault(say("the list 'bot' must hold the names of speakers"))
    elif strangers := [name for name in value if name not in speakers and speakers]:
        found.remark(f"'bot' names {', '.join(map(repr, strangers))}, who says nothing")
    named = set(map(str, value))
    return None, tuple(_named_bot(turn, turn.speaker in named) for turn in turns)


def _named_bot(turn: Utterance, is_bot: bool) -> Utterance:
    known = turn.is_bot if turn.is_bot is not None else (True if is_bot else None)
    return Utterance(turn.speaker, turn.text, known, turn.thumb)
