"""Who does something (a person, a program with a key, or the product itself), and the log of what they did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from vivavoce.errors import AccessError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.repositories.audit import LogFilter
from vivavoce.store.rows import Role
from vivavoce.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody who does something; `user_id` None: the product itself, on behalf of whoever runs it."""

    user_id: str | None
    name: str
    role: Role
    address: str = ""
    language: str = "en"

    def require(self, role: Role) -> None:
        """Refuse what needs a higher role."""
        if not self.role.covers(role):
            raise AccessError(
                say(
                    "this requires the role {role}, but {name} is {self_role}",
                    role=role,
                    name=self.name,
                    self_role=self.role,
                ),
                remedy=say("ask an admin to do it, or to give you the role"),
            )


# Command line and scheduled work: whoever can open the database may do everything.
PRODUCT = Actor(None, "vivavoce", Role.ADMIN)


def person_names(tx: Transaction, ids: Sequence[str | None]) -> dict[str | None, str]:
    """Return the names of people by id; what nobody did, the product did."""
    people = {user_id: tx.users.get(user_id) for user_id in set(ids) if user_id}
    names = {user_id: user.name or user.login for user_id, user in people.items() if user}
    return {user_id: names.get(user_id or "", PRODUCT.name) for user_id in ids}


MAX_EXPORTED = 100_000
# What pages say for the words that the log keeps: what was done, and to what.
ACTIONS: Mapping[str, str] = {
    "cancel": say("cancelled"),
    "change password": say("Password changed"),
    "change role": say("Role changed"),
    "change settings": say("Settings changed"),
    "choose password": say("Password chosen"),
    "create": say("created"),
    "delete": say("deleted"),
    "disable": say("Account disabled"),
    "enable": say("Account enabled"),
    "import": say("imported"),
    "invite": say("Person invited"),
    "make key": say("API key created"),
    "make link": say("Sign-in link created"),
    "rename": say("renamed"),
    "resume": say("resumed"),
    "retry": say("failed parts retried"),
    "revoke key": say("API key revoked"),
    "set up": say("Workspace set up"),
    "sign in": say("Signed in"),
    "sign out": say("Signed out"),
    "sign out everywhere": say("Signed out everywhere"),
    "start": say("started"),
    "could not start": say("could not start"),
}
# Actions whose words say what they were done to.
SELF_EXPLAINING = frozenset(action for action, words in ACTIONS.items() if words[:1].isupper())
NOUNS: Mapping[str, str] = {
    "conversations": say("Conversations"),
    "dialogues": say("Dialogues"),
    "engines": say("Classifiers"),
    "intents": say("Intents"),
    "key": say("API key"),
    "link": say("Set-up link"),
    "person": say("Person"),
    "project": say("Project"),
    "run": say("Run"),
    "schedule": say("Daily run"),
    "workspace": say("Workspace"),
}


def note(
    tx: Transaction,
    actor: Actor,
    action: str,
    noun: str,
    noun_id: str,
    *,
    project_id: str | None = None,
    detail: str = "",
) -> None:
    """Write down who did what."""
    tx.audit.add(action, noun, noun_id, actor.user_id, project_id, detail=detail, address=actor.address)


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
    same = ("id", "at", "action", "noun", "noun_id", "detail", "address")
    named = tuple(
        LogLine(
            **{name: getattr(line, name) for name in same},
            who=people.get(line.user_id or "", ""),
            project=projects.get(line.project_id or "", ""),
        )
        for line in lines
    )
    return LogPage(named, total, people, projects, actions)
