"""Charts are drawn offline, follow the theme of the page, and can be read out."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace

import altair as alt
import pytest

from vivavoce.intents import IntentsResult
from vivavoce.records import Rate
from vivavoce.reports.intents import charts
from vivavoce.reports.shared.charts import RateRow, comparison_chart, timeline_chart
from vivavoce.reports.shared.svg import PALETTE, AnyChart, to_svg

MAKERS: dict[str, Callable[[IntentsResult], AnyChart]] = {
    "settings": lambda r: charts.settings_figure(r).chart,
    "risk": lambda r: charts.risk_figure(r.settings[0], r.threshold).chart,
    "calibration": lambda r: charts.calibration_figure(r.settings[0]).chart,
    "topics": lambda r: charts.topics_figure(r.settings[0]).chart,
    "confusion": lambda r: charts.confusion_figure(r.settings[0]).chart,
    "overlap": lambda r: charts.overlap_figure(r.pairs).chart,
    "sizes": lambda r: charts.sizes_figure({line.intent: line.examples for line in r.settings[0].intents}).chart,
    "timeline": lambda r: timeline_chart(
        [RateRow(f"2026-0{month}-01", "a", r.rate("accuracy")) for month in (1, 2, 3)]
    ),
}


@pytest.mark.parametrize("name", MAKERS)
def test_a_chart_is_well_formed_themed_and_labelled(result: IntentsResult, name: str) -> None:
    svg = to_svg(MAKERS[name](result))
    root = ET.fromstring(svg)  # noqa: S314 - our own drawing
    assert root.get("role") == "img"
    assert root.get("aria-label")
    assert root[0].tag.endswith("title")
    assert "var(--viva-" in svg
    assert not re.findall(r'(?:fill|stroke)="#[0-9a-f]{3,8}"', svg), "a colour that does not follow the theme"
    assert not re.findall(r"(?:href|src)=|url\((?!#)|<script", svg)


@pytest.mark.parametrize("name", MAKERS)
def test_a_chart_without_data_is_drawn_empty(silent: IntentsResult, name: str) -> None:
    bare = replace(silent.settings[0], intents=(), confusion=(), bins=())
    assert to_svg(MAKERS[name](replace(silent, pairs=(), settings=(bare,)))).startswith("<svg")


def test_names_are_escaped(result: IntentsResult) -> None:
    svg = to_svg(charts.topics_figure(result.settings[0]).chart) + to_svg(charts.overlap_figure(result.pairs).chart)
    assert "<script" not in svg


def test_no_two_names_have_the_same_colour() -> None:
    assert len(set(PALETTE.values())) == len(PALETTE), "two names in disguise must not look the same"


def test_two_charts_in_one_page_share_no_id() -> None:
    drawn = []
    for place in (1, 2):
        data = alt.InlineData(values=[{"x": place, "y": 1}])
        drawn.append(to_svg(alt.Chart(data).mark_point(clip=True).encode(x="x:Q", y="y:Q"), "A point."))
    ids = [set(re.findall(r' id="([^"]+)"', svg)) for svg in drawn]
    assert ids[0]
    assert not ids[0] & ids[1]
    for svg, own in zip(drawn, ids, strict=True):
        assert set(re.findall(r"url\(#([^)]+)\)", svg)) <= own


def test_what_is_not_known_has_no_dot() -> None:
    rows = [RateRow("x", "a", Rate(0.5, 0.4, 0.6, 9)), RateRow("y", "a", Rate(None, None, None, 0))]
    assert ">x<" in to_svg(comparison_chart(rows))
    assert ">y<" not in to_svg(comparison_chart(rows))


def test_the_parts_of_a_topic_sum_to_one(result: IntentsResult) -> None:
    for line in result.settings[0].intents:
        assert sum(charts.topic_parts(line)) == pytest.approx(1)


def test_a_mark_that_leads_somewhere_is_a_link_of_our_own_server() -> None:
    data = alt.InlineData(values=[{"x": 1, "to": "/p/jobs?a=1&b=2", "name": "1 11 merges"}])
    svg = to_svg(alt.Chart(data).mark_text().encode(x="x:Q", href="to:N", text="name:N"), "All changes")
    (link,) = ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}a")  # noqa: S314 - drawn by ourselves
    assert link.attrib == {"href": "/p/jobs?a=1&b=2"}
    assert "".join(link.itertext()) == "1 11 merges"
    assert 'role="group"' in svg
    assert 'role="img"' in to_svg(alt.Chart(data).mark_text().encode(x="x:Q"))
