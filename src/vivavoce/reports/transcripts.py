"""Conversations side by side: the same messages, what each bot said to them, and what that came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vivavoce.conversations.record import RunRecord
from vivavoce.conversations.result import ConversationsResult, Line
from vivavoce.conversations.scenario import Script, ScriptTurn
from vivavoce.conversations.transcript import TalkKey, Transcript
from vivavoce.errors import plural
from vivavoce.outcomes import TurnOutcome
from vivavoce.reports.conversation_meanings import milliseconds_text
from vivavoce.reports.tags import Html, details, join, table, tag
from vivavoce.reports.talks import said_and_answered

# A page with thousands of conversations opens slowly and is read by nobody; the table of turns has them all.
MOST_TALKS = 200
MOST_TEXT = 600
Lines = Mapping[tuple[TalkKey, int], Line]


def about_transcripts(result: ConversationsResult, record: RunRecord) -> Html:
    """Return the conversations of the first repeat, those with faults first within their level."""
    lines: Lines = {(line.key, line.number): line for line in result.lines}
    bots = [bot.name for bot in result.header.bots]
    ranked = sorted(result.header.plan.scripts, key=lambda script: -_faults(script, bots, lines))
    shown = ranked[:MOST_TALKS]
    levels = list(dict.fromkeys(script.level for script in result.header.plan.scripts))
    parts = [_level(level, [s for s in shown if s.level == level], bots, lines, record) for level in levels]
    left = len(ranked) - len(shown)
    rest = f"{plural(left, 'conversation')} more in the table of turns (`--turns`)." if left else ""
    said = "Every conversation as it was held, the same messages side by side; those with the most faults first."
    heading = tag("h2", "The conversations side by side")
    return tag("section", heading, tag("p", said), *parts, tag("p", rest, class_="muted") if rest else None)


def _faults(script: Script, bots: Sequence[str], lines: Lines) -> int:
    keys = [(TalkKey(bot, script.id), turn.number) for bot in bots for turn in script.turns]
    outcomes = [lines[key].verdict.outcome for key in keys if key in lines]
    return sum(outcome.counted and not outcome.passed for outcome in outcomes)


def _level(
    level: str, scripts: Sequence[Script], bots: Sequence[str], lines: Lines, record: RunRecord
) -> Html | None:
    if not scripts:
        return None
    talks = [_talk(script, bots, lines, record) for script in scripts]
    return details(f"{level.capitalize()} ({plural(len(scripts), 'conversation')})", *talks)


def _talk(script: Script, bots: Sequence[str], lines: Lines, record: RunRecord) -> Html:
    transcripts = {bot: record.transcript(TalkKey(bot, script.id)) for bot in bots}
    passed = [f"{bot} {_score(script, bot, lines)}" for bot in bots]
    title = join([tag("b", script.title or script.id), tag("span", f" {', '.join(passed)}", class_="muted")])
    rows = [
        (_asked(turn, transcripts), *[_answer(turn, lines, transcripts[bot]) for bot in bots])
        for turn in script.turns
    ]
    caption = f"{script.id}, {script.domain or 'no domain'}, {script.level}"
    return details(title, table(caption, ("Visitor", *bots), rows), class_="talk")


def _score(script: Script, bot: str, lines: Lines) -> str:
    found = [lines.get((TalkKey(bot, script.id), turn.number)) for turn in script.turns]
    counted = [line for line in found if line is not None and line.verdict.outcome.counted]
    return f"{sum(line.verdict.outcome.passed for line in counted)} of {len(counted)}"


def _asked(turn: ScriptTurn, transcripts: Mapping[str, Transcript]) -> Html:
    sent = next((s for t in transcripts.values() if (s := said_and_answered(t, turn.number)[0])), turn.text)
    wanted = _wanted(turn)
    kind = "" if turn.kind == "clean" else f"{turn.kind} "
    return join([_cut(sent), tag("small", f"{kind}{wanted}") if kind or wanted else None])


def _wanted(turn: ScriptTurn) -> str:
    if not turn.expect.counted:
        return ""
    return "should decline" if turn.expect.fallback else f"expects {' or '.join(turn.expect.intents) or 'a reply'}"


def _answer(turn: ScriptTurn, lines: Lines, transcript: Transcript) -> Html:
    line = lines.get((transcript.key, turn.number))
    _, answer = said_and_answered(transcript, turn.number)
    outcome = line.verdict.outcome if line else TurnOutcome.NOT_REACHED
    good = "good" if outcome.passed else "neutral" if not outcome.counted else "bad"
    mark = tag("span", str(outcome).replace("_", " "), class_=f"mark {good}", title=outcome.meaning)
    why = "; ".join(line.verdict.reasons) if line and not outcome.passed else ""
    took = milliseconds_text(line.first_ms) if line and line.first_ms is not None else ""
    topic = line.verdict.intent if line and line.verdict.intent else ""
    facts = ", ".join(part for part in (topic, took) if part)
    return join(
        [mark, tag("span", _cut(answer), class_="said"), tag("small", facts), tag("small", why) if why else None]
    )


def _cut(text: str) -> str:
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}..."
