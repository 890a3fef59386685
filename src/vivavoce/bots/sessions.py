"""Names of sessions: each conversation with a bot gets one that no other has had."""

from __future__ import annotations

import secrets


def new_session() -> str:
    """Return a fresh session name of 29 letters, digits and hyphens, which every platform accepts.

    It is drawn, not derived from the run: a bot that remembers a broken attempt must not meet its session again.
    """
    return f"viva-{secrets.token_hex(12)}"
