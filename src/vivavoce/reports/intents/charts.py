"""Figures of the intents exam: one definition for notebook, page and report. A table beside each has its numbers."""

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
from vivavoce.reports.intents.choices import confused_cells, confused_topics, count_untested, ranked_pairs
from vivavoce.reports.intents.meanings import MAIN, MEASURES
from vivavoce.reports.shared.charts import (
    PERCENT,
    WHOLE,
    WIDTH,
    Figure,
    RateRow,
    Values,
    apply_theme,
    chart_data,
    comparison_chart,
    draw_honest_line,
    draw_intervals,
    figures_by_name,
)
from vivavoce.reports.shared.numbers import share_text
from vivavoce.reports.shared.svg import PALETTE, AnyChart

MAX_PAIRS = 12
MAX_CONFUSED = 15
NOTHING = Rate(None, None, None, 0)


def intents_figures(result: IntentsResult) -> dict[str, Figure]:
    """Return all figures of an intents exam; none if no setting could be examined."""
    if not result.settings:
        return {}
    first, pairs = result.settings[0], ranked_pairs(result, MAX_PAIRS)
    return figures_by_name(
        [
            settings_figure(result),
            risk_figure(first, result.threshold),
            calibration_figure(first),
            *([topics_figure(first)] if weakest_topics(first, 1) else []),
            *([confusion_figure(first)] if confused_topics(first) else []),
            *([overlap_figure(pairs)] if pairs else []),
            sizes_figure({line.intent: line.examples for line in first.intents}),
        ]
    )


def settings_figure(result: IntentsResult) -> Figure:
    """Draw the main numbers of each setting with their intervals."""
    distinct = [findings for findings in result.settings if findings.same_as is None]
    rows = [
        RateRow(MEASURES[name].title, wording.setting_title(findings), findings.rates[name])
        for name in MAIN
        for findings in distinct
    ]
    chart = comparison_chart(rows, description=say("The main numbers for each setting, with intervals."))
    return Figure("settings", say("Test conditions"), say("Dot: value; bar: interval."), chart)


def overlap_figure(pairs: Sequence[Pair]) -> Figure:
    """Draw the overlap of each pair with its interval; the rule is the level at which two topics clash."""
    values = [
        {"pair": f"{pair.a}\n{pair.b}", "value": pair.overlap, "low": pair.low, "high": pair.high} for pair in pairs
    ]
    # The two names of a pair are on two lines.
    lines = alt.Axis(labelExpr="split(datum.value, '\\n')", labelLineHeight=13, labelLimit=170)
    y = alt.Y("pair:N", sort=None, title=None, axis=lines)
    level = alt.Chart(chart_data([{"level": CLASH_LEVEL}])).mark_rule(strokeDash=[4, 3], color=PALETTE["wrong"])
    dots = draw_intervals(values, y, scale=WHOLE, axis=PERCENT, title=say("overlap"))
    chart = apply_theme(
        alt.layer(level.encode(x="level:Q"), *dots).properties(width=WIDTH - 50, height=alt.Step(38)),
        say(
            "Overlap of the most confused pairs; dashed line: the conflict level of {share_text}.",
            share_text=share_text(CLASH_LEVEL),
        ),
    )
    meaning = say("Dot: overlap; bar: interval; dashed line: the level at which two topics conflict.")
    return Figure("overlap", say("Most overlapping pairs"), meaning, chart)


def risk_figure(findings: SettingFindings, threshold: float) -> Figure:
    """Draw how many answers are wrong when the bot answers more; the dot is the present threshold."""
    curve = findings.curve
    # A handful of the surest answers says nothing about a rate: the curve begins where 20 were given.
    first = min(20, len(curve.coverage) - 1)
    places = [place for place in sorted({*curve.steps(), *curve.tenths()}) if place >= first]
    values = [{"coverage": float(curve.coverage[p]), "risk": float(curve.risk[p])} for p in places]
    top = max([0.1, *[value["risk"] for value in values]])
    base = alt.Chart(chart_data(values)).encode(
        x=alt.X("coverage:Q", scale=WHOLE, axis=PERCENT, title=say("questions answered")),
        y=alt.Y("risk:Q", scale=alt.Scale(domain=[0, min(1, top)]), axis=PERCENT, title=say("wrong answers")),
    )
    answered = curve.answered(threshold)
    present = [(curve.coverage[answered - 1], curve.risk[answered - 1])] if answered else []
    dot = alt.Chart(chart_data([{"coverage": float(x), "risk": float(y)} for x, y in present])).mark_point(
        filled=True, size=90, opacity=1, color=PALETTE["wrong"], shape="diamond"
    )
    chart = alt.layer(
        base.mark_line(strokeWidth=2, color=PALETTE["right"]), dot.encode(x="coverage:Q", y="risk:Q")
    ).properties(width=WIDTH + 60, height=220)
    description = say(
        "Wrong answers against answered questions; the diamond is the current threshold of {threshold:g}.",
        threshold=threshold,
    )
    meaning = say(
        "Questions with the highest confidence are answered first. The diamond is the current "
        "threshold of {threshold:g}.",
        threshold=threshold,
    )
    return Figure("risk-coverage", say("Wrong answers by share answered"), meaning, apply_theme(chart, description))


def threshold_chart(
    points: Sequence[tuple[float, Rate, Rate, Rate]], present: float, tried: float, *, width: int
) -> AnyChart:
    """Draw what a bot answers, gets right and declines at every threshold; rules mark the present and a tried one."""
    names = (say("Answered"), say("Correct answers"), say("Out of scope declined"))
    colours = [PALETTE[key] for key in ("accent", "good", "hold")]
    values = [
        {"threshold": threshold, "what": what, "share": rate.value, "low": rate.low, "high": rate.high}
        for threshold, *rates in points
        for what, rate in zip(names, rates, strict=True)
        if rate.value is not None
    ]
    axis = alt.Axis(tickCount=10 if width > 2 * WIDTH else 5, format=".1f")
    x = alt.X("threshold:Q", scale=WHOLE, axis=axis, title=say("threshold: how sure the bot must be to answer"))
    shown = [name for name in names if any(value["what"] == name for value in values)]
    scale = alt.Scale(domain=shown, range=colours[: len(shown)] if len(shown) == len(names) else colours)
    legend = alt.Legend(
        direction="horizontal" if width > WIDTH * 2 else "vertical", symbolType="stroke", symbolStrokeWidth=3
    )
    base = alt.Chart(chart_data(values)).encode(x=x, color=alt.Color("what:N", scale=scale, legend=legend))
    marks = [{"threshold": present, "what": say("this exam")}]
    marks += [{"threshold": tried, "what": say("tried")}] if tried != present else []
    rules = alt.Chart(chart_data(marks)).encode(x="threshold:Q")
    chart = alt.layer(
        base.mark_area(opacity=0.14).encode(y=alt.Y("low:Q", scale=WHOLE, axis=PERCENT, title=None), y2="high:Q"),
        base.mark_line(strokeWidth=2.5).encode(y=alt.Y("share:Q", scale=WHOLE, axis=PERCENT, title=None)),
        rules.mark_rule(color=PALETTE["ink"], strokeDash=[4, 3]),
        rules.mark_text(align="left", dx=4, dy=-102, fontSize=12, color=PALETTE["ink"]).encode(text="what:N"),
    ).properties(width=width, height=220)
    return apply_theme(chart, say("What the bot answers, gets right and declines at every threshold from 0 to 1."))


def calibration_figure(findings: SettingFindings) -> Figure:
    """Draw how often the bot is right against how sure it says it is; on the dashed line it is honest."""
    values = [{"confidence": b.confidence, "right": b.right, "n": b.n} for b in findings.bins]
    base = alt.Chart(chart_data(values)).encode(
        x=alt.X("confidence:Q", scale=WHOLE, axis=PERCENT, title=say("stated confidence")),
        y=alt.Y("right:Q", scale=WHOLE, axis=PERCENT, title=say("share right")),
    )
    chart = alt.layer(
        draw_honest_line("confidence", "right", 0.0, 1.0).encode(x="confidence:Q", y="right:Q"),
        base.mark_line(color=PALETTE["right"], strokeWidth=1.5),
        base.mark_point(filled=True, size=45, opacity=1, color=PALETTE["right"]),
    ).properties(width=WIDTH + 60, height=220)
    return Figure(
        "calibration",
        say("Confidence calibration"),
        say(
            "On the dashed line, the bot is right as often as it claims; above it, the bot is more "
            "often right than it claims."
        ),
        apply_theme(chart, say("Share right against the bot's stated confidence.")),
    )


def topics_figure(findings: SettingFindings, most: int = 20) -> Figure:
    """Draw right, declined and wrong for the topics that are found least often."""
    names = (say("right"), say("declined"), say("wrong"))
    values = [
        {"topic": line.intent, "what": what, "order": place, "share": share}
        for line in weakest_topics(findings, most)
        for place, (what, share) in enumerate(zip(names, topic_parts(line), strict=True))
    ]
    scale = alt.Scale(domain=list(names), range=[PALETTE[key] for key in ("right", "deferred", "wrong")])
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
        .properties(width=WIDTH - 30, height=alt.Step(17))
    )
    few, meaning = count_untested(findings), say("Outcomes of their questions.")
    if few:
        meaning += " " + say(
            "{topics} with fewer than {enough_tested} tested examples not shown.",
            topics=say_count(few, "{n} topic", "{n} topics"),
            enough_tested=ENOUGH_TESTED,
        )
    description = say("Share of right, declined and wrong for the topics found least often.")
    return Figure("topics", say("Weakest topics"), meaning, apply_theme(chart, description))


def topic_parts(line: IntentFindings) -> tuple[float, float, float]:
    """Return the shares of right, deferred and wrong of a topic's questions."""
    right, deferred = line.recall.value or 0.0, line.deferred.value or 0.0
    return right, deferred, max(0.0, 1.0 - right - deferred)


def confusion_figure(findings: SettingFindings) -> Figure:
    """Draw which topics are taken for which, among those most confused; the stronger, the larger the share."""
    topics = list(confused_topics(findings, MAX_CONFUSED))
    values = confusion_values(findings, topics)
    largest = max([0.1, *[value["share"] for value in values]])
    axis = alt.Axis(labelAngle=-90, labelLimit=120, grid=True, orient="top", tickBand="extent")
    side = alt.Axis(grid=True, tickBand="extent")
    chart = (
        alt.Chart(chart_data(values))
        .mark_rect(color=PALETTE["wrong"], cornerRadius=2)
        .encode(
            x=alt.X("guess:N", scale=alt.Scale(domain=topics), title=None, axis=axis),
            y=alt.Y("origin:N", scale=alt.Scale(domain=topics), title=None, axis=side),
            opacity=alt.Opacity("share:Q", scale=alt.Scale(domain=[0, largest], range=[0.06, 1]), legend=None),
            tooltip=["origin:N", "guess:N", "count:Q", alt.Tooltip("share:Q", format=".1%")],
        )
        .properties(width=alt.Step(17), height=alt.Step(17))
    )
    meaning = say("Row: true topic; column: guess, answered or not. Stronger colour: larger share of the row.")
    every = len(confused_topics(findings))
    if every > MAX_CONFUSED:
        meaning += " " + say(
            "The {most_confused} most confused of {every:,} topics with mistakes.",
            most_confused=MAX_CONFUSED,
            every=every,
        )
    description = say("Which topics are mistaken for which: rows are true topics, columns are guesses.")
    return Figure("confusion", say("Confused topics"), meaning, apply_theme(chart, description))


def confusion_values(findings: SettingFindings, topics: Sequence[str]) -> Values:
    """Return the mistaken guesses among these topics, as counts and as shares of the true topic's tests."""
    totals: dict[str | None, int] = {}
    for cell in findings.confusion:
        if not cell.negative:
            totals[cell.origin] = totals.get(cell.origin, 0) + cell.answered + cell.deferred
    cells = [cell for cell in confused_cells(findings) if cell.origin in topics and cell.guess in topics]
    counts = [(cell, cell.answered + cell.deferred) for cell in cells]
    return [
        {"origin": cell.origin, "guess": cell.guess, "count": count, "share": count / totals[cell.origin]}
        for cell, count in counts
    ]


def sizes_figure(sizes: Mapping[str, int]) -> Figure:
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
        .properties(width=WIDTH + 60, height=160)
    )
    meaning = say("Small topics are hard to learn and to test.")
    chart = apply_theme(chart, say("Examples per topic, largest first."))
    return Figure("sizes", say("Topic sizes"), meaning, chart)


def comparison_figures(result: ComparisonResult) -> dict[str, Figure]:
    """Return all figures of a comparison of classifiers."""
    return figures_by_name([accuracy_figure(result)])


def accuracy_figure(result: ComparisonResult) -> Figure:
    """Draw how often each classifier decides rightly in each setting."""
    dots = [
        RateRow(say("Setting") + f" {setting}", classifier.name, accuracy_in(classifier, setting))
        for setting in own_settings(result)
        for classifier in result.classifiers
    ]
    return Figure("accuracy", say("Correct decisions"), MEASURES["accuracy"].meaning, comparison_chart(dots))


def own_settings(result: ComparisonResult) -> list[Setting]:
    """Return the settings that were run; one that equals another is not shown twice."""
    return [findings.setting for findings in result.classifiers[0].settings if findings.same_as is None]


def accuracy_in(classifier: ClassifierFindings, setting: Setting) -> Rate:
    """Return how often a classifier decides rightly in a setting; nothing if it was not examined there."""
    return next((f.rates["accuracy"] for f in classifier.settings if f.setting == setting), NOTHING)
