"""What the charts of all exams share: their look, and dots with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from vivavoce.messages import say
from vivavoce.records import Rate
from vivavoce.reports.shared.svg import PALETTE, AnyChart

# Narrow enough to be read on a phone, and for two of them to stand side by side on a desk.
WIDTH = 290
LABELS = 150
SERIES = [PALETTE[name] for name in ("right", "wrong", "third", "fourth", "fifth", "sixth")]
SHAPES = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross"]
PERCENT = alt.Axis(labelExpr="format(100 * datum.value, '.0f') + ' %'", tickCount=5, labelFlush=False)
# These have the same widths wherever they exist, so that labels fit the room that was measured for them.
FONT = "Arial, 'Liberation Sans', Helvetica, sans-serif"
WHOLE = alt.Scale(domain=[0, 1])

Values = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class RateRow:
    """One dot with its interval: `label` on the axis (or the time), `series` by colour and shape."""

    label: str
    series: str
    rate: Rate


def chart_data(values: Values) -> alt.InlineData:
    """Return rows as the data of a chart."""
    return alt.InlineData(values=[dict(value) for value in values])


def themed(chart: AnyChart, description: str) -> AnyChart:
    """Give a chart the look they all share; the background is the page's own."""
    ink, muted, grid = PALETTE["ink"], PALETTE["muted"], PALETTE["grid"]
    themed: AnyChart = (
        chart.properties(description=description, background="transparent")
        .configure(font=FONT, padding={"left": 8, "top": 4, "right": 20, "bottom": 4})
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=ink,
            titleColor=muted,
            titleFontWeight="normal",
            labelFontSize=12,
            titleFontSize=12,
            gridColor=grid,
            domainColor=grid,
            tickColor=grid,
            labelLimit=LABELS,
            domain=False,
            ticks=False,
            labelPadding=6,
        )
        .configure_legend(
            labelColor=ink,
            titleColor=muted,
            labelFontSize=12,
            orient="top",
            direction="vertical",
            title=None,
            labelLimit=300,
            symbolStrokeWidth=0,
            symbolOpacity=1,
        )
    )
    return themed


def comparison_chart(rows: Sequence[RateRow], *, description: str = say("Shares with their intervals.")) -> AnyChart:
    """Draw a dot and a bar for each series on each line; a missing value leaves its place empty."""
    base = alt.Chart(chart_data(_dots(rows))).encode(
        y=alt.Y("label:N", sort=None, title=None),
        yOffset=alt.YOffset("series:N", sort=None),
    )
    series = list(dict.fromkeys(row.series for row in rows))
    chart = alt.layer(_bars(base, series, "x"), _points(base, series, "x"))
    return themed(chart.properties(width=WIDTH, height=alt.Step(16)), description)


def timeline_chart(rows: Sequence[RateRow], *, description: str = "Shares over time.") -> AnyChart:
    """Draw each series over time; `label` is a date such as 2026-01-31."""
    base = alt.Chart(chart_data(_dots(rows))).encode(x=alt.X("label:T", title=None, axis=alt.Axis(tickCount=6)))
    series = list(dict.fromkeys(row.series for row in rows))
    share = alt.Y("value:Q", scale=WHOLE, axis=PERCENT, title=None)
    line = base.mark_line(strokeWidth=1.5, opacity=0.6).encode(y=share, color=_colour(series))
    chart = alt.layer(line, _bars(base, series, "y"), _points(base, series, "y"))
    return themed(chart.properties(width=WIDTH * 2, height=220), description)


def _dots(rows: Sequence[RateRow]) -> Values:
    return [
        {
            "label": row.label,
            "series": row.series,
            "value": row.rate.value,
            "low": row.rate.low,
            "high": row.rate.high,
        }
        for row in rows
        if row.rate.value is not None
    ]


def _colour(series: Sequence[str]) -> alt.Color:
    legend = alt.Legend() if len(series) > 1 else None
    return alt.Color("series:N", scale=alt.Scale(domain=list(series), range=SERIES), legend=legend)


def _bars(base: alt.Chart, series: Sequence[str], way: str) -> alt.Chart:
    ends: Mapping[str, Any] = (
        {"x": alt.X("low:Q", scale=WHOLE, axis=PERCENT, title=None), "x2": "high:Q"}
        if way == "x"
        else {"y": alt.Y("low:Q", scale=WHOLE, axis=PERCENT, title=None), "y2": "high:Q"}
    )
    bars: alt.Chart = base.mark_rule(strokeWidth=3, opacity=0.35).encode(color=_colour(series), **ends)
    return bars


def _points(base: alt.Chart, series: Sequence[str], way: str) -> alt.Chart:
    legend = alt.Legend() if len(series) > 1 else None
    place: Mapping[str, Any] = {way: "value:Q"}
    tooltip = [alt.Tooltip("label:N"), alt.Tooltip("series:N")]
    tooltip += [alt.Tooltip(f"{name}:Q", format=".1%") for name in ("value", "low", "high")]
    points: alt.Chart = base.mark_point(filled=True, size=55, opacity=1).encode(
        color=_colour(series),
        shape=alt.Shape("series:N", scale=alt.Scale(domain=list(series), range=SHAPES), legend=legend),
        tooltip=tooltip,
        **place,
    )
    return points
