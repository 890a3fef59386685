"""What gives scores to dialogues: the learned model, a function, a judge behind an endpoint. All are alike here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from vivavoce.dialogues.dialogue import Dialogue
from vivavoce.dialogues.result import Drift, Origin, Score


@runtime_checkable
class Rater(Protocol):
    """Anything that can rate. `origin` None: nobody has measured it yet."""

    @property
    def name(self) -> str:
        """How it is called in reports."""

    @property
    def origin(self) -> Origin | None:
        """What it learnt from."""

    def rate(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """Return one score for each dialogue, in order; a refusal is a score too."""


@runtime_checkable
class Comparing(Protocol):
    """A rater that knows what dialogues it learnt from."""

    def compare(self, dialogues: Sequence[Dialogue]) -> Drift | None:
        """Return how far dialogues that it scored lie from those that it learnt from; None: it cannot be said."""
