"""The options of a rater beside its name: how it is asked, what it may cost, where its answers are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from vivavoce.errors import Fault, UsageError

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
        """The names of the options that were set and that only some raters can heed."""
        names = [each.name for each in fields(self) if each.name not in _HARMLESS]
        return tuple(name for name in names if getattr(self, name) not in (None, {}))


def check_options(options: RaterOptions, *, where: str) -> None:
    """Refuse numbers that make no sense, all at once."""
    faults = [
        Fault(f"{value} is not {least} or more", name)
        for name, least in (("at_once", 1), ("retries", 0), ("most", 0))
        if (value := getattr(options, name)) is not None and value < least
    ]
    seconds = options.timeout_s
    if seconds is not None and not 0 < seconds < float("inf"):
        faults.append(Fault(f"{seconds} is not a number of seconds above 0", "timeout_s"))
    if faults:
        raise UsageError("these options are invalid", where=where, faults=faults, remedy="fix the numbers")
