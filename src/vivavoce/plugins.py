"""Plug-ins: bots, classifiers, file formats (and what later groups add), found by their entry points.

Built-ins register the same way as anyone else's. Of two distributions that offer the same name, vivavoce's
own wins, then the first in alphabetical order, on every machine alike; `problems` names the others.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from enum import StrEnum
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import NamedTuple, TypeVar

from vivavoce.errors import MissingPartError, UsageError, VivaError, nearest

ASSISTANTS = "vivavoce.assistants"
BOTS = "vivavoce.bots"
CLASSIFIERS = "vivavoce.classifiers"
EXAMS = "vivavoce.exams"
FORMATS = "vivavoce.formats"
OWN = "vivavoce"
F = TypeVar("F", bound=Callable[..., object])


class Reach(StrEnum):
    """What a plug-in reaches with what it is given.

    `ADDRESS`: an address; bots connect to it by `vivavoce.bots.client`, which lets nobody into a private network.
    `PROCESS`: nothing but a process of ours and material that ships. `PROGRAM`: a program, code or files of the user.
    """

    ADDRESS = "address"
    PROCESS = "process"
    PROGRAM = "program"


class Declaration(NamedTuple):
    """What a factory declares: what its option makes it reach, and whether it is nothing without one."""

    reach: Reach = Reach.PROGRAM
    needs_option: bool = False


class Description(NamedTuple):
    """A plug-in in one line: its name, the distribution it came from, what it is or why it fails."""

    name: str
    origin: str
    summary: str


def available(group: str) -> tuple[str, ...]:
    """Return the names of a group, sorted. Nothing is imported."""
    return tuple(sorted({point.name for point in _points(group)}))


def in_order(group: str) -> tuple[str, ...]:
    """Return the names of a group in order of precedence: vivavoce's own first. Nothing is imported."""
    return tuple(dict.fromkeys(point.name for point in _points(group)))


def load(group: str, name: str) -> object:
    """Import and return the plug-in of this name, usually a factory."""
    point = _find(group, name)
    try:
        return point.load()
    except VivaError:
        raise
    except Exception as error:
        raise _refusal(point, error) from error


def build(group: str, name: str, *arguments: object, **options: object) -> object:
    """Load the factory of this name and call it; parts that it imports only then may be missing as well."""
    factory = load(group, name)
    if not callable(factory):
        raise _refusal(_find(group, name), TypeError("it is not callable"))
    try:
        return factory(*arguments, **options)
    except ImportError as error:
        raise _refusal(_find(group, name), error) from error


def describe(group: str) -> list[Description]:
    """Return a line for each plug-in, sorted by name. Imports all of them; a broken one breaks no other."""
    descriptions = []
    for name in available(group):
        try:
            summary = (load(group, name).__doc__ or "").strip().partition("\n")[0]
        except VivaError as error:
            summary = error.what
        descriptions.append(Description(name, _origin(_find(group, name)), summary))
    return descriptions


def declare(declared: object) -> Callable[[F], F]:
    """Declare what a factory makes: a `Declaration`, for a bot a `vivavoce.bots.declaration.Connector`."""

    def attach(factory: F) -> F:
        factory.declared = declared  # type: ignore[attr-defined]
        return factory

    return attach


def find_declaration(group: str, name: str) -> object:
    """Return what a plug-in declares; None of one that is missing, broken or silent: assume that it runs programs."""
    try:
        return getattr(load(group, name), "declared", None)
    except VivaError:
        return None


def problems(group: str) -> tuple[str, ...]:
    """Return a sentence for each plug-in that is hidden by another of the same name."""
    first: dict[str, EntryPoint] = {}
    sentences = []
    for point in _points(group):
        used = first.setdefault(point.name, point)
        if (point.value, _origin(point)) != (used.value, _origin(used)):
            sentences.append(
                f"'{point.name}' of {_origin(point)} ({point.value}) is overridden by {_origin(used)} ({used.value})"
            )
    return tuple(sentences)


def split_name(name: str) -> tuple[str, str]:
    """Split `kind:option` at the first colon; the option is empty where none is given."""
    kind, _, option = name.partition(":")
    if not kind.strip():
        raise UsageError(f"'{name}' does not start with a kind", remedy="write `kind` or `kind:option`")
    return kind.strip(), option.strip()


@cache
def _points(group: str) -> tuple[EntryPoint, ...]:
    """Return the entry points of a group in order of precedence; reading metadata of all packages is slow."""
    # The order of a folder's files differs between machines; a result must not depend on it.
    points = entry_points(group=group)
    return tuple(sorted(points, key=lambda point: (_origin(point) != OWN, _origin(point), point.name, point.value)))


def _origin(point: EntryPoint) -> str:
    return point.dist.name if point.dist else "unknown"


def _find(group: str, name: str) -> EntryPoint:
    for point in _points(group):
        if point.name == name:
            return point
    known = available(group)
    raise UsageError(
        f"{group} has no '{name}'.{nearest(name, known)}",
        remedy=f"choose one of: {', '.join(known)}" if known else "install a package that provides one",
    )


def _refusal(point: EntryPoint, error: Exception) -> MissingPartError:
    """Say what a plug-in lacks and how to get it."""
    where = f"{_origin(point)}, {point.group}"
    if not isinstance(error, ImportError):
        what = f"'{point.name}' is broken: {type(error).__name__}: {error}"
        return MissingPartError(what, where=where, remedy=f"update or remove {_origin(point)}")
    # Name the nearest name that a module offers in place of one that it does not have.
    name = re.match(r"cannot import name '([^']+)'", str(error))
    module = sys.modules.get(error.name or "")
    hint = nearest(name[1], [*getattr(module, "__all__", dir(module))]) if name and module else ""
    what = f"cannot import '{point.name}': {error}.{hint}"
    return MissingPartError(what, where=where, remedy=_find_remedy(point, error))


def _find_remedy(point: EntryPoint, error: ImportError) -> str:
    module = error.name or ""
    extra = next(iter(point.extras), "") or _find_extra(point, module)
    if extra:
        return f"pip install '{_origin(point)}[{extra}]'"
    root = module.partition(".")[0]
    if not module or root == point.module.partition(".")[0]:
        return f"update or reinstall {_origin(point)}"
    if root == OWN or not isinstance(error, ModuleNotFoundError):
        # The package is there; what was asked of it is not.
        return f"fix the import in {point.module}, or install a version of {root} that has it"
    return f"install the package that provides the module '{module}'"


def _find_extra(point: EntryPoint, module: str) -> str:
    """Return the extra of the plug-in's distribution that brings a module, or nothing.

    A module is taken for a package's where one name is the other or its beginning: `acme` for `acme-cloud-chat`.
    """
    wanted = _normalise(module)
    for requirement in (point.dist and point.dist.requires) or []:
        package = _normalise(re.split(r"[^\w.-]", requirement, maxsplit=1)[0])
        extra = re.search(r"""extra\s*==\s*['"]([^'"]+)['"]""", requirement)
        brings = f"{package}-".startswith(f"{wanted}-") or wanted.startswith(f"{package}-")
        # A distribution may name itself to join extras; that brings no module.
        if extra and wanted and brings and package != _normalise(_origin(point)):
            return extra[1]
    return ""


def _normalise(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
