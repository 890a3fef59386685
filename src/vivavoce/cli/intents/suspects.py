"""`viva intents suspects`: which examples are probably filed under the wrong topic?"""

from __future__ import annotations

from typing import Annotated

from vivavoce.cli.intents.work import Task, Work, Workers
from vivavoce.cli.shared.options import EXAM, OUTPUT, File, option, option_group, setting

# The default of `find_suspects`, which is not imported to print help.
MAX_SUSPECTS = 50


@option_group
class Draw:
    """Which splits are drawn."""

    seed: Annotated[int | None, setting("seed", EXAM, "N")] = None


def suspects(
    file: File,
    *,
    most: Annotated[int, option("--most", "N", "List this many suspects at most.", OUTPUT, low=1)] = MAX_SUSPECTS,
    task: Task,
    draw: Draw,
    workers: Workers,
) -> None:
    """List examples that are probably filed under the wrong topic, most suspect first.

    Models that were not trained on an example judge it, and so do the examples most like it.

    For example:

        viva intents suspects faq.csv
        viva intents suspects faq.csv --most 20 --json suspects.json
    """
    work = Work.begin(file, task, draw, workers)
    from vivavoce.intents import find_suspects
    from vivavoce.reports.intents.suspects import show_suspects

    result = work.run(find_suspects, "seed", "workers", most=most)
    work.finish(result, lambda screen: show_suspects(screen, result))
