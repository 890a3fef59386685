"""What is known of single examples besides the numbers of an exam: answers, contradictions, answered out of scope."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from vivavoce.intents.findings import Pooled
from vivavoce.intents.label_odds import MIN_EXAM_SCORE, TEXT_WEIGHT, compare_topics, odds_to_scores, order_by_odds
from vivavoce.intents.losses import MOSTLY
from vivavoce.intents.material import Material
from vivavoce.intents.names import Answers, answers_by_topic
from vivavoce.intents.record import UnitResult
from vivavoce.intents.topic_structure import TextView

Chances = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ProblemExample:
    """An example that shows a problem. `guess`: the topic that it was taken for, None where there is none."""

    text: str
    row: int
    intent: str | None
    guess: str | None = None


@dataclass(frozen=True, slots=True)
class DataQuality:
    """What the data say without any engine, and the out-of-scope questions that the engine answered.

    `contradictions`: groups of nearly the same text under different topics. `answered`: None where nobody kept it.
    `suspects`: examples that fit another topic far better, most suspect first, of `judged` examples; contradictions
    are not among them. `outliers`: examples that are unlike every topic, and that the engine gets wrong. `halves`: of
    each topic that looks like two, the examples of the smaller half.
    """

    answers: Answers = field(default_factory=dict)
    contradictions: tuple[tuple[ProblemExample, ...], ...] = ()
    answered: tuple[ProblemExample, ...] | None = None
    suspects: tuple[ProblemExample, ...] = ()
    judged: int = 0
    outliers: tuple[ProblemExample, ...] = ()
    halves: tuple[tuple[ProblemExample, ...], ...] = ()


def judge_quality(material: Material, results: Sequence[UnitResult], threshold: float) -> DataQuality:
    """Describe the examples; `results` are the retries in which out-of-scope questions were asked."""
    groups: defaultdict[int, list[ProblemExample]] = defaultdict(list)
    for row in material.contradictory.tolist():
        groups[int(material.groups[row])].append(_build_example(material, row))
    quality = DataQuality(answers_by_topic(material.data), tuple(map(tuple, groups.values())))
    if not results:
        return quality
    # The examples that were answered in at least half of the tests in which no topic fitted them.
    pooled = Pooled.of(results, material)
    items, row = pooled.items, pooled.row
    answered = items.negative & (items.guess >= 0) & (items.confidence >= threshold)
    times = np.bincount(row[items.negative], minlength=len(material))
    wrongly = np.bincount(row[answered], minlength=len(material))
    guesses = dict(zip(row[answered].tolist(), items.guess[answered].tolist(), strict=True))
    places = np.flatnonzero((wrongly > 0) & (wrongly >= MOSTLY * times)).tolist()
    return replace(quality, answered=tuple(_build_example(material, place, guesses[place]) for place in places))


def add_suspects(quality: DataQuality, material: Material, bot: Chances | None, text: TextView | None) -> DataQuality:
    """Add the examples that are probably filed under the wrong topic, by out-of-sample chances of each topic."""
    if bot is None:
        return quality
    chances = bot if text is None else bot + np.float32(TEXT_WEIGHT) * text.chances
    odds, suggested = compare_topics(chances, material.labels)
    rows = order_by_odds(odds)
    doubtful = rows[odds_to_scores(odds[rows]) >= MIN_EXAM_SCORE]
    doubtful = doubtful[~np.isin(doubtful, material.contradictory)]
    suspects = tuple(_build_example(material, row, int(suggested[row])) for row in doubtful.tolist())
    return replace(quality, suspects=suspects, judged=len(rows))


def add_structure(quality: DataQuality, material: Material, text: TextView, bot: Chances | None) -> DataQuality:
    """Add what the texts say about single topics; an outlier that the engine gets right is none."""
    outliers = [
        place
        for place in text.outliers
        if bot is None or not bot[place, material.labels[place]] >= MOSTLY  # one that was never tested counts
    ]
    return replace(
        quality,
        outliers=tuple(_build_example(material, place) for place in outliers),
        halves=tuple(tuple(_build_example(material, place) for place in half.places) for half in text.halves),
    )


def _build_example(material: Material, row: int, guess: int = -1) -> ProblemExample:
    example = material.data.examples[row]
    return ProblemExample(example.text, material.data.number(row), example.intent, material.name(guess))
