"""One table of outcomes: exclusive, complete, and the same for one message and for many."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.outcomes import Counts, Outcome, Share, is_answered, outcome_of, outcome_places
from vivavoce.records import NO_GUESS, Guess

TOPICS = ("a", "b", "c")
# Few distinct values, so that a confidence often equals the threshold.
LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)
codes = st.integers(-1, len(TOPICS) - 1)
messages = st.lists(st.tuples(codes, codes, st.sampled_from(LEVELS)), max_size=30)
thresholds = st.sampled_from(LEVELS)
# Eight different counts: no two shares of them can be mistaken for each other.
TABLE = Counts(dict(zip(Outcome, (50, 11, 7, 5, 13, 3, 17, 2), strict=True)))


def places_of(rows: list[tuple[int, int, float]], threshold: float) -> list[Outcome]:
    truth, guess, confidence = (np.array(column) for column in zip(*rows, strict=True))
    return [list(Outcome)[place] for place in outcome_places(truth, guess, confidence, threshold)]


def named(code: int) -> str | None:
    return TOPICS[code] if code >= 0 else None


def counts(**by_name: int) -> Counts:
    return Counts({Outcome(name): n for name, n in by_name.items()})


@given(messages, thresholds)
def test_one_message_and_many_messages_follow_the_same_table(
    rows: list[tuple[int, int, float]], threshold: float
) -> None:
    alone = [outcome_of(named(truth), Guess(named(guess), sure), threshold) for truth, guess, sure in rows]
    assert alone == (places_of(rows, threshold) if rows else [])


@given(messages, thresholds)
def test_outcomes_are_exclusive_and_sum_to_the_total(rows: list[tuple[int, int, float]], threshold: float) -> None:
    truth, guess, confidence = (np.array([row[part] for row in rows]) for part in range(3))
    places = outcome_places(truth.astype(np.intp), guess.astype(np.intp), confidence, threshold)
    found = Counts.of_places(places)
    assert found.total == len(rows) == sum(found.by_outcome.values())
    assert found.negatives == (truth < 0).sum()
    assert found.answered + found.deferred == found.total
    assert found.answered == sum(is_answered(Guess(named(g), c), threshold) for _, g, c in rows)


@given(messages, thresholds)
def test_an_outcome_is_called_answered_exactly_when_the_message_was(
    rows: list[tuple[int, int, float]], threshold: float
) -> None:
    for truth, guess, sure in rows:
        answer = Guess(named(guess), sure)
        assert outcome_of(named(truth), answer, threshold).answered == is_answered(answer, threshold)


@pytest.mark.parametrize("threshold", [0.0, 0.1, 1 / 3, 0.5, 0.7, 1.0])
def test_a_confidence_exactly_at_the_threshold_is_answered_everywhere(threshold: float) -> None:
    below = np.nextafter(threshold, -1)
    for truth, guess, at, under in (
        (0, 0, Outcome.RIGHT, Outcome.MISSED),
        (0, 1, Outcome.WRONG_INTENT, Outcome.WRONG_DEFERRED),
        (-1, 0, Outcome.OVERREACH, Outcome.DECLINED),
    ):
        assert outcome_of(named(truth), Guess(named(guess), threshold), threshold) is at
        assert outcome_of(named(truth), Guess(named(guess), below), threshold) is under
        assert places_of([(truth, guess, threshold), (truth, guess, below)], threshold) == [at, under]


@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.6, 0.7, 0.9])
def test_single_precision_does_not_lose_the_message_at_the_threshold(threshold: float) -> None:
    # Records keep confidences in 32 bits: 0.7 becomes 0.69999999 and must still be 0.7.
    truth = guess = np.zeros(1, dtype=np.intp)
    place = outcome_places(truth, guess, np.array([threshold], dtype=np.float32), threshold)[0]
    assert list(Outcome)[place] is Outcome.RIGHT


@pytest.mark.parametrize("threshold", [0.0, 0.5])
def test_no_guess_is_never_answered_however_low_the_threshold(threshold: float) -> None:
    assert not is_answered(NO_GUESS, threshold)
    assert outcome_of("a", NO_GUESS, threshold) is Outcome.NO_GUESS
    assert outcome_of(None, NO_GUESS, threshold) is Outcome.DECLINED_NO_GUESS
    # B8 of the original: a missing guess that claims to be sure is still no guess.
    assert outcome_of("a", Guess(None, 1.0), threshold) is Outcome.NO_GUESS
    assert places_of([(-1, -1, 1.0)], threshold) == [Outcome.DECLINED_NO_GUESS]


def test_each_outcome_maps_to_one_of_the_five_published_codes() -> None:
    assert {outcome.short: outcome.published for outcome in Outcome} == {
        "CA": "T",
        "WA": "F",
        "FA": "F",
        "MD": "FCO",
        "UD": "FO",
        "ND": "FO",
        "CG": "TO",
        "CN": "TO",
    }


def test_each_outcome_has_its_own_sentence() -> None:
    sentences = [outcome.meaning for outcome in Outcome]
    assert len(set(sentences)) == len(Outcome) == 8
    for outcome in Outcome:
        assert outcome.meaning.startswith("answered") == outcome.answered


def test_every_share_is_its_formula_on_a_fixed_table() -> None:
    ca, wa, fa, md, ud, nd, cg, cn = (TABLE[outcome] for outcome in Outcome)
    deferred = md + ud + nd + cg + cn
    assert TABLE.shares() == {
        "accuracy": Share(ca + cg + cn, 108),
        "in_scope_accuracy": Share(ca, ca + wa + md + ud + nd),
        "negative_rejection": Share(cg + cn, fa + cg + cn),
        "automation_rate": Share(ca + wa + fa, 108),
        "precision_answered": Share(ca, ca + wa + fa),
        "carefulness": Share(ud + cg, deferred),
        "good_carefulness": Share(md, deferred),
        "deferral_precision": Share(deferred - md, deferred),
        "deferral_recall": Share(ud + nd + cg + cn, ud + nd + cg + cn + wa + fa),
        "best_guess_accuracy": Share(ca + md, ca + wa + md + ud + nd),
    }


@given(st.lists(st.integers(0, 50), min_size=8, max_size=8))
def test_every_share_lies_between_nothing_and_all_or_has_no_value(table: list[int]) -> None:
    for share in Counts(dict(zip(Outcome, table, strict=True))).shares().values():
        assert 0 <= share.hits <= share.n
        assert (share.value is None) == (share.n == 0)
        assert share.value is None or share.value == share.hits / share.n


@given(st.lists(st.integers(0, 50), min_size=6, max_size=6))
def test_carefulness_completes_good_carefulness_when_every_message_got_a_guess(table: list[int]) -> None:
    ca, wa, fa, md, ud, cg = table
    shares = counts(right=ca, wrong_intent=wa, overreach=fa, missed=md, wrong_deferred=ud, declined=cg).shares()
    careful, good = shares["carefulness"].value, shares["good_carefulness"].value
    if careful is None or good is None:
        assert careful is good
    else:
        assert careful == pytest.approx(1 - good)


def test_the_identity_breaks_as_soon_as_a_message_got_no_guess() -> None:
    shares = counts(missed=1, wrong_deferred=1, no_guess=2).shares()
    assert shares["carefulness"].value == 0.25
    assert shares["good_carefulness"].value == 0.25
    assert shares["deferral_precision"].value == 0.75


def test_both_kinds_of_carefulness_are_pinned_on_one_table() -> None:
    # Row 1 of what not to inherit: the published number is the complement of the paper's.
    shares = counts(right=4, missed=3, wrong_deferred=1).shares()
    assert shares["good_carefulness"].value == 0.75
    assert shares["carefulness"].value == 0.25


def test_all_suppressed_guesses_right_is_one_or_zero_and_not_a_silent_zero() -> None:
    # Row 2: the original printed 0 here.
    shares = counts(right=4, missed=3).shares()
    assert shares["good_carefulness"].value == 1.0
    assert shares["carefulness"].value == 0.0
    assert shares["deferral_precision"].value == 0.0


def test_nothing_suppressed_leaves_carefulness_undefined() -> None:
    shares = counts(right=4, wrong_intent=1).shares()
    for name in ("carefulness", "good_carefulness", "deferral_precision"):
        assert shares[name].value is None
    assert shares["deferral_recall"].value == 0.0


def test_nothing_at_all_has_no_value_anywhere() -> None:
    assert [share.value for share in Counts({}).shares().values()] == [None] * 10
    assert Counts.of_places(np.empty(0, dtype=np.intp)).total == 0


def test_an_engine_without_guesses_answers_nothing_and_declines_well() -> None:
    # Row 3: the original crashed.
    shares = counts(no_guess=6, declined_no_guess=4).shares()
    assert shares["accuracy"].value == 0.4
    assert shares["automation_rate"].value == 0.0
    assert shares["precision_answered"].value is None
    assert shares["carefulness"].value == 0.0
    assert shares["deferral_precision"].value == 1.0
    assert shares["deferral_recall"].value == 1.0
