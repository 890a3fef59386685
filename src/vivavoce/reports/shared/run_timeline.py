"""Numbers of many runs over time, with a mark for every change between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import altair as alt

from vivavoce.records import Rate
from vivavoce.reports.shared.charts import PERCENT, SERIES, SHAPES, WHOLE, WIDTH, chart_data, themed
from vivavoce.reports.shared.svg import PALETTE, AnyChart

# Points are shown where they can be told apart; more of them would also make the picture heavy.
MOST_POINTS = 30
MOST_MARKS = 60


@dataclass(frozen=True, slots=True)
class RunPoint:
    """A number of one run; `series` is what it belongs to. `when` and `said` are the time and the number in words."""

    at: datetime
    run: str
    series: str
    rate: Rate
    when: str
    said: str


@dataclass(frozen=True, slots=True)
class ChangeMark:
    """A change at a moment, in one sentence; `when` is the moment in words, `day` its day."""

    at: datetime
    text: str
    when: str
    day: str


@dataclass(frozen=True, slots=True)
class PointerWords:
    """What stands before each fact under the pointer."""

    run: str = "Run"
    when: str = "When"
    series: str = "Setting"
    said: str = "Value"
    change: str = "Change"


def run_timeline_chart(
    points: Sequence[RunPoint],
    marks: Sequence[ChangeMark],
    *,
    description: str,
    share: bool = True,
    words: PointerWords = PointerWords(),
) -> AnyChart:
    """Draw each series as a line with a band for its interval, and changes as thin upright lines behind."""
    series = list(dict.fromkeys(point.series for point in points))
    values = [_value(point) for point in points if point.rate.value is not None]
    base = alt.Chart(chart_data(values)).encode(x=_time())
    legend = alt.Legend() if len(series) > 1 else None
    colour = alt.Color("series:N", scale=alt.Scale(domain=series, range=SERIES), legend=legend)
    axis = PERCENT if share else alt.Axis(format=".2f", tickCount=5)
    y = alt.Y("value:Q", scale=WHOLE, axis=axis, title=None)
    band = base.mark_area(opacity=0.16).encode(alt.Y("low:Q", scale=WHOLE, axis=axis, title=None), alt.Y2("high:Q"))
    layers = [
        *([_marks(marks, words)] if marks else []),
        band.encode(color=colour),
        base.mark_line(strokeWidth=2).encode(y=y, color=colour),
    ]
    if len({point.at for point in points}) <= MOST_POINTS:
        layers.append(_dots(base, y, colour, series, words))
    return themed(alt.layer(*layers).properties(width=WIDTH * 2, height=240), description)


def _time() -> alt.X:
    return alt.X("at:T", scale=alt.Scale(type="utc"), title=None, axis=alt.Axis(tickCount=6, grid=False))


def _value(point: RunPoint) -> dict[str, object]:
    rate = point.rate
    told = {"at": _stamp(point.at), "run": point.run, "series": point.series, "when": point.when, "said": point.said}
    return {**told, "value": rate.value, "low": rate.low, "high": rate.high}


def _dots(base: alt.Chart, y: alt.Y, colour: alt.Color, series: Sequence[str], words: PointerWords) -> alt.Chart:
    legend = alt.Legend() if len(series) > 1 else None
    shape = alt.Shape("series:N", scale=alt.Scale(domain=list(series), range=SHAPES), legend=legend)
    shown = [alt.Tooltip(f"{name}:N", title=getattr(words, name)) for name in ("run", "when", "series", "said")]
    dots: alt.Chart = base.mark_point(filled=True, size=45, opacity=1).encode(
        y=y, color=colour, shape=shape, tooltip=shown
    )
    return dots


def _marks(marks: Sequence[ChangeMark], words: PointerWords) -> alt.Chart:
    """Draw one line for each moment; many changes become one line a day."""
    found: dict[str, list[ChangeMark]] = {}
    daily = len({mark.at for mark in marks}) > MOST_MARKS
    for mark in marks:
        moment = mark.at.replace(hour=12, minute=0, second=0, microsecond=0) if daily else mark.at
        found.setdefault(_stamp(moment), []).append(mark)
    values = [
        {"at": at, "when": own[0].day if daily else own[0].when, "change": _joined([one.text for one in own])}
        for at, own in found.items()
    ]
    shown = [alt.Tooltip(f"{name}:N", title=getattr(words, name)) for name in ("when", "change")]
    base = alt.Chart(chart_data(values)).encode(x=_time(), tooltip=shown)
    lines: alt.Chart = base.mark_rule(strokeWidth=1.5, strokeDash=[3, 3], color=PALETTE["muted"], opacity=0.7)
    return lines


def _joined(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{texts[0]} (and {len(texts) - 1:,} more)"


def _stamp(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
