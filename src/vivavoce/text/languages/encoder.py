"""Encoders of other languages: vectors that can be compared with those of English sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vivavoce.errors import MissingPartError
from vivavoce.text.languages.gloss import VERSION, Glosser
from vivavoce.text.languages.model import TRAIN, LanguageModel, find_language, read_language
from vivavoce.text.languages.static import StaticStudent
from vivavoce.text.languages.tokens import split_words
from vivavoce.text.vectors import Encoder, Floats, Progress, load_encoder

FAST = "-fast"


@dataclass(frozen=True, eq=False)
class LanguageEncoder:
    """The mean of the two students, or the static one alone (`teacher` is None): 30 times as fast, less exact."""

    name: str
    dimension: int
    language: str
    glosser: Glosser
    static: StaticStudent
    teacher: Encoder | None

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Floats:
        """Return one row of length 1 for each text, in order."""
        rows = self.static.encode([split_words(text, self.language, self.glosser.counts) for text in texts])
        if self.teacher is not None:
            rows += self.teacher.encode([self.glosser.gloss(text) for text in texts], progress)
            rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-12))
        elif progress is not None:
            progress(len(texts), len(texts))
        return rows

    def __reduce__(self) -> tuple[object, ...]:
        # Tables do not travel between processes: the other side loads its own.
        return (load_encoder, (self.language if self.teacher else self.language + FAST,))


def build_encoder(model: LanguageModel, teacher: Encoder | None) -> LanguageEncoder:
    """Return the encoder of a model; without a teacher, that of the static student alone."""
    glosser = Glosser(model.phrases, model.language)
    static = StaticStudent(model.static, model.language)
    kind = "" if teacher else FAST
    version = f"-{VERSION}" if teacher else ""
    name = f"{model.teacher}+{model.language}{kind}@{model.digest[:12]}{version}"
    return LanguageEncoder(name, len(model.static.mean), model.language, glosser, static, teacher)


def load_language(name: str, threads: int) -> LanguageEncoder:
    """Load the encoder of a language code such as `de`, or of `de-fast`: the static student alone."""
    code = name.removesuffix(FAST)
    path = find_language(code)
    if path is None:
        raise MissingPartError(
            f"there are no sentence vectors for the language '{code}'",
            remedy=f"train them from pairs of sentences: {TRAIN} --language {code} --pairs FILE",
        )
    teacher = None if name.endswith(FAST) else load_encoder(threads=threads)
    return build_encoder(read_language(path), teacher)
