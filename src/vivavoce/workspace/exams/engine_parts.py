"""Engines that are installed but cannot run here, because a part such as word vectors is missing."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution, entry_points
from importlib.util import find_spec

from vivavoce import plugins
from vivavoce.errors import MissingPartError, UsageError, VivaError
from vivavoce.messages import join, say
from vivavoce.store.rows import Project
from vivavoce.workspace.access.engine_rules import engine_names, known_engines


@dataclass(frozen=True, slots=True)
class OfferedEngine:
    """An engine and what it is; one that is not `ready` cannot be chosen, and `needs` says what it lacks here."""

    name: str
    summary: str
    ready: bool
    needs: str


def offered_engines() -> tuple[OfferedEngine, ...]:
    """Return the engines that are installed and can be used without an option, by name."""
    lacks = ((one, missing_part(one.name)) for one in known_engines())
    return tuple(OfferedEngine(one.name, one.summary, not lack, lack) for one, lack in lacks)


def missing_part(name: str) -> str:
    """Say what an engine lacks here and how to get it; nothing where it can run. No engine is made to find out."""
    kind, option = plugins.split_name(name)
    if option:
        # What an option names is loaded where the work is done, not to show a form.
        return ""
    try:
        _check_kind(kind)
    except MissingPartError as error:
        return join("; ", (error.what, error.remedy)) if error.remedy else error.what
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
        raise UsageError(lack, where=where, remedy=say("choose another engine, or let an admin add what is missing"))


def _check_kind(kind: str) -> None:
    """Raise MissingPartError where an engine could not be made."""
    point = next((one for one in _points() if one.name == kind), None)
    if point is not None and (absent := ", ".join(_absent_packages(point))):
        raise MissingPartError(
            say("the engine '{kind}' needs {absent}", kind=kind, absent=absent),
            remedy=say("pip install {absent}", absent=absent),
        )
    if (check := _CHECKS.get(kind)) is not None:
        check()


@cache
def _points() -> tuple[EntryPoint, ...]:
    """Return the engines that packages offer; reading the metadata of all packages is slow."""
    return tuple(entry_points(group=plugins.CLASSIFIERS))


@cache
def _absent_packages(point: EntryPoint) -> tuple[str, ...]:
    """Return what an engine lacks: looking for packages is slow, and none comes while the program runs."""
    return tuple(_lacks(point))


def _lacks(point: EntryPoint) -> Iterator[str]:
    """Yield what an engine lacks: its own module, and the packages that the extras at its entry point bring."""
    if find_spec(point.module.partition(".")[0]) is None:
        yield point.module.partition(".")[0]
    for requirement in (point.dist and point.dist.requires) or []:
        extra = _EXTRA.search(requirement)
        package = _NO_NAME.split(requirement, maxsplit=1)[0]
        if extra and extra[1] in point.extras and not _is_installed(package):
            yield package


def _is_installed(package: str) -> bool:
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True


def _check_sentences() -> None:
    from vivavoce.text.vectors import encoder_available

    if not encoder_available():
        get = say("pip install tokenizers") if find_spec("tokenizers") is None else say("run `viva models get` once")
        raise MissingPartError(
            say("the engine 'vectors' needs sentence vectors, and they are not installed"), remedy=get
        )


def _check_words() -> None:
    from vivavoce.text.glove import find_glove
    from vivavoce.text.weights import viva_home

    if not os.environ.get("VIVA_WORD_VECTORS", "").strip() and find_glove(viva_home()) is None:
        raise MissingPartError(
            say("the engine 'sif' needs word vectors, and there are none yet"),
            remedy=say("run `viva models get glove` once"),
        )


# Engines whose parts are files: looked for, never read.
_CHECKS: Mapping[str, Callable[[], None]] = {"vectors": _check_sentences, "sif": _check_words}
_EXTRA = re.compile(r"""extra\s*==\s*['"]([^'"]+)['"]""")
_NO_NAME = re.compile(r"[^\w.-]")
