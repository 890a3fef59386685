"""`viva intents threshold`: how sure must the bot be to answer?"""

from __future__ import annotations

from typing import Annotated

from vivavoce.cli.intents.work import Task, Work
from vivavoce.cli.shared.options import EXAM, File, Record, Scoring, Traffic, option

# The defaults of `advise_threshold`, which is not imported to print help.
WRONG_COSTS, MAX_WRONG, CONFIDENCE = 5.0, 0.05, 0.9


def threshold(
    file: File,
    *,
    wrong_costs: Annotated[
        float, option("--wrong-costs", "N", "A wrong answer is as bad as N hand-overs.", EXAM)
    ] = WRONG_COSTS,
    max_wrong: Annotated[
        float, option("--max-wrong", "0..1", "Guarantee that at most this share of answers is wrong.", EXAM)
    ] = MAX_WRONG,
    confidence: Annotated[float, option("--confidence", "0..1", "Confidence of that guarantee.", EXAM)] = CONFIDENCE,
    task: Task,
    scoring: Scoring,
    traffic: Traffic,
    record: Record = None,
) -> None:
    """Find the cheapest threshold, and the lowest one with a guarantee.

    Each example is asked once, of a classifier trained without it. `--threshold` is the current one.

    For example:

        viva intents threshold faq.csv
        viva intents threshold faq.csv --wrong-costs 10 --out-of-scope-share 0.3
        viva intents threshold faq.csv --max-wrong 0.02 --confidence 0.95 --json threshold.json
    """
    work = Work.begin(file, task, scoring, traffic, record=record)
    from vivavoce.intents.threshold_exam import advise_threshold
    from vivavoce.reports.intents.threshold import show_threshold

    names = ("threshold", "out_of_scope_share", "test_fraction", "seed", "workers")
    wishes = {"wrong_costs": wrong_costs, "max_wrong": max_wrong, "confidence": confidence}
    result = work.run(advise_threshold, *names, **wishes)
    work.finish(result, lambda screen: show_threshold(screen, result))
