"""Dialogues as JSON objects: our own shape, chat logs (`messages` with `role` and `content`), ConvAI as published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from vivavoce.dialogues.corpus.convai import USED_2017, USED_2018, is_convai2017, is_convai2018, read_2017, read_2018
from vivavoce.dialogues.corpus.entries import (
    Entry,
    Findings,
    describe_missing,
    kind_of,
    make_key_finder,
    read_flag,
    read_name,
)
from vivavoce.dialogues.corpus.messages import read_messages, read_ratings
from vivavoce.dialogues.dialogue import Dialogue, Utterance
from vivavoce.errors import nearest
from vivavoce.files.dates import parse_date
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
    "began": ("began", "start_time", "started", "started_at", "created", "created_at", "date", "time", "timestamp"),
}
CHAT = "messages"
SHAPE = 'write {"id": ..., "turns": [{"speaker": ..., "text": ...}]}'


_find_keys = make_key_finder(SYNONYMS)


def read_object(item: object, row: int, unit: str, options: ReadOptions) -> Iterator[Entry]:
    """Yield the dialogue of one object, or those of a Rasa tracker."""
    findings = Findings(f"{unit} {row}")
    if not isinstance(item, dict):
        findings.fault(say("this is {kind_of}, not a dialogue: {shape}", kind_of=kind_of(item), shape=SHAPE))
        yield findings.entry(None)
    elif is_tracker(item):
        yield from read_tracker(item, row, findings.place)
    elif are_trackers(item):
        yield from read_trackers(item, row, findings.place)
    elif is_convai2017(item):
        _remark_unused(item, USED_2017, findings)
        yield findings.entry(findings.attempt(read_2017, item, row))
    elif is_convai2018(item):
        _remark_unused(item, USED_2018, findings)
        yield findings.entry(findings.attempt(read_2018, item, row, str(row)))
    else:
        yield findings.entry(_read_dialogue(item, row, findings, options))


def _remark_unused(item: Mapping[str, object], used: frozenset[str], findings: Findings) -> None:
    for key in item:
        if key not in used:
            findings.remark(f"the key '{key}' is ignored")


def _read_dialogue(item: Mapping[str, object], row: int, findings: Findings, options: ReadOptions) -> Dialogue | None:
    keys = _find_keys(tuple(item))
    roles = keys.roles
    if "turns" not in roles:
        shape = f"{SHAPE[0].upper()}{SHAPE[1:]}"
        event = "this is a single Rasa event: export whole trackers (`sender_id` with a list of `events`)"
        findings.fault(event if is_event(item) else f"{describe_missing('turns', item, SYNONYMS)} {shape}")
        return None
    for key, used in keys.doubled:
        findings.remark(f"the key '{key}' is ignored: '{used}' has the same meaning")
    for key in keys.unknown:
        findings.remark(f"the key '{key}' is ignored.{nearest(key, list(SYNONYMS))}")
    values = {role: item[key] for role, key in roles.items()}
    turns = read_messages(values["turns"], findings, options)
    bot, turns = _read_bot(values.get("bot"), turns, findings)
    if "id" in roles:
        name = findings.attempt(read_name, values["id"], "id") or ""
    elif roles["turns"] == CHAT:
        findings.remark("no id: its number in the file is used")
        name = str(row)
    else:
        findings.fault(say("the key 'id' is missing: give each dialogue a unique id"))
        name = ""
    return Dialogue(
        id=name,
        turns=turns,
        ratings=read_ratings(values.get("ratings"), findings),
        source=_read_name(values.get("source"), "source", findings) or "",
        bot=bot,
        user=_read_name(values.get("user"), "user", findings),
        passed=findings.attempt(read_flag, values.get("passed"), "'passed'"),
        row=row,
        began=parse_date(values["began"]) if values.get("began") else None,
    )


def _read_name(value: object, what: str, findings: Findings) -> str | None:
    return None if value is None or value == "" else findings.attempt(read_name, value, what)


def _read_bot(
    value: object, turns: tuple[Utterance, ...], findings: Findings
) -> tuple[str | None, tuple[Utterance, ...]]:
    """Return the name of the system; a list names the speakers that are bots instead."""
    if not isinstance(value, list):
        return _read_name(value, "bot", findings), turns
    speakers = {turn.speaker for turn in turns}
    if not all(isinstance(name, str) for name in value):
        findings.fault(say("the list 'bot' must contain speaker names"))
    elif silent := [name for name in value if name not in speakers and speakers]:
        findings.remark(f"'bot' names {', '.join(map(repr, silent))}, who sends no message")
    bots = set(map(str, value))
    is_new = [turn.is_bot is None and turn.speaker in bots for turn in turns]
    return None, tuple(replace(turn, is_bot=True) if new else turn for turn, new in zip(turns, is_new, strict=True))


SPOKEN = {"user": False, "bot": True}
SESSION_ACTION = "action_session_start"
STARTS = frozenset({"session_started", "restart"})
# What a channel or a developer sends to steer the bot; nobody says it.
COMMANDS = frozenset({"/session_start", "/restart"})


@dataclass(slots=True)
class _Session:
    """The messages between two starts, and the assistants that took part."""

    turns: list[Utterance] = field(default_factory=list)
    assistants: set[str] = field(default_factory=set)
    began: datetime | None = None


def is_tracker(item: Mapping[str, object]) -> bool:
    """Say whether an object is a tracker."""
    return "events" in item and "turns" not in item and "messages" not in item


def are_trackers(item: Mapping[str, object]) -> bool:
    """Say whether an object holds nothing but trackers, each under the name of its sender."""
    return bool(item) and all(isinstance(value, dict) and is_tracker(value) for value in item.values())


def is_event(item: Mapping[str, object]) -> bool:
    """Say whether an object is a single event, as an event broker sends it."""
    return isinstance(item.get("event"), str) and ("timestamp" in item or "sender_id" in item)


def read_tracker(item: Mapping[str, object], row: int, place: str) -> Iterator[Entry]:
    """Yield one dialogue for each session; a tracker in which nobody spoke is one without turns.

    The id is the sender's, with the number of the session behind it where there are several.
    """
    findings = Findings(place)
    sender, sessions, events = "", [_Session()], item["events"]
    if "sender_id" not in item:
        findings.fault(say("the key 'sender_id' is missing: export complete trackers"))
    else:
        sender = findings.attempt(read_name, item["sender_id"], "sender_id") or ""
    if events is None or isinstance(events, list):
        sessions = _read_sessions(events or [], findings)
    else:
        findings.fault(say("the events are {kind_of}, not a list", kind_of=kind_of(events)))
    if findings.faults:
        yield findings.entry(None)
        return
    for number, session in enumerate(sessions, 1):
        name = sender if len(sessions) == 1 else f"{sender}/{number}"
        bot = next(iter(session.assistants)) if len(session.assistants) == 1 else None
        dialogue = Dialogue(name, tuple(session.turns), bot=bot, user=sender, row=row, began=session.began)
        yield Entry(place, dialogue, remarks=tuple(findings.remarks) if number == 1 else ())


def read_trackers(item: Mapping[str, object], row: int, place: str) -> Iterator[Entry]:
    """Yield the dialogues of trackers under the names of their senders."""
    for sender, tracker in item.items():
        if isinstance(tracker, dict):
            yield from read_tracker({"sender_id": sender, **tracker}, row, f"{place}, sender '{sender[:60]}'")


def _read_sessions(events: Sequence[object], findings: Findings) -> list[_Session]:
    sessions = [_Session()]
    for place, event in enumerate(events, 1):
        if not isinstance(event, dict) or not isinstance(event.get("event"), str):
            findings.fault(
                say("event {place} is {kind_of} without the key 'event'", place=place, kind_of=kind_of(event))
            )
        elif event["event"] in STARTS or (event["event"] == "action" and event.get("name") == SESSION_ACTION):
            if sessions[-1].turns:
                sessions.append(_Session())
        elif event["event"] in SPOKEN:
            _add(event, place, sessions[-1], findings)
    if len(sessions) > 1 and not sessions[-1].turns:
        sessions.pop()
        findings.remark("the last session is skipped because it has no messages")
    return sessions


def _add(event: Mapping[str, object], place: int, session: _Session, findings: Findings) -> None:
    text = event.get("text")
    if text is not None and not isinstance(text, str):
        findings.fault(say("event {place}: the text is {kind_of}, not text", place=place, kind_of=kind_of(text)))
    elif text in COMMANDS and event["event"] == "user":
        findings.remark(f"the command '{text}' is skipped: it is not a message")
    else:  # a picture or buttons alone have no text; the turn is kept
        session.turns.append(Utterance(str(event["event"]), text or "", SPOKEN[str(event["event"])]))
        if len(session.turns) == 1 and event.get("timestamp"):
            session.began = parse_date(event["timestamp"])
        metadata = event.get("metadata")
        assistant = metadata.get("assistant_id") if isinstance(metadata, dict) else None
        if isinstance(assistant, str) and assistant:
            session.assistants.add(assistant)
