"""Charts of an exam: one definition for notebook, page and report. Each has a table of its numbers beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt

from vivavoce.intents.comparison import ClassifierFindings, ComparisonResult
from vivavoce.intents.findings import IntentFindings, SettingFindings
from vivavoce.intents.pairs import CLASH_LEVEL, Pair
from vivavoce.intents.problems import ENOUGH_TESTED, weakest_topics
from vivavoce.intents.result import IntentsResult
from vivavoce.intents.splits import Setting
from vivavoce.messages import say, say_count
from vivavoce.records import Rate
from vivavoce.reports.intents import wording
from vivavoce.reports.intents.choices import confused_cells, confused_topics, ranked_pairs, untold_topics
from vivavoce.reports.intents.meanings import MAIN, MEASURES
from vivavoce.reports.shared.charts import (
    PERCENT,
    WHOLE,
    WIDTH,
    RateRow,
    Values,
    chart_data,
    comparison_chart,
    themed,
)
from vivavoce.reports.shared.figures import Figure, figures_by_name
from vivavoce.reports.shared.numbers import share_text
from vivavoce.reports.shared.svg import PALETTE, AnyChart

MOST_PAIRS = 12
MOST_CONFUSED = 15
NOTHING = Rate(None, None, None, 0)


# --- dots with intervals -----------------------------------------------------------------------------------


def settings_chart(result: IntentsResult) -> AnyChart:
    """Draw the main numbers of each setting with their intervals."""
    shown = [findings for findings in result.settings if findings.same_as is None]
    rows = [
        RateRow(MEASURES[name].title, wording.setting_title(findings) + f" {findings.setting}", findings.rates[name])
        for name in MAIN
        for findings in shown
    ]
    return comparison_chart(rows, description=say("The main numbers under each setting, with their intervals."))


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
            "Overlap of the most confused pairs; dashed line: the clash level of {share_text}.",
            share_text=share_text(CLASH_LEVEL),
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
    words = say(
        "Wrong answers against answered questions; the diamond is the present threshold of {threshold:g}.",
        threshold=threshold,
    )
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
            x=alt.X(
                "guess:N",
                scale=alt.Scale(domain=topics),
                title=None,
                axis=alt.Axis(labelAngle=-90, labelLimit=120, grid=True, orient="top", tickBand="extent"),
            ),
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


# --- figures: charts with their titles ---------------------------------------------------------------------------


def intents_figures(result: IntentsResult) -> dict[str, Figure]:
    """Return all figures of an intents exam; none where no setting could be examined."""
    if not result.settings:
        return {}
    first, pairs = result.settings[0], ranked_pairs(result, MOST_PAIRS)
    return figures_by_name(
        [
            settings_figure(result),
            risk_figure(first, result.threshold),
            calibration_figure(first),
            *([topics_figure(first)] if weakest_topics(first, 1) else []),
            *([confusion_figure(first)] if confused_topics(first) else []),
            *([pairs_figure(pairs)] if pairs else []),
            sizes_figure({line.intent: line.examples for line in first.intents}),
        ]
    )


def settings_figure(result: IntentsResult) -> Figure:
    """Return the main numbers of each setting."""
    return Figure(
        "settings",
        say("The main numbers under each setting"),
        say("Dot: value; bar: interval."),
        settings_chart(result),
    )


def risk_figure(findings: SettingFindings, threshold: float) -> Figure:
    """Return the trade between answering more and being wrong more often."""
    return Figure(
        "risk-coverage",
        say("Answer more, err more"),
        say(
            "The surest questions are answered first. The diamond is the present threshold of {threshold:g}.",
            threshold=threshold,
        ),
        risk_coverage_chart(findings, threshold),
    )


def calibration_figure(findings: SettingFindings) -> Figure:
    """Return how often the bot is right against how sure it is."""
    return Figure(
        "calibration",
        say("Does it know how sure it is?"),
        say("On the dashed line the bot is as often right as it claims; above it, it is too modest."),
        calibration_chart(findings),
    )


def topics_figure(findings: SettingFindings) -> Figure:
    """Return the topics that are found least often."""
    few = untold_topics(findings)
    told = say("What became of their questions.")
    if few:
        told += " " + say(
            "{topics} with under {enough_tested} tested examples left out.",
            topics=say_count(few, "{n} topic", "{n} topics"),
            enough_tested=ENOUGH_TESTED,
        )
    return Figure("topics", say("The weakest topics"), told, topics_chart(findings))


def confusion_figure(findings: SettingFindings) -> Figure:
    """Return which topics are taken for which."""
    told = say(
        "Row: the true topic; column: the guess, answered or not. The stronger, the larger the share of the row."
    )
    every = len(confused_topics(findings))
    if every > MOST_CONFUSED:
        told += " " + say(
            "The {most_confused} most confused of {every:,} topics with mistakes.",
            most_confused=MOST_CONFUSED,
            every=every,
        )
    chart = confusion_chart(findings, MOST_CONFUSED)
    return Figure("confusion", say("What is taken for what"), told, chart)


def pairs_figure(pairs: Sequence[Pair]) -> Figure:
    """Return the overlap of pairs of topics."""
    return Figure(
        "overlap",
        say("The pairs that overlap most"),
        say("Dot: overlap; bar: its interval; dashed line: the level at which two topics clash."),
        overlap_chart(pairs),
    )


def sizes_figure(sizes: Mapping[str, int]) -> Figure:
    """Return how many examples the topics have."""
    meaning = say("Small topics are hard to learn and to test.")
    return Figure("sizes", say("How large the topics are"), meaning, sizes_chart(sizes))


def comparison_figures(result: ComparisonResult) -> dict[str, Figure]:
    """Return all figures of a comparison of classifiers."""
    return figures_by_name([accuracy_figure(result)])


def accuracy_figure(result: ComparisonResult) -> Figure:
    """Return how often each classifier decides rightly in each setting."""
    dots = [
        RateRow(say("Setting") + f" {setting}", one.name, accuracy_in(one, setting))
        for setting in own_settings(result)
        for one in result.classifiers
    ]
    return Figure("accuracy", say("Decisions right"), MEASURES["accuracy"].meaning, comparison_chart(dots))


def own_settings(result: ComparisonResult) -> list[Setting]:
    """Return the settings that were run; one that equals another is not shown twice."""
    return [findings.setting for findings in result.classifiers[0].settings if findings.same_as is None]


def accuracy_in(one: ClassifierFindings, setting: Setting) -> Rate:
    """Return how often a classifier decides rightly in a setting; nothing where it was not examined there."""
    return next((f.rates["accuracy"] for f in one.settings if f.setting == setting), NOTHING)
