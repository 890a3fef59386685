"""What was said in a conversation, as views show it."""

from __future__ import annotations

from vivavoce.conversations.result import Change, RunDiff
from vivavoce.conversations.running.record import RunRecord
from vivavoce.conversations.transcript import ConversationKey, Exchange, Transcript
from vivavoce.records import Status
from vivavoce.reports.shared.texts import CUT, shorten


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


def example_of(record: RunRecord, key: ConversationKey, number: int, most: int) -> tuple[str, str]:
    """Return message and reply short enough for an example; a notice that stands before every talk is left out."""
    sent, answer = said_and_answered(record.transcript(key), number)
    return shorten(sent, most), gist(answer, record.header.plan.notice, most)


def gist(reply: str, notice: str = "", most: int = 140) -> str:
    """Return a reply without the bubble that holds the notice; of a long one the last bubbles, which answer.

    `notice` has a line for each suite that has one.
    """
    bubbles = [line for line in reply.splitlines() if line.strip()]
    notices = [line.strip() for line in notice.splitlines() if line.strip()]
    told = [line for line in bubbles if not any(known in line for known in notices)] or bubbles
    kept = told[-1:]
    while len(kept) < len(told) and len(" ".join(told[-len(kept) - 1 :])) <= most:
        kept = told[-len(kept) - 1 :]
    before = f"{CUT} " if len(kept) < len(told) else ""
    return before + shorten(" ".join(kept), most - len(before))


def key_before(diff: RunDiff, change: Change) -> ConversationKey:
    """Return the talk of the earlier run that a change is about: its bot may have had another name."""
    names = [bot.name for bot in diff.before.bots]
    bot = change.key.bot if change.key.bot in names else names[0]
    return ConversationKey(bot, change.key.script, change.key.repeat)
