"""Conversations side by side: the same messages, what each bot said to them, and what that came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vivavoce.conversations.result import ConversationsResult, Line
from vivavoce.conversations.running.record import RunRecord
from vivavoce.conversations.scenario import Kind, Script, ScriptTurn
from vivavoce.conversations.transcript import TalkKey, Transcript
from vivavoce.outcomes import TurnOutcome
from vivavoce.reports.conversations import wording
from vivavoce.reports.conversations.exchanges import said_and_answered
from vivavoce.reports.shared.numbers import milliseconds_text
from vivavoce.reports.shared.texts import cut, visible

# A page with thousands of conversations opens slowly and is read by nobody; the table of turns has them all.
MAX_CONVERSATIONS = 200
MAX_TEXT = 600
KINDS = {Kind.TYPO: "misspelt", Kind.PARAPHRASE: "paraphrase", Kind.SMALLTALK: "small talk"}
Lines = Mapping[tuple[TalkKey, int], Line]


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
    ranked = sorted(scripts, key=lambda script: -_count_faults(script, bots, lines))
    shown = ranked[:MAX_CONVERSATIONS]
    levels = wording.level_order(script.level for script in scripts)
    parts = [(level, [_conversation(s, bots, lines, record) for s in shown if s.level == level]) for level in levels]
    return [(level, found) for level, found in parts if found], len(ranked) - len(shown)


def _count_faults(script: Script, bots: Sequence[str], lines: Lines) -> int:
    keys = [(TalkKey(bot, script.id), turn.number) for bot in bots for turn in script.turns]
    outcomes = [lines[key].verdict.outcome for key in keys if key in lines]
    return sum(outcome.counted and not outcome.passed for outcome in outcomes)


def _conversation(script: Script, bots: Sequence[str], lines: Lines, record: RunRecord) -> Conversation:
    transcripts = {bot: record.transcript(TalkKey(bot, script.id)) for bot in bots}
    messages = []
    for turn in script.turns:
        sent = next((s for t in transcripts.values() if (s := said_and_answered(t, turn.number)[0])), turn.text)
        note = ", ".join(part for part in (KINDS.get(turn.kind, ""), _expectation(turn)) if part)
        answers = [_answer(turn, lines, transcripts[bot]) for bot in bots]
        messages.append(Message(cut(visible(sent), MAX_TEXT), note, answers))
    return Conversation(script, ", ".join(f"{bot} {_score(script, bot, lines)}" for bot in bots), messages)


def _score(script: Script, bot: str, lines: Lines) -> str:
    found = [lines.get((TalkKey(bot, script.id), turn.number)) for turn in script.turns]
    counted = [line for line in found if line is not None and line.verdict.outcome.counted]
    return f"{sum(line.verdict.outcome.passed for line in counted)} of {len(counted)}" if counted else "n/a"


def _expectation(turn: ScriptTurn) -> str:
    if not turn.expect.counted:
        return "nothing expected"
    if turn.expect.fallback:
        return "should decline"
    actions = " and ".join(action.name for action in turn.expect.all_actions)
    return f"expects {' or '.join(turn.expect.intents) or actions or 'a reply'}"


def _answer(turn: ScriptTurn, lines: Lines, transcript: Transcript) -> Answer:
    line = lines.get((transcript.key, turn.number))
    text = cut(visible(said_and_answered(transcript, turn.number)[1]), MAX_TEXT)
    if line is None:
        return Answer(transcript.key.bot, text, TurnOutcome.NOT_REACHED, ())
    outcome = line.verdict.outcome
    why = "; ".join(line.verdict.reasons) if outcome.counted and not outcome.passed else ""
    took = "" if line.first_ms is None else milliseconds_text(line.first_ms)
    facts = ", ".join(part for part in (line.verdict.intent, took) if part)
    return Answer(transcript.key.bot, text, outcome, tuple(part for part in (why, facts) if part))
