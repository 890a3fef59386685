"""What is wrong with one field of a form, whoever found it: the form itself or the use behind it."""

from __future__ import annotations

from vivavoce.errors import VivaError
from vivavoce.messages import join


def fault_at(error: VivaError | None, name: str) -> str:
    """Return what an error says of a field, for the place beside it."""
    if error is None:
        return ""
    found = [fault.message for fault in error.faults if fault.where == name]
    return join("; ", found) or (error.what if error.where == name else "")
