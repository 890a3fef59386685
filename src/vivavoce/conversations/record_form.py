"""Plans, transcripts and the head of a run as JSON for the record: short, exact, and readable years later.

A record holds its plan, so that a run can be judged without its files. What has its default is left out.
"""

from __future__ import annotations

import json
from typing import Any

from vivavoce.bots.protocol import BotFacts, Fallback, Limits
from vivavoce.codec import Hook, from_json, hook, shape, to_json, wrong
from vivavoce.conversations.scenario import (
    Defaults,
    Expectation,
    FallbackRule,
    Match,
    Pattern,
    Plan,
    Script,
    ScriptTurn,
    SuiteRules,
)
from vivavoce.conversations.transcript import ConversationKey, Exchange, RunHeader, Session, Transcript
from vivavoce.records import Action, Guess, Reply

__all__ = [
    "MAX_RAW",
    "exchange_from_text",
    "exchange_to_text",
    "header_from_text",
    "header_to_text",
    "to_json",
    "transcript_from_text",
    "transcript_to_text",
]

# A payload is kept to look things up; beyond this it is no longer read by anyone.
MAX_RAW = 16_384
REMEDY = "use the record as vivavoce wrote it, or run the conversations again"
# Plain ASCII: a reply may hold half a character, which no database takes as it is.
_encode = json.JSONEncoder(separators=(",", ":"), default=str).encode


def exchange_to_text(exchange: Exchange) -> str:
    """Return an exchange as one line of JSON."""
    content = to_json(exchange)
    text = _encode(content)
    # Looking at the whole first spares writing every payload twice.
    if len(text) > MAX_RAW and "raw" in content.get("reply", ()):
        raw = _encode(content["reply"]["raw"])
        if len(raw) > MAX_RAW:
            content["reply"]["raw"] = f"{raw[:MAX_RAW]}... ({len(raw):,} characters)"
            return _encode(content)
    return text


def exchange_from_text(number: int, text: str) -> Exchange:
    """Return the exchange that was written."""
    return from_json(Exchange, {**json.loads(text), "number": number}, what="this exchange", remedy=REMEDY)


def transcript_to_text(transcript: Transcript) -> str:
    """Return a conversation as JSON: how it ended, and its numbered exchanges; its key is kept elsewhere."""
    exchanges = ",".join(f"[{each.number},{exchange_to_text(each)}]" for each in transcript.exchanges)
    return f'{_encode(to_json(transcript))[:-1]},"exchanges":[{exchanges}]}}'


def transcript_from_text(key: ConversationKey, text: str | bytes) -> Transcript:
    """Return the conversation that was written."""
    content = json.loads(text)
    content["key"] = key
    return from_json(Transcript, content, what="this conversation", remedy=REMEDY)


def header_to_text(header: RunHeader) -> str:
    """Return the head of a run as JSON."""
    return _encode(to_json(header))


def header_from_text(text: str) -> RunHeader:
    """Return the head that was written."""
    return from_json(RunHeader, json.loads(text), what="the header of this run", remedy=REMEDY)


# --- tables ------------------------------------------------------------------------------------------------------


def _write_pattern(pattern: Pattern) -> Any:
    if pattern.match is None and pattern.minimum is None:
        return pattern.text
    content = {"text": pattern.text, "match": pattern.match and pattern.match.value, "minimum": pattern.minimum}
    return {key: value for key, value in content.items() if value is not None}


def _read_pattern(value: Any, _: Any) -> Pattern:
    if isinstance(value, str):
        return Pattern(value)
    if not isinstance(value, dict) or "text" not in value:
        raise wrong(value, "an expected text")
    match = value.get("match")
    return Pattern(value["text"], None if match is None else Match(match), value.get("minimum"))


def _read_exchanges(value: Any, read_as: Any) -> tuple[Exchange, ...]:
    for number, content in value:
        content["number"] = number
    exchanges: tuple[Exchange, ...] = read_as([content for _, content in value], tuple[Exchange, ...])
    return exchanges


# What a bot or a file gave is kept as it came.
_AS_IT_CAME = Hook(dict, lambda value, _: value)
hook(Pattern, _write_pattern, _read_pattern)
shape(Plan, order="suite language defaults fallback notice hash rules scripts", brief=True)
shape(Script, order="id suite scenario title domain level tags on_mismatch version setup_slots turns", brief=True)
shape(Expectation, brief=True, hooks=dict.fromkeys(("slots", "slots_after", "extras"), _AS_IT_CAME))
for _kind in (ScriptTurn, Defaults, FallbackRule, SuiteRules):
    shape(_kind, brief=True)
for _facts in (BotFacts, Limits, Fallback, RunHeader):
    shape(_facts, lenient=True)
hook(Action, lambda action: [action.name, action.args, action.raw], lambda value, _: Action(*value))
hook(Guess, lambda guess: [guess.intent, guess.confidence], lambda value, _: Guess(*value))
hook(Session, lambda session: [session.name, session.attempt], lambda value, _: Session(*value))
shape(
    Reply,
    order="texts intent confidence slots buttons fallback seconds actions guess raw",
    brief=True,
    trusted=True,
    hooks={"slots": _AS_IT_CAME},
)
shape(
    Exchange,
    order="sent status reply first_ms last_ms lag_ms error replayed cold values attempts",
    brief=True,
    trusted=True,
    hooks={"values": _AS_IT_CAME},
)
shape(
    Transcript,
    order="state note sessions",
    optional="sessions",
    trusted=True,
    # Exchanges are written one by one, and the key is known.
    hooks={"key": Hook(lambda _: None, lambda key, _: key), "exchanges": Hook(lambda _: None, _read_exchanges)},
)
