"""Telling a dialogue again: a number made of what was said, so that a model can know what it learnt from."""

from __future__ import annotations

import hashlib

from vivavoce.dialogues.corpus.preprocessing import normalise
from vivavoce.dialogues.dialogue import Dialogue

_BYTES = 8


def fingerprint(dialogue: Dialogue) -> int:
    """Return 64 bits of a hash of all messages, in the one normalised form; names and marks do not count."""
    text = "\n".join(normalise(turn.text) for turn in dialogue.turns)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:_BYTES], "big")
