"""A run as JUnit XML: one suite for each bot, one case for each conversation, passed ones too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from vivavoce.conversations.record import RunRecord
from vivavoce.conversations.result import ConversationsResult, Line
from vivavoce.outcomes import TurnOutcome
from vivavoce.reports.talks import said_and_answered

_NOT_XML = re.compile("[^\\t\\n\\r\\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render_junit(result: ConversationsResult, record: RunRecord) -> str:
    """Return the run as JUnit XML; what could not be run is an error, never a failure."""
    suites = [_suite(result, record, bot.name) for bot in result.header.bots]
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="vivavoce">\n{"".join(suites)}</testsuites>\n'


def _suite(result: ConversationsResult, record: RunRecord, bot: str) -> str:
    lines = [line for line in result.lines if line.key.bot == bot]
    talks = [list(group) for _, group in groupby(lines, key=lambda line: line.key)]
    failures = sum(_state(talk) == "failure" for talk in talks)
    errors = sum(_state(talk) == "error" for talk in talks)
    seconds = sum(line.last_ms or 0 for line in lines) / 1000
    head = (
        f'<testsuite name={quoteattr(f"{result.header.plan.suite} / {bot}")} tests="{len(talks)}" '
        f'failures="{failures}" errors="{errors}" skipped="0" time="{seconds:.3f}">'
    )
    return f"{head}\n{''.join(_case(talk, record) for talk in talks)}</testsuite>\n"


def _state(talk: Sequence[Line]) -> str:
    outcomes = [line.verdict.outcome for line in talk]
    if TurnOutcome.ERROR in outcomes:
        return "error"
    return "failure" if any(outcome.counted and not outcome.passed for outcome in outcomes) else ""


def _case(talk: Sequence[Line], record: RunRecord) -> str:
    first = talk[0]
    repeat = f" #{first.key.repeat + 1}" if record.header.repeats > 1 else ""
    place = ".".join(part for part in (record.header.plan.suite, first.key.bot, first.domain, first.level) if part)
    seconds = sum(line.last_ms or 0 for line in talk) / 1000
    head = f'<testcase classname={quoteattr(place)} name={quoteattr(first.key.script + repeat)} time="{seconds:.3f}"'
    state = _state(talk)
    if not state:
        return f"  {head}/>\n"
    told = list(_told(talk, record))
    return (
        f"  {head}>\n    <{state} message={quoteattr(_clean(told[0].splitlines()[0]))}>"
        f"{escape(_clean(chr(10).join(told)))}</{state}>\n  </testcase>\n"
    )


def _told(talk: Sequence[Line], record: RunRecord) -> Iterator[str]:
    transcript = record.transcript(talk[0].key)
    for line in talk:
        outcome = line.verdict.outcome
        if outcome.passed or outcome in (TurnOutcome.UNCHECKED, TurnOutcome.NOT_REACHED):
            continue
        sent, answer = said_and_answered(transcript, line.number)
        reasons = "; ".join(line.verdict.reasons) or outcome.meaning
        yield f"turn {line.number} ({line.turn}), {outcome}: {reasons}\n  visitor: {sent}\n  bot: {answer}"


def _clean(text: str) -> str:
    """Leave out what XML cannot hold."""
    return _NOT_XML.sub("", text)
