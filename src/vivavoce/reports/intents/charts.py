"""Charts of an exam: one definition for notebook, page and report. Each has a table of its numbers beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from vivavoce.intents.findings import IntentFindings, SettingFindings
from vivavoce.intents.pairs import CLASH_LEVEL, Pair
from vivavoce.intents.problems import weakest_topics
from vivavoce.intents.result import IntentsResult
from vivavoce.records import Rate
from vivavoce.reports.intents import wording
from vivavoce.reports.intents.choices import confused_cells, confused_topics
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.reports.shared.svg import PALETTE, AnyChart, to_svg
from vivavoce.sentences import say

__all__ = [
    "RateRow",
    "calibration_chart",
    "comparison_chart",
    "confusion_chart",
    "overlap_chart",
    "risk_coverage_chart",
    "settings_chart",
    "sizes_chart",
    "timeline_chart",
    "to_svg",
    "topics_chart",
]

# Narrow enough to be read on a phone, and for two of them to stand side by side on a desk.
WIDTH = 290
LABELS = 150
SERIES = [PALETTE[name] for name in ("right", "wrong", "third", "fourth", "fifth", "sixth")]
SHAPES = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross"]
MAIN = ("automation_rate", "precision_answered", "negative_rejection", "accuracy")
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


# --- dots with intervals -----------------------------------------------------------------------------------


def settings_chart(result: IntentsResult) -> AnyChart:
    """Draw the main numbers of each setting with their intervals."""
    shown = [findings for findings in result.settings if findings.same_as is None]
    rows = [
        RateRow(MEASURES[name].title, f"{wording.setting_title(findings)} {findings.setting}", findings.rates[name])
        for name in MAIN
        for findings in shown
    ]
    return comparison_chart(rows, description=say("The main numbers under each setting, with their intervals."))


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


def overlap_chart(pairs: Sequence[Pair]) -> AnyChart:
    """Draw the overlap of each pair with its interval; the rule is the level at which two topics clash."""
    values = [
        {"pair": f"{pair.a}\n{pair.b}", "value": pair.overlap, "low": pair.low, "high": pair.high} for pair in pairs
    ]
    # The two names of a pair stand on two lines.
    lines = alt.Axis(labelExpr="split(datum.value, '\\n')", labelLineHeight=13, labelLimit=170)
    base = alt.Chart(chart_data(values)).encode(y=alt.Y("pair:N", sort=None, title=None, axis=lines))
    bars = base.mark_rule(strokeWidth=3, opacity=0.35, color=PALETTE["right"]).encode(
        x=alt.X("low:Q", scale=WHOLE, axis=PERCENT, title=say("overlap")), x2="high:Q"
    )
    dots = base.mark_point(filled=True, size=55, opacity=1, color=PALETTE["right"]).encode(x="value:Q")
    level = alt.Chart(chart_data([{"level": CLASH_LEVEL}])).mark_rule(strokeDash=[4, 3], color=PALETTE["wrong"])
    chart = alt.layer(level.encode(x="level:Q"), bars, dots)
    return themed(
        chart.properties(width=WIDTH - 50, height=alt.Step(38)),
        say(
            f"Overlap of the most confused pairs; dashed line: the clash level of {wording.share_text(CLASH_LEVEL)}."
        ),
    )


# --- how sure it is ----------------------------------------------------------------------------------------


def risk_coverage_chart(findings: SettingFindings, threshold: float) -> AnyChart:
    """Draw how many answers are wrong when the bot answers more; the dot is the present threshold."""
    curve = findings.curve
    # A handful of the surest answers says nothing about a rate: the curve begins where 20 were given.
    first = min(20, len(curve.coverage) - 1)
    places = [place for place in sorted({*curve.steps(), *curve.tenths()}) if place >= first]
    values = [{"coverage": float(curve.coverage[p]), "risk": float(curve.risk[p])} for p in places]
    top = max([0.1, *[value["risk"] for value in values]])
    base = alt.Chart(chart_data(values)).encode(
        x=alt.X("coverage:Q", scale=WHOLE, axis=PERCENT, title=say("questions answered")),
        y=alt.Y("risk:Q", scale=alt.Scale(domain=[0, min(1, top)]), axis=PERCENT, title=say("answers wrong")),
    )
    line = base.mark_line(strokeWidth=2, color=PALETTE["right"])
    dot = alt.Chart(chart_data(_present(findings, threshold))).mark_point(
        filled=True, size=90, opacity=1, color=PALETTE["wrong"], shape="diamond"
    )
    chart = alt.layer(line, dot.encode(x="coverage:Q", y="risk:Q"))
    words = say(f"Wrong answers against answered questions; the diamond is the present threshold of {threshold:g}.")
    return themed(chart.properties(width=WIDTH + 60, height=220), words)


def _present(findings: SettingFindings, threshold: float) -> Values:
    answered = findings.curve.answered(threshold)
    if not answered:
        return []
    return [
        {"coverage": float(findings.curve.coverage[answered - 1]), "risk": float(findings.curve.risk[answered - 1])}
    ]


def calibration_chart(findings: SettingFindings) -> AnyChart:
    """Draw how often the bot is right against how sure it says it is; on the dashed line it is honest."""
    values = [{"confidence": b.confidence, "right": b.right, "n": b.n} for b in findings.bins]
    base = alt.Chart(chart_data(values)).encode(
        x=alt.X("confidence:Q", scale=WHOLE, axis=PERCENT, title=say("how sure it says it is")),
        y=alt.Y("right:Q", scale=WHOLE, axis=PERCENT, title=say("how often it is right")),
    )
    ends = [{"confidence": 0.0, "right": 0.0}, {"confidence": 1.0, "right": 1.0}]
    honest = alt.Chart(chart_data(ends)).mark_line(strokeDash=[4, 3], color=PALETTE["muted"], strokeWidth=1)
    chart = alt.layer(
        honest.encode(x="confidence:Q", y="right:Q"),
        base.mark_line(color=PALETTE["right"], strokeWidth=1.5),
        base.mark_point(filled=True, size=45, opacity=1, color=PALETTE["right"]),
    )
    return themed(
        chart.properties(width=WIDTH + 60, height=220),
        say("How often the bot is right against how sure it says it is."),
    )


# --- topics ------------------------------------------------------------------------------------------------


def topics_chart(findings: SettingFindings, most: int = 20) -> AnyChart:
    """Draw right, deferred and wrong for the topics that are found least often."""
    names = (say("right"), say("deferred"), say("wrong"))
    values = [
        {"topic": line.intent, "what": what, "order": place, "share": share}
        for line in weakest_topics(findings, most)
        for place, (what, share) in enumerate(zip(names, topic_parts(line), strict=True))
    ]
    scale = alt.Scale(domain=list(names), range=[PALETTE[name] for name in names])
    chart = (
        alt.Chart(chart_data(values))
        .mark_bar(height={"band": 0.72}, stroke=PALETTE["page"], strokeWidth=1)
        .encode(
            x=alt.X("share:Q", scale=WHOLE, axis=PERCENT, title=None, stack="zero"),
            y=alt.Y("topic:N", sort=None, title=None),
            color=alt.Color("what:N", scale=scale, legend=alt.Legend(direction="horizontal")),
            order=alt.Order("order:Q"),
            tooltip=["topic:N", "what:N", alt.Tooltip("share:Q", format=".1%")],
        )
    )
    return themed(
        chart.properties(width=WIDTH - 30, height=alt.Step(17)),
        say("Share of right, deferred and wrong for the topics found least often."),
    )


def topic_parts(line: IntentFindings) -> tuple[float, float, float]:
    """Return the shares of right, deferred and wrong of a topic's questions."""
    right, deferred = line.recall.value or 0.0, line.deferred.value or 0.0
    return right, deferred, max(0.0, 1.0 - right - deferred)


def confusion_chart(findings: SettingFindings, most: int = 15) -> AnyChart:
    """Draw which topics are taken for which, among those most confused; the stronger, the larger the share."""
    topics = list(confused_topics(findings, most))
    values = confusion_values(findings, topics)
    largest = max([0.1, *[value["share"] for value in values]])
    chart = (
        alt.Chart(chart_data(values))
        .mark_rect(color=PALETTE["wrong"], cornerRadius=2)
        .encode(
            x=alt.X("guess:N", scale=alt.Scale(domain=topics), title=None, axis=_slanted()),
            y=alt.Y(
                "origin:N", scale=alt.Scale(domain=topics), title=None, axis=alt.Axis(grid=True, tickBand="extent")
            ),
            opacity=alt.Opacity("share:Q", scale=alt.Scale(domain=[0, largest], range=[0.06, 1]), legend=None),
            tooltip=["origin:N", "guess:N", "count:Q", alt.Tooltip("share:Q", format=".1%")],
        )
    )
    return themed(
        chart.properties(width=alt.Step(17), height=alt.Step(17)),
        say("Which topics are taken for which: the row is the true topic, the column the guess."),
    )


def _slanted() -> alt.Axis:
    return alt.Axis(labelAngle=-90, labelLimit=120, grid=True, orient="top", tickBand="extent")


def confusion_values(findings: SettingFindings, topics: Sequence[str]) -> Values:
    """Return the mistaken guesses among these topics, as counts and as shares of the true topic's tests."""
    totals: dict[str | None, int] = {}
    for cell in findings.confusion:
        if not cell.negative:
            totals[cell.origin] = totals.get(cell.origin, 0) + cell.answered + cell.deferred
    return [
        {
            "origin": cell.origin,
            "guess": cell.guess,
            "count": cell.answered + cell.deferred,
            "share": (cell.answered + cell.deferred) / totals[cell.origin],
        }
        for cell in confused_cells(findings)
        if cell.origin in topics and cell.guess in topics
    ]


def sizes_chart(sizes: Mapping[str, int]) -> AnyChart:
    """Draw how many examples each topic has, largest first: the shape of the long tail."""
    ordered = sorted(sizes.items(), key=lambda item: (-item[1], item[0]))
    values = [{"rank": place, "topic": topic, "examples": n} for place, (topic, n) in enumerate(ordered, 1)]
    chart = (
        alt.Chart(chart_data(values))
        .mark_bar(color=PALETTE["right"], width={"band": 0.8})
        .encode(
            x=alt.X("rank:O", title=say("topics, largest first"), axis=alt.Axis(labels=False)),
            y=alt.Y("examples:Q", title=say("examples"), axis=alt.Axis(tickCount=4)),
            tooltip=["topic:N", "examples:Q"],
        )
    )
    return themed(chart.properties(width=WIDTH + 60, height=160), say("Examples of each topic, largest first."))
