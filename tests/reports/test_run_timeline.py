"""Lines over time have round axes, names at their ends, and flags that never cover each other."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.records import Rate
from vivavoce.reports.shared.dots import Dot, Panel, dot_panels
from vivavoce.reports.shared.run_timeline import Course, Flag, Frame, run_timeline_chart, value_ends
from vivavoce.reports.shared.svg import to_svg

START = datetime(2026, 8, 17, tzinfo=UTC)
TICKS = ((START, "17 Aug"), (START + timedelta(days=30), "16 Sep"))


def course(label: str, *values: float) -> Course:
    points = ((START + timedelta(days=10 * n), Rate(v, v - 0.04, v + 0.04, 100)) for n, v in enumerate(values))
    return Course(label, tuple(points))


def drawn(flags: list[Flag], *, narrow: bool = False) -> str:
    courses = [course("Right 54 %", 0.4, 0.45, 0.5, 0.54), course("Answered 80 %", 0.7, 0.72, 0.78, 0.8)]
    frame = Frame(250 if narrow else 700, 200, TICKS, 0.3, 0.9, narrow=narrow)
    return to_svg(run_timeline_chart(courses, flags, frame, description="Both rose"))


def texts_of(svg: str) -> list[str]:
    return ["".join(text.itertext()) for text in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_the_axis_holds_every_band_and_ends_at_round_values(values: list[float]) -> None:
    rates = [Rate(v, max(0.0, v - 0.1), min(1.0, v + 0.1), 9) for v in values]
    line = Course("a", tuple((START + timedelta(days=n), rate) for n, rate in enumerate(rates)))
    low, high = value_ends([line], 0.1, (0.0, 1.0))
    assert 0 <= low <= min(rate.low or 0.0 for rate in rates) + 1e-6
    assert 1 >= high >= max(rate.high or 0.0 for rate in rates) - 1e-6
    assert high - low >= 0.3 - 1e-6
    assert round(10 * low, 4).is_integer()
    assert round(10 * high, 4).is_integer()


def test_lines_are_named_at_their_ends_and_days_are_written_as_they_were_given() -> None:
    texts = texts_of(drawn([]))
    assert {"Right 54 %", "Answered 80 %", "17 Aug", "16 Sep"} <= set(texts)
    assert not [text for text in texts if re.search(r"\d:\d\d", text)]


def test_a_flag_has_its_number_name_effect_and_one_link() -> None:
    svg = drawn([Flag(START + timedelta(days=9), 1, "11 merges", "+5.1 points", "/compare?a=1&b=2")])
    assert {"1", "11 merges +5.1 points"} <= set(texts_of(svg))
    assert svg.count("<a ") == 1


def test_on_a_phone_flags_are_numbers_that_lead_on() -> None:
    svg = drawn([Flag(START + timedelta(days=9), 1, "11 merges", "+5.1 points", "/compare")], narrow=True)
    assert "11 merges +5.1 points" not in texts_of(svg)
    assert svg.count('<a href="/compare">') == 1


def test_names_of_flags_close_together_are_cut_before_the_next_begins() -> None:
    flags = [Flag(START + timedelta(days=4 * n), n + 1, "a change with a long name", "+1", f"/{n}") for n in range(7)]
    texts = texts_of(drawn(flags))
    assert "a change with a long name +1" in texts, "the last has room"
    assert any(text.endswith("… +1") or text == "+1" for text in texts)
    assert [text for text in texts if text in "1234567"] == list("1234567")


@pytest.mark.parametrize("columns", [1, 2])
def test_panels_of_dots_say_their_values_and_what_is_missing(columns: int) -> None:
    known, none = Rate(0.05, 0.01, 0.1, 90), Rate(None, None, None, 0)
    panel = Panel(
        "Right", (Dot("linear", known, "+5.0", "good"), Dot("tfidf", none, "")), signed=True, none="none asked"
    )
    texts = texts_of(to_svg(dot_panels([panel, panel], width=150, columns=columns, labels=90, description="x")))
    assert texts.count("+5.0") == 2
    assert texts.count("none asked") == 2
    assert texts.count("linear") == (2 if columns == 1 else 1), "names stand once in a row"


def test_differences_lie_around_zero() -> None:
    low, high = Panel("", (Dot("a", Rate(-0.09, -0.15, -0.03, 9), "-9"),), signed=True).ends
    assert (low, high) == (-high, high)
    assert high >= 0.15
