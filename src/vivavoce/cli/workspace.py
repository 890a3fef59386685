"""`viva workspace`: create, back up, move and inspect workspaces."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vivavoce.cli.shared.material import settings_in_force
from vivavoce.cli.shared.options import CommandGroup, Output, argument, option
from vivavoce.cli.shared.places import ProjectName, Workspace, find_project, open_current, place_of, require_web
from vivavoce.cli.shared.results import check_targets, head, publish, write_content
from vivavoce.errors import UsageError, plural

if TYPE_CHECKING:
    from vivavoce.store.database import Store

app = CommandGroup(
    "workspace",
    help="""Create, back up, move and inspect workspaces: projects, people and exams in one database.

    The workspace is that of `--workspace`, else of `VIVA_WORKSPACE`, else the file `workspace.db` in the home
    folder of vivavoce. A password in its address is never shown.

    Exit codes: 0 success · 2 invalid input or options · 3 the database cannot be reached.

    For example:

        viva workspace create
        viva workspace backup monday.zip
        viva workspace status --json -
    """,
)
BackupFile = Annotated[Path, argument("FILE", "File of the backup.")]


@app.command()
def create(workspace: Workspace = None, *, output: Output) -> None:
    """Create a new workspace; refuse to overwrite one.

    Only its owner can read the file. A PostgreSQL database must exist and be empty.

    For example:

        viva workspace create
        viva workspace create --workspace /srv/viva/workspace.db
    """
    place = _prepare(workspace, output)
    from vivavoce.store.migrating import create_store, schema_version

    store = create_store(place)
    # The address of a database may hold a password.
    flag = f" --workspace {workspace}" if workspace and "://" not in workspace else ""
    message = f"Workspace created: {store.address}\nTo open it: viva serve{flag}"
    _finish(store, output, message, schema=schema_version(store))


@app.command()
def backup(file: BackupFile, workspace: Workspace = None, *, output: Output) -> None:
    """Write the whole workspace to a new file; others can keep working.

    It contains the hashes of passwords and keys: keep it as safe as the workspace.

    For example:

        viva workspace backup monday.zip
        viva workspace backup monday.zip --workspace postgresql://viva@db/viva
    """
    _prepare(workspace, output, FILE=file)
    store = open_current(workspace)
    from vivavoce.store import backups

    summary = backups.backup(store, file, output.tell)
    message = f"Written: {file} ({plural(summary.rows, 'row')}, schema {summary.schema})"
    _finish(store, output, message, file=str(file), rows=summary.rows, schema=summary.schema)


@app.command()
def restore(file: BackupFile, workspace: Workspace = None, *, output: Output) -> None:
    """Create a new workspace from a backup; after an error nothing is left of it.

    The target must be empty; it may be the other kind of database. Units in progress start again.

    For example:

        viva workspace restore monday.zip --workspace /srv/viva/restored.db
    """
    place = _prepare(workspace, output, file)
    from vivavoce.store import backups
    from vivavoce.store.migrating import schema_version

    store = backups.restore(file, place, output.tell)
    _finish(store, output, f"Restored: {store.address}", file=str(file), schema=schema_version(store))


@app.command()
def migrate(workspace: Workspace = None, *, output: Output) -> None:
    """Migrate a workspace to the newest schema.

    Stop servers and workers first. A workspace in a file is copied first.

    For example:

        viva workspace migrate
    """
    place = _prepare(workspace, output)
    from vivavoce.store import migrating
    from vivavoce.store.database import open_store

    store = open_store(place)
    before, after = migrating.migrate(store, output.tell)
    message = f"The schema is already {after}." if before == after else f"Schema migrated from {before} to {after}."
    _finish(store, output, message, before=before, after=after)


@app.command()
def export(
    project: ProjectName,
    file: Annotated[Path, argument("FILE", "New ZIP file to write.")],
    workspace: Workspace = None,
    *,
    no_dialogues: Annotated[bool, option("--no-dialogues", "", "Leave out logged dialogues.")] = False,
    no_ratings: Annotated[bool, option("--no-ratings", "", "Leave out people's ratings of dialogues.")] = False,
    output: Output,
) -> None:
    """Write the content of a project to a ZIP archive of plain files.

    It holds topics, bots, suites and dialogues, but no runs and no people.

    For example:

        viva workspace export jobs jobs.zip
        viva workspace export jobs jobs.zip --no-dialogues
    """
    _prepare(workspace, output, FILE=file)
    store = open_current(workspace)
    from vivavoce.store.exchange import export_project

    row = find_project(store, project)
    export_project(store, row.id, file, dialogues=not no_dialogues, ratings=not no_ratings)
    _finish(store, output, f"Written: {file}", file=str(file), project=row.slug)


@app.command("import")
def import_(
    file: Annotated[Path, argument("FILE", "ZIP file of an exported project.")],
    workspace: Workspace = None,
    *,
    slug: Annotated[str | None, option("--slug", "NAME", "New short name of the project.")] = None,
    output: Output,
) -> None:
    """Create a project from a file that `viva workspace export` wrote.

    The file may come from another workspace and another kind of database.

    For example:

        viva workspace import jobs.zip
        viva workspace import jobs.zip --slug jobs-2
    """
    _prepare(workspace, output, file)
    store = open_current(workspace)
    from vivavoce.store.exchange import import_project
    from vivavoce.workspace.projects.projects import check_slug

    project = import_project(store, file, None, slug=check_slug(slug) if slug else None, tell=output.tell)
    message = f"Project created: {project.name} (short name {project.slug})"
    _finish(store, output, message, project=project.slug, name=project.name)


@app.command()
def status(workspace: Workspace = None, *, output: Output) -> None:
    """Show schema, projects, people, open runs and workers.

    Lists the workers seen in the last 30 seconds, on any machine.

    For example:

        viva workspace status
        viva workspace status --json -
    """
    _prepare(workspace, output)
    store = open_current(workspace)
    from vivavoce.reports.shared.layout import numbers_table
    from vivavoce.workspace.projects.projects import workspace_facts

    facts = workspace_facts(store)
    store.close()
    names = ("version", "address", "schema", "projects", "people", "admins", "open_runs")
    rows = [(name.replace("_", " ").capitalize(), str(getattr(facts, name))) for name in names]
    rows.append(("Workers", ", ".join(f"{worker.host} {worker.pid}" for worker in facts.workers) or "none"))
    table = numbers_table(("Workspace", ""), rows, words=2)
    workers = [{"host": row.host, "pid": row.pid, "seen": row.seen.isoformat()} for row in facts.workers]
    publish(output, "workspace", {**asdict(facts), "workers": workers}, lambda console: console.print(table))


@app.command("setup-link")
def setup_link(
    workspace: Workspace = None,
    *,
    url: Annotated[
        str, option("--url", "URL", "Address of the server, as the admin will open it.")
    ] = "http://127.0.0.1:8000",
    output: Output,
) -> None:
    """Print a link that creates the first admin.

    It works once, for 24 hours; earlier links stop working.

    For example:

        viva workspace setup-link
        viva workspace setup-link --url https://viva.example.org
    """
    _prepare(workspace, output)
    store = open_current(workspace)
    from vivavoce.workspace.access import people

    path = people.setup_link(store)
    store.close()
    if path is None:
        raise UsageError("there is already an admin", remedy="ask an admin to invite others and create new links")
    link = url.rstrip("/") + path
    if output.json_path:
        write_content(output.json_path, {**head("workspace"), "setup_link": link}, private=True)
    if output.speaks:
        # Not through Rich: the link must stay on one line.
        typer.echo(link)


def _prepare(workspace: str | None, output: Output, source: Path | None = None, **targets: Path) -> str:
    """Check the options, and return where the workspace is."""
    check_targets({**targets, **output.targets}, [str(source)] if source else [])
    settings_in_force()
    require_web()
    return place_of(workspace)


def _finish(store: Store, output: Output, message: str, **facts: object) -> None:
    address = store.address
    store.close()
    if output.json_path:
        write_content(output.json_path, {**head("workspace"), "workspace": address, **facts})
    output.tell(message)
