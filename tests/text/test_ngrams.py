"""Counts of words and letters are those of scikit-learn, row for row, but for the vocabulary."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer

from vivavoce.text import ngrams
from vivavoce.text.ngrams import COLUMNS, letter_ngrams, word_ngrams

pytestmark = pytest.mark.slow

COUNTERS = [word_ngrams, letter_ngrams]
PEERS = {
    word_ngrams: {"token_pattern": r"\w+", "ngram_range": (1, 2)},
    letter_ngrams: {"analyzer": "char_wb", "ngram_range": (2, 5)},
}
letters = st.characters(categories=("Ll", "Lu", "Lo", "Nd"), max_codepoint=0x3FFF)
plain_words = st.text("abcdefgh", min_size=1, max_size=7)
plain_texts = st.lists(st.lists(plain_words, max_size=5).map(" ".join), max_size=5)
any_texts = st.lists(st.text(max_size=15), max_size=6)


def multisets(rows: csr_matrix) -> list[list[int]]:
    """How often each feature occurs, features unnamed: what is left when columns are renumbered."""
    return [sorted(map(int, row.data)) for row in rows]


def wide(counted: Callable[[list[str]], csr_matrix], texts: list[str]) -> csr_matrix:
    """Count over so many columns that no two features ever share one by chance."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ngrams, "COLUMNS", 1 << 40)
        return counted(texts)


def test_features_rarely_share_a_column() -> None:
    texts = ["".join(letters) for letters in product("abcdefgh", repeat=4)]
    for counted in COUNTERS:
        shared, apart = len(np.unique(counted(texts).indices)), len(np.unique(wide(counted, texts).indices))
        # Of n features thrown into m columns, about n² / 2m fall on another one.
        assert apart - shared < 2 * apart**2 / (2 * COLUMNS) + 10


@pytest.mark.parametrize("counted", COUNTERS)
@given(texts=plain_texts)
def test_features_are_counted_as_scikit_learn_counts_them(counted, texts: list[str]) -> None:
    analyse = CountVectorizer(**PEERS[counted]).build_analyzer()
    assert multisets(wide(counted, texts)) == [sorted(Counter(analyse(text)).values()) for text in texts]


@pytest.mark.parametrize("counted", COUNTERS)
@given(texts=plain_texts)
def test_equal_features_share_a_column_across_texts(counted, texts: list[str]) -> None:
    analyse = CountVectorizer(**PEERS[counted]).build_analyzer()
    bags = [Counter(analyse(text)) for text in texts]
    expected = [[sum((one & other).values()) for other in bags] for one in bags]
    rows = list(wide(counted, texts))
    found = [[int(one.minimum(other).sum()) for other in rows] for one in rows]
    assert found == expected


@pytest.mark.parametrize("counted", COUNTERS)
@given(texts=any_texts)
def test_texts_never_mix(counted, texts: list[str]) -> None:
    together = counted(texts)
    assert together.shape == (len(texts), COLUMNS)
    for row, text in zip(together, texts, strict=True):
        alone = counted([text])
        assert (row != alone).nnz == 0


@pytest.mark.parametrize("counted", COUNTERS)
@given(word=st.text(letters, min_size=1, max_size=6))
def test_punctuation_and_blanks_make_no_difference(counted, word: str) -> None:
    one, other = counted([f"{word} x", f"  «{word}»,   X!? "])
    assert (one != other).nnz == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Über die Straße", 5),
        ("Où est l'été ?", 5),
        ("don't", 1),
        ("don’t panic", 3),
        ("日本語 です", 3),
        ("🙂 🙂", 0),
        ("half a pair \ud83d", 5),
        ("_snake_ 401k", 3),
    ],
)
def test_letters_of_every_script_make_words(text: str, words: int) -> None:
    assert word_ngrams([text]).sum() == words
    assert (letter_ngrams([text]).sum() > 0) == (words > 0)


def test_scripts_are_told_apart() -> None:
    for counted in COUNTERS:
        one, other = counted(["ß", "ss"])
        assert one.multiply(other).nnz == 0


@pytest.mark.parametrize("counted", COUNTERS)
def test_no_texts_give_no_rows(counted) -> None:
    assert counted([]).shape == (0, COLUMNS)


@pytest.mark.parametrize("counted", COUNTERS)
@pytest.mark.parametrize("text", ["", "   ", "?!", "🙂"])
def test_a_text_without_words_has_no_features(counted, text: str) -> None:
    rows = counted(["a word", text, "another"])
    assert rows[1].nnz == 0
    assert rows[0].nnz > 0
    assert rows[2].nnz > 0
    assert counted([text]).nnz == 0


def test_a_pair_of_words_knows_its_order() -> None:
    one, other = word_ngrams(["man bites dog", "dog bites man"])
    assert one.multiply(other).sum() == 3


def test_other_processes_use_the_same_columns() -> None:
    code = (
        "from vivavoce.text.ngrams import word_ngrams, letter_ngrams\n"
        "import sys\n"
        "sys.stdout.write(str([f(['hello wörld']).indices.tolist() for f in (word_ngrams, letter_ngrams)]))"
    )
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert other == str([counted(["hello wörld"]).indices.tolist() for counted in COUNTERS])
