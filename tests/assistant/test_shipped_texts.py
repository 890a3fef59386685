"""The shipped texts: complete in every language, with the same places."""

from __future__ import annotations

from string import Formatter

import pytest

from vivavoce.assistant import material
from vivavoce.assistant.entities.places import load_gazetteer
from vivavoce.assistant.entities.professions import read_lines
from vivavoce.assistant.talk import LANGUAGES
from vivavoce.assistant.understanding import bare
from vivavoce.errors import FileError, UsageError


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_every_general_intent_has_an_answer_in_every_language():
    intents = set(material.general_examples("en").sizes)
    assert set(material.general_answers()) == intents
    for intent, wordings in material.general_answers().items():
        assert set(wordings) == set(LANGUAGES), intent


def test_the_messages_have_the_same_places_in_every_language():
    for name, row in material._messages().items():
        assert all(row[language] for language in LANGUAGES), name
        wanted = places(row["en"])
        assert [language for language in LANGUAGES if places(row[language]) != wanted] == [], name


def test_every_topic_of_the_demo_company_has_an_answer_in_the_languages_of_its_questions():
    company, _ = material.load_company("demo")
    for language, data in company.faq.items():
        assert [topic for topic in data.sizes if language not in company.answers[topic]] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_test_message_is_a_training_example(language):
    learnt = {bare(text) for text in material.general_examples(language).texts}
    asked = [bare(text) for text in material.general_test(language).texts]
    assert sorted(set(asked) & learnt) == []
    assert len(set(asked)) == len(asked)
    assert sum(intent is not None for intent in material.general_test(language).intents) >= 200


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_many_occupations_in_every_language(language):
    assert len(read_lines(language)) >= 500


def test_the_gazetteer_knows_cities_countries_and_regions_in_four_languages():
    gazetteer = load_gazetteer()
    for names in (
        ("cologne", "koln", "koeln"),
        ("vienna", "wien", "vienne"),
        ("germany", "deutschland", "allemagne"),
    ):
        assert len({gazetteer.latin[name].place.key for name in names}) == 1
    assert gazetteer.han["维也纳"].place.key == gazetteer.latin["wien"].place.key
    assert gazetteer.latin["essen"].is_word
    assert not gazetteer.latin["paris"].is_word


def test_an_unknown_company_and_an_empty_folder_are_refused(tmp_path):
    with pytest.raises(UsageError, match="demo"):
        material.load_company("dmeo")
    with pytest.raises(FileError, match=r"faq_en\.csv"):
        material.read_company(tmp_path, "x")
