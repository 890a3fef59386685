"""Which workspace a command deals with, and opening it."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from vivavoce.errors import AbsentError, MissingPartError, nearest
from vivavoce.settings import home

if TYPE_CHECKING:
    from vivavoce.jobs.schedules import StartScheduled
    from vivavoce.store.database import Store
    from vivavoce.store.rows import Project

VARIABLE = "VIVA_WORKSPACE"
FILE = "workspace.db"
# What starts the run of a schedule, as workers are told it.
SCHEDULES = "vivavoce.workspace.projects.schedules:start_scheduled"
Say = Callable[[str], None]

Workspace = Annotated[
    str | None,
    typer.Option(
        "--workspace",
        "-w",
        metavar="PLACE",
        help="Path of the workspace, or the address of its database: `postgresql://user@host/name`.",
        show_default=f"${VARIABLE}, else {FILE} in the home folder of vivavoce",
    ),
]


def place_of(given: str | None) -> str:
    """Return where the workspace is: as given, as the environment says, or in the home folder."""
    return given or os.environ.get(VARIABLE, "").strip() or str(home() / FILE)


def starter_options() -> list[str]:
    """Return what a worker process is told: who starts the runs of every day."""
    return ["--start-scheduled", SCHEDULES] if load_starter() else []


def load_starter() -> StartScheduled | None:
    """Return what starts the run of a schedule, for workers in this process; None where nothing can be scheduled."""
    module, _, function = SCHEDULES.partition(":")
    if find_spec(module) is None:
        return None
    found: StartScheduled = getattr(import_module(module), function)
    return found


def need_web() -> None:
    """Refuse to go on where the optional parts of a workspace are not installed."""
    absent = [name for name in ("sqlalchemy", "alembic", "fastapi", "uvicorn", "jinja2") if find_spec(name) is None]
    if absent:
        raise MissingPartError(f"a workspace needs {', '.join(absent)}", remedy="pip install 'vivavoce[web]'")


def open_current(given: str | None) -> Store:
    """Open a workspace that is there and has the schema of this program."""
    need_web()
    from vivavoce.store.database import open_store
    from vivavoce.store.migrating import require_current

    store = open_store(place_of(given))
    require_current(store)
    return store


def find_project(store: Store, slug: str) -> Project:
    """Return the project with this short name."""
    from vivavoce.workspace.projects import projects

    found = projects.find_project(store, slug)
    if found is None:
        known = [one.slug for one in projects.list_projects(store)]
        raise AbsentError(
            f"there is no project '{slug}'.{nearest(slug, known)}",
            where=store.address,
            remedy=f"give one of {', '.join(known)}" if known else "there is none in this workspace yet",
        )
    return found


def open_or_make(place: str, say: Say) -> Store:
    """Open a workspace; make it where there is none, and bring an older one up to date."""
    need_web()
    from pathlib import Path

    from vivavoce.store.database import as_url, open_store
    from vivavoce.store.migrating import create_store, head_version, migrate, schema_version

    url = as_url(place)
    embedded = url.get_backend_name() == "sqlite"
    if embedded and not Path(url.database or "").is_file():
        made = create_store(place)
        say(f"A new workspace was made: {made.address}")
        return made
    store = open_store(place)
    version = schema_version(store)
    if version is None:
        store.close()
        made = create_store(place)
        say(f"A new workspace was made: {made.address}")
        return made
    if version != head_version():
        before, after = migrate(store, say)
        say(f"The workspace was brought from schema {before} to {after}.")
    return store
