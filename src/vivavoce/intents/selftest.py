"""The exam examined: faults are planted in a copy of the user's own data, and the lists must find them.

Three copies, each with faults of one kind, so that none hides another. *Duplicates*: topics are cut in two at random,
and the halves should lead the list of confused pairs. *Labels*: examples are filed under another topic at random, and
should lead the list of suspects. *Out of scope*: whole topics are no longer taught, and their questions should be
declined. What is found of a fault that we know tells how far the list of faults that we do not know can be trusted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

import numpy as np

from vivavoce.errors import UsageError
from vivavoce.intents.exam import PLAIN, as_dataset, check_threshold, examine_intents, load_classifier
from vivavoce.intents.pairs import MAX_PAIRS, Pair
from vivavoce.intents.record import UnitFailure
from vivavoce.intents.result import DataFacts, Result
from vivavoce.intents.runner import AnyClassifier, Progress
from vivavoce.intents.suspects import find_suspects
from vivavoce.records import Dataset, Rate
from vivavoce.statistics import wilson

ROUNDS = 5
MAX_PLANTED = 10
# A fifth of the topics at most is cut or withheld, or the copy would no longer be like the data.
MAX_SHARE = 0.2
# Each half of a topic that is cut in two has at least four examples.
MIN_CUT = 8
MIN_WITHHELD = 3
FLIPPED = 0.03
MIN_FLIPPED, MAX_FLIPPED = 5, 100
# Nine of ten planted duplicates overlap at least as much as the level.
LEVEL_AT = 0.1


class PlantKind(StrEnum):
    """What was planted."""

    DUPLICATES = "duplicates"
    LABELS = "labels"
    OUT_OF_SCOPE = "out_of_scope"


@dataclass(frozen=True, slots=True)
class PlantFindings:
    """What became of planted faults of one kind.

    `found`: the share of them that leads its list, which is read as far as there are faults; of questions out of
    scope, the share that was declined. `missed`: some that were not found.
    """

    kind: PlantKind
    found: Rate
    missed: tuple[str, ...]


@dataclass(frozen=True)
class SelfTest(Result):
    """How much of what was planted our lists find.

    `level`: the overlap from which two topics are as hard to tell apart as one topic cut in two; None where nothing
    could be cut. `alike`: pairs of the user's own topics that reach it.
    """

    data: DataFacts
    classifier: str
    threshold: float
    seed: int
    rounds: int
    plants: tuple[PlantFindings, ...]
    level: float | None
    alike: tuple[tuple[str, str, float], ...]
    failures: tuple[UnitFailure, ...] = ()


def run_selftest(
    data: Dataset | tuple[Sequence[str], Sequence[str | None]],
    classifier: str | AnyClassifier = "linear",
    *,
    rounds: int = ROUNDS,
    threshold: float = 0.5,
    seed: int = 0,
    workers: int = 0,
    progress: Progress | None = None,
) -> SelfTest:
    """Plant faults in copies of the data and return how many of them are found; the data stay as they are."""
    data, threshold = as_dataset(data), check_threshold(threshold)
    engine = load_classifier(classifier, data)
    rng = np.random.default_rng([seed, len(data)])
    cut, halves = cut_topics(data, rng)
    flipped, rows = flip_labels(data, rng)
    withheld, texts = withhold_topics(data, rng)
    if not (halves or rows or texts):
        what = "the data are too small for a self-test"
        raise UsageError(what, remedy=f"it needs topics with {MIN_WITHHELD} examples or more, and at least 3 topics")
    examine = partial(
        examine_intents,
        classifier=engine,
        settings=[PLAIN],
        retries=rounds,
        threshold=threshold,
        seed=seed,
        workers=workers,
        progress=progress,
    )
    plants, failures, pairs = [], list[UnitFailure](), tuple[Pair, ...]()
    if halves:
        result = examine(cut, pairs=max(MAX_PAIRS, 5 * len(halves)))
        pairs, failures = result.pairs, [*failures, *result.failures]
        plants.append(_judge_duplicates(pairs, halves))
    if rows:
        suspects = find_suspects(flipped, engine, most=len(rows), seed=seed, workers=workers, progress=progress)
        failures += suspects.failures
        plants.append(_judge_labels(flipped, rows, {suspect.row for suspect in suspects.suspects}))
    if texts:
        result = examine(withheld)
        failures += result.failures
        plants.append(PlantFindings(PlantKind.OUT_OF_SCOPE, result.rate("negative_rejection"), ()))
    level = _find_level(pairs, halves)
    return SelfTest(
        data=DataFacts.of(data),
        classifier=engine.name,
        threshold=threshold,
        seed=seed,
        rounds=rounds,
        plants=tuple(plants),
        level=level,
        alike=tuple(_list_alike(pairs, halves, level)),
        failures=tuple(failures),
    )


def cut_topics(data: Dataset, rng: np.random.Generator) -> tuple[Dataset, set[frozenset[str]]]:
    """Cut some topics in two at random; return the data and the pairs of halves."""
    large = sorted(topic for topic, size in data.sizes.items() if size >= MIN_CUT)
    chosen = _choose(large, len(data.sizes), rng)
    intents, pairs = list(data.intents), set()
    for topic in chosen:
        places = [place for place, intent in enumerate(intents) if intent == topic]
        second = f"{topic} (2)"
        while second in data.sizes:
            second += "'"
        for place in rng.permutation(places)[: len(places) // 2]:
            intents[int(place)] = second
        pairs.add(frozenset((topic, second)))
    return _relabel(data, intents), pairs


def flip_labels(data: Dataset, rng: np.random.Generator) -> tuple[Dataset, set[int]]:
    """File some examples under another topic at random; return the data and the numbers of their rows."""
    intents, topics = list(data.intents), sorted(data.sizes)
    # An example that is alone in its topic is judged by nobody.
    known = [place for place, intent in enumerate(intents) if intent is not None and data.sizes[intent] > 1]
    count = int(np.clip(round(FLIPPED * len(known)), MIN_FLIPPED, MAX_FLIPPED))
    if len(topics) < 3 or len(known) < 4 * count:
        return data, set()
    chosen = sorted(int(place) for place in rng.choice(known, count, replace=False))
    for place in chosen:
        others = [topic for topic in topics if topic != intents[place]]
        intents[place] = str(rng.choice(others))
    return _relabel(data, intents), {data.number(place) for place in chosen}


def withhold_topics(data: Dataset, rng: np.random.Generator) -> tuple[Dataset, tuple[str, ...]]:
    """Put the questions of some topics out of scope; return the data and these topics."""
    known = sorted(topic for topic, size in data.sizes.items() if size >= MIN_WITHHELD)
    chosen = _choose(known, len(data.sizes), rng)
    if len(data.sizes) - len(chosen) < 2:
        return data, ()
    kept = [None if intent in chosen else intent for intent in data.intents]
    # Those that were out of scope before are left out: the question is what the bot makes of topics it never saw.
    places = [place for place, intent in enumerate(data.intents) if intent is not None]
    return _relabel(data, kept).select(places), tuple(sorted(chosen))


def _choose(topics: Sequence[str], all_topics: int, rng: np.random.Generator) -> list[str]:
    # In order, not as a set: the order decides which examples the generator draws next.
    most = min(MAX_PLANTED, len(topics), max(1, int(MAX_SHARE * all_topics)))
    return sorted(str(topic) for topic in rng.choice(topics, most, replace=False)) if topics else []


def _relabel(data: Dataset, intents: Sequence[str | None]) -> Dataset:
    examples = (replace(example, intent=intent) for example, intent in zip(data.examples, intents, strict=True))
    return replace(data, examples=tuple(examples))


def _judge_duplicates(pairs: Sequence[Pair], halves: set[frozenset[str]]) -> PlantFindings:
    first = {frozenset((pair.a, pair.b)) for pair in pairs[: len(halves)]}
    missed = sorted(min(half, key=len) for half in halves - first)
    return PlantFindings(PlantKind.DUPLICATES, wilson(len(halves & first), len(halves)), tuple(missed))


def _judge_labels(data: Dataset, rows: set[int], suspects: set[int]) -> PlantFindings:
    texts = {data.number(place): data.texts[place] for place in range(len(data))}
    missed = tuple(texts[row] for row in sorted(rows - suspects))
    return PlantFindings(PlantKind.LABELS, wilson(len(rows & suspects), len(rows)), missed[:MAX_PLANTED])


def _find_level(pairs: Sequence[Pair], halves: set[frozenset[str]]) -> float | None:
    """Return the overlap that nine of ten planted duplicates reach; those that are not listed reach none."""
    overlaps = [pair.overlap for pair in pairs if frozenset((pair.a, pair.b)) in halves]
    overlaps += [0.0] * (len(halves) - len(overlaps))
    return float(np.quantile(overlaps, LEVEL_AT)) or None if overlaps else None


def _list_alike(
    pairs: Sequence[Pair], halves: set[frozenset[str]], level: float | None
) -> Iterable[tuple[str, str, float]]:
    cut = {name for half in halves for name in half}
    for pair in pairs:
        if level is not None and pair.overlap >= level and not {pair.a, pair.b} & cut:
            yield pair.a, pair.b, pair.overlap
