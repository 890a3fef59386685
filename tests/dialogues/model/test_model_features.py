"""Numbers of a whole talk."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted_talks import dialogues, view

from vivavoce.dialogues.dialogue import Dialogue, Utterance, View
from vivavoce.dialogues.model.features import DISLIKED, FEATURE, LIKED, NAMES, SIDES, dialogue_features
from vivavoce.dialogues.model.messages import EncodedDialogue, encode_view

pytestmark = pytest.mark.slow

TEXTS = st.one_of(
    st.text(max_size=40), st.sampled_from(["", "hi", "do you like trains?", "bye, thanks!", "stupid bot"])
)


def read(*texts: str, judge: str = "Ann") -> EncodedDialogue:
    return encode_view(view(*texts, judge=judge), {})


def liking(talk: EncodedDialogue) -> np.ndarray:
    """Return some opinion of each message; which one does not matter."""
    return np.linspace(-0.2, 1.2, len(talk.peer))[::-1] ** 2


def value(name: str, talk: EncodedDialogue) -> float:
    return float(dialogue_features(talk, np.full(len(talk.peer), 0.5))[0, FEATURE[name]])


def test_every_feature_has_a_name_of_its_own_and_one_column() -> None:
    assert len(set(NAMES)) == len(NAMES)
    talk = read("hi", "hello", "bye", "bye")
    assert dialogue_features(talk, liking(talk)).shape == (1, len(NAMES))


@settings(max_examples=60)
@given(dialogues(TEXTS), st.data())
def test_any_talk_and_any_part_of_it_has_finite_features(dialogue: Dialogue, data: st.DataObject) -> None:
    talk = encode_view(View(dialogue, "Ann"), {})
    kept = st.lists(st.sampled_from([0.0, 1.0]), min_size=len(talk.peer), max_size=len(talk.peer))
    masks = np.array([data.draw(kept), data.draw(kept)]).reshape(2, len(talk.peer))
    found = dialogue_features(talk, liking(talk), masks)
    assert found.shape == (2, len(NAMES))
    assert np.isfinite(found).all()


@settings(max_examples=60)
@given(dialogues(TEXTS))
def test_leaving_nothing_out_changes_nothing(dialogue: Dialogue) -> None:
    talk = encode_view(View(dialogue, "Ann"), {})
    plain = dialogue_features(talk, liking(talk))
    masked = dialogue_features(talk, liking(talk), np.ones((3, len(talk.peer))))
    np.testing.assert_allclose(masked, np.repeat(plain, 3, axis=0), rtol=1e-12, atol=1e-12)


@settings(max_examples=60)
@given(dialogues(TEXTS))
def test_the_sides_change_places_when_the_other_side_judges(dialogue: Dialogue) -> None:
    two = Dialogue("t", tuple(turn for turn in dialogue.turns if turn.speaker in ("Ann", "Bob")))
    own, other = (encode_view(View(two, judge), {}) for judge in ("Ann", "Bob"))
    mine, theirs = dialogue_features(own, liking(own))[0], dialogue_features(other, liking(own))[0]
    half = (NAMES.index("messages")) // len(SIDES)
    np.testing.assert_array_equal(mine[:half], theirs[half : 2 * half])
    np.testing.assert_array_equal(mine[half : 2 * half], theirs[:half])


def test_a_message_that_is_left_out_counts_nowhere() -> None:
    talk = read("hi there", "stupid talk, is n't it?", "bye", "bye")
    without = np.array([[1.0, 0.0, 1.0, 1.0]])
    found = dict(zip(NAMES, dialogue_features(talk, liking(talk), without)[0], strict=True))
    assert found["messages"] == 3
    assert found["peer_messages"] == 1
    assert found["peer_words_sum"] == 1
    assert found["peer_question_sum"] == 0
    assert found["peer_displeased_each"] == 0
    assert found["words"] == 4


def test_the_ending_tells_of_thanks_farewell_and_displeasure() -> None:
    kind = read("hello", "hello", "thanks , bye", "bye")
    upset = read("hello", "hello", "you are a stupid bot", "why?")
    early = read("stupid bot , thanks , bye", "hello", "well", "so", "it rains", "yes")
    names = ("end_farewell", "end_thanks", "end_displeased")
    assert [value(name, kind) for name in names] == [1, 1, 0]
    assert [value(name, upset) for name in names] == [0, 0, 1]
    assert [value(name, early) for name in names] == [0, 0, 0]


def test_only_the_peers_answers_make_the_share_of_answered_questions() -> None:
    talk = read("do you like trains?", "i like trains", "and dogs?", "what dogs?", "fine", "do you sing?", "no")
    assert value("answered_share", talk) == 1
    assert value("asked_back_share", talk) == pytest.approx(1 / 2)


def test_who_began_who_ended_and_how_much_the_peer_spoke() -> None:
    talk = read("hi", "hello to you", "bye")
    assert [value(name, talk) for name in ("peer_first", "peer_last")] == [0, 0]
    assert value("peer_share", talk) == pytest.approx(1 / 3)
    assert value("peer_words_share", talk) == pytest.approx(3 / 5)
    assert value("peer_first", read("hi", "hello", judge="Bob")) == 1


def test_messages_in_turn_alternate_and_messages_in_a_row_do_not() -> None:
    turns = [("Ann", "a"), ("Bob", "b"), ("Bob", "c"), ("Bob", "d")]
    talk = encode_view(View(Dialogue("t", tuple(Utterance(*turn) for turn in turns)), "Ann"), {})
    assert value("alternation", talk) == 0.5
    assert value("peer_run_top", talk) == 3
    assert value("alternation", read("a", "b", "c", "d")) == 1


def test_liking_is_told_by_its_middle_ends_and_extremes() -> None:
    talk = read("a", "b", "c", "d", "e", "f", "g", "h")
    thumbs = np.array([0.5, 0.9, 0.5, 0.1, 0.5, 0.5, 0.5, 0.2])
    found = dict(zip(NAMES, dialogue_features(talk, thumbs)[0], strict=True))
    own = {name.removeprefix("peer_thumb_"): got for name, got in found.items() if name.startswith("peer_thumb_")}
    expected = {
        "mean": 0.425,
        "lowest": 0.1,
        "highest": 0.9,
        "last": 0.2,
        "first": 0.9,
        "spread": np.std([0.9, 0.1, 0.5, 0.2]),
        "low_two": 0.15,
        "high_two": 0.7,
        "disliked": 0.5,
        "liked": 0.25,
        "trend": 0.35 - 0.5,
    }
    assert DISLIKED < LIKED
    assert own == pytest.approx(expected)


def test_a_side_without_messages_is_neither_liked_nor_disliked() -> None:
    talk = read("a", "b")
    found = dict(zip(NAMES, dialogue_features(talk, np.array([0.1, 0.9]), np.array([[1.0, 0.0]]))[0], strict=True))
    names = ("mean", "lowest", "highest", "last", "first", "low_two", "high_two")
    assert {found[f"peer_thumb_{name}"] for name in names} == {0.5}
    assert found["peer_thumb_liked"] == found["peer_thumb_disliked"] == 0
