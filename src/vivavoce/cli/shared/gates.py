"""`--fail-under`: gates are read before the work begins and judged when the result is there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vivavoce.errors import Fault, GateError, UsageError

if TYPE_CHECKING:
    from vivavoce.intents import Setting
    from vivavoce.intents.blind import BlindResult
    from vivavoce.reports.intents.gates import Gate

# A blind test calls one number by two names.
ALIASES = {"oos_recall": "negative_rejection"}


def exam_gates(texts: Sequence[str] | None, examined: Sequence[Setting]) -> list[Gate]:
    """Read the gates of an exam; refuse one of a setting that will not be examined."""
    from vivavoce.reports.intents.gates import parse_gate

    gates = [parse_gate(text) for text in texts or ()]
    foreign = [gate for gate in gates if gate.setting is not None and gate.setting not in examined]
    if foreign:
        raise UsageError(
            "gates can only ask for settings that are examined",
            faults=[Fault(f"the setting {gate.setting} is not examined", gate.name) for gate in foreign],
            remedy=f"examined are: {' '.join(f'{one.k},{one.p:g}' for one in examined)}",
        )
    return gates


def blind_gates(texts: Sequence[str] | None) -> list[Gate]:
    """Read the gates of a blind test, which knows no settings."""
    from vivavoce.reports.intents.gates import parse_gate

    gates = [parse_gate(_known_name(text)) for text in texts or ()]
    if any(gate.setting for gate in gates):
        raise UsageError("a blind test has no settings", remedy="write the gate as NAME=LIMIT, such as accuracy=0.7")
    return gates


def _known_name(text: str) -> str:
    name, sign, limit = text.partition("=")
    return ALIASES.get(name.strip(), name) + sign + limit


def require_blind(result: BlindResult, gates: Sequence[Gate]) -> None:
    """Raise one error that names every gate that a blind test did not meet."""
    missed = [gate for gate in gates if not gate.holds(result.rate(gate.name))]
    if missed:
        raise GateError(
            f"{len(missed)} of {len(gates)} gates not met",
            faults=[Fault(_reason(result, gate)) for gate in missed],
            remedy="see the weakest topics of the result",
        )


def _reason(result: BlindResult, gate: Gate) -> str:
    value = result.rate(gate.name).value
    if value is None:
        return f"{gate.name} is n/a: there was nothing to count"
    return f"{gate.name} is {value:.4g}, {'over' if gate.ceiling else 'under'} the limit of {gate.limit:g}"
