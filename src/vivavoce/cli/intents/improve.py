"""`viva intents improve`: what to do about the costliest problems, and what it would bring."""

from __future__ import annotations

from typing import Annotated

from vivavoce.cli.intents.work import Task, Work, Workers
from vivavoce.cli.shared.options import EXAM, OUTPUT, File, Scoring, option, option_group, setting

# The default of `propose_improvements`, which is not imported to print help.
MAX_PROBLEMS = 3


@option_group
class Rounds:
    """How often the data are divided."""

    retries: Annotated[int | None, setting("retries", EXAM, "N")] = None


def improve(
    file: File,
    *,
    most: Annotated[int, option("--most", "N", "Number of problems to look at.", OUTPUT, low=1)] = MAX_PROBLEMS,
    task: Task,
    rounds: Rounds,
    scoring: Scoring,
    workers: Workers,
) -> None:
    """Forecast what each remedy of the most costly problems would change. The file is not modified.

    Remedies include merging and splitting topics and moving examples. The forecast uses other splits than the exam
    that found the problem.

    For example:

        viva intents improve faq.csv
        viva intents improve faq.csv --most 5 --retries 5 --json -
    """
    work = Work.begin(file, task, rounds, scoring, workers)
    from vivavoce.intents.improve import propose_improvements
    from vivavoce.reports.intents.improve import show_improvement

    names = ("threshold", "seed", "workers")
    result = work.run(propose_improvements, *names, most=most, rounds=work.settings.retries)
    work.finish(result, lambda screen: show_improvement(screen, result))
