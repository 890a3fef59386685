"""The audit log: what was done by whom, beside the edits that material keeps itself."""

from __future__ import annotations

from vivavoce.messages import say
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor

# The words of the log that pages tell in other languages: what is done, and to what.
ACTIONS = (
    say("cancel"),
    say("change password"),
    say("change role"),
    say("change settings"),
    say("choose password"),
    say("create"),
    say("delete"),
    say("disable"),
    say("enable"),
    say("import"),
    say("invite"),
    say("make key"),
    say("make link"),
    say("rename"),
    say("resume"),
    say("retry"),
    say("revoke key"),
    say("set up"),
    say("sign in"),
    say("sign out"),
    say("sign out everywhere"),
    say("start"),
)
NOUNS = (
    say("conversations"),
    say("dialogues"),
    say("engines"),
    say("intents"),
    say("key"),
    say("link"),
    say("person"),
    say("project"),
    say("run"),
    say("workspace"),
)


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
