"""Which topics are confused with each other, ranked, with evidence.

Two views of a pair are joined. *What the bot mixes*: the overlap of its out-of-sample probabilities. *How alike the
texts are*: the same formula on vectors, without any training. 100 % means that two topics of equal size cannot be
told apart. How the constants were chosen: docs/decisions/pairs.md, measured by benchmarks/planted.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vivavoce.intents.losses import Loss, Losses
from vivavoce.intents.material import Material
from vivavoce.intents.record import UnitResult
from vivavoce.intents.splits import Rows
from vivavoce.statistics import resamples, with_width

Matrix = NDArray[np.float32]
Mistaken = Mapping[frozenset[str], tuple[int, int]]

CLASH_LEVEL = 0.60
MIN_EXAMPLES = 4
MIN_EVIDENCE = 2
# An example leans to the other topic if that is at least two thirds as likely as its own.
LEANS_AT = 2 / 3
CANDIDATES = 60
MAX_PAIRS = 20
RESAMPLES = 200
TEMPERATURE = 0.08
# The bot's view weighs more than the texts': it is the bot that is examined.
BOT_WEIGHT = 0.6
# Probabilities are softened (square root) so that the second and third best guess are heard too.
SOFTNESS = 0.5
TYPICAL = 3
BORDERLINE = 5
TOP = 3
# So many pairs between which most messages are lost are looked at however little they overlap.
LARGEST_LOSSES = 15


@dataclass(frozen=True, slots=True)
class PairExample:
    """A message at the border of two topics and the chance it was given of belonging to each."""

    text: str
    row: int
    intent: str
    chance_a: float
    chance_b: float


@dataclass(frozen=True, slots=True)
class Pair:
    """Two topics that are mixed up. `a` loses more messages to `b` than the reverse when direction is a>b.

    `mistakes`: questions that were answered with the other of the two, over all retries; `held_back`: wrong guesses
    of that kind that were not sure enough to be given. `loss`: what is lost between the two, by example. None: no
    setting tested every topic.
    """

    a: str
    b: str
    overlap: float
    low: float
    high: float
    score: float
    bot_overlap: float | None
    text_overlap: float | None
    top3_share: float
    cost: float | None
    direction: str
    evidence: int
    enough: bool
    typical_a: tuple[str, ...]
    typical_b: tuple[str, ...]
    examples: tuple[PairExample, ...]
    same_answer: bool = False
    mistakes: int | None = None
    held_back: int | None = None
    loss: Loss | None = None

    @property
    def only_alike(self) -> bool:
        """Whether the engine never took one for the other, so that only their likeness speaks against them."""
        return self.bot_overlap is not None and self.mistakes == 0 and self.held_back == 0


def mean_probabilities(results: Sequence[UnitResult], material: Material) -> Matrix | None:
    """Return the mean out-of-sample probabilities of each row over the retries that tested it; NaN if none did.

    An engine that gives only its best guess lends its confidence to that guess and spreads nothing; one that never
    guesses says nothing about pairs.
    """
    if not any((result.answers.guess >= 0).any() for result in results):
        return None
    total = np.zeros((len(material), len(material.topics)), dtype=np.float32)
    times = np.zeros(len(material), dtype=np.float32)
    for result in results:
        chances = result.answers.probabilities
        if chances is None:
            chances = np.zeros((len(result.test), len(material.topics)), dtype=np.float32)
            guessed = np.flatnonzero(result.answers.guess >= 0)
            chances[guessed, result.answers.guess[guessed]] = result.answers.confidence[guessed]
        total[result.test] += chances
        times[result.test] += 1
    times[times == 0] = np.nan
    return np.asarray(total / times[:, None])


def text_probabilities(vectors: Matrix, labels: Rows, width: int) -> Matrix:
    """Return leave-one-out nearest-centroid probabilities: how alike the texts of topics are, no engine needed."""
    known = labels >= 0
    sums = np.zeros((width, vectors.shape[1]), dtype=np.float32)
    np.add.at(sums, labels[known], vectors[known])
    sizes = np.bincount(labels[known], minlength=width)
    scores = vectors @ _scale_to_unit(sums).T
    own = sums[labels] - vectors
    scores[np.arange(len(labels)), labels] = (vectors * _scale_to_unit(own)).sum(axis=1)
    scores[:, sizes == 0] = -np.inf
    alone = known & (sizes[labels] == 1)
    scores /= TEMPERATURE
    scores -= scores.max(axis=1, keepdims=True)
    chances = np.exp(scores)
    chances /= chances.sum(axis=1, keepdims=True)
    chances[alone | ~known] = np.nan
    return np.asarray(chances, dtype=np.float32)


def _scale_to_unit(rows: Matrix) -> Matrix:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, 1e-9))


def overlaps(mass: NDArray[np.float64], sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the overlap of every pair from mass[a, b], the probability topic a's examples give to b.

    2 (ab + ba) / (aa + bb + ab + ba): 1 when two topics of equal size get the same chances. Of ab and ba only what
    exceeds the chance that any other topic gives counts: an unsure engine spreads a little over everything.
    """
    own = np.diag(mass)
    excess = np.maximum(0.0, mass - sizes[:, None] * background(mass, sizes))
    crossed = excess + excess.T
    with np.errstate(divide="ignore", invalid="ignore"):
        soft = 2 * crossed / (own[:, None] + own[None, :] + crossed)
    soft[~np.isfinite(soft)] = 0.0
    np.fill_diagonal(soft, 0.0)
    return np.asarray(soft)


def background(mass: NDArray[np.float64], sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each pair (a, b) the mean chance that examples of neither give to b.

    Were `a` among them, it would hide its own confusion: two topics alone would never be confused.
    """
    others = mass.sum(axis=0) - np.diag(mass) - mass
    np.fill_diagonal(others, 0.0)
    return np.asarray(others / np.maximum(sizes.sum() - np.add.outer(sizes, sizes), 1))


class _View:
    """One way of looking at the topics: probabilities by row, and the mass between topics."""

    def __init__(self, chances: Matrix, material: Material, weight: float) -> None:
        self.weight = weight
        self.width = len(material.topics)
        self.rows = np.flatnonzero(~np.isnan(chances[:, 0]) & (material.labels >= 0))
        self.labels = material.labels[self.rows]
        self.chances = chances[self.rows]

    @cached_property
    def sizes(self) -> NDArray[np.float64]:
        return np.bincount(self.labels, minlength=self.width).astype(np.float64)

    @cached_property
    def mass(self) -> NDArray[np.float64]:
        mass = np.zeros((self.width, self.width))
        order = np.argsort(self.labels, kind="stable")
        labels = self.labels[order]
        if len(labels):
            starts = np.flatnonzero(np.r_[True, labels[1:] != labels[:-1]])
            mass[labels[starts]] = np.add.reduceat(self.chances[order].astype(np.float64), starts, axis=0)
        return mass

    @cached_property
    def overlap(self) -> NDArray[np.float64]:
        return overlaps(self.mass, self.sizes)

    def candidate_overlaps(self, first: Rows, second: Rows, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the overlaps of some pairs for several weightings of the rows (one for each line)."""
        result = np.zeros((len(weights), len(first)))
        base = background(self.mass, self.sizes)
        for place, (a, b) in enumerate(zip(first, second, strict=True)):
            in_a, in_b = np.flatnonzero(self.labels == a), np.flatnonzero(self.labels == b)
            of_a, of_b = weights[:, self.rows[in_a]], weights[:, self.rows[in_b]]
            to_b = np.maximum(0.0, of_a @ (self.chances[in_a, b] - base[a, b]))
            to_a = np.maximum(0.0, of_b @ (self.chances[in_b, a] - base[b, a]))
            own = of_a @ self.chances[in_a, a] + of_b @ self.chances[in_b, b]
            with np.errstate(divide="ignore", invalid="ignore"):
                scaled = 2 * (to_a + to_b) / (own + to_a + to_b)
            result[:, place] = np.nan_to_num(scaled, nan=0.0, posinf=0.0)
        return result


def rank_pairs(
    bot: Matrix | None,
    text: Matrix | None,
    material: Material,
    *,
    seed: int,
    most: int = MAX_PAIRS,
    mistaken: Mistaken | None = None,
    losses: Losses | None = None,
) -> tuple[Pair, ...]:
    """Rank the confused pairs, worst first; pairs without enough examples to tell come last.

    `most` of them are returned, and all those between which most messages are lost.
    """
    both = bot is not None and text is not None
    bot_view = text_view = None
    if bot is not None:
        soft = bot ** np.float32(SOFTNESS)
        soft = np.asarray(soft / np.maximum(soft.sum(axis=1, keepdims=True), 1e-9))
        bot_view = _View(soft, material, BOT_WEIGHT if both else 1.0)
    if text is not None:
        text_view = _View(text, material, 1 - BOT_WEIGHT if both else 1.0)
    views = [view for view in (bot_view, text_view) if view is not None]
    if not views:
        return ()
    joint = sum((view.weight * view.overlap for view in views), np.zeros(()))
    lossy = losses.largest(LARGEST_LOSSES) if losses else ()
    first, second = _choose_candidates(joint, max(CANDIDATES, most), lossy)
    if not len(first):
        return ()
    # Examples are resampled within topics, near-duplicates as one: one line of row weights for each resample.
    draws = resamples(material.groups.tolist(), RESAMPLES, seed, strata=material.labels.tolist())
    weights = np.array([np.bincount(rows, minlength=len(material)) for rows in draws], dtype=np.float64)
    drawn = sum((v.weight * v.candidate_overlaps(first, second, weights) for v in views), np.zeros(()))
    builder = _Builder(material, bot, text, bot_view, text_view, first, second, joint, drawn, mistaken, losses)
    pairs = [builder.build(place) for place in range(len(first))]
    pairs.sort(key=lambda pair: (not pair.enough, -pair.score, pair.a, pair.b))
    always = [{material.topics[a], material.topics[b]} for a, b in lossy]
    return tuple(pair for place, pair in enumerate(pairs) if place < most or {pair.a, pair.b} in always)


def _choose_candidates(joint: NDArray[np.float64], most: int, lossy: Sequence[tuple[int, int]]) -> tuple[Rows, Rows]:
    """Return the pairs to look at closely: those that overlap most, then the lossy ones that are not among them."""
    first, second = np.triu_indices(len(joint), 1)
    order = np.argsort(-joint[first, second], kind="stable")[:most]
    order = order[joint[first[order], second[order]] > 0]
    first, second = first[order], second[order]
    more = [pair for pair in lossy if pair not in set(zip(first.tolist(), second.tolist(), strict=True))]
    added = np.array(more, dtype=first.dtype).reshape(-1, 2)
    return np.concatenate([first, added[:, 0]]), np.concatenate([second, added[:, 1]])


@dataclass(frozen=True, eq=False)
class _Builder:
    material: Material
    bot: Matrix | None
    text: Matrix | None
    bot_view: _View | None
    text_view: _View | None
    first: Rows
    second: Rows
    joint: NDArray[np.float64]
    drawn: NDArray[np.float64]
    mistaken: Mistaken | None = None
    losses: Losses | None = None

    def build(self, place: int) -> Pair:
        a, b = int(self.first[place]), int(self.second[place])
        # First the topic that loses a larger part of its messages to the other.
        a, b = (a, b) if self._confusion_rate(a, b) >= self._confusion_rate(b, a) else (b, a)
        score = float(self.joint[a, b])
        low, high = np.clip(np.percentile(self.drawn[:, place], [2.5, 97.5]), 0, 1).tolist()
        evidence = self._count_evidence(a, b)
        names = self.material.topics[a], self.material.topics[b]
        mistakes, held_back = (None, None) if self.mistaken is None else self.mistaken.get(frozenset(names), (0, 0))
        sizes = [int((self.material.labels == code).sum()) for code in (a, b)]
        overlap = min(1.0, score)
        low, high = with_width(overlap, min(low, overlap), max(high, overlap), sum(sizes))
        answers = [self._find_answer(code) for code in (a, b)]
        ahead = (self.drawn > self.drawn[:, [place]]).sum(axis=1)
        return Pair(
            a=names[0],
            b=names[1],
            overlap=overlap,
            low=low,
            high=high,
            score=score,
            bot_overlap=float(min(1.0, self.bot_view.overlap[a, b])) if self.bot_view else None,
            text_overlap=float(min(1.0, self.text_view.overlap[a, b])) if self.text_view else None,
            top3_share=float((ahead < TOP).mean()),
            cost=self._estimate_cost(a, b),
            direction=" > ".join(names),
            evidence=evidence,
            enough=min(sizes) >= MIN_EXAMPLES and evidence >= MIN_EVIDENCE,
            typical_a=self._choose_typical(a),
            typical_b=self._choose_typical(b),
            examples=self._choose_borderline(a, b),
            same_answer=answers[0] is not None and answers[0] == answers[1],
            mistakes=mistakes,
            held_back=held_back,
            loss=self.losses.between(a, b) if self.losses else None,
        )

    def _chances(self) -> Matrix:
        chosen = self.bot if self.bot is not None else self.text
        assert chosen is not None  # noqa: S101 - rank_pairs returns early without any view
        return chosen

    def _confusion_rate(self, origin: int, other: int) -> float:
        chances = self._chances()[self.material.labels == origin, other]
        tested = chances[~np.isnan(chances)]
        return float(tested.mean()) if len(tested) else 0.0

    def _estimate_cost(self, a: int, b: int) -> float | None:
        """Return the messages per 100 lost between the two, were traffic like the training data."""
        if self.bot is None:
            return None
        n = (self.material.labels >= 0).sum()
        lost = sum(self._confusion_rate(x, y) * (self.material.labels == x).sum() for x, y in ((a, b), (b, a)))
        return float(100 * lost / n)

    def _count_evidence(self, a: int, b: int) -> int:
        """Count the distinct examples that lean to the other topic in either view (near-duplicates once)."""
        wrong = np.zeros(len(self.material), dtype=bool)
        for chances in (self.bot, self.text):
            if chances is not None:
                for origin, other in ((a, b), (b, a)):
                    # An engine that names one topic gives 0 to the rest: 0 against 0 is no leaning.
                    claimed = (self.material.labels == origin) & (np.nan_to_num(chances[:, other]) > 0)
                    wrong |= claimed & (
                        np.nan_to_num(chances[:, other] - LEANS_AT * chances[:, origin], nan=-1.0) >= 0
                    )
        return len(np.unique(self.material.groups[wrong]))

    def _choose_borderline(self, a: int, b: int) -> tuple[PairExample, ...]:
        """Choose messages both topics claim, both directions present where they exist."""
        chances, examples = self._chances(), self.material.data.examples
        sides = []
        for code, other in ((a, b), (b, a)):
            rows = np.flatnonzero((self.material.labels == code) & ~np.isnan(chances[:, a]))
            _, first = np.unique(self.material.groups[rows], return_index=True)
            rows = rows[np.sort(first)]
            sides.append(rows[np.argsort(-chances[rows, other], kind="stable")].tolist())
        picked = [side[rank] for rank in range(BORDERLINE) for side in sides if rank < len(side)]
        return tuple(
            PairExample(
                examples[row].text,
                self.material.data.number(row),
                examples[row].intent or "",
                *(float(chances[row, code]) for code in (a, b)),
            )
            for row in picked[:BORDERLINE]
        )

    def _choose_typical(self, code: int) -> tuple[str, ...]:
        """Choose the examples that are most surely of their topic, one for each group of near-duplicates."""
        chances = np.nan_to_num(self._chances()[:, code], nan=-1.0)
        rows = np.flatnonzero(self.material.labels == code)
        rows = rows[np.argsort(-chances[rows], kind="stable")]
        _, first = np.unique(self.material.groups[rows], return_index=True)
        return tuple(self.material.data.texts[row] for row in rows[np.sort(first)[:TYPICAL]])

    def _find_answer(self, code: int) -> str | None:
        rows = np.flatnonzero(self.material.labels == code)
        answers = {self.material.data.examples[row].answer for row in rows} - {None}
        return answers.pop() if len(answers) == 1 else None
