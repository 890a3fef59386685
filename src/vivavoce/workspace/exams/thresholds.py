"""What an intents exam would have come to with another threshold: counted anew from the questions that were kept.

Each question counts once: by its usual guess and by its mean confidence over all of its tests.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vivavoce.kept import Kept
from vivavoce.records import Rate
from vivavoce.statistics import wilson
from vivavoce.store.database import Store
from vivavoce.store.rows import Run
from vivavoce.workspace.exams.questions import Question, read_questions

STEPS = 50
# A question without a guess is declined at every threshold.
NEVER = -1.0


@dataclass(frozen=True, slots=True)
class Guesses:
    """The confidences of the guesses of a run: of all questions, of those guessed rightly, of those out of scope."""

    asked: tuple[float, ...]
    right: tuple[float, ...]
    out_of_scope: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class AtThreshold:
    """What a bot does at a threshold; `correct` is a share of what it answers, `declined` of what is out of scope."""

    threshold: float
    answered: Rate
    correct: Rate
    declined: Rate


_GUESSES: Kept[Guesses] = Kept(6)


def read_guesses(store: Store, run: Run) -> Guesses:
    """Return what is needed to count a finished run at any threshold."""

    def read() -> Guesses:
        with store.reading() as tx:
            questions = read_questions(tx, run)
            strangers = tuple(_confidence(one) for one in questions if one.origin is None)
            if not strangers:
                # The first condition taught every topic; another one may have held some of them out.
                settings = [f"{int(k)},{p:g}" for k, p in run.options.get("settings") or ()]
                strangers = mean_confidences(tx.units.results(run.id), settings)
        right = (_confidence(one) for one in questions if one.origin is not None and one.row.guess == one.origin)
        return Guesses(tuple(map(_confidence, questions)), tuple(right), strangers)

    return _GUESSES.get((run.id, run.version), read)


def count_at(guesses: Guesses, threshold: float) -> AtThreshold:
    """Count the questions of a run at a threshold."""
    answered, right = (_count_above(values, threshold) for values in (guesses.asked, guesses.right))
    strangers = guesses.out_of_scope
    declined = len(strangers) - _count_above(strangers, threshold)
    return AtThreshold(
        threshold, wilson(answered, len(guesses.asked)), wilson(right, answered), wilson(declined, len(strangers))
    )


def count_everywhere(guesses: Guesses) -> tuple[AtThreshold, ...]:
    """Count the questions of a run at every threshold from 0 to 1 that a curve needs."""
    return tuple(count_at(guesses, step / STEPS) for step in range(STEPS + 1))


def mean_confidences(results: Mapping[str, bytes], settings: Sequence[str]) -> tuple[float, ...]:
    """Return how sure the bot was of each out-of-scope question, under the first setting that asked any.

    `results`: the finished splits by their keys, such as `0,0.15/3`. A run whose splits cannot be read has none.
    """
    import numpy as np

    for setting in settings:
        sums: dict[int, tuple[float, int]] = {}
        for key, content in results.items():
            scope, *rest = key.split("/")
            if scope != setting or len(rest) != 1:
                continue
            try:
                with np.load(io.BytesIO(content.partition(b"\n")[2]), allow_pickle=False) as arrays:
                    out = arrays["negative"].astype(bool)
                    sure = np.where(arrays["guess"] >= 0, arrays["confidence"], NEVER)[out]
                    rows = arrays["test"][out]
            except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile):
                continue
            for row, value in zip(rows.tolist(), sure.tolist(), strict=True):
                total, tests = sums.get(row, (0.0, 0))
                sums[row] = total + value, tests + 1
        if sums:
            return tuple(total / tests for total, tests in sums.values())
    return ()


def _confidence(question: Question) -> float:
    return NEVER if question.row.guess is None else question.row.confidence


def _count_above(values: Sequence[float], threshold: float) -> int:
    return sum(value >= threshold for value in values)
