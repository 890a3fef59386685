"""`viva intents problems`: what to fix next, and nothing else of the exam."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from vivavoce.cli.intents.work import Task, Work
from vivavoce.cli.shared.options import OUTPUT, File, Record, Scoring, Traffic, option

MAX_PROBLEMS = 10
KEYS = (
    "vivavoce",
    "kind",
    "definitions",
    "seed",
    "data",
    "classifier",
    "threshold",
    "out_of_scope_share",
    "problems",
    "asides",
)


def problems(
    file: File,
    *,
    most: Annotated[int, option("--most", "N", "List this many problems at most.", OUTPUT, low=1)] = MAX_PROBLEMS,
    explain: Annotated[
        bool, option("--explain", "", "Show typical examples and the words that pull.", OUTPUT)
    ] = False,
    quick: Annotated[bool, option("--quick-wins", "", "Order by messages saved per minute of work.", OUTPUT)] = False,
    task: Task,
    scoring: Scoring,
    traffic: Traffic,
    record: Record = None,
) -> None:
    """List what to fix next, most costly first.

    Runs the exam of `viva intents examine`. A problem is listed if it surely affects at least 1 in 1,000
    messages.

    For example:

        viva intents problems faq.csv
        viva intents problems faq.csv --explain --quick-wins
        viva intents problems faq.csv --out-of-scope-share 0.3 --json problems.json
    """
    work = Work.begin(file, task, scoring, traffic, record=record)
    from vivavoce.intents import examine_intents, explain_problems
    from vivavoce.intents.problems import Order, order_problems
    from vivavoce.reports.intents.tables import show_problems

    result = work.run(examine_intents, "threshold", "out_of_scope_share", "retries", "seed", "workers")
    if quick:
        result = replace(result, problems=order_problems(result.problems, Order.GAIN_PER_MINUTE))
    with work.watch():
        cards = explain_problems(work.data, result.problems[:most], work.classifier) if explain else ()
    content = result.to_json()
    listed = {**content, "kind": "intents-problems", "problems": content["problems"][:most]}
    explained = {"cards": [card.to_json() for card in cards]} if explain else {}
    work.finish(
        result,
        lambda screen: show_problems(screen, result, most, cards),
        {**{name: listed[name] for name in KEYS}, **explained},
    )
