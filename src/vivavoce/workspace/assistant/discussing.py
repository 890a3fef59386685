"""What staff say to each other about a message: comments, who looks after it, and notices of both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from vivavoce.errors import AbsentError, UsageError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import CommentRow, NoticeRow, Project, Role, User
from vivavoce.store.stamps import new_id, now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor, person_names
from vivavoce.workspace.assistant.reviewing import MAX_REPLY, get_message, notify


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment with the name of its author."""

    row: CommentRow
    author: str


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice with the name of its author, and the message that it is about."""

    row: NoticeRow
    author: str
    text: str


def comment(store: Store, actor: Actor, project: Project, message_id: str, text: str) -> CommentRow:
    """Write a comment; those who wrote about the message before, and whoever looks after it, get a notice."""
    actor.require(Role.REVIEWER)
    plain = text.strip()
    if not plain or len(plain) > MAX_REPLY:
        raise UsageError(
            say("a comment needs 1 to {most:,} characters", most=MAX_REPLY),
            where="comment",
            remedy=say("change the comment"),
        )
    with store.writing() as tx:
        message = get_message(tx, project, message_id)
        talk = tx.talks.get(message.talk_id)
        before = {row.user_id for row in tx.comments.of_message(message.id)}
        notify(tx, actor, message, "comment", before | {talk.assigned if talk else None})
        return tx.comments.add(CommentRow(new_id(), project.id, message.id, actor.user_id, plain, now()))


def list_comments(store: Store, project: Project, message_id: str) -> tuple[Comment, ...]:
    """Return the comments on a message, the oldest first."""
    with store.reading() as tx:
        rows = tx.comments.of_message(get_message(tx, project, message_id).id)
        names = person_names(tx, [row.user_id for row in rows])
    return tuple(Comment(row, names[row.user_id]) for row in rows)


def assign(store: Store, actor: Actor, project: Project, message_id: str, user_id: str | None) -> None:
    """Say who looks after the talk of a message; they get a notice."""
    actor.require(Role.REVIEWER)
    with store.writing() as tx:
        message = get_message(tx, project, message_id)
        if user_id is not None and user_id not in {user.id for user in _list_reviewers(tx)}:
            raise AbsentError(say("this person does not exist"), remedy=say("choose one from the list"))
        tx.talks.assign(message.talk_id, user_id)
        notify(tx, actor, message, "assigned", [user_id])


def list_reviewers(store: Store) -> tuple[User, ...]:
    """Return the people who may review, by login."""
    with store.reading() as tx:
        return tuple(_list_reviewers(tx))


def _list_reviewers(tx: Transaction) -> Iterable[User]:
    return (user for user in tx.users.all() if not user.disabled and user.role.covers(Role.REVIEWER))


def list_notices(store: Store, actor: Actor, project: Project) -> tuple[Notice, ...]:
    """Return what somebody has not seen yet, the newest first."""
    if actor.user_id is None:
        return ()
    with store.reading() as tx:
        rows = tx.notices.unseen(actor.user_id, project.id)
        names = person_names(tx, [row.author for row in rows])
        texts = {row.message_id: tx.messages.get(row.message_id) for row in rows}
    return tuple(
        Notice(row, names[row.author], message.text) for row in rows if (message := texts[row.message_id]) is not None
    )


def mark_seen(store: Store, actor: Actor, project: Project) -> int:
    """Note that somebody has seen their notices; return how many there were."""
    with store.writing() as tx:
        return tx.notices.mark_seen(actor.user_id, project.id, now()) if actor.user_id else 0
