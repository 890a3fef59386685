"""Conversations side by side: the same messages, what each bot said to them, and what that came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vivavoce.conversations.result import Change, ConversationsResult, Line, RunDiff
from vivavoce.conversations.running.record import RunRecord
from vivavoce.conversations.scenario import Kind, Script, ScriptTurn
from vivavoce.conversations.transcript import ConversationKey, Exchange, Transcript
from vivavoce.outcomes import TurnOutcome
from vivavoce.records import Status
from vivavoce.reports.conversations import wording
from vivavoce.reports.shared.numbers import milliseconds_text
from vivavoce.reports.shared.texts import CUT, cut, shorten, visible

# Nobody reads a page with thousands of conversations; the table of turns has them all.
MAX_CONVERSATIONS = 200
MAX_TEXT = 600
KINDS = {Kind.TYPO: "misspelt", Kind.PARAPHRASE: "paraphrase", Kind.SMALLTALK: "small talk"}
Lines = Mapping[tuple[ConversationKey, int], Line]


def exchange_at(transcript: Transcript, number: int) -> Exchange | None:
    """Return the exchange of a turn, or nothing where the talk did not get there."""
    return next((exchange for exchange in transcript.exchanges if exchange.number == number), None)


def find_texts(transcript: Transcript, number: int) -> tuple[str, str]:
    """Return what the visitor wrote and what came back, in words where nothing did."""
    exchange = exchange_at(transcript, number)
    if exchange is None:
        return "", f"({Status.NOT_REACHED.meaning})"
    if exchange.reply is not None and exchange.status is Status.OK:
        return exchange.sent, exchange.reply.shown
    return exchange.sent, f"({exchange.error or exchange.status.meaning})"


def example_of(record: RunRecord, key: ConversationKey, number: int, most: int) -> tuple[str, str]:
    """Return message and reply short enough for an example; a notice that stands before every talk is left out."""
    sent, answer = find_texts(record.transcript(key), number)
    return shorten(sent, most), gist(answer, record.header.plan.notice, most)


def gist(reply: str, notice: str = "", most: int = 140) -> str:
    """Return a reply without the bubble that holds the notice; of a long one the last bubbles, which answer.

    `notice` has a line for each suite that has one.
    """
    bubbles = [line for line in reply.splitlines() if line.strip()]
    notices = [line.strip() for line in notice.splitlines() if line.strip()]
    lines = [line for line in bubbles if not any(known in line for known in notices)] or bubbles
    last = 1
    while last < len(lines) and len(" ".join(lines[-last - 1 :])) <= most:
        last += 1
    before = f"{CUT} " if last < len(lines) else ""
    return before + shorten(" ".join(lines[-last:]), most - len(before))


def key_before(diff: RunDiff, change: Change) -> ConversationKey:
    """Return the talk of the earlier run that a change is about: its bot may have had another name."""
    names = [bot.name for bot in diff.before.bots]
    bot = change.key.bot if change.key.bot in names else names[0]
    return ConversationKey(bot, change.key.script, change.key.repeat)


class Answer(NamedTuple):
    """What a bot said to a message, what became of it, and what else is known."""

    bot: str
    text: str
    outcome: TurnOutcome
    notes: tuple[str, ...]


class Message(NamedTuple):
    """What the visitor wrote, what it should bring, and what each bot answered."""

    text: str
    note: str
    answers: list[Answer]


class Conversation(NamedTuple):
    """One conversation with every bot."""

    script: Script
    scores: str
    messages: list[Message]


def conversations_by_level(
    result: ConversationsResult, record: RunRecord
) -> tuple[list[tuple[str, list[Conversation]]], int]:
    """Return the conversations of the first repeat by level, those with most faults first, and how many are left."""
    lines: Lines = {(line.key, line.number): line for line in result.lines}
    bots = [bot.name for bot in result.header.bots]
    # The record has the scripts whole; a result that was read back knows them by name.
    scripts = record.header.plan.scripts
    faults = {
        script.id: sum(not outcome.passed for outcome in _list_outcomes(script, bots, lines)) for script in scripts
    }
    first = sorted(scripts, key=lambda script: -faults[script.id])[:MAX_CONVERSATIONS]
    parts: dict[str, list[Conversation]] = {}
    for script in first:
        parts.setdefault(script.level, []).append(_build_conversation(script, bots, lines, record))
    levels = [level for level in wording.level_order(script.level for script in scripts) if level in parts]
    return [(level, parts[level]) for level in levels], len(scripts) - len(first)


def _build_conversation(script: Script, bots: Sequence[str], lines: Lines, record: RunRecord) -> Conversation:
    transcripts = {bot: record.transcript(ConversationKey(bot, script.id)) for bot in bots}
    messages = []
    for turn in script.turns:
        sent = next((s for t in transcripts.values() if (s := find_texts(t, turn.number)[0])), turn.text)
        if not turn.expect.counted:
            expected = "nothing expected"
        elif turn.expect.fallback:
            expected = "should decline"
        else:
            actions = " and ".join(action.name for action in turn.expect.all_actions)
            expected = f"expects {' or '.join(turn.expect.intents) or actions or 'a reply'}"
        note = ", ".join(filter(None, (KINDS.get(turn.kind, ""), expected)))
        answers = [_build_answer(turn, lines, transcripts[bot]) for bot in bots]
        messages.append(Message(cut(visible(sent), MAX_TEXT), note, answers))
    scores = []
    for bot in bots:
        outcomes = _list_outcomes(script, [bot], lines)
        passed = f"{sum(outcome.passed for outcome in outcomes)} of {len(outcomes)}" if outcomes else "n/a"
        scores.append(f"{bot} {passed}")
    return Conversation(script, ", ".join(scores), messages)


def _list_outcomes(script: Script, bots: Sequence[str], lines: Lines) -> list[TurnOutcome]:
    keys = [(ConversationKey(bot, script.id), turn.number) for bot in bots for turn in script.turns]
    outcomes = [lines[key].verdict.outcome for key in keys if key in lines]
    return [outcome for outcome in outcomes if outcome.counted]


def _build_answer(turn: ScriptTurn, lines: Lines, transcript: Transcript) -> Answer:
    line = lines.get((transcript.key, turn.number))
    text = cut(visible(find_texts(transcript, turn.number)[1]), MAX_TEXT)
    if line is None:
        return Answer(transcript.key.bot, text, TurnOutcome.NOT_REACHED, ())
    outcome = line.verdict.outcome
    why = "; ".join(line.verdict.reasons) if outcome.counted and not outcome.passed else ""
    took = "" if line.first_ms is None else milliseconds_text(line.first_ms)
    facts = ", ".join(filter(None, (line.verdict.intent, took)))
    return Answer(transcript.key.bot, text, outcome, tuple(filter(None, (why, facts))))
