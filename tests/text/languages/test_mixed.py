"""Which encoder reads a text: decided once for a data set, and English stays as it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vivavoce.files import read_dataset
from vivavoce.text import encode_cached, load_encoder
from vivavoce.text.languages import model
from vivavoce.text.languages.mixed import MIN_OTHER_SHARE, Reading, choose_reading, encode_texts
from vivavoce.text.languages.model import list_languages
from vivavoce.text.words import guess_text_language

ENGLISH = [
    "How do I apply for this job?",
    "What is the salary?",
    "Where can I send my letter?",
    "Is there a canteen?",
]
GERMAN = ["Wie kann ich mich bewerben?", "Wie hoch ist das Gehalt?"]
ENGLISH_ONLY = Reading("en", mixed=False)
ENGLISH_SETS = (
    "banking77", "braun_askubuntu", "braun_chatbot", "braun_webapplications", "clinc150_small", "dstc11_insurance",
    "hint3_curekart", "hint3_sofmattress", "mindmeld_hr", "recruit_infobot", "roboai_faq_en", "snips",
    "stackoverflow",
)  # fmt: skip


def read_texts(shared: Path, name: str) -> list[str]:
    return [example.text for example in read_dataset(shared / "data" / "intents" / f"{name}.csv", skip_bad=True)]


@pytest.mark.parametrize("name", ENGLISH_SETS)
def test_a_few_texts_that_look_foreign_do_not_make_an_english_set_mixed(shared: Path, name: str) -> None:
    assert choose_reading(read_texts(shared, name)) == ENGLISH_ONLY


def test_vectors_of_english_sets_are_those_of_the_english_model_to_the_last_bit(shared: Path) -> None:
    for name in ("roboai_faq_en", "snips", "recruit_infobot"):
        texts = read_texts(shared, name)
        foreign = [text for text in texts if guess_text_language(text, "en") != "en"]
        asked = [*foreign, *texts[:40]]
        own = encode_texts(asked, choose_reading(texts))
        np.testing.assert_array_equal(own, encode_cached(load_encoder(), asked))


def test_a_twentieth_of_another_language_makes_a_set_mixed() -> None:
    few, enough = [*ENGLISH * 25, *GERMAN[:1] * 4], [*ENGLISH * 25, *GERMAN[:1] * 6]
    assert 4 / 104 < MIN_OTHER_SHARE < 6 / 106
    assert choose_reading(few) == ENGLISH_ONLY
    assert choose_reading(enough) == Reading("en", mixed=True)
    assert choose_reading([]) == ENGLISH_ONLY


def test_a_language_that_is_named_overrules_the_guess_but_english_does_not() -> None:
    assert choose_reading(ENGLISH, ["de"]) == Reading("de", mixed=False)
    assert choose_reading(ENGLISH, ["de", "en"]) == Reading("de", mixed=True)
    assert choose_reading(GERMAN, ["en"]) == choose_reading(GERMAN) == Reading("de", mixed=True)
    assert choose_reading(ENGLISH, ["Deutsch"]) == ENGLISH_ONLY, "no language is called that"


def test_each_text_of_a_mixed_set_is_read_by_the_encoder_of_its_language() -> None:
    rows = encode_texts([*ENGLISH, *GERMAN], Reading("en", mixed=True))
    np.testing.assert_array_equal(rows[: len(ENGLISH)], encode_cached(load_encoder(), ENGLISH))
    np.testing.assert_array_equal(rows[len(ENGLISH) :], encode_cached(load_encoder("de"), GERMAN))
    assert rows[0] @ rows[len(ENGLISH)] > rows[0] @ rows[len(ENGLISH) + 1]


def test_the_shipped_languages_are_listed_and_leave_room_in_a_wheel_of_30_mb() -> None:
    assert {"de", "fr", "zh"} <= set(list_languages())
    shipped = Path(model.__file__).with_name("shipped")
    assert sum(path.stat().st_size for path in shipped.iterdir()) < 25e6


def test_the_sources_of_the_shipped_languages_are_credited() -> None:
    root = Path(__file__).parents[3]
    for name in ("NOTICE", "docs/languages.md"):
        text = (root / name).read_text(encoding="utf-8")
        assert "Tatoeba" in text
        assert "CC BY 2.0 FR" in text
