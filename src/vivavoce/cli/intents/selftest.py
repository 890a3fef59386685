"""`viva intents selftest`: does vivavoce find what is wrong in data like yours?"""

from __future__ import annotations

from typing import Annotated

from vivavoce.cli.shared.failures import resumable
from vivavoce.cli.shared.material import load_engine, read_material, settings_in_force
from vivavoce.cli.shared.options import EXAM, Engine, File, Output, Patience, Reading, Scoring, option, setting
from vivavoce.cli.shared.progress import progress_bar
from vivavoce.cli.shared.results import Screen, check_targets, conclude, tell_written, write_content
from vivavoce.settings import load_settings

# The default of `run_selftest`, which is not imported to print help.
ROUNDS = 5


def selftest(
    file: File,
    *,
    rounds: Annotated[int, option("--rounds", "N", "Cross-validation rounds for each copy.", EXAM, low=1)] = ROUNDS,
    engine: Engine,
    scoring: Scoring,
    workers: Annotated[int | None, setting("workers", EXAM, "N")] = None,
    patience: Patience,
    output: Output,
    reading: Reading,
) -> None:
    """Plant faults in copies of your data and see how many vivavoce finds. The file is not changed.

    Topics are cut in two, examples are moved to a wrong topic, and whole topics are not taught. What is found of
    these tells how far you can trust the lists of pairs and suspects on data like yours.

    For example:

        viva intents selftest faq.csv
        viva intents selftest faq.csv --rounds 10 --json selftest.json
    """
    check_targets(output.targets, [file])
    settings = settings_in_force(engine, scoring, patience, reading)
    data = read_material(file, reading, settings)
    from vivavoce.intents.selftest import run_selftest
    from vivavoce.reports.intents.selftest import show_selftest

    with resumable(None), progress_bar(output.quiet) as progress:
        result = run_selftest(
            data,
            load_engine(settings.classifier, settings),
            rounds=rounds,
            threshold=settings.threshold,
            seed=settings.seed,
            workers=load_settings({"workers": workers}).workers,
            progress=progress,
        )
    if output.speaks:
        show_selftest(Screen(), result)
    if output.json_path:
        write_content(output.json_path, result.to_json())
    tell_written(output)
    conclude(result.failures, None, lambda: None)
