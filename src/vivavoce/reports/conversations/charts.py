"""Charts of the conversations exam: one definition for notebook, page and report."""

from __future__ import annotations

import math
from collections.abc import Sequence

import altair as alt

from vivavoce.conversations.result import ALL, ConversationsResult
from vivavoce.messages import say
from vivavoce.outcomes import TurnOutcome
from vivavoce.reports.conversations import wording
from vivavoce.reports.conversations.meanings import OUTCOME_NAMES, outcome_name
from vivavoce.reports.shared.charts import PERCENT, WHOLE, WIDTH, RateRow, chart_data, comparison_chart, themed
from vivavoce.reports.shared.figures import Figure, figures_by_name
from vivavoce.reports.shared.numbers import share_text
from vivavoce.reports.shared.svg import PALETTE, AnyChart

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


def levels_chart(result: ConversationsResult, domain: str = ALL) -> AnyChart:
    """Draw how often each bot was right at each level, with intervals."""
    cells = [cell for cell in result.cells if cell.domain == domain]
    order = wording.level_order(cell.level for cell in cells if cell.level != ALL)
    rows = [
        RateRow(level, cell.bot, cell.rates["accuracy"]) for level in order for cell in cells if cell.level == level
    ]
    return comparison_chart(
        rows, description=say("Share of turns that went right, by level and bot, with intervals.")
    )


def outcomes_chart(result: ConversationsResult) -> AnyChart:
    """Draw what became of the turns of each bot."""
    values = [
        {"bot": bot.name, "what": outcome_name(outcome), "order": place, "turns": n}
        for bot in result.header.bots
        for place, outcome in enumerate(COLOURS)
        if (n := outcome_count(result, bot.name, outcome))
    ]
    # Only what happened stands in the legend: seven colours are hard enough to tell apart.
    met = [outcome for outcome in COLOURS if any(value["what"] == outcome_name(outcome) for value in values)]
    scale = alt.Scale(
        domain=[outcome_name(outcome) for outcome in met], range=[PALETTE[COLOURS[outcome]] for outcome in met]
    )
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
    return themed(chart.properties(width=WIDTH, height=alt.Step(26)), say("What became of the turns of each bot."))


def outcome_count(result: ConversationsResult, bot: str, outcome: TurnOutcome) -> int:
    """Return how many turns of a bot came out so."""
    counts = result.cell(bot).counts
    if outcome is TurnOutcome.NO_REPLY:
        return counts.no_reply_in + counts.no_reply_out
    return int(getattr(counts, str(outcome)))


def outcome_rows(result: ConversationsResult) -> list[tuple[str, ...]]:
    """Return how many turns of each bot came out how; a share only of what was counted."""
    totals = {bot.name: result.cell(bot.name).counts.counted for bot in result.header.bots}
    rows = []
    for outcome, name in OUTCOME_NAMES.items():
        numbers = {bot: outcome_count(result, bot, outcome) for bot in totals}
        shares = outcome.counted and all(totals.values())
        rows.append(
            (name, *[f"{n:,} ({share_text(n / totals[bot])})" if shares else f"{n:,}" for bot, n in numbers.items()])
        )
    return rows


def times_chart(result: ConversationsResult) -> AnyChart:
    """Draw how long the bots took: the middle reply, and the range up to which 95 of 100 came."""
    values = [
        {"bot": bot.name, "p50": times.p50, "p95": times.p95}
        for bot in result.header.bots
        if (times := result.cell(bot.name).times).p50
    ]
    # Engines differ by orders of magnitude: a plain scale would show the slowest alone.
    tens = _tens([time for value in values for time in (value["p50"], value["p95"]) if isinstance(time, float)])
    scale = alt.Scale(type="log", domain=[tens[0], tens[-1]])
    base = alt.Chart(chart_data(values)).encode(y=alt.Y("bot:N", sort=None, title=None))
    axis = alt.Axis(values=tens, format=",~g")
    bars = base.mark_rule(strokeWidth=3, opacity=0.35, color=PALETTE["right"]).encode(
        x=alt.X("p50:Q", scale=scale, axis=axis, title=say("milliseconds; each line is ten times the one before")),
        x2="p95:Q",
    )
    dots = base.mark_point(filled=True, size=55, opacity=1, color=PALETTE["right"]).encode(x="p50:Q")
    return themed(
        alt.layer(bars, dots).properties(width=WIDTH, height=alt.Step(26)),
        say("Response times: the dot is the median, the bar ends where 95 of 100 replies had come."),
    )


def _tens(times: Sequence[float]) -> list[float]:
    """Return the powers of ten around some times."""
    first, last = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    return [10.0**power for power in range(first, max(last, first + 1) + 1)]


# --- figures: charts with their titles ---------------------------------------------------------------------------


def conversations_figures(result: ConversationsResult) -> dict[str, Figure]:
    """Return all figures of a conversations exam; none where no turn was counted."""
    if not wording.ranked_cells(result):
        return {}
    timed = any(result.cell(bot.name).times.p50 for bot in result.header.bots)
    return figures_by_name(
        [levels_figure(result), outcomes_figure(result), *([times_figure(result)] if timed else [])]
    )


def levels_figure(result: ConversationsResult) -> Figure:
    """Return how often each bot was right at each level."""
    return Figure(
        "levels",
        say("Right at each level"),
        say("Share of turns that went as they should; the bar is where it would lie with other conversations."),
        levels_chart(result),
    )


def outcomes_figure(result: ConversationsResult) -> Figure:
    """Return what became of the turns of each bot."""
    return Figure(
        "outcomes",
        say("What became of the turns"),
        say("Checked turns alone; what could not be run is not among them."),
        outcomes_chart(result),
    )


def times_figure(result: ConversationsResult) -> Figure:
    """Return how long the bots took."""
    return Figure(
        "times",
        say("How long a reply takes"),
        say("The dot is the median, the bar ends where 95 of 100 replies had come."),
        times_chart(result),
    )
