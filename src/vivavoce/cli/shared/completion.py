"""Values that the shell offers when the tab key is pressed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from glob import escape, glob
from os.path import isdir

Complete = Callable[[str], list[str]]


def complete_choices(choices: Sequence[str]) -> Complete:
    """Return a completion by a fixed list."""
    return lambda incomplete: [choice for choice in choices if choice.startswith(incomplete)]


def complete_plugin(group: str) -> Complete:
    """Return a completion by the installed plug-ins of a group."""

    def complete(incomplete: str) -> list[str]:
        from vivavoce import plugins

        return [name for name in plugins.available(group) if name.startswith(incomplete)]

    return complete


complete_classifier, complete_bot, complete_rater = (
    complete_plugin(f"vivavoce.{noun}") for noun in ("classifiers", "bots", "raters")
)


def _complete_format(kind: str) -> Complete:
    def complete(incomplete: str) -> list[str]:
        from vivavoce.files.formats import Kind, list_formats

        return [format.name for format in list_formats(Kind[kind]) if format.name.startswith(incomplete)]

    return complete


complete_format, complete_log_format = _complete_format("TRAINING"), _complete_format("DIALOGUES")


def _complete_shipped(list_names: Callable[[], Iterable[str]]) -> Complete:
    """Return a completion by shipped material and by the files of the folder."""

    def complete(incomplete: str) -> list[str]:
        paths = [f"{path}/" if isdir(path) else path for path in sorted(glob(escape(incomplete) + "*"))]
        return [*(name for name in list_names() if name.startswith(incomplete)), *paths]

    return complete


def _list_material() -> Iterable[str]:
    from vivavoce.demo import shipped

    return shipped()


def _list_suites() -> Iterable[str]:
    from vivavoce.demo import suites

    return suites()


complete_material = _complete_shipped(_list_material)
complete_suite = _complete_shipped(_list_suites)
complete_log = _complete_shipped(lambda: ("demo",))
