"""A self-test in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from vivavoce.errors import plural
from vivavoce.intents.selftest import PlantFindings, PlantKind, SelfTest
from vivavoce.reports.shared.layout import block, bullets, heading, numbers_table, rate_cell

TITLES = {
    PlantKind.DUPLICATES: "Topics cut in two, first in the list of pairs",
    PlantKind.LABELS: "Examples moved to a wrong topic, first in the list of suspects",
    PlantKind.OUT_OF_SCOPE: "Questions about topics that were not taught, declined",
}
SHOWN = 5


def show_selftest(console: Console, result: SelfTest) -> None:
    """Show how much of what was planted is found, and what that says about the user's own topics."""
    console.print()
    console.print(block(selftest_sentence(result), "bold"))
    size = f"{plural(result.data.rows, 'example')} in {plural(result.data.topics, 'topic')}"
    facts = f"Faults planted in copies of {size}; {plural(result.rounds, 'round')}, classifier {result.classifier}."
    console.print(heading("What was planted and found", facts))
    rows: list[tuple[str | Text, ...]] = [
        (TITLES[plant.kind], f"{plant.found.n:,}", rate_cell(plant.found)) for plant in result.plants
    ]
    console.print(numbers_table(("Planted", "Number", "Found"), rows))
    for plant in result.plants:
        if plant.missed:
            console.print(heading("Not found: " + TITLES[plant.kind].partition(",")[0].lower()))
            console.print(bullets(plant.missed[:SHOWN]))
    if result.level is not None:
        console.print(heading("Your own topics", level_sentence(result)))
        console.print(bullets(f"{a} and {b}: overlap {overlap:.0%}" for a, b, overlap in result.alike[:SHOWN]))


def selftest_sentence(result: SelfTest) -> str:
    """Say in one sentence how much was found."""
    parts = [_count(plant) for plant in result.plants]
    return f"Of the faults planted in your data, vivavoce found {', '.join(parts)}."


def _count(plant: PlantFindings) -> str:
    hits = round((plant.found.value or 0.0) * plant.found.n)
    match plant.kind:
        case PlantKind.DUPLICATES:
            return f"{hits:,} of {plural(plant.found.n, 'duplicate topic')}"
        case PlantKind.LABELS:
            return f"{hits:,} of {plural(plant.found.n, 'wrong label')}"
    return f"and the bot declined {hits:,} of {plural(plant.found.n, 'out-of-scope question')}"


def level_sentence(result: SelfTest) -> str:
    """Say from which overlap on two topics are as alike as one topic cut in two."""
    level = f"From an overlap of {result.level or 0:.0%} on, two topics are as hard to tell apart as one cut in two."
    if result.alike:
        return f"{level} {plural(len(result.alike), 'pair')} of your topics reach it."
    return f"{level} None of your pairs reaches it: no two topics look like one."
