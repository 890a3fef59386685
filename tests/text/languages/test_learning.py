"""Students of a language: exact on small invented pairs, and the same every time."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from vivavoce.errors import DataError, EmptyFileError, FileError, UsageError
from vivavoce.text.cache import VectorCache
from vivavoce.text.languages.alignment import align, grow
from vivavoce.text.languages.encoder import build_encoder
from vivavoce.text.languages.gloss import Glosser
from vivavoce.text.languages.model import LanguageModel, check_language, read_language, write_language
from vivavoce.text.languages.pairs import Pair, leave_out, read_pairs
from vivavoce.text.languages.phrases import extract, learn_phrases
from vivavoce.text.languages.tokens import WordCounts, cut_han, split_english, split_words
from vivavoce.text.languages.training import train_language

NOUNS = {"hund": "dog", "katze": "cat", "baum": "tree", "wagen": "car", "haus": "house", "garten": "garden"}
VERBS = {"schläft": "sleeps", "wartet": "waits", "brennt": "burns", "wächst": "grows"}
PAIRS = tuple(
    Pair(f"Mein {noun} {verb} hier", f"My {NOUNS[noun]} {VERBS[verb]} here") for noun in NOUNS for verb in VERBS
)


class Teacher:
    """A vector for each English word, drawn from its letters; a sentence is their sum."""

    name = "teacher"
    dimension = 8

    def encode(self, texts: Sequence[str], progress: object = None) -> NDArray[np.float32]:
        rows = np.stack([sum(map(self._draw, split_english(text)), np.full(8, 1e-3)) for text in texts])
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    def _draw(self, word: str) -> NDArray[np.float64]:
        return np.random.default_rng(list(word.encode())).normal(size=8)


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    return train_language(PAIRS, "de", Teacher(), cache=VectorCache(limit=0))


def test_words_that_always_meet_are_linked() -> None:
    links = align([split_words(pair.text, "de") for pair in PAIRS], [split_english(pair.english) for pair in PAIRS])
    assert set(links) == {frozenset({(0, 0), (1, 1), (2, 2), (3, 3)})}


def test_growing_adds_neighbours_that_link_a_new_word_and_no_others() -> None:
    assert grow({(0, 0), (1, 1)}, {(0, 0)}) == {(0, 0), (1, 1)}
    assert grow({(0, 0), (3, 3)}, {(0, 0)}) == {(0, 0)}


def test_a_phrase_is_taken_only_if_its_links_stay_inside() -> None:
    found = set(extract(["a", "b", "c"], ["x", "y"], frozenset({(0, 1), (1, 0)})))
    assert found == {("a", "y"), ("b", "x"), ("a b", "x y"), ("c", ""), ("b c", "x"), ("a b c", "x y")}


def test_a_gloss_is_exact_where_every_word_is_known(model: LanguageModel) -> None:
    glosser = Glosser(model.phrases, "de")
    assert glosser.gloss("Mein Hund wartet hier") == "my dog waits here"
    assert glosser.gloss("mein gartenhaus brennt") == "my garden house burns"
    assert glosser.gloss("Zebra") == "zebra"
    assert glosser.gloss("...") == "..."


def test_no_phrase_is_without_a_translation_even_if_all_are_rare() -> None:
    many = [Pair("ding", f"{first}{second}") for first in "abcdefgh" for second in "uvwxyz"]
    table = learn_phrases(many, "de")
    assert (np.diff(table.starts) > 0).all()
    assert Glosser(table, "de").gloss("ding ding")


def test_the_static_student_comes_near_the_translation(model: LanguageModel) -> None:
    encoder = build_encoder(model, None)
    likeness = encoder.encode([pair.text for pair in PAIRS]) @ Teacher().encode([pair.english for pair in PAIRS]).T
    assert (likeness.argmax(axis=1) == np.arange(len(PAIRS))).mean() > 0.8
    assert np.linalg.norm(encoder.encode(["", "unbekannt"]), axis=1) == pytest.approx(1, abs=1e-5)


def test_the_encoder_averages_both_students(model: LanguageModel) -> None:
    text = "Mein Hund wartet hier"
    both, static = build_encoder(model, Teacher()), build_encoder(model, None)
    total = static.encode([text])[0] + Teacher().encode(["my dog waits here"])[0]
    assert both.encode([text])[0] == pytest.approx(total / np.linalg.norm(total), abs=1e-5)
    assert both.name != static.name


def test_the_same_pairs_give_the_same_file_and_reading_it_the_same_vectors(
    model: LanguageModel, tmp_path: Path
) -> None:
    again = train_language(PAIRS, "de", Teacher(), cache=VectorCache(limit=0))
    one, other = tmp_path / "a" / "de.npz", tmp_path / "b" / "de.npz"
    assert write_language(model, one) == write_language(again, other)
    assert one.read_bytes() == other.read_bytes()
    texts = ["Mein Baum wächst hier", "Das Haus"]
    np.testing.assert_array_equal(
        build_encoder(read_language(one), None).encode(texts), build_encoder(model, None).encode(texts)
    )


def test_a_damaged_file_is_refused(model: LanguageModel, tmp_path: Path) -> None:
    path = tmp_path / "de.npz"
    write_language(model, path)
    with np.load(path) as stored:
        arrays = dict(stored)
    arrays["static.mean"] = arrays["static.mean"] + 1
    np.savez(path, **arrays)
    with pytest.raises(FileError, match="checksum"):
        read_language(path)
    path.write_bytes(b"nonsense")
    with pytest.raises(FileError, match="not a readable language file"):
        read_language(path)


def test_chinese_is_cut_into_its_likeliest_words() -> None:
    counts = WordCounts.of({"天气": 9, "天": 3, "气": 1, "今天": 9, "很": 5})
    assert cut_han("今天天气很好", counts) == ["今天", "天气", "很", "好"]


def test_pairs_are_read_from_plain_and_gzipped_files(tmp_path: Path) -> None:
    content = "Hallo\tHello\td\n\nHallo\tHello\tp\nGut\tGood\n"
    (tmp_path / "a.tsv").write_text(content, encoding="utf-8")
    (tmp_path / "a.tsv.gz").write_bytes(gzip.compress(content.encode()))
    for name in ("a.tsv", "a.tsv.gz"):
        assert read_pairs(tmp_path / name, min_pairs=1) == (Pair("Hallo", "Hello"), Pair("Gut", "Good"))


def test_faulty_pair_files_are_refused_with_every_row_and_a_remedy(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("Hallo\tHello\nkein Tab\n\tempty\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_pairs(path)
    assert [fault.where for fault in caught.value.faults] == ["row 2", "row 3"]
    assert caught.value.where == str(path)
    assert "tab" in caught.value.remedy
    path.write_text("a\tb\n", encoding="utf-8")
    with pytest.raises(DataError, match="too few"):
        read_pairs(path)
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(EmptyFileError):
        read_pairs(path)
    path.write_bytes(b"\xff\xfe\tx\n")
    with pytest.raises(FileError, match="UTF-8"):
        read_pairs(path)
    with pytest.raises(FileError, match="cannot read"):
        read_pairs(tmp_path / "absent.tsv.gz")


def test_texts_of_a_test_can_be_left_out_on_either_side() -> None:
    pairs = [Pair("Guten Tag!", "Hello"), Pair("Ja", "Yes."), Pair("Nein", "No")]
    assert leave_out(pairs, ["guten tag", "YES"]) == (Pair("Nein", "No"),)


@pytest.mark.parametrize("code", ["en", "German", "d", "../de"])
def test_only_codes_of_other_languages_can_be_learnt(code: str) -> None:
    with pytest.raises(UsageError, match="not the code of a language"):
        check_language(code)
