"""What was said in a conversation, as views show it."""

from __future__ import annotations

import re

from vivavoce.conversations.result import Change, RunDiff
from vivavoce.conversations.running.record import RunRecord
from vivavoce.conversations.transcript import Exchange, TalkKey, Transcript
from vivavoce.records import Status

CUT = "..."


def exchange_at(transcript: Transcript, number: int) -> Exchange | None:
    """Return the exchange of a turn, or nothing where the talk did not get there."""
    return next((exchange for exchange in transcript.exchanges if exchange.number == number), None)


def said_and_answered(transcript: Transcript, number: int) -> tuple[str, str]:
    """Return what the visitor wrote and what came back, in words where nothing did."""
    exchange = exchange_at(transcript, number)
    if exchange is None:
        return "", f"({Status.NOT_REACHED.meaning})"
    if exchange.reply is not None and exchange.status is Status.OK:
        return exchange.sent, exchange.reply.shown
    return exchange.sent, f"({exchange.error or exchange.status.meaning})"


def example_of(record: RunRecord, key: TalkKey, number: int, most: int) -> tuple[str, str]:
    """Return message and reply short enough for an example; a notice that stands before every talk is left out."""
    sent, answer = said_and_answered(record.transcript(key), number)
    return shorten(sent, most), gist(answer, record.header.plan.notice, most)


def gist(reply: str, notice: str = "", most: int = 140) -> str:
    """Return a reply without the bubble that holds the notice; of a long one the last bubbles, which answer."""
    bubbles = [line for line in reply.splitlines() if line.strip()]
    told = [line for line in bubbles if not (notice and notice.strip() in line)] or bubbles
    kept = told[-1:]
    while len(kept) < len(told) and len(" ".join(told[-len(kept) - 1 :])) <= most:
        kept = told[-len(kept) - 1 :]
    before = f"{CUT} " if len(kept) < len(told) else ""
    return before + shorten(" ".join(kept), most - len(before))


def shorten(text: str, most: int = 140) -> str:
    """Return a text on one line and not longer than `most`, cut between words where that is possible."""
    flat = " ".join(visible(text).split())
    if len(flat) <= most:
        return flat
    cut = flat[: most - len(CUT)]
    words = cut.rpartition(" ")[0]
    return (words if len(words) > most // 2 else cut) + CUT


def visible(text: str) -> str:
    """Leave out characters that steer a terminal or turn the direction of a line: a bot may send anything."""
    return _STEERING.sub("", text)


_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def key_before(diff: RunDiff, change: Change) -> TalkKey:
    """Return the talk of the earlier run that a change is about: its bot may have had another name."""
    names = [bot.name for bot in diff.before.bots]
    bot = change.key.bot if change.key.bot in names else names[0]
    return TalkKey(bot, change.key.script, change.key.repeat)
