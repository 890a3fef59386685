"""Topics by their ids and names, and which names a topic can have."""

from __future__ import annotations

from vivavoce.errors import AbsentError, UsageError, nearest
from vivavoce.messages import say
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Topic
from vivavoce.store.transaction import Transaction

MAX_NAME = 200
# The topic that stands for "none of them" in files; nobody can call a topic so.
OUT_OF_SCOPE = "oos"
# Words that files write for "nothing"; a topic of that name could not be read back.
RESERVED = frozenset({"__other", "none", "null", "nan", OUT_OF_SCOPE})


def find_topic(tx: Transaction, project: Project, topic_id: str) -> Topic:
    """Return a topic of the project by its id."""
    topic = tx.topics.get(topic_id)
    if topic is None or topic.project_id != project.id:
        raise AbsentError(say("topic not found"), remedy=say("it may have been deleted: choose one from the list"))
    return topic


def find_named(store: Store, project: Project, name: str) -> Topic | None:
    """Return a topic by its name; None for the name that means out of scope."""
    with store.reading() as tx:
        return get_named(tx, project, name)


def get_named(tx: Transaction, project: Project, name: str) -> Topic | None:
    """Return a topic by its name; None for the name that means out of scope."""
    plain = clean_name(name)
    if plain == OUT_OF_SCOPE:
        return None
    topic = tx.topics.by_name(project.id, plain)
    if topic is None:
        names = [known.name for known in tx.topics.of_project(project.id)]
        raise AbsentError(
            say("unknown topic '{said}'.{nearest}", said=plain, nearest=nearest(plain, names)),
            remedy=say("choose an existing topic, or create it first"),
        )
    return topic


def check_name(name: str) -> str:
    """Return the name of a topic in its plain form; refuse what cannot be one."""
    plain = clean_text(clean_name(name))
    if not plain or len(plain) > MAX_NAME:
        raise UsageError(
            say("the name needs 1 to {most_name} characters", most_name=MAX_NAME),
            where="name",
            remedy=say("choose another name"),
        )
    if plain.casefold() in RESERVED:
        raise UsageError(
            say("'{said}' is a reserved word and cannot be a topic name", said=plain),
            where="name",
            remedy=say("choose another name, for example 'topic_{said}'", said=plain.strip("_").lower()),
        )
    return plain


def clean_name(name: str) -> str:
    """Return a name on one line with single blanks."""
    return " ".join(name.split())
