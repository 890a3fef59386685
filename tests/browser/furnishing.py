"""A workspace with a little of everything in it: what pages are looked at with."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from vivavoce.demo import dialogues_path, load
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role, Run, RunState, User
from vivavoce.store.stamps import now
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.access.bot_rules import BotRules
from vivavoce.workspace.access.keys import make_key
from vivavoce.workspace.access.people import invite
from vivavoce.workspace.bots.bots import add_bot
from vivavoce.workspace.conversations.choices import Choice
from vivavoce.workspace.conversations.conversations import start_conversations
from vivavoce.workspace.dialogues.dialogues import begin_scoring
from vivavoce.workspace.dialogues.imports import apply_talks, prepare_talks
from vivavoce.workspace.dialogues.ratings import Opinion, rate_talk
from vivavoce.workspace.dialogues.reading import TalkChoices
from vivavoce.workspace.exams.intents import start_engines, start_intents
from vivavoce.workspace.projects.schedules import NewSchedule, create_schedule
from vivavoce.workspace.scenarios.suites import import_read_suite, read_shipped
from vivavoce.workspace.topics.importing import apply_import, prepare_import
from vivavoce.workspace.topics.incoming import Choices
from vivavoce.workspace.topics.names import OUT_OF_SCOPE
from vivavoce.workspace.topics.topics import change_topic
from vivavoce.workspace.uploads import Source

NAMES = {
    Role.READER: "Robin Reader",
    Role.REVIEWER: "Vera Viewer",
    Role.EDITOR: "Edith Editor",
    Role.ADMIN: "Ada Admin",
}
# Quick and still with something to say: few topics, some of them alike, an engine that counts words.
TOPICS, EACH, STRANGERS = 8, 10, 6
QUICK_EXAM: dict[str, Any] = {"retries": 2, "settings": [[0, 0], [0, 0.15]]}
RULES = BotRules(private_bots=True)


@dataclass(frozen=True)
class Furnished:
    """A workspace and what is in it; `link` and `preview` are the keys of pages that are shown once."""

    store: Store
    users: dict[Role, User]
    project: Project
    runs: dict[str, tuple[Run, ...]]
    link: str
    preview: str
    talks_preview: str

    @property
    def told(self) -> dict[str, str]:
        """What the workspace does not tell by itself."""
        return {"link": self.link, "preview": self.preview, "talks_preview": self.talks_preview}

    def actor(self, role: Role) -> Actor:
        """Return somebody with a role."""
        return actor_of(self.users[role])


def actor_of(user: User) -> Actor:
    return Actor(user.id, user.name, user.role)


def add_people(store: Store) -> dict[Role, User]:
    """Add a person of each role."""
    with store.writing() as tx:
        return {role: tx.users.add(role.value, NAMES[role], role, password="x") for role in Role}  # noqa: S106


def add_project(store: Store, slug: str, name: str = "") -> Project:
    """Add a project whose exams are quick."""
    with store.writing() as tx:
        return tx.projects.add(slug, name or slug.title(), language="en", classifier="tfidf", threshold=0.3)


def faq(topics: int = TOPICS, each: int = EACH, strangers: int = STRANGERS) -> bytes:
    """Return shipped questions and answers as somebody would keep them in a table."""
    rows = load("recruiting-en").examples
    names = list(dict.fromkeys(row.intent for row in rows if row.intent))[:topics]
    chosen = [row for name in names for row in [one for one in rows if one.intent == name][:each]]
    chosen += [row for row in rows if row.intent is None][:strangers]
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(("text", "intent", "answer"))
    writer.writerows((row.text, row.intent or OUT_OF_SCOPE, row.answer or "") for row in chosen)
    return text.getvalue().encode()


def talks(count: int = 12) -> bytes:
    """Return shipped talks as a log."""
    return b"\n".join(dialogues_path().read_bytes().splitlines()[:count]) + b"\n"


def add_topics(store: Store, actor: Actor, project: Project, content: bytes | None = None) -> None:
    """Bring in the shipped questions."""
    preview = prepare_import(store, actor, project, Source("faq.csv", content or faq()), Choices())
    apply_import(store, actor, project, preview.key, why="the first topics")


def add_flight(store: Store, actor: Actor, project: Project, most: int = 4, name: str = "flight") -> str:
    """Bring in some scenarios of every level of the flight suite, or another one; return the id of the suite."""
    suite = read_shipped(name)
    levels = dict.fromkeys(one.level for one in suite.scenarios)
    kept = [one for level in levels for one in [each for each in suite.scenarios if each.level == level][:most]]
    import_read_suite(store, actor, project, replace(suite, scenarios=tuple(kept)))
    with store.reading() as tx:
        found = tx.suites.by_name(project.id, name)
    assert found is not None
    return found.id


def furnish(store: Store, wait: Callable[[Callable[[], bool]], None]) -> Furnished:
    """Fill a workspace; its workers do the exams meanwhile, `wait` waits for them."""
    users, project = add_people(store), add_project(store, "jobs", "Jobs at Halden")
    admin, editor = actor_of(users[Role.ADMIN]), actor_of(users[Role.EDITOR])
    add_topics(store, editor, project)
    runs = {"engines": (start_engines(store, editor, project, ["tfidf", "tfidf:de"], options=QUICK_EXAM),)}
    runs["intents"] = (start_intents(store, editor, project, options=QUICK_EXAM),)
    runs["dialogues"] = (_scored(store, editor, actor_of(users[Role.REVIEWER]), project),)
    runs["conversations"] = _held(store, admin, project)
    _edited(store, editor, project)
    runs["intents"] += (start_intents(store, editor, project, options={**QUICK_EXAM, "threshold": 0.2}),)
    an_hour_ago = now() - timedelta(hours=1)
    daily = NewSchedule("intents", "Every morning", {"retries": 2}, an_hour_ago.hour * 60 + an_hour_ago.minute)
    create_schedule(store, editor, project, daily)
    make_key(store, admin, "nightly checks", ["read"])
    _, path = invite(store, admin, "new@example.org", name="Nils New", role=Role.EDITOR)
    preview = prepare_import(store, admin, project, Source("more.csv", faq(10, 12)), Choices())
    talks_preview = prepare_talks(store, admin, project, Source("july.jsonl", talks(15)), TalkChoices("july"))
    wait(lambda: all(not one.state.open for one in _seen(store, [one for each in runs.values() for one in each])))
    done = {kind: tuple(_seen(store, each)) for kind, each in runs.items()}
    assert {one.state for each in done.values() for one in each} == {RunState.DONE}, done
    return Furnished(store, users, project, done, path.rsplit("/", 1)[1], preview.key, talks_preview.key)


def remembered(store: Store, told: Mapping[str, str]) -> Furnished:
    """Return what is in a workspace that was furnished before; `told` are the keys that it does not tell."""
    with store.reading() as tx:
        users = {user.role: user for user in tx.users.all() if user.login in list(Role)}
        project = tx.projects.by_slug("jobs")
        assert project is not None
        kinds = ("intents", "conversations", "dialogues", "engines")
        runs = {kind: tuple(reversed(tx.runs.page(project.id, kind, limit=10))) for kind in kinds}
    return Furnished(store, users, project, runs, **told)


def _scored(store: Store, editor: Actor, reviewer: Actor, project: Project) -> Run:
    preview = prepare_talks(store, editor, project, Source("june.jsonl", talks()), TalkChoices("june"))
    apply_talks(store, editor, project, preview.key)
    with store.reading() as tx:
        rows = tx.dialogues.of_project(project.id)
    for mark, row in enumerate(rows[:4], 1):
        rate_talk(store, reviewer, project, row.id, Opinion(mark))
    return begin_scoring(store, editor, project, batch="june")


def _held(store: Store, admin: Actor, project: Project) -> tuple[Run, ...]:
    suite = add_flight(store, admin, project)
    add_bot(store, admin, project, "parrot", {"kind": "scripted:echo"}, rules=RULES)
    chosen = Choice(suite, ("keywords", "nearest"), levels=("basic",))
    return tuple(
        start_conversations(store, admin, project, one, RULES)
        for one in (chosen, replace(chosen, bots=("keywords", "parrot"), repeats=2))
    )


def _edited(store: Store, editor: Actor, project: Project) -> None:
    with store.reading() as tx:
        topic = tx.topics.of_project(project.id)[0]
    change_topic(store, editor, project, topic.id, description="What people ask first.", why="it had no description")


def _seen(store: Store, runs: Sequence[Run]) -> list[Run]:
    with store.reading() as tx:
        found = [tx.runs.get(run.id) for run in runs]
    return [run for run in found if run is not None]
