"""From a record to its findings: judged anew each time, the same record always to the same result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from vivavoce.conversations.findings.finding import find, make_lines
from vivavoce.conversations.judging.judge import NOT_TOLD
from vivavoce.conversations.result import ConversationsResult
from vivavoce.conversations.running.memory import settled_memory
from vivavoce.conversations.running.record import RunRecord
from vivavoce.conversations.transcript import RunHeader, State
from vivavoce.errors import plural
from vivavoce.sentences import say


def score_run(record: RunRecord) -> ConversationsResult:
    """Judge every turn of a record and count; no bot is asked."""
    header = _as_met(record)
    with settled_memory():
        lines = tuple(make_lines(header, record.transcripts()))
        result = find(header, lines, failures=tuple(_failures(record)), seed=header.seed)
    return replace(result, warnings=(*_untold(result), *result.warnings))


def _as_met(record: RunRecord) -> RunHeader:
    """Return the head of the run with what the bots turned out to tell: a topic named once is enough."""
    telling = record.telling()
    bots = (replace(bot, reports_intent=bot.reports_intent or bot.name in telling) for bot in record.header.bots)
    return replace(record.header, bots=tuple(bots))


def _untold(result: ConversationsResult) -> Iterator[str]:
    """Say which turns a bot without topics leaves out of its numbers."""
    left = Counter(line.key.bot for line in result.lines if NOT_TOLD in line.verdict.reasons)
    for bot, turns in left.items():
        yield say(
            f"{bot!s} names no topics, so {plural(turns, 'turn')} that expect only a topic cannot be checked and are"
            " left out: expect a reply there too."
        )


def _failures(record: RunRecord) -> Iterator[str]:
    """Say of each bot what could not be held; it enters no number."""
    planned = len(record.header.plan.scripts) * record.header.repeats
    states = record.states()
    for bot in record.header.bots:
        own = [state for key, state in states.items() if key.bot == bot.name]
        errored = own.count(State.ERRORED)
        left = planned - own.count(State.DONE) - errored
        told = [say(f"{plural(errored, 'conversation')} could not be held to the end")] if errored else []
        told += [say(f"{plural(left, 'conversation')} not held yet")] if left else []
        if told:
            parts = " and ".join(told)
            yield say(f"{bot.name!s}: {parts}; resume the run to hold them.")
