"""Gates of the conversations exam: `--fail-under accuracy=0.8`, `accuracy@mybot=0.8` for one bot, `--strict`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vivavoce.conversations.result import ConversationsResult
from vivavoce.errors import Fault, GateError, UsageError, nearest, plural
from vivavoce.reports.conversation_meanings import CONVERSATION_MEASURES, measure_of
from vivavoce.reports.gates import parse_limit

EXAMPLE = "write NAME=LIMIT or NAME@BOT=LIMIT, for example accuracy=0.8 or f1@mybot=0.7"


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
    if name not in CONVERSATION_MEASURES:
        known = tuple(CONVERSATION_MEASURES)
        raise UsageError(
            f"there is no number called '{name}'.{nearest(name, known)}", remedy=f"choose one of: {', '.join(known)}"
        )
    return TurnGate(name, parse_limit(limit, text, EXAMPLE), bot or None)


def require_turn_gates(result: ConversationsResult, gates: Sequence[TurnGate], *, strict: bool = False) -> None:
    """Raise one error that names every gate that was not met."""
    bots = [bot.name for bot in result.header.bots]
    unknown = [gate.bot for gate in gates if gate.bot and gate.bot not in bots]
    if unknown:
        raise UsageError(f"no bot of this run is called '{unknown[0]}'.{nearest(unknown[0], bots)}", remedy=EXAMPLE)
    missed = [*_missed(result, gates, bots), *(_failed(result) if strict else ())]
    if missed:
        raise GateError(
            f"{plural(len(missed), 'gate')} not met",
            faults=[Fault(reason) for reason in missed],
            remedy="see the biggest problems of the result",
        )


def _missed(result: ConversationsResult, gates: Sequence[TurnGate], bots: Sequence[str]) -> Iterator[str]:
    for gate in gates:
        lower = measure_of(gate.name).better == "lower"
        for bot in bots if gate.bot is None else [gate.bot]:
            value = result.cell(bot).rates[gate.name].value
            if value is None:
                yield f"{gate.name} of {bot} is n/a: {measure_of(gate.name).absent}"
            elif (value > gate.limit) if lower else (value < gate.limit):
                side = "over" if lower else "under"
                yield f"{gate.name} of {bot} is {value:.4g}, {side} the limit of {gate.limit:g}"


def _failed(result: ConversationsResult) -> Iterator[str]:
    for bot in result.header.bots:
        failed = sum(
            line.verdict.outcome.counted and not line.verdict.outcome.passed
            for line in result.lines
            if line.key.bot == bot.name
        )
        if failed:
            yield f"{bot.name}: {plural(failed, 'turn')} failed"
