"""People and how they come in."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Role(StrEnum):
    """What a person may do; each may do all that the one before may."""

    READER = "reader"
    REVIEWER = "reviewer"
    EDITOR = "editor"
    ADMIN = "admin"

    def covers(self, needed: Role) -> bool:
        """Tell whether this role may do what that one may."""
        order = list(Role)
        return order.index(self) >= order.index(needed)


@dataclass(frozen=True, slots=True)
class User:
    """A person. `password` is a hash, None until the invitation is taken up."""

    id: str
    login: str
    name: str
    role: Role
    language: str
    disabled: bool
    created: datetime
    seen: datetime | None = None
    password: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class SignIn:
    """A browser in which somebody is signed in."""

    id: str
    user_id: str
    created: datetime
    seen: datetime
    expires: datetime
    agent: str


@dataclass(frozen=True, slots=True)
class Token:
    """A key to the API; the secret itself is shown once and not kept."""

    id: str
    user_id: str
    name: str
    scopes: tuple[str, ...]
    created: datetime
    expires: datetime | None
    seen: datetime | None
    revoked: datetime | None


@dataclass(frozen=True, slots=True)
class Link:
    """A link that works once: `purpose` is setup, invitation or password."""

    id: str
    purpose: str
    user_id: str | None
    created: datetime
    expires: datetime
    used: datetime | None


@dataclass(frozen=True, slots=True)
class AuditLine:
    """Something that somebody did."""

    id: str
    at: datetime
    user_id: str | None
    action: str
    noun: str
    noun_id: str
    project_id: str | None
    detail: str
    address: str


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """An attempt to sign in; `login` and `address` are keys that name nobody."""

    login: str
    address: str
    at: datetime
    succeeded: bool
