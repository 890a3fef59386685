"""Problems of single topics: too few examples, two topics in one, no answer, examples that are like no topic."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from vivavoce.intents.findings import SettingFindings
from vivavoce.intents.problem_record import Problem, ProblemKind, Remedy, name_topics, share_to_cost
from vivavoce.intents.quality import DataQuality
from vivavoce.statistics import wilson

Weigh = Callable[[float], float]

# A topic with fewer examples is too small to be learnt, as `viva intents check` says.
TINY = 5
MAX_EXAMPLES = 5


def find_topic_problems(main: SettingFindings, quality: DataQuality, weigh: Weigh) -> Iterator[Problem]:
    """Yield the problems of single topics. `weigh`: how many of 1,000 messages are like so many examples."""
    yield from _find_small_topics(main, weigh)
    yield from _find_topics_to_split(quality, weigh)
    yield from _find_unanswered_topics(main, quality, weigh)
    yield from _find_outliers(quality, sum(line.examples for line in main.intents), weigh)


def _find_small_topics(main: SettingFindings, weigh: Weigh) -> Iterator[Problem]:
    """Yield one problem for all topics that are too small, as far as their questions get a wrong answer or none."""
    small = [line for line in main.intents if line.examples < TINY and line.recall.n]
    tested = sum(line.recall.n for line in small)
    if not tested:
        return
    missed = sum((1 - (line.recall.value or 0.0)) * line.recall.n for line in small)
    share = wilson(missed, tested)
    small.sort(key=lambda line: (line.recall.value or 0.0, line.examples, line.intent))
    yield Problem(
        ProblemKind.TOO_SMALL,
        tuple(line.intent for line in small),
        *share_to_cost(share, weigh(sum(line.examples for line in small))),
        evidence=round(missed),
        remedies=(Remedy.ADD_EXAMPLES, Remedy.MERGE, Remedy.RETIRE),
        measured=share,
    )


def _find_topics_to_split(quality: DataQuality, weigh: Weigh) -> Iterator[Problem]:
    """Yield a problem for each topic that looks like two: those who ask the smaller get the answer of the larger."""
    for half in quality.halves:
        cost = weigh(len(half))
        yield Problem(
            ProblemKind.TO_SPLIT,
            name_topics([half[0].intent]),
            *(cost, cost, cost),
            evidence=len(half),
            remedies=(Remedy.SPLIT, Remedy.MOVE),
            rows=tuple(example.row for example in half),
            examples=half[:MAX_EXAMPLES],
        )


def _find_unanswered_topics(main: SettingFindings, quality: DataQuality, weigh: Weigh) -> Iterator[Problem]:
    """Yield one problem for all topics without an answer, where most topics have one."""
    lacking = [line for line in main.intents if not quality.answers.get(line.intent)]
    if not lacking or 2 * len(lacking) > len(main.intents):
        return
    lacking.sort(key=lambda line: (-line.examples, line.intent))
    examples = sum(line.examples for line in lacking)
    cost = weigh(examples)
    yield Problem(
        ProblemKind.NO_ANSWER,
        tuple(line.intent for line in lacking),
        *(cost, cost, cost),
        evidence=examples,
        remedies=(Remedy.WRITE_ANSWER, Remedy.RETIRE),
    )


def _find_outliers(quality: DataQuality, examples: int, weigh: Weigh) -> Iterator[Problem]:
    """Yield one problem for all examples that are like no topic."""
    if quality.outliers:
        share = wilson(len(quality.outliers), max(examples, len(quality.outliers)))
        yield Problem(
            ProblemKind.OUTLIERS,
            name_topics([example.intent for example in quality.outliers]),
            *share_to_cost(share, weigh(examples)),
            evidence=len(quality.outliers),
            remedies=(Remedy.MOVE, Remedy.MARK_OUT_OF_SCOPE, Remedy.ADD_EXAMPLES),
            rows=tuple(example.row for example in quality.outliers),
            examples=quality.outliers[:MAX_EXAMPLES],
            measured=share,
        )
