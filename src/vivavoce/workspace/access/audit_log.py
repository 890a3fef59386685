"""The audit log as it is read: who did what, when and from where, with names instead of ids."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from vivavoce.store.database import Store
from vivavoce.store.rows import AuditLine, Role
from vivavoce.workspace.access.actors import Actor

MOST_EXPORTED = 100_000


@dataclass(frozen=True, slots=True)
class LogLine:
    """Something that somebody did; `who` is empty for the product itself and for people who are gone."""

    id: str
    at: datetime
    who: str
    action: str
    noun: str
    noun_id: str
    project: str
    detail: str
    address: str


@dataclass(frozen=True, slots=True)
class LogPage:
    """Some lines of the log, and what it can be narrowed down to: ids with names."""

    lines: tuple[LogLine, ...]
    total: int
    people: dict[str, str]
    projects: dict[str, str]


def read_log(
    store: Store,
    actor: Actor,
    *,
    person: str = "",
    project: str = "",
    limit: int = 50,
    offset: int = 0,
) -> LogPage:
    """Return lines of the log, the newest first; of one person or project (by id) where they are given."""
    actor.require(Role.ADMIN)
    with store.reading() as tx:
        people = {user.id: user.login for user in tx.users.all()}
        projects = {one.id: one.slug for one in tx.projects.all()}
        chosen = (project or None, person or None)
        lines = tx.audit.page(limit, offset, *chosen)
        total = tx.audit.count(*chosen)
    return LogPage(tuple(_line(one, people, projects) for one in lines), total, people, projects)


def _line(line: AuditLine, people: dict[str, str], projects: dict[str, str]) -> LogLine:
    who = people.get(line.user_id or "", "")
    project = projects.get(line.project_id or "", "")
    return LogLine(line.id, line.at, who, line.action, line.noun, line.noun_id, project, line.detail, line.address)
