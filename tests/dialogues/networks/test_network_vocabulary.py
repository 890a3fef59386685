"""Words to numbers, views to arrays."""

from __future__ import annotations

import numpy as np
import pytest

from vivavoce.dialogues.dialogue import Dialogue, Rating, Utterance, View, rated_views
from vivavoce.dialogues.networks.vocabulary import NOTHING, encode, find_vectors, make_lexicon, words_of
from vivavoce.errors import UsageError
from vivavoce.text.glove import WordVectors

TALK = Dialogue(
    "a",
    (Utterance("Ann", "Hello, you!"), Utterance("Bob", "hello zzz"), Utterance("Ann", "Hello, you!")),
    (Rating("Ann", 4.0), Rating("Bob", 2.0)),
)


def vectors_of(*words: str, dimensions: int = 100) -> WordVectors:
    matrix = np.arange(1, 1 + len(words) * dimensions, dtype=np.float32).reshape(len(words), dimensions)
    return WordVectors({word: row for row, word in enumerate(words)}, matrix)


def test_words_are_cut_as_for_the_published_models():
    assert words_of("Don't you know?") == ["do", "n't", "you", "know", "?"]


def test_the_end_mark_and_unknown_words_are_vectors_of_zeros():
    lexicon = make_lexicon([TALK], vectors_of("you", "hello"))
    assert not lexicon.vectors[NOTHING].any()
    assert lexicon.phrases["hello zzz"] == (lexicon.words["hello"], NOTHING)
    assert lexicon.vectors[lexicon.words["hello"]].tolist() == vectors_of("you", "hello").matrix[1].tolist()


def test_an_end_mark_stands_after_each_utterance_and_no_speaker_is_named():
    lexicon = make_lexicon([TALK])
    names = {number: word for word, number in lexicon.words.items()}
    material = encode([View(TALK, "Ann", 4.0)], lexicon)
    read = [names.get(number, "EOU") for number in material.text.tolist()]
    assert read == ["hello", ",", "you", "!", "EOU", "hello", "zzz", "EOU", "hello", ",", "you", "!", "EOU"]


def test_the_judge_is_one_zero_and_the_peer_is_zero_one():
    material = encode(list(rated_views([TALK])), make_lexicon([TALK]))
    assert material.sides.tolist() == [[1, 0], [0, 1], [1, 0], [0, 1], [1, 0], [0, 1]]
    assert material.side_starts.tolist() == [0, 3]


def test_two_marks_of_one_talk_share_its_text_and_its_group():
    material = encode(list(rated_views([TALK])), make_lexicon([TALK]))
    assert material.dialogue.tolist() == [0, 0]
    assert material.groups.tolist() == [0, 0]
    assert material.ratings.tolist() == [4.0, 2.0]
    assert len(material.phrase_lengths) == 2


def test_vectors_of_another_size_are_refused():
    with pytest.raises(UsageError, match="50 dimensions"):
        make_lexicon([TALK], vectors_of("hello", dimensions=50))


def test_without_vectors_every_word_gets_a_number_of_its_own():
    lexicon = make_lexicon([TALK])
    assert not lexicon.glove
    assert sorted(lexicon.words.values()) == [1, 2, 3, 4, 5]


def test_glove_is_used_only_where_it_is_installed(tmp_path):
    assert find_vectors(tmp_path, [TALK]) is None
    folder = tmp_path / "models" / "glove-100"
    folder.mkdir(parents=True)
    words = np.frombuffer(b"hello\nother", dtype=np.uint8)
    np.savez(folder / "glove-100.npz", words=words, vectors=np.ones((2, 100), dtype=np.float16))
    found = find_vectors(tmp_path, [TALK])
    assert found is not None
    assert list(found.index) == ["hello"]


def test_a_phrase_that_the_lexicon_has_not_seen_is_read_by_its_words():
    lexicon = make_lexicon([TALK])
    other = Dialogue("b", (Utterance("Ann", "you never zzz"),))
    material = encode([View(other, "Ann")], lexicon)
    assert material.words.tolist() == [lexicon.words["you"], NOTHING, lexicon.words["zzz"]]
