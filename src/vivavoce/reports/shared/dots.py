"""Dots with ranges on shared axes: differences around zero, and several numbers of the same things side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt

from vivavoce.records import Rate
from vivavoce.reports.shared.charts import apply_theme, chart_data
from vivavoce.reports.shared.svg import PALETTE

DotTone = Literal["accent", "good", "bad", "muted"]
STEP = 34


@dataclass(frozen=True, slots=True)
class Dot:
    """One value with its range; `said` is the value in words, and `tone` whether it is good, bad or neither."""

    label: str
    rate: Rate
    said: str
    tone: DotTone = "accent"


@dataclass(frozen=True, slots=True)
class Panel:
    """Some dots on one axis. `signed`: differences, with a line at zero. `none`: what stands where no value is."""

    title: str
    dots: tuple[Dot, ...]
    signed: bool = False
    none: str = ""

    @property
    def ends(self) -> tuple[float, float]:
        """Where the axis begins and ends: around all ranges, at round values."""
        rates = [dot.rate for dot in self.dots if dot.rate.value is not None]
        ends = [end for rate in rates for end in (rate.value, rate.low, rate.high) if end is not None]
        if self.signed:
            most = max([abs(end) for end in ends], default=0.05)
            most = 0.05 * -int(-(most + 0.01) // 0.05)
            return -most, most
        low, high = min(ends, default=0.0), max(ends, default=1.0)
        return max(0.0, 0.1 * int((low - 0.02) * 10)), min(1.0, 0.1 * (int((high + 0.02) * 10) + 1))


def dot_panels(panels: Sequence[Panel], *, width: int, columns: int, labels: int, description: str) -> Any:
    """Draw panels in so many columns; names stand at the first of each row, cut to `labels` pixels."""
    drawn = [_draw_panel(panel, width, labels, named=place % columns == 0) for place, panel in enumerate(panels)]
    chart: Any = drawn[0] if len(drawn) == 1 else alt.concat(*drawn, columns=columns, spacing=18)
    return apply_theme(chart, description)


def _draw_panel(panel: Panel, width: int, labels: int, *, named: bool) -> Any:
    rows = [
        {
            "label": dot.label,
            "value": dot.rate.value,
            "low": dot.rate.low,
            "high": dot.rate.high,
            "said": dot.said if dot.rate.value is not None else panel.none,
            "tone": dot.tone,
            # Where there is no value, its place says so.
            "place": dot.rate.value if dot.rate.value is not None else sum(panel.ends) / 2,
        }
        for dot in panel.dots
    ]
    low, high = panel.ends
    scale = alt.Scale(domain=[low, high], nice=False, zero=False)
    sign = "(datum.value > 0.0001 ? '+' : '') + " if panel.signed else ""
    unit = "" if panel.signed else " + ' %'"
    words, ticks = f"{sign}format(100 * datum.value, '.0f'){unit}", max(2, width // 70)
    axis = alt.Axis(labelExpr=words, tickCount=ticks, grid=True, labelFlush=False)
    names = alt.Axis(labelLimit=labels, labelPadding=10, grid=False) if named else None
    y = alt.Y("label:N", sort=None, title=None, axis=names, scale=alt.Scale(paddingInner=0, paddingOuter=0.2))
    base = alt.Chart(chart_data(rows)).encode(y=y)
    tones = alt.Scale(domain=["accent", "good", "bad", "muted"], range=[PALETTE[t] for t in _TONES])
    colour = alt.Color("tone:N", scale=tones, legend=None)
    bars = base.transform_filter("isValid(datum.low) && isValid(datum.high)").mark_rule(strokeWidth=3, opacity=0.5)
    dots = base.transform_filter("isValid(datum.value)").mark_point(filled=True, size=75, opacity=1)
    texts = base.mark_text(dy=-11, fontSize=12, fontWeight="bold", color=PALETTE["ink"])
    zero = alt.Chart(chart_data([{"value": 0}])).mark_rule(color=PALETTE["muted"], strokeWidth=1)
    layers: list[Any] = [
        *([zero.encode(x=alt.X("value:Q", scale=scale, axis=axis, title=None))] if panel.signed else []),
        bars.encode(x=alt.X("low:Q", scale=scale, axis=axis, title=None), x2="high:Q", color=colour),
        dots.encode(x=alt.X("value:Q", scale=scale), color=colour),
        texts.encode(x=alt.X("place:Q", scale=scale), text="said:N"),
    ]
    chart = alt.layer(*layers).properties(width=width, height=alt.Step(STEP))
    if not panel.title:
        return chart
    return chart.properties(
        title=alt.Title(panel.title, anchor="start", frame="group", fontSize=12, color=PALETTE["ink"])
    )


_TONES: tuple[DotTone, ...] = ("accent", "good", "bad", "muted")
