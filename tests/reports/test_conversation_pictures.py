"""Pictures of a run of conversations: marks where the numbers are, doubt shown, nothing beyond what is possible."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from talk_runs import good, middling, poor, scripts, write_run

from vivavoce.conversations.exam import score_run
from vivavoce.conversations.result import Comparison, ConversationsResult
from vivavoce.reports.conversations.html import render_conversations
from vivavoce.reports.conversations.meanings import SEVEN, number_of
from vivavoce.reports.conversations.pictures import (
    BOTTOM,
    LEFT,
    RIGHT,
    TOP,
    build_heat,
    draw_differences,
    draw_multiples,
    heat_domains,
)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> ConversationsResult:
    plan = scripts(24, levels=("basic", "medium", "complex"))
    with write_run(
        tmp_path_factory.mktemp("run") / "r", {"good": good, "fair": middling, "poor": poor}, plan=plan
    ) as record:
        return score_run(record)


def compared(gap: float, low: float | None, high: float | None, **changed: object) -> Comparison:
    known = Comparison("a", "b", "", "", "accuracy", gap, low, high, 0.2, "too close to call", 3, 20, 60, 12, 0, 0.1)
    return replace(known, **changed)  # type: ignore[arg-type]


# --- small multiples ---------------------------------------------------------------------------------------------


def test_each_of_the_seven_numbers_has_a_picture_with_a_mark_for_each_bot_and_level(
    result: ConversationsResult,
) -> None:
    panels = draw_multiples(result, address=lambda cell, name: f"{cell.bot}/{cell.level}/{name}")
    assert [panel.measure.name for panel in panels] == list(SEVEN)
    first = panels[0]
    assert [title for _, title in first.levels] == ["basic", "medium", "complex"]
    assert {dot.href for dot in first.dots} == {
        f"{bot}/{level}/accuracy" for bot in ("good", "fair", "poor") for level in ("basic", "medium", "complex")
    }
    for panel in panels:
        for dot in panel.dots:
            assert LEFT <= dot.x <= RIGHT
            assert TOP <= dot.y <= BOTTOM
            if dot.low is not None and dot.high is not None:
                assert TOP <= dot.high <= dot.y <= dot.low <= BOTTOM


def test_a_mark_says_bot_level_value_interval_and_count(result: ConversationsResult) -> None:
    labels = [dot.label for dot in draw_multiples(result)[0].dots]
    assert any(label.startswith("good, basic: 100 % (") and "n = " in label for label in labels)


def test_few_cases_are_hollow_and_have_no_whisker(tmp_path: Path) -> None:
    with write_run(tmp_path / "run", {"good": good}, plan=scripts(2, levels=("basic",))) as record:
        panels = draw_multiples(score_run(record))
    [dot] = panels[0].dots
    assert dot.hollow
    assert dot.low is None


# --- differences -------------------------------------------------------------------------------------------------


@given(st.floats(-1, 1), st.floats(0, 3), st.floats(0, 3))
def test_no_difference_is_drawn_outside_its_axis(gap: float, down: float, up: float) -> None:
    fake = type("Fake", (), {})()
    fake.comparisons, fake.header = (compared(gap, gap - down, gap + up),), type("H", (), {"bots": ()})()
    view = draw_differences(fake)
    [row] = view.rows
    ends = [tick.x for tick in view.ticks]
    assert min(ends) - 0.01 <= row.at <= max(ends) + 0.01
    if row.low is not None and row.high is not None:
        assert min(ends) - 0.01 <= row.low <= row.high <= max(ends) + 0.01
    assert sum(tick.zero for tick in view.ticks) == 1


def test_a_difference_is_seen_from_the_bot_that_is_ahead(result: ConversationsResult) -> None:
    rows = draw_differences(result).rows
    assert rows[0].name == "good − fair"
    assert all(row.points == "0" or row.points.startswith("+") for row in rows)
    assert {row.verdict for row in rows} <= {"real", "may be chance", "too few scenarios to tell"}
    assert rows[1].name == "good − poor"
    assert rows[1].real


# --- heat table --------------------------------------------------------------------------------------------------


def test_the_best_of_a_level_is_marked_and_shares_are_tinted(result: ConversationsResult) -> None:
    [group] = build_heat(result, heat_domains(result, ""))
    for row in group.rows:
        cell = row.numbers[SEVEN.index("accuracy")]
        value = number_of(row.cell, "accuracy").value
        assert value is not None
        assert f"h{round(10 * value)}" in cell.css.split()
        assert ("best" in cell.css.split()) == (row.cell.bot == "good")
        assert "h" not in row.numbers[SEVEN.index("time")].css.replace("best", "")


def test_a_report_has_the_pictures_and_the_table(result: ConversationsResult) -> None:
    page = render_conversations(result)
    assert page.count('<figure class="panel multiple">') == 7
    assert 'class="heat"' in page
    assert "good − poor" in page
