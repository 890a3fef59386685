"""Charts of the dialogues exam: one definition for notebook, page and report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from vivavoce.dialogues.dialogue import HIGHEST, LOWEST, Dialogue
from vivavoce.dialogues.result import Agreement, DialoguesResult, Ranking, Score
from vivavoce.dialogues.scored import ScoredDialogue, count_scores, group_by_bot, rank_scored, score_steps
from vivavoce.messages import say
from vivavoce.reports.dialogues import wording
from vivavoce.reports.shared.charts import SERIES, SHAPES, WIDTH, chart_data, themed
from vivavoce.reports.shared.figures import Figure, figures_by_name
from vivavoce.reports.shared.svg import PALETTE, AnyChart
from vivavoce.reports.shared.texts import clean, short

MARKS = [1, 2, 3, 4, 5]
SCALE = alt.Scale(domain=[LOWEST, HIGHEST], nice=False)
AXIS = alt.Axis(values=MARKS, format="d")
# More small histograms than these are not compared by eye: the table has them all.
MOST_BOTS = 8
# More dots than these make a picture slow and no clearer.
MOST_POINTS = 400
MOST_NAME = 40
# More bars than these are a comb; the strongest tell most.
MOST_BARS = 60
BAR = 14
LIGHT = [0.45, 0.9, 0.65, 0.45, 0.9, 0.65]
# Smaller effects than this never fill the picture.
LEAST_EFFECT = 0.2
FEW = 4


# --- all scores --------------------------------------------------------------------------------------------------


def distribution_chart(result: DialoguesResult) -> AnyChart:
    """Draw how many talks got which score; one histogram for each bot where the log names several."""
    talks = rank_scored(result)
    bots = group_by_bot(talks)
    if len(bots) < 2:
        chart = _histogram(_counts("", talks), "talks").properties(width=WIDTH + 60, height=180)
        return themed(chart, say("How many talks got which score, in steps of half a point."))
    ranks = {line.bot: line.rank for line in result.ranking.lines} if result.ranking else {}
    shown = dict(sorted(list(bots.items())[:MOST_BOTS], key=lambda item: ranks.get(item[0]) or math.inf))
    names = [short(bot, MOST_NAME) for bot in shown]
    values = [value for bot, own in shown.items() for value in _counts(short(bot, MOST_NAME), own)]
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
    return themed(facet, say("Share of each bot's talks that got which score, in steps of half a point."))


def _counts(bot: str, talks: Sequence[ScoredDialogue]) -> list[dict[str, Any]]:
    total = max(1, len(talks))
    return [
        {"bot": bot, "from": low, "to": high, "talks": count, "share": count / total}
        for (low, high), count in zip(score_steps(), count_scores(talk.value for talk in talks), strict=True)
    ]


def _histogram(values: Sequence[Mapping[str, Any]], what: str) -> alt.Chart:
    chart: alt.Chart = (
        alt.Chart(chart_data(values))
        .mark_bar(color=PALETTE["right"], stroke=PALETTE["page"], strokeWidth=1)
        .encode(
            x=alt.X("from:Q", bin="binned", scale=SCALE, axis=AXIS, title=say("score")),
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
    return alt.Y("talks:Q", title=say("talks"), axis=axis, scale=alt.Scale(domain=[0, top], nice=top > FEW))


# --- one talk ----------------------------------------------------------------------------------------------------


def effect_rows(dialogue: Dialogue, score: Score) -> list[tuple[int, str, float]]:
    """Return number, speaker and effect of each message that moved the score, in order; of many, the strongest."""
    strongest = sorted(score.turns, key=lambda turn: -abs(turn.effect))[:MOST_BARS]
    rows = []
    for turn in sorted(strongest, key=lambda turn: turn.number):
        known = 0 < turn.number <= len(dialogue.turns)
        who = wording.role_of(dialogue.turns[turn.number - 1]) if known else turn.speaker
        rows.append((turn.number, clean(who), turn.effect))
    return rows


def turns_chart(dialogue: Dialogue, score: Score) -> AnyChart:
    """Draw the effect of each message of one talk; colour and the shape at the tip tell who spoke."""
    rows = effect_rows(dialogue, score) if ScoredDialogue(dialogue, score).value is not None else []
    values = [{"number": n, "who": short(who, MOST_NAME), "effect": effect} for n, who, effect in rows]
    last = max([1, *[number for number, *_ in rows]])
    messages = alt.Scale(domain=[0.4, last + 0.6], nice=False)
    most = max([LEAST_EFFECT, *[abs(effect) for *_, effect in rows]])
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
    chart = alt.layer(_zero(), *_speakers(base, [str(value["who"]) for value in values], last))
    return themed(
        chart.properties(width=WIDTH + 60, height=200),
        say("By how many points each message moved the score, above or below 0; shape and colour tell who spoke."),
    )


def _zero() -> alt.Chart:
    chart: alt.Chart = alt.Chart(chart_data([{"effect": 0}])).mark_rule(color=PALETTE["muted"]).encode(y="effect:Q")
    return chart


def _speakers(base: alt.Chart, who: Sequence[str], last: int) -> tuple[alt.Chart, alt.Chart]:
    """Return bars, and at the tip of each the shape of who spoke."""
    names = list(dict.fromkeys(who))
    width = max(1.5, min(BAR, 0.6 * (WIDTH + 60) / (last + 1)))
    bars = base.mark_bar(size=width, color=PALETTE["right"])
    tips = base.mark_point(filled=True, size=min(90, max(24, width**2)), opacity=1, color=PALETTE["right"])
    # There are six shapes; in a larger crowd the table tells who spoke.
    if len(names) > len(SHAPES):
        return bars, tips
    shown = alt.Legend(direction="horizontal", title=None)
    color = alt.Color("who:N", scale=alt.Scale(domain=names, range=SERIES), legend=shown)
    shape = alt.Shape("who:N", scale=alt.Scale(domain=names, range=SHAPES), legend=shown)
    # Where many bars stand close, shapes are small: light and dark tell two sides apart in grey as well.
    light = alt.Opacity("who:N", scale=alt.Scale(domain=names, range=LIGHT), legend=None)
    bars, tips = (
        marks.encode(color=color, tooltip=["number:Q", "who:N", alt.Tooltip("effect:Q", format="+.2f")])
        for marks in (bars, tips)
    )
    return bars.encode(opacity=light), tips.encode(shape=shape)


# --- trust and bots ----------------------------------------------------------------------------------------------


def agreement_chart(result: DialoguesResult, agreement: Agreement | None = None) -> AnyChart:
    """Draw people's marks against scores; on the dashed line the scores mean what they say."""
    found = agreement or result.passport.local.get("overall")
    pairs = [
        {"score": talk.value, "mark": talk.dialogue.quality}
        for talk in rank_scored(result)
        if talk.dialogue.quality is not None
    ]
    step = -(-len(pairs) // MOST_POINTS) or 1
    x = alt.X("score:Q", scale=SCALE, axis=AXIS, title=say("score"))
    y = alt.Y("mark:Q", scale=SCALE, axis=AXIS, title=say("people's mark"))
    ends = [{"score": end, "mark": end} for end in (LOWEST, HIGHEST)]
    honest = alt.Chart(chart_data(ends)).mark_line(strokeDash=[4, 3], color=PALETTE["muted"], strokeWidth=1)
    dots = alt.Chart(chart_data(pairs[::step])).mark_point(size=28, opacity=0.45, color=PALETTE["muted"], filled=True)
    chart = alt.layer(honest.encode(x=x, y=y), dots.encode(x=x, y=y), *_bins(found, x))
    return themed(
        chart.properties(width=WIDTH + 20, height=WIDTH + 20),
        say("People's marks against scores: dots are talks, squares the mean mark of talks with like scores."),
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
    """Draw the mean score of each bot (or the share of comparisons won) with its interval, the best first.

    Bots with too few talks for a rank are left to the table, unless there are no others.
    """
    ranked = [line for line in ranking.lines if line.rank is not None] or list(ranking.lines)
    means = [(short(line.bot, MOST_NAME), line.mean) for line in ranked if line.mean.value is not None]
    values = [{"bot": bot, "value": mean.value, "low": mean.low, "high": mean.high} for bot, mean in means]
    ends = [end for _, mean in means for end in (mean.value, mean.low, mean.high) if end is not None]
    # Marks begin at 1: what lies below are shares of comparisons that people made.
    shares = bool(ends) and min(ends) < LOWEST
    place: dict[str, Any] = {
        "scale": alt.Scale(domain=[0, 1] if shares else _whole_marks(ends), nice=False, clamp=True),
        "axis": alt.Axis(tickCount=5, format=".0%" if shares else "~g"),
        "title": say("comparisons won") if shares else say("mean score"),
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
    told = say("Mean score of each bot with its interval, the best first.")
    if shares:
        told = say("Comparisons won of each bot with its interval, the best first.")
    return themed(chart.properties(width=WIDTH, height=alt.Step(26)), told)


def _whole_marks(ends: Sequence[float]) -> list[float]:
    """Return the whole marks around all intervals: means differ by less than the scale is long."""
    if not ends:
        return [LOWEST, HIGHEST]
    low, high = max(LOWEST, math.floor(min(ends))), min(HIGHEST, math.ceil(max(ends)))
    return [low, high] if low < high else [LOWEST, HIGHEST]


# --- figures: charts with their titles ---------------------------------------------------------------------------


def dialogues_figures(result: DialoguesResult) -> dict[str, Figure]:
    """Return all figures of a dialogues exam that it has data for."""
    talks, local = rank_scored(result), result.passport.local
    figures = [distribution_figure(result, talks)] if talks else []
    figures += [ranking_figure(result.ranking)] if result.ranking else []
    figures += [effects_figure(talks[0])] if talks and talks[0].score.turns else []
    figures += [agreement_figure(result, main_agreement(local))] if any(one.n for one in local.values()) else []
    return figures_by_name(figures)


def distribution_figure(result: DialoguesResult, talks: Sequence[ScoredDialogue]) -> Figure:
    """Return how the scores are spread, one picture for each bot where there are several."""
    meaning, bots = say("How many talks got which score, in steps of half a point."), group_by_bot(talks)
    if len(bots) > 1:
        most = MOST_BOTS
        few = (
            " " + say("The {most} bots with most talks; the numbers hold every bot.", most=most)
            if len(bots) > most
            else ""
        )
        meaning = say("Share of each bot's talks by score, in steps of half a point.") + few
    chart = distribution_chart(result)
    return Figure("distribution", say("How the scores are spread"), meaning, chart)


def ranking_figure(ranking: Ranking) -> Figure:
    """Return the mean score of each bot."""
    return Figure(
        "ranking",
        say("Mean score of each bot"),
        say("The bar is where the mean would lie with other talks of this kind."),
        ranking_chart(ranking),
    )


def effects_figure(talk: ScoredDialogue) -> Figure:
    """Return what each message did to the score of the lowest talk."""
    meaning = say(
        "By how many points each message moved the score: above 0 it raised it, below 0 it lowered it. Each bar "
        "stands for itself; the bars do not add up to the score."
    )
    chart = turns_chart(talk.dialogue, talk.score)
    return Figure("messages", say("What moved the lowest score"), meaning, chart)


def main_agreement(local: Mapping[str, Agreement]) -> Agreement:
    """Return the agreement over all talks, or the first there is."""
    return local.get("overall") or next(iter(local.values()))


def agreement_figure(result: DialoguesResult, found: Agreement) -> Figure:
    """Return people's marks against scores."""
    meaning = say(
        "Each dot is a talk. Squares: the mean mark of talks with like scores, with its interval. On the dashed "
        "line the scores mean what they say."
    )
    chart = agreement_chart(result, found)
    return Figure("agreement", say("People's marks against scores"), meaning, chart)
