"""From a record to its findings: judged anew each time, the same record always to the same result."""

from __future__ import annotations

from collections.abc import Iterator

from vivavoce.conversations.findings.finding import find, make_lines
from vivavoce.conversations.result import ConversationsResult
from vivavoce.conversations.running.record import RunRecord
from vivavoce.conversations.transcript import State
from vivavoce.errors import plural


def score_run(record: RunRecord) -> ConversationsResult:
    """Judge every turn of a record and count; no bot is asked."""
    lines = tuple(make_lines(record.header, record.transcripts()))
    return find(record.header, lines, failures=tuple(_failures(record)), seed=record.header.seed)


def _failures(record: RunRecord) -> Iterator[str]:
    """Say of each bot what could not be held; it enters no number."""
    planned = len(record.header.plan.scripts) * record.header.repeats
    states = record.states()
    for bot in record.header.bots:
        own = [state for key, state in states.items() if key.bot == bot.name]
        errored = own.count(State.ERRORED)
        left = planned - own.count(State.DONE) - errored
        parts = [f"{plural(errored, 'conversation')} could not be held to the end"] if errored else []
        parts += [f"{plural(left, 'conversation')} not held yet"] if left else []
        if parts:
            yield f"{bot.name}: {' and '.join(parts)}; resume the run to hold them."
