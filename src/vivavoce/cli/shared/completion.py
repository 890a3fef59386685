"""Values that the shell offers when the tab key is pressed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from glob import escape, glob
from os.path import isdir

Complete = Callable[[str], list[str]]


def _complete_names(list_names: Callable[[], Iterable[str]], *, files: bool = False) -> Complete:
    """Return a completion by names, which are found when the key is pressed, and by the files of the folder."""

    def complete(incomplete: str) -> list[str]:
        paths = [f"{path}/" if isdir(path) else path for path in sorted(glob(escape(incomplete) + "*"))]
        return [*(name for name in list_names() if name.startswith(incomplete)), *(paths if files else ())]

    return complete


def complete_choices(choices: Sequence[str]) -> Complete:
    """Return a completion by a fixed list."""
    return _complete_names(lambda: choices)


def complete_plugin(group: str) -> Complete:
    """Return a completion by the installed plug-ins of a group."""

    def list_plugins() -> Iterable[str]:
        from vivavoce import plugins

        return plugins.available(group)

    return _complete_names(list_plugins)


def _complete_format(kind: str) -> Complete:
    def list_names() -> Iterable[str]:
        from vivavoce.files.formats import Kind, list_formats

        return [format.name for format in list_formats(Kind[kind])]

    return _complete_names(list_names)


def _list_material() -> Iterable[str]:
    from vivavoce.demo import shipped

    return shipped()


def _list_suites() -> Iterable[str]:
    from vivavoce.demo import suites

    return suites()


complete_classifier, complete_bot, complete_rater = (
    complete_plugin(f"vivavoce.{noun}") for noun in ("classifiers", "bots", "raters")
)
complete_format, complete_log_format = _complete_format("TRAINING"), _complete_format("DIALOGUES")
complete_material, complete_suite = (_complete_names(list_, files=True) for list_ in (_list_material, _list_suites))
complete_log = _complete_names(lambda: ("demo",), files=True)
