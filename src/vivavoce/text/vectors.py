"""Sentence vectors: what an encoder is, how sentences become batches, and which encoder there is."""

from __future__ import annotations

import multiprocessing
import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import FileError, MissingPartError, UsageError, nearest
from vivavoce.text.weights import MODEL, TOKENIZER_FILE, find_weights

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]
Progress = Callable[[int, int], None]
Forward = Callable[[Ids, Ids], Floats]

MINILM = "minilm"
MAX_TOKENS = 256
BATCH_ROWS = 32
BATCH_TOKENS = 2048


@runtime_checkable
class Encoder(Protocol):
    """Turns sentences into vectors of length 1 whose dot product is their similarity."""

    @property
    def name(self) -> str:
        """The identity of the model: two encoders of one name give the same vectors."""

    @property
    def dimension(self) -> int:
        """The length of a vector."""

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Floats:
        """Return one row for each text, in order; `progress` hears (texts done, texts in all)."""


@dataclass(frozen=True)
class SentenceEncoder:
    """A tokenizer and a forward pass; batches hold sentences of one length, so nothing is ever padded.

    Without padding a sentence gets the same vector whatever company it is encoded in.
    """

    name: str
    dimension: int
    tokenizer: Tokenizer
    forward: Forward
    threads: int
    source: str = MINILM
    # Entered around the forward passes of one call.
    guard: Callable[[], AbstractContextManager[object]] = nullcontext

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Floats:
        """Return one row for each text, in order; equal texts are encoded once."""
        unique = list(dict.fromkeys(texts))
        rows = np.empty((len(unique), self.dimension), dtype=np.float32)
        done = 0
        for places, vectors in self._run(_batches([self._ids(text) for text in unique])):
            rows[places] = vectors
            done += len(places)
            if progress is not None:
                progress(done, len(unique))
        place = {text: index for index, text in enumerate(unique)}
        return rows if len(unique) == len(texts) else rows[[place[text] for text in texts]]

    def _ids(self, text: str) -> list[int]:
        # One by one: the tokenizer's own threads would make a later fork unsafe.
        # Half a surrogate pair is no Unicode and would be refused.
        ids: list[int] = self.tokenizer.encode(text.encode("utf-8", "replace").decode("utf-8")).ids
        return ids

    def _run(self, batches: list[tuple[list[int], Ids]]) -> Iterator[tuple[list[int], Floats]]:
        def one(batch: tuple[list[int], Ids]) -> tuple[list[int], Floats]:
            places, ids = batch
            return places, self.forward(ids, np.ones_like(ids))

        with self.guard():
            if self.threads == 1 or len(batches) < 2:
                yield from map(one, batches)
                return
            with ThreadPoolExecutor(self.threads) as pool:
                yield from pool.map(one, batches)

    def __reduce__(self) -> tuple[object, ...]:
        # Sessions do not travel between processes: the other side loads its own.
        return (load_encoder, (self.source,))


def _batches(sentences: list[list[int]]) -> list[tuple[list[int], Ids]]:
    """Group sentences of equal length, longest first: the places of each batch and its token ids."""
    by_length: dict[int, list[int]] = {}
    for place, ids in enumerate(sentences):
        by_length.setdefault(len(ids), []).append(place)
    batches = []
    for length, places in sorted(by_length.items(), reverse=True):
        rows = max(1, min(BATCH_ROWS, BATCH_TOKENS // max(1, length)))
        for start in range(0, len(places), rows):
            chosen = places[start : start + rows]
            batches.append((chosen, np.array([sentences[place] for place in chosen], dtype=np.int64)))
    return batches


def load_encoder(name_or_path: str = MINILM, *, threads: int | None = None) -> Encoder:
    """Return the encoder of this name, of this language or of the model in this folder; loaded once in a process.

    A language is a code such as `de`; `de-fast` is its quicker, less exact encoder.
    `threads` defaults to every core in a main process and to 1 in a worker process.
    """
    name = MINILM if name_or_path == MODEL else str(name_or_path)
    return _load(name, threads or default_threads())


def encoder_available(name_or_path: str = MINILM) -> bool:
    """Say whether `load_encoder` would find what it needs; loads nothing heavy."""
    if find_spec("tokenizers") is None:
        return False
    if name_or_path in (MINILM, MODEL):
        return find_weights() is not None
    if (code := _read_code(name_or_path)) and has_language(code):
        return name_or_path != code or find_weights() is not None
    return Path(name_or_path).expanduser().exists()


def default_threads() -> int:
    """Return 1 inside a worker process, where the work is already spread, else the number of usable cores."""
    if multiprocessing.parent_process() is not None:
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def read_tokenizer(folder: Path, max_tokens: int = MAX_TOKENS) -> Tokenizer:
    """Return the tokenizer of a model folder, without padding and cut at `max_tokens`."""
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingPartError(
            "sentence vectors need the package `tokenizers`", remedy="run `pip install tokenizers`"
        ) from error
    path = folder / TOKENIZER_FILE
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises bare Exception
        raise FileError(f"this is not a readable tokenizer ({error})", where=str(path)) from error
    # The file that comes with MiniLM pads and cuts every sentence to 128 tokens.
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


def has_language(code: str) -> bool:
    """Say whether there are sentence vectors for this language beside English."""
    from vivavoce.text.languages.model import find_language

    return find_language(code) is not None


def _read_code(name: str) -> str:
    """Return the language of a name such as `de` or `de-fast`; nothing for other names."""
    match = re.fullmatch(r"([a-z]{2,3})(-fast)?", name)
    return match[1] if match else ""


@lru_cache(maxsize=8)
def _load(name_or_path: str, threads: int) -> Encoder:
    if name_or_path == MINILM:
        from vivavoce.text.local import load_minilm

        return load_minilm(threads)
    path = Path(name_or_path).expanduser()
    code = _read_code(name_or_path)
    if code and (has_language(code) or not path.exists()):
        from vivavoce.text.languages.encoder import load_language

        return load_language(name_or_path, threads)
    if not path.exists():
        raise UsageError(
            f"unknown sentence model '{name_or_path}'.{nearest(name_or_path, [MINILM, MODEL])}",
            remedy=f"use '{MINILM}', the code of a language or the path of a model folder",
        )
    from vivavoce.text.local import load_local

    return load_local(path, threads)
