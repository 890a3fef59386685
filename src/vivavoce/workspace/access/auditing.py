"""The audit log: what was done by whom, beside the edits that material keeps itself."""

from __future__ import annotations

from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor


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
