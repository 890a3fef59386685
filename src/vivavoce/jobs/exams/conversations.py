"""The conversations exam in units: one conversation with one bot each, judged when all have been held."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from vivavoce.bots.asking import Allowance, Pacing
from vivavoce.conversations.record_form import transcript_to_text
from vivavoce.conversations.running.holding import hold_alone
from vivavoce.conversations.running.runner import RunOptions, list_conversations, shuffle_conversations
from vivavoce.conversations.transcript import ConversationKey, Exchange, State, Transcript, as_met
from vivavoce.errors import UsageError, without_remedy
from vivavoce.jobs.exams.conversation_run import (
    Material,
    TakeExchange,
    make_holding,
    open_channel,
    read_conversation,
    read_material,
)
from vivavoce.jobs.exams.documents import figure_documents, html_document, json_document, storable
from vivavoce.jobs.exams.kinds import CONVERSATIONS, PUBLIC_ONLY, SUITES
from vivavoce.jobs.exams.protocol import (
    Conclusion,
    Document,
    Exam,
    Failure,
    Finished,
    Measure,
    Options,
    StageProgress,
    UnitPlan,
    Work,
)
from vivavoce.messages import Message, say, say_count
from vivavoce.records import Rate

if TYPE_CHECKING:
    from vivavoce.bots import Bot, BotFacts
    from vivavoce.conversations.result import ConversationsResult, Line
    from vivavoce.conversations.running.record import RunRecord
    from vivavoce.conversations.scenario import ScriptTurn

__all__ = [
    "PUBLIC_ONLY",
    "Conversations",
    "TurnLine",
    "bots_as_met",
    "is_held",
    "judge_last",
    "lines_of",
    "run_options",
]

# How many conversations all bots hold before any of them goes on: at first, and at most.
FIRST_WAVE, MAX_WAVE = 4, 64


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
        """Return a unit for each conversation: the same one with every bot, then the next.

        All bots hold the conversations of a wave before any of them begins the next one, so that they can be
        watched in step. In each wave, bots that compute on this processor come first: nobody is timed meanwhile.
        """
        header = read_material(material).header
        conversations = list_conversations(header)
        shuffle_conversations(conversations, header.seed)
        units = []
        for (place, (script, repeat)), bot in product(enumerate(conversations), header.bots):
            which = f", {repeat + 1} of {header.repeats}" if header.repeats > 1 else ""
            title = f"{bot.name}: {script.title or script.id}{which}"
            phase = 2 * _find_wave(place) + (0 if bot.in_process else 1)
            units.append(UnitPlan(ConversationKey(bot.name, script.id, repeat).label, title, phase, bot.name))
        return tuple(sorted(units, key=lambda unit: unit.phase))

    def perform(self, work: Work) -> bytes:
        """Refuse: a conversation is awaited, see `hold_talk`."""
        raise UsageError(
            say("conversations wait for their bot and cannot run in an executor"),
            where=work.key,
            remedy=say("await `hold_talk`, or `hold` of a TalkRoom"),
        )

    async def hold_talk(self, work: Work, bot: Bot, pace: Pacing, take: TakeExchange = lambda _: None) -> bytes:
        """Hold one conversation and return its transcript; `take` gets each exchange at once."""
        material = read_material(work.material)
        channel = open_channel(material, bot, pace, Allowance())
        transcript = await hold_alone(make_holding(material, channel, material.conversation(work.key)), take)
        return transcript_to_text(transcript).encode("ascii")

    def stage_facts(self, material: bytes, options: Options) -> dict[str, int]:
        """Return how many turns are held, and how many bots load sentence vectors first."""
        content = read_material(material)
        turns = sum(len(script.turns) for script in content.header.plan.scripts)
        kinds = [str(entry.get("kind", "")) for entry in content.entries.values()]
        total = turns * content.header.repeats * len(content.header.bots)
        return {"turns": total, "vectors": kinds.count("vectors")}

    def describe_stage(self, facts: Mapping[str, int], progress: StageProgress) -> str:
        """Say whether the bots are started, talk, or have talked."""
        if progress.concluding:
            return say("scoring {turns}", turns=say_count(facts["turns"], "{n:,} turn", "{n:,} turns"))
        if progress.begun:
            return say("running conversations")
        return say("starting the bots and loading sentence vectors") if facts["vectors"] else say("starting the bots")

    def conclude(self, material: bytes, options: Options, finished: Finished, *, drawn: bool = True) -> Conclusion:
        """Judge and count all conversations that were held, and name those that were not; `drawn`: with pictures."""
        from vivavoce.conversations.exam import score_run
        from vivavoce.conversations.json_form import result_to_json
        from vivavoce.conversations.running.record import RunRecord
        from vivavoce.reports.conversations.wording import headline

        content = read_material(material)
        transcripts = (read_conversation(content, unit, result) for unit, result in finished.results.items())
        with closing(RunRecord.in_memory(content.header, transcripts)) as record:
            result = score_run(record)
            findings = json_document("findings.json", result_to_json(result))
            return Conclusion(
                headline=headline(result),
                measures=tuple(_list_measures(result)),
                turns=_judge_again(material, finished),
                documents=(findings, *(_draw(result, record) if drawn else ())),
                warnings=(*result.failures, *_count_reasons(content, finished.failures), *result.warnings),
            )

    def illustrate(self, findings: Mapping[str, Any], material: bytes, finished: Finished) -> Iterable[Document]:
        """Yield report and charts."""
        return self.conclude(material, {}, finished).documents


def _find_wave(place: int) -> int:
    """Return the wave of a conversation. Later waves are larger, since fast bots wait at the end of each."""
    wave, size = 0, FIRST_WAVE
    while place >= size:
        place -= size
        wave, size = wave + 1, min(2 * size, MAX_WAVE)
    return wave


def run_options(options: Options) -> RunOptions:
    """Return checked options as those of a run, without those about addresses and suites."""
    own = {name: value for name, value in options.items() if name not in (PUBLIC_ONLY, SUITES)}
    return RunOptions(**own)  # type: ignore[arg-type]


def is_held(result: bytes) -> bool:
    """Return whether the conversation of a unit was held to its end; else it may be held again."""
    return bool(json.loads(result)["state"] == State.DONE)


def bots_as_met(material: bytes, finished: Finished) -> tuple[BotFacts, ...]:
    """Return the bots with what their replies showed in any conversation: it is judged in all of them."""
    content = read_material(material)
    return _as_met(content.header.bots, (read_conversation(content, *unit) for unit in finished.results.items()))


def _as_met(bots: Iterable[BotFacts], transcripts: Iterable[Transcript]) -> tuple[BotFacts, ...]:
    topics, actions = set(), set()
    for transcript in transcripts:
        replies = [exchange.reply for exchange in transcript.exchanges if exchange.reply is not None]
        if any(reply.intent is not None for reply in replies):
            topics.add(transcript.key.bot)
        if any(reply.actions for reply in replies):
            actions.add(transcript.key.bot)
    return as_met(bots, topics, actions)


def _judge_again(material: bytes, finished: Finished) -> dict[str, tuple[TurnLine, ...]]:
    """Judge again the conversations of bots of which only the whole run shows what they report."""
    content = read_material(material)
    bots = bots_as_met(material, finished)
    declared = {bot.name: (bot.reports_intent, bot.reports_actions) for bot in content.header.bots}
    changed = {bot.name for bot in bots if declared[bot.name] != (bot.reports_intent, bot.reports_actions)}
    return {
        key: lines_of(material, key, result, bots=bots)
        for key, result in finished.results.items()
        if content.conversation(key).bot in changed
    }


def lines_of(
    material: bytes, key: str, result: bytes, *, bots: Sequence[BotFacts] | None = None
) -> tuple[TurnLine, ...]:
    """Return the turns of a conversation, judged, including those that were not reached.

    `bots`: what all conversations together showed of the bots, see `bots_as_met`; else what this one shows.
    """
    from vivavoce.conversations.findings.finding import make_lines

    content = read_material(material)
    transcript = read_conversation(content, key, result)
    known = _as_met(content.header.bots, [transcript]) if bots is None else tuple(bots)
    exchanges = {exchange.number: exchange for exchange in transcript.exchanges}
    turns = content.scripts[transcript.key.script].turns
    lines = make_lines(replace(content.header, bots=known), [transcript])
    return tuple(_build_line(line, turn, exchanges.get(turn.number)) for line, turn in zip(lines, turns, strict=True))


def judge_last(content: Material, key: str, exchanges: Sequence[Exchange]) -> TurnLine:
    """Return the turn that was held last, judged by what its conversation has shown of the bot so far.

    `lines_of` may judge it otherwise when the conversation has ended: a bot may report topics in a later turn only.
    """
    from vivavoce.conversations.findings.finding import line_of
    from vivavoce.conversations.judging.judge import judge

    transcript = Transcript(content.conversation(key), State.OPEN, tuple(exchanges))
    script, exchange = content.scripts[transcript.key.script], exchanges[-1]
    turn = next(turn for turn in script.turns if turn.number == exchange.number)
    declared = [bot for bot in content.header.bots if bot.name == transcript.key.bot]
    (bot,) = _as_met(declared, [transcript])
    verdict = judge(turn, exchange, bot, content.header.plan.of(script))
    return _build_line(line_of(transcript, script, turn, exchange, verdict), turn, exchange)


def _build_line(line: Line, turn: ScriptTurn, exchange: Exchange | None) -> TurnLine:
    reply = exchange.reply if exchange is not None else None
    verdict = line.verdict
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
        outcome=str(verdict.outcome),
        reasons=tuple(map(storable, verdict.reasons)),
        expected=line.expected,
        intent=None if verdict.intent is None else storable(verdict.intent),
        confidence=None if reply is None else reply.confidence,
        first_ms=line.first_ms,
        attempts=line.attempts,
        in_scope=verdict.in_scope,
        fallback=verdict.fallback,
    )


def _list_measures(result: ConversationsResult) -> Iterator[Measure]:
    for bot in result.header.bots:
        cell = result.cell(bot.name)
        for name, rate in cell.rates.items():
            yield Measure(bot.name, name, rate)
        for name, value in (("response_time_p50", cell.times.p50), ("response_time_p95", cell.times.p95)):
            yield Measure(bot.name, name, Rate(value, None, None, cell.times.turns))


def _draw(result: ConversationsResult, record: RunRecord) -> Iterator[Document]:
    from vivavoce.reports.conversations.charts import conversations_figures
    from vivavoce.reports.conversations.html import render_conversations

    yield html_document("report.html", render_conversations(result, record))
    yield from figure_documents(conversations_figures(result))


def _count_reasons(material: Material, failures: tuple[Failure, ...]) -> Iterator[str]:
    """Say why conversations were not held, once for each reason of each bot."""
    counts: Counter[tuple[str, str]] = Counter()
    for failure in failures:
        # Without place and faults: equal reasons are then equal texts.
        problem = without_remedy(failure.reason, failure.key)
        what = problem.values.get("what") if isinstance(problem, Message) else None
        reason = what if isinstance(what, str) else problem or say("no reason given")
        counts[material.conversation(failure.key).bot, reason] += 1
    for (bot, reason), count in counts.items():
        conversations = say_count(count, "{n} conversation", "{n} conversations")
        yield say("{bot}: {conversations} not run: {reason}", bot=bot, conversations=conversations, reason=reason)
