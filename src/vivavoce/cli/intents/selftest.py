"""`viva intents selftest`: does vivavoce find what is wrong in data like yours?"""

from __future__ import annotations

from typing import Annotated

from vivavoce.cli.intents.work import Task, Work, Workers
from vivavoce.cli.shared.options import EXAM, File, Scoring, option

# The default of `run_selftest`, which is not imported to print help.
ROUNDS = 5


def selftest(
    file: File,
    *,
    rounds: Annotated[int, option("--rounds", "N", "Cross-validation rounds for each copy.", EXAM, low=1)] = ROUNDS,
    task: Task,
    scoring: Scoring,
    workers: Workers,
) -> None:
    """Plant faults in copies of your data and see how many vivavoce finds. The file is not modified.

    Topics are cut in two, examples are moved to a wrong topic, and whole topics are not taught. The share
    found tells how far you can trust the lists of pairs and suspects on data like yours.

    For example:

        viva intents selftest faq.csv
        viva intents selftest faq.csv --rounds 10 --json selftest.json
    """
    work = Work.begin(file, task, scoring, workers)
    from vivavoce.intents.selftest import run_selftest
    from vivavoce.reports.intents.selftest import show_selftest

    result = work.run(run_selftest, "threshold", "seed", "workers", rounds=rounds)
    work.finish(result, lambda screen: show_selftest(screen, result))
