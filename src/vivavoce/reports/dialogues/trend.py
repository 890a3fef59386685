"""Dialogues week by week, drawn as wide as the page: a line with its interval, each dot leading to its week."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import altair as alt

from vivavoce.dialogues.dialogue import HIGHEST, LOWEST
from vivavoce.records import Rate
from vivavoce.reports.shared.charts import PERCENT, apply_theme, chart_data
from vivavoce.reports.shared.svg import PALETTE, AnyChart

WIDTH, HEIGHT = 960, 150
# Fewer dialogues are drawn as hollow dots: the number may be chance.
FEW = 10


class Point(NamedTuple):
    """One week: its label, a number with its interval, and where its dialogues are listed."""

    label: str
    rate: Rate
    href: str


def trend_chart(points: Sequence[Point], title: str, description: str, *, share: bool, colour: str) -> AnyChart:
    """Draw a number over the weeks, in the reader's own words; `share`: it is a share, else a score."""
    values: list[dict[str, Any]] = [
        {"week": point.label, "value": value, "low": point.rate.low, "high": point.rate.high, "href": point.href}
        | {"few": point.rate.n < FEW}
        for point in points
        if (value := point.rate.value) is not None
    ]
    top = max([0.1, *[value["high"] or value["value"] for value in values]])
    scale = alt.Scale(domain=[0, min(1.0, top)], nice=top < 0.9) if share else alt.Scale(domain=[LOWEST, HIGHEST])
    axis = PERCENT if share else alt.Axis(values=[1, 2, 3, 4, 5], format="d")
    y = alt.Y("value:Q", scale=scale, axis=axis, title=title)
    weeks = alt.X(
        "week:N",
        sort=None,
        title=None,
        axis=alt.Axis(labelAngle=0, labelOverlap="greedy"),
        scale=alt.Scale(padding=0.4),
    )
    base = alt.Chart(chart_data(values)).encode(x=weeks)
    paint = PALETTE[colour]
    band = base.transform_filter("isValid(datum.low)").mark_area(opacity=0.14, color=paint)
    line = base.mark_line(strokeWidth=2, color=paint)
    dots = base.mark_point(size=70, opacity=1, strokeWidth=2, stroke=paint, filled=True).encode(
        y=y,
        href="href:N",
        fill=alt.condition("datum.few", alt.value(PALETTE["page"]), alt.value(paint)),
    )
    layers = alt.layer(band.encode(y=alt.Y("low:Q", scale=scale), y2="high:Q"), line.encode(y=y), dots)
    return apply_theme(layers.properties(width=WIDTH, height=HEIGHT), description)
