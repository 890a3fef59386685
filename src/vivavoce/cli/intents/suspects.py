"""`viva intents suspects`: which examples are probably filed under the wrong topic?"""

from __future__ import annotations

from typing import Annotated

from vivavoce.cli.shared.failures import resumable
from vivavoce.cli.shared.material import load_engine, read_material, settings_in_force
from vivavoce.cli.shared.options import EXAM, OUTPUT, Engine, File, Output, Patience, Reading, option, setting
from vivavoce.cli.shared.progress import progress_bar
from vivavoce.cli.shared.results import Screen, check_targets, conclude, tell_written, write_content
from vivavoce.settings import load_settings

# The default of `find_suspects`, which is not imported to print help.
MAX_SUSPECTS = 50


def suspects(
    file: File,
    *,
    most: Annotated[int, option("--most", "N", "List this many suspects at most.", OUTPUT, low=1)] = MAX_SUSPECTS,
    engine: Engine,
    seed: Annotated[int | None, setting("seed", EXAM, "N")] = None,
    workers: Annotated[int | None, setting("workers", EXAM, "N")] = None,
    patience: Patience,
    output: Output,
    reading: Reading,
) -> None:
    """List examples that are probably filed under the wrong topic, most suspect first.

    Models that were not trained on an example judge it, and so do the examples most like it.

    For example:

        viva intents suspects faq.csv
        viva intents suspects faq.csv --most 20 --json suspects.json
    """
    check_targets(output.targets, [file])
    settings = settings_in_force(engine, patience, reading)
    numbers = load_settings({"seed": seed, "workers": workers})
    data = read_material(file, reading, settings)
    from vivavoce.intents import find_suspects
    from vivavoce.reports.intents.suspects import show_suspects

    with resumable(None), progress_bar(output.quiet) as progress:
        result = find_suspects(
            data,
            load_engine(settings.classifier, settings),
            most=most,
            seed=numbers.seed,
            workers=numbers.workers,
            progress=progress,
        )
    if output.speaks:
        show_suspects(Screen(), result)
    if output.json_path:
        write_content(output.json_path, result.to_json())
    tell_written(output)
    conclude(result.failures, None, lambda: None)
