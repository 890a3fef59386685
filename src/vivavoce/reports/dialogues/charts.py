"""Figures of the dialogues exam: one definition for notebook, page and report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import altair as alt

from vivavoce.dialogues.dialogue import HIGHEST, LOWEST, Dialogue
from vivavoce.dialogues.result import Agreement, DialoguesResult, Ranking, Score
from vivavoce.dialogues.scored import ScoredDialogue, count_scores, group_by_bot, rank_scored, score_steps
from vivavoce.messages import Message, say
from vivavoce.records import Rate
from vivavoce.reports.dialogues import wording
from vivavoce.reports.shared.charts import (
    PERCENT,
    SERIES,
    SHAPES,
    WIDTH,
    Figure,
    apply_theme,
    chart_data,
    draw_honest_line,
    draw_intervals,
    figures_by_name,
)
from vivavoce.reports.shared.svg import PALETTE, AnyChart
from vivavoce.reports.shared.texts import short

SCALE = alt.Scale(domain=[LOWEST, HIGHEST], nice=False)
AXIS = alt.Axis(values=[1, 2, 3, 4, 5], format="d")
# More histograms cannot be compared by eye; the table has them all.
MAX_BOTS = 8
# As wide as a page.
WIDE = 820
# More dots make a picture slow and no clearer.
MAX_POINTS = 400
MAX_NAME = 40
# More bars are a comb; the strongest tell most.
MAX_BARS = 60
LIGHT = [0.45, 0.9, 0.65, 0.45, 0.9, 0.65]
# Smaller effects than this never fill the picture.
MIN_EFFECT = 0.2
FEW = 4


def dialogues_figures(result: DialoguesResult) -> dict[str, Figure]:
    """Return all figures of a dialogues exam that it has data for."""
    scored, local = rank_scored(result), result.passport.local
    figures = [distribution_figure(result)] if scored else []
    figures += [ranking_figure(result.ranking)] if result.ranking else []
    if scored and scored[0].score.turns:
        meaning = say(
            "How many points each message moved the score: up above 0, down below 0. "
            "Each bar is independent; they do not add up to the score."
        )
        chart = effects_chart(scored[0].dialogue, scored[0].score)
        figures.append(Figure("messages", say("What moved the lowest score"), meaning, chart))
    figures += [agreement_figure(result)] if any(agreement.n for agreement in local.values()) else []
    return figures_by_name(figures)


def distribution_figure(result: DialoguesResult) -> Figure:
    """Draw how many dialogues got which score; one histogram for each bot if the log names several."""
    title = say("Score distribution")
    scored = rank_scored(result)
    bots = group_by_bot(scored)
    if len(bots) < 2:
        meaning = say("Number of dialogues by score, in steps of half a point.")
        chart = _draw_histogram(_count_steps("", scored), "talks").properties(width=WIDE, height=180)
        return Figure("distribution", title, meaning, apply_theme(chart, meaning))
    ranks = {line.bot: line.rank for line in result.ranking.lines} if result.ranking else {}
    first = dict(sorted(list(bots.items())[:MAX_BOTS], key=lambda item: ranks.get(item[0]) or math.inf))
    names = [short(bot, MAX_NAME) for bot in first]
    values = [value for bot, own in first.items() for value in _count_steps(short(bot, MAX_NAME), own)]
    header = alt.Header(
        title=None,
        labelAnchor="start",
        labelOrient="top",
        labelFontSize=12,
        labelColor=PALETTE["ink"],
        labelPadding=2,
    )
    chart = _draw_histogram(values, "share").properties(width=WIDE, height=60)
    facet = chart.facet(row=alt.Row("bot:N", sort=names, header=header), spacing=14)
    meaning = say("Share of each bot's dialogues by score, in steps of half a point.")
    if len(bots) > MAX_BOTS:
        meaning += " " + say("The {most} bots with the most dialogues; the numbers cover all bots.", most=MAX_BOTS)
    description = say("Share of each bot's dialogues by score, in steps of half a point.")
    return Figure("distribution", title, meaning, apply_theme(facet, description))


def _count_steps(bot: str, scored: Sequence[ScoredDialogue]) -> list[dict[str, Any]]:
    total = max(1, len(scored))
    return [
        {"bot": bot, "from": low, "to": high, "talks": count, "share": count / total}
        for (low, high), count in zip(score_steps(), count_scores(row.value for row in scored), strict=True)
    ]


def _draw_histogram(values: Sequence[Mapping[str, Any]], what: str) -> alt.Chart:
    if what == "share":
        axis = alt.Axis(tickCount=3, labelExpr="format(100 * datum.value, '.0f') + ' %'")
        y = alt.Y("share:Q", title=None, axis=axis)
    else:
        top = max([1, *[value["talks"] for value in values]])
        # Whole numbers, even if there are few.
        few = alt.Axis(values=list(range(top + 1)), format="d")
        axis = few if top <= FEW else alt.Axis(tickCount=4, format=",d")
        y = alt.Y("talks:Q", title=say("dialogues"), axis=axis, scale=alt.Scale(domain=[0, top], nice=top > FEW))
    chart: alt.Chart = (
        alt.Chart(chart_data(values))
        .mark_bar(color=PALETTE["right"], stroke=PALETTE["page"], strokeWidth=1)
        .encode(
            x=alt.X("from:Q", bin="binned", scale=SCALE, axis=AXIS, title=say("score")),
            x2="to:Q",
            y=y,
            tooltip=["from:Q", "to:Q", "talks:Q"],
        )
    )
    return chart


def effect_rows(dialogue: Dialogue, score: Score) -> list[tuple[int, str, float]]:
    """Return number, speaker and effect of each message that moved the score, in order; of many, the strongest."""
    strongest = sorted(score.turns, key=lambda turn: -abs(turn.effect))[:MAX_BARS]
    rows = []
    for turn in sorted(strongest, key=lambda turn: turn.number):
        known = 0 < turn.number <= len(dialogue.turns)
        who = wording.role_of(dialogue.turns[turn.number - 1]) if known else turn.speaker
        # "bot" and "person" are translated; a name is shown as it is.
        rows.append((turn.number, who if isinstance(who, Message) else short(who, MAX_NAME), turn.effect))
    return rows


def effects_chart(dialogue: Dialogue, score: Score) -> AnyChart:
    """Draw the effect of each message of one dialogue; colour and the shape at the tip tell who spoke."""
    rows = effect_rows(dialogue, score) if ScoredDialogue(dialogue, score).value is not None else []
    values = [{"number": n, "who": who, "effect": effect} for n, who, effect in rows]
    last = max([1, *[number for number, *_ in rows]])
    messages = alt.Scale(domain=[0.4, last + 0.6], nice=False)
    most = max([MIN_EFFECT, *[abs(effect) for *_, effect in rows]])
    base = alt.Chart(chart_data(values)).encode(
        x=alt.X(
            "number:Q",
            title=say("message"),
            scale=messages,
            axis=alt.Axis(values=list(range(1, last + 1, max(1, -(-last // 8)))), format="d", grid=False),
        ),
        y=alt.Y(
            "effect:Q",
            title=say("effect in points"),
            scale=alt.Scale(domain=[-1.1 * most, 1.1 * most], nice=False),
            axis=alt.Axis(tickCount=5, labelExpr="datum.value == 0 ? '0' : format(datum.value, '+.2~f')"),
        ),
    )
    zero = alt.Chart(chart_data([{"effect": 0}])).mark_rule(color=PALETTE["muted"]).encode(y="effect:Q")
    chart = alt.layer(zero, *_draw_speakers(base, [who for _, who, _ in rows], last))
    return apply_theme(
        chart.properties(width=WIDTH + 60, height=200),
        say("How many points each message moved the score, above or below 0; shape and colour show the speaker."),
    )


def _draw_speakers(base: alt.Chart, who: Sequence[str], last: int) -> tuple[alt.Chart, alt.Chart]:
    """Return bars, and at the tip of each the shape of who spoke."""
    names = list(dict.fromkeys(who))
    width = max(1.5, min(14, 0.6 * (WIDTH + 60) / (last + 1)))
    bars = base.mark_bar(size=width, color=PALETTE["right"])
    tips = base.mark_point(filled=True, size=min(90, max(24, width**2)), opacity=1, color=PALETTE["right"])
    # There are six shapes; in a larger crowd the table tells who spoke.
    if len(names) > len(SHAPES):
        return bars, tips
    legend = alt.Legend(direction="horizontal", title=None)
    color = alt.Color("who:N", scale=alt.Scale(domain=names, range=SERIES), legend=legend)
    shape = alt.Shape("who:N", scale=alt.Scale(domain=names, range=SHAPES), legend=legend)
    # Shapes are small if there are many bars: light and dark tell two sides apart in grey as well.
    light = alt.Opacity("who:N", scale=alt.Scale(domain=names, range=LIGHT), legend=None)
    bars, tips = (
        marks.encode(color=color, tooltip=["number:Q", "who:N", alt.Tooltip("effect:Q", format="+.2f")])
        for marks in (bars, tips)
    )
    return bars.encode(opacity=light), tips.encode(shape=shape)


def agreement_figure(result: DialoguesResult) -> Figure:
    """Draw people's ratings against scores; on the dashed line the scores mean what they say."""
    pairs = [
        {"score": row.value, "mark": row.dialogue.quality}
        for row in rank_scored(result)
        if row.dialogue.quality is not None
    ]
    step = -(-len(pairs) // MAX_POINTS) or 1
    x = alt.X("score:Q", scale=SCALE, axis=AXIS, title=say("score"))
    y = alt.Y("mark:Q", scale=SCALE, axis=AXIS, title=say("people's rating"))
    dots = alt.Chart(chart_data(pairs[::step])).mark_point(size=28, opacity=0.45, color=PALETTE["muted"], filled=True)
    honest = draw_honest_line("score", "mark", LOWEST, HIGHEST)
    bins = _draw_bins(main_agreement(result.passport.local), x)
    chart = apply_theme(
        alt.layer(honest.encode(x=x, y=y), dots.encode(x=x, y=y), *bins).properties(width=WIDE, height=WIDTH),
        say(
            "People's ratings against scores: dots are dialogues, squares the mean rating of "
            "dialogues with similar scores."
        ),
    )
    meaning = say(
        "Each dot is a dialogue. Squares: mean rating of dialogues with similar scores, with its "
        "interval. On the dashed line, scores equal ratings."
    )
    return Figure("agreement", say("People's ratings against scores"), meaning, chart)


def rating_chart(agreement: Agreement, x_title: str, y_title: str, description: str) -> AnyChart:
    """Draw the mean rating of dialogues with similar scores, in the reader's own words."""
    x = alt.X("score:Q", scale=SCALE, axis=AXIS, title=x_title)
    y = alt.Y("mark:Q", scale=SCALE, axis=AXIS, title=y_title)
    honest = draw_honest_line("score", "mark", LOWEST, HIGHEST).encode(x=x, y=y)
    chart = alt.layer(honest, *_draw_bins(agreement, x)).properties(width=WIDE, height=WIDTH)
    return apply_theme(chart, description)


def main_agreement(local: Mapping[str, Agreement]) -> Agreement | None:
    """Return the agreement over all dialogues, or the first there is."""
    return local.get("overall") or next(iter(local.values()), None)


def _draw_bins(agreement: Agreement | None, x: alt.X) -> list[alt.Chart]:
    def on_scale(value: float | None) -> float | None:
        return None if value is None else min(HIGHEST, max(LOWEST, value))

    known = [(row.score, row.mark) for row in (agreement.bins if agreement else ()) if row.mark.value is not None]
    values = [
        {"score": score, "value": rate.value, "low": on_scale(rate.low), "high": on_scale(rate.high)}
        for score, rate in known
    ]
    sure = [value for value in values if value["low"] is not None and value["high"] is not None]
    bars = alt.Chart(chart_data(sure)).mark_rule(strokeWidth=3, opacity=0.45, color=PALETTE["right"])
    squares = alt.Chart(chart_data(values)).mark_point(
        filled=True, size=70, opacity=1, color=PALETTE["right"], shape="square"
    )
    return [
        bars.encode(x=x, y=alt.Y("low:Q", scale=SCALE), y2="high:Q"),
        squares.encode(x=x, y=alt.Y("value:Q", scale=SCALE)),
    ]


def ranking_figure(ranking: Ranking) -> Figure:
    """Draw the mean score of each bot (or the share of comparisons won) with its interval, the best first.

    Bots with too few dialogues for a rank are left to the table, unless there are no others.
    """
    ranked = [line for line in ranking.lines if line.rank is not None] or list(ranking.lines)
    means = [(short(line.bot, MAX_NAME), line.mean) for line in ranked if line.mean.value is not None]
    values = [{"bot": bot, "value": mean.value, "low": mean.low, "high": mean.high} for bot, mean in means]
    ends = [end for _, mean in means for end in (mean.value, mean.low, mean.high) if end is not None]
    # Scores begin at 1: what lies below are shares of comparisons that people made.
    shares = bool(ends) and min(ends) < LOWEST
    domain: list[float] = [0, 1] if shares else [LOWEST, HIGHEST]
    if ends and not shares:
        # Means differ by less than the scale is long: whole points around all intervals.
        low, high = max(LOWEST, math.floor(min(ends))), min(HIGHEST, math.ceil(max(ends)))
        domain = [low, high] if low < high else domain
    dots = draw_intervals(
        values,
        alt.Y("bot:N", sort=None, title=None),
        ["bot:N", *[alt.Tooltip(f"{name}:Q", format=".2f") for name in ("value", "low", "high")]],
        scale=alt.Scale(domain=domain, nice=False, clamp=True),
        axis=alt.Axis(tickCount=5, format=".0%" if shares else "~g"),
        title=say("comparisons won") if shares else say("mean score"),
    )
    description = (
        say("Comparisons won by each bot with its interval, best first.")
        if shares
        else say("Mean score of each bot with its interval, best first.")
    )
    return Figure(
        "ranking",
        say("Mean score by bot"),
        say("The bar shows the likely range of the mean for other dialogues of this kind."),
        apply_theme(alt.layer(*dots).properties(width=WIDE, height=alt.Step(26)), description),
    )


# Fewer dialogues are drawn as hollow dots: the number may be chance.
FEW_OF_A_WEEK = 10


class Point(NamedTuple):
    """One week: its label, a number with its interval, and where its dialogues are listed."""

    label: str
    rate: Rate
    href: str


def trend_chart(points: Sequence[Point], title: str, description: str, *, share: bool, colour: str) -> AnyChart:
    """Draw a number over the weeks, in the reader's own words; `share`: it is a share, else a score."""
    values: list[dict[str, Any]] = [
        {"week": point.label, "value": value, "low": point.rate.low, "high": point.rate.high, "href": point.href}
        | {"few": point.rate.n < FEW_OF_A_WEEK}
        for point in points
        if (value := point.rate.value) is not None
    ]
    top = max([0.1, *[value["high"] or value["value"] for value in values]])
    scale = alt.Scale(domain=[0, min(1.0, top)], nice=top < 0.9) if share else alt.Scale(domain=[LOWEST, HIGHEST])
    axis = PERCENT if share else AXIS
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
    return apply_theme(layers.properties(width=960, height=150), description)
