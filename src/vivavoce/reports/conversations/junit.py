"""A run as JUnit XML: one suite for each bot, one case for each conversation, passed ones too."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from vivavoce.conversations.result import ConversationsResult, Line
from vivavoce.conversations.running.record import RunRecord
from vivavoce.conversations.scenario import Script
from vivavoce.conversations.transcript import State, TalkKey
from vivavoce.outcomes import TurnOutcome
from vivavoce.reports.conversations.exchanges import said_and_answered

_NOT_XML = re.compile("[^\\t\\n\\r\\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_UNTOLD = (TurnOutcome.UNCHECKED, TurnOutcome.NOT_REACHED)


@dataclass(frozen=True, slots=True)
class _Case:
    """One conversation: `state` is failure, error, skipped, or empty where it passed."""

    key: TalkKey
    script: Script
    state: str
    seconds: float
    told: tuple[str, ...]


def render_junit(result: ConversationsResult, record: RunRecord) -> str:
    """Return the run as JUnit XML; what could not be run is an error, what was not held is skipped."""
    lines: dict[TalkKey, list[Line]] = {}
    for line in result.lines:
        lines.setdefault(line.key, []).append(line)
    states = record.states()
    suites = {bot.name: list(_cases(bot.name, lines, states, record)) for bot in result.header.bots}
    everything = [case for cases in suites.values() for case in cases]
    head = f"<testsuites name={_attribute(result.header.plan.suite)} {_counts(everything)}>"
    body = "".join(_suite(name, cases, record) for name, cases in suites.items())
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}\n{body}</testsuites>\n'


def _cases(
    bot: str, lines: Mapping[TalkKey, Sequence[Line]], states: Mapping[TalkKey, State], record: RunRecord
) -> Iterator[_Case]:
    for script in record.header.plan.scripts:
        for repeat in range(record.header.repeats):
            key = TalkKey(bot, script.id, repeat)
            talk = lines.get(key, ())
            state = _state(talk, states.get(key))
            told = tuple(_told(talk, record)) if state in ("failure", "error") else ()
            yield _Case(key, script, state, sum(line.last_ms or 0 for line in talk) / 1000, told)


def _state(talk: Sequence[Line], state: State | None) -> str:
    outcomes = [line.verdict.outcome for line in talk]
    if state is State.ERRORED or TurnOutcome.ERROR in outcomes:
        return "error"
    if any(outcome.counted and not outcome.passed for outcome in outcomes):
        return "failure"
    # A conversation in which nothing was checked has not passed.
    return "" if any(outcome.counted for outcome in outcomes) else "skipped"


def _suite(bot: str, cases: Sequence[_Case], record: RunRecord) -> str:
    name = f"{record.header.plan.suite} / {bot}"
    rows = "".join(_case(case, record) for case in cases)
    return f"<testsuite name={_attribute(name)} {_counts(cases)}>\n{rows}</testsuite>\n"


def _counts(cases: Sequence[_Case]) -> str:
    found = Counter(case.state for case in cases)
    seconds = sum(case.seconds for case in cases)
    return (
        f'tests="{len(cases)}" failures="{found["failure"]}" errors="{found["error"]}" '
        f'skipped="{found["skipped"]}" time="{seconds:.3f}"'
    )


def _case(case: _Case, record: RunRecord) -> str:
    script, key = case.script, case.key
    repeat = f" #{key.repeat + 1}" if record.header.repeats > 1 else ""
    place = ".".join(part for part in (record.header.plan.suite, key.bot, script.domain, script.level) if part)
    name = f"classname={_attribute(place)} name={_attribute(key.script + repeat)}"
    head = f'  <testcase {name} time="{case.seconds:.3f}"'
    if not case.state:
        return f"{head}/>\n"
    if case.state == "skipped":
        return f'{head}>\n    <skipped message="not held, or nothing in it was checked"/>\n  </testcase>\n'
    told = case.told or (record.transcript(key).note or "could not be held to the end",)
    first = _attribute(told[0].splitlines()[0])
    body = escape(_clean("\n".join(told)))
    return f"{head}>\n    <{case.state} message={first}>{body}</{case.state}>\n  </testcase>\n"


def _told(talk: Sequence[Line], record: RunRecord) -> Iterator[str]:
    transcript = record.transcript(talk[0].key) if talk else None
    for line in talk:
        outcome = line.verdict.outcome
        if transcript is None or outcome.passed or outcome in _UNTOLD:
            continue
        sent, answer = said_and_answered(transcript, line.number)
        reasons = "; ".join(line.verdict.reasons) or outcome.meaning
        yield f"turn {line.number} ({line.turn}), {outcome}: {reasons}\n  visitor: {sent}\n  bot: {answer}"


def _attribute(text: str) -> str:
    return quoteattr(_clean(text))


def _clean(text: str) -> str:
    """Leave out what XML cannot hold."""
    return _NOT_XML.sub("", text)
