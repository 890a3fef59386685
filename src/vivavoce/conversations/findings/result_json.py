"""The stable JSON form of what was found in conversations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict, fields
from typing import Any

from vivavoce.conversations.result import (
    DEFINITIONS,
    Cell,
    Change,
    Comparison,
    ConversationsResult,
    Health,
    Line,
    Problem,
    RunDiff,
    Strength,
    Times,
    TopicRow,
    Twins,
    Unstable,
)
from vivavoce.conversations.scenario import Script
from vivavoce.conversations.transcript import RunHeader, TalkKey
from vivavoce.outcomes import TurnCounts
from vivavoce.records import Rate
from vivavoce.version import __version__

__all__ = ["diff_to_json", "result_to_json"]


def result_to_json(result: ConversationsResult, *, turns: bool = False) -> dict[str, Any]:
    """Return the JSON form of a run; with `turns` every judged turn too. Domain or level null: all of them."""
    shown: dict[str, Any] = {
        **head_json("conversations", result.header),
        "run": result.header.run,
        "bots": [{"name": bot.name, "about": bot.about} for bot in result.header.bots],
        "repeats": result.header.repeats,
        "cells": [cell_json(cell) for cell in result.cells],
        "comparisons": [comparison_json(one) for one in result.comparisons],
        "strengths": [strength_json(one) for one in result.strengths],
        "echo_literal": [literal_json(cell) for cell in result.cells],
        "topics": [topic_json(row) for row in result.topics],
        "problems": [problem_json(problem) for problem in result.problems],
        "unstable": [unstable_json(one) for one in result.unstable],
        "health": health_json(result.health),
        "warnings": list(result.warnings),
        "failures": list(result.failures),
        "unchecked": [asdict(one) for one in result.unchecked],
        "client_delays": [asdict(one) for one in result.delays],
        "measures": list(result.cells[0].rates) if result.cells else [],
        "suite": suite_json(result),
    }
    return shown | ({"turns": [line_json(line) for line in result.lines]} if turns else {})


def suite_json(result: ConversationsResult) -> dict[str, Any]:
    """Return what was held as far as reports name it: all scripts, and the messages of turns that findings name."""
    header, health = result.header, result.health
    told = {*health.too_easy, *health.never_passed, *((script, n) for script, n, _ in health.leaks)}
    told |= {(one.script, one.number) for one in result.unstable}
    return {
        "vivavoce": header.version,
        "language": header.plan.language,
        "notice": header.plan.notice,
        "scripts": [_script(script, told) for script in header.plan.scripts],
    }


def _script(script: Script, told: Set[tuple[str, int]]) -> dict[str, Any]:
    named = {name: getattr(script, name) for name in ("id", "scenario", "title", "domain", "level", "version")}
    turns = [turn for turn in script.turns if (script.id, turn.number) in told]
    return {**named, "turns": [{"number": turn.number, "text": turn.text} for turn in turns]}


def diff_to_json(diff: RunDiff) -> dict[str, Any]:
    """Return the JSON form of two runs side by side."""
    return {
        **head_json("conversations-diff", diff.after),
        "before": {"run": diff.before.run, "vivavoce": diff.before.version, "hash": diff.before.plan.hash},
        "after": {"run": diff.after.run, "vivavoce": diff.after.version, "hash": diff.after.plan.hash},
        "improved": [change_json(change) for change in diff.improved],
        "regressed": [change_json(change) for change in diff.regressed],
        "new": [place_json(*place) for place in diff.new],
        "gone": [place_json(*place) for place in diff.gone],
        "edited": list(diff.edited),
        "unchanged": diff.unchanged,
        "comparisons": [comparison_json(one) for one in diff.comparisons],
        "warnings": list(diff.warnings),
    }


def head_json(kind: str, header: RunHeader) -> dict[str, Any]:
    """Return what every result begins with."""
    data = {"source": header.plan.suite, "hash": header.plan.hash, "rows": len(header.plan.scripts)}
    return {"vivavoce": __version__, "kind": kind, "definitions": DEFINITIONS, "seed": header.seed, "data": data}


def cell_json(cell: Cell) -> dict[str, Any]:
    """Return the JSON form of one bot in one domain at one level."""
    return {
        **_where(cell.bot, cell.domain, cell.level),
        "conversations": cell.conversations,
        "turns": cell.turns,
        "response_time_ms": times_json(cell.times),
        **{name: rate.to_json() for name, rate in cell.rates.items()},
        "outcomes": outcomes_json(cell.counts),
        "no_reply_out_of_scope": cell.counts.no_reply_out,
        "twins": twins_json(cell.twins),
        "typo_out_of_scope": cell.typo_out_of_scope,
        "intent_source": cell.intent_source,
        "incomplete": cell.incomplete,
    }


def _where(bot: str, domain: str, level: str) -> dict[str, Any]:
    return {"bot": bot, "domain": domain or None, "level": level or None}


def times_json(times: Times) -> dict[str, Any]:
    """Return the JSON form of response times; `mean` is that of conversation means, with `low` and `high`."""
    mean = times.mean
    rest = {one.name: getattr(times, one.name) for one in fields(times) if one.name != "mean"}
    return {"mean": mean.value, "low": mean.low, "high": mean.high, "conversations": mean.n, **rest}


def outcomes_json(counts: TurnCounts) -> dict[str, int]:
    """Return the exclusive outcomes by name; they sum to the turns."""
    found = asdict(counts)
    silent = found.pop("no_reply_in") + found.pop("no_reply_out")
    return {**found, "no_reply": silent}


def twins_json(twins: Twins) -> dict[str, Any]:
    """Return the JSON form of misspelt turns beside their clean twins."""
    return {**asdict(twins), "n": twins.n}


def literal_json(cell: Cell) -> dict[str, Any]:
    """Return the values of the paper's wording, apart from all others."""
    return {
        **_where(cell.bot, cell.domain, cell.level),
        **cell.literal,
        "echo_literal_unclassified": cell.literal_unclassified,
    }


def comparison_json(one: Comparison) -> dict[str, Any]:
    """Return the JSON form of one bot against another."""
    return {**asdict(one), "domain": one.domain or None, "level": one.level or None}


def strength_json(one: Strength) -> dict[str, Any]:
    """Return the JSON form of a bot's place among others."""
    return asdict(one)


def topic_json(row: TopicRow) -> dict[str, Any]:
    """Return the JSON form of one topic; `intent` null: out of scope."""
    mixed = [{"intent": intent, "n": n} for intent, n in row.confused_with]
    return {**asdict(row), "confused_with": mixed}


def problem_json(problem: Problem) -> dict[str, Any]:
    """Return the JSON form of a problem."""
    examples = [place_json(key, number) for key, number in problem.examples]
    return {**asdict(problem), "examples": examples}


def unstable_json(one: Unstable) -> dict[str, Any]:
    """Return the JSON form of a turn that flickers."""
    return asdict(one)


def health_json(health: Health) -> dict[str, Any]:
    """Return the JSON form of how good the test is."""
    return {
        "too_easy": _turns(health.too_easy),
        "never_passed": _turns(health.never_passed),
        "leaks": [{"script": s, "number": n, "phrase": phrase} for s, n, phrase in health.leaks],
        "coverage": [
            {"intent": intent, "level": level, "kind": kind, "turns": n}
            for (intent, level, kind), n in health.coverage.items()
        ],
        "difficulty": _rates(health.difficulty),
    }


def _turns(turns: Sequence[tuple[str, int]]) -> list[dict[str, Any]]:
    return [{"script": script, "number": number} for script, number in turns]


def _rates(rates: Mapping[str, Rate]) -> dict[str, Any]:
    return {name: rate.to_json() for name, rate in rates.items()}


def place_json(key: TalkKey, number: int) -> dict[str, Any]:
    """Return the JSON form of a turn's place."""
    return {"bot": key.bot, "script": key.script, "repeat": key.repeat, "number": number}


def change_json(change: Change) -> dict[str, Any]:
    """Return the JSON form of a turn that changed."""
    return {**place_json(change.key, change.number), "before": str(change.before), "after": str(change.after)}


def line_json(line: Line) -> dict[str, Any]:
    """Return the JSON form of one judged turn."""
    verdict = line.verdict
    return {
        **place_json(line.key, line.number),
        "turn": line.turn,
        "scenario": line.scenario,
        "domain": line.domain,
        "level": line.level,
        "kind": line.kind,
        "expected": list(line.expected),
        "outcome": str(verdict.outcome),
        "in_scope": verdict.in_scope,
        "replied": verdict.replied,
        "fallback": verdict.fallback,
        "fallback_rule": verdict.fallback_rule,
        "intent": verdict.intent,
        "matched": verdict.matched,
        "guess_right": verdict.guess_right,
        "needs_look": verdict.needs_look,
        "reasons": list(verdict.reasons),
        "gap": verdict.gap,
        "status": line.status,
        "first_ms": line.first_ms,
        "last_ms": line.last_ms,
        "attempts": line.attempts,
        "cold": line.cold,
        "lag_ms": line.lag_ms,
        "twin": None if line.twin is None else {"script": line.twin[0], "number": line.twin[1]},
    }
