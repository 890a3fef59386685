"""Gates: numbers that a result must reach, as given by `--fail-under accuracy=0.7`.

A gate asks for at least as good as its limit: a share such as accuracy must not fall under it, an error such as
`ece` must not rise over it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from vivavoce.errors import GateError, UsageError, nearest
from vivavoce.intents.result import IntentsResult
from vivavoce.intents.splits import Setting
from vivavoce.records import Rate
from vivavoce.reports.intents.meanings import MEASURES, absence
from vivavoce.reports.shared.measures import parse_limit
from vivavoce.reports.shared.numbers import apart

EXAMPLE = "write NAME=LIMIT or NAME@K,P=LIMIT, for example accuracy=0.7 or accuracy@0,0.15=0.6"
NAMES = tuple(name for name, measure in MEASURES.items() if measure.about == "setting")


@dataclass(frozen=True, slots=True)
class Gate:
    """A number and the limit that it must reach; without a setting the first examined one counts."""

    name: str
    limit: float
    setting: Setting | None = None

    @property
    def ceiling(self) -> bool:
        """Whether the limit must not be exceeded, because lower is better."""
        return MEASURES[self.name].better == "lower"

    def __str__(self) -> str:
        return f"{self.name}{f' {self.setting}' if self.setting else ''}"

    def holds(self, rate: Rate) -> bool:
        """Say whether a value passes; one that could not be had does not."""
        if rate.value is None:
            return False
        return rate.value <= self.limit if self.ceiling else rate.value >= self.limit


@dataclass(frozen=True, slots=True)
class GateFailure:
    """A gate that was not met, and why."""

    gate: Gate
    rate: Rate
    reason: str

    def __str__(self) -> str:
        return self.reason


def parse_gate(text: str) -> Gate:
    """Read `accuracy=0.7`, `accuracy=70%` or `accuracy@0,0.15=0.6`."""
    name, sign, limit = text.rpartition("=")
    if not sign or not name.strip():
        raise UsageError(f"'{text}' is not a gate", remedy=EXAMPLE)
    return _gate(name, parse_limit(limit, text, EXAMPLE))


def _gate(target: str, limit: float) -> Gate:
    name, sign, setting = (part.strip() for part in target.partition("@"))
    if name not in NAMES:
        raise UsageError(
            f"unknown metric '{name}'.{nearest(name, NAMES)}", remedy=f"choose one of: {', '.join(NAMES)}"
        )
    return Gate(name, limit, Setting.parse(setting) if sign else None)


def check_gates(result: IntentsResult, gates: Mapping[str, float] | Iterable[Gate]) -> list[GateFailure]:
    """Return the gates that were not met; a mapping names them as the command line does (`accuracy@0,0.15`)."""
    asked = [_gate(name, limit) for name, limit in gates.items()] if isinstance(gates, Mapping) else list(gates)
    judged = [(gate, result.rate(gate.name, _setting(result, gate))) for gate in asked]
    return [GateFailure(gate, rate, _reason(result, gate, rate)) for gate, rate in judged if not gate.holds(rate)]


def require_gates(result: IntentsResult, gates: Mapping[str, float] | Iterable[Gate]) -> None:
    """Raise one error that names every gate that was not met."""
    failures = check_gates(result, gates)
    if failures:
        raise GateError("; ".join(str(failure) for failure in failures), remedy="see what to fix next in the result")


def _setting(result: IntentsResult, gate: Gate) -> Setting:
    known = [findings.setting for findings in result.settings]
    if not known:
        raise GateError(f"{gate} cannot be checked: no round was completed", remedy="see the warnings in the result")
    if gate.setting is None or gate.setting in known:
        return gate.setting or known[0]
    examined = ", ".join(f"{setting.k},{setting.p:g}" for setting in known)
    raise UsageError(
        f"a gate uses the setting {gate.setting}, which was not tested", remedy=f"choose one of: {examined}"
    )


def _reason(result: IntentsResult, gate: Gate, rate: Rate) -> str:
    where = f"{gate.name} at {_setting(result, gate)}"
    if rate.value is None:
        return f"{where} is n/a: {absence(gate.name)}"
    relation = "over" if gate.ceiling else "under"
    return f"{where} is {apart(rate.value, gate.limit)}, {relation} the limit of {gate.limit:g}"
