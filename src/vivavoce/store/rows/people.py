"""People and how they come in."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from vivavoce.store.columns import Id, ProjectId, Short, Translated, UserId


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

    id: Id
    login: Short
    name: str
    role: Role
    language: Short
    disabled: bool
    created: datetime
    seen: datetime | None = None
    password: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class SignIn:
    """A browser in which somebody is signed in."""

    id: Id
    user_id: UserId
    created: datetime
    seen: datetime
    expires: datetime
    agent: str


@dataclass(frozen=True, slots=True)
class Token:
    """A key to the API; the secret itself is shown once and not kept."""

    id: Id
    user_id: UserId
    name: str
    scopes: tuple[str, ...]
    created: datetime
    expires: datetime | None
    seen: datetime | None
    revoked: datetime | None


@dataclass(frozen=True, slots=True)
class Link:
    """A link that works once: `purpose` is setup, invitation or password."""

    id: Id
    purpose: Short
    user_id: UserId | None
    created: datetime
    expires: datetime
    used: datetime | None


@dataclass(frozen=True, slots=True)
class AuditLine:
    """Something that somebody did."""

    id: Id
    at: datetime
    user_id: UserId | None
    action: Short
    noun: Short
    noun_id: Short
    project_id: ProjectId | None
    detail: Translated
    address: Short


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """An attempt to sign in; `login` and `address` are keys that name nobody."""

    login: Short
    address: Short
    at: datetime
    succeeded: bool
