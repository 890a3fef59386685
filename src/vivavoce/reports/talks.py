"""What was said in a conversation, as views show it."""

from __future__ import annotations

from vivavoce.conversations.transcript import Exchange, Transcript
from vivavoce.records import Status


def exchange_at(transcript: Transcript, number: int) -> Exchange | None:
    """Return the exchange of a turn, or nothing where the talk did not get there."""
    return next((exchange for exchange in transcript.exchanges if exchange.number == number), None)


def said_and_answered(transcript: Transcript, number: int) -> tuple[str, str]:
    """Return what the visitor wrote and what came back, in words where nothing did."""
    exchange = exchange_at(transcript, number)
    if exchange is None:
        return "", Status.NOT_REACHED.meaning
    if exchange.reply is not None and exchange.status is Status.OK:
        return exchange.sent, exchange.reply.text or " / ".join(exchange.reply.buttons)
    return exchange.sent, f"({exchange.error or exchange.status.meaning})"
