"""Draws for the dialogues exam: a small log out of ConvAI 2017, scored by the rater `length` and by a better one.

The better rater is the mark with noise. Truths: the same measures of all dialogues. The bots of the log are drawn by
lot, so that they are equally good.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
from coverage_tally import Drawn
from material import shared
from numpy.typing import NDArray

from vivavoce.dialogues.agreement import OVERALL, groups_of, measure
from vivavoce.dialogues.corpus.published import read_convai2017
from vivavoce.dialogues.dialogue import Dialogue
from vivavoce.dialogues.raters.length import LengthRater
from vivavoce.dialogues.result import Score
from vivavoce.dialogues.systems import SURE, rank_systems
from vivavoce.records import Rate
from vivavoce.statistics import agreement_of_raters, paired_correlation_difference, paired_test

SIZES = {"ConvAI 2017, 30 talks": 30, "ConvAI 2017, 120 talks": 120}
MEASURES = ("pearson", "spearman", "kendall", "mse")
NOISE = 1.0
SECOND_RATER_NOISE = 0.8


@cache
def everything() -> tuple[tuple[Dialogue, ...], tuple[Score, ...], NDArray[np.float64], NDArray[np.float64]]:
    """Return the marked dialogues with their scores by length, the better scores and the marks."""
    read = read_convai2017(shared() / "data")
    rated = LengthRater().rate(read)
    rated_pairs = [(d, s) for d, s in zip(read, rated, strict=True) if d.quality is not None and s.score is not None]
    marks = np.array([dialogue.quality for dialogue, _ in rated_pairs], dtype=np.float64)
    better = np.clip(marks + np.random.default_rng(3).normal(0, NOISE, len(marks)), 1, 5)
    return tuple(d for d, _ in rated_pairs), tuple(s for _, s in rated_pairs), better, marks


@cache
def truths_of() -> dict[str, float]:
    """Return the measures of all dialogues."""
    dialogues, scores, better, marks = everything()
    plain = np.array([score.score for score in scores])
    whole = measure(dialogues, scores)[OVERALL]
    truths = {name: float(getattr(whole, name).value) for name in MEASURES}
    for kind in ("pearson", "spearman"):
        difference = paired_correlation_difference(better, plain, marks, measure=kind, draws=100).difference
        truths[f"difference of two raters, {kind}"] = float(difference or 0.0)
    truths["difference of two raters, mse"] = float(((plain - marks) ** 2 - (better - marks) ** 2).mean())
    return truths | {"mean score of a bot": float(plain.mean()), "difference of two bots": 0.0}


def draw_log(name: str, number: int) -> Drawn:
    """Measure one small log."""
    generator = np.random.default_rng([17, number])
    dialogues, scores, better, marks = everything()
    rows = generator.permutation(len(dialogues))[: SIZES[name]]
    own = [replace(dialogues[row], bot=("one", "other")[place % 2]) for place, row in enumerate(rows)]
    given = [scores[row] for row in rows]
    agreement = measure(own, given, seed=number)[OVERALL]
    rates = {name: getattr(agreement, name) for name in MEASURES}
    plain = np.array([score.score for score in given], dtype=np.float64)
    rates |= raters(better[rows], plain, marks[rows], own, number)
    ranking = rank_systems(own, given, seed=number)
    assert ranking is not None
    rates["mean score of a bot"] = next(line.mean for line in ranking.lines if line.bot == "one")
    rates["strength"] = next(line.strength for line in ranking.lines if line.bot == "one")
    rates["difference of two bots"] = ranking.pairs[0].difference
    rates |= people(marks[rows], generator)
    false = {"equals called different": ranking.pairs[0].verdict in SURE}
    return Drawn(rates, truths_of() | {"strength": 0.0}, verdicts=false)


def raters(
    better: NDArray[np.float64],
    plain: NDArray[np.float64],
    marks: NDArray[np.float64],
    own: list[Dialogue],
    seed: int,
) -> dict[str, Rate]:
    """Compare two raters on the same talks."""
    groups = groups_of(own)
    tests = {
        "pearson": paired_correlation_difference(better, plain, marks, groups, seed=seed),
        "spearman": paired_correlation_difference(better, plain, marks, groups, seed=seed, measure="spearman"),
        "mse": paired_test(((plain - marks) ** 2).tolist(), ((better - marks) ** 2).tolist(), groups),
    }
    return {
        f"difference of two raters, {name}": Rate(test.difference, test.low, test.high, len(marks))
        for name, test in tests.items()
    }


def people(marks: NDArray[np.float64], generator: np.random.Generator) -> dict[str, Rate]:
    """Let a second person mark the same talks with some noise; the truth is the mean over all draws."""
    second = np.clip(np.rint(marks + generator.normal(0, SECOND_RATER_NOISE, len(marks))), 1, 5)
    agreement = agreement_of_raters(list(zip(np.rint(marks), second, strict=True)), ordered=True)
    return {"people agree": agreement.same, "people nearly agree": agreement.near, "alpha": agreement.alpha}
