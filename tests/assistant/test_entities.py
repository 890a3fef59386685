"""Professions and places in messages."""

from __future__ import annotations

import entity_scores
import pytest

from vivavoce.assistant.entities import extract, find_place, is_covered, place_named
from vivavoce.assistant.entities.own_lists import add_list, remove_list, split_label
from vivavoce.errors import DataError, FileError

BARS = {"en": 0.9, "de": 0.9, "fr": 0.85, "zh": 0.85}


def named(text: str, language: str) -> list[tuple[str, str]]:
    return [(each.kind, each.text) for each in extract(text, language)]


@pytest.mark.parametrize("kind", entity_scores.KINDS)
@pytest.mark.parametrize("language", BARS)
def test_unseen_sentences_are_read_well_enough(language, kind):
    scored = entity_scores.score("test", language)[kind]
    assert scored.annotated >= 100
    assert scored.f1 >= BARS[language], str(scored)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Das Essen in der Kantine ist gut", "de"),
        ("I enjoy reading and a nice bath", "en"),
        ("Je fais deux tours par semaine", "fr"),
        ("Habt ihr eine Halle zum Parken?", "de"),
        ("Is Mr Baker in today?", "en"),
        ("Ist Herr Koch da?", "de"),
        ("李老师在吗", "zh"),
        ("我毕业于北京大学", "zh"),
        ("My boss told me to write to you", "en"),
        ("I no longer want to work as a cook", "en"),
    ],
)
def test_words_names_and_other_peoples_jobs_are_no_entities(text, language):
    assert named(text, language) == []


@pytest.mark.parametrize(
    ("text", "language", "place"),
    [
        ("Gibt es Stellen in Essen?", "de", "Essen"),
        ("a job in Reading", "en", "Reading"),
        ("un poste à Nice", "fr", "Nice"),
        ("un poste à Tours", "fr", "Tours"),
        ("nurse, Halle (Saale)", "en", "Halle (Saale)"),
    ],
)
def test_cities_that_are_words_are_found_where_places_stand(text, language, place):
    assert ("place", place) in named(text, language)


@pytest.mark.parametrize("text", ["Munich", "München", "Muenchen", "munchen", "慕尼黑"])
def test_a_city_is_one_city_however_it_is_written(text):
    (entity,) = extract(text, "zh" if text == "慕尼黑" else "de")
    assert entity.key == "geo2867714"


def test_the_largest_city_of_a_name_is_meant_and_the_country_of_an_opening_decides():
    assert place_named("Frankfurt").key == place_named("Frankfurt am Main").key
    assert place_named("Halle (Saale)", "DE").name == "Halle (Saale)"
    assert find_place(place_named("Bayern").key).country == "DE"
    assert place_named("Deutschland").tokens == ("countryde",)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Krankenpflegerstelle gesucht", "Krankenpfleger"),
        ("Kinderkrankenpfleger", "Kinderkrankenpfleger"),
        ("Bäckerausbildung", "Bäcker"),
        ("Köchinnen gesucht", "Köchinnen"),
        ("Krankenpfleger*innen gesucht", "Krankenpfleger*innen"),
        ("Kellner/in", "Kellner/in"),
        ("Kranknpfleger", "Kranknpfleger"),
    ],
)
def test_german_forms_compounds_and_misspellings_are_professions(text, found):
    assert named(text, "de") == [("profession", found)]


def test_several_entities_come_in_the_order_of_the_text():
    assert named("chef or waiter in Lyon, Nice or Kiel", "en") == [
        ("profession", "chef"),
        ("profession", "waiter"),
        ("place", "Lyon"),
        ("place", "Nice"),
        ("place", "Kiel"),
    ]


@pytest.mark.parametrize("language", ["en", "de", "fr", "zh"])
@pytest.mark.parametrize("text", ["", " ", "(((", "*in/innen", "a" * 3000, "🙂🙂", "ﬀ Kœln", "\u0301"])
def test_any_text_can_be_read_and_spans_are_those_of_the_text(text, language):
    for entity in extract(text, language):
        assert text[entity.start : entity.end] == entity.text


@pytest.mark.parametrize(
    ("text", "language", "covered"),
    [
        ("no, in Munich", "en", True),
        ("nein, lieber in München", "de", True),
        ("plutôt à Lyon", "fr", True),
        ("还是在汉堡吧", "zh", True),
        ("what does a nurse earn in Munich", "en", False),
    ],
)
def test_a_message_is_covered_if_it_says_nothing_but_entities(text, language, covered):
    assert is_covered(text, extract(text, language), language) is covered


@pytest.mark.parametrize(
    ("label", "names"),
    [
        ("Bäcker/Bäckerin", ["Bäcker", "Bäckerin"]),
        ("Pfleger*in", ["Pfleger"]),
        ("Lehrer(in)", ["Lehrer"]),
        ("Kfz-/Nutzfahrzeugmechaniker", ["Kfz-/Nutzfahrzeugmechaniker"]),
        ("  ", []),
    ],
)
def test_both_forms_of_a_label_are_names(label, names):
    assert split_label(label) == names


@pytest.fixture
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("VIVA_HOME", str(tmp_path / "home"))
    yield tmp_path
    remove_list("en")


def test_an_own_list_adds_professions_and_can_be_removed(own_home):
    (own_home / "list.txt").write_text("wyvern tamer|wyvernherd\n", "utf-8")
    assert named("a job as a wyvernherd", "en") == []
    added = add_list(own_home / "list.txt", "en")
    assert (added.occupations, added.names) == (1, 2)
    assert named("a job as a wyvernherd", "en") == [("profession", "wyvernherd")]
    assert remove_list("en")
    assert named("a job as a wyvernherd", "en") == []


def test_an_esco_table_is_read_with_its_other_labels(own_home):
    table = 'conceptUri,preferredLabel,altLabels\nu,wyvern tamer,"wyvernherd\nwyvern keeper"\n'
    (own_home / "esco.csv").write_text(table, "utf-8")
    assert add_list(own_home / "esco.csv", "en").names == 3


def test_a_faulty_list_is_refused_with_all_its_rows(own_home):
    (own_home / "bad.txt").write_text(f"cook\n{'x' * 200}\n{'y' * 200}\n", "utf-8")
    with pytest.raises(DataError) as refusal:
        add_list(own_home / "bad.txt", "en")
    assert [fault.where for fault in refusal.value.faults] == ["row 2", "row 3"]
    (own_home / "empty.txt").write_text("\n", "utf-8")
    with pytest.raises(FileError, match="no occupations"):
        add_list(own_home / "empty.txt", "en")
