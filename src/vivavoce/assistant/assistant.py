"""The assistant: a state and a message in, an outcome out. It holds nothing of a talk and may serve many at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vivavoce.assistant.company import Company
from vivavoce.assistant.openings import Openings, OpeningsInMemory
from vivavoce.assistant.talk import Outcome, State

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, eq=False)
class Assistant:
    """An assistant that is ready to talk: immutable, so a server swaps a newly trained one in between two messages."""

    company: Company
    openings: Openings

    @classmethod
    def build(cls, company: Company, openings: Openings | None = None) -> Assistant:
        """Train the classifiers of a company; what was trained on the same examples before is kept and used again."""
        return cls(company, openings or OpeningsInMemory())

    def greet(self, language: str = "") -> Outcome:
        """Return what is said before the visitor has written anything; `language` is that of the page."""
        raise NotImplementedError

    def reply(self, state: State, message: str, *, page_language: str = "", now: datetime | None = None) -> Outcome:
        """Return the outcome of a message. Messages that begin with `/` are buttons: `/job_search`, `/salary`, ..."""
        raise NotImplementedError

    def with_openings(self, openings: Openings) -> Assistant:
        """Return the same assistant with other openings."""
        return replace(self, openings=openings)
