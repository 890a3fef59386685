"""What every exam in units needs: units by their keys, what was not done and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from vivavoce.errors import UsageError, nearest, plural, without_remedy
from vivavoce.jobs.exams.protocol import Finished
from vivavoce.messages import say

__all__ = ["NOT_DONE", "find_unit", "reasons_of", "remarks_on"]

T = TypeVar("T")
NOT_DONE = say("not done")


def find_unit(units: Mapping[str, T], name: str) -> T:
    """Return the unit of this key; refuse one that the exam does not have."""
    if name not in units:
        raise UsageError(
            say("the exam has no unit '{name}'.{nearest}", name=name, nearest=nearest(name, list(units))),
            remedy=say("plan the run again and restart it"),
        )
    return units[name]


def reasons_of(finished: Finished) -> dict[str, str]:
    """Return why units failed, by their keys, without the advice."""
    return {failure.key: without_remedy(failure.reason) for failure in finished.failures}


def remarks_on(finished: Finished, keys: Iterable[str]) -> Iterator[str]:
    """Say which results belong to no unit of the plan: they were passed over."""
    strange = sorted(set(finished.results) - set(keys))
    if strange:
        said = f"{plural(len(strange), 'result')} of no unit of this exam skipped"
        yield f"{said}: {', '.join(strange[:5])}{', ...' if len(strange) > 5 else ''}."
