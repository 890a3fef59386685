"""What to do about the costliest problems, in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from vivavoce.errors import plural
from vivavoce.intents.improve import Improvement
from vivavoce.intents.whatif import Forecast
from vivavoce.intents.whatif.wording import points_with_interval
from vivavoce.reports.intents.problem_wording import cost_sentence, problem_advice, problem_sentence
from vivavoce.reports.shared.layout import block, heading, numbers_table


def show_improvement(console: Console, result: Improvement) -> None:
    """Show each problem with what its remedies would bring."""
    console.print()
    console.print(block(improvement_sentence(result), "bold"))
    for place, proposal in enumerate(result.proposals, 1):
        title = f"{place}. {problem_sentence(proposal.problem)}"
        console.print(heading(title, str(cost_sentence(proposal.problem))))
        if proposal.forecasts:
            rows = [_remedy_row(forecast, best=forecast is proposal.best) for forecast in proposal.forecasts]
            head = ("Remedy", "Correct decisions", "Become right", "Break")
            console.print(numbers_table(head, rows))
        if proposal.best is None:
            console.print(block(str(problem_advice(proposal.problem))))


def improvement_sentence(result: Improvement) -> str:
    """Say what to do first."""
    if not result.proposals:
        return "Nothing is worth your time today: the exam found no problem that surely costs a message in 1,000."
    best = next(filter(None, (proposal.best for proposal in result.proposals)), None)
    if best is None:
        many = plural(len(result.proposals), "problem")
        return f"{many}, but no edit of your data surely helps. Read the questions, and write more examples."
    effect = points_with_interval(best.effects["accuracy"])
    return f"Do this first: {', '.join(map(str, best.edits))} ({effect})."


def _remedy_row(forecast: Forecast, *, best: bool) -> tuple[str | Text, ...]:
    title = ", ".join(map(str, forecast.edits))
    return (
        Text(f"{title[:1].upper()}{title[1:]}", "bold" if best else ""),
        points_with_interval(forecast.effects["accuracy"]),
        f"{len(forecast.improved):,}",
        f"{len(forecast.broken):,}",
    )
