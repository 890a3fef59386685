"""Openings: their tokens, queries in other languages, and the index in memory."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.assistant import Matches, Opening, OpeningsInMemory, Query
from vivavoce.assistant.entities import place_named
from vivavoce.assistant.material import load_company, parse_answer, read_openings
from vivavoce.assistant.tokens import families, index_tokens, query_groups
from vivavoce.errors import DataError, FileError

OPENINGS = load_company("demo")[1]
SEARCHED = OpeningsInMemory(OPENINGS)


def find(profession: str = "", place: str = "", language: str = "en", words: str = "") -> Matches:
    key = place_named(place).key if place else ""
    return SEARCHED.search(Query(profession, key, words, language), limit=100)


@pytest.mark.parametrize(
    ("words", "family"),
    [
        ({"en": "nurse", "de": "Krankenschwester", "fr": "infirmière", "zh": "护士"}, "familynurse"),
        ({"en": "chef", "de": "Köchin", "fr": "cuisinier", "zh": "厨师"}, "familycook"),
        ({"en": "cleaner", "de": "Reinigungskraft", "fr": "femme de ménage", "zh": "保洁员"}, "familycleaner"),
        (
            {"en": "developer", "de": "Softwareentwickler", "fr": "développeuse", "zh": "软件工程师"},
            "familysoftwaredeveloper",
        ),
    ],
)
def test_one_kind_of_work_is_found_in_every_language(words, family):
    found = {}
    for language, word in words.items():
        assert family in families(word, language)
        found[language] = {opening.id for opening in find(word, language=language).openings}
    assert found["en"]
    assert len(set(map(frozenset, found.values()))) == 1


def test_a_country_and_a_region_hold_their_cities():
    everywhere = find()
    germany, austria, upper = find(place="Germany"), find(place="Österreich"), find(place="Oberösterreich")
    assert {opening.country for opening in germany.openings} == {"DE"}
    assert {opening.country for opening in austria.openings} == {"AT"}
    assert {opening.place for opening in upper.openings} == {"Linz"}
    assert 0 < upper.total < austria.total < everywhere.total == len(OPENINGS)


def test_matches_come_in_pages_newest_first():
    pages = [SEARCHED.search(Query(), limit=7, start=start) for start in range(0, 42, 7)]
    rows = [opening for page in pages for opening in page.openings]
    assert {page.total for page in pages} == {40}
    assert len({opening.id for opening in rows}) == 40
    assert [opening.posted for opening in rows] == sorted((opening.posted for opening in rows), reverse=True)


@given(st.text(max_size=40), st.text(max_size=40), st.sampled_from(["en", "de", "fr", "zh", ""]))
def test_tokens_hold_letters_and_digits_only(title, profession, language):
    tokens = index_tokens(Opening("1", title, profession, language=language))
    groups = query_groups(Query(profession, "", title, language))
    for token in (*tokens, *(token for group in groups for token in group)):
        assert token
        assert not set(token) & set(string.punctuation + string.whitespace)


@pytest.mark.parametrize("opening", OPENINGS, ids=lambda opening: opening.id)
def test_every_opening_is_found_by_its_own_profession_and_place(opening):
    place = place_named(opening.place, opening.country)
    assert place is not None
    query = Query(opening.profession, place.key, "", opening.language)
    assert opening in SEARCHED.search(query, limit=100).openings


def test_marks_for_all_genders_are_no_words():
    assert "m" not in index_tokens(Opening("1", "Koch (m/w/d)", language="de"))


def test_buttons_of_an_answer_are_messages_or_links():
    answer = parse_answer("text", "Look|say:I want a job ; Page|https://a.example/x ; Yes")
    assert [(button.label, button.send) for button in answer.buttons] == [("Look", "I want a job"), ("Yes", "Yes")]
    assert [(link.label, link.url) for link in answer.links] == [("Page", "https://a.example/x")]


def test_a_feed_without_titles_is_refused_with_its_rows(tmp_path):
    (tmp_path / "a.csv").write_text("id,title\n1,Cook\n2,\n,Nurse\n", "utf-8")
    with pytest.raises(DataError) as refusal:
        read_openings(tmp_path / "a.csv")
    assert [fault.where for fault in refusal.value.faults] == ["row 3", "row 4"]
    (tmp_path / "b.csv").write_text("number,name\n1,Cook\n", "utf-8")
    with pytest.raises(FileError, match="id, title"):
        read_openings(tmp_path / "b.csv")
