"""Choosing a password: typed twice, checked by the rules, kept as a hash."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.errors import Fault, UsageError
from vivavoce.workspace.access.secrets.passwords import password_faults


def new_password_faults(password: str, repeated: str, login: str) -> tuple[Fault, ...]:
    """Return what is wrong with a new password, each fault at its field."""
    unlike = () if password == repeated else (Fault("The two passwords are not the same.", "repeated"),)
    return (*password_faults(password, login), *unlike)


def refuse_faults(faults: Sequence[Fault]) -> None:
    """Refuse a form with all its faults at once; nothing happens where there are none."""
    if faults:
        raise UsageError("some fields cannot be used", faults=faults, remedy="correct them and send again")
