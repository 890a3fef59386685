"""Bots that the tests of the workers hold by a string."""

from __future__ import annotations

import threading
import time


class Gate:
    """Lets messages through when it is open."""

    def __init__(self) -> None:
        self.event = threading.Event()
        self.reached = threading.Event()
        self.heard: list[tuple[str, str]] = []


GATE = Gate()
BROKEN = threading.Event()


def gated(text: str, session: str) -> str:
    """Answer the first message at once, the others when the gate is open."""
    GATE.heard.append((session, text))
    if text != "message 1":
        GATE.reached.set()
        GATE.event.wait(30)
    return "fine"


def late_topics(text: str, session: str) -> str | dict[str, str]:
    """Name a topic with the second message only, when the gate is open."""
    if text == "message 1":
        return "fine"
    GATE.event.wait(30)
    return {"reply": "fine", "intent": "chat"}


def repeat(text: str) -> str:
    """Say what was said."""
    return text


def moody(text: str) -> str:
    """Answer, unless it is broken."""
    if BROKEN.is_set():
        raise RuntimeError("the secret is hunter2")
    return "fine"


class Crowd:
    """How many messages are on their way together, and how many were at most."""

    def __init__(self) -> None:
        self.lock, self.inside, self.most, self.total = threading.Lock(), 0, 0, 0


CROWD = Crowd()


def crowded(text: str) -> str:
    """Take a while, and note how many others do."""
    with CROWD.lock:
        CROWD.inside += 1
        CROWD.total += 1
        CROWD.most = max(CROWD.most, CROWD.inside)
    time.sleep(0.01)
    with CROWD.lock:
        CROWD.inside -= 1
    return "fine"
