"""Words are what a reader would call words, in each of the four languages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.text import words as module
from vivavoce.text.words import guess_language, guess_text_language, words

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't you've O'Brien", ["don't", "you've", "o'brien"]),
        ("What’s the PART-TIME salary?", ["what's", "the", "part", "time", "salary"]),
        ("l'entretien d’embauche", ["l", "entretien", "d", "embauche"]),
        ("Qu'est-ce que c'est, aujourd'hui ?", ["qu", "est", "ce", "que", "c", "est", "aujourd'hui"]),
        ("S'il vous plaît, où déjeuner l'été", ["s", "il", "vous", "plaît", "où", "déjeuner", "l", "été"]),
        ("Über die Straße: geht's?", ["über", "die", "straße", "geht's"]),
        ("snake_case 401k 3.5", ["snake", "case", "401k", "3", "5"]),
        ("'quoted' -- !?", ["quoted"]),
        ("", []),
    ],
)
def test_a_text_falls_into_its_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_only_french_parts_elisions_when_the_language_is_named() -> None:
    assert words("d'accord", "en") == ["d'accord"]
    assert words("d'accord", "fr") == ["d", "accord"]


def test_a_composed_and_a_decomposed_umlaut_are_the_same_word() -> None:
    assert words("u\u0308ber") == words("über") == ["über"]


def test_chinese_is_cut_into_words_and_latin_words_between_stay_whole() -> None:
    pytest.importorskip("jieba")
    assert words("请问Java职位的薪水是多少?") == ["请问", "java", "职位", "的", "薪水", "是", "多少"]


def test_chinese_without_jieba_is_cut_into_characters_and_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jieba", None)
    module._load_cutter.cache_clear()
    try:
        assert words("我申请 ok") == ["我", "申", "请", "我申", "申请", "ok"]
    finally:
        module._load_cutter.cache_clear()


def test_jieba_is_loaded_late_silently_and_writes_no_shared_cache(tmp_path: Path) -> None:
    pytest.importorskip("jieba")
    code = (
        "import sys; from vivavoce.text.words import words; words('hi'); assert 'jieba' not in sys.modules;"
        "words('我想申请'); assert 'jieba' in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        check=False,
        capture_output=True,
        text=True,
        env={"TMPDIR": str(tmp_path)},
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not list(tmp_path.iterdir())


@settings(deadline=None)  # the first Chinese character loads jieba
@given(st.text())
def test_words_are_never_empty_and_hold_no_blanks(text: str) -> None:
    for word in words(text, "en"):
        assert word
        assert word.split() == [word]


@given(st.lists(st.sampled_from(["card", "straße", "où", "don't", "401k"])))
def test_words_that_were_joined_come_back(listed: list[str]) -> None:
    assert words(" ".join(listed)) == listed
    assert words(" ".join(listed).upper().replace("STRASSE", "STRAßE")) == listed


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["How do I apply?", "What is the salary"], "en"),
        (["Wie bewerbe ich mich?", "Gibt es ein Praktikum"], "de"),
        (["Comment puis-je postuler ?", "Quel est le salaire"], "fr"),
        (["¿Cómo puedo solicitar el puesto?", "¿Cuál es el sueldo en la empresa?"], "es"),
        (["La entrevista es mañana en la oficina", "¿Dónde está la estación?"], "es"),
        (["La réunion est demain dans la salle", "Où est la gare ?"], "fr"),
        (["Come posso candidarmi?", "Quanti giorni di ferie ho?"], "it"),
        (["Hoe kan ik solliciteren?", "Wat staat er in mijn contract"], "nl"),
        (["Como posso me candidatar?", "Quantos dias de férias eu tenho?"], "pt"),
        (["我想申请这个Java职位"], "zh"),
        (["こんにちは世界"], "und"),
        (["qwertz asdf"], "und"),
        ([], "en"),
        (["123 ?"], "en"),
    ],
)
def test_the_language_is_guessed_from_script_and_stop_words(texts: list[str], expected: str) -> None:
    assert guess_language(texts) == expected


@pytest.mark.parametrize(
    ("text", "usual", "expected"),
    [
        ("Wie kann ich mich bewerben?", "en", "de"),
        ("Was ist der Lohn", "en", "de"),
        ("Où est la salle de réunion ?", "en", "fr"),
        ("La entrevista es en la oficina", "en", "es"),
        ("Hoe kan ik je en mijn collega bellen", "nl", "nl"),
        ("Tell me about the salary", "fr", "en"),
        ("What is the salary in the company?", "nl", "en"),
    ],
)
def test_a_text_is_of_another_language_if_that_is_plain(text: str, usual: str, expected: str) -> None:
    assert guess_text_language(text, usual) == expected


def test_a_few_shared_words_do_not_make_dutch_english() -> None:
    dutch = [
        "hoe laat vertrekt de trein van vanavond naar amsterdam is",
        "zet mijn wekker morgen op zeven uur",
    ]
    assert guess_language(dutch) == "nl"


def test_one_foreign_text_does_not_change_the_language_of_many() -> None:
    assert guess_language(["How do I apply for this job?"] * 20 + ["我想申请"]) == "en"
