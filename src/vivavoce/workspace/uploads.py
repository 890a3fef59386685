"""Files that people send: a preview first, then the import. Between the two steps an upload is pending.

It is kept under a key that works once, for an hour. A person has one pending upload of a kind for each project, and
a new one replaces it.
"""

from __future__ import annotations

import base64
import gzip
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from vivavoce.errors import AbsentError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role
from vivavoce.store.stamps import now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor

LIFETIME = timedelta(hours=1)
# Half a minute of work for one request; nobody looks through a preview that is longer.
MAX_ROWS = 200_000


@dataclass(frozen=True, slots=True)
class Source:
    """A file as it was sent, or text that was `pasted` (`lines`: one message on each line)."""

    name: str
    content: bytes
    lines: bool = False
    pasted: bool = False


@dataclass(frozen=True, slots=True)
class PendingUploads:
    """Uploads of one kind; `remedy`: what to do where one is not there any more."""

    name: str
    remedy: str

    def put(self, tx: Transaction, actor: Actor, project: Project, key: str, kept: Mapping[str, Any]) -> None:
        """Keep something under a key."""
        tx.options.set(self._place(actor, project), {**kept, "key": key, "at": now().isoformat()})

    def find(self, tx: Transaction, actor: Actor, project: Project, key: str) -> Mapping[str, Any]:
        """Return what is kept under a key."""
        kept: Mapping[str, Any] = tx.options.get(self._place(actor, project)) or {}
        fresh = bool(kept) and datetime.fromisoformat(kept["at"]) + LIFETIME > now()
        if not fresh or not secrets.compare_digest(str(kept["key"]).encode(), key.encode("utf-8", "replace")):
            raise AbsentError(
                say(
                    "this preview is not there any more: it was used, replaced by a newer one, "
                    "or is older than an hour"
                ),
                remedy=self.remedy,
            )
        return kept

    def clear(self, tx: Transaction, actor: Actor, project: Project) -> None:
        """Forget what is kept, whatever its key."""
        tx.options.unset(self._place(actor, project))

    def drop(self, store: Store, actor: Actor, project: Project, key: str) -> None:
        """Forget what is kept under a key, at the wish of whoever sent it."""
        actor.require(Role.EDITOR)
        with store.writing() as tx:
            self.find(tx, actor, project, key)
            self.clear(tx, actor, project)

    def _place(self, actor: Actor, project: Project) -> str:
        return f"{self.name}/{project.id}/{actor.user_id or 'vivavoce'}"


def new_key() -> str:
    """Return a key that nobody can guess."""
    return secrets.token_hex(16)


def squeeze(content: bytes) -> str:
    """Return a file as a text that a row can hold."""
    return base64.b64encode(gzip.compress(content, 3)).decode("ascii")


def unsqueeze(text: str) -> bytes:
    """Return the file again."""
    return gzip.decompress(base64.b64decode(text))
