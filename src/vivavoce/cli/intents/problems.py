"""`viva intents problems`: what to fix next, and nothing else of the exam."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from vivavoce.cli.shared.failures import resumable
from vivavoce.cli.shared.material import load_engine, read_material, settings_in_force
from vivavoce.cli.shared.options import (
    OUTPUT,
    Engine,
    File,
    Output,
    Patience,
    Reading,
    Record,
    Scoring,
    Traffic,
    option,
)
from vivavoce.cli.shared.progress import progress_bar
from vivavoce.cli.shared.results import Screen, check_targets, conclude, tell_written, write_content

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
    quick: Annotated[
        bool, option("--quick-wins", "", "Begin with the problem on which a minute saves most.", OUTPUT)
    ] = False,
    engine: Engine,
    scoring: Scoring,
    traffic: Traffic,
    patience: Patience,
    record: Record = None,
    output: Output,
    reading: Reading,
) -> None:
    """List what to fix next, by how many of 1,000 messages it costs.

    Runs the exam of `viva intents examine`. A problem is listed if even the low end of its interval is one of
    1,000 messages or more.

    For example:

        viva intents problems faq.csv
        viva intents problems faq.csv --explain --quick-wins
        viva intents problems faq.csv --out-of-scope-share 0.3 --json problems.json
    """
    check_targets({**output.targets, "--record": record}, [file])
    settings = settings_in_force(engine, scoring, traffic, patience, reading)
    data = read_material(file, reading, settings)
    from vivavoce.intents import examine_intents, explain_problems
    from vivavoce.intents.problems import Order, order_problems
    from vivavoce.reports.intents.tables import show_problems

    classifier = load_engine(settings.classifier, settings)
    with resumable(record), progress_bar(output.quiet) as progress:
        result = examine_intents(
            data,
            classifier,
            threshold=settings.threshold,
            out_of_scope_share=settings.out_of_scope_share,
            retries=settings.retries,
            seed=settings.seed,
            workers=settings.workers,
            record=record,
            progress=progress,
        )
        if quick:
            result = replace(result, problems=order_problems(result.problems, Order.GAIN_PER_MINUTE))
        cards = explain_problems(data, result.problems[:most], classifier) if explain else ()
    if output.speaks:
        show_problems(Screen(), result, most, cards)
    if output.json_path:
        content = result.to_json()
        listed = {**content, "kind": "intents-problems", "problems": content["problems"][:most]}
        explained = {"cards": [card.to_json() for card in cards]} if explain else {}
        write_content(output.json_path, {**{name: listed[name] for name in KEYS}, **explained})
    tell_written(output)
    conclude(result.failures, record, lambda: None)
