"""Figures of the conversations exam: one definition for notebook, page and report."""

from __future__ import annotations

import math

import altair as alt

from vivavoce.conversations.result import ALL, ConversationsResult
from vivavoce.messages import say
from vivavoce.outcomes import TurnOutcome
from vivavoce.reports.conversations import wording
from vivavoce.reports.conversations.meanings import OUTCOME_NAMES, outcome_name
from vivavoce.reports.shared import charts
from vivavoce.reports.shared.numbers import share_text
from vivavoce.reports.shared.svg import PALETTE

# From good to bad; shades differ in lightness too.
COLOURS = {
    TurnOutcome.RIGHT: "right",
    TurnOutcome.DECLINED: "fourth",
    TurnOutcome.MISSED: "deferred",
    TurnOutcome.WRONG_REPLY: "sixth",
    TurnOutcome.WRONG_INTENT: "wrong",
    TurnOutcome.OVERREACH: "fifth",
    TurnOutcome.NO_REPLY: "third",
}


def conversations_figures(result: ConversationsResult) -> dict[str, charts.Figure]:
    """Return all figures of a conversations exam; none if no turn was counted."""
    if not wording.rank_cells(result):
        return {}
    times = times_figure(result)
    return charts.figures_by_name([levels_figure(result), outcomes_figure(result), *([times] if times else [])])


def levels_figure(result: ConversationsResult) -> charts.Figure:
    """Draw how often each bot was right at each level, with intervals."""
    cells = [cell for cell in result.cells if cell.domain == ALL]
    order = wording.level_order(cell.level for cell in cells if cell.level != ALL)
    rows = [
        charts.RateRow(level, cell.bot, cell.rates["accuracy"])
        for level in order
        for cell in cells
        if cell.level == level
    ]
    return charts.Figure(
        "levels",
        say("Correct turns by level"),
        say("Share of correct turns; the bar shows the likely range for other conversations of this kind."),
        charts.comparison_chart(rows, description=say("Share of correct turns by level and bot, with intervals.")),
    )


def outcomes_figure(result: ConversationsResult) -> charts.Figure:
    """Draw what became of the turns of each bot."""
    values = [
        {"bot": bot.name, "what": outcome_name(outcome), "order": place, "turns": n}
        for bot in result.header.bots
        for place, outcome in enumerate(COLOURS)
        if (n := _count_outcome(result, bot.name, outcome))
    ]
    # The legend has only what happened: seven colours are hard enough to tell apart.
    met = [outcome for outcome in COLOURS if any(value["what"] == outcome_name(outcome) for value in values)]
    scale = alt.Scale(
        domain=[outcome_name(outcome) for outcome in met], range=[PALETTE[COLOURS[outcome]] for outcome in met]
    )
    chart = (
        alt.Chart(charts.chart_data(values))
        .mark_bar(height={"band": 0.72}, stroke=PALETTE["page"], strokeWidth=1)
        .encode(
            x=alt.X("turns:Q", axis=charts.PERCENT, scale=charts.WHOLE, title=None, stack="normalize"),
            y=alt.Y("bot:N", sort=None, title=None),
            color=alt.Color("what:N", scale=scale, legend=alt.Legend(columns=2)),
            order=alt.Order("order:Q"),
            tooltip=["bot:N", "what:N", "turns:Q"],
        )
        .properties(width=charts.WIDTH, height=alt.Step(26))
    )
    return charts.Figure(
        "outcomes",
        say("Outcomes of turns"),
        say("Checked turns only; turns that failed to run are excluded."),
        charts.apply_theme(chart, say("Outcomes of each bot's turns.")),
    )


def _count_outcome(result: ConversationsResult, bot: str, outcome: TurnOutcome) -> int:
    counts = result.cell(bot).counts
    if outcome is TurnOutcome.NO_REPLY:
        return counts.no_reply_in + counts.no_reply_out
    return int(getattr(counts, str(outcome)))


def outcome_rows(result: ConversationsResult) -> list[tuple[str, ...]]:
    """Return the number of turns of each bot by outcome; a share only of what was counted."""
    totals = {bot.name: result.cell(bot.name).counts.counted for bot in result.header.bots}
    rows = []
    for outcome, name in OUTCOME_NAMES.items():
        numbers = {bot: _count_outcome(result, bot, outcome) for bot in totals}
        shares = outcome.counted and all(totals.values())
        rows.append(
            (name, *[f"{n:,} ({share_text(n / totals[bot])})" if shares else f"{n:,}" for bot, n in numbers.items()])
        )
    return rows


def times_figure(result: ConversationsResult) -> charts.Figure | None:
    """Draw how long the bots took: the median, and the range up to which 95 of 100 replies came."""
    bots = [(bot.name, result.cell(bot.name).times) for bot in result.header.bots]
    values = [{"bot": bot, "value": t.p50, "low": t.p50, "high": t.p95} for bot, t in bots if t.p50]
    if not values:
        return None
    times = [time for _, t in bots if t.p50 for time in (t.p50, t.p95) if time is not None]
    # Engines differ by orders of magnitude: a plain scale would show the slowest alone.
    first, last = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    tens = [10.0**power for power in range(first, max(last, first + 1) + 1)]
    dots = charts.draw_intervals(
        values,
        alt.Y("bot:N", sort=None, title=None),
        scale=alt.Scale(type="log", domain=[tens[0], tens[-1]]),
        axis=alt.Axis(values=tens, format=",~g"),
        title=say("milliseconds, logarithmic scale"),
    )
    description = say("Response times: the dot is the median; the bar ends at the 95th percentile.")
    return charts.Figure(
        "times",
        say("Response times"),
        say("The dot is the median; the bar ends at the 95th percentile."),
        charts.apply_theme(alt.layer(*dots).properties(width=charts.WIDTH, height=alt.Step(26)), description),
    )
