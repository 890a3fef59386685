"""The look that the charts of all exams share, and dots with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import altair as alt

from vivavoce.messages import say
from vivavoce.records import Rate
from vivavoce.reports.shared.svg import PALETTE, AnyChart

# Narrow enough for a phone, and for two charts side by side on a desktop.
WIDTH = 290
LABELS = 150
SERIES = [PALETTE[name] for name in ("bot-a", "bot-b", "bot-c", "bot-d", "bot-e", "bot-f")]
SHAPES = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross"]
PERCENT = alt.Axis(labelExpr="format(100 * datum.value, '.0f') + ' %'", tickCount=5, labelFlush=False)
# These have the same widths everywhere, so that labels fit the space that was measured for them.
FONT = "Arial, 'Liberation Sans', Helvetica, sans-serif"
WHOLE = alt.Scale(domain=[0, 1])

Values = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class RateRow:
    """One dot with its interval: `label` on the axis (or the time), `series` by colour and shape."""

    label: str
    series: str
    rate: Rate


class Figure(NamedTuple):
    """A chart with its short name, its title and how to read it."""

    name: str
    title: str
    meaning: str
    chart: AnyChart


def figures_by_name(figures: Sequence[Figure]) -> dict[str, Figure]:
    """Return figures by their names."""
    return {figure.name: figure for figure in figures}


def chart_data(values: Values) -> alt.InlineData:
    """Return rows as the data of a chart."""
    return alt.InlineData(values=[dict(value) for value in values])


def apply_theme(chart: AnyChart, description: str) -> AnyChart:
    """Give a chart the common look; the page supplies the background."""
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


def comparison_chart(rows: Sequence[RateRow], *, description: str = say("Shares with intervals.")) -> AnyChart:
    """Draw a dot and a bar for each series on each line; a missing value leaves its place empty."""
    base = _chart_rates(rows).encode(
        y=alt.Y("label:N", sort=None, title=None), yOffset=alt.YOffset("series:N", sort=None)
    )
    chart = alt.layer(*_draw_rates(base, rows, "x"))
    return apply_theme(chart.properties(width=WIDTH, height=alt.Step(16)), description)


def timeline_chart(rows: Sequence[RateRow], *, description: str = "Shares over time.") -> AnyChart:
    """Draw each series over time; `label` is a date such as 2026-01-31."""
    base = _chart_rates(rows).encode(x=alt.X("label:T", title=None, axis=alt.Axis(tickCount=6)))
    share = alt.Y("value:Q", scale=WHOLE, axis=PERCENT, title=None)
    line = base.mark_line(strokeWidth=1.5, opacity=0.6).encode(y=share, color=colour_series(_list_series(rows)))
    chart = alt.layer(line, *_draw_rates(base, rows, "y"))
    return apply_theme(chart.properties(width=WIDTH * 2, height=220), description)


def draw_intervals(values: Values, y: alt.Y, tooltip: Sequence[Any] = (), **x: Any) -> tuple[alt.Chart, alt.Chart]:
    """Return a bar from `low` to `high` and a dot at `value` for each row; `x` describes the axis."""
    base = alt.Chart(chart_data(values)).encode(y=y)
    bars = base.transform_filter("isValid(datum.low) && isValid(datum.high)").mark_rule(
        strokeWidth=3, opacity=0.35, color=PALETTE["accent"]
    )
    dots = base.mark_point(filled=True, size=55, opacity=1, color=PALETTE["accent"])
    if tooltip:
        dots = dots.encode(tooltip=list(tooltip))
    return bars.encode(x=alt.X("low:Q", **x), x2="high:Q"), dots.encode(x=alt.X("value:Q", **x))


def draw_honest_line(x: str, y: str, low: float, high: float) -> alt.Chart:
    """Return the dashed diagonal on which both axes have the same value."""
    ends = alt.Chart(chart_data([{x: end, y: end} for end in (low, high)]))
    line: alt.Chart = ends.mark_line(strokeDash=[4, 3], color=PALETTE["muted"], strokeWidth=1)
    return line


def colour_series(series: Sequence[str]) -> alt.Color:
    """Return a colour for each series; a single series needs no legend."""
    legend = alt.Legend() if len(series) > 1 else None
    return alt.Color("series:N", scale=alt.Scale(domain=list(series), range=SERIES), legend=legend)


def shape_series(series: Sequence[str]) -> alt.Shape:
    """Return a shape for each series; a single series needs no legend."""
    legend = alt.Legend() if len(series) > 1 else None
    return alt.Shape("series:N", scale=alt.Scale(domain=list(series), range=SHAPES), legend=legend)


def _list_series(rows: Sequence[RateRow]) -> list[str]:
    return list(dict.fromkeys(row.series for row in rows))


def _chart_rates(rows: Sequence[RateRow]) -> alt.Chart:
    known = [(row, row.rate) for row in rows if row.rate.value is not None]
    return alt.Chart(
        chart_data(
            [
                {"label": row.label, "series": row.series, "value": rate.value, "low": rate.low, "high": rate.high}
                for row, rate in known
            ]
        )
    )


def _draw_rates(base: alt.Chart, rows: Sequence[RateRow], way: str) -> tuple[alt.Chart, alt.Chart]:
    """Return bars for the intervals and points for the values, along `x` or `y`."""
    series, axis = _list_series(rows), {"x": alt.X, "y": alt.Y}[way]
    ends: Mapping[str, Any] = {way: axis("low:Q", scale=WHOLE, axis=PERCENT, title=None), f"{way}2": "high:Q"}
    bars = base.mark_rule(strokeWidth=3, opacity=0.35).encode(color=colour_series(series), **ends)
    tooltip = [alt.Tooltip("label:N"), alt.Tooltip("series:N")]
    tooltip += [alt.Tooltip(f"{name}:Q", format=".1%") for name in ("value", "low", "high")]
    place: Mapping[str, Any] = {way: "value:Q"}
    points = base.mark_point(filled=True, size=55, opacity=1).encode(
        color=colour_series(series), shape=shape_series(series), tooltip=tooltip, **place
    )
    return bars, points
