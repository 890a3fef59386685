"""What may be said about a rater beside its name: how it is asked, what it may cost, where its answers are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from vivavoce.errors import Fault, UsageError

__all__ = ["RaterOptions", "check_options"]

Progress = Callable[[int, int], None]
# What every rater may be given, whether it has a use for it or not.
_HARMLESS = ("seed", "progress")


@dataclass(frozen=True, slots=True)
class RaterOptions:
    """What the user may say about a rater; None leaves it as the rater has it.

    `at_once`: questions on their way together. `most`: messages that may be sent in all, further tries included.
    `record`: a file of JSON lines that keeps every answer; what it holds is not asked again. `settings`: keys of an
    `openai` entry of bots.yaml. `progress` is told how many are done, of how many.
    """

    at_once: int | None = None
    timeout_s: float | None = None
    retries: int | None = None
    most: int | None = None
    record: Path | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
    seed: int = 0
    progress: Progress | None = None

    @property
    def given(self) -> tuple[str, ...]:
        """The names of what was said and only some raters can heed."""
        said = [each.name for each in fields(self) if each.name not in _HARMLESS]
        return tuple(name for name in said if getattr(self, name) not in (None, {}))


def check_options(options: RaterOptions, *, where: str) -> None:
    """Refuse numbers that make no sense, all at once."""
    faults = list(_faults(options))
    if faults:
        raise UsageError("these options cannot be used", where=where, faults=faults, remedy="correct the numbers")


def _faults(options: RaterOptions) -> Iterator[Fault]:
    for name, least in (("at_once", 1), ("retries", 0), ("most", 0)):
        value = getattr(options, name)
        if value is not None and value < least:
            yield Fault(f"{value} is not {least} or more", name)
    seconds = options.timeout_s
    if seconds is not None and not 0 < seconds < float("inf"):
        yield Fault(f"{seconds} is not a number of seconds above 0", "timeout_s")
