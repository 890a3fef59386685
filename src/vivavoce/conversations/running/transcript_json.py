"""Transcripts as JSON for the record: short, exact, and readable years later."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from vivavoce.bots.protocol import BotFacts, Fallback, Limits, Nature
from vivavoce.conversations.scenarios.plan_json import plan_from_json, plan_to_json
from vivavoce.conversations.transcript import Exchange, RunHeader, Session, State, TalkKey, Transcript
from vivavoce.records import Action, Guess, Reply, Status

# A payload is kept to look things up; beyond this it is no longer read by anyone.
MOST_RAW = 16_384
# Plain ASCII: a reply may hold half a character, which no database takes as it is.
_encode = json.JSONEncoder(separators=(",", ":"), default=str).encode


def exchange_to_text(exchange: Exchange) -> str:
    """Return an exchange as one line of JSON; what has its default value is left out."""
    said: dict[str, Any] = {"sent": exchange.sent, "status": exchange.status}
    if exchange.reply is not None:
        said["reply"] = _reply(exchange.reply)
    for name in ("first_ms", "last_ms", "lag_ms", "error", "replayed", "cold", "values"):
        if value := getattr(exchange, name):
            said[name] = value
    if exchange.attempts != 1:
        said["attempts"] = exchange.attempts
    text = _encode(said)
    # Looking at the whole first spares writing every payload twice.
    if len(text) > MOST_RAW and "raw" in said.get("reply", ()):
        said["reply"]["raw"] = _cut(said["reply"]["raw"])
        return _encode(said)
    return text


def exchange_from_text(number: int, text: str) -> Exchange:
    """Return the exchange that was written."""
    return _exchange(number, json.loads(text))


def _exchange(number: int, written: Mapping[str, Any]) -> Exchange:
    said = dict(written)
    reply = said.pop("reply", None)
    status = Status(said.pop("status"))
    return Exchange(number=number, status=status, reply=_reply_from(reply) if reply is not None else None, **said)


def transcript_to_text(transcript: Transcript) -> str:
    """Return a conversation as JSON: how it ended, and its exchanges with their numbers; its key stands elsewhere."""
    said = ",".join(f"[{each.number},{exchange_to_text(each)}]" for each in transcript.exchanges)
    head = _encode(
        {
            "state": transcript.state,
            "note": transcript.note,
            "sessions": [[session.name, session.attempt] for session in transcript.sessions],
        }
    )
    return f'{head[:-1]},"exchanges":[{said}]}}'


def transcript_from_text(key: TalkKey, text: str | bytes) -> Transcript:
    """Return the conversation that was written."""
    said = json.loads(text)
    exchanges = tuple(_exchange(number, written) for number, written in said["exchanges"])
    sessions = tuple(Session(*each) for each in said.get("sessions", ()))
    return Transcript(key, State(said["state"]), exchanges, said["note"], sessions)


def _reply(reply: Reply) -> dict[str, Any]:
    said: dict[str, Any] = {}
    for name in ("texts", "intent", "confidence", "slots", "buttons", "fallback", "seconds"):
        value = getattr(reply, name)
        if value not in (None, (), {}):
            said[name] = dict(value) if name == "slots" else value
    if reply.actions:
        said["actions"] = [[action.name, action.args, action.raw] for action in reply.actions]
    if reply.guess is not None:
        said["guess"] = [reply.guess.intent, reply.guess.confidence]
    if reply.raw is not None:
        said["raw"] = reply.raw
    return said


def _cut(raw: object) -> object:
    text = _encode(raw)
    return raw if len(text) <= MOST_RAW else f"{text[:MOST_RAW]}... ({len(text):,} characters)"


def _reply_from(said: Mapping[str, Any]) -> Reply:
    fields = dict(said)
    guess = fields.pop("guess", None)
    for name in ("texts", "buttons"):
        fields[name] = tuple(fields.get(name, ()))
    fields["actions"] = tuple(Action(*each) for each in fields.get("actions", ()))
    return Reply(guess=Guess(*guess) if guess else None, **fields)


# --- the head of a run -------------------------------------------------------------------------------------------


def header_to_text(header: RunHeader) -> str:
    """Return the head of a run as JSON."""
    said = {
        "run": header.run,
        "version": header.version,
        "seed": header.seed,
        "plan": plan_to_json(header.plan),
        "bots": [asdict(bot) for bot in header.bots],
        "repeats": header.repeats,
        "options": dict(header.options),
        "origin": dict(header.origin),
    }
    return _encode(said)


def header_from_text(text: str) -> RunHeader:
    """Return the head that was written."""
    said = json.loads(text)
    bots = tuple(_facts(bot) for bot in said.pop("bots"))
    return RunHeader(plan=plan_from_json(said.pop("plan")), bots=bots, **said)


def _facts(said: dict[str, Any]) -> BotFacts:
    facts = BotFacts(**{**said, "limits": Limits(**said["limits"]), "fallback": _fallback(said["fallback"])})
    phrases = facts.phrases
    return replace(
        facts,
        intents=None if facts.intents is None else tuple(facts.intents),
        slots=None if facts.slots is None else tuple(facts.slots),
        phrases=None if phrases is None else {intent: tuple(texts) for intent, texts in phrases.items()},
        nature=Nature(facts.nature),
    )


def _fallback(said: Mapping[str, Any]) -> Fallback:
    return Fallback(tuple(said["intents"]), tuple(said["replies"]), said["threshold"])
