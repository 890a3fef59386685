"""The terminal says it all at 80 columns, and nothing rests on colour."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from vivavoce.intents import IntentsResult
from vivavoce.intents.check import check
from vivavoce.intents.problems import ProblemKind
from vivavoce.intents.result import Note
from vivavoce.records import Dataset, Rate
from vivavoce.reports.intents import problem_wording, wording
from vivavoce.reports.intents.meanings import MAIN, MEASURES
from vivavoce.reports.intents.tables import show_check, show_result
from vivavoce.reports.shared.layout import rate_cell
from vivavoce.reports.shared.numbers import interval_text, share_text


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
    assert flat(problem_wording.verdict(result)) in flat(text)
    assert flat(wording.timing_sentence(result.settings[0].timing)) in flat(text)


def test_the_sentence_comes_first(result: IntentsResult) -> None:
    assert flat(printed(show_result, result)).startswith(wording.headline(result))


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_the_main_numbers_stand_with_their_intervals(result: IntentsResult, width: int) -> None:
    text = printed(show_result, result, width=width)
    for findings in result.settings[:2]:
        for name in MAIN:
            rate = findings.rates[name]
            assert share_text(rate.value) in text
            assert interval_text(rate) in text
        assert f"{findings.setting}, {findings.counts.total} tests" in text


@pytest.mark.parametrize(("width", "tables"), [(40, 4), (60, 2), (77, 2), (78, 1), (80, 1), (200, 1)])
def test_a_narrow_window_breaks_the_table_and_not_the_names(result: IntentsResult, width: int, tables: int) -> None:
    lines = [line.rstrip() for line in printed(show_result, result, width=width).splitlines()]
    assert sum(line.startswith("All topics known") for line in lines) == tables
    assert sum(line.startswith("Smallest topics") for line in lines) == tables


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


def test_every_problem_stands_with_its_cost_its_advice_and_examples(result: IntentsResult) -> None:
    text = flat(printed(show_result, result, verbose=True))
    assert result.problems
    for place, problem in enumerate(result.problems, 1):
        assert f"{place}. {problem_wording.problem_title(problem)}" in text
        assert problem_wording.problem_sentence(problem) in text
        assert problem_wording.cost_sentence(problem) in text
        assert problem_wording.problem_advice(problem) in text
        for example in problem.examples[:3]:
            assert f"“{example.text}” ({problem_wording.example_place(example, problem.kind)})" in text


def test_three_problems_are_open_in_the_order_of_the_result_and_the_rest_is_counted(result: IntentsResult) -> None:
    many = replace(result, problems=tuple(replace(result.problems[0], cost=9.0 - n) for n in range(7)))
    text = printed(show_result, many)
    assert re.findall(r"affects about (\d)", text) == ["9", "9", "8", "7"]
    assert "... and 4 more problems; --verbose shows all." in text


def test_nothing_to_fix_is_said_as_a_good_result(result: IntentsResult) -> None:
    text = flat(printed(show_result, replace(result, problems=())))
    assert ("What to fix next Nothing needs fixing: no problem clearly affects 1 in 1,000 messages or more.") in text


def test_the_terminal_says_how_to_get_sentence_vectors_where_they_are_missing(result: IntentsResult) -> None:
    lacking = replace(result, warnings=(Note("no_vectors", "No sentence vectors are installed."),))
    assert "`viva models get` installs sentence vectors." in flat(printed(show_result, lacking))
    assert "viva models get" not in flat(printed(show_result, replace(result, warnings=())))


def test_many_notes_of_a_kind_are_shortened_unless_all_are_asked_for(result: IntentsResult) -> None:
    many_notes = replace(result, warnings=tuple(Note("excluded_row", f"Row {n} was left out.") for n in range(40)))
    assert "... and 37 more of this kind." in printed(show_result, many_notes)
    assert "Row 39" in printed(show_result, many_notes, verbose=True)


def test_markup_in_names_is_shown_as_it_is(result: IntentsResult) -> None:
    hostile = replace(result.problems[0], kind=ProblemKind.WEAKEST_TOPIC, topics=("[red]x[/red]",))
    assert "1. [red]x[/red]" in printed(show_result, replace(result, problems=(hostile,)))


def test_all_numbers_are_shown_when_asked_for(result: IntentsResult) -> None:
    text = flat(printed(show_result, result, verbose=True))
    for name in result.settings[0].rates:
        assert MEASURES[name].title.split(" (")[0] in text


def test_an_exam_without_any_retry_is_told(result: IntentsResult) -> None:
    empty = replace(result, settings=(), pairs=(), warnings=(Note("failed", "The engine died."),))
    text = printed(show_result, empty)
    assert "No round was completed" in text
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
