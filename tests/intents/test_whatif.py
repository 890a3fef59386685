from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.classifiers.fakes import NearestExample
from vivavoce.classifiers.linear import LinearClassifier, PreparedLinear
from vivavoce.errors import DataError, UsageError
from vivavoce.intents import Setting, examine_intents
from vivavoce.intents.exam import load_classifier
from vivavoce.intents.whatif import (
    AddExamples,
    Edit,
    Forecaster,
    MarkOutOfScope,
    MergeTopics,
    MoveExamples,
    RenameTopic,
    RetireTopic,
    SplitTopic,
    apply_edit,
    forecast,
)
from vivavoce.intents.whatif.clusters import divide
from vivavoce.intents.whatif.forecasting import FRESH
from vivavoce.records import Dataset

PLAIN = Setting(0, 0.0)
NOUNS = {"pay": "salary wage bonus", "leave": "holiday vacation rest", "cars": "parking garage space"}
VERBS = ["when", "where", "why", "how", "who", "claim", "ask", "apply", "find", "report"]


def _build() -> Dataset:
    """Three topics; every second question about pay is filed under a twin."""
    texts, intents = [], []
    for topic, nouns in NOUNS.items():
        for place, verb in enumerate(VERBS):
            noun = nouns.split()[place % 3]
            texts.append(f"{verb} {noun} {nouns.split()[0]}")
            intents.append("pay again" if topic == "pay" and place % 2 else topic)
    return Dataset.of(texts, intents)


DATA = _build()
EDITS: list[Edit] = [
    MergeTopics("pay again", "pay"),
    MoveExamples((0, 2), "leave"),
    MoveExamples((0, 2), "new"),
    SplitTopic("leave", (10, 11, 12), "rest"),
    RetireTopic("cars"),
    MarkOutOfScope((20, 21)),
    AddExamples("cars", ("where is the garage",)),
    RenameTopic("cars", "parking"),
]


@pytest.mark.parametrize("edit", EDITS, ids=str)
def test_an_edit_loses_no_example_and_keeps_the_order(edit: Edit) -> None:
    after = apply_edit(DATA, edit)
    assert after.texts[: len(DATA)] == DATA.texts
    assert [e.row for e in after.examples[: len(DATA)]] == [e.row for e in DATA.examples]
    assert len(after) == len(DATA) + (len(edit.texts) if isinstance(edit, AddExamples) else 0)


@given(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=3, max_size=30), st.data())
def test_a_move_changes_the_chosen_rows_alone(intents: list[str | None], draw: st.DataObject) -> None:
    data = Dataset.of([f"text {place}" for place in range(len(intents))], intents)
    rows = draw.draw(st.sets(st.integers(0, len(intents) - 1), min_size=1))
    after = apply_edit(data, MoveExamples(tuple(sorted(rows)), "b"))
    assert all(after.intents[place] == ("b" if place in rows else intents[place]) for place in range(len(intents)))
    assert Counter(after.texts) == Counter(data.texts)


@given(st.lists(st.sampled_from("abc"), min_size=3, max_size=30).filter(lambda topics: {"a", "b"} <= set(topics)))
def test_splitting_a_merged_topic_again_gives_the_data_back(intents: list[str]) -> None:
    data = Dataset.of([f"text {place}" for place in range(len(intents))], intents)
    rows = tuple(place for place, topic in enumerate(intents) if topic == "a")
    assert apply_edit(data, [MergeTopics("a", "b"), SplitTopic("b", rows, "a")]).intents == data.intents


def test_all_faults_of_an_edit_are_named_at_once() -> None:
    with pytest.raises(DataError) as error:
        apply_edit(DATA, MergeTopics("pays", "leaf"))
    assert [fault.where for fault in error.value.faults] == ["'pays'", "'leaf'"]
    assert "Did you mean 'pay'?" in str(error.value)
    with pytest.raises(DataError) as error:
        apply_edit(DATA, MoveExamples((1, 99, 100), " "))
    assert [fault.where for fault in error.value.faults] == ["row 99", "row 100", ""]


@pytest.mark.parametrize(
    "edit",
    [
        MergeTopics("pay", "pay"),
        RenameTopic("pay", "cars"),
        SplitTopic("cars", (0,), "new"),
        SplitTopic("cars", tuple(range(20, 30)), "new"),
        AddExamples("cars", ()),
        AddExamples("cars", (" ",)),
        MarkOutOfScope(()),
    ],
    ids=str,
)
def test_an_edit_that_makes_no_sense_is_refused(edit: Edit) -> None:
    with pytest.raises(DataError):
        apply_edit(DATA, edit)


def test_no_edit_at_all_and_one_that_leaves_a_single_topic_are_refused() -> None:
    with pytest.raises(UsageError):
        apply_edit(DATA, [])
    edits = [MergeTopics("pay again", "pay"), MergeTopics("leave", "pay"), MergeTopics("cars", "pay")]
    with pytest.raises(DataError, match="one topic"):
        forecast(DATA, edits, NearestExample())


def test_the_values_before_are_those_of_an_exam_on_these_splits() -> None:
    result = forecast(DATA, MergeTopics("pay again", "pay"), NearestExample(), seed=4)
    exam = examine_intents(DATA, NearestExample(), settings=[PLAIN], seed=FRESH + 4, text_view=False)
    for name, effect in result.effects.items():
        assert effect.before == pytest.approx(exam.rate(name).value)
        assert effect.difference == pytest.approx((effect.after or 0) - (effect.before or 0))


def test_the_values_after_are_those_of_fits_to_the_edited_data_on_the_same_splits() -> None:
    forecaster = Forecaster(DATA, NearestExample())
    effect = forecaster.forecast(MergeTopics("pay again", "pay")).effects["accuracy"]
    topics = apply_edit(DATA, MergeTopics("pay again", "pay")).intents
    shares = []
    for split in forecaster.plan:
        engine = NearestExample()
        engine.fit([DATA.texts[row] for row in split.train], [str(topics[row]) for row in split.train])
        guesses = engine.guess([DATA.texts[row] for row in split.test])
        right = [g.intent == topics[r] and g.confidence >= 0.5 for g, r in zip(guesses, split.test, strict=True)]
        shares.append(np.mean(right))
    assert effect.after == pytest.approx(np.mean(shares))


@pytest.mark.parametrize("edit", [RenameTopic("pay", "wages"), MoveExamples((20,), "cars")], ids=str)
def test_an_edit_that_changes_nothing_has_an_effect_of_exactly_zero(edit: Edit) -> None:
    result = forecast(DATA, edit, NearestExample())
    assert result.refits == 0
    assert not result.improved
    assert not result.broken
    assert all((e.difference, e.low, e.high) == (0.0, 0.0, 0.0) for e in result.effects.values())
    assert result.sentence.endswith("no question changes.")


def test_merging_twins_is_forecast_to_help_and_names_the_questions() -> None:
    result = forecast(DATA, MergeTopics("pay again", "pay"), "tfidf")
    effect = result.effects["accuracy"]
    assert effect.low is not None
    assert 0 < effect.low < (effect.difference or 0)
    assert len(result.improved) > len(result.broken)
    assert {question.intent_before for question in result.improved} <= {"pay", "pay again"}
    assert (result.on_topics["accuracy"].difference or 0) > (effect.difference or 0)
    assert result.by_later_topics is not None
    assert (result.by_later_topics.difference or 0) < (effect.difference or 0)


def test_questions_that_were_corrected_are_judged_by_their_new_topic_on_both_sides() -> None:
    texts = [*DATA.texts, "claim garage parking now", "ask garage parking now"]
    data = Dataset.of(texts, [*DATA.intents, "leave", "leave"])
    result = forecast(data, MoveExamples((30, 31), "cars"), NearestExample())
    assert not result.broken
    assert not result.on_topics["accuracy"].difference or result.on_topics["accuracy"].difference > 0


def test_a_retired_topic_is_out_of_scope_afterwards_and_the_forecast_says_so() -> None:
    result = forecast(DATA, RetireTopic("cars"), NearestExample())
    assert result.after.out_of_scope == 10
    assert {question.intent for question in result.broken} <= {None}
    assert result.warnings[0].kind == "retired"


def test_an_added_copy_of_a_tested_question_does_not_help_it() -> None:
    """Otherwise a forecast would promise what only the copy knows."""
    result = forecast(DATA, AddExamples("pay", tuple(DATA.texts[1:10:2])), NearestExample())
    assert not [question for question in result.improved if question.intent == "pay again"]
    plan = Forecaster(DATA, NearestExample())
    assert all(plan.plan.split(retry).test.max() < len(DATA) for retry in range(len(plan.plan)))


def test_the_same_seed_gives_the_same_bytes_and_another_one_other_splits() -> None:
    edit = MergeTopics("pay again", "pay")
    first, second, other = (json.dumps(forecast(DATA, edit, "tfidf", seed=s).to_json()) for s in (0, 0, 1))
    assert first == second
    assert first != other
    alone = forecast(DATA, edit, "tfidf", workers=1)
    assert json.dumps(alone.to_json()) == first


def test_one_forecaster_forecasts_many_edits_as_if_each_was_the_only_one() -> None:
    forecaster = Forecaster(DATA, "tfidf")
    for edit in EDITS:
        assert forecaster.forecast(edit).to_json() == forecast(DATA, edit, "tfidf").to_json()


def test_a_relabelled_landmark_leads_to_the_same_solution_as_a_fresh_one() -> None:
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(4, 20))
    labels = np.repeat(np.arange(4), 25)
    vectors = (centres[labels] + rng.normal(size=(100, 20))).astype(np.float32)
    merged = np.where(labels == 3, 1, labels)
    rows, asked = np.arange(0, 100, 2), np.arange(1, 100, 2)
    warm = PreparedLinear.of(vectors, labels, None, landmark=True).relabel(merged)
    fresh = PreparedLinear.of(vectors, merged, None, landmark=False)
    columns, chances = warm.train(rows).probabilities(asked)
    expected_columns, expected = fresh.train(rows).probabilities(asked)
    assert columns.tolist() == expected_columns.tolist() == [0, 1, 2]
    assert np.abs(chances - expected).max() < 0.02


def test_two_clusters_are_found_whatever_the_order_of_the_rows() -> None:
    rng = np.random.default_rng(1)
    vectors = np.concatenate([rng.normal(size=(7, 5)), rng.normal(size=(4, 5)) + 8])
    order = rng.permutation(11)
    assert divide(vectors).tolist() == [False] * 7 + [True] * 4
    assert divide(vectors[order]).tolist() == (order >= 7).tolist()
    assert 0 < divide(np.ones((6, 3))).sum() < 6


def test_the_json_form_has_the_agreed_keys() -> None:
    content = forecast(DATA, MergeTopics("pay again", "pay"), NearestExample()).to_json()
    assert content["kind"] == "intents-whatif"
    assert {"difference", "low", "high"} <= content["effects"]["accuracy"].keys()
    assert content["edits"] == [{"kind": "merge", "topic": "pay again", "into": "pay"}]
    assert {"improved", "broken", "seed", "data", "definitions", "vivavoce"} <= content.keys()
    assert isinstance(load_classifier("vectors"), LinearClassifier)
