"""The terminal says it all at 80 columns, and nothing rests on colour."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from vivavoce.intents import IntentsResult
from vivavoce.intents.check import check
from vivavoce.intents.result import Note
from vivavoce.records import Dataset, Rate
from vivavoce.reports import wording
from vivavoce.reports.choices import top_pairs
from vivavoce.reports.meanings import MEASURES
from vivavoce.reports.tables import MAIN, rate_cell, show_check, show_result


def printed(show: object, *arguments: object, width: int = 80, **options: object) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    show(console, *arguments, **options)  # type: ignore[operator]
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_nothing_is_cut_off_and_no_line_is_too_long(result: IntentsResult, width: int) -> None:
    text = printed(show_result, result, width=width)
    assert "…" not in text
    assert max(len(line) for line in text.splitlines()) <= width
    assert flat(wording.headline(result)) in flat(text)
    assert flat(wording.verdict(result)) in flat(text)
    assert flat(wording.timing_sentence(result.settings[0].timing)) in flat(text)


def test_the_sentence_comes_first(result: IntentsResult) -> None:
    assert flat(printed(show_result, result)).startswith(wording.headline(result))


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_the_main_numbers_stand_with_their_intervals(result: IntentsResult, width: int) -> None:
    text = printed(show_result, result, width=width)
    for findings in result.settings[:2]:
        for name in MAIN:
            rate = findings.rates[name]
            assert wording.share_text(rate.value) in text
            assert wording.interval_text(rate) in text
        assert f"{findings.setting}, {findings.counts.total} tests" in text


@pytest.mark.parametrize(("width", "tables"), [(40, 4), (60, 2), (77, 2), (78, 1), (80, 1), (200, 1)])
def test_a_narrow_window_breaks_the_table_and_not_the_names(result: IntentsResult, width: int, tables: int) -> None:
    lines = [line.rstrip() for line in printed(show_result, result, width=width).splitlines()]
    assert sum(line.startswith("All topics known") for line in lines) == tables
    assert sum(line.startswith("Smallest topics") for line in lines) == tables


def test_the_dearest_pair_says_why_it_is_there_and_nothing_of_chance(result: IntentsResult) -> None:
    first = replace(
        result.pairs[0], overlap=0.9, score=0.9, enough=True, same_answer=False, mistakes=None, top3_share=0.01
    )
    pairs = tuple(replace(first, a=f"a{n}", b=f"b{n}", cost=0.38 if n == 4 else 0.1) for n in range(5))
    text = flat(printed(show_result, replace(result, pairs=pairs)))
    assert "3. a4 and b4" in text
    assert text.count("costs most messages of all pairs: about 4 of 1,000.") == 1
    assert "seldom" not in text


def test_an_engine_without_guesses_and_topics_of_copies_are_told(
    guessless: IntentsResult, copies: IntentsResult
) -> None:
    assert "no guess for any question" in flat(printed(show_result, guessless))
    assert "add the setting 0,0" not in flat(printed(show_result, guessless))
    assert flat(printed(show_result, copies)).startswith("Nothing could be tested: all examples of")


def test_a_setting_that_equals_another_is_a_sentence_not_a_row(result: IntentsResult) -> None:
    text = printed(show_result, result)
    assert wording.setting_sentence(result.settings[2]) in flat(text)
    assert "(3, 0), " not in text


def test_what_is_not_known_is_na_and_not_zero(silent: IntentsResult) -> None:
    row = next(line for line in printed(show_result, silent).splitlines() if line.startswith("All topics known"))
    assert re.split(r"\s{2,}", row.strip())[1:] == ["0 %", "n/a", "n/a", "0 %"]


def test_the_top_pair_stands_with_advice_stability_and_questions(result: IntentsResult) -> None:
    text = flat(printed(show_result, result))
    pair = result.pairs[0]
    assert f"1. {pair.a} and {pair.b}" in text
    assert wording.pair_stability(pair) in text
    assert wording.pair_advice(pair) in text
    for example in pair.examples[:3]:
        assert f"“{example.text}” is in {example.intent}" in text


def test_at_most_three_pairs_are_open(result: IntentsResult) -> None:
    many = replace(result, pairs=tuple(replace(result.pairs[0], a=f"a{n}", b=f"b{n}") for n in range(7)))
    assert len(re.findall(r"^\d\. ", printed(show_result, many), re.MULTILINE)) == 3


def test_pairs_that_were_mistaken_come_before_pairs_that_only_look_alike(result: IntentsResult) -> None:
    alike = replace(
        result.pairs[0],
        overlap=0.95, score=0.95, enough=True, same_answer=False, cost=0.0, bot_overlap=0.9, mistakes=0, held_back=0,
    )  # fmt: skip
    pairs = (
        *(replace(alike, a=f"a{n}", b=f"b{n}") for n in range(4)),
        replace(alike, a="few", b="others", overlap=0.7, mistakes=1, held_back=2),
        replace(alike, a="large", b="larger", overlap=0.04, enough=False, mistakes=12),
    )
    shown = top_pairs(replace(result, pairs=pairs))
    assert [pair.a for pair in shown] == ["few", "large", "a0"]
    text = flat(printed(show_result, replace(result, pairs=pairs)))
    assert "2. large and larger" in text
    assert "12 questions were answered with the wrong one of the two" in text
    assert text.count("no question was mistaken; the texts look alike") == 1
    assert "Read the questions that were mistaken" in text


def test_the_dearest_pair_is_open_too_and_pairs_of_known_topics_make_room(result: IntentsResult) -> None:
    first = replace(result.pairs[0], overlap=0.9, score=0.9, enough=True, same_answer=False, cost=0.1)
    names = [("a", "b"), ("b", "c"), ("a", "c"), ("d", "e"), ("f", "g")]
    by_mistakes = tuple(replace(first, a=a, b=b, mistakes=9 if a == "f" else 2) for a, b in names)
    by_cost = tuple(replace(first, a=a, b=b, mistakes=None, cost=5.0 if a == "f" else 0.1) for a, b in names)
    for pairs in (by_mistakes, by_cost):
        shown = top_pairs(replace(result, pairs=pairs))
        assert [(pair.a, pair.b) for pair in shown] == [("a", "b"), ("b", "c"), ("f", "g")]


def test_many_notes_of_a_kind_are_shortened_unless_all_are_asked_for(result: IntentsResult) -> None:
    noted = replace(result, warnings=tuple(Note("excluded_row", f"Row {n} was left out.") for n in range(40)))
    assert "... and 37 more of this kind." in printed(show_result, noted)
    assert "Row 39" in printed(show_result, noted, verbose=True)


def test_markup_in_names_is_shown_as_it_is(result: IntentsResult) -> None:
    hostile = replace(result.pairs[0], a="[red]x[/red]", overlap=0.9)
    assert "[red]x[/red]" in printed(show_result, replace(result, pairs=(hostile,)))


def test_all_numbers_are_shown_when_asked_for(result: IntentsResult) -> None:
    text = flat(printed(show_result, result, verbose=True))
    for name in result.settings[0].rates:
        assert MEASURES[name].title.split(" (")[0] in text


def test_an_exam_without_any_retry_is_told(result: IntentsResult) -> None:
    empty = replace(result, settings=(), pairs=(), warnings=(Note("failed", "The engine died."),))
    text = printed(show_result, empty)
    assert "No retry was completed" in text
    assert "The engine died." in text


def test_a_cell_is_a_value_over_its_interval() -> None:
    assert rate_cell(Rate(0.5, 0.4, 0.6, 10)).plain == "50 %\n40 to 60 %"
    assert rate_cell(Rate(None, None, None, 0)).plain == "n/a"


def test_a_check_lists_the_worst_first_and_counts_the_rest() -> None:
    texts = [f"text number {n} of many" for n in range(30)]
    found = check(
        Dataset.of(["[b]pay me[/b]", "[b]pay me[/b]", *texts], ["a", "b", *[f"t{n // 2}" for n in range(30)]])
    )
    text = printed(show_check, found)
    assert wording.check_sentence(found) in flat(text)
    assert '• error: "[b]pay me[/b]"' in text
    assert f"and {len(found.problems) - 10} more" in text
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "more; --verbose" not in printed(show_check, found, verbose=True)


def test_a_clean_check_is_one_sentence() -> None:
    found = replace(check(Dataset.of(["a", "b"], ["x", "y"])), problems=(), counts={})
    assert printed(show_check, found).strip() == wording.check_sentence(found)
