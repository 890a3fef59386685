"""The queue of dialogues that a person should read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from marked_talks import talk

from vivavoce.dialogues.dialogue import Dialogue, Rating
from vivavoce.dialogues.disagreements import FAR, KINDS, MIDDLE, find_disagreements
from vivavoce.dialogues.result import Disagreement, Score, TurnEffect

PLAIN = [talk(f"p{i}") for i in range(8)]
VALUES = (2.0, 2.1, 2.2, 2.8, 3.2, 3.8, 3.9, 4.0)
PLAIN_SCORES = [Score(one.id, value) for one, value in zip(PLAIN, VALUES, strict=True)]


def beside(dialogue: Dialogue, score: Score) -> tuple[Disagreement, ...]:
    """Find disagreements of one dialogue in a log that has none."""
    return find_disagreements([*PLAIN, dialogue], [*PLAIN_SCORES, score])


def test_a_log_without_checks_and_marks_gives_an_empty_queue() -> None:
    assert find_disagreements(PLAIN, PLAIN_SCORES) == ()
    assert find_disagreements([], []) == ()
    refused = [Score(one.id, None, refusal="short") for one in PLAIN]
    assert find_disagreements([replace(one, passed=True) for one in PLAIN], refused) == ()


def test_passed_checks_with_a_low_score_are_to_be_read() -> None:
    turns = (TurnEffect(1, "user", 0.2), TurnEffect(2, "peer", -0.5), TurnEffect(3, "user", -0.1))
    found = beside(talk("x", passed=True), Score("x", 1.4, turns=turns))
    assert [(one.id, one.kind, one.score, one.other) for one in found] == [("x", "passed-low", 1.4, 1.0)]
    assert "(message 2 by peer lowered the score most)" in found[0].text


def test_a_failed_check_with_a_high_score_is_to_be_read() -> None:
    turns = (TurnEffect(1, "user", 0.2), TurnEffect(2, "peer", -0.5))
    found = beside(talk("x", passed=False), Score("x", 4.6, turns=turns))
    assert [(one.kind, one.other) for one in found] == [("failed-high", 0.0)]
    assert "(message 1 by user raised the score most)" in found[0].text


@pytest.mark.parametrize(("passed", "value"), [(True, 4.5), (False, 1.2), (True, 2.7), (False, 3.3), (None, 1.0)])
def test_checks_and_scores_that_tell_the_same_or_nothing_are_left_alone(passed: bool | None, value: float) -> None:
    assert beside(talk("x", passed=passed), Score("x", value)) == ()


@pytest.mark.parametrize(
    ("mark", "kind", "words"),
    [(4.0, "marked-high", "what they liked"), (1.0, "marked-low", "what annoyed them")],
)
def test_a_mark_far_from_the_score_is_to_be_read(mark: float, kind: str, words: str) -> None:
    found = beside(talk("x", mark), Score("x", 2.5, 1.8, 3.2))
    assert [(one.kind, one.other) for one in found] == [(kind, mark)]
    assert words in found[0].text
    assert "message" not in found[0].text


def test_a_mark_near_the_score_or_inside_its_interval_is_no_disagreement() -> None:
    assert beside(talk("x", 3.9), Score("x", 2.5, 2.0, 3.0)) == ()
    assert beside(talk("x", 4.5), Score("x", 2.5, 1.0, 5.0)) == ()
    assert len(beside(talk("x", 4.5), Score("x", 2.5))) == 1


def test_marks_of_several_people_are_called_so() -> None:
    two = replace(talk("x"), ratings=(Rating("a", 5.0), Rating("b", 5.0)))
    assert beside(two, Score("x", 2.0))[0].text.startswith("People rated this 5.0")
    assert beside(talk("x", 5.0), Score("x", 2.0))[0].text.startswith("One person rated this 5.0")


def test_a_dialogue_may_stand_here_for_two_reasons_and_the_stronger_comes_first() -> None:
    found = beside(talk("x", 4.0, passed=True), Score("x", 1.2))
    assert [one.kind for one in found] == ["passed-low", "marked-high"]


def test_marks_that_are_all_higher_are_no_disagreement_but_the_odd_one_out_is() -> None:
    talks = [talk(f"t{i}", 4.5) for i in range(12)]
    scores = [Score(one.id, 2.5) for one in talks]
    assert find_disagreements(talks, scores) == ()
    found = find_disagreements([*talks, talk("odd", 2.0)], [*scores, Score("odd", 2.5)])
    assert [(one.id, one.kind) for one in found] == [("odd", "marked-low")]
    assert "in this log, ratings are usually 2.0 above the score" in found[0].text


logs = st.lists(
    st.tuples(st.none() | st.floats(1, 5), st.sampled_from([None, True, False]), st.none() | st.integers(1, 5)),
    max_size=40,
)
Log = list[tuple[float | None, bool | None, int | None]]


@given(logs, st.integers(0, 30))
def test_the_queue_is_a_true_sorted_choice_of_the_log_whatever_its_order(rows: Log, most: int) -> None:
    talks = [talk(f"t{i:02}", mark, passed=passed) for i, (_, passed, mark) in enumerate(rows)]
    scores = [Score(one.id, value) for one, (value, _, _) in zip(talks, rows, strict=True)]
    everything = find_disagreements(talks, scores, most=1000)
    assert find_disagreements(talks[::-1], scores[::-1], most=1000) == everything
    assert find_disagreements(talks, scores, most=most) == everything[:most]
    by_id = {one.id: (one, score.score) for one, score in zip(talks, scores, strict=True)}
    gaps = [one.quality - value for one, value in by_id.values() if value is not None and one.quality is not None]
    usual = float(np.median(gaps)) if len(gaps) >= 10 else 0.0
    strengths = []
    for one in everything:
        dialogue, value = by_id[one.id]
        assert one.kind in KINDS
        assert one.score == value
        by_check = one.kind in ("passed-low", "failed-high")
        assert one.other == (float(dialogue.passed) if by_check else dialogue.quality)
        strengths.append(abs(value - MIDDLE) if by_check else abs(one.other - value - usual) - FAR)
    assert strengths == sorted(strengths, reverse=True)
