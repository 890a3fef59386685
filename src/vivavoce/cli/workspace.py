"""`viva workspace`: make, keep, move and look after workspaces."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vivavoce.cli.shared.failures import tell
from vivavoce.cli.shared.material import settings_in_force
from vivavoce.cli.shared.options import JsonPath, Quiet
from vivavoce.cli.shared.places import Workspace, find_project, need_web, open_current, place_of
from vivavoce.cli.shared.results import Screen, check_targets, head, write_content
from vivavoce.errors import UsageError, plural

if TYPE_CHECKING:
    from vivavoce.store.database import Store

app = typer.Typer(
    name="workspace",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="""Make, keep, move and look after workspaces: projects, people, exams in one database.

    The workspace is the one of `--workspace`, else of `VIVA_WORKSPACE`, else the file `workspace.db` in the home
    folder of vivavoce. A password in its address is never shown.

    Exit codes: 0 fine · 2 the input or the call is wrong · 3 the database cannot be reached.

    For example:

        viva workspace create

        viva workspace backup monday.zip

        viva workspace status --json -
    """,
)
BackupFile = Annotated[Path, typer.Argument(metavar="FILE", help="The file of the backup.", show_default=False)]


@app.command()
def create(workspace: Workspace = None, json_path: JsonPath = None, quiet: Quiet = False) -> None:
    """Make a new workspace; an existing one is refused.

    A file can be read by its owner only. A database of PostgreSQL must be there and empty.

    For example:

        viva workspace create

        viva workspace create --workspace /srv/viva/workspace.db
    """
    place = _begun(workspace, json_path)
    from vivavoce.store.migrating import create_store, schema_version

    store = create_store(place)
    _finish(
        store,
        json_path,
        quiet,
        f"A new workspace was made: {store.address}\nTo open it: viva serve",
        schema=schema_version(store),
    )


@app.command()
def backup(file: BackupFile, workspace: Workspace = None, json_path: JsonPath = None, quiet: Quiet = False) -> None:
    """Write the whole workspace into one new file, while others go on working with it.

    It holds the hashes of passwords and keys: keep it as safe as the workspace.

    For example:

        viva workspace backup monday.zip

        viva workspace backup monday.zip --workspace postgresql://viva@db/viva
    """
    check_targets({"FILE": file, "--json": json_path})
    settings_in_force()
    store = open_current(workspace)
    from vivavoce.store import backups

    made = backups.backup(store, file, _progress(quiet))
    told = f"Written: {file} ({plural(made.rows, 'row')}, schema {made.schema})"
    _finish(store, json_path, quiet, told, file=str(file), rows=made.rows, schema=made.schema)


@app.command()
def restore(file: BackupFile, workspace: Workspace = None, json_path: JsonPath = None, quiet: Quiet = False) -> None:
    """Make a new workspace of a backup: all of it, or nothing.

    The place must be empty; it may be in the other kind of database. Work that was under way begins again.

    For example:

        viva workspace restore monday.zip --workspace /srv/viva/restored.db
    """
    place = _begun(workspace, json_path, [str(file)])
    from vivavoce.store import backups
    from vivavoce.store.migrating import schema_version

    store = backups.restore(file, place, _progress(quiet))
    _finish(store, json_path, quiet, f"Restored: {store.address}", file=str(file), schema=schema_version(store))


@app.command()
def migrate(workspace: Workspace = None, json_path: JsonPath = None, quiet: Quiet = False) -> None:
    """Bring a workspace to the newest schema.

    Stop servers and workers first. A workspace in a file is copied aside before.

    For example:

        viva workspace migrate
    """
    place = _begun(workspace, json_path)
    from vivavoce.store import migrating
    from vivavoce.store.database import open_store

    store = open_store(place)
    before, after = migrating.migrate(store, _progress(quiet))
    told = f"The schema is {after} already." if before == after else f"The schema went from {before} to {after}."
    _finish(store, json_path, quiet, told, before=before, after=after)


@app.command()
def export(
    project: Annotated[str, typer.Argument(metavar="PROJECT", help="Short name of the project.", show_default=False)],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="New ZIP file to write.", show_default=False)],
    workspace: Workspace = None,
    *,
    no_dialogues: Annotated[bool, typer.Option("--no-dialogues", help="Leave logged talks out.")] = False,
    no_ratings: Annotated[bool, typer.Option("--no-ratings", help="Leave people's ratings of talks out.")] = False,
    json_path: JsonPath = None,
    quiet: Quiet = False,
) -> None:
    """Write the material of a project into a ZIP file of plain files.

    Topics, bots, suites and talks go with it; runs and people stay behind.

    For example:

        viva workspace export jobs jobs.zip

        viva workspace export jobs jobs.zip --no-dialogues
    """
    check_targets({"FILE": file, "--json": json_path})
    settings_in_force()
    store = open_current(workspace)
    from vivavoce.store.exchange import export_project

    found = find_project(store, project)
    export_project(store, found.id, file, dialogues=not no_dialogues, ratings=not no_ratings)
    _finish(store, json_path, quiet, f"Written: {file}", file=str(file), project=found.slug)


@app.command("import")
def import_(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="ZIP file of an exported project.", show_default=False)
    ],
    workspace: Workspace = None,
    *,
    slug: Annotated[
        str | None, typer.Option("--slug", metavar="NAME", help="Another short name than the project's own.")
    ] = None,
    json_path: JsonPath = None,
    quiet: Quiet = False,
) -> None:
    """Make a new project of a file that `viva workspace export` wrote.

    It can come from another workspace and another kind of database.

    For example:

        viva workspace import jobs.zip

        viva workspace import jobs.zip --slug jobs-2
    """
    check_targets({"--json": json_path}, [str(file)])
    settings_in_force()
    store = open_current(workspace)
    from vivavoce.store.exchange import import_project
    from vivavoce.workspace.projects.projects import check_slug

    made = import_project(store, file, None, slug=check_slug(slug) if slug else None, tell=_progress(quiet))
    told = f"A new project was made: {made.name} (short name {made.slug})"
    _finish(store, json_path, quiet, told, project=made.slug, name=made.name)


@app.command()
def status(workspace: Workspace = None, json_path: JsonPath = None, quiet: Quiet = False) -> None:
    """Say what is the case: schema, projects, people, runs, workers.

    Workers are those that were seen in the last half minute, on any machine.

    For example:

        viva workspace status

        viva workspace status --json -
    """
    place = _begun(workspace, json_path)
    from vivavoce.store.database import open_store
    from vivavoce.store.migrating import require_current
    from vivavoce.workspace.projects.facts import workspace_facts

    store = open_store(place)
    require_current(store)
    facts = workspace_facts(store)
    store.close()
    if json_path:
        workers = [{"host": one.host, "pid": one.pid, "seen": one.seen.isoformat()} for one in facts.workers]
        write_content(json_path, {**head("workspace"), **asdict(facts), "workers": workers})
    if not quiet and json_path != "-":
        _show(facts)


@app.command("setup-link")
def setup_link(
    workspace: Workspace = None,
    *,
    url: Annotated[
        str, typer.Option("--url", metavar="URL", help="Address of the server, as the admin will open it.")
    ] = "http://127.0.0.1:8000",
    json_path: JsonPath = None,
    quiet: Quiet = False,
) -> None:
    """Print a link that makes the first admin.

    It works once, for 24 hours; links printed before stop working.

    For example:

        viva workspace setup-link

        viva workspace setup-link --url https://viva.example.org
    """
    check_targets({"--json": json_path})
    settings_in_force()
    store = open_current(workspace)
    from vivavoce.workspace.access import people

    path = people.setup_link(store)
    store.close()
    if path is None:
        raise UsageError("there is an admin already", remedy="an admin invites others and makes them new links")
    link = url.rstrip("/") + path
    if json_path:
        write_content(json_path, {**head("workspace"), "setup_link": link}, private=True)
    if not quiet and json_path != "-":
        # Not through Rich: the link must stay on one line.
        typer.echo(link)


def _begun(workspace: str | None, json_path: str | None, inputs: list[str] | None = None) -> str:
    """Check the call, and return where the workspace is."""
    check_targets({"--json": json_path}, inputs or [])
    settings_in_force()
    need_web()
    return place_of(workspace)


def _progress(quiet: bool) -> Any:
    return (lambda line: None) if quiet else tell


def _finish(store: Store, json_path: str | None, quiet: bool, told: str, **facts: object) -> None:
    address = store.address
    store.close()
    if json_path:
        write_content(json_path, {**head("workspace"), "workspace": address, **facts})
    if not quiet:
        tell(told)


def _show(facts: Any) -> None:
    from rich.table import Table

    table = Table("what", "state")
    table.columns[-1].overflow = "fold"
    for name in ("version", "address", "schema", "projects", "people", "admins", "open_runs"):
        table.add_row(name.replace("_", " "), str(getattr(facts, name)))
    table.add_row("workers", ", ".join(f"{one.host} {one.pid}" for one in facts.workers) or "none")
    Screen().print(table)
