"""The language that data name steers vectors, classifier and near-duplicates, whatever the texts look like."""

from __future__ import annotations

import numpy as np
import pytest

from vivavoce.classifiers.linear import linear
from vivavoce.intents.exam import load_classifier
from vivavoce.intents.material import Material
from vivavoce.intents.similarity import text_vectors
from vivavoce.records import Dataset, Example
from vivavoce.text import encode_cached, load_encoder

# Short German that no common word gives away, and one text that looks English.
TEXTS = ("Gehalt", "Lohn?", "Vergütung hoch?", "Urlaub", "Ferien?", "Betriebsurlaub wann?", "Is the Urlaub bezahlt?")
TOPICS = ("pay", "pay", "pay", "leave", "leave", "leave", "leave")


def named(*languages: str | None) -> Dataset:
    codes = [languages[place % len(languages)] for place in range(len(TEXTS))]
    rows = zip(TEXTS, TOPICS, codes, strict=True)
    return Dataset(tuple(Example(text, topic, language=code) for text, topic, code in rows))


def test_data_name_their_languages_unless_most_rows_name_none() -> None:
    assert named("de").languages == ("de",)
    assert named("de-CH", "DE").languages == ("de",)
    assert named("de", "de", "en").languages == ("de", "en")
    assert named("de", None, None).languages == ()
    assert Dataset(()).languages == ()


def test_pairs_clusters_and_suspects_are_found_with_the_vectors_of_the_named_language() -> None:
    german = encode_cached(load_encoder("de"), TEXTS)
    np.testing.assert_array_equal(text_vectors(Material.of(named("de"))), german)
    assert not np.array_equal(text_vectors(Material.of(named(None))), german), "the guess would not do"


def test_the_default_classifier_reads_examples_and_questions_in_the_named_language() -> None:
    data = named("de")
    steered, chosen = load_classifier("linear", data), load_classifier("linear:de")
    for engine in (steered, chosen):
        engine.fit(TEXTS, TOPICS)  # type: ignore[union-attr]
    questions = ["Lohn", "what about Ferien", "Wie viel Geld bekomme ich?"]
    rows = [engine.probabilities(questions).rows for engine in (steered, chosen)]  # type: ignore[union-attr]
    np.testing.assert_array_equal(*rows)
    assert steered.notes == chosen.notes  # type: ignore[union-attr]


def test_a_classifier_that_was_told_its_language_keeps_it() -> None:
    chosen = load_classifier("linear:de", named("fr"))
    chosen.fit(TEXTS, TOPICS)  # type: ignore[union-attr]
    assert "+de" in chosen.notes[0]  # type: ignore[union-attr]


@pytest.mark.parametrize(("languages", "note"), [(("pl",), "no sentence vectors fit"), (("de", "pl"), "for Polish")])
def test_a_language_without_vectors_is_noted_once(languages: tuple[str, ...], note: str) -> None:
    engine = linear()
    engine.languages = languages
    engine.fit(TEXTS, TOPICS)
    assert [note in each for each in engine.notes].count(True) == 1


def test_near_duplicates_are_found_with_the_stop_words_of_the_named_language() -> None:
    texts = ("Arbeitszeit Homeoffice flexibel", "die Arbeitszeit im Homeoffice flexibel", "pay", "salary")
    topics = ("hours", "hours", "pay", "pay")
    rows = [Example(text, topic, language="de") for text, topic in zip(texts, topics, strict=True)]
    groups = Material.of(Dataset(tuple(rows))).groups
    assert groups[0] == groups[1]
