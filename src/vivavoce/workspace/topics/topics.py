"""Topics: made, described, answered, joined, parted and deleted; every use is one edit that can be undone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from vivavoce.errors import StaleError, UsageError
from vivavoce.messages import join, say, say_count
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.rows import Change, Edit, ExampleRow, Project, Role, Topic
from vivavoce.store.stamps import new_id, now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.topics.examples import (
    clean_message,
    deletions,
    describe_examples,
    get_examples,
    insertion,
    moves,
    new_rows,
)
from vivavoce.workspace.topics.names import check_name, find_topic

MAX_DESCRIPTION = 10_000
MAX_ANSWER = 20_000
MAX_OWNER = 200
# What becomes of the answers of a topic that is merged into another one.
AnswerChoice = Literal["fill", "keep", "take", "join"]
ANSWER_CHOICES: tuple[AnswerChoice, ...] = ("fill", "keep", "take", "join")


@dataclass(frozen=True, slots=True)
class Made:
    """A topic that was made, and the edit that made it."""

    topic: Topic
    edit: Edit


@dataclass(frozen=True, slots=True)
class Loss:
    """What goes with topics that are deleted, for whoever is asked before."""

    topics: tuple[Topic, ...]
    examples: int
    answers: int


def get_topic(store: Store, project: Project, topic_id: str) -> Topic:
    """Return a topic of the project."""
    with store.reading() as tx:
        return find_topic(tx, project, topic_id)


def topic_names(store: Store, project: Project) -> dict[str, str]:
    """Return the names of all topics by their ids, in order."""
    with store.reading() as tx:
        return tx.topics.names(project.id)


def weigh_topics(store: Store, project: Project, topic_ids: Sequence[str]) -> Loss:
    """Return what topics hold: what would go if they were deleted."""
    with store.reading() as tx:
        topics = _get_chosen(tx, project, topic_ids)
        examples = sum(tx.examples.count_of_topic(topic.id) for topic in topics)
    return Loss(topics, examples, sum(len(topic.answers) for topic in topics))


@dataclass(frozen=True, slots=True)
class Content:
    """A topic with its examples, for whoever decides whether two belong together."""

    topic: Topic
    texts: tuple[str, ...]

    @property
    def size(self) -> int:
        """How many examples it has."""
        return len(self.texts)


def look_into(store: Store, project: Project, topic_ids: Sequence[str]) -> tuple[Content, ...]:
    """Return topics with the texts of their examples."""
    with store.reading() as tx:
        topics = _get_chosen(tx, project, topic_ids)
        return tuple(Content(topic, tuple(row.text for row in tx.examples.of_topic(topic.id))) for topic in topics)


def torn_languages(topics: Iterable[Topic]) -> list[str]:
    """Return the languages in which topics answer differently, so that a merge has to choose."""
    answers: dict[str, set[str]] = {}
    for topic in topics:
        for language, text in topic.answers.items():
            answers.setdefault(language, set()).add(text)
    return sorted(language for language, texts in answers.items() if len(texts) > 1)


def mark_of(topic: Topic) -> str:
    """Return a mark of what a topic says now: a form that carries it overwrites nothing that it did not show."""
    content = json.dumps([topic.name, topic.description, topic.owner, sorted(topic.answers.items())])
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def add_topic(
    store: Store,
    actor: Actor,
    project: Project,
    name: str,
    *,
    description: str = "",
    owner: str = "",
    answers: Mapping[str, str] | None = None,
    examples: Sequence[str] = (),
    why: str = "",
) -> Made:
    """Make a topic, with answers by language and its first examples."""
    actor.require(Role.EDITOR)
    texts = tuple(dict.fromkeys(clean_message(text) for text in examples))
    with store.writing() as tx:
        topic = make_topic(tx, project, name, description=description, owner=owner)
        rows = new_rows(tx, project, [(text, topic.id) for text in texts], project.language, "person")
        changes = [
            topic_insertion(tx, topic),
            *answer_changes(tx, topic, _clean_answers(answers or {})),
            *(insertion(tx, row) for row in rows),
        ]
        summary = say("Topic {name} created", name=topic.name)
        if rows:
            summary = say(
                "Topic {name} created with {examples}",
                name=topic.name,
                examples=say_count(len(rows), "{n} example", "{n} examples"),
            )
        edit = tx.edits.apply(project.id, actor.user_id, "add topic", summary, changes, why=why)
        return Made(find_topic(tx, project, topic.id), edit)


def change_topic(
    store: Store,
    actor: Actor,
    project: Project,
    topic_id: str,
    *,
    name: str | None = None,
    description: str | None = None,
    owner: str | None = None,
    answers: Mapping[str, str] | None = None,
    seen: str = "",
    why: str = "",
) -> Edit:
    """Rename, describe, answer or give away a topic; what is None stays, an empty answer goes.

    `seen` is the mark of the topic as its editor saw it: StaleError where somebody was faster.
    """
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        topic = find_topic(tx, project, topic_id)
        if seen and seen != mark_of(topic):
            raise StaleError(
                say("someone else changed the topic {name} while you were editing", name=topic.name),
                remedy=say("review their changes, then save yours again"),
            )
        wanted = {
            "name": None if name is None else check_name(name),
            "description": None if description is None else _clean_field(description, MAX_DESCRIPTION, "description"),
            "owner": None if owner is None else _clean_field(owner, MAX_OWNER, "owner"),
        }
        new = {key: text for key, text in wanted.items() if text is not None and text != getattr(topic, key)}
        if "name" in new:
            _check_free(tx, project, new["name"])
        row = [tx.edits.update("topics", topic.id, topic.id, **new)] if new else []
        answered = list(answer_changes(tx, topic, _clean_answers(answers or {})))
        summary = _summarize_change(topic, new, answered)
        return tx.edits.apply(project.id, actor.user_id, "change topic", summary, [*row, *answered], why=why)


def delete_topics(store: Store, actor: Actor, project: Project, topic_ids: Sequence[str], *, why: str = "") -> Edit:
    """Delete topics with their examples and answers."""
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        topics = _get_chosen(tx, project, topic_ids)
        rows = [row for topic in topics for row in tx.examples.of_topic(topic.id)]
        changes = [*deletions(tx, rows), *removals(tx, topics)]
        examples = say_count(len(rows), "{n} example", "{n} examples")
        if len(topics) == 1:
            summary = say("Topic {name} deleted with {examples}", name=topics[0].name, examples=examples)
        else:
            counted = say_count(len(topics), "{n} topic", "{n} topics")
            summary = say("{topics} deleted with {examples}", topics=counted, examples=examples)
        return tx.edits.apply(project.id, actor.user_id, "delete topics", summary, changes, why=why)


def retire_topic(store: Store, actor: Actor, project: Project, topic_id: str, *, why: str = "") -> Edit:
    """Stop answering a topic: it goes with its answers, and its examples stay as out-of-scope questions."""
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        topic = find_topic(tx, project, topic_id)
        rows = tx.examples.of_topic(topic_id)
        changes = [*moves(tx, rows, None), *removals(tx, [topic])]
        many = say_count(len(rows), "{n} example", "{n} examples")
        summary = say("Topic {name} retired; {many} now out of scope", name=topic.name, many=many)
        return tx.edits.apply(project.id, actor.user_id, "retire topic", summary, changes, why=why)


def merge_topics(
    store: Store,
    actor: Actor,
    project: Project,
    topic_ids: Sequence[str],
    into: str,
    *,
    answer: AnswerChoice | None = None,
    why: str = "",
) -> Edit:
    """Give the examples of topics to another one and delete them.

    `answer`: the target keeps its answers and gets those it lacks (fill), keeps them and gets none (keep), takes the
    others' (take), or has both, one under the other (join). None: fill, and refuse where an answer would be lost.
    An example that the target has already is not doubled.
    """
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        target = find_topic(tx, project, into)
        sources = _get_chosen(tx, project, [topic_id for topic_id in topic_ids if topic_id != into])
        # Two topics may answer differently in a language: somebody must say which answer stays.
        if answer is None and (torn := torn_languages((target, *sources))):
            raise UsageError(
                say("the topics have different answers ({names}), but only one topic remains", names=", ".join(torn)),
                where="answer",
                remedy=say("choose what to do with the other answers: {names}", names=", ".join(ANSWER_CHOICES)),
            )
        changes, rows, double = merge_changes(tx, target, sources, answer or "fill")
        many = say_count(rows, "{n} example", "{n} examples")
        if double:
            many = say("{many}, {double:,} of them duplicates", many=many, double=double)
        name = sources[0].name
        summary = say("Merged {name} into {target_name} ({many})", name=name, target_name=target.name, many=many)
        if len(sources) > 1:
            what = say_count(len(sources), "{n} topic", "{n} topics")
            summary = say("Merged {what} into {name} ({many})", what=what, name=target.name, many=many)
        return tx.edits.apply(project.id, actor.user_id, "merge topics", summary, changes, why=why)


def merge_changes(
    tx: Transaction, target: Topic, sources: Sequence[Topic], answer: AnswerChoice
) -> tuple[list[Change], int, int]:
    """Describe that topics become part of another; return how many examples that moves, and how many it drops."""
    rows = [row for source in sources for row in tx.examples.of_topic(source.id)]
    texts = {row.text for row in tx.examples.of_topic(target.id)}
    coming: list[ExampleRow] = []
    double: list[ExampleRow] = []
    for row in rows:
        (double if row.text in texts else coming).append(row)
        texts.add(row.text)
    changes = [
        *deletions(tx, double),
        *moves(tx, coming, target.id),
        *answer_changes(tx, target, _join_answers(target, sources, answer)),
        *removals(tx, sources, target),
    ]
    return changes, len(rows), len(double)


def split_topic(
    store: Store, actor: Actor, project: Project, ids: Sequence[str], name: str, *, why: str = ""
) -> Made:
    """Make a new topic of chosen examples."""
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        rows = get_examples(tx, project, ids)
        topic = make_topic(tx, project, name)
        changes = [topic_insertion(tx, topic), *moves(tx, rows, topic.id)]
        summary = say("Topic {name} created from {counted}", name=topic.name, counted=describe_examples(rows))
        edit = tx.edits.apply(project.id, actor.user_id, "split topic", summary, changes, why=why)
        return Made(topic, edit)


def topic_insertion(tx: Transaction, topic: Topic) -> Change:
    """Describe that a topic comes, without its answers."""
    names = ("id", "project_id", "name", "description", "owner", "created")
    values = {name: getattr(topic, name) for name in names}
    return tx.edits.insert("topics", values, topic.id)


def removals(tx: Transaction, topics: Sequence[Topic], into: Topic | None = None) -> list[Change]:
    """Describe that topics go with their answers; their examples must have gone before.

    Questions of the test set are still asked: they come to the topic that stays, or are out of scope.
    """
    answers = [change for topic in topics for change in answer_changes(tx, topic, dict.fromkeys(topic.answers, ""))]
    rows = tx.reserved.of_topics([topic.id for topic in topics])
    home = {"topic_id": into.id if into else None}
    kept = [
        Change("reserved", own, values, {**values, **home})
        for own, values in tx.edits.values("reserved", [row.id for row in rows]).items()
    ]
    return [*answers, *kept, *(tx.edits.delete("topics", topic.id, topic.id) for topic in topics)]


def _clean_answers(answers: Mapping[str, str]) -> dict[str, str]:
    """Return answers by language without blanks around them; refuse other languages and what is too long."""
    texts = {language: clean_text(text.replace("\r\n", "\n").strip()) for language, text in answers.items()}
    unknown = [language for language in texts if not language or len(language) > 20]
    if unknown:
        raise UsageError(
            say("'{strange}' is not a language code", strange=unknown[0]),
            remedy=say("use for example en or de"),
        )
    if any(len(text) > MAX_ANSWER for text in texts.values()):
        raise UsageError(
            say("the answer is longer than {most_answer:,} characters", most_answer=MAX_ANSWER),
            remedy=say("shorten it"),
        )
    return texts


def answer_changes(tx: Transaction, topic: Topic, answers: Mapping[str, str]) -> Iterator[Change]:
    """Describe what is to be said in each language; an empty text takes the answer away."""
    rows = tx.topics.answer_ids(topic.id) if topic.answers else {}
    for language, text in answers.items():
        if topic.answers.get(language, "") == text:
            continue
        if language not in rows:
            values = {"id": new_id(), "topic_id": topic.id, "language": language, "text": text}
            yield tx.edits.insert("answers", values, topic.id)
        elif text:
            yield tx.edits.update("answers", rows[language], topic.id, text=text)
        else:
            yield tx.edits.delete("answers", rows[language], topic.id)


def make_topic(tx: Transaction, project: Project, name: str, *, description: str = "", owner: str = "") -> Topic:
    """Return a new topic with a name that is free; it is added by an edit."""
    plain = check_name(name)
    _check_free(tx, project, plain)
    described = _clean_field(description, MAX_DESCRIPTION, "description")
    return Topic(new_id(), project.id, plain, described, _clean_field(owner, MAX_OWNER, "owner"), now())


def _get_chosen(tx: Transaction, project: Project, topic_ids: Sequence[str]) -> tuple[Topic, ...]:
    if not topic_ids:
        raise UsageError(say("no topic selected"), remedy=say("select at least one in the list"))
    return tuple(find_topic(tx, project, topic_id) for topic_id in dict.fromkeys(topic_ids))


def _check_free(tx: Transaction, project: Project, name: str) -> None:
    if tx.topics.by_name(project.id, name) is not None:
        raise UsageError(
            say("topic '{name}' already exists", name=name),
            where="name",
            remedy=say("choose another name, or merge the two"),
        )


def _clean_field(text: str, most: int, where: str) -> str:
    plain = clean_text(text.replace("\r\n", "\n").strip())
    if len(plain) > most:
        raise UsageError(
            say("this is longer than {most:,} characters", most=most), where=where, remedy=say("shorten it")
        )
    return plain


def _join_answers(target: Topic, sources: Sequence[Topic], answer: AnswerChoice) -> dict[str, str]:
    """Return the answers of a topic after others were merged into it."""
    answers = dict(target.answers)
    if answer == "keep":
        return answers
    if answer == "take":
        return {
            **answers,
            **{language: text for topic in reversed(sources) for language, text in topic.answers.items()},
        }
    for source in sources:
        for language, text in source.answers.items():
            own = answers.get(language, "")
            if not own:
                answers[language] = text
            elif answer == "join" and text != own:
                answers[language] = f"{own}\n\n{text}"
    return answers


def _summarize_change(topic: Topic, new: Mapping[str, str], answered: Sequence[Change]) -> str:
    parts: list[str] = [say("renamed to {name}", name=new["name"])] if "name" in new else []
    parts += [say("description changed")] if "description" in new else []
    if "owner" in new:
        parts += [say("assigned to {owner}", owner=new["owner"]) if new["owner"] else say("owner removed")]
    for change in answered:
        language = (change.after or change.before or {}).get("language", "")
        parts.append((say("answer removed") if change.after is None else say("answer saved")) + f" ({language})")
    return say("Topic {name}: {parts}", name=topic.name, parts=join(", ", parts) or say("saved unchanged"))
