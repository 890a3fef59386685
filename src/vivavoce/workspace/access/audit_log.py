"""The audit log as it is read: who did what, when and from where, with names instead of ids."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from vivavoce.store.database import Store
from vivavoce.store.rows import AuditLine, Role
from vivavoce.store.tables import audit
from vivavoce.workspace.access.actors import Actor

MOST_EXPORTED = 100_000
# What is asked for instead of the id of a person: nobody did it, the product did.
PRODUCT_ITSELF = "product"


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
class LogFilter:
    """What of the log is wanted; what is empty narrows nothing. `person`: an id, or `PRODUCT_ITSELF`."""

    person: str = ""
    project: str = ""
    action: str = ""
    search: str = ""


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
    chosen = _conditions(wanted or LogFilter())
    lines = sa.select(audit).where(*chosen).order_by(audit.c.at.desc(), audit.c.id).limit(limit).offset(offset)
    with store.reading() as tx:
        people = {user.id: user.login for user in tx.users.all()}
        projects = {one.id: one.slug for one in tx.projects.all()}
        total = tx.connection.execute(sa.select(sa.func.count()).select_from(audit).where(*chosen)).scalar_one()
        actions = tx.connection.execute(sa.select(audit.c.action).distinct().order_by(audit.c.action)).scalars()
        found = [AuditLine(**row._mapping) for row in tx.connection.execute(lines)]
        named = tuple(actions)
    return LogPage(tuple(_line(one, people, projects) for one in found), int(total), people, projects, named)


def _conditions(wanted: LogFilter) -> list[sa.ColumnElement[bool]]:
    found: list[sa.ColumnElement[bool]] = []
    if wanted.person:
        itself = wanted.person == PRODUCT_ITSELF
        found.append(audit.c.user_id.is_(None) if itself else audit.c.user_id == wanted.person)
    if wanted.project:
        found.append(audit.c.project_id == wanted.project)
    if wanted.action:
        found.append(audit.c.action == wanted.action)
    if wanted.search.strip():
        places = (audit.c.detail, audit.c.noun, audit.c.address)
        found.append(sa.or_(*(place.icontains(wanted.search.strip(), autoescape=True) for place in places)))
    return found


def _line(line: AuditLine, people: dict[str, str], projects: dict[str, str]) -> LogLine:
    who = people.get(line.user_id or "", "")
    project = projects.get(line.project_id or "", "")
    return LogLine(line.id, line.at, who, line.action, line.noun, line.noun_id, project, line.detail, line.address)
