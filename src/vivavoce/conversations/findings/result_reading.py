"""The result of a conversations exam from its JSON form: what `result_to_json` writes, read back.

Keys may stand in any order. The JSON form names the scripts of the run and has the messages that the findings speak
of; who has the whole head of the run, or the judged turns, gives them too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from vivavoce.bots.protocol import BotFacts
from vivavoce.conversations.result import (
    ALL,
    DEFINITIONS,
    Cell,
    Comparison,
    ConversationsResult,
    Delay,
    Gap,
    Health,
    Line,
    Problem,
    Strength,
    Times,
    TopicRow,
    Twins,
    Unchecked,
    Unstable,
    Verdict,
)
from vivavoce.conversations.scenario import Expectation, Plan, Script, ScriptTurn
from vivavoce.conversations.transcript import RunHeader, TalkKey
from vivavoce.errors import Fault
from vivavoce.files.objects import (
    MisreadError,
    Shape,
    check_head,
    count,
    each,
    flag,
    maybe,
    members,
    named,
    number,
    one_of,
    ordered,
    rate,
    read_document,
    text,
)
from vivavoce.outcomes import TurnCounts, TurnOutcome
from vivavoce.records import Rate

__all__ = ["conversations_result_from_json"]

REMEDY = "give the JSON form that vivavoce wrote, or score the run again"


def conversations_result_from_json(
    data: Mapping[str, Any], *, header: RunHeader | None = None, lines: Iterable[Line] | None = None
) -> ConversationsResult:
    """Return the result whose JSON form this is; DataError names every key that is missing or wrong.

    `header`: the head of the run where it is at hand; else it knows its scripts by name alone. `lines`: the judged
    turns; else those under `turns`, or none: only single turns and conversations cannot be shown without them.
    """
    found = read_document(data, _result, what="this result of a conversations exam", remedy=REMEDY)
    return ConversationsResult(
        **{
            **found,
            "header": found["header"] if header is None else header,
            "lines": found["lines"] if lines is None else tuple(lines),
        }
    )


def _result(data: Any) -> dict[str, Any]:
    check_head(data, "conversations", DEFINITIONS)
    found = members(data, _RESULT, {"turns": (), "unchecked": (), "client_delays": ()})
    names, lines, delays = found.pop("measures"), found.pop("turns"), found.pop("client_delays")
    found["cells"] = _cells(data, names)
    found["health"] = _in_order(found["health"], found["cells"])
    return {**found, "header": _header(data), "lines": lines, "delays": delays}


# --- the head of the run -----------------------------------------------------------------------------------------


def _header(data: Any) -> RunHeader:
    found = members(data, _HEADER)
    source, suite = found.pop("data"), found.pop("suite")
    version = suite.pop("vivavoce")
    plan = Plan(suite=source["source"], hash=source["hash"], **suite)
    return RunHeader(version=version, plan=plan, **found)


def _source(value: Any) -> dict[str, Any]:
    return members(value, {"source": text, "hash": text})


def _suite(value: Any) -> dict[str, Any]:
    return members(value, {"vivavoce": text, "language": text, "notice": text, "scripts": each(_script)})


def _script(value: Any) -> Script:
    return Script(**members(value, _SCRIPT))


def _turn(value: Any) -> ScriptTurn:
    # What was expected is not told: the findings have judged it.
    return ScriptTurn(**members(value, {"number": count, "text": text}), id="", expect=Expectation(counted=False))


def _bot(value: Any) -> BotFacts:
    return BotFacts(**members(value, {"name": text, "about": text}))


# --- cells -------------------------------------------------------------------------------------------------------


def _cells(data: Any, names: tuple[str, ...]) -> tuple[Cell, ...]:
    """Return the cells, each with its values by the paper's wording, which stand in a list of their own."""
    rates = dict.fromkeys(names, rate)
    found = members(data, {"cells": each(lambda value: _cell(value, rates)), "echo_literal": each(_literal)})
    if len(found["cells"]) != len(found["echo_literal"]):
        told = f"has {len(found['echo_literal'])} lines for {len(found['cells'])} cells"
        raise MisreadError(Fault(told, "echo_literal"))
    return tuple(
        Cell(**cell, literal=literal, literal_unclassified=unclassified)
        for cell, (literal, unclassified) in zip(found["cells"], found["echo_literal"], strict=True)
    )


def _cell(value: Any, rates: Shape) -> dict[str, Any]:
    found = members(value, _CELL)
    found["counts"] = _counts(found.pop("outcomes"), found.pop("no_reply_out_of_scope"))
    found["times"] = found.pop("response_time_ms")
    return {**found, "rates": members(value, rates)}


def _counts(outcomes: dict[str, int], silent_out: int) -> TurnCounts:
    silent = outcomes.pop("no_reply")
    return TurnCounts(**outcomes, no_reply_in=silent - silent_out, no_reply_out=silent_out)


def _outcomes(value: Any) -> dict[str, int]:
    return members(value, dict.fromkeys((str(outcome) for outcome in TurnOutcome), count))


def _times(value: Any) -> Times:
    found = members(value, _TIMES)
    mean = Rate(found.pop("mean"), found.pop("low"), found.pop("high"), found.pop("conversations"))
    return Times(mean=mean, **found)


def _twins(value: Any) -> Twins:
    return Twins(**members(value, _TWINS))


def _literal(value: Any) -> tuple[dict[str, float | None], int]:
    found = members(value, _LITERAL)
    unclassified = found.pop("echo_literal_unclassified")
    return found, unclassified


def _place(value: Any) -> str:
    return ALL if value is None else text(value)


# --- what follows from them --------------------------------------------------------------------------------------


def _comparison(value: Any) -> Comparison:
    return Comparison(**members(value, _COMPARISON))


def _strength(value: Any) -> Strength:
    return Strength(**members(value, _STRENGTH))


def _topic(value: Any) -> TopicRow:
    return TopicRow(**members(value, _TOPIC))


def _mixed(value: Any) -> tuple[str, int]:
    found = members(value, {"intent": text, "n": count})
    return found["intent"], found["n"]


def _problem(value: Any) -> Problem:
    return Problem(**members(value, _PROBLEM))


def _example(value: Any) -> tuple[TalkKey, int]:
    found = members(value, _PLACE)
    return TalkKey(found["bot"], found["script"], found["repeat"]), found["number"]


def _unstable(value: Any) -> Unstable:
    return Unstable(**members(value, {"bot": text, "script": text, "number": count, "passed": count, "n": count}))


def _health(value: Any) -> Health:
    return Health(**members(value, _HEALTH))


def _named_turn(value: Any) -> tuple[str, int]:
    found = members(value, {"script": text, "number": count})
    return found["script"], found["number"]


def _leak(value: Any) -> tuple[str, int, str]:
    found = members(value, {"script": text, "number": count, "phrase": text})
    return found["script"], found["number"], found["phrase"]


def _coverage(value: Any) -> dict[tuple[str | None, str, str], int]:
    rows = each(lambda row: members(row, {"intent": maybe(text), "level": text, "kind": text, "turns": count}))(value)
    return {(row["intent"], row["level"], row["kind"]): row["turns"] for row in rows}


def _in_order(health: Health, cells: tuple[Cell, ...]) -> Health:
    """Put the levels in the order of the cells: the keys of an object may have lost it."""
    levels = tuple(dict.fromkeys(cell.level for cell in cells if cell.level != ALL))
    told = {one.name: getattr(health, one.name) for one in fields(health)}
    return Health(**{**told, "difficulty": ordered(health.difficulty, levels)})


# --- turns -------------------------------------------------------------------------------------------------------


def _line(value: Any) -> Line:
    key, place = _example(value)
    verdict = Verdict(**members(value, _VERDICT, {"gap": None}))
    return Line(key=key, number=place, verdict=verdict, **members(value, _LINE, {"lag_ms": 0.0}))


def _unchecked(value: Any) -> Unchecked:
    return Unchecked(**members(value, _UNCHECKED))


def _delay(value: Any) -> Delay:
    return Delay(**members(value, _DELAY))


# --- shapes ------------------------------------------------------------------------------------------------------

_perhaps = maybe(number)
_gap = one_of(Gap, "a reason why something is not checked")
_SCRIPT: Shape = {
    **dict.fromkeys(("id", "scenario", "title", "domain", "level", "version"), text),
    "turns": each(_turn),
}
_HEADER: Shape = {
    "run": text,
    "seed": count,
    "data": _source,
    "suite": _suite,
    "bots": each(_bot),
    "repeats": count,
}
_TIMES: Shape = {
    **dict.fromkeys(("mean", "low", "high", "pooled", "p50", "p95", "p99", "last"), _perhaps),
    **dict.fromkeys(("conversations", "turns", "timeouts", "retried", "cold"), count),
}
_TWINS: Shape = {
    **dict.fromkeys(("both", "only_clean", "only_typo", "neither", "fewest_repeats", "most_repeats"), count),
    "p": _perhaps,
}
_CELL: Shape = {
    "bot": text,
    "domain": _place,
    "level": _place,
    "conversations": count,
    "turns": count,
    "response_time_ms": _times,
    "outcomes": _outcomes,
    "no_reply_out_of_scope": count,
    "twins": _twins,
    "typo_out_of_scope": count,
    "intent_source": text,
    "incomplete": flag,
}
_LITERAL: Shape = {
    **dict.fromkeys((*TurnCounts().literal(), "echo_literal_f1"), _perhaps),
    "echo_literal_unclassified": count,
}
_COMPARISON: Shape = {
    **dict.fromkeys(("a", "b", "measure", "verdict"), text),
    **dict.fromkeys(("domain", "level"), _place),
    **dict.fromkeys(("difference", "low", "high", "p", "mcnemar_p"), _perhaps),
    **dict.fromkeys(("conversations", "turns", "only_a", "only_b", "differing", "family"), count),
    "more": maybe(count),
    "mixed_sources": flag,
}
_STRENGTH: Shape = {
    "bot": text,
    "strength": number,
    "low": _perhaps,
    "high": _perhaps,
    "wins": number,
    "contests": count,
}
_TOPIC: Shape = {
    "bot": text,
    "intent": maybe(text),
    "n": count,
    **dict.fromkeys(("precision", "recall", "f1"), _perhaps),
    "confused_with": each(_mixed),
}
_PLACE: Shape = {"bot": text, "script": text, "repeat": count, "number": count}
_PROBLEM: Shape = {
    **dict.fromkeys(("bot", "kind", "message", "remedy"), text),
    "turns": count,
    "examples": each(_example),
}
_HEALTH: Shape = {
    "too_easy": each(_named_turn),
    "never_passed": each(_named_turn),
    "leaks": each(_leak),
    "coverage": _coverage,
    "difficulty": named(rate),
}
_VERDICT: Shape = {
    "outcome": one_of(TurnOutcome, "the outcome of a turn"),
    **dict.fromkeys(("in_scope", "replied", "fallback", "needs_look"), flag),
    **dict.fromkeys(("fallback_rule", "matched"), text),
    "intent": maybe(text),
    "guess_right": maybe(flag),
    "reasons": each(text),
    "gap": maybe(_gap),
}
_LINE: Shape = {
    **dict.fromkeys(("turn", "scenario", "domain", "level", "kind", "status"), text),
    "expected": each(text),
    "first_ms": _perhaps,
    "last_ms": _perhaps,
    "attempts": count,
    "cold": flag,
    "twin": maybe(_named_turn),
    "lag_ms": number,
}
_UNCHECKED: Shape = {"bot": text, "gap": _gap, "turns": count, "partly": count, "of": count}
_DELAY: Shape = {"bot": text, **dict.fromkeys(("p95_ms", "max_ms", "share"), number)}
_RESULT: Shape = {
    "measures": each(text),
    "comparisons": each(_comparison),
    "strengths": each(_strength),
    "topics": each(_topic),
    "problems": each(_problem),
    "unstable": each(_unstable),
    "health": _health,
    "warnings": each(text),
    "failures": each(text),
    "unchecked": each(_unchecked),
    "client_delays": each(_delay),
    "turns": each(_line),
}
