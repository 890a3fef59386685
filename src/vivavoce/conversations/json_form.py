"""The result of a conversations exam as JSON and back.

Keys may come in any order. The JSON form names the scripts of the run and has the messages that the findings speak
of; who has the whole head of the run, or the judged turns, gives them too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from vivavoce.bots.protocol import BotFacts
from vivavoce.codec import (
    FLAT,
    Hook,
    MisreadError,
    check_head,
    from_json,
    ordered,
    read_members,
    rows,
    shape,
    to_json,
)
from vivavoce.conversations.result import (
    ALL,
    DEFINITIONS,
    Cell,
    Change,
    Comparison,
    ConversationsResult,
    Health,
    Line,
    Problem,
    RunDiff,
    Times,
    TopicRow,
    Twins,
    Verdict,
)
from vivavoce.conversations.scenario import Expectation, Plan, Script, ScriptTurn
from vivavoce.conversations.transcript import ConversationKey, RunHeader
from vivavoce.errors import Fault
from vivavoce.messages import say
from vivavoce.outcomes import TurnCounts, TurnOutcome
from vivavoce.records import Rate
from vivavoce.version import __version__

__all__ = ["conversations_result_from_json", "diff_to_json", "literal_to_json", "result_to_json", "to_json"]

_WHAT = "this result of a conversations exam"
_REMEDY = say("pass JSON written by vivavoce, or score the run again")


@dataclass(frozen=True, slots=True)
class _Data:
    source: str
    hash: str
    rows: int


@dataclass(frozen=True, slots=True)
class _Script:
    id: str
    scenario: str
    title: str
    domain: str
    level: str
    version: str
    turns: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class _Suite:
    """What was held as far as reports name it: all scripts, and the messages of turns that findings name."""

    vivavoce: str
    language: str
    notice: str
    scripts: tuple[_Script, ...]


@dataclass(frozen=True, slots=True)
class _Head:
    seed: int
    data: _Data
    run: str
    bots: tuple[tuple[str, str], ...]
    repeats: int
    suite: _Suite


@dataclass(frozen=True, slots=True)
class _Cells:
    """Cells beside the names of their rates, in order."""

    cells: tuple[Cell, ...]
    measures: tuple[str, ...]


ReadAs = Callable[[Any, Any], Any]
_OF_SCRIPT = ("id", "scenario", "title", "domain", "level", "version")


def result_to_json(result: ConversationsResult, *, turns: bool = False) -> dict[str, Any]:
    """Return the JSON form of a run; with `turns` every judged turn too. Domain or level null: all of them."""
    health, header, plan = result.health, result.header, result.header.plan
    named = {*health.too_easy, *health.never_passed, *((script, n) for script, n, _ in health.leaks)}
    named |= {(turn.script, turn.number) for turn in result.unstable}
    scripts = tuple(
        _Script(
            **{name: getattr(script, name) for name in _OF_SCRIPT},
            turns=tuple((turn.number, turn.text) for turn in script.turns if (script.id, turn.number) in named),
        )
        for script in plan.scripts
    )
    suite = _Suite(header.version, plan.language, plan.notice, scripts)
    bots = tuple((bot.name, bot.about) for bot in header.bots)
    head = _Head(header.seed, _describe_data(header), header.run, bots, header.repeats, suite)
    written = to_json(head) | to_json(result if turns else replace(result, lines=()))
    if not turns:
        del written["turns"]
    return ordered(written, _ORDER.split())


def diff_to_json(diff: RunDiff) -> dict[str, Any]:
    """Return the JSON form of two runs side by side."""
    return to_json(diff)  # type: ignore[no-any-return]


def literal_to_json(cell: Cell) -> dict[str, Any]:
    """Return the values of the paper's wording. They follow from the counts, so they are never read back."""
    place = {"bot": cell.bot, "domain": cell.domain or None, "level": cell.level or None}
    return {**place, **cell.literal, "echo_literal_unclassified": cell.counts.literal_unclassified}


def _describe_data(header: RunHeader) -> _Data:
    return _Data(header.plan.suite, header.plan.hash, len(header.plan.scripts))


def conversations_result_from_json(
    data: Mapping[str, Any], *, header: RunHeader | None = None, lines: Iterable[Line] | None = None
) -> ConversationsResult:
    """Return the result whose JSON form this is; DataError names every key that is missing or wrong.

    `header`: the head of the run where it is at hand; else it knows its scripts by name alone. `lines`: the judged
    turns; else those under `turns`, or none: only single turns and conversations cannot be shown without them.
    """
    data = check_head(data, "conversations", DEFINITIONS, what=_WHAT, remedy=_REMEDY)
    result = from_json(ConversationsResult, data, what=_WHAT, remedy=_REMEDY)
    # The keys of an object may have lost their order.
    levels = dict.fromkeys(cell.level for cell in result.cells if cell.level != ALL)
    health = replace(result.health, difficulty=ordered(result.health.difficulty, levels))
    lines = result.lines if lines is None else tuple(lines)
    return replace(result, header=header or result.header, lines=lines, health=health)


def _read_header(value: Any, read_as: ReadAs) -> RunHeader:
    head: _Head = read_as(value, _Head)
    suite = head.suite
    # What was expected is not written: the findings have judged it.
    unknown = Expectation(counted=False)
    scripts = tuple(
        Script(
            **{name: getattr(script, name) for name in _OF_SCRIPT},
            turns=tuple(ScriptTurn(number, "", text, unknown) for number, text in script.turns),
        )
        for script in suite.scripts
    )
    plan = Plan(head.data.source, suite.language, scripts, notice=suite.notice, hash=head.data.hash)
    bots = tuple(BotFacts(name, about) for name, about in head.bots)
    return RunHeader(head.run, suite.vivavoce, head.seed, plan, bots, head.repeats)


def _write_cells(cells: tuple[Cell, ...]) -> dict[str, Any]:
    table = to_json(_Cells(cells, tuple(cells[0].rates) if cells else ()))
    return {**table, "echo_literal": [*map(literal_to_json, cells)]}


def _read_cells(value: Any, read_as: ReadAs) -> tuple[Cell, ...]:
    table: _Cells = read_as(value, _Cells)
    faults = [
        Fault(say("is missing."), f"cells[{place}].{name}")
        for place, cell in enumerate(table.cells)
        for name in table.measures
        if name not in cell.rates
    ]
    if faults:
        raise MisreadError(*faults)
    return tuple(replace(cell, rates=ordered(cell.rates, table.measures)) for cell in table.cells)


@dataclass(frozen=True, slots=True)
class _Mean:
    mean: float | None
    low: float | None
    high: float | None
    conversations: int


def _read_mean(value: Any, read_as: ReadAs) -> Rate:
    mean: _Mean = read_as(value, _Mean)
    return Rate(mean.mean, mean.low, mean.high, mean.conversations)


@dataclass(frozen=True, slots=True)
class _Outcomes:
    outcomes: Mapping[str, int]
    no_reply_out_of_scope: int


def _write_counts(counts: TurnCounts) -> dict[str, Any]:
    """Return the exclusive outcomes by name, which sum to the turns, and which of them were out of scope."""
    outcomes = asdict(counts)
    outcomes["no_reply"] = outcomes.pop("no_reply_in") + outcomes.pop("no_reply_out")
    return {"outcomes": outcomes, "no_reply_out_of_scope": counts.no_reply_out}


def _read_counts(value: Any, read_as: ReadAs) -> TurnCounts:
    counts: _Outcomes = read_as(value, _Outcomes)
    outcomes, silent_out = dict(counts.outcomes), counts.no_reply_out_of_scope
    silent = outcomes.pop("no_reply")
    return TurnCounts(**outcomes, no_reply_in=silent - silent_out, no_reply_out=silent_out)


def _read_rates(value: Any, read_as: ReadAs) -> dict[str, Rate]:
    shares = {name: part for name, part in value.items() if isinstance(part, dict) and "value" in part}
    rates: dict[str, Rate] = read_as(shares, dict[str, Rate])
    return rates


_COVERAGE = rows("intent level kind turns", str | None, str, str, int)


def _head(kind: str, **more: Callable[[Any], Any]) -> dict[str, Callable[[Any], Any]]:
    return {"vivavoce": lambda _: __version__, "kind": lambda _: kind, "definitions": lambda _: DEFINITIONS, **more}


def _write_run(header: RunHeader) -> dict[str, str]:
    return {"run": header.run, "vivavoce": header.version, "hash": header.plan.hash}


_HEAD = "vivavoce kind definitions seed data "
_ORDER = (
    _HEAD + "run bots repeats cells comparisons strengths echo_literal topics problems unstable health warnings "
    "failures unchecked client_delays measures suite turns"
)
# Null: all of them.
_ALL = Hook(lambda name: name or None, lambda value, read_as: ALL if value is None else read_as(value, str))
_WHERE = {"domain": _ALL, "level": _ALL}
_TURNS, _PLACES = rows("script number", str, int), rows("* number", ConversationKey, int)
shape(
    Times,
    hooks={"mean": Hook(lambda mean: to_json(_Mean(mean.value, mean.low, mean.high, mean.n)), _read_mean)},
    mean=FLAT,
)
shape(Twins, added={"n": lambda twins: twins.n})
shape(
    _Outcomes, hooks={"outcomes": Hook(None, lambda value, _: read_members(value, list(map(str, TurnOutcome)), int))}
)
shape(
    Cell,
    order="bot domain level conversations turns times rates counts twins typo_out_of_scope intent_source incomplete",
    hooks={**_WHERE, "rates": Hook(None, _read_rates), "counts": Hook(_write_counts, _read_counts)},
    times="response_time_ms",
    rates=FLAT,
    counts=FLAT,
)

shape(Comparison, hooks=_WHERE)
shape(TopicRow, hooks={"confused_with": rows("intent n", str, int)})
shape(Problem, added={"advice": lambda problem: problem.remedy}, hooks={"examples": _PLACES})
shape(
    Health,
    hooks={
        "too_easy": _TURNS,
        "never_passed": _TURNS,
        "leaks": rows("script number phrase", str, int, str),
        "coverage": Hook(
            lambda coverage: _COVERAGE.write and _COVERAGE.write((*place, n) for place, n in coverage.items()),
            lambda value, read_as: {
                tuple(place): n for *place, n in (_COVERAGE.read(value, read_as) if _COVERAGE.read else ())
            },
        ),
    },
)
shape(
    Verdict,
    order="outcome in_scope replied fallback fallback_rule intent matched guess_right needs_look reasons gap",
    optional="gap",
)
shape(
    Line,
    order="key number turn scenario domain level kind expected verdict status first_ms last_ms attempts cold lag_ms "
    "twin",
    optional="lag_ms",
    hooks={"twin": rows("script number", str, int, single=True)},
    key=FLAT,
    verdict=FLAT,
)
shape(_Head, hooks={"bots": rows("name about", str, str)})
shape(
    ConversationsResult,
    optional={"lines": (), "unchecked": (), "delays": ()},
    added=_head("conversations"),
    hooks={
        "header": Hook(lambda _: {}, _read_header),
        "cells": Hook(_write_cells, _read_cells),
    },
    header=FLAT,
    cells=FLAT,
    lines="turns",
    delays="client_delays",
)
shape(_Script, hooks={"turns": rows("number text", int, str)})
shape(Change, key=FLAT)
shape(
    RunDiff,
    order=_HEAD + "before after improved regressed new gone edited unchanged comparisons warnings",
    added=_head(
        "conversations-diff", seed=lambda diff: diff.after.seed, data=lambda diff: to_json(_describe_data(diff.after))
    ),
    hooks={"before": Hook(_write_run), "after": Hook(_write_run), "new": _PLACES, "gone": _PLACES},
)
