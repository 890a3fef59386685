"""Gates of the conversations exam: `--fail-under accuracy=0.8`, `accuracy@mybot=0.8` for one bot, `--strict`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vivavoce.conversations.result import ConversationsResult
from vivavoce.errors import Fault, GateError, UsageError, nearest, plural
from vivavoce.reports.conversations.meanings import CONVERSATION_MEASURES, measure_of
from vivavoce.reports.shared.measures import parse_limit
from vivavoce.reports.shared.numbers import apart

EXAMPLE = "write NAME=LIMIT or NAME@BOT=LIMIT, for example accuracy=0.8 or f1@mybot=0.7"
_REPEATS = re.compile(r"pass_hat_[1-9][0-9]*")


@dataclass(frozen=True, slots=True)
class TurnGate:
    """A number and the limit that it must reach, for one bot or for every one."""

    name: str
    limit: float
    bot: str | None = None


def parse_turn_gate(text: str) -> TurnGate:
    """Read `accuracy=0.8`, `accuracy=80%` or `accuracy@mybot=0.8`."""
    target, sign, limit = text.rpartition("=")
    name, at, bot = (part.strip() for part in target.partition("@"))
    if not sign or not name or (at and not bot):
        raise UsageError(f"'{text}' is not a gate", remedy=EXAMPLE)
    _check_name(name)
    return TurnGate(name, parse_limit(limit, text, EXAMPLE), bot or None)


def _check_name(name: str) -> None:
    shares = {
        measure.name: measure for measure in CONVERSATION_MEASURES.values() if measure.kind in ("share", "score")
    }
    known = [measure.name for measure in shares.values() if measure.better != "neither"]
    if name in known or _REPEATS.fullmatch(name):
        return
    if name in shares:
        raise UsageError(
            f"{name} is neither good nor bad on its own and cannot be a gate",
            remedy="use fallback_in_scope (at most) or fallback_out_of_scope (at least)",
        )
    raise UsageError(f"unknown metric '{name}'.{nearest(name, known)}", remedy=f"choose one of: {', '.join(known)}")


def require_turn_gates(result: ConversationsResult, gates: Sequence[TurnGate], *, strict: bool = False) -> None:
    """Raise one error that names every gate that was not met."""
    bots = [bot.name for bot in result.header.bots]
    unknown = [gate.bot for gate in gates if gate.bot and gate.bot not in bots]
    if unknown:
        raise UsageError(f"unknown bot '{unknown[0]}' in this run.{nearest(unknown[0], bots)}", remedy=EXAMPLE)
    missed = list(_list_missed(result, gates, bots))
    for bot in bots if strict else ():
        outcomes = [line.verdict.outcome for line in result.lines if line.key.bot == bot]
        failed = sum(outcome.counted and not outcome.passed for outcome in outcomes)
        if failed:
            missed.append(f"{bot}: {plural(failed, 'turn')} failed")
    if missed:
        raise GateError(
            f"{plural(len(missed), 'gate')} not met",
            faults=[Fault(reason) for reason in missed],
            remedy="see the biggest problems in the result",
        )


def _list_missed(result: ConversationsResult, gates: Sequence[TurnGate], bots: Sequence[str]) -> Iterator[str]:
    for gate in gates:
        lower = measure_of(gate.name).better == "lower"
        for bot in bots if gate.bot is None else [gate.bot]:
            rate = result.cell(bot).rates.get(gate.name)
            if rate is None or rate.value is None:
                yield f"{gate.name} of {bot} is n/a: {measure_of(gate.name).absent}"
            elif (rate.value > gate.limit) if lower else (rate.value < gate.limit):
                side = "over" if lower else "under"
                yield f"{gate.name} of {bot} is {apart(rate.value, gate.limit)}, {side} the limit of {gate.limit:g}"
