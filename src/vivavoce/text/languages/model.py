"""A language's two students in one file: arrays only, with a checksum."""

from __future__ import annotations

import hashlib
import os
import re
import zipfile
import zlib
from dataclasses import dataclass, fields
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import FileError, UsageError, WorkError
from vivavoce.text.languages.phrases import PhraseTable
from vivavoce.text.languages.static import StaticTable
from vivavoce.text.weights import viva_home

FORMAT = 1
SUFFIX = ".npz"
CODE = re.compile(r"[a-z]{2,3}")
TRAIN = "viva models train-languages"
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class LanguageModel:
    """What was learnt about a language; `teacher` names the English vectors, `digest` the content."""

    language: str
    teacher: str
    pairs: int
    phrases: PhraseTable
    static: StaticTable
    digest: str = ""


def check_language(code: str) -> str:
    """Return the code if it is one that can be learnt: two or three small letters, not English."""
    if not CODE.fullmatch(code) or code == "en":
        raise UsageError(
            f"'{code}' is not the code of a language to learn",
            remedy="use two or three small letters such as de, fr or zh; English needs no training",
        )
    return code


def language_folder() -> Path:
    """Return the folder of the languages that were trained on this machine."""
    return viva_home() / "models" / "languages"


def find_language(code: str) -> Path | None:
    """Return the file of a language: one's own before the shipped one."""
    if not CODE.fullmatch(code):
        return None
    shipped = Path(str(files("vivavoce.text.languages") / "shipped"))
    candidates = (folder / f"{code}{SUFFIX}" for folder in (language_folder(), shipped))
    return next((path for path in candidates if path.is_file()), None)


def list_languages() -> dict[str, Path]:
    """Return the file of each language that can be read here, by its code."""
    shipped = Path(str(files("vivavoce.text.languages") / "shipped"))
    paths = [path for folder in (shipped, language_folder()) for path in sorted(folder.glob(f"*{SUFFIX}"))]
    return {path.stem: path for path in paths if CODE.fullmatch(path.stem)}


def write_language(model: LanguageModel, path: Path) -> str:
    """Write the file, whole or not at all; return the checksum of its content."""
    arrays = _pack(model)
    digest = compute_digest(arrays)
    buffer = BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, digest=_from_text(digest), **arrays)
    staged = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        staged.write_bytes(buffer.getvalue())
        os.replace(staged, path)
    except OSError as error:
        staged.unlink(missing_ok=True)
        remedy = "choose a writable place with --out or VIVA_HOME"
        raise WorkError(f"cannot write the file ({error.strerror})", where=str(path), remedy=remedy) from error
    return digest


def read_language(path: Path) -> LanguageModel:
    """Read a file and check it."""
    remedy = f"train it again: {TRAIN}"
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        digest = _to_text(arrays.pop("digest"))
        if digest != compute_digest(arrays):
            raise FileError("the checksum of this language file is wrong", where=str(path), remedy=remedy)
        return _unpack(arrays, digest)
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile, zlib.error) as error:
        raise FileError(f"this is not a readable language file ({error})", where=str(path), remedy=remedy) from error


def compute_digest(arrays: Arrays) -> str:
    """Return the SHA-256 of the arrays: their names, kinds, shapes and content."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.data)
    return digest.hexdigest()


def _pack(model: LanguageModel) -> Arrays:
    head = f"{FORMAT}\n{model.language}\n{model.teacher}\n{model.pairs}"
    arrays: Arrays = {"head": _from_text(head)}
    for part, table in (("phrases", model.phrases), ("static", model.static)):
        for field in fields(table):
            value = getattr(table, field.name)
            arrays[f"{part}.{field.name}"] = _from_text("\n".join(value)) if isinstance(value, tuple) else value
    # Column by column: like numbers stand together and compress better.
    arrays["static.numbers"] = np.ascontiguousarray(model.static.numbers.T)
    return arrays


def _unpack(arrays: Arrays, digest: str) -> LanguageModel:
    form, language, teacher, pairs = _to_text(arrays["head"]).split("\n")
    if int(form) != FORMAT:
        raise ValueError(f"format {form} instead of {FORMAT}")
    arrays["static.numbers"] = np.ascontiguousarray(arrays["static.numbers"].T)
    phrases: dict[str, Any] = {field.name: arrays[f"phrases.{field.name}"] for field in fields(PhraseTable)}
    static: dict[str, Any] = {field.name: arrays[f"static.{field.name}"] for field in fields(StaticTable)}
    for part, names in ((phrases, ("phrases", "translations", "words")), (static, ("words", "letters"))):
        part.update({name: tuple(_to_text(part[name]).split("\n")) for name in names})
    return LanguageModel(language, teacher, int(pairs), PhraseTable(**phrases), StaticTable(**static), digest)


def _from_text(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)


def _to_text(array: NDArray[np.uint8]) -> str:
    return array.tobytes().decode("utf-8", "surrogatepass")
