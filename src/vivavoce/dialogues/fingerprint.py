"""Telling a dialogue again: a number made of what was said, so that a model can know what it learnt from."""

from __future__ import annotations

import hashlib

from vivavoce.dialogues.dialogue import Dialogue

_BYTES = 8


def fingerprint(dialogue: Dialogue) -> int:
    """Return 64 bits of a hash of all messages in order; case and blanks, names and marks do not count."""
    text = "\n".join(" ".join(turn.text.lower().split()) for turn in dialogue.turns)
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:_BYTES], "big")
