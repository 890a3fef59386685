"""A what-if in the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from vivavoce.errors import plural
from vivavoce.intents.whatif import ChangedQuestion, Effect, Forecast
from vivavoce.intents.whatif.wording import is_clear, points_with_interval
from vivavoce.outcomes import Outcome
from vivavoce.reports.intents.choices import short_notes
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.reports.shared.layout import block, bullets, heading, numbers_table

SHOWN = 10


def forecast_facts(result: Forecast) -> str:
    """Say what was examined."""
    size = f"{plural(result.data.rows, 'example')} in {plural(result.data.topics, 'topic')}"
    rounds = f"{plural(result.rounds, 'round')} before and after on the same splits"
    return f"{size}, {rounds}, classifier {result.classifier}; intervals of {result.confidence:.0%}."


def advise(result: Forecast) -> str:
    """Say what the difference in accuracy means for a decision."""
    effect = result.effects["accuracy"]
    if effect.difference == effect.low == effect.high == 0:
        return "The edit changes no answer that was tested."
    if not is_clear(effect):
        return "The difference in accuracy is not clear: its interval includes 0."
    return "The edit helps." if (effect.difference or 0) > 0 else "The edit does harm."


def show_forecast(console: Console, result: Forecast, *, verbose: bool = False) -> None:
    """Show a forecast: the sentence, the numbers, the questions that change, what to know."""
    console.print()
    console.print(block(result.sentence, "bold"))
    console.print(block(advise(result)))
    console.print(heading("All questions", forecast_facts(result)))
    console.print(_effects_table(result.effects))
    console.print(heading("Questions of the edited topics"))
    console.print(_effects_table(result.on_topics))
    if result.by_later_topics is not None:
        text = "If the two topics counted as one before the merge, too, accuracy changes by"
        console.print(block(f"{text} {points_with_interval(result.by_later_topics)}."))
    most = max(len(result.improved), len(result.broken)) if verbose else SHOWN
    _show_questions(console, "Questions that become right", result.improved, most)
    _show_questions(console, "Questions that break", result.broken, most)
    console.print(heading("Before you trust these results"))
    console.print(bullets(short_notes(result.warnings)))


def _effects_table(effects: Mapping[str, Effect]) -> Table:
    rows: list[tuple[str | Text, ...]] = [
        (
            MEASURES[name].title,
            _share(effect.before),
            _share(effect.after),
            points_with_interval(effect),
            f"{effect.n:,}",
        )
        for name, effect in effects.items()
    ]
    return numbers_table(("", "Before", "After", "Difference", "Questions"), rows)


def _share(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.1%}"


def _show_questions(console: Console, title: str, questions: Sequence[ChangedQuestion], most: int) -> None:
    if not questions:
        return
    console.print(heading(title))
    rows: list[tuple[str | Text, ...]] = [
        (
            f"{q.row}",
            q.text,
            q.intent or "out of scope",
            _describe(q.guess_before, q.before),
            _describe(q.guess, q.after),
        )
        for q in questions[:most]
    ]
    console.print(numbers_table(("Row", "Question", "Topic", "Before", "After"), rows, words=5))
    if len(questions) > most:
        console.print(block(f"... and {len(questions) - most:,} more; --verbose shows all."))


def _describe(guess: str | None, outcome: Outcome) -> str:
    return (guess or "no guess") if outcome.answered else f"declined ({guess or 'no guess'})"
