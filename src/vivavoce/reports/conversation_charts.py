"""Charts of the conversations exam: one definition for notebook, page and report."""

from __future__ import annotations

import altair as alt

from vivavoce.conversations.result import ALL, ConversationsResult
from vivavoce.reports.charts import PERCENT, WHOLE, WIDTH, RateRow, chart_data, comparison_chart, themed
from vivavoce.reports.conversation_meanings import measure_of
from vivavoce.reports.svg import PALETTE, AnyChart

__all__ = ["levels_chart", "outcomes_chart", "scores_chart", "times_chart"]

# What became of a turn, from good to bad; shades differ in lightness too.
PARTS = (
    ("right", "right", "right"),
    ("declined", "rightly declined", "fourth"),
    ("missed", "wrongly declined", "deferred"),
    ("wrong_reply", "wrong reply", "sixth"),
    ("wrong_intent", "wrong topic", "wrong"),
    ("overreach", "should not have answered", "fifth"),
    ("no_reply", "no reply", "third"),
)
SCORES = ("accuracy", "precision", "recall", "f1", "comprehension_rate")


def levels_chart(result: ConversationsResult, domain: str = ALL) -> AnyChart:
    """Draw how often each bot was right at each level, with intervals."""
    cells = [cell for cell in result.cells if cell.domain == domain]
    order = list(dict.fromkeys(cell.level for cell in cells if cell.level != ALL))
    rows = [
        RateRow(level, cell.bot, cell.rates["accuracy"]) for level in order for cell in cells if cell.level == level
    ]
    return comparison_chart(rows, description="Share of turns that went right, by level and bot, with intervals.")


def scores_chart(result: ConversationsResult, domain: str = ALL) -> AnyChart:
    """Draw the scores of each bot beside each other."""
    rows = [
        RateRow(measure_of(name).title, cell.bot, cell.rates[name])
        for name in SCORES
        for cell in result.cells
        if (cell.domain, cell.level) == (domain, ALL)
    ]
    return comparison_chart(rows, description="The scores of each bot with their intervals.")


def outcomes_chart(result: ConversationsResult) -> AnyChart:
    """Draw what became of the turns of each bot."""
    values = [
        {"bot": bot.name, "what": title, "order": place, "turns": n}
        for bot in result.header.bots
        for place, (name, title, _) in enumerate(PARTS)
        if (n := outcome_count(result, bot.name, name))
    ]
    scale = alt.Scale(domain=[title for _, title, _ in PARTS], range=[PALETTE[colour] for *_, colour in PARTS])
    chart = (
        alt.Chart(chart_data(values))
        .mark_bar(height={"band": 0.72}, stroke=PALETTE["page"], strokeWidth=1)
        .encode(
            x=alt.X("turns:Q", axis=PERCENT, scale=WHOLE, title=None, stack="normalize"),
            y=alt.Y("bot:N", sort=None, title=None),
            color=alt.Color("what:N", scale=scale, legend=alt.Legend(columns=2)),
            order=alt.Order("order:Q"),
            tooltip=["bot:N", "what:N", "turns:Q"],
        )
    )
    return themed(chart.properties(width=WIDTH, height=alt.Step(26)), "What became of the turns of each bot.")


def outcome_count(result: ConversationsResult, bot: str, name: str) -> int:
    """Return how many turns of a bot came out so."""
    counts = result.cell(bot).counts
    if name == "no_reply":
        return counts.no_reply_in + counts.no_reply_out
    return int(getattr(counts, name))


def times_chart(result: ConversationsResult) -> AnyChart:
    """Draw how long the bots took: the middle reply, and the range up to which 95 of 100 came."""
    values = [
        {"bot": bot.name, "p50": times.p50, "p95": times.p95}
        for bot in result.header.bots
        if (times := result.cell(bot.name).times).p50
    ]
    # Engines differ by orders of magnitude: a plain scale would show the slowest alone.
    scale = alt.Scale(type="log", nice=True)
    base = alt.Chart(chart_data(values)).encode(y=alt.Y("bot:N", sort=None, title=None))
    axis = alt.Axis(tickCount=4, format=",~g")
    bars = base.mark_rule(strokeWidth=3, opacity=0.35, color=PALETTE["right"]).encode(
        x=alt.X("p50:Q", scale=scale, axis=axis, title="milliseconds, each step ten times the one before"), x2="p95:Q"
    )
    dots = base.mark_point(filled=True, size=55, opacity=1, color=PALETTE["right"]).encode(x="p50:Q")
    return themed(
        alt.layer(bars, dots).properties(width=WIDTH, height=alt.Step(26)),
        "Response times: the dot is the median, the bar ends where 95 of 100 replies had come.",
    )
