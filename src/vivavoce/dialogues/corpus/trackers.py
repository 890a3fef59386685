"""Trackers as Rasa stores them: the events of one sender, cut into dialogues where a session starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from vivavoce.dialogues.corpus.entries import Entry, Findings
from vivavoce.dialogues.corpus.values import kind_of, read_name
from vivavoce.dialogues.dialogue import Dialogue, Utterance
from vivavoce.files.dates import parse_date
from vivavoce.messages import say

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
