"""Confused pairs: a topic that was split in two is found, ranked first, with its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from vivavoce.classifiers.lexical import tfidf
from vivavoce.intents.exam import PLAIN, examine_intents
from vivavoce.intents.losses import Losses
from vivavoce.intents.material import Material
from vivavoce.intents.pairs import (
    BORDERLINE,
    MIN_EVIDENCE,
    MIN_EXAMPLES,
    TYPICAL,
    Pair,
    mean_probabilities,
    overlaps,
    rank_pairs,
    text_probabilities,
)
from vivavoce.intents.record import Answers, Timing, UnitKey, UnitResult
from vivavoce.records import Dataset, Guess

Chances = NDArray[np.float32]
# Nouns of four topics that share nothing but the small words.
WORDS = {
    "pay": ["salary", "money", "wage", "bonus", "income", "earnings"],
    "apply": ["form", "application", "resume", "letter", "documents", "upload"],
    "leave": ["holiday", "vacation", "absence", "sickness", "parental", "days"],
    "place": ["office", "parking", "building", "entrance", "floor", "canteen"],
}
FRAMES = (
    "what about the {} please",
    "how do i get the {}",
    "tell me more of {} and {}",
    "is there any {} or {} for me",
)


def planted(seed: int = 0, size: int = 24, split: str = "pay") -> Dataset:
    """Four topics, one of them filed at random under two names."""
    rng = np.random.default_rng(seed)
    texts, intents = [], []
    for topic, nouns in WORDS.items():
        for number in range(size):
            frame = FRAMES[number % len(FRAMES)]
            texts.append(frame.format(*rng.permutation(nouns)[: frame.count("{}")]) + f" {number:02d}")
            intents.append(f"{topic} {rng.integers(2)}" if topic == split else topic)
    return Dataset.of(texts, intents)


def material(intents: Sequence[str | None], texts: Sequence[str] | None = None) -> Material:
    data = Dataset.of(texts or [f"text number {n}" for n in range(len(intents))], intents)
    return Material.of(data, leak_proof=texts is not None)


def told(of: Material, said: Sequence[dict[str, float]]) -> Chances:
    """Probabilities by row, written as topics with their chance."""
    rows = np.zeros((len(of), len(of.topics)), dtype=np.float32)
    for row, chances in enumerate(said):
        for topic, chance in chances.items():
            rows[row, of.topics.index(topic)] = chance
    return rows


def named(pair: Pair) -> set[str]:
    return {pair.a, pair.b}


def test_the_pair_with_the_largest_loss_is_kept_however_little_it_overlaps() -> None:
    of = material([topic for topic in "abcd" for _ in range(8)])
    said = told(of, [{topic: 0.5, "a" if topic == "b" else "b": 0.5} for topic in "ab" for _ in range(8)])
    said[16:] = told(of, [{}] * 16 + [{topic: 1.0} for topic in "cd" for _ in range(8)])[16:]
    mistaken = {frozenset("cd"): (7, 0), frozenset("ab"): (2, 3)}
    row = np.arange(16, 23)
    losses = Losses(of, np.arange(32), np.full(7, 2 * 4 + 3), row, np.ones(7))
    pairs = rank_pairs(said, None, of, seed=0, most=1, mistaken=mistaken, losses=losses)
    assert [(named(pair), pair.mistakes, pair.held_back) for pair in pairs] == [
        ({"a", "b"}, 2, 3),
        ({"c", "d"}, 7, 0),
    ]
    assert [pair.loss.examples for pair in pairs if pair.loss] == [0, 7]
    assert all(pair.mistakes is None for pair in rank_pairs(said, None, of, seed=0))


@st.composite
def masses(draw: st.DrawFn) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The probability that examples of each topic give to each; every row is at most its number of examples."""
    width = draw(st.integers(2, 5))
    sizes = np.array(draw(st.lists(st.integers(1, 20), min_size=width, max_size=width)), dtype=float)
    shares = st.lists(st.floats(0, 1), min_size=width, max_size=width)
    rows = np.array([draw(shares) for _ in range(width)])
    return rows / np.maximum(rows.sum(axis=1, keepdims=True), 1) * sizes[:, None], sizes


# The score


@given(masses())
def test_the_overlap_is_symmetric_and_a_topic_does_not_overlap_itself(given_: tuple[NDArray, NDArray]) -> None:
    found = overlaps(*given_)
    assert found == pytest.approx(found.T)
    assert (np.diag(found) == 0).all()
    assert np.isfinite(found).all()
    assert (found >= 0).all()


@given(masses(), st.randoms(use_true_random=False))
def test_the_order_of_the_topics_does_not_matter(given_: tuple[NDArray, NDArray], chance: object) -> None:
    mass, sizes = given_
    order = list(range(len(sizes)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    assert overlaps(mass[np.ix_(order, order)], sizes[order]) == pytest.approx(
        overlaps(mass, sizes)[np.ix_(order, order)]
    )


@pytest.mark.parametrize("width", [2, 3, 4, 10])
def test_two_topics_that_get_the_same_chances_overlap_fully_in_any_company(width: int) -> None:
    mass = np.eye(width) * 10
    mass[:2, :2] = 5
    found = overlaps(mass, np.full(width, 10.0))
    assert found[0, 1] == pytest.approx(1.0)
    assert found[2:].max(initial=0) == 0


def test_topics_that_are_never_mixed_do_not_overlap() -> None:
    assert (overlaps(np.diag([10.0, 4.0, 7.0]), np.array([10.0, 4.0, 7.0])) == 0).all()


def test_an_engine_that_spreads_evenly_over_everything_confuses_no_pair() -> None:
    mass = np.full((5, 5), 1.0) + np.eye(5) * 5
    assert overlaps(mass, np.full(5, 10.0)) == pytest.approx(np.zeros((5, 5)), abs=1e-9)


def test_more_confusion_is_more_overlap() -> None:
    def overlap(lost: float) -> float:
        mass = np.diag([10 - lost, 10 - lost, 10.0])
        mass[0, 1] = mass[1, 0] = lost
        return float(overlaps(mass, np.full(3, 10.0))[0, 1])

    steps = [overlap(lost) for lost in (0, 1, 2, 3, 4, 5)]
    assert steps == sorted(steps)
    assert steps[0] == 0 < steps[1] < steps[-1] == pytest.approx(1.0)


# Planted pairs


@pytest.fixture(scope="module", params=[0, 1, 2], name="ranked")
def _ranked(request: pytest.FixtureRequest) -> tuple[Pair, ...]:
    return examine_intents(planted(request.param), tfidf(), settings=[PLAIN], workers=1).pairs


def test_a_topic_split_at_random_in_two_ranks_first_and_overlaps_nearly_fully(ranked: tuple[Pair, ...]) -> None:
    assert named(ranked[0]) == {"pay 0", "pay 1"}
    assert ranked[0].enough
    assert ranked[0].overlap > 0.7
    assert all(pair.overlap < 0.5 * ranked[0].overlap for pair in ranked[1:])
    assert ranked[0].top3_share == 1.0


def test_intervals_hold_the_score_and_stay_between_nothing_and_all(ranked: tuple[Pair, ...]) -> None:
    for pair in ranked:
        assert 0 <= pair.low <= pair.overlap <= pair.high <= 1
        assert 0 <= pair.top3_share <= 1
    assert ranked[0].high - ranked[0].low > 0.01


def test_the_ranking_is_worst_first(ranked: tuple[Pair, ...]) -> None:
    order = [(not pair.enough, -pair.score) for pair in ranked]
    assert order == sorted(order)
    assert len({frozenset(named(pair)) for pair in ranked}) == len(ranked)


def test_a_pair_shows_typical_messages_and_doubtful_ones_of_both_sides(ranked: tuple[Pair, ...]) -> None:
    first = ranked[0]
    assert len(first.typical_a) == len(first.typical_b) == TYPICAL
    assert len(first.examples) == BORDERLINE
    assert {example.intent for example in first.examples} == {"pay 0", "pay 1"}
    data = planted(0)
    for example in first.examples:
        assert 0 <= example.chance_a <= 1
        assert 0 <= example.chance_b <= 1
        assert example.row < len(data)


def test_both_views_are_told_beside_the_joint_one(ranked: tuple[Pair, ...]) -> None:
    assert ranked[0].bot_overlap is not None
    assert ranked[0].text_overlap is not None
    low, high = sorted((ranked[0].bot_overlap, ranked[0].text_overlap))
    assert low - 1e-6 <= ranked[0].overlap <= high + 1e-6
    assert ranked[0].cost is not None
    assert 0 < ranked[0].cost < 100


def test_the_same_seed_gives_the_same_pairs_and_another_only_other_intervals() -> None:
    data = planted(0)
    one, other = (examine_intents(data, tfidf(), settings=[PLAIN], workers=workers).pairs for workers in (1, 2))
    assert one == other
    of = Material.of(data)
    chances = np.full((len(of), len(of.topics)), 0.2, dtype=np.float32)
    chances[np.arange(len(of)), (of.labels + np.arange(len(of)) % 2) % len(of.topics)] += 0.6
    runs = [rank_pairs(chances, None, of, seed=seed) for seed in (0, 0, 1)]
    assert runs[0] == runs[1]
    assert [pair.score for pair in runs[0]] == [pair.score for pair in runs[2]]
    assert [pair.low for pair in runs[0]] != [pair.low for pair in runs[2]]


def test_the_texts_alone_find_the_pair_when_the_engine_says_nothing() -> None:
    result = examine_intents(planted(0), "tfidf", settings=[(20, 0.0)], workers=1)
    assert result.pairs[0].bot_overlap is None
    assert result.pairs[0].cost is None
    assert named(result.pairs[0]) == {"pay 0", "pay 1"}


def test_the_engine_alone_finds_the_pair_without_a_look_at_the_texts() -> None:
    result = examine_intents(planted(0), tfidf(), settings=[PLAIN], workers=1, text_view=False)
    assert result.pairs[0].text_overlap is None
    assert named(result.pairs[0]) == {"pay 0", "pay 1"}


def test_the_bootstrap_interval_moves_with_the_data_it_would_have_met() -> None:
    # The interval of half of the data holds the score of the other half, mostly.
    inside = 0
    for seed in range(10):
        one, other = (
            {frozenset(named(p)): p for p in rank_pairs(None, chances, of, seed=0)}[frozenset({"pay 0", "pay 1"})]
            for of, chances in map(text_view, (planted(seed, size=40), planted(seed + 100, size=40)))
        )
        inside += one.low <= other.overlap <= one.high
    assert inside >= 6


def text_view(data: Dataset) -> tuple[Material, Chances]:
    """Bags of words as vectors: enough to see that two topics are one."""
    of = Material.of(data)
    vocabulary = sorted({word for nouns in WORDS.values() for word in nouns})
    rows = np.array([[word in text.split() for word in vocabulary] for text in data.texts], dtype=np.float32)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return of, text_probabilities(rows, of.labels, len(of.topics))


# Evidence


def test_topics_with_few_examples_go_to_not_enough_and_come_last() -> None:
    of = material(["a"] * 3 + ["b"] * 3 + ["c"] * 6 + ["d"] * 6)
    mixed = [{"a": 0.5, "b": 0.5}] * 6 + [{"c": 0.7, "d": 0.3}] * 4 + [{"d": 0.6, "c": 0.4}] * 4 + [{"d": 1.0}] * 4
    pairs = rank_pairs(told(of, mixed), None, of, seed=0)
    by_name = {frozenset(named(pair)): pair for pair in pairs}
    assert not by_name[frozenset("ab")].enough
    assert by_name[frozenset("cd")].enough
    assert [pair.enough for pair in pairs] == sorted((pair.enough for pair in pairs), reverse=True)
    assert by_name[frozenset("ab")].score > by_name[frozenset("cd")].score
    assert MIN_EXAMPLES == 4


def test_one_message_on_the_wrong_side_is_not_enough() -> None:
    of = material(["a"] * 8 + ["b"] * 8 + ["c"] * 8)
    said = [{"a": 1.0}] * 8 + [{"b": 1.0}] * 8 + [{"c": 1.0}] * 8
    one = [{"b": 0.9, "a": 0.1}, *said[1:]]
    two = [{"b": 0.9, "a": 0.1}, {"b": 0.9, "a": 0.1}, *said[2:]]
    first, second = (rank_pairs(told(of, each), None, of, seed=0)[0] for each in (one, two))
    assert (first.evidence, first.enough) == (1, False)
    assert (second.evidence, second.enough) == (MIN_EVIDENCE, True)


def test_near_duplicates_are_one_piece_of_evidence() -> None:
    texts = [*["where is my money"] * 3, *(f"{word} of a" for word in ["red", "green", "blue", "pink"])]
    texts += [f"{word} thing of b" for word in ["round", "square", "flat", "long", "short", "thick"]]
    of = material(["a"] * 7 + ["b"] * 6, texts)
    said = [{"b": 1.0}] * 3 + [{"a": 1.0}] * 4 + [{"b": 1.0}] * 6
    pair = rank_pairs(told(of, said), None, of, seed=0)[0]
    assert pair.evidence == 1
    assert pair.examples[0].text == "where is my money"
    assert [example.text for example in pair.examples].count("where is my money") == 1


def test_the_direction_names_first_the_topic_that_loses_more() -> None:
    of = material(["zebra"] * 6 + ["apple"] * 6 + ["other"] * 6)
    said = [{"apple": 0.8, "zebra": 0.2}] * 5 + [{"zebra": 1.0}] + [{"apple": 1.0}] * 6 + [{"other": 1.0}] * 6
    pair = rank_pairs(told(of, said), None, of, seed=0)[0]
    assert (pair.a, pair.b, pair.direction) == ("zebra", "apple", "zebra > apple")
    assert pair.cost == pytest.approx(100 * 5 * 0.8 / 18, abs=0.01)


# Engines that name one topic only


class TopGuess:
    """A good engine that names its best topic and nothing else."""

    name = "top guess"

    def __init__(self) -> None:
        self.inner = tfidf()

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        self.inner.fit(texts, intents)

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        return self.inner.guess(texts)


def test_an_engine_with_top_guesses_alone_is_ranked_too() -> None:
    pairs = examine_intents(planted(0), TopGuess(), settings=[PLAIN], text_view=False).pairs
    assert named(pairs[0]) == {"pay 0", "pay 1"}
    assert pairs[0].bot_overlap is not None


def test_a_top_guess_lends_its_confidence_and_spreads_nothing() -> None:
    of = material(["a", "a", "b", "b"])
    answers = Answers(np.array([0, 1, -1]), np.array([0.9, 0.4, 0.0], dtype=np.float32))
    result = UnitResult(UnitKey(PLAIN, 0), np.array([0, 1, 2]), np.zeros(3, bool), 1, 0, answers, Timing(0, 0, ()))
    again = replace(result, key=UnitKey(PLAIN, 1), test=np.array([0, 1, 2]))
    found = mean_probabilities([result, again], of)
    assert found is not None
    assert found[:3] == pytest.approx(np.array([[0.9, 0], [0, 0.4], [0, 0]]))
    assert np.isnan(found[3]).all()
    assert mean_probabilities([], of) is None


def test_a_message_that_went_to_a_third_topic_is_no_evidence_for_a_pair() -> None:
    # Both chances are 0: the engine said nothing about a and b.
    of = material(["a"] * 6 + ["b"] * 6 + ["c"] * 6)
    said = [{"b": 0.9}, *[{"c": 0.9}] * 5, *[{"b": 0.9}] * 6, *[{"c": 0.9}] * 5, {}]
    pairs = {frozenset(named(pair)): pair for pair in rank_pairs(told(of, said), None, of, seed=0)}
    assert pairs[frozenset("ac")].evidence == 5
    assert pairs[frozenset("ab")].evidence == 1
    assert not pairs[frozenset("ab")].enough


def test_an_engine_that_never_guesses_confuses_nothing() -> None:
    of = material(["a"] * 6 + ["b"] * 6)
    assert rank_pairs(told(of, [{}] * 12), None, of, seed=0) == ()
    assert rank_pairs(None, None, of, seed=0) == ()


# Rows that cannot be judged


def test_topics_that_were_never_tested_are_no_pair_and_no_warning() -> None:
    of = material(["a"] * 6 + ["b"] * 6 + ["alone"])
    chances = told(of, [{"a": 0.5, "b": 0.5}] * 12 + [{}])
    chances[12] = np.nan
    text = chances.copy()
    text[12] = [0.5, 0.4, 0.1]
    pairs = rank_pairs(chances, text, of, seed=0)
    assert named(pairs[0]) == {"a", "b"}
    assert all("alone" not in named(pair) for pair in pairs if pair.enough)


def test_out_of_scope_rows_belong_to_no_topic() -> None:
    of = material(["a"] * 6 + ["b"] * 6 + [None] * 6)
    said = [{"a": 1.0}] * 6 + [{"b": 1.0}] * 6
    clear, mixed = told(of, [*said, *[{}] * 6]), told(of, [*said, *[{"a": 0.5, "b": 0.5}] * 6])
    assert rank_pairs(mixed, None, of, seed=0) == rank_pairs(clear, None, of, seed=0) == ()


def test_leave_one_out_forgets_the_message_itself() -> None:
    vectors = np.eye(6, dtype=np.float32)
    labels = np.array([0, 0, 0, 1, 1, -1])
    chances = text_probabilities(vectors, labels, 3)
    # All messages are strangers to each other: their own topic is no likelier than the other.
    assert chances[0, :2] == pytest.approx([0.5, 0.5], abs=1e-6)
    assert (chances[:5, 2] == 0).all()
    assert np.isnan(chances[5]).all()
    alone = text_probabilities(vectors, np.array([0, 0, 0, 1, 1, 2]), 3)
    assert np.isnan(alone[5]).all()
    assert alone[:5].sum(axis=1) == pytest.approx(np.ones(5), abs=1e-6)


# What the owner knows


def with_answers(answers: dict[str, list[str | None]]) -> Material:
    of = material([topic for topic, said in answers.items() for _ in said])
    said = [answer for each in answers.values() for answer in each]
    examples = tuple(replace(e, answer=a) for e, a in zip(of.data.examples, said, strict=True))
    return replace(of, data=replace(of.data, examples=examples))


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (["42"] * 4, ["42"] * 4, True),
        (["42", None, "42", None], ["42"] * 4, True),
        (["42"] * 4, ["43"] * 4, False),
        (["42", "43", "42", "42"], ["42"] * 4, False),
        ([None] * 4, [None] * 4, False),
    ],
)
def test_a_pair_with_the_same_answer_is_marked_as_harmless(
    a: list[str | None], b: list[str | None], same: bool
) -> None:
    of = with_answers({"a": a, "b": b})
    assert rank_pairs(told(of, [{"a": 0.5, "b": 0.5}] * 8), None, of, seed=0)[0].same_answer is same


def test_contradictory_rows_are_those_whose_duplicate_has_another_topic() -> None:
    texts = [
        "Where is my money?",
        "where is my money",
        "where is my mony",
        "hello there",
        "good morning",
        "Good morning!",
    ]
    of = material(["pay", "apply", "pay", "greet", "greet", "greet"], texts)
    assert of.contradictory.tolist() == [0, 1, 2]
    assert of.repeated.tolist() == [0, 1, 2, 4, 5]


def test_a_contradiction_with_out_of_scope_counts_too() -> None:
    of = material(["pay", None, "greet", "greet"], ["my money please", "my money please", "hello", "good day"])
    assert of.contradictory.tolist() == [0, 1]


class Stubborn:
    """Says of every message that it is of the first topic, quite surely."""

    name = "stubborn"

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        self.topic = min(intents)

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        return [Guess(self.topic, 0.9) for _ in texts]


def test_a_topic_that_swallows_the_only_other_one_is_found() -> None:
    texts = [f"what about the {noun} please" for nouns in list(WORDS.values())[:2] for noun in nouns]
    data = Dataset.of(texts, ["apply"] * 6 + ["pay"] * 6)
    pair = examine_intents(data, Stubborn(), settings=[PLAIN], text_view=False).pairs[0]
    assert pair.direction == "pay > apply"
    assert pair.enough
