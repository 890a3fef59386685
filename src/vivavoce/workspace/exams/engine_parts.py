"""Engines that are installed but cannot run here, because a part such as word vectors is missing."""

from __future__ import annotations

from functools import cache

from vivavoce import plugins
from vivavoce.errors import MissingPartError, UsageError, VivaError
from vivavoce.store.rows import Project
from vivavoce.workspace.access.engine_rules import engine_names


def missing_part(name: str) -> str:
    """Say what an engine lacks here and how to get it; nothing where it can run."""
    kind, option = plugins.split_name(name)
    if option:
        # What an option names is loaded where the work is done, not to show a form.
        return ""
    try:
        _make(kind)
    except MissingPartError as error:
        return f"{error.what}; {error.remedy}" if error.remedy else error.what
    except VivaError:
        return ""
    return ""


def ready_engines(project: Project) -> tuple[str, ...]:
    """Return the names that can be chosen for a project and run here."""
    return tuple(name for name in engine_names(project) if not missing_part(name))


def require_parts(name: str, where: str = "classifier") -> None:
    """Refuse an engine that cannot run here before a run is begun with it."""
    lack = missing_part(name)
    if lack:
        raise UsageError(lack, where=where, remedy="choose another engine, or let an admin add what is missing")


@cache
def _make(kind: str) -> None:
    """Make an engine once; errors are not kept, so that a part that comes later is found."""
    plugins.build(plugins.CLASSIFIERS, kind, "")
