"""Training with its passport."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from planted_talks import plant, talk

from vivavoce.dialogues.dialogue import HIGHEST, LOWEST, Dialogue, Kind, Rating, View, judge_of, rated_views
from vivavoce.dialogues.exam import examine_dialogues
from vivavoce.dialogues.model import training
from vivavoce.dialogues.model.model import Model
from vivavoce.dialogues.model.training import (
    MIN_DIALOGUES,
    MIN_RATINGS,
    PSEUDO_BOTS,
    STAGE,
    bot_splits,
    train_model,
)
from vivavoce.dialogues.raters.learned import LEARNED, LearnedRater
from vivavoce.errors import DataError

pytestmark = [pytest.mark.usefixtures("few_trees"), pytest.mark.slow]


def test_too_few_marks_are_refused_with_what_to_do(planted: tuple[Dialogue, ...]) -> None:
    with pytest.raises(DataError, match=r"12 ratings .* too few") as refusal:
        train_model([one for one in planted if one.kind is Kind.HUMAN_BOT][:12])
    assert str(MIN_RATINGS) in refusal.value.remedy


def test_talks_in_which_one_side_hardly_spoke_do_not_count() -> None:
    short = [
        replace(talk("hi", "hello", "bye", name=f"s{number}"), ratings=(Rating("Ann", 3),)) for number in range(200)
    ]
    with pytest.raises(DataError, match="0 ratings"):
        train_model(short)


def test_many_marks_on_a_few_talks_are_refused(planted: tuple[Dialogue, ...]) -> None:
    marks = tuple(Rating(f"rater {number}", 1.0 + number % 5) for number in range(MIN_RATINGS))
    with pytest.raises(DataError, match="only 3 different dialogues") as refusal:
        train_model([replace(one, ratings=marks) for one in planted[:3]])
    assert str(MIN_DIALOGUES) in refusal.value.remedy


def test_equal_marks_are_refused(planted: tuple[Dialogue, ...]) -> None:
    with pytest.raises(DataError, match="all ratings are the same"):
        train_model([replace(one, ratings=(Rating("Ann", 3.0),)) for one in planted])


def test_talks_in_another_alphabet_are_refused(planted: tuple[Dialogue, ...]) -> None:
    strange = [replace(one, turns=tuple(replace(turn, text="да нет да") for turn in one.turns)) for one in planted]
    with pytest.raises(DataError, match="160 dialogues: not in Latin script"):
        train_model(strange)


def test_a_planted_rule_is_found_on_talks_not_learned_from(small_model: Model) -> None:
    found = small_model.origin.agreements
    assert found["overall"].n == 160 + sum(number % 6 == 0 for number in range(160))
    for name in ("overall", "human-bot", "unseen-bot"):
        assert found[name].pearson.value > 0.5, name
        assert found[name].pearson.low > 0.2, name


def test_new_talks_are_scored_by_the_planted_rule(small_model: Model) -> None:
    views = [view for view in rated_views(plant(number) for number in range(1000, 1100)) if view.judge == "Ann"]
    found = small_model.predict(views)
    assert ((found >= LOWEST) & (found <= HIGHEST)).all()
    assert np.corrcoef(found, [view.quality for view in views])[0, 1] > 0.5


def test_the_origin_tells_what_was_learned_from(small_model: Model, planted: tuple[Dialogue, ...]) -> None:
    origin = small_model.origin
    assert (origin.learnt_from, origin.licence, origin.dialogues) == ("planted talks", "none", len(planted))
    assert "cross-validation" in origin.method
    assert origin.lengths is not None
    assert 6 <= origin.lengths[0] <= origin.lengths[1] <= 12


def test_a_talk_of_unknown_kind_is_scored_as_well(small_model: Model) -> None:
    told = plant(1001)
    untold = replace(told, turns=tuple(replace(turn, is_bot=None) for turn in told.turns))
    known, unknown = small_model.predict([View(one, judge_of(one)) for one in (told, untold)])
    assert known != unknown
    assert unknown == pytest.approx(known, abs=1.5)


def test_one_more_line_in_the_passport_leaves_the_others(small_model: Model) -> None:
    later = [plant(number) for number in range(500, 540)]
    found = training.add_test(small_model, "later", later).origin.agreements
    assert found["later"].n == len(list(rated_views(later)))
    assert {name: found[name] for name in small_model.origin.agreements} == small_model.origin.agreements


def test_training_says_how_far_it_is_and_one_name_for_all_people_is_no_obstacle(
    planted: tuple[Dialogue, ...],
) -> None:
    told: list[tuple[str, int, int]] = []
    one_user = [replace(one, user="visitor") for one in planted[:110]]
    model = train_model(one_user, progress=lambda *step: told.append(step))
    assert [done for _, done, _ in told] == list(range(1, len(told) + 1))
    assert {(stage, total) for stage, _, total in told} == {(STAGE, len(told))}
    assert model.origin.learnt_from == "dialogues of the user"


def test_each_named_bot_is_left_out_once_and_people_never(planted_views: list[View]) -> None:
    splits = bot_splits(planted_views)
    names = [{planted_views[row].dialogue.bot for row in testing} for _, testing in splits]
    assert sorted(map(sorted, names)) == [["alpha"], ["beta"], ["gamma"]]
    for (learning, testing), own in zip(splits, names, strict=True):
        assert not own & {planted_views[row].dialogue.bot for row in learning}
        assert len(learning) + len(testing) == len(planted_views)


def test_bots_without_names_are_told_apart_by_how_they_speak(planted_views: list[View]) -> None:
    nameless = [replace(view, dialogue=replace(view.dialogue, bot=None)) for view in planted_views]
    splits = bot_splits(nameless)
    assert 2 <= len(splits) <= PSEUDO_BOTS
    tested = sorted(row for _, testing in splits for row in testing.tolist())
    assert tested == [row for row, view in enumerate(nameless) if view.dialogue.kind is Kind.HUMAN_BOT]


def test_many_bots_are_left_out_in_groups(planted_views: list[View]) -> None:
    many = [replace(view, dialogue=replace(view.dialogue, bot=f"{view.dialogue.id}.1")) for view in planted_views]
    assert len(bot_splits(many)) == PSEUDO_BOTS


def test_a_bot_without_which_nothing_is_left_is_not_left_out(planted_views: list[View]) -> None:
    with_bots = [view for view in planted_views if view.dialogue.kind is Kind.HUMAN_BOT]
    names = ["rare", *["main"] * (len(with_bots) - 1)]
    views = [
        replace(view, dialogue=replace(view.dialogue, bot=name)) for view, name in zip(with_bots, names, strict=True)
    ]
    assert [testing.tolist() for _, testing in bot_splits(views)] == [[0]]


def test_talks_between_people_have_no_bot_to_leave_out(planted_views: list[View]) -> None:
    assert bot_splits([view for view in planted_views if view.dialogue.kind is Kind.HUMAN_HUMAN]) == []


def test_a_model_knows_the_talks_that_it_learned_from(small_model: Model, planted: tuple[Dialogue, ...]) -> None:
    rater = LearnedRater(small_model)
    known, new = rater.rate([replace(planted[0], id="another name"), plant(5000)])
    assert (known.learned, new.learned) == (True, False)
    assert [LEARNED in score.warnings for score in (known, new)] == [True, False]


def test_talks_learned_from_are_left_out_of_the_agreement_and_told_of(
    small_model: Model, planted: tuple[Dialogue, ...]
) -> None:
    new = [plant(number) for number in range(5000, 5040)]
    result = examine_dialogues([*planted, *new], LearnedRater(small_model))
    assert result.passport.local["overall"].n == len(new)
    assert any(f"trained on {len(planted)} of these" in warning for warning in result.passport.warnings)
