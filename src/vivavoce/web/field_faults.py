"""What is wrong with one field of a form, whoever found it: the form itself or the use behind it."""

from __future__ import annotations

from vivavoce.errors import VivaError


def fault_at(error: VivaError | None, name: str) -> str:
    """Return what an error says of a field, for the place beside it."""
    found = [fault.message for fault in error.faults if fault.where == name] if error else []
    return " ".join(found)
