"""Other languages: `python benchmarks/languages.py`. Accuracy without a threshold in %, with standard errors.

Shipped languages are used as they are: their training left out every text of these sets. Dutch and Italian must have
been trained with `viva models train-languages --leave-out` on `xsid.csv`, else their rows are missing.
"""

from __future__ import annotations

import csv
import os
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from material import Labelled, intents, shared
from rich.console import Console
from rich.table import Table
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC

from vivavoce.classifiers.lexical import LexicalClassifier
from vivavoce.classifiers.linear import LinearClassifier, linear
from vivavoce.classifiers.protocol import Classifier
from vivavoce.classifiers.sif import sif
from vivavoce.text.languages.encoder import LanguageEncoder
from vivavoce.text.vectors import Encoder, Floats, Progress, encoder_available, load_encoder

SEEDS = range(5)
BINS = 10
# Whether each answer was right, and the confidence in it; None where a classifier has none.
Answers = tuple[Floats, Floats | None]
Ask = Callable[[str, Labelled, Labelled], Answers]


@dataclass(frozen=True)
class GlossEncoder:
    """The gloss alone."""

    language: LanguageEncoder
    teacher: Encoder
    dimension: int = 384

    @property
    def name(self) -> str:
        """Name the model and its half."""
        return f"{self.language.name}-gloss"

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Floats:
        """Return the English vectors of the glosses."""
        return self.teacher.encode([self.language.glosser.gloss(text) for text in texts], progress)


def ask_own(classifier: Classifier, train: Labelled, test: Labelled) -> Answers:
    classifier.fit(train.texts, train.intents)
    guesses = classifier.guess(test.texts)
    right = [guess.intent == intent for guess, intent in zip(guesses, test.intents, strict=True)]
    return np.array(right, dtype=np.float32), np.array([guess.confidence for guess in guesses], dtype=np.float32)


def ask_fallback(language: str, train: Labelled, test: Labelled) -> Answers:
    return ask_own(LexicalClassifier(language=language), train, test)


def ask_svc(language: str, train: Labelled, test: Labelled) -> Answers:
    if language == "zh":
        features = TfidfVectorizer(analyzer="char", ngram_range=(1, 3), sublinear_tf=True)
    else:
        words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
        features = make_union(words, TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True))
    peer = make_pipeline(features, LinearSVC()).fit(train.texts, train.intents)
    return np.array(peer.predict(test.texts) == np.array(test.intents), dtype=np.float32), None


def build_gloss(language: str) -> LinearClassifier:
    classifier = LinearClassifier(encoder=language)
    whole = load_encoder(language)
    assert isinstance(whole, LanguageEncoder)
    classifier.encoder = GlossEncoder(whole, load_encoder())
    return classifier


def ask_gloss(language: str, train: Labelled, test: Labelled) -> Answers:
    return ask_own(build_gloss(language), train, test)


def ask_static(language: str, train: Labelled, test: Labelled) -> Answers:
    return ask_own(LinearClassifier(encoder=f"{language}-fast"), train, test)


def ask_average(language: str, train: Labelled, test: Labelled) -> Answers:
    return ask_own(LinearClassifier(encoder=language), train, test)


def ask_sif(language: str, train: Labelled, test: Labelled) -> Answers:
    return ask_own(sif(language), train, test)


METHODS: dict[str, Ask] = {
    "fallback": ask_fallback,
    "LinearSVC": ask_svc,
    "gloss": ask_gloss,
    "static": ask_static,
    "average (shipped)": ask_average,
    "sif": ask_sif,
}


def ask_from_english(language: str, train: Labelled, test: Labelled) -> Answers:
    """Train on English, ask in another language that is known."""
    classifier = LinearClassifier()
    classifier.fit(train.texts, train.intents)
    classifier.encoder = load_encoder(language)
    guesses = classifier.guess(test.texts)
    return np.array([guess.intent == own for guess, own in zip(guesses, test.intents, strict=True)], np.float32), None


def ask_default(language: str, train: Labelled, test: Labelled) -> Answers:
    """Train on English, and let the default classifier find out the language of each text."""
    del language
    classifier = linear()
    classifier.fit(train.texts, train.intents)
    guesses = classifier.guess(test.texts)
    return np.array([guess.intent == own for guess, own in zip(guesses, test.intents, strict=True)], np.float32), None


def compute_ece(right: Floats, confidence: Floats) -> float:
    """Return the expected calibration error in ten bins of equal width."""
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    gaps = [abs(float((confidence - right)[bins == place].sum())) for place in range(BINS)]
    return sum(gaps) / len(right)


def draw(data: Labelled, size: int, seed: int) -> tuple[Labelled, Labelled]:
    """Draw `size` examples of each topic to train on; at least one is left to test."""
    rows = defaultdict(list)
    for place, intent in enumerate(data.intents):
        rows[intent].append(place)
    random = np.random.default_rng(seed)
    train: list[int] = []
    for intent in sorted(rows):
        train += random.permutation(rows[intent])[: min(size, len(rows[intent]) - 1)].tolist()
    rest = sorted(set(range(len(data.texts))) - set(train))
    return tuple(  # type: ignore[return-value]
        Labelled([data.texts[row] for row in part], [data.intents[row] for row in part]) for part in (train, rest)
    )


def show(answers: Sequence[Answers]) -> tuple[str, str]:
    """Return accuracy with its standard error, and the calibration error."""
    shares = np.array([right.mean() for right, _ in answers])
    # One split: the error of a share. Several: between splits.
    error = shares.std(ddof=1) / len(shares) ** 0.5 if len(shares) > 1 else (shares[0] * (1 - shares[0])) ** 0.5
    error = error if len(shares) > 1 else error / len(answers[0][0]) ** 0.5
    known = [compute_ece(right, confidence) for right, confidence in answers if confidence is not None]
    return f"{100 * shares.mean():.1f} ± {100 * error:.1f}", f"{np.mean(known):.3f}" if known else ""


def measure_covid(console: Console) -> None:
    for language in ("de", "fr"):
        data = intents(f"covid_watson_{language}")
        table = Table("", "5 examples", "ECE", "10 examples", "ECE", title=f"COVID Watson {language}")
        for name, ask in METHODS.items():
            cells = [show([ask(language, *draw(data, size, seed)) for seed in SEEDS]) for size in (5, 10)]
            table.add_row(name, *cells[0], *cells[1])
        console.print(table)


def read_xsid(language: str, split: str) -> Labelled:
    with (shared() / "data" / "intents" / "xsid.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if (row["language"], row["split"]) == (language, split)]
    return Labelled([row["text"] for row in rows], [row["intent"] for row in rows])


def measure_xsid(console: Console) -> None:
    english = read_xsid("en", "valid")
    for language in ("de", "zh", "nl", "it"):
        if not encoder_available(language):
            console.print(f"xSID {language}: not trained, so it is left out")
            continue
        train, test = read_xsid(language, "valid"), read_xsid(language, "test")
        table = Table("", "accuracy", "ECE", title=f"xSID {language}, 300 examples")
        for name, ask in METHODS.items():
            table.add_row(name, *show([ask(language, train, test)]))
        table.add_row("average, trained on English", *show([ask_from_english(language, english, test)]))
        table.add_row("default, trained on English", *show([ask_default(language, english, test)]))
        console.print(table)


def read_memory() -> float:
    """Return the resident memory of this process in MB (Linux)."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def time_encoding(encoder: Encoder, texts: Sequence[str]) -> float:
    """Return the CPU milliseconds for one sentence, the best of three times."""
    seconds = []
    for _ in range(3):
        start = time.process_time()
        encoder.encode(texts)
        seconds.append(time.process_time() - start)
    return 1000 * min(seconds) / len(texts)


def measure_cost(console: Console) -> None:
    """Show what the vectors of a language cost beside the sentence model alone, which reads the same glosses."""
    teacher = load_encoder(threads=1)
    teacher.encode(["load everything"])
    sets = {language: intents(f"covid_watson_{language}").texts for language in ("de", "fr")}
    sets["zh"] = read_xsid("zh", "test").texts
    table = Table(
        "", "load, s", "memory, MB", "model alone, ms", "with vectors, ms", "ratio", title="Cost of a sentence"
    )
    for language, listed in sets.items():
        texts = list(dict.fromkeys(listed))[:500]
        before, start = read_memory(), time.perf_counter()
        encoder = load_encoder(language, threads=1)
        seconds = time.perf_counter() - start
        assert isinstance(encoder, LanguageEncoder)
        own = time_encoding(encoder, texts)
        memory = read_memory() - before
        alone = time_encoding(teacher, [encoder.glosser.gloss(text) for text in texts])
        table.add_row(language, f"{seconds:.2f}", f"{memory:.0f}", f"{alone:.2f}", f"{own:.2f}", f"{own / alone:.2f}")
    console.print(table)


if __name__ == "__main__":
    # First, while no language is loaded yet.
    measure_cost(Console())
    measure_covid(Console())
    measure_xsid(Console())
