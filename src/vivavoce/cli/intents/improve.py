"""`viva intents improve`: what to do about the costliest problems, and what it would bring."""

from __future__ import annotations

from typing import Annotated

from vivavoce.cli.shared.failures import resumable
from vivavoce.cli.shared.material import load_engine, read_material, settings_in_force
from vivavoce.cli.shared.options import (
    EXAM,
    OUTPUT,
    Engine,
    File,
    Output,
    Patience,
    Reading,
    Scoring,
    option,
    setting,
)
from vivavoce.cli.shared.progress import progress_bar
from vivavoce.cli.shared.results import Screen, check_targets, conclude, tell_written, write_content
from vivavoce.settings import load_settings

# The default of `propose_improvements`, which is not imported to print help.
MAX_PROBLEMS = 3


def improve(
    file: File,
    *,
    most: Annotated[int, option("--most", "N", "Look at this many problems.", OUTPUT, low=1)] = MAX_PROBLEMS,
    retries: Annotated[int | None, setting("retries", EXAM, "N")] = None,
    engine: Engine,
    scoring: Scoring,
    workers: Annotated[int | None, setting("workers", EXAM, "N")] = None,
    patience: Patience,
    output: Output,
    reading: Reading,
) -> None:
    """Examine the data and forecast what each remedy of the costliest problems would bring. The file is not changed.

    Remedies are merging two topics and moving the examples between which the bot loses messages. The forecast uses
    other splits than the exam that found the problem.

    For example:

        viva intents improve faq.csv
        viva intents improve faq.csv --most 5 --retries 5 --json -
    """
    check_targets(output.targets, [file])
    settings = settings_in_force(engine, scoring, patience, reading)
    numbers = load_settings({"workers": workers, "retries": retries})
    data = read_material(file, reading, settings)
    from vivavoce.intents.improve import propose_improvements
    from vivavoce.reports.intents.improve import show_improvement

    with resumable(None), progress_bar(output.quiet) as progress:
        result = propose_improvements(
            data,
            load_engine(settings.classifier, settings),
            most=most,
            rounds=numbers.retries,
            threshold=settings.threshold,
            seed=settings.seed,
            workers=numbers.workers,
            progress=progress,
        )
    if output.speaks:
        show_improvement(Screen(), result)
    if output.json_path:
        write_content(output.json_path, result.to_json())
    tell_written(output)
    conclude(result.failures, None, lambda: None)
