"""An exam over time: in words, in the terminal and as a page."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.text import Text

from vivavoce.intents.timeline import Period, TimelineResult
from vivavoce.records import Rate
from vivavoce.reports.intents import wording
from vivavoce.reports.intents.charts import RateRow, timeline_chart
from vivavoce.reports.intents.choices import short_notes
from vivavoce.reports.intents.html import page
from vivavoce.reports.intents.meanings import MEASURES, hundred
from vivavoce.reports.intents.sections import glossary
from vivavoce.reports.intents.sections import notes as notes_part
from vivavoce.reports.intents.tables import rate_cell
from vivavoce.reports.shared.layout import block, bullets, heading, numbers_table
from vivavoce.reports.shared.parts import figure, rate_part
from vivavoce.reports.shared.tags import Html, join, table, tag
from vivavoce.version import __version__

# A model that never learnt a topic rightly declines it, so accuracy would flatter a bot that is left alone.
MAIN = "answered_right"
COLUMNS: Mapping[str, str] = {
    MAIN: "Answered rightly",
    "automation_rate": MEASURES["automation_rate"].title,
    "precision_answered": MEASURES["precision_answered"].title,
    "new_topic_share": "On new topics",
}
TRAINED, LEFT_ALONE = "Trained on all that came before", "Never trained again"


def timeline_headline(result: TimelineResult) -> str:
    """Say in one sentence what the time did to the bot."""
    gain = result.maintenance
    if gain is None or gain.difference is None:
        return _end_sentence(result)
    change = f"{abs(100 * gain.difference):.1f} points"
    if gain.low is not None and gain.high is not None and gain.low <= 0 <= gain.high:
        return f"Training the bot anew made no clear difference ({change}) to the messages it answers rightly."
    more = "more" if gain.difference > 0 else "fewer"
    ends = [abs(100 * end) for end in (gain.low, gain.high) if end is not None]
    around = f" ({min(ends):.1f} to {max(ends):.1f})" if len(ends) == 2 else ""
    return f"Because it was trained anew, the bot answers {change}{around} {more} of the messages rightly."


def _end_sentence(result: TimelineResult) -> str:
    known = [period.rates["accuracy"].value for period in result.periods]
    values = [value for value in known if value is not None]
    if not values:
        return "Nothing was tested, so nothing can be said about the bot."
    return f"At first {hundred(values[0])} of 100 decisions were right, in the end {hundred(values[-1])}."


def timeline_facts(result: TimelineResult) -> str:
    """Say what was played back."""
    size = f"{wording.plural(result.data.rows, 'example')} in {wording.plural(result.data.topics, 'topic')}"
    return f"{size}, {wording.plural(len(result.periods), 'period')} ({result.mode}), classifier {result.classifier}."


def _span(period: Period, between: str = " to ") -> str:
    return f"{period.begin:%Y-%m-%d}{between}{period.end:%Y-%m-%d}"


# --- the terminal ------------------------------------------------------------------------------------------


def show_timeline(console: Console, result: TimelineResult, *, verbose: bool = False) -> None:
    """Show an exam over time: the sentence, one line for each period, what to know."""
    console.print()
    console.print(block(timeline_headline(result), "bold"))
    console.print(heading("Period by period", timeline_facts(result)))
    head = ("Period", "Tested", *COLUMNS.values())
    rows: list[tuple[str | Text, ...]] = [
        (_span(period, "\n"), f"{period.n_test:,}", *(rate_cell(period.rates[name]) for name in COLUMNS))
        for period in result.periods
    ]
    console.print(numbers_table(head, rows))
    if verbose:
        console.print(heading("New topics"))
        console.print(bullets(f"{_span(p)}: {', '.join(p.new_topics)}" for p in result.periods if p.new_topics))
    console.print(heading("What to know"))
    console.print(bullets(short_notes(result.warnings, len(result.warnings) if verbose else 3)))


# --- the page ----------------------------------------------------------------------------------------------


def render_timeline(result: TimelineResult) -> str:
    """Return the report of an exam over time as one file."""
    title = f"{result.classifier} over time"
    top = tag(
        "header",
        tag("h1", title),
        tag("p", timeline_headline(result), class_="lead"),
        tag("p", timeline_facts(result), class_="second"),
    )
    main = tag(
        "main",
        _about_periods(result),
        tag("section", tag("h2", "What to know before you trust these numbers"), notes_part(result.warnings)),
        glossary(),
    )
    facts = f"vivavoce {__version__}; seed {result.seed}; data {result.data.source}, hash {result.data.hash}."
    return page(title, join([top, main, tag("footer", tag("p", facts))]))


def _about_periods(result: TimelineResult) -> Html:
    head = ("Period", "Trained", "Tested", *COLUMNS.values(), MEASURES["accuracy"].title, "New topics")
    rows = [
        (
            _span(period),
            f"{period.n_train:,}",
            f"{period.n_test:,}",
            *(rate_part(period.rates[name]) for name in (*COLUMNS, "accuracy")),
            f"{len(period.new_topics):,}",
        )
        for period in result.periods
    ]
    numbers = table("Every period, with intervals", head, rows, numbers=len(head) - 1)
    meaning = "Of all messages, the share that was answered with the right topic. Dot: value; bar: interval."
    drawn = figure("Answered rightly, over time", meaning, timeline_chart(_dots(result)), numbers)
    return tag("section", tag("h2", "Period by period"), drawn)


def _dots(result: TimelineResult) -> list[RateRow]:
    return [
        RateRow(f"{period.begin:%Y-%m-%d}", series, rate)
        for period in result.periods
        for series, rate in _series(period)
    ]


def _series(period: Period) -> list[tuple[str, Rate]]:
    found = [(TRAINED, period.rates[MAIN])]
    return found if period.frozen is None else [*found, (LEFT_ALONE, period.frozen.rates[MAIN])]
