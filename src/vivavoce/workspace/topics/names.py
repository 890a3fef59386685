"""Topics by their ids and names, and which names a topic can have."""

from __future__ import annotations

from vivavoce.errors import AbsentError, UsageError, nearest
from vivavoce.messages import say
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Topic
from vivavoce.store.transaction import Transaction

MOST_NAME = 200
# The topic that stands for "none of them" in files; nobody can call a topic so.
OUT_OF_SCOPE = "oos"
# Words that files write for "nothing"; a topic of that name could not be read back.
RESERVED = frozenset({"__other", "none", "null", "nan", OUT_OF_SCOPE})


def find_topic(tx: Transaction, project: Project, topic_id: str) -> Topic:
    """Return a topic of the project by its id."""
    found = tx.topics.get(topic_id)
    if found is None or found.project_id != project.id:
        raise AbsentError(
            say("there is no such topic"), remedy=say("choose one from the list: it may have been deleted")
        )
    return found


def find_named(store: Store, project: Project, name: str) -> Topic | None:
    """Return a topic by its name; None for the name that means out of scope."""
    with store.reading() as tx:
        return get_named(tx, project, name)


def get_named(tx: Transaction, project: Project, name: str) -> Topic | None:
    """Return a topic by its name; None for the name that means out of scope."""
    said = clean_name(name)
    if said == OUT_OF_SCOPE:
        return None
    found = tx.topics.by_name(project.id, said)
    if found is None:
        known = [topic.name for topic in tx.topics.of_project(project.id)]
        raise AbsentError(
            say("there is no topic '{said}'.{nearest}", said=said, nearest=nearest(said, known)),
            remedy=say("choose one that is there, or make it first"),
        )
    return found


def check_name(name: str) -> str:
    """Return the name of a topic in its plain form; refuse what cannot be one."""
    said = clean_text(clean_name(name))
    if not said or len(said) > MOST_NAME:
        raise UsageError(
            say("the name needs 1 to {most_name} characters", most_name=MOST_NAME),
            where="name",
            remedy=say("choose another name"),
        )
    if said.casefold() in RESERVED:
        raise UsageError(
            say("'{said}' is a reserved word and cannot be the name of a topic", said=said),
            where="name",
            remedy=say("choose another name, for instance 'topic_{said}'", said=said.strip("_").lower()),
        )
    return said


def clean_name(name: str) -> str:
    """Return a name on one line with single blanks."""
    return " ".join(name.split())
