"""From what was said to what was found: transcripts to judged lines, lines to numbers with intervals. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from vivavoce.conversations.findings.cells import Exam, make_cells, topic_rows
from vivavoce.conversations.findings.columns import Columns, columns_of
from vivavoce.conversations.findings.comparison import compare_bots, rank_bots
from vivavoce.conversations.findings.health import (
    find_delays,
    find_health,
    find_unchecked,
    warn_of_delays,
    warn_of_gap,
    warn_of_levels,
)
from vivavoce.conversations.findings.problems import find_problems
from vivavoce.conversations.findings.units import find_unstable
from vivavoce.conversations.result import ALL, Cell, ConversationsResult, Health, Line, Verdict
from vivavoce.conversations.scenario import Script, ScriptTurn
from vivavoce.conversations.transcript import Exchange, RunHeader, Transcript
from vivavoce.errors import DataError, nearest
from vivavoce.messages import say, say_count
from vivavoce.records import Status

if TYPE_CHECKING:
    from vivavoce.text.vectors import Encoder

# Fewer scenarios than this, and an interval is a rough guess.
FEW_SCENARIOS = 10


def make_lines(
    header: RunHeader, transcripts: Iterable[Transcript], *, encoder: Encoder | None = None
) -> Iterator[Line]:
    """Judge every turn of every script that was held, one line each; transcripts are read as they come."""
    from vivavoce.conversations.judging.judge import judge

    scripts = {script.id: script for script in header.plan.scripts}
    bots = {bot.name: bot for bot in header.bots}
    for transcript in transcripts:
        for what, name, known in (("script", transcript.key.script, scripts), ("bot", transcript.key.bot, bots)):
            if name not in known:
                raise DataError(
                    f"a conversation refers to the {what} '{name}', which is not in the run."
                    f"{nearest(name, list(known))}",
                    where=f"run {header.run}",
                    remedy="the record was edited or mixed with another one: run the suite again",
                )
        script, bot = scripts[transcript.key.script], bots[transcript.key.bot]
        plan, held = header.plan.of(script), {exchange.number: exchange for exchange in transcript.exchanges}
        for turn in script.turns:
            exchange = held.get(turn.number)
            verdict = judge(turn, exchange, bot, plan, encoder=encoder)
            yield line_of(transcript, script, turn, exchange, verdict)


def line_of(
    transcript: Transcript, script: Script, turn: ScriptTurn, exchange: Exchange | None, verdict: Verdict
) -> Line:
    """Return the line of one judged turn; without an exchange it was not reached."""
    return Line(
        key=transcript.key,
        number=turn.number,
        turn=turn.id,
        scenario=script.scenario,
        domain=script.domain,
        level=script.level,
        kind=str(turn.kind),
        expected=turn.expect.intents,
        verdict=verdict,
        status=str(exchange.status if exchange else Status.NOT_REACHED),
        first_ms=exchange.first_ms if exchange else None,
        last_ms=exchange.last_ms if exchange else None,
        attempts=exchange.attempts if exchange else 0,
        cold=exchange.cold if exchange else False,
        twin=turn.twin,
        lag_ms=exchange.lag_ms if exchange else 0.0,
    )


def find(
    header: RunHeader, lines: Iterable[Line], *, failures: Sequence[str] = (), seed: int = 0
) -> ConversationsResult:
    """Return all findings of a run from its judged lines, in whatever order they come."""
    columns = columns_of(lines, [bot.name for bot in header.bots], header.plan)
    facts = {bot.name: bot for bot in header.bots}
    # Whether a bot names its topics, or they are judged by its replies alone.
    naming = {line.key.bot for line in columns.lines if line.verdict.intent is not None}
    naming |= {bot.name for bot in header.bots if bot.reports_intent}
    sources = {name: "bot" if name in naming else "reply_only" for name in columns.bots}
    exam = Exam.of(columns, sources)
    cells, health = make_cells(exam), find_health(exam, header.plan, header.bots)
    unchecked, delays = find_unchecked(columns), find_delays(columns)
    return ConversationsResult(
        header=header,
        cells=cells,
        topics=topic_rows(columns),
        comparisons=compare_bots(columns, sources),
        strengths=rank_bots(columns, seed=seed),
        problems=find_problems(columns, exam.units.typo, exam.units.clean, facts),
        unstable=find_unstable(columns),
        health=health,
        lines=columns.lines,
        warnings=(*map(warn_of_gap, unchecked), *warn_of_delays(delays), *_warnings(header, columns, cells, health)),
        failures=tuple(failures),
        unchecked=unchecked,
        delays=delays,
    )


def _warnings(header: RunHeader, columns: Columns, cells: Sequence[Cell], health: Health) -> Iterator[str]:
    """Say what the reader must know before trusting a number."""
    totals = [cell for cell in cells if (cell.domain, cell.level) == (ALL, ALL)]
    held = sum(cell.conversations for cell in totals)
    planned = len(header.plan.scripts) * len(header.bots) * header.repeats
    if held < planned:
        yield say(
            "{planned:,} of {conversations} missing: resume the run to complete it",
            planned=planned - held,
            conversations=say_count(planned, "{n} conversation", "{n} conversations"),
        )
    for cell in totals:
        if cell.incomplete:
            yield say(
                "{bot} is incomplete: {error:,} of {turns} failed to run",
                bot=cell.bot,
                error=cell.counts.error,
                turns=say_count(cell.turns, "{n} turn", "{n} turns"),
            )
    scenarios = len(set(columns.scenario_cluster.tolist()))
    if 0 < scenarios < FEW_SCENARIOS:
        yield say(
            "only {scenarios}: intervals are wide, and few differences can be shown",
            scenarios=say_count(scenarios, "{n} scenario", "{n} scenarios"),
        )
    if len({cell.intent_source for cell in totals}) > 1:
        yield say("some bots report topics and others are judged by their replies alone: compare them with care")
    if health.leaks:
        messages = say_count(len(health.leaks), "{n} message", "{n} messages")
        yield say("a bot's training examples contain {found}, which only tests its memory", found=messages)
    yield from warn_of_levels(health.difficulty)
