"""Find and open the workspace of a command."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

from vivavoce.cli.shared.options import argument, option
from vivavoce.errors import AbsentError, MissingPartError, nearest
from vivavoce.settings import home

if TYPE_CHECKING:
    from vivavoce.store.database import Store
    from vivavoce.store.rows import Project

VARIABLE = "VIVA_WORKSPACE"
FILE = "workspace.db"
NO_PROJECTS = "there are no projects yet: create one in the browser (`viva serve`), or use `viva workspace import`"
# Starts the run of a schedule, in the form that worker processes take.
SCHEDULES = "vivavoce.workspace.projects.schedules:start_scheduled"
# Does what assistants need: learning, mail, openings, retention.
TASKS = "vivavoce.workspace.assistant.tending:Tender"

Workspace = Annotated[
    str | None,
    option(
        "--workspace -w",
        "PLACE",
        "Path of the workspace, or address of its database: `postgresql://user@host/name`.",
        default=f"${VARIABLE}, else {FILE} in the home folder of vivavoce",
    ),
]
ProjectName = Annotated[str, argument("PROJECT", "Short name of the project.")]


def place_of(workspace: str | None) -> str:
    """Return where the workspace is: as the option or the environment says, else in the home folder."""
    return workspace or os.environ.get(VARIABLE, "").strip() or str(home() / FILE)


def worker_options() -> list[str]:
    """Return the options of a worker process that starts scheduled runs and does the tasks of assistants."""
    return ["--start-scheduled", SCHEDULES, "--tend", TASKS]


def require_web() -> None:
    """Refuse to continue if the optional parts of a workspace are not installed."""
    absent = [name for name in ("sqlalchemy", "alembic", "fastapi", "uvicorn", "jinja2") if find_spec(name) is None]
    if absent:
        raise MissingPartError(f"a workspace needs {', '.join(absent)}", remedy="pip install 'vivavoce[web]'")


def open_current(workspace: str | None) -> Store:
    """Open an existing workspace that has the schema of this program."""
    require_web()
    from vivavoce.store.database import open_store
    from vivavoce.store.migrating import require_current

    store = open_store(place_of(workspace))
    require_current(store)
    return store


def find_project(store: Store, slug: str) -> Project:
    """Return the project with this short name."""
    from vivavoce.workspace.projects import projects

    project = projects.find_project(store, slug)
    if project is None:
        known = [row.slug for row in projects.list_projects(store)]
        raise AbsentError(
            f"project '{slug}' not found.{nearest(slug, known)}",
            where=store.address,
            remedy=f"use one of {', '.join(known)}" if known else NO_PROJECTS,
        )
    return project


def open_or_create(place: str, tell: Callable[[str], None]) -> Store:
    """Open a workspace; create it if there is none, and migrate an older one."""
    require_web()
    from pathlib import Path

    from vivavoce.store.database import as_url, open_store
    from vivavoce.store.migrating import create_store, head_version, migrate, schema_version

    url = as_url(place)
    absent = url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file()
    if not absent:
        store = open_store(place)
        version = schema_version(store)
        if version is not None:
            if version != head_version():
                before, after = migrate(store, tell)
                tell(f"Workspace upgraded from schema {before} to {after}.")
            return store
        store.close()
    store = create_store(place)
    tell(f"Workspace created: {store.address}")
    return store
