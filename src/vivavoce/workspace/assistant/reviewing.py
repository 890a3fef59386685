"""The inbox: what people make of answers, and replies of people to visitors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from vivavoce.errors import AbsentError, StaleError, UsageError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import (
    Change,
    Edit,
    MessageRow,
    NoticeRow,
    Project,
    ReviewRow,
    Role,
    TalkRow,
    Topic,
    VisitorRow,
)
from vivavoce.store.stamps import new_id, now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor, person_names
from vivavoce.workspace.assistant.mailing import write_mail
from vivavoce.workspace.topics.examples import clean_message, insertion, new_rows, shorten
from vivavoce.workspace.topics.names import find_topic
from vivavoce.workspace.topics.topics import make_topic, topic_insertion

Verdict = Literal["right", "wrong", "new_topic", "unsure", "not_ours"]
VERDICTS: tuple[Verdict, ...] = ("right", "wrong", "new_topic", "unsure", "not_ours")
SOURCE = "inbox"
# Every fifth card is a random check, so that the numbers stay honest while the queue is worked off.
EVERY_RANDOM = 5
ENOUGH_OPINIONS = 3
# A visitor who was here so lately sees the reply in the chat.
STILL_HERE = timedelta(minutes=2)
MAX_QUEUE = 500
MAX_REPLY = 4_000


@dataclass(frozen=True, slots=True)
class Inbox:
    """What waits for a person, in their order, and what they did today."""

    waiting: tuple[MessageRow, ...]
    total: int
    done: tuple[ReviewRow, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """A message with all that is needed to judge it."""

    message: MessageRow
    talk: TalkRow
    visitor: VisitorRow
    before: tuple[MessageRow, ...]
    after: tuple[MessageRow, ...]
    topics: dict[str, Topic]
    reviews: tuple[ReviewRow, ...]
    assigned: str


def show_inbox(store: Store, actor: Actor, project: Project, *, newest: bool = False) -> Inbox:
    """Return what waits for a person: the most useful first, every fifth a random check; or the newest first."""
    midnight = now().replace(hour=0, minute=0, second=0, microsecond=0)
    with store.reading() as tx:
        total = tx.messages.count_waiting(project.id, actor.user_id)
        waiting = tx.messages.waiting(project.id, newest=newest, but_reviewed_by=actor.user_id, limit=MAX_QUEUE)
        done = tx.reviews.since(project.id, midnight, actor.user_id)
    return Inbox(waiting if newest else mix(waiting), total, done)


def mix(waiting: Sequence[MessageRow]) -> tuple[MessageRow, ...]:
    """Return messages by their worth, with a random check in every fifth place as long as there are any.

    An answer that was drawn is asked for as a random check alone, however useful: what is reviewed by the end of a
    day is then a random part of all that was drawn, however much people had time for.
    """

    def is_check(row: MessageRow) -> bool:
        return row.drawn and not row.hand_over

    useful = [row for row in waiting if not is_check(row)]
    # The order of ids is random and stays as it is.
    random = sorted(filter(is_check, waiting), key=lambda row: row.id)
    mixed: list[MessageRow] = []
    while useful or random:
        is_random = random and (not useful or len(mixed) % EVERY_RANDOM == EVERY_RANDOM - 1)
        mixed.append((random if is_random else useful).pop(0))
    return tuple(mixed)


def show_card(store: Store, project: Project, message_id: str) -> Card:
    """Return a message with what stands around it."""
    with store.reading() as tx:
        message = get_message(tx, project, message_id)
        talk = tx.talks.get(message.talk_id)
        visitor = tx.visitors.get(talk.visitor_id) if talk else None
        if talk is None or visitor is None:
            raise AbsentError(say("message not found"), remedy=say("the visitor may have deleted it"))
        messages = tx.messages.of_talk(talk.id)
        names = person_names(tx, [talk.assigned]) if talk.assigned else {}
        return Card(
            message,
            talk,
            visitor,
            tuple(row for row in messages if row.number < message.number)[-3:],
            tuple(row for row in messages if row.number > message.number),
            {topic.name: topic for topic in tx.topics.of_project(project.id)},
            tx.reviews.of_message(message.id),
            names.get(talk.assigned, ""),
        )


def get_message(tx: Transaction, project: Project, message_id: str) -> MessageRow:
    """Return a message of a visitor."""
    row = tx.messages.get(message_id)
    if row is None or row.project_id != project.id or row.author != "visitor":
        raise AbsentError(say("message not found"), remedy=say("the visitor may have deleted it"))
    return row


def find_messages(store: Store, project: Project, ids: Sequence[str]) -> tuple[MessageRow, ...]:
    """Return messages of a project; those that are gone are left out."""
    with store.reading() as tx:
        rows = [tx.messages.get(message_id) for message_id in ids]
    return tuple(row for row in rows if row is not None and row.project_id == project.id)


def review(
    store: Store,
    actor: Actor,
    project: Project,
    message_id: str,
    verdict: Verdict,
    *,
    topic_id: str = "",
    name: str = "",
) -> ReviewRow:
    """Judge an answer. Unless it cannot be told, the message becomes an example; all of it can be undone.

    `wrong` names the right topic by `topic_id`, `new_topic` a new one by `name`.
    """
    actor.require(Role.REVIEWER)
    if verdict not in VERDICTS:
        raise UsageError(say("no action selected"), remedy=say("choose what to do with the message"))
    with store.writing() as tx:
        message = get_message(tx, project, message_id)
        earlier = tx.reviews.of_message(message.id)
        if any(row.user_id == actor.user_id for row in earlier):
            raise StaleError(say("you have already judged this message"), remedy=say("undo your review first"))
        changes: list[Change] = []
        topic: Topic | None = None
        if verdict == "right":
            topic = tx.topics.by_name(project.id, message.intent or "")
            if topic is None:
                raise UsageError(say("no answer was given that could be right"), remedy=say("choose a topic"))
        elif verdict == "wrong":
            topic = find_topic(tx, project, topic_id)
            verdict = "right" if topic.name == message.intent and not message.hand_over else verdict
        elif verdict == "new_topic":
            actor.require(Role.EDITOR)
            topic = make_topic(tx, project, name)
            changes.append(topic_insertion(tx, topic))
        edit = None
        if verdict != "unsure":
            edit = _teach(tx, actor, project, message, topic, changes)
        review_row = ReviewRow(
            id=new_id(),
            project_id=project.id,
            message_id=message.id,
            user_id=actor.user_id,
            verdict=verdict,
            topic=topic.name if topic else None,
            why=message.waiting,
            edit_id=edit.id if edit else None,
            created=now(),
            undone=None,
        )
        opinions = {(row.verdict, row.topic) for row in (*earlier, review_row) if row.verdict != "unsure"}
        disagree = len(opinions) > 1 and len(earlier) + 1 < ENOUGH_OPINIONS
        tx.messages.set_waiting(message.id, "disagreement" if disagree else "")
        return tx.reviews.add(review_row)


def _teach(  # noqa: PLR0917 - all that an edit is about
    tx: Transaction, actor: Actor, project: Project, message: MessageRow, topic: Topic | None, changes: list[Change]
) -> Edit | None:
    """Make a message an example of a topic (None: out of scope), unless it is one already."""
    text, topic_id = clean_message(message.text), topic.id if topic else None
    rows = tx.examples.out_of_scope(project.id) if topic is None else tx.examples.of_topic(topic.id)
    if text not in {row.text for row in rows}:
        new = new_rows(tx, project, [(text, topic_id)], message.language or project.language, SOURCE)
        changes.extend(insertion(tx, row) for row in new)
    if not changes:
        return None
    name = topic.name if topic else say("out of scope")
    summary = say("From the inbox: '{text}' is {name}", text=shorten(text), name=name)
    return tx.edits.apply(project.id, actor.user_id, "review", summary, changes)


def undo_review(store: Store, actor: Actor, project: Project, review_id: str) -> ReviewRow:
    """Take a review back, with the example that came of it; the message waits again."""
    actor.require(Role.REVIEWER)
    with store.writing() as tx:
        row = tx.reviews.get(review_id)
        if row is None or row.project_id != project.id:
            raise AbsentError(say("review not found"), remedy=say("check the list again"))
        if not tx.reviews.undo(review_id, now()):
            raise StaleError(say("this review is already undone"), remedy=say("reload and try again"))
        edit = tx.edits.get(row.edit_id) if row.edit_id else None
        if edit and not edit.undone_by:
            tx.edits.undo(edit.id, actor.user_id)
        tx.messages.set_waiting(row.message_id, row.why or "second_opinion")
        return tx.reviews.get(review_id) or row


def ask_again(store: Store, actor: Actor, project: Project, message_id: str) -> None:
    """Ask somebody else for a second opinion; they do not see the first."""
    actor.require(Role.REVIEWER)
    with store.writing() as tx:
        tx.messages.set_waiting(get_message(tx, project, message_id).id, "second_opinion")


def notify(tx: Transaction, actor: Actor, message: MessageRow, kind: str, user_ids: Iterable[str | None]) -> None:
    """Give people a notice about a message, but not of what they did themselves."""
    for user_id in sorted({user_id for user_id in user_ids if user_id and user_id != actor.user_id}):
        row = NoticeRow(new_id(), message.project_id, message.id, user_id, actor.user_id, kind, now(), None)
        tx.notices.add(row)


def reply_to_visitor(store: Store, actor: Actor, project: Project, message_id: str, text: str) -> MessageRow:
    """Reply to a visitor in the chat; by mail, too, if they are gone and left an address."""
    actor.require(Role.REVIEWER)
    plain = text.strip()
    if not plain or len(plain) > MAX_REPLY:
        remedy = say("change the message")
        raise UsageError(
            say("a message needs 1 to {most_letters:,} characters", most_letters=MAX_REPLY), remedy=remedy
        )
    with store.writing() as tx:
        card = get_message(tx, project, message_id)
        talk = tx.talks.get(card.talk_id)
        visitor = tx.visitors.get(talk.visitor_id) if talk else None
        if talk is None or visitor is None:
            raise AbsentError(say("message not found"), remedy=say("the visitor may have deleted it"))
        row_id = new_id()
        row = MessageRow(
            id=row_id, project_id=project.id, talk_id=talk.id, number=talk.size, key=row_id, author="person",
            user_id=actor.user_id, text=plain, language=talk.language, stage="", intent=None, confidence=None,
            candidates=(), reply={"who": actor.name}, hand_over="", skipped="person", drawn=False, chance=0.0,
            waiting="", gain=0.0, build=0, created=now(),
        )  # fmt: skip
        tx.messages.add(row)
        tx.talks.grow(talk.id)
        if talk.assigned is None and actor.user_id:
            tx.talks.assign(talk.id, actor.user_id)
        notify(tx, actor, card, "answered", [talk.assigned])
        if visitor.address and visitor.seen < now() - STILL_HERE:
            body = f"{plain}\n\n> {card.text}\n"
            write_mail(tx, project, visitor.address, project.name, body, visitor_id=visitor.id)
        return row
