"""Scores with their grounds."""

from __future__ import annotations

import numpy as np
import pytest
from planted_talks import plant, talk

from vivavoce.dialogues.dialogue import Dialogue, Kind, View, judge_of
from vivavoce.dialogues.model.explaining import GROUPS, MAX_REASONS, MAX_TRIED, MIN_EFFECT, WORDING, describe, explain
from vivavoce.dialogues.model.features import FEATURE, NAMES, dialogue_features
from vivavoce.dialogues.model.model import Model

pytestmark = pytest.mark.slow

NAMES_OF_PEERS = ("the bot", "the other side")


def seen(dialogue: Dialogue) -> View:
    return View(dialogue, judge_of(dialogue))


def raw(model: Model, view: View, masks: np.ndarray) -> np.ndarray:
    """Return scores before they are cut to the scale, one for each mask, computed one by one."""
    talk_read = model.parts.read(view)
    liked = model.parts.thumbs.predict(talk_read)
    found = []
    for mask in masks[:, None]:
        outputs = model.parts.combine(
            model.parts.wording.predict(talk_read, mask), dialogue_features(talk_read, liked, mask)
        )
        kind = view.dialogue.kind
        found.append(model.equation(kind).raw(outputs, model.human(kind, outputs))[0])
    return np.array(found)


def test_groups_cover_every_feature_exactly_once() -> None:
    assert sorted(np.concatenate(list(GROUPS.values())).tolist()) == list(range(len(NAMES)))
    assert all(len(columns) for columns in GROUPS.values())


def test_what_one_side_has_in_a_group_the_other_has_in_its_own_or_the_same() -> None:
    place = {NAMES[column]: group for group, columns in GROUPS.items() for column in columns}
    pairs = [
        (place[name], place[f"judge_{name[5:]}"])
        for name in NAMES
        if f"judge_{name[5:]}" in FEATURE and name[:5] == "peer_"
    ]
    assert len(pairs) > 50
    assert {pair for pair in pairs if pair[0] != pair[1]} == {("bot's length", "effort")}


@pytest.mark.parametrize("group", [*GROUPS, WORDING])
@pytest.mark.parametrize("peer", NAMES_OF_PEERS)
def test_every_group_has_a_sentence(group: str, peer: str) -> None:
    for row in (np.zeros(len(NAMES)), np.ones(len(NAMES))):
        sentence = describe(group, row, peer)
        assert len(sentence.split()) > 4
        assert not sentence.endswith(".")
        assert not any(other in sentence for other in NAMES_OF_PEERS if other != peer)


def test_sentences_say_what_was_seen(small_model: Model) -> None:
    view = seen(talk("do you like trains?", "why do you ask?", "stupid bot", "i do n't know", "bye", "i do n't know"))
    talk_read = small_model.parts.read(view)
    row = dialogue_features(talk_read, np.array([0.5, 0.1, 0.5, 0.9, 0.5, 0.2]))[0]
    assert "2 of 3 messages from the bot" in describe("liking", row, "the bot")
    assert "repeated nearly the same text in 1 message" in describe("repetition", row, "the bot")
    assert "the bot asked questions in 1 message, the person in 1" in describe("questions", row, "the bot")
    assert "the bot answered 100% of questions with a question" in describe("questions", row, "the bot")
    assert "the bot 2 times, the person 0 times" in describe("not knowing", row, "the bot")
    assert "used 2 words expressing displeasure" in describe("mood", row, "the bot")
    assert "6 messages, 50% of them from the bot" in describe("length", row, "the bot")


@pytest.mark.parametrize("kind", [True, None])
def test_the_effect_of_a_message_is_against_one_like_the_others_of_its_side(
    small_model: Model, kind: bool | None
) -> None:
    texts = (
        "do you like music?",
        "tell me more about rain please",
        "stupid",
        "tell me more about rain please",
        "bye",
    )
    view = seen(talk(*texts, bot=kind))
    (grounds,) = explain(small_model, [view])
    # Three messages of one side, two of the other: where one is left out, the rest count as three and as two.
    three, two = 3 / 2, 2.0
    masks = [
        [1, 1, 1, 1, 1],
        [0, 1, three, 1, three],
        [1, 0, 1, two, 1],
        [three, 1, 0, 1, three],
        [1, two, 1, 0, 1],
        [three, 1, three, 1, 0],
    ]
    scores = raw(small_model, view, np.array(masks, dtype=float))
    assert [turn.effect for turn in grounds.turns] == pytest.approx((scores[0] - scores[1:]).tolist(), abs=1e-4)
    assert grounds.score == pytest.approx(np.clip(scores[0], 1, 5), abs=1e-4)
    assert [(turn.number, turn.speaker) for turn in grounds.turns] == [
        (place + 1, turn.speaker) for place, turn in enumerate(view.dialogue.turns)
    ]


def test_messages_that_are_all_alike_hardly_move_the_score_of_a_longer_talk(small_model: Model) -> None:
    view = seen(talk(*["we talk of rain", "rain it is"] * 12))
    (grounds,) = explain(small_model, [view])
    middle = [abs(turn.effect) for turn in grounds.turns[4:-4]]
    assert max(middle) < 0.1


def test_the_score_is_the_one_that_is_predicted_and_lies_in_its_interval(small_model: Model) -> None:
    views = [seen(plant(number)) for number in range(200, 240)]
    grounds = explain(small_model, views)
    assert [one.score for one in grounds] == pytest.approx(small_model.predict(views).tolist(), abs=1e-4)
    assert all(1 <= one.low <= one.score <= one.high <= 5 for one in grounds)


def test_at_most_five_reasons_the_strongest_first_and_none_that_is_noise(small_model: Model) -> None:
    found = [one.reasons for one in explain(small_model, [seen(plant(number)) for number in range(200, 240)])]
    assert max(map(len, found)) > 1
    for reasons in found:
        effects = [abs(reason.effect) for reason in reasons]
        assert len(reasons) <= MAX_REASONS
        assert effects == sorted(effects, reverse=True)
        assert all(effect >= MIN_EFFECT for effect in effects)
        assert len({reason.name for reason in reasons}) == len(reasons)


def test_a_bot_is_called_a_bot_and_a_person_the_other_side(small_model: Model) -> None:
    for number in (199, 198):
        (grounds,) = explain(small_model, [seen(plant(number))])
        texts = " ".join(reason.text for reason in grounds.reasons)
        bot = plant(number).kind is Kind.HUMAN_BOT
        assert ("the other side" if bot else "the bot") not in texts


def test_in_a_long_talk_the_most_remarkable_messages_are_tried(small_model: Model) -> None:
    dialogue = talk(*["i like music very much", "tell me more about rain please"] * 100)
    (grounds,) = explain(small_model, [seen(dialogue)])
    numbers = [turn.number for turn in grounds.turns]
    assert len(numbers) == MAX_TRIED
    assert numbers == sorted(set(numbers))
    assert all(dialogue.turns[turn.number - 1].speaker == turn.speaker for turn in grounds.turns)


def test_a_repeating_bot_is_told_so(small_model: Model) -> None:
    texts = ["what do you think about music?", "i like rain very much"] * 5
    (grounds,) = explain(small_model, [seen(talk(*texts))])
    effects = {reason.name: reason for reason in grounds.reasons}
    assert effects["repetition"].effect < 0
    assert "repeated nearly the same text in 4 messages" in effects["repetition"].text


def test_nothing_to_explain_is_nothing(small_model: Model) -> None:
    assert explain(small_model, []) == []
