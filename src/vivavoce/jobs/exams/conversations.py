"""The exam of conversations in units: one talk with one bot is one unit, judged when all have been held."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vivavoce.bots.pace import Allowance, Pacing
from vivavoce.conversations.record_form import transcript_to_text
from vivavoce.conversations.running.holding import hold_alone
from vivavoce.conversations.running.runner import RunOptions, shuffle_talks, talks_of
from vivavoce.conversations.transcript import Exchange, RunHeader, State, TalkKey, Transcript, as_met
from vivavoce.errors import UsageError, without_remedy
from vivavoce.jobs.exams.documents import figure_documents, html_document, json_document, storable
from vivavoce.jobs.exams.kinds import CONVERSATIONS, PUBLIC_ONLY
from vivavoce.jobs.exams.protocol import (
    Conclusion,
    Document,
    Exam,
    Failure,
    Finished,
    Measure,
    Options,
    UnitPlan,
    Work,
)
from vivavoce.jobs.exams.talks import Material, Told, make_holding, open_channel, read_material, read_talk
from vivavoce.messages import Message, say, say_count
from vivavoce.records import Rate

if TYPE_CHECKING:
    from vivavoce.bots import Bot, BotFacts
    from vivavoce.conversations.result import ConversationsResult, Line
    from vivavoce.conversations.running.record import RunRecord
    from vivavoce.conversations.scenario import Script, ScriptTurn

__all__ = ["PUBLIC_ONLY", "Conversations", "TurnLine", "bots_as_met", "is_held", "lines_of", "run_options"]


@dataclass(frozen=True, slots=True)
class TurnLine:
    """One turn of a conversation, judged, with its texts; a turn that was not reached has the text of its script.

    `repeat` counts from 0, `number` from 1. `attempts` 0: nothing was sent.
    """

    bot: str
    script: str
    repeat: int
    number: int
    scenario: str
    domain: str
    level: str
    kind: str
    sent: str
    reply: str
    status: str
    outcome: str
    reasons: tuple[str, ...]
    expected: tuple[str, ...]
    intent: str | None
    confidence: float | None
    first_ms: float | None
    attempts: int
    in_scope: bool
    fallback: bool


class Conversations(Exam):
    """Scripted conversations with bots. Units wait for bots, so they are awaited here and not sent to an executor."""

    kind = CONVERSATIONS
    in_executor = False

    def limits(self, material: bytes) -> dict[str, int]:
        """Return how many conversations each bot holds at once."""
        return {bot.name: bot.limits.at_once for bot in read_material(material).header.bots}

    def plan(self, material: bytes, options: Options) -> tuple[UnitPlan, ...]:
        """Return a unit for each talk: the same talk with every bot, then the next one.

        Bots that think on our own processor come first, so that nobody is timed while they think.
        """
        header = read_material(material).header
        talks = talks_of(header)
        shuffle_talks(talks, header.seed)
        units = [_unit(header, bot, script, repeat) for script, repeat in talks for bot in header.bots]
        return tuple(sorted(units, key=lambda unit: unit.phase))

    def perform(self, work: Work) -> bytes:
        """Refuse: a talk is awaited, see `hold_talk`."""
        raise UsageError(
            say("a conversation waits for its bot and cannot be sent to an executor"),
            where=work.key,
            remedy=say("await `hold_talk`, or `hold` of a TalkRoom"),
        )

    async def hold_talk(self, work: Work, bot: Bot, pace: Pacing, told: Told = lambda _: None) -> bytes:
        """Hold one talk and return its transcript; `told` hears of each exchange at once."""
        material = read_material(work.material)
        channel = open_channel(material, bot, pace, Allowance())
        transcript = await hold_alone(make_holding(material, channel, material.talk(work.key)), told)
        return transcript_to_text(transcript).encode("ascii")

    def conclude(self, material: bytes, options: Options, finished: Finished) -> Conclusion:
        """Judge and count all talks that were held, and say which were not."""
        from vivavoce.conversations.running.record import RunRecord
        from vivavoce.conversations.scoring import score_run
        from vivavoce.reports.conversations.wording import headline

        told = read_material(material)
        talks = (read_talk(told, unit, result) for unit, result in finished.results.items())
        with closing(RunRecord.in_memory(told.header, talks)) as record:
            result = score_run(record)
            return Conclusion(
                headline=headline(result),
                measures=tuple(_measures(result)),
                turns=_judge_again(material, finished),
                documents=tuple(_documents(result, record)),
                warnings=(*result.failures, *_reasons(told, finished.failures), *result.warnings),
            )


# --- options -----------------------------------------------------------------------------------------------------


def run_options(options: Options) -> RunOptions:
    """Return checked options as those of a run; where connections may go is no matter of the run itself."""
    return RunOptions(**{name: value for name, value in options.items() if name != PUBLIC_ONLY})  # type: ignore[arg-type]


# --- units -------------------------------------------------------------------------------------------------------


def _unit(header: RunHeader, bot: BotFacts, script: Script, repeat: int) -> UnitPlan:
    which = f", {repeat + 1} of {header.repeats}" if header.repeats > 1 else ""
    title = f"{bot.name}: {script.title or script.id}{which}"
    return UnitPlan(TalkKey(bot.name, script.id, repeat).label, title, 0 if bot.in_process else 1, bot.name)


def is_held(result: bytes) -> bool:
    """Tell whether the talk of a unit was held to its end; one that was not may be held again."""
    return bool(json.loads(result)["state"] == State.DONE)


# --- turns -------------------------------------------------------------------------------------------------------


def bots_as_met(material: bytes, finished: Finished) -> tuple[BotFacts, ...]:
    """Return the bots with what their replies showed in any of their talks: it is judged in all of them."""
    told = read_material(material)
    return _as_met(told.header.bots, (read_talk(told, *unit) for unit in finished.results.items()))


def _as_met(bots: Iterable[BotFacts], talks: Iterable[Transcript]) -> tuple[BotFacts, ...]:
    topics, actions = set(), set()
    for talk in talks:
        replies = [exchange.reply for exchange in talk.exchanges if exchange.reply is not None]
        if any(reply.intent is not None for reply in replies):
            topics.add(talk.key.bot)
        if any(reply.actions for reply in replies):
            actions.add(talk.key.bot)
    return as_met(bots, topics, actions)


def _judge_again(material: bytes, finished: Finished) -> dict[str, tuple[TurnLine, ...]]:
    """Judge again the talks of bots of which only the whole run shows what they report."""
    told = read_material(material)
    bots = bots_as_met(material, finished)
    declared = {bot.name: (bot.reports_intent, bot.reports_actions) for bot in told.header.bots}
    changed = {bot.name for bot in bots if declared[bot.name] != (bot.reports_intent, bot.reports_actions)}
    return {
        key: lines_of(material, key, result, bots=bots)
        for key, result in finished.results.items()
        if told.talk(key).bot in changed
    }


def lines_of(
    material: bytes, key: str, result: bytes, *, bots: Sequence[BotFacts] | None = None
) -> tuple[TurnLine, ...]:
    """Return the turns of a talk, judged, those that were not reached among them.

    `bots`: what all talks together showed of the bots, see `bots_as_met`; else what this talk shows.
    """
    from vivavoce.conversations.findings.finding import make_lines

    told = read_material(material)
    talk = read_talk(told, key, result)
    known = _as_met(told.header.bots, [talk]) if bots is None else tuple(bots)
    held = {exchange.number: exchange for exchange in talk.exchanges}
    turns = told.scripts[talk.key.script].turns
    lines = make_lines(replace(told.header, bots=known), [talk])
    return tuple(_turn_line(line, turn, held.get(turn.number)) for line, turn in zip(lines, turns, strict=True))


def _turn_line(line: Line, turn: ScriptTurn, exchange: Exchange | None) -> TurnLine:
    reply = exchange.reply if exchange is not None else None
    return TurnLine(
        bot=line.key.bot,
        script=line.key.script,
        repeat=line.key.repeat,
        number=line.number,
        scenario=line.scenario,
        domain=line.domain,
        level=line.level,
        kind=line.kind,
        sent=storable(exchange.sent if exchange is not None else turn.text),
        reply=storable(reply.shown if reply is not None else ""),
        status=line.status,
        outcome=str(line.verdict.outcome),
        reasons=tuple(storable(reason) for reason in line.verdict.reasons),
        expected=line.expected,
        intent=None if line.verdict.intent is None else storable(line.verdict.intent),
        confidence=None if reply is None else reply.confidence,
        first_ms=line.first_ms,
        attempts=line.attempts,
        in_scope=line.verdict.in_scope,
        fallback=line.verdict.fallback,
    )


# --- the conclusion ----------------------------------------------------------------------------------------------


def _measures(result: ConversationsResult) -> Iterator[Measure]:
    for bot in result.header.bots:
        cell = result.cell(bot.name)
        for name, rate in cell.rates.items():
            yield Measure(bot.name, name, rate)
        for name, value in (("response_time_p50", cell.times.p50), ("response_time_p95", cell.times.p95)):
            yield Measure(bot.name, name, Rate(value, None, None, cell.times.turns))


def _documents(result: ConversationsResult, record: RunRecord) -> Iterator[Document]:
    from vivavoce.conversations.json_form import result_to_json
    from vivavoce.reports.conversations.charts import conversations_figures
    from vivavoce.reports.conversations.html import render_conversations

    yield json_document("findings.json", result_to_json(result))
    yield html_document("report.html", render_conversations(result, record))
    yield from figure_documents(conversations_figures(result))


def _reasons(material: Material, failures: tuple[Failure, ...]) -> Iterator[str]:
    """Say why talks were not held, once for each reason of each bot."""
    counted = Counter((material.talk(failure.key).bot, _reason(failure)) for failure in failures)
    for (bot, reason), talks in counted.items():
        conversations = say_count(talks, "{n} conversation", "{n} conversations")
        yield say("{bot}: {conversations} not held: {reason}", bot=bot, conversations=conversations, reason=reason)


def _reason(failure: Failure) -> str:
    """Return why a talk was not held, without place and faults: the same reasons are the same words then."""
    problem = without_remedy(failure.reason, failure.key)
    what = problem.values.get("what") if isinstance(problem, Message) else None
    return what if isinstance(what, str) else problem or say("no reason was given")
