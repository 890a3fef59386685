"""A run as JUnit XML: one suite for each bot, one case for each conversation, passed ones too."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import product
from xml.sax.saxutils import escape, quoteattr

from vivavoce.conversations.result import ConversationsResult, Line
from vivavoce.conversations.running.record import RunRecord
from vivavoce.conversations.scenario import Script
from vivavoce.conversations.transcript import ConversationKey, State
from vivavoce.outcomes import TurnOutcome
from vivavoce.reports.conversations.transcripts import find_texts

_NOT_XML = re.compile("[^\\t\\n\\r\\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render_junit(result: ConversationsResult, record: RunRecord) -> str:
    """Return the run as JUnit XML; what could not be run is an error, what was not held is skipped."""
    lines: dict[ConversationKey, list[Line]] = {}
    for line in result.lines:
        lines.setdefault(line.key, []).append(line)
    header, states = record.header, record.states()
    suites, total, seconds = [], Counter[str](), 0.0
    for bot in result.header.bots:
        counts, time, cases = Counter[str](), 0.0, []
        for script, repeat in product(header.plan.scripts, range(header.repeats)):
            key = ConversationKey(bot.name, script.id, repeat)
            turns = lines.get(key, ())
            state = _find_state(turns, states.get(key))
            took = sum(line.last_ms or 0 for line in turns) / 1000
            cases.append(_render_case(key, script, state, took, turns, record))
            counts[state] += 1
            time += took
        name = _attribute(f"{header.plan.suite} / {bot.name}")
        suites.append(f"<testsuite name={name} {_render_counts(counts, time)}>\n{''.join(cases)}</testsuite>\n")
        total, seconds = total + counts, seconds + time
    head = f"<testsuites name={_attribute(result.header.plan.suite)} {_render_counts(total, seconds)}>"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}\n{"".join(suites)}</testsuites>\n'


def _find_state(turns: Sequence[Line], state: State | None) -> str:
    """Return failure, error, skipped, or nothing if the conversation passed."""
    outcomes = [line.verdict.outcome for line in turns]
    if state is State.ERRORED or TurnOutcome.ERROR in outcomes:
        return "error"
    if any(outcome.counted and not outcome.passed for outcome in outcomes):
        return "failure"
    # A conversation in which nothing was checked has not passed.
    return "" if any(outcome.counted for outcome in outcomes) else "skipped"


def _render_counts(states: Counter[str], seconds: float) -> str:
    return (
        f'tests="{states.total()}" failures="{states["failure"]}" errors="{states["error"]}" '
        f'skipped="{states["skipped"]}" time="{seconds:.3f}"'
    )


def _render_case(  # noqa: PLR0917
    key: ConversationKey, script: Script, state: str, seconds: float, turns: Sequence[Line], record: RunRecord
) -> str:
    repeat = f" #{key.repeat + 1}" if record.header.repeats > 1 else ""
    place = ".".join(filter(None, (record.header.plan.suite, key.bot, script.domain, script.level)))
    name = f"classname={_attribute(place)} name={_attribute(key.script + repeat)}"
    head = f'  <testcase {name} time="{seconds:.3f}"'
    if not state:
        return f"{head}/>\n"
    if state == "skipped":
        return f'{head}>\n    <skipped message="not run, or nothing in it was checked"/>\n  </testcase>\n'
    transcript = record.transcript(key)
    faults = []
    for line in turns:
        outcome = line.verdict.outcome
        if outcome.passed or outcome in (TurnOutcome.UNCHECKED, TurnOutcome.NOT_REACHED):
            continue
        sent, answer = find_texts(transcript, line.number)
        reasons = "; ".join(line.verdict.reasons) or outcome.meaning
        faults.append(f"turn {line.number} ({line.turn}), {outcome}: {reasons}\n  visitor: {sent}\n  bot: {answer}")
    faults = faults or [transcript.note or "not completed"]
    first = _attribute(faults[0].splitlines()[0])
    body = escape(_NOT_XML.sub("", "\n".join(faults)))
    return f"{head}>\n    <{state} message={first}>{body}</{state}>\n  </testcase>\n"


def _attribute(text: str) -> str:
    return quoteattr(_NOT_XML.sub("", text))
