"""What the commands of the improvement loop share: read the examples, run, show and write what comes out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeVar

from vivavoce.cli.shared.failures import resumable
from vivavoce.cli.shared.material import load_engine, read_material, settings_in_force
from vivavoce.cli.shared.options import EXAM, Engine, Output, Patience, Reading, option_group, setting
from vivavoce.cli.shared.progress import Report, progress_bar
from vivavoce.cli.shared.results import Screen, check_targets, conclude, tell_written, write_content

if TYPE_CHECKING:
    from vivavoce.intents.runner import AnyClassifier
    from vivavoce.records import Dataset
    from vivavoce.settings import Settings

T = TypeVar("T")


@option_group
class Workers:
    """On how many cores a command works."""

    workers: Annotated[int | None, setting("workers", EXAM, "N")] = None


@option_group
class Task:
    """What every command of the improvement loop takes: a classifier, how to read the examples, where results go."""

    engine: Engine
    patience: Patience
    output: Output
    reading: Reading


class Examined(Protocol):
    """A result that may lack parts of the work."""

    @property
    def failures(self) -> tuple[object, ...]:
        """What failed and is not in the numbers."""

    def to_json(self) -> dict[str, Any]:
        """Return the result as data."""


@dataclass(frozen=True)
class Work:
    """Examples and a classifier that a command examines, and where its result goes."""

    data: Dataset
    classifier: AnyClassifier
    settings: Settings
    output: Output
    record: Path | None = None

    @classmethod
    def begin(cls, file: str, task: Task, *groups: Any, record: Path | None = None) -> Work:
        """Check the paths, then read the examples; `groups`: the other options with settings."""
        check_targets({**task.output.targets, "--record": record}, [file])
        settings = settings_in_force(task.engine, task.patience, task.reading, *groups)
        data = read_material(file, task.reading, settings)
        return cls(data, load_engine(settings.classifier, settings), settings, task.output, record)

    def run(self, examine: Callable[..., T], *names: str, **options: Any) -> T:
        """Return what a function makes of the examples, with the settings of these names."""
        given = {name: getattr(self.settings, name) for name in names}
        if self.record is not None:
            given["record"] = self.record
        with self.watch() as progress:
            return examine(self.data, classifier=self.classifier, **given, **options, progress=progress)

    @contextmanager
    def watch(self) -> Iterator[Report]:
        """Give what shows progress; on Ctrl-C say how to resume."""
        with resumable(self.record), progress_bar(self.output.quiet) as progress:
            yield progress

    def finish(
        self, result: Examined, show: Callable[[Screen], object], content: Mapping[str, Any] | None = None
    ) -> None:
        """Show and write a result, and end with its exit code; `content`: what is written instead of all of it."""
        if self.output.speaks:
            show(Screen())
        if self.output.json_path:
            write_content(self.output.json_path, result.to_json() if content is None else content)
        tell_written(self.output)
        conclude(result.failures, self.record, lambda: None)
