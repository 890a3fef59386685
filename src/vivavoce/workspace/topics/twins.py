"""Topics of nearly the same name: all of them at a glance, and merged in one go."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from vivavoce.errors import StaleError, UsageError
from vivavoce.messages import say, say_count
from vivavoce.store.database import Store
from vivavoce.store.rows import Change, Edit, Project, Role, Topic
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.topics.overview import find_name_twins
from vivavoce.workspace.topics.topics import merge_changes, torn_languages


@dataclass(frozen=True, slots=True)
class TwinTopics:
    """Topics of nearly the same name with their sizes: the largest stays, the others would become part of it.

    `differ`: they have different answers in a language, so somebody must choose. `sure`: case, signs or plural make
    the only difference, and no letter does.
    """

    into: Topic
    others: tuple[Topic, ...]
    sizes: tuple[int, ...]
    differ: bool
    sure: bool


def list_twin_topics(store: Store, project: Project) -> tuple[TwinTopics, ...]:
    """Return the topics of nearly the same name; those that can be merged without a choice come first."""
    with store.reading() as tx:
        return _get_twins(tx, project)


def merge_twins(store: Store, actor: Actor, project: Project, into: Collection[str], *, why: str = "") -> Edit:
    """Merge groups of twins, each named by the topic that stays, as one edit; refuse those that are not there."""
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        groups = [group for group in _get_twins(tx, project) if group.into.id in into and not group.differ]
        if not into:
            raise UsageError(say("no topics selected"), remedy=say("tick at least one group"))
        if len(groups) < len(set(into)):
            raise StaleError(
                say("the topics have changed since you opened the page"),
                remedy=say("check the list again, then tick what is left"),
            )
        changes: list[Change] = []
        for group in groups:
            changes += merge_changes(tx, group.into, group.others, "fill")[0]
        gone = sum(len(group.others) for group in groups)
        summary = say("Merged {gone} of nearly the same name", gone=say_count(gone, "{n} topic", "{n} topics"))
        return tx.edits.apply(project.id, actor.user_id, "merge topics", summary, changes, why=why)


def _get_twins(tx: Transaction, project: Project) -> tuple[TwinTopics, ...]:
    topics = {topic.id: topic for topic in tx.topics.of_project(project.id)}
    twins, seen, groups = find_name_twins(tx, project), set[str](), []
    for own in topics:
        if own in seen or own not in twins:
            continue
        # Whatever is a twin of a twin belongs to the same group.
        group, todo = {own}, [own]
        while todo:
            fresh = set(twins.get(todo.pop(), ())) - group
            group |= fresh
            todo += fresh
        seen |= group
        groups.append(_build_group(tx, [topics[each] for each in group if each in topics]))
    return tuple(sorted(groups, key=lambda group: (group.differ, group.into.name.casefold())))


def _build_group(tx: Transaction, topics: list[Topic]) -> TwinTopics:
    from vivavoce.intents.names import words_of_name  # heavy: only when somebody looks

    sizes = {topic.id: tx.examples.count_of_topic(topic.id) for topic in topics}
    into, *others = sorted(topics, key=lambda topic: (-sizes[topic.id], not topic.answers, topic.name))
    counts = tuple(sizes[topic.id] for topic in (into, *others))
    sure = len({"".join(words_of_name(topic.name)) for topic in topics}) == 1
    return TwinTopics(into, tuple(others), counts, bool(torn_languages(topics)), sure)
