"""From a record to its findings: judged anew each time, the same record always to the same result."""

from __future__ import annotations

from collections.abc import Iterator

from vivavoce.conversations.findings.finding import find, make_lines
from vivavoce.conversations.result import ConversationsResult
from vivavoce.conversations.running.record import RunRecord, settle_memory
from vivavoce.conversations.transcript import State
from vivavoce.messages import join_and, say, say_count


def score_run(record: RunRecord) -> ConversationsResult:
    """Judge every turn of a record and count; no bot is asked."""
    header = record.header_as_met()
    with settle_memory():
        lines = tuple(make_lines(header, record.transcripts()))
        return find(header, lines, failures=tuple(_describe_failures(record)), seed=header.seed)


def _describe_failures(record: RunRecord) -> Iterator[str]:
    """Say of each bot what could not be held; it enters no number."""
    planned = len(record.header.plan.scripts) * record.header.repeats
    states = record.states()
    for bot in record.header.bots:
        own = [state for key, state in states.items() if key.bot == bot.name]
        errored = own.count(State.ERRORED)
        left = planned - own.count(State.DONE) - errored
        parts = []
        if errored:
            conversations = say_count(errored, "{n} conversation", "{n} conversations")
            parts.append(say("{conversations} not completed", conversations=conversations))
        if left:
            conversations = say_count(left, "{n} conversation", "{n} conversations")
            parts.append(say("{conversations} not run yet", conversations=conversations))
        if parts:
            yield say_count(
                errored + left,
                "{name}: {parts}; resume the run to complete it.",
                "{name}: {parts}; resume the run to complete them.",
                name=bot.name,
                parts=join_and(parts),
            )
