"""`--fail-under`: gates are read before the work and checked against the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vivavoce.errors import Fault, GateError, UsageError

if TYPE_CHECKING:
    from vivavoce.intents import Setting
    from vivavoce.intents.blind import BlindResult
    from vivavoce.reports.intents.gates import Gate

# A blind test has two names for one number.
ALIASES = {"oos_recall": "negative_rejection"}


def exam_gates(texts: Sequence[str] | None, examined: Sequence[Setting]) -> list[Gate]:
    """Read the gates of an exam; refuse one of a setting that will not be examined."""
    from vivavoce.reports.intents.gates import parse_gate

    gates = [parse_gate(text) for text in texts or ()]
    foreign = [gate for gate in gates if gate.setting is not None and gate.setting not in examined]
    if foreign:
        raise UsageError(
            "gates can only refer to settings that are tested",
            faults=[Fault(f"the setting {gate.setting} is not tested", gate.name) for gate in foreign],
            remedy=f"tested settings: {' '.join(f'{setting.k},{setting.p:g}' for setting in examined)}",
        )
    return gates


def blind_gates(texts: Sequence[str] | None) -> list[Gate]:
    """Read the gates of a blind test, which has no settings."""
    from vivavoce.reports.intents.gates import parse_gate

    gates = []
    for text in texts or ():
        name, sign, limit = text.partition("=")
        gates.append(parse_gate(ALIASES.get(name.strip(), name) + sign + limit))
    if any(gate.setting for gate in gates):
        raise UsageError("a blind test has no settings", remedy="write the gate as NAME=LIMIT, such as accuracy=0.7")
    return gates


def require_blind(result: BlindResult, gates: Sequence[Gate]) -> None:
    """Raise one error that names every gate that a blind test did not meet."""
    faults = []
    for gate in gates:
        rate = result.rate(gate.name)
        if gate.holds(rate):
            continue
        if rate.value is None:
            faults.append(Fault(f"{gate.name} is n/a: nothing to count"))
        else:
            side = "over" if gate.ceiling else "under"
            faults.append(Fault(f"{gate.name} is {rate.value:.4g}, {side} the limit of {gate.limit:g}"))
    if faults:
        raise GateError(
            f"{len(faults)} of {len(gates)} gates not met",
            faults=faults,
            remedy="see the weakest topics in the result",
        )
