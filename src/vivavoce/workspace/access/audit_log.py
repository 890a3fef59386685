"""The audit log as it is read: who did what, when and from where, with names instead of ids."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from vivavoce.store.database import Store
from vivavoce.store.repositories.audit import PRODUCT_ITSELF, LogFilter
from vivavoce.store.rows import AuditLine, Role
from vivavoce.workspace.access.actors import Actor

MAX_EXPORTED = 100_000
__all__ = ["MAX_EXPORTED", "PRODUCT_ITSELF", "LogFilter", "LogLine", "LogPage", "read_log"]


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
    """Some lines of the log, and what it can be narrowed down to: ids with names, and what was done at all."""

    lines: tuple[LogLine, ...]
    total: int
    people: dict[str, str]
    projects: dict[str, str]
    actions: tuple[str, ...]


def read_log(
    store: Store, actor: Actor, wanted: LogFilter | None = None, *, limit: int = 50, offset: int = 0
) -> LogPage:
    """Return lines of the log, the newest first."""
    actor.require(Role.ADMIN)
    wanted = wanted or LogFilter()
    with store.reading() as tx:
        people = {user.id: user.login for user in tx.users.all()}
        projects = {project.id: project.slug for project in tx.projects.all()}
        lines = tx.audit.page(wanted, limit, offset)
        total, actions = tx.audit.count(wanted), tx.audit.actions()
    return LogPage(tuple(_name(line, people, projects) for line in lines), total, people, projects, actions)


def _name(line: AuditLine, people: dict[str, str], projects: dict[str, str]) -> LogLine:
    who = people.get(line.user_id or "", "")
    project = projects.get(line.project_id or "", "")
    return LogLine(line.id, line.at, who, line.action, line.noun, line.noun_id, project, line.detail, line.address)
