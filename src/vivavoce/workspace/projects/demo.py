"""The demo project: material that ships, ready to be examined in all three ways."""

from __future__ import annotations

from collections.abc import Iterator

from vivavoce import demo
from vivavoce.store.database import Store
from vivavoce.store.rows import Change, ExampleRow, Project, Role, Topic
from vivavoce.store.stamps import new_id, now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.dialogues.imports import TalkChoices, add_talks
from vivavoce.workspace.dialogues.reading import read_log
from vivavoce.workspace.projects.projects import create_project
from vivavoce.workspace.scenarios.suites import import_suite
from vivavoce.workspace.topics.examples import insertion
from vivavoce.workspace.topics.topics import answer_changes, topic_insertion
from vivavoce.workspace.uploads import Source

NAME, SLUG = "Demo: recruiting", "demo"
FAQ, LANGUAGE = "recruiting-en", "en"
BATCH = "demo talks"


def create_demo_project(store: Store, actor: Actor) -> Project:
    """Make a project with a recruiting FAQ, all shipped suites, three built-in bots and logged talks.

    A project that has the short name already stays as it is; the new one gets a number.
    """
    from vivavoce.agents import ENGINES

    actor.require(Role.EDITOR)
    project = create_project(store, actor, NAME, slug=_free_slug(store), language=LANGUAGE)
    why = "the demo project"
    with store.writing() as tx:
        changes = list(_faq(tx, project))
        tx.edits.apply(project.id, actor.user_id, "import", "Recruiting FAQ with answers", changes, why=why)
        bots = [tx.edits.insert("bots", _bot(project, engine)) for engine in ENGINES]
        tx.edits.apply(project.id, actor.user_id, "add bot", "Three built-in bots", bots, why=why)
    for name in demo.suites():
        import_suite(store, actor, project, name, why=why)
    path = demo.dialogues_path()
    talks = read_log(Source(path.name, path.read_bytes())).dialogues
    add_talks(store, actor, project, talks, TalkChoices(batch=BATCH))
    return project


def _free_slug(store: Store) -> str:
    with store.reading() as tx:
        taken = {project.slug for project in tx.projects.all()}
    return next(slug for slug in _slugs() if slug not in taken)


def _slugs() -> Iterator[str]:
    yield SLUG
    number = 2
    while True:
        yield f"{SLUG}-{number}"
        number += 1


def _faq(tx: Transaction, project: Project) -> Iterator[Change]:
    """Describe that the topics come with their answers, then their examples."""
    made = {one.intent: Topic(new_id(), project.id, one.intent, one.title, "", now()) for one in demo.topics(FAQ)}
    yield from (topic_insertion(tx, topic) for topic in made.values())
    for one in demo.topics(FAQ):
        yield from answer_changes(tx, made[one.intent], {LANGUAGE: one.answer})
    for place, example in enumerate(demo.load(FAQ)):
        topic = made.get(example.intent or "")
        row = ExampleRow(
            new_id(),
            project.id,
            topic.id if topic else None,
            example.text,
            LANGUAGE,
            "demo",
            example.created or now(),
            place,
        )
        yield insertion(tx, row)


def _bot(project: Project, engine: str) -> dict[str, object]:
    # Without an agent of its own a bot runs that of the suite which it is examined with.
    entry = {"kind": engine, "about": "built-in bot that runs the agent of the suite"}
    return {"id": new_id(), "project_id": project.id, "name": engine, "entry": entry, "created": now()}
