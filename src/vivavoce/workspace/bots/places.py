"""How many bots people may wait for at once: a bot that hangs must not take the server away from everybody else.

Counted in each process of the server, as each has threads of its own.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from vivavoce.errors import UsageError
from vivavoce.messages import say

MOST_OF_ONE = 2
# Well below the 40 threads in which a process answers.
MOST_OF_ALL = 16


class CrowdedError(UsageError):
    """More is being asked of bots than is allowed at once."""


class Places:
    """Who is waiting for bots at the moment."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken: Counter[str] = Counter()

    @property
    def taken(self) -> int:
        """How many places are held now."""
        return self._taken.total()

    @contextmanager
    def take(self, person: str) -> Iterator[None]:
        """Hold a place for somebody while they talk to a bot; refuse where too many are held."""
        with self._lock:
            self._check(person)
            self._taken[person] += 1
        try:
            yield
        finally:
            with self._lock:
                self._taken[person] -= 1

    def _check(self, person: str) -> None:
        if self._taken[person] >= MOST_OF_ONE:
            raise CrowdedError(
                say("you are waiting for {most_of_one} answers of bots already", most_of_one=MOST_OF_ONE),
                remedy=say(
                    "wait until one of your tests or chats has ended, then send this again; a test ends after half a "
                    "minute at the latest"
                ),
            )
        if self.taken >= MOST_OF_ALL:
            raise CrowdedError(
                say("many people are waiting for bots at the moment"), remedy=say("send this again in half a minute")
            )


PLACES = Places()
