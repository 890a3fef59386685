"""The rater that only counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.dialogues.dialogue import HIGHEST, LOWEST, Dialogue, Utterance
from vivavoce.dialogues.raters.length import from_option
from vivavoce.errors import UsageError


def talk(*texts: str) -> Dialogue:
    return Dialogue("t", tuple(Utterance("AB"[place % 2], text) for place, text in enumerate(texts)))


def score_of(*texts: str) -> float | None:
    return from_option().rate([talk(*texts)])[0].score


@given(st.lists(st.text(), max_size=30))
def test_every_score_is_on_the_scale_and_every_refusal_has_a_reason(texts: list[str]) -> None:
    (score,) = from_option().rate([talk(*texts)])
    if score.score is None:
        assert score.refusal
    else:
        assert LOWEST <= score.score <= HIGHEST
        assert not score.refusal


@given(st.integers(4, 200), st.integers(1, 30))
def test_a_longer_talk_never_gets_less(turns: int, words: int) -> None:
    shorter = score_of(*["word " * words] * turns)
    longer = score_of(*["word " * words] * (turns + 1))
    assert shorter is not None
    assert longer is not None
    assert longer >= shorter


def test_a_doubling_of_turns_and_words_is_worth_one_point() -> None:
    assert score_of(*["a b c d"] * 4) == pytest.approx(1)
    assert score_of(*["a b c d"] * 8) == pytest.approx(2)
    assert score_of(*["a b c d e f g h"] * 8) == pytest.approx(2.5)


def test_the_reasons_add_up_to_the_score() -> None:
    (score,) = from_option().rate([talk(*["some words here and there"] * 9)])
    assert score.score == pytest.approx(LOWEST + sum(reason.effect for reason in score.reasons))


@pytest.mark.parametrize("texts", [(), ("hi",), ("hi", "hello", "bye"), ("a", "", "b", " ", "c", "d")])
def test_fewer_than_two_messages_a_side_get_no_score(texts: tuple[str, ...]) -> None:
    assert score_of(*texts) is None


def test_an_option_is_refused() -> None:
    with pytest.raises(UsageError, match="words"):
        from_option("words")
