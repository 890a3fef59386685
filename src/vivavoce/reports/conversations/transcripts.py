"""Conversations side by side: the same messages, what each bot said to them, and what that came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vivavoce.conversations.result import ConversationsResult, Line
from vivavoce.conversations.running.record import RunRecord
from vivavoce.conversations.scenario import Kind, Script, ScriptTurn
from vivavoce.conversations.transcript import TalkKey, Transcript
from vivavoce.errors import plural
from vivavoce.outcomes import TurnOutcome
from vivavoce.reports.conversations import wording
from vivavoce.reports.conversations.meanings import milliseconds_text, outcome_name
from vivavoce.reports.conversations.talks import said_and_answered, visible
from vivavoce.reports.shared.parts import prose
from vivavoce.reports.shared.tags import Html, details, join, table, tag

# A page with thousands of conversations opens slowly and is read by nobody; the table of turns has them all.
MOST_TALKS = 200
MOST_TEXT = 600
KINDS = {Kind.TYPO: "misspelt", Kind.PARAPHRASE: "paraphrase", Kind.SMALLTALK: "small talk"}
Lines = Mapping[tuple[TalkKey, int], Line]


def about_transcripts(result: ConversationsResult, record: RunRecord) -> Html:
    """Return the conversations of the first repeat by level, those with most faults first."""
    lines: Lines = {(line.key, line.number): line for line in result.lines}
    bots = [bot.name for bot in result.header.bots]
    # The record has the scripts whole; a result that was read back knows them by name.
    scripts = record.header.plan.scripts
    ranked = sorted(scripts, key=lambda script: -_faults(script, bots, lines))
    shown = ranked[:MOST_TALKS]
    levels = wording.level_order(script.level for script in scripts)
    parts = [_level(level, [s for s in shown if s.level == level], bots, lines, record) for level in levels]
    said = "Every conversation as it was held, the same messages side by side; those with the most faults first."
    repeats = " Of the repeats, the first is shown." if result.header.repeats > 1 else ""
    heading = tag("h2", "The conversations side by side")
    return tag("section", heading, tag("p", said + repeats), *parts, _rest(len(ranked) - len(shown)))


def _rest(left: int) -> Html | None:
    if not left:
        return None
    said = f"{plural(left, 'conversation')} with fewer faults not shown here; `--turns turns.csv` writes all of them."
    return tag("p", prose(said), class_="muted")


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
    title = join([tag("b", script.title or script.id), tag("span", f" right: {', '.join(passed)}", class_="muted")])
    rows = [
        (_asked(turn, transcripts), *[_answer(turn, lines, transcripts[bot]) for bot in bots])
        for turn in script.turns
    ]
    caption = ", ".join(part for part in (script.id, script.domain, script.level) if part)
    return details(title, table(caption, ("Visitor", *bots), rows), class_="talk")


def _score(script: Script, bot: str, lines: Lines) -> str:
    found = [lines.get((TalkKey(bot, script.id), turn.number)) for turn in script.turns]
    counted = [line for line in found if line is not None and line.verdict.outcome.counted]
    return f"{sum(line.verdict.outcome.passed for line in counted)} of {len(counted)}" if counted else "n/a"


def _asked(turn: ScriptTurn, transcripts: Mapping[str, Transcript]) -> Html:
    sent = next((s for t in transcripts.values() if (s := said_and_answered(t, turn.number)[0])), turn.text)
    notes = ", ".join(part for part in (KINDS.get(turn.kind, ""), _wanted(turn)) if part)
    return join([tag("span", _cut(sent), class_="said"), tag("small", notes) if notes else None])


def _wanted(turn: ScriptTurn) -> str:
    if not turn.expect.counted:
        return "nothing expected"
    if turn.expect.fallback:
        return "should decline"
    actions = " and ".join(action.name for action in turn.expect.all_actions)
    return f"expects {' or '.join(turn.expect.intents) or actions or 'a reply'}"


def _answer(turn: ScriptTurn, lines: Lines, transcript: Transcript) -> Html:
    line = lines.get((transcript.key, turn.number))
    _, answer = said_and_answered(transcript, turn.number)
    outcome = line.verdict.outcome if line else TurnOutcome.NOT_REACHED
    why = "; ".join(line.verdict.reasons) if line and outcome.counted and not outcome.passed else ""
    took = milliseconds_text(line.first_ms) if line and line.first_ms is not None else ""
    topic = line.verdict.intent if line and line.verdict.intent else ""
    facts = ", ".join(part for part in (topic, took) if part)
    who = tag("span", transcript.key.bot, class_="who")
    said = tag("span", _cut(answer), class_="said")
    return join([who, mark_of(outcome), said, *[tag("small", part) for part in (why, facts) if part]])


def mark_of(outcome: TurnOutcome) -> Html:
    """Return what became of a turn as a mark: told by words, not by colour alone."""
    good = "good" if outcome.passed else "bad" if outcome.counted else "neutral"
    return tag("span", outcome_name(outcome), class_=f"mark {good}", title=outcome.meaning)


def _cut(text: str) -> str:
    clean = visible(text)
    return clean if len(clean) <= MOST_TEXT else f"{clean[:MOST_TEXT]}..."
