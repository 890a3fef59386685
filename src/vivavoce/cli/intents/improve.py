"""`viva intents improve`: what to do about the costliest problems, and what it would bring."""

from __future__ import annotations

from typing import Annotated

from vivavoce.cli.intents.work import Work, Workers
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
    option_group,
    setting,
)

# The default of `propose_improvements`, which is not imported to print help.
MAX_PROBLEMS = 3


@option_group
class Rounds:
    """How often the data are divided."""

    retries: Annotated[int | None, setting("retries", EXAM, "N")] = None


def improve(
    file: File,
    *,
    most: Annotated[int, option("--most", "N", "Look at this many problems.", OUTPUT, low=1)] = MAX_PROBLEMS,
    rounds: Rounds,
    engine: Engine,
    scoring: Scoring,
    workers: Workers,
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
    work = Work.begin(file, output, reading, engine, rounds, scoring, workers, patience)
    from vivavoce.intents.improve import propose_improvements
    from vivavoce.reports.intents.improve import show_improvement

    names = ("threshold", "seed", "workers")
    result = work.run(propose_improvements, *names, most=most, rounds=work.settings.retries)
    work.finish(result, lambda screen: show_improvement(screen, result))
