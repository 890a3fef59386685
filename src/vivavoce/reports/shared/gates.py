"""How the limit of a gate is read: `0.7` or `70%`."""

from __future__ import annotations

from vivavoce.errors import UsageError


def parse_limit(text: str, gate: str, example: str) -> float:
    """Read the limit of a gate, `0.7` or `70%`."""
    number, percent = text.strip().removesuffix("%").strip(), text.strip().endswith("%")
    try:
        limit = float(number) / (100 if percent else 1)
    except ValueError:
        raise UsageError(f"the limit of the gate '{gate}' is not a number", remedy=example) from None
    if not 0 <= limit <= 1:
        raise UsageError(f"the limit of the gate '{gate}' must be between 0 and 1", remedy="write 0.7 or 70%")
    return limit
