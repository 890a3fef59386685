"""Label suspects in the terminal: the sentence first, then a table of the examples."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from vivavoce.errors import plural
from vivavoce.intents.suspects import Suspect, SuspectsResult
from vivavoce.reports.shared.layout import block, plain_table


def show_suspects(console: Console, result: SuspectsResult) -> None:
    """Show which examples are probably filed under the wrong topic, and why."""
    console.print()
    console.print(block(suspects_sentence(result), "bold"))
    if unjudged := result.data.rows - result.judged:
        what = f"Not judged: {plural(unjudged, 'example')}, out of scope or alone in the topic."
        console.print(block(what, "dim"))
    if not result.suspects:
        return
    console.print()
    table = plain_table()
    table.add_column("Row", justify="right")
    for title in ("Example", "Filed under", "Perhaps", "Why"):
        table.add_column(title, overflow="fold")
    for suspect in result.suspects:
        cells = (suspect.text, suspect.intent, suspect.suggested, explain_suspect(suspect))
        table.add_row(str(suspect.row), *map(Text, cells))
    console.print(table)
    if (rest := result.found - len(result.suspects)) > 0:
        console.print(block(f"... and {rest:,} more; --most {result.found} lists all.", "dim"))


def suspects_sentence(result: SuspectsResult) -> str:
    """Say how many examples are suspect."""
    if not result.found:
        return f"None of {plural(result.judged, 'example')} looks misfiled."
    what = "may belong to another topic. Read them: some are right, only unusual."
    return f"{result.found:,} of {plural(result.judged, 'example')} {what}"


def explain_suspect(suspect: Suspect) -> str:
    """Say what speaks for the suggested topic, with the nearest example that is filed there."""
    share = (
        f"{suspect.agreeing} of the {suspect.neighbours} most similar examples are in '{suspect.suggested}', "
        f"{suspect.own} in '{suspect.intent}'"
    )
    near = next((example for example in suspect.nearest if example.intent == suspect.suggested), None)
    return f"{share}; for example “{near.text}” (row {near.row})" if near else share
