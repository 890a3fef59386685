"""What the assistant keeps of visitors: given out, deleted, and forgotten after a while."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from vivavoce.errors import AbsentError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role
from vivavoce.store.stamps import now
from vivavoce.workspace.access.actors import Actor, note
from vivavoce.workspace.access.secrets import digest_of
from vivavoce.workspace.assistant.settings import get_settings


def find_visitor(store: Store, project: Project, key: str) -> str:
    """Return the id of the visitor with a key."""
    with store.reading() as tx:
        visitor = tx.visitors.find(project.id, digest_of(key))
    if visitor is None:
        raise AbsentError(say("no such talk"), remedy=say("open a talk first"))
    return visitor.id


def export_visitor(store: Store, project: Project, visitor_id: str) -> dict[str, Any]:
    """Return all that is kept of a visitor, as plain JSON values."""
    with store.reading() as tx:
        visitor = tx.visitors.get(visitor_id)
        if visitor is None or visitor.project_id != project.id:
            raise AbsentError(say("visitor not found"), remedy=say("they may already be deleted"))
        return {
            "id": visitor.id,
            "address": visitor.address,
            "created": visitor.created.isoformat(),
            "seen": visitor.seen.isoformat(),
            "talks": [
                {
                    "created": talk.created.isoformat(),
                    "language": talk.language,
                    "state": dict(talk.state),
                    "messages": [
                        {
                            "at": row.created.isoformat(),
                            "author": row.author,
                            "text": row.text,
                            "intent": row.intent,
                            "confidence": row.confidence,
                            "reply": dict(row.reply) if row.author == "visitor" else {},
                        }
                        for row in tx.messages.of_talk(talk.id)
                    ],
                }
                for talk in tx.talks.of_visitor(visitor.id)
            ],
            "subscriptions": [
                {"address": row.address, "profession": row.profession, "place": row.place}
                for row in tx.subscriptions.of_visitor(visitor.id)
            ],
            "mails": [{"subject": row.subject, "body": row.body} for row in tx.mails.of_visitor(visitor.id)],
        }


def delete_visitor(store: Store, project: Project, visitor_id: str, actor: Actor | None = None) -> None:
    """Delete a visitor with talks, reviews, subscriptions and mail. Examples that were made of messages stay."""
    if actor is not None:
        actor.require(Role.EDITOR)
    with store.writing() as tx:
        visitor = tx.visitors.get(visitor_id)
        if visitor is None or visitor.project_id != project.id:
            raise AbsentError(say("visitor not found"), remedy=say("they may already be deleted"))
        tx.subscriptions.delete_of(visitor_id)
        tx.mails.delete_of(visitor_id)
        tx.visitors.delete(visitor_id)
        if actor is not None:
            note(tx, actor, "delete", "visitor", visitor_id, project_id=project.id)


def forget_old(store: Store, project: Project) -> int:
    """Delete talks, visitors and mail of a project that are older than its assistant keeps them; return how many.

    Subscriptions stay until they end, however long ago their visitor was here.
    """
    with store.writing() as tx:
        line = now() - timedelta(days=get_settings(tx, project).retention_days)
        tx.mails.prune(project.id, line)
        tx.subscriptions.prune(project.id, line)
        return tx.talks.prune(project.id, line) + tx.visitors.prune(project.id, line)
