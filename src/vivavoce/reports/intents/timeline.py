"""An exam over time: in words, in the terminal and as a page."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.text import Text

from vivavoce.errors import plural
from vivavoce.intents.timeline import Period, TimelineResult
from vivavoce.reports.intents.choices import short_notes
from vivavoce.reports.intents.html import weigh_notes
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.reports.shared.charts import Figure, RateRow, timeline_chart
from vivavoce.reports.shared.layout import block, bullets, heading, numbers_table, rate_cell
from vivavoce.reports.shared.numbers import hundred
from vivavoce.reports.shared.pages import render_report
from vivavoce.reports.shared.views import make_table
from vivavoce.reports.shared.views import rate_cell as rate_cell_of
from vivavoce.version import __version__

# A model that never learnt a topic rightly declines it, so accuracy would flatter a bot that is never retrained.
MAIN = "answered_right"
COLUMNS: Mapping[str, str] = {
    MAIN: "Answered correctly",
    "automation_rate": MEASURES["automation_rate"].title,
    "precision_answered": MEASURES["precision_answered"].title,
    "new_topic_share": "On new topics",
}
TRAINED, LEFT_ALONE = "Retrained on all earlier data", "Never retrained"


def timeline_headline(result: TimelineResult) -> str:
    """Say in one sentence what the time did to the bot."""
    gain = result.maintenance
    if gain is None or gain.difference is None:
        rates = [period.rates["accuracy"].value for period in result.periods]
        values = [value for value in rates if value is not None]
        if not values:
            return "Nothing was tested, so there is no result for the bot."
        return f"At first, {hundred(values[0])} of 100 decisions were right; at the end, {hundred(values[-1])}."
    change = f"{abs(100 * gain.difference):.1f} points"
    if gain.low is not None and gain.high is not None and gain.low <= 0 <= gain.high:
        return f"Retraining made no clear difference ({change}) to the messages the bot answers correctly."
    more = "more" if gain.difference > 0 else "fewer"
    ends = [abs(100 * end) for end in (gain.low, gain.high) if end is not None]
    interval = f" ({min(ends):.1f} to {max(ends):.1f})" if len(ends) == 2 else ""
    return f"Because of retraining, the bot answers {change}{interval} {more} of the messages correctly."


def timeline_facts(result: TimelineResult) -> str:
    """Say what was played back."""
    size = f"{plural(result.data.rows, 'example')} in {plural(result.data.topics, 'topic')}"
    return f"{size}, {plural(len(result.periods), 'period')} ({result.mode}), classifier {result.classifier}."


def _span(period: Period, between: str = " to ") -> str:
    return f"{period.begin:%Y-%m-%d}{between}{period.end:%Y-%m-%d}"


def show_timeline(console: Console, result: TimelineResult, *, verbose: bool = False) -> None:
    """Show an exam over time: the sentence, one line for each period, what to know."""
    console.print()
    console.print(block(timeline_headline(result), "bold"))
    console.print(heading("By period", timeline_facts(result)))
    head = ("Period", "Tested", *COLUMNS.values())
    rows: list[tuple[str | Text, ...]] = [
        (_span(period, "\n"), f"{period.n_test:,}", *(rate_cell(period.rates[name]) for name in COLUMNS))
        for period in result.periods
    ]
    console.print(numbers_table(head, rows))
    if verbose:
        console.print(heading("New topics"))
        console.print(bullets(f"{_span(p)}: {', '.join(p.new_topics)}" for p in result.periods if p.new_topics))
    console.print(heading("Before you trust these results"))
    console.print(bullets(short_notes(result.warnings, len(result.warnings) if verbose else 3)))


def render_timeline(result: TimelineResult) -> str:
    """Return the report of an exam over time as one file."""
    head = ("Period", "Trained", "Tested", *COLUMNS.values(), MEASURES["accuracy"].title, "New topics")
    rows = [
        (
            _span(period),
            f"{period.n_train:,}",
            f"{period.n_test:,}",
            *(rate_cell_of(period.rates[name]) for name in (*COLUMNS, "accuracy")),
            f"{len(period.new_topics):,}",
        )
        for period in result.periods
    ]
    dots = [
        RateRow(f"{period.begin:%Y-%m-%d}", series, findings.rates[MAIN])
        for period in result.periods
        for series, findings in ((TRAINED, period), (LEFT_ALONE, period.frozen))
        if findings is not None
    ]
    meaning = "Of all messages, the share answered with the right topic. Dot: value; bar: interval."
    return render_report(
        "timeline.html",
        f"{result.classifier} over time",
        lead=timeline_headline(result),
        beside=(timeline_facts(result),),
        foot=f"vivavoce {__version__}; seed {result.seed}; data {result.data.source}, hash {result.data.hash}.",
        figure=Figure("timeline", "Answered correctly over time", meaning, timeline_chart(dots)),
        periods=make_table("All periods, with intervals", head, rows, len(head) - 1),
        notes=weigh_notes(result.warnings),
        measures=MEASURES,
    )
