"""What the shell offers when the tab key is pressed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from glob import escape, glob
from os.path import isdir

Complete = Callable[[str], list[str]]


def complete_choices(choices: Sequence[str]) -> Complete:
    """Return a completion by a fixed list."""
    return lambda incomplete: [choice for choice in choices if choice.startswith(incomplete)]


def complete_plugin(group: str) -> Complete:
    """Return a completion by the plug-ins of a group that are installed."""

    def complete(incomplete: str) -> list[str]:
        from vivavoce import plugins

        return [name for name in plugins.available(group) if name.startswith(incomplete)]

    return complete


complete_classifier, complete_bot, complete_rater = (
    complete_plugin(f"vivavoce.{noun}") for noun in ("classifiers", "bots", "raters")
)


def complete_format(incomplete: str) -> list[str]:
    """Offer the file formats that are installed."""
    from vivavoce.files.formats import Kind, list_formats

    return [format.name for format in list_formats(Kind.TRAINING) if format.name.startswith(incomplete)]


def complete_material(incomplete: str) -> list[str]:
    """Offer shipped material and the files of the folder."""
    from vivavoce.demo import shipped

    paths = [f"{path}/" if isdir(path) else path for path in sorted(glob(escape(incomplete) + "*"))]
    return [*(name for name in shipped() if name.startswith(incomplete)), *paths]


def complete_suite(incomplete: str) -> list[str]:
    """Offer shipped suites and the files of the folder."""
    from vivavoce.demo import suites

    paths = [f"{path}/" if isdir(path) else path for path in sorted(glob(escape(incomplete) + "*"))]
    return [*(name for name in suites() if name.startswith(incomplete)), *paths]


def complete_log_format(incomplete: str) -> list[str]:
    """Offer the formats of dialogues."""
    from vivavoce.files.formats import Kind, list_formats

    return [format.name for format in list_formats(Kind.DIALOGUES) if format.name.startswith(incomplete)]


def complete_talks(incomplete: str) -> list[str]:
    """Offer the talks that ship and the files of the folder."""
    paths = [f"{path}/" if isdir(path) else path for path in sorted(glob(escape(incomplete) + "*"))]
    return [*(name for name in ("demo",) if name.startswith(incomplete)), *paths]
