"""Mode "fixed": the original's known faults are gone, and its keys mean what they say."""

import json
import random

import numpy as np
import pytest
from evaluations import LABELS, TEXTS, guess, nexcv_evaluator, right

from vivavoce.errors import DataError, UsageError
from vivavoce.nexcv import IntentEvaluationStrategy, NexCVEvaluator


def metrics_of(truths, answers, threshold=0.5, **more):
    strategy = IntentEvaluationStrategy(threshold, **more)
    return strategy.get_metrics([f"text {row}" for row in range(len(truths))], truths, answers)


def without_times(result):
    for metrics in result["metrics"]:
        del metrics["timings"]
    del result["info"]
    return result


# The faults B1 to B9


@pytest.mark.parametrize("nothing", [[], None, [{}], [None], [{"intent_id": None, "confidence": 0}], ()])
@pytest.mark.parametrize("mode", ["fixed", "exact"])
def test_b1_every_way_to_say_no_guess_is_accepted(nothing, mode, engine):
    result = nexcv_evaluator(engine(lambda text: nothing), share=0.15, mode=mode).evaluate(TEXTS, LABELS)
    for metrics in result["metrics"]:
        negatives = sum(metrics["confusion_matrix"]["__Other"].values())
        assert metrics["accuracy"] == round(negatives / metrics["total"], 3)


def test_b2_the_recall_of_the_others_is_the_share_of_rejected_negatives():
    metrics = metrics_of([None] * 10, [guess("a", 0.1)] * 8 + [guess("a", 0.9)] * 2)
    others = metrics["metrics_by_label"]["__Other"]
    assert others["recall"] == metrics["negative_rejection"] == 0.8
    assert others["f1"] == round(2 * 0.8 / 1.8, 3)
    assert metrics_of([None] * 3, [[]] * 3)["metrics_by_label"]["__Other"]["recall"] == 1


def test_b2_exact_mode_keeps_the_nonsense():
    metrics = metrics_of([None] * 10, [guess("a", 0.1)] * 8 + [guess("a", 0.9)] * 2, mode="exact")
    assert metrics["metrics_by_label"]["__Other"]["recall"] == 4.0
    assert metrics["metrics_by_label"]["__Other"]["f1"] == 1.6


def test_b3_good_carefulness_is_one_when_every_suppressed_guess_was_right_and_null_when_there_is_none():
    suppressed = ["a", "b"], [guess("a", 0.4), guess("b", 0.4)]
    assert metrics_of(*suppressed)["good_carefulness"] == 1
    assert metrics_of(*suppressed)["carefulness"] == 0
    assert metrics_of(*suppressed, mode="exact")["good_carefulness"] == 0
    answered = metrics_of(["a", "b"], [guess("a", 0.9), guess("a", 0.9)])
    assert answered["good_carefulness"] is None
    assert answered["carefulness"] is None


def test_both_senses_of_carefulness_follow_from_one_table_of_outcomes():
    truths = ["a"] * 6 + [None] * 4
    answers = [guess("a", 0.1)] * 2 + [guess("b", 0.1)] * 3 + [[]] + [guess("a", 0.1)] * 2 + [[], guess("a", 0.9)]
    metrics = metrics_of(truths, answers)
    assert metrics["good_carefulness"] == round(2 / 9, 3)  # right but suppressed, of all without an answer
    assert metrics["carefulness"] == round(5 / 9, 3)  # wrong and suppressed; without a guess nothing was rejected
    assert metrics["outcomes"] == {
        "right": 0,
        "wrong_intent": 0,
        "overreach": 1,
        "missed": 2,
        "wrong_deferred": 3,
        "no_guess": 1,
        "declined": 2,
        "declined_no_guess": 1,
    }


def test_b4_samples_are_drawn_from_all_items_negatives_included(engine):
    seen = set()
    for seed in range(10):
        result = nexcv_evaluator(engine(right), share=0.15, random_state=seed).evaluate(TEXTS, LABELS)
        seen |= {sample[1] for metrics in result["metrics"] for sample in metrics["samples"][:3]}
    assert {"a", "b", "c", None} <= seen


def test_samples_can_be_all_or_none_or_of_some_outcomes():
    truths, answers = ["a"] * 4 + [None], [guess("a", 0.9)] * 3 + [guess("b", 0.9), []]
    assert len(metrics_of(truths, answers, max_samples=2)["samples"]) == 2
    assert len(metrics_of(truths, answers, max_samples=0)["samples"]) == 5
    assert metrics_of(truths, answers, max_samples=-1)["samples"] == []
    assert metrics_of(truths, answers, include_samples=["TO"])["samples"] == [("text 4", None, "__Other", 0.0, "TO")]
    with pytest.raises(UsageError, match="include_samples"):
        IntentEvaluationStrategy(0.5, include_samples=["maybe"])


def test_b5_a_confidence_equal_to_the_threshold_answers_everywhere():
    metrics = metrics_of(["a", "b", None], [guess("a", 0.5), guess("b", 0.5), guess("a", 0.5)])
    assert metrics["accuracy"] == round(2 / 3, 3)
    assert metrics["confusion_matrix"] == {"__Other": {"a": 1}, "a": {"a": 1}, "b": {"b": 1}}
    two = [guess("a", 0.5), guess("b", 0.5)]
    assert metrics_of(["a", "b"], two)["f1_macro"] == 1
    assert [metrics_of(["a", "b"], two, mode="exact")[name] for name in ("accuracy", "f1_macro")] == [1, 0]


PUBLISHED = [  # true label, guess, code below, at and above the threshold
    ("a", "a", "FCO", "T", "T"),
    ("a", "b", "FO", "FO", "F"),
    ("a", None, "FO", "FO", "F"),
    (None, "a", "TO", "TO", "F"),
    (None, None, "TO", "TO", "TO"),
]


@pytest.mark.parametrize(("truth", "label", "below", "at", "above"), PUBLISHED)
def test_exact_mode_keeps_the_published_table_of_outcomes(truth, label, below, at, above):
    strategy = IntentEvaluationStrategy(0.5, mode="exact")
    outcomes = [strategy.get_outcome(truth, guess(label, confidence)) for confidence in (0.4, 0.5, 0.6)]
    assert [outcome[3] for outcome in outcomes] == [below, at, above]
    assert [outcome[1] for outcome in outcomes] == ["__Other", "__Other", label]


def test_b6_macro_f1_is_the_mean_over_labels_that_are_true_in_the_test():
    truths = ["a", "b", "c", "d"]
    answers = [guess("a", 0.9), guess("b", 0.9), guess("c", 0.9), guess("d", 0.1)]
    assert metrics_of(truths, answers)["f1_macro"] == 0.75
    assert metrics_of(truths, answers, mode="exact")["f1_macro"] == 0.6
    answers[3] = guess("only trained", 0.9)
    assert metrics_of(truths, answers)["f1_macro"] == 0.75


@pytest.mark.parametrize("labels", [[0, 1, 2], ["", "x", "y"], np.array([0, 1, 2]), np.array(["p", "q", "r"])])
def test_b7_any_label_works_be_it_falsy_or_a_number(labels, engine):
    rows = [labels[row % 3] for row in range(30)]
    texts = [f"text {row}" for row in range(30)]
    answers = {
        text: guess(label, 0.9 if row % 2 else 0.1) for row, (text, label) in enumerate(zip(texts, rows, strict=True))
    }
    result = nexcv_evaluator(engine(answers.get)).evaluate(texts, rows)
    outcomes = [metrics["outcomes"] for metrics in result["metrics"]]
    assert all(found["right"] + found["missed"] == 6 for found in outcomes)
    assert {metrics["outcomes"]["wrong_intent"] for metrics in result["metrics"]} == {0}
    assert json.loads(json.dumps(result, sort_keys=True))["metrics"][0]["total"] == 6


def test_b7_a_label_with_the_name_for_no_answer_is_refused_and_the_name_can_be_changed(engine):
    labels = ["__Other" if label == "e" else label for label in LABELS]
    with pytest.raises(DataError, match="others_label"):
        nexcv_evaluator(engine(right)).evaluate(TEXTS, labels)
    result = nexcv_evaluator(engine(right), others_label="nobody").evaluate(TEXTS, labels)
    assert "nobody" in result["metrics"][0]["confusion_matrix"]


def test_b8_no_guess_with_a_high_confidence_is_no_guess():
    metrics = metrics_of(["a", None], [guess(None, 0.9), guess(None, 0.9)])
    assert metrics["outcomes"]["no_guess"] == metrics["outcomes"]["declined_no_guess"] == 1
    assert metrics["confusion_matrix"] == {"__Other": {"__Other": 1}, "a": {"__Other": 1}}


def test_b9_recall_all_counts_suppressed_items():
    metrics = metrics_of(["a"] * 100 + ["b"], [guess("a", 0.9)] + [guess("a", 0.1)] * 99 + [guess("b", 0.1)])
    a, b = metrics["metrics_by_label"]["a"], metrics["metrics_by_label"]["b"]
    assert (a["recall"], a["recall_all"], a["no_answer"]) == (1, 0.01, 0.99)
    assert b["recall_all"] == 0
    assert metrics["recall_all"] == 0.005


# The other rows of what not to inherit


@pytest.mark.parametrize("lengths", [(3, 4, 4), (4, 4, 3), (4, 3, 4), (2, 3, 4), (0, 0, 0)])
def test_unequal_or_no_lengths_are_refused(lengths):
    texts, labels, answers = lengths
    with pytest.raises(DataError):
        IntentEvaluationStrategy(0.5).get_metrics(["x"] * texts, ["a"] * labels, [[]] * answers)


def test_exact_mode_notices_unequal_lengths_only_as_the_original_did():
    strategy = IntentEvaluationStrategy(0.5, mode="exact")
    assert strategy.get_metrics(["x"] * 2, ["a"] * 3, [[]] * 4) is None


def test_texts_and_labels_of_unequal_number_are_refused_before_any_training(engine):
    def no_training(self, X, y):
        raise AssertionError("trained")

    with pytest.raises(DataError, match="X has 37, y has 36"):
        nexcv_evaluator(engine(right, fit=no_training)).evaluate(TEXTS, LABELS[:-1])


def test_all_bad_rows_are_named_at_once(engine):
    labels = [None, float("nan"), ["a"], *LABELS[3:]]
    texts = [*TEXTS[:-1], None]
    with pytest.raises(DataError) as caught:
        nexcv_evaluator(engine(right)).evaluate(texts, labels)
    assert [fault.where for fault in caught.value.faults] == ["row 36", "row 0", "row 1", "row 2"]


@pytest.mark.parametrize("labels", [["a", "a"], [1, "1"]])
def test_labels_that_cannot_be_told_apart_are_refused(labels, engine):
    with pytest.raises(DataError):
        nexcv_evaluator(engine(right)).evaluate(["x", "y"] * 5, labels * 5)


def test_all_wrong_options_are_named_at_once(engine):
    with pytest.raises(UsageError) as caught:
        nexcv_evaluator(engine(right), size=-1, share=1.0, retries=0, test_fraction=0)
    named = {fault.where for fault in caught.value.faults}
    assert named == {"min_category_size", "other_min_prop", "n_retries", "test_fraction"}


@pytest.mark.parametrize(
    "option",
    [
        {"mode": "exakt"},
        {"random_state": -1},
        {"random_state": "seed"},
        {"singletons": "drop"},
        {"on_error": "ignore"},
        {"threshold": "high"},
        {"samples": 1.5},
        {"others_label": ""},
        {"size": 2.5},
        {"share": float("nan")},
    ],
)
def test_an_option_that_cannot_be_is_refused(option, engine):
    with pytest.raises(UsageError):
        nexcv_evaluator(engine(right), **option).evaluate(TEXTS, LABELS)


def test_a_label_with_one_example_is_trained_and_not_tested_unless_wished(engine):
    texts, labels = [*TEXTS, "f text"], [*LABELS, "f"]
    fixed = nexcv_evaluator(engine(right)).evaluate(texts, labels)
    assert all(metrics["accuracy"] == 1 and "f" not in metrics["confusion_matrix"] for metrics in fixed["metrics"])
    assert any("1 labels have one example" in warning for warning in fixed["warnings"])
    tested = nexcv_evaluator(engine(right), singletons="test").evaluate(texts, labels)
    assert all("f" in metrics["confusion_matrix"] for metrics in tested["metrics"])
    with pytest.raises(DataError, match="only one example"):
        nexcv_evaluator(engine(right)).evaluate(["a", "b"], ["a", "b"])


def test_the_same_seed_gives_the_same_result_whatever_else_draws(engine):
    first = nexcv_evaluator(engine(right), share=0.15, random_state=7).evaluate(TEXTS, LABELS)
    np.random.seed(3)
    random.seed(3)
    second = nexcv_evaluator(engine(right), share=0.15, random_state=7).evaluate(TEXTS, LABELS)
    assert json.dumps(without_times(first)) == json.dumps(without_times(second))
    other = nexcv_evaluator(engine(right), share=0.15, random_state=8).evaluate(TEXTS, LABELS)
    assert json.dumps(without_times(other)) != json.dumps(first)


def test_the_number_of_samples_does_not_change_the_splits(engine):
    few, many = (
        NexCVEvaluator(engine(right), 0, 0.15, 0.5, samples, 5, random_state=7).evaluate(TEXTS, LABELS)
        for samples in (-1, 0)
    )
    assert [m["negative_classes"] for m in few["metrics"]] == [m["negative_classes"] for m in many["metrics"]]


def test_without_a_seed_one_is_chosen_and_recorded_so_that_the_run_can_be_repeated(engine):
    first = nexcv_evaluator(engine(right), share=0.15, random_state=None).evaluate(TEXTS, LABELS)
    again = nexcv_evaluator(engine(right), share=0.15, random_state=first["config"]["seed"]).evaluate(TEXTS, LABELS)
    assert without_times(first) == without_times(again)


def test_k_wins_over_p_with_a_warning(engine):
    result = nexcv_evaluator(engine(right), size=5, share=0.15).evaluate(TEXTS, LABELS)
    assert any("both set" in warning for warning in result["warnings"])
    assert all(set(metrics["negative_classes"]) <= {"d", "e"} for metrics in result["metrics"])


def test_a_setting_without_negatives_says_that_it_equals_the_plain_one(engine):
    result = nexcv_evaluator(engine(right), size=3).evaluate(TEXTS, LABELS)
    assert any("equals (0, 0)" in warning for warning in result["warnings"])
    assert not nexcv_evaluator(engine(right)).evaluate(TEXTS, LABELS)["warnings"]


def test_few_negatives_are_reported(engine):
    warnings = nexcv_evaluator(engine(right), size=5).evaluate(TEXTS, LABELS)["warnings"]
    assert any("1 of 2 low-population labels, 3 to 4 texts" in warning for warning in warnings)


def test_copies_contradictions_and_empty_texts_are_reported(engine):
    texts = [*TEXTS, "A  text 0", "b text 13", "", " "]
    labels = [*LABELS, "a", "c", "a", "b"]
    warnings = nexcv_evaluator(engine(lambda text: [])).evaluate(texts, labels)["warnings"]
    assert "2 texts are empty." in warnings
    assert any(warning.startswith("3 texts are copies") for warning in warnings)
    assert "2 texts appear under more than one label." in warnings


def test_negatives_keep_their_origin(engine):
    result = nexcv_evaluator(engine(lambda text: guess("a", 0.9)), share=0.15).evaluate(TEXTS, LABELS)
    for metrics in result["metrics"]:
        (origin,) = metrics["negative_classes"]
        size = LABELS.count(origin)
        assert metrics["negative_items"] == size
        assert metrics["negative_confusion"] == {origin: {"a": size}}
        assert metrics["outcomes"]["overreach"] == size
