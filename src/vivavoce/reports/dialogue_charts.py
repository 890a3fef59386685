"""Charts of the dialogues exam: one definition for notebook, page and report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from vivavoce.dialogues.dialogue import HIGHEST, LOWEST, Dialogue
from vivavoce.dialogues.result import Agreement, DialoguesResult, Ranking, Score
from vivavoce.reports import dialogue_wording as wording
from vivavoce.reports.charts import SERIES, SHAPES, WIDTH, chart_data, themed
from vivavoce.reports.svg import PALETTE, AnyChart

__all__ = ["agreement_chart", "course", "distribution_chart", "ranking_chart", "turns_chart"]

MARKS = [1, 2, 3, 4, 5]
SCALE = alt.Scale(domain=[LOWEST, HIGHEST], nice=False)
AXIS = alt.Axis(values=MARKS, format="d")
# More small histograms than these are not compared by eye: the table has them all.
MOST_BOTS = 8
# More dots than these make a picture slow and no clearer.
MOST_POINTS = 400
MOST_NAME = 40
BEFORE = "before"
FEW = 4


# --- all scores --------------------------------------------------------------------------------------------------


def distribution_chart(result: DialoguesResult) -> AnyChart:
    """Draw how many talks got which score; one histogram for each bot where the log names several."""
    talks = wording.scored(result)
    bots = wording.by_bot(talks)
    if len(bots) < 2:
        chart = _histogram(_counts("", talks), "talks").properties(width=WIDTH + 60, height=180)
        return themed(chart, "How many talks got which score, in steps of half a point.")
    ranks = {line.bot: line.rank for line in result.ranking.lines} if result.ranking else {}
    shown = dict(sorted(list(bots.items())[:MOST_BOTS], key=lambda item: ranks.get(item[0], 0)))
    names = [wording.short(bot, MOST_NAME) for bot in shown]
    values = [value for bot, own in shown.items() for value in _counts(wording.short(bot, MOST_NAME), own)]
    header = alt.Header(
        title=None,
        labelAnchor="start",
        labelOrient="top",
        labelFontSize=12,
        labelColor=PALETTE["ink"],
        labelPadding=2,
    )
    chart = _histogram(values, "share").properties(width=WIDTH + 60, height=60)
    facet = chart.facet(row=alt.Row("bot:N", sort=names, header=header), spacing=14)
    return themed(facet, "Share of each bot's talks that got which score, in steps of half a point.")


def _counts(bot: str, talks: Sequence[wording.Talk]) -> list[dict[str, Any]]:
    total = max(1, len(talks))
    return [
        {"bot": bot, "from": low, "to": high, "talks": count, "share": count / total}
        for low, high, count in wording.spread(talks)
    ]


def _histogram(values: Sequence[Mapping[str, Any]], what: str) -> alt.Chart:
    chart: alt.Chart = (
        alt.Chart(chart_data(values))
        .mark_bar(color=PALETTE["right"], stroke=PALETTE["page"], strokeWidth=1)
        .encode(
            x=alt.X("from:Q", bin="binned", scale=SCALE, axis=AXIS, title="score"),
            x2="to:Q",
            y=_talks([value["talks"] for value in values]) if what == "talks" else _SHARES,
            tooltip=["from:Q", "to:Q", "talks:Q"],
        )
    )
    return chart


_SHARES = alt.Y(
    "share:Q", title=None, axis=alt.Axis(tickCount=3, labelExpr="format(100 * datum.value, '.0f') + ' %'")
)


def _talks(counts: Sequence[int]) -> alt.Y:
    """Return an axis of whole talks, also where there are few."""
    top = max([1, *counts])
    axis = alt.Axis(values=list(range(top + 1)), format="d") if top <= FEW else alt.Axis(tickCount=4, format=",d")
    return alt.Y("talks:Q", title="talks", axis=axis, scale=alt.Scale(domain=[0, top], nice=top > FEW))


# --- one talk ----------------------------------------------------------------------------------------------------


def course(dialogue: Dialogue, score: Score) -> list[tuple[int, str, float, float]]:
    """Return how the score came about: number, who, effect, and where the score stood after each message.

    Before the first message it stands where the effects leave it to start, so that it ends at the score.
    """
    level = (score.score or 0.0) - sum(turn.effect for turn in score.turns)
    rows = [(0, BEFORE, 0.0, level)]
    for turn in score.turns:
        level += turn.effect
        known = 0 < turn.number <= len(dialogue.turns)
        who = wording.role_of(dialogue.turns[turn.number - 1]) if known else turn.speaker
        rows.append((turn.number, wording.clean(who), turn.effect, level))
    return rows


def turns_chart(dialogue: Dialogue, score: Score) -> AnyChart:
    """Draw how the score of one talk moved, message by message; bot and person differ in shape and colour."""
    rows = course(dialogue, score) if wording.Talk(dialogue, score).value is not None else []
    step = max(1, len(rows) // MOST_POINTS)
    kept = [row for place, row in enumerate(rows) if place % step == 0 or place == len(rows) - 1]
    values = [{"number": n, "who": wording.short(who, MOST_NAME), "effect": e, "level": at} for n, who, e, at in kept]
    names = list(dict.fromkeys(str(value["who"]) for value in values if value["number"]))
    messages = alt.Scale(domain=[0, max(1, *[number for number, *_ in kept])] if kept else [0, 1], nice=False)
    base = alt.Chart(chart_data(values)).encode(
        x=alt.X("number:Q", title="message", scale=messages, axis=alt.Axis(tickMinStep=1, format="d", tickCount=8)),
        y=alt.Y(
            "level:Q", scale=_around([at for *_, at in kept]), title="effects added up", axis=alt.Axis(tickCount=5)
        ),
    )
    line = base.mark_line(color=PALETTE["muted"], strokeWidth=1.5, interpolate="step-after")
    chart = alt.layer(line, _speakers(base, names))
    return themed(
        chart.properties(width=WIDTH + 60, height=200),
        "How the score of the talk moved, message by message; shape and colour tell who spoke.",
    )


def _speakers(base: alt.Chart, names: Sequence[str]) -> alt.Chart:
    shown = alt.Legend(direction="horizontal")
    # There are six shapes; in a larger crowd the table tells who spoke.
    told = len(names) <= len(SHAPES)
    dots: alt.Chart = base.transform_filter("datum.number > 0").mark_point(filled=True, size=60, opacity=1)
    if not told:
        return dots.encode(color=alt.value(PALETTE["right"]))
    return dots.encode(
        color=alt.Color("who:N", scale=alt.Scale(domain=list(names), range=SERIES), legend=shown),
        shape=alt.Shape("who:N", scale=alt.Scale(domain=list(names), range=SHAPES), legend=shown),
        tooltip=["number:Q", "who:N", alt.Tooltip("effect:Q", format="+.2f"), alt.Tooltip("level:Q", format=".2f")],
    )


def _around(levels: Sequence[float]) -> alt.Scale:
    """Return a scale that shows small steps, yet at least one whole mark."""
    if not levels:
        return SCALE
    low, high = min(levels), max(levels)
    room = max(0.1, (1 - (high - low)) / 2)
    return alt.Scale(domain=[round(low - room, 2), round(high + room, 2)], nice=True, zero=False)


# --- trust and bots ----------------------------------------------------------------------------------------------


def agreement_chart(result: DialoguesResult, agreement: Agreement | None = None) -> AnyChart:
    """Draw people's marks against scores; on the dashed line the scores mean what they say."""
    found = agreement or result.passport.local.get("overall")
    pairs = [
        {"score": talk.value, "mark": talk.dialogue.quality}
        for talk in wording.scored(result)
        if talk.dialogue.quality is not None
    ]
    step = -(-len(pairs) // MOST_POINTS) or 1
    x = alt.X("score:Q", scale=SCALE, axis=AXIS, title="score")
    y = alt.Y("mark:Q", scale=SCALE, axis=AXIS, title="people's mark")
    ends = [{"score": end, "mark": end} for end in (LOWEST, HIGHEST)]
    honest = alt.Chart(chart_data(ends)).mark_line(strokeDash=[4, 3], color=PALETTE["muted"], strokeWidth=1)
    dots = alt.Chart(chart_data(pairs[::step])).mark_point(size=28, opacity=0.45, color=PALETTE["muted"], filled=True)
    chart = alt.layer(honest.encode(x=x, y=y), dots.encode(x=x, y=y), *_bins(found, x))
    return themed(
        chart.properties(width=WIDTH + 20, height=WIDTH + 20),
        "People's marks against scores: dots are talks, squares the mean mark of talks with like scores.",
    )


def _bins(found: Agreement | None, x: alt.X) -> list[alt.Chart]:
    values = [
        {
            "score": one.score,
            "value": one.mark.value,
            "low": _on_scale(one.mark.low),
            "high": _on_scale(one.mark.high),
        }
        for one in (found.bins if found else ())
        if one.mark.value is not None
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


def _on_scale(value: float | None) -> float | None:
    return None if value is None else min(HIGHEST, max(LOWEST, value))


def ranking_chart(ranking: Ranking) -> AnyChart:
    """Draw the mean score of each bot (or the share of comparisons won) with its interval, the best first."""
    means = [(wording.short(line.bot, MOST_NAME), line.mean) for line in ranking.lines if line.mean.value is not None]
    values = [{"bot": bot, "value": mean.value, "low": mean.low, "high": mean.high} for bot, mean in means]
    ends = [end for _, mean in means for end in (mean.value, mean.low, mean.high) if end is not None]
    # Marks begin at 1: what lies below are shares of comparisons that people made.
    shares = bool(ends) and min(ends) < LOWEST
    place: dict[str, Any] = {
        "scale": alt.Scale(domain=[0, 1] if shares else _whole_marks(ends), nice=False, clamp=True),
        "axis": alt.Axis(tickCount=5, format=".0%" if shares else "~g"),
        "title": "comparisons won" if shares else "mean score",
    }
    base = alt.Chart(chart_data(values)).encode(y=alt.Y("bot:N", sort=None, title=None))
    bars = base.transform_filter("isValid(datum.low) && isValid(datum.high)").mark_rule(
        strokeWidth=3, opacity=0.35, color=PALETTE["right"]
    )
    dots = base.mark_point(filled=True, size=55, opacity=1, color=PALETTE["right"])
    tooltip = ["bot:N", *[alt.Tooltip(f"{name}:Q", format=".2f") for name in ("value", "low", "high")]]
    chart = alt.layer(
        bars.encode(x=alt.X("low:Q", **place), x2="high:Q"),
        dots.encode(x=alt.X("value:Q", **place), tooltip=tooltip),
    )
    return themed(
        chart.properties(width=WIDTH, height=alt.Step(26)),
        f"{place['title'].capitalize()} of each bot with its interval, the best first.",
    )


def _whole_marks(ends: Sequence[float]) -> list[float]:
    """Return the whole marks around all intervals: means differ by less than the scale is long."""
    if not ends:
        return [LOWEST, HIGHEST]
    low, high = max(LOWEST, math.floor(min(ends))), min(HIGHEST, math.ceil(max(ends)))
    return [low, high] if low < high else [LOWEST, HIGHEST]
