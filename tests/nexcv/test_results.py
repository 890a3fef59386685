"""Mode "fixed": what stands beside the original's keys, what a failure costs, and the README's example."""

import json
import pickle
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from evaluations import LABELS, TEXTS, guess, nexcv_evaluator, right

import vivavoce.nexcv
from vivavoce.errors import ClassifierError
from vivavoce.nexcv import (
    EvaluationError,
    EvaluationResult,
    EvaluationStrategy,
    Evaluator,
    IntentEvaluationStrategy,
    NegativeExamplesDatasetProvider,
    NexCVEvaluator,
    TestingDatasetProvider,
)
from vivavoce.records import Dataset, fingerprint

# What stands beside the original's keys


def test_the_originals_keys_are_all_there(engine):
    fixed, exact = (
        nexcv_evaluator(engine(right), share=0.15, mode=mode).evaluate(TEXTS, LABELS) for mode in ("fixed", "exact")
    )
    assert exact.keys() <= fixed.keys()
    assert exact["info"].keys() == fixed["info"].keys()
    assert exact["metrics"][0].keys() <= fixed["metrics"][0].keys()
    label = fixed["metrics"][0]["metrics_by_label"]["a"]
    assert exact["metrics"][0]["metrics_by_label"]["a"].keys() <= label.keys()


def test_config_says_what_was_evaluated(engine):
    config = nexcv_evaluator(engine(right), size=5, test_fraction=0.3).evaluate(TEXTS, LABELS)["config"]
    assert config["min_category_size"] == 5
    assert config["other_min_prop"] == 0
    assert config["test_fraction"] == 0.3
    assert config["classification_threshold"] == 0.5
    assert config["seed"] == 0
    assert config["data"] == {
        "hash": Dataset.of(TEXTS, LABELS).hash,
        "rows": 37,
        "labels": 5,
        "low_labels": 2,
        "low_share": 0.189,
    }
    assert fingerprint(["\ud800"], ["0"]) != fingerprint(["\ud800"], ["1"])


def test_the_aggregate_is_mean_spread_and_an_interval_wider_than_the_plain_one(engine, jaccard):
    classifier = engine(lambda text: right(text) if len(text) % 2 else [])
    result = nexcv_evaluator(classifier, share=0.15, retries=10).evaluate(TEXTS, LABELS)
    found = result["aggregate"]["accuracy"]
    values = [metrics["accuracy"] for metrics in result["metrics"]]
    assert found["mean"] == pytest.approx(np.mean(values), abs=0.001)
    assert found["sd"] == pytest.approx(np.std(values, ddof=1), abs=0.001)
    assert found["n"] == 10
    assert found["high"] - found["low"] > 2 * 2.26 * found["sd"] / 10**0.5
    assert nexcv_evaluator(jaccard, retries=1).evaluate(TEXTS, LABELS)["aggregate"]["accuracy"]["low"] is None
    assert nexcv_evaluator(jaccard).evaluate(TEXTS, LABELS)["aggregate"]["negative_rejection"]["mean"] is None


def test_timings_are_measured_for_each_repetition(engine):
    def slow(text):
        time.sleep(0.002)
        return right(text)

    timings = nexcv_evaluator(engine(slow), retries=1).evaluate(TEXTS, LABELS)["metrics"][0]["timings"]
    assert timings["classify_sec"]["p95"] >= timings["classify_sec"]["p50"] >= 0.002
    assert timings["classify_sec"]["total"] >= timings["classify_sec"]["mean"] * 7 * 0.99
    assert min(timings[name] for name in ("split_sec", "train_sec", "score_sec")) >= 0


def test_confused_pairs_are_ranked_by_their_share_in_both_directions(engine):
    swapped = {"a": "b", "b": "a", "c": "a"}

    def answer(text):
        label = text.split()[0]
        return guess(swapped.get(label, label), 0.3)

    result = nexcv_evaluator(engine(answer)).evaluate(TEXTS, LABELS)
    first, second = result["pairs"]
    assert (first["a"], first["b"], first["score"]) == ("a", "b", 1)
    assert first["count"] == first["n"] == first["a_as_b"] + first["b_as_a"] == 20
    assert (second["a"], second["b"], second["score"]) == ("a", "c", pytest.approx(1 / 3))
    assert second["low"] < second["score"] < second["high"]
    assert second["answered"] == 0
    assert len({example["text"] for example in second["examples"]}) == 3
    assert {(example["intent"], example["guess"]) for example in second["examples"]} == {("c", "a")}


def test_answers_with_unknown_intents_or_strange_confidences_are_reported(engine):
    warnings = nexcv_evaluator(engine(lambda text: guess("Default Fallback", 1.5))).evaluate(TEXTS, LABELS)[
        "warnings"
    ]
    assert any("Default Fallback" in warning for warning in warnings)
    assert any("between 0 and 1" in warning for warning in warnings)


# Failures


def failing(engine, when, **more):
    calls = []

    def answer(text):
        calls.append(text)
        if when(len(calls)):
            raise ConnectionError("gone")
        return right(text)

    return engine(answer, **more)


def test_a_failure_in_the_seventh_repetition_keeps_the_first_six(engine):
    # Seven texts are tested in each repetition: call 46 is the fourth of the seventh.
    with pytest.raises(ClassifierError) as caught:
        nexcv_evaluator(failing(engine, lambda call: call == 46), retries=10).evaluate(TEXTS, LABELS)
    error = caught.value
    assert error.where.startswith("repetition 7, text 3 '")
    assert "ConnectionError: gone" in str(error)
    assert len(error.partial["metrics"]) == 6
    assert error.partial["aggregate"]["accuracy"]["n"] == 6
    revived = pickle.loads(pickle.dumps(error))  # noqa: S301 - its own bytes
    assert isinstance(revived, EvaluationError)
    assert revived.partial == error.partial


def test_recorded_failures_are_listed_and_left_out_of_the_numbers(engine):
    classifier = failing(engine, lambda call: call in (3, 46))
    result = nexcv_evaluator(classifier, retries=10, on_error="record").evaluate(TEXTS, LABELS)
    assert [(error["repetition"], error["text_number"]) for error in result["errors"]] == [(1, 2), (7, 3)]
    assert [metrics["total"] for metrics in result["metrics"]] == [6, *[7] * 5, 6, *[7] * 3]
    assert all(metrics["accuracy"] == 1 for metrics in result["metrics"])
    assert any("2 calls failed" in warning for warning in result["warnings"])


def test_a_failed_training_loses_its_repetition_only(engine):
    trained = []

    def fit(self, X, y):
        trained.append(X)
        if len(trained) == 2:
            raise TimeoutError("training took too long")

    result = nexcv_evaluator(engine(right, fit=fit), on_error="record").evaluate(TEXTS, LABELS)
    assert len(result["metrics"]) == 4
    assert result["errors"][0]["error"] == "fit failed: TimeoutError: training took too long"


@pytest.mark.parametrize("on_error", ["raise", "record"])
def test_an_engine_that_never_answers_ends_in_an_error(engine, on_error):
    with pytest.raises(EvaluationError, match=r"gone|no text could be classified"):
        nexcv_evaluator(failing(engine, lambda call: True), on_error=on_error).evaluate(TEXTS, LABELS)


def test_a_failing_batch_is_asked_singly_when_failures_are_recorded(engine):
    def classify_batch(self, texts):
        raise ConnectionError("too many")

    classifier = engine(right, classify_batch=classify_batch)
    assert len(nexcv_evaluator(classifier, on_error="record").evaluate(TEXTS, LABELS)["metrics"]) == 5
    with pytest.raises(EvaluationError, match="classify_batch failed"):
        nexcv_evaluator(classifier).evaluate(TEXTS, LABELS)


def test_a_batch_is_asked_at_once_and_must_be_complete(engine):
    batches = []

    def classify_batch(self, texts):
        batches.append(texts)
        return [right(text) for text in texts][: 7 if len(batches) < 6 else 6]

    classifier = engine(None, classify_batch=classify_batch)
    result = nexcv_evaluator(classifier).evaluate(TEXTS, LABELS)
    assert [len(batch) for batch in batches] == [7] * 5
    assert result["metrics"][0]["accuracy"] == 1
    assert result["metrics"][0]["timings"]["classify_sec"]["batch"]
    with pytest.raises(EvaluationError, match="6 answers for 7 texts"):
        nexcv_evaluator(classifier).evaluate(TEXTS, LABELS)


# Drop-in


def test_the_names_of_the_original_are_found_where_they_were():
    for module, names in {
        "classifiers": ["APIClassifier"],
        "data_providers": [
            "TestingDatasetProvider",
            "NegativeExamplesDatasetProvider",
            "TimeSeqDatasetProvider",
        ],
        "evaluation_strategies": ["EvaluationStrategy", "IntentEvaluationStrategy"],
        "evaluators": ["EvaluationResult", "Evaluator", "NexCVEvaluator", "SequentialEvaluator"],
    }.items():
        part = getattr(vivavoce.nexcv, module)
        for name in names:
            assert getattr(part, name) is getattr(vivavoce.nexcv, name)
            assert name in vivavoce.nexcv.__all__


README = """
results = []

classifier = MyClassifier() # See below for implementation guidance
for min_category_size, other_min_prop in [(0, 0),(0, 0.15), (5, 0)]: # Three recommended settings
                                                                     # (see paper for description and justification)
    mcvd = NexCVEvaluator(
        classifier=classifier,
        other_min_prop=other_min_prop,
        min_category_size=min_category_size,
        max_samples=10, # Number of examples to include in the results for inspection
        n_retries=5, # Number of times to run this
        classification_threshold=0.5 # When confidence is below this, any guess is suppressed
    )
    results.append(mcvd.evaluate(X, y))

# Write results to a file
import simplejson
pp2f = open("my_classifier_results.json", "w")
pp2f.write(simplejson.dumps(results, indent=4, sort_keys=True))
pp2f.close()
"""


def test_the_readme_example_runs_unchanged_but_for_the_import(engine, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "simplejson", json)
    names = {"NexCVEvaluator": NexCVEvaluator, "MyClassifier": lambda: engine(right), "X": TEXTS, "y": LABELS}
    exec(README, names)  # noqa: S102 - the example is the test
    written = json.loads(Path("my_classifier_results.json").read_text(encoding="utf-8"))
    assert [len(result["metrics"]) for result in written] == [5, 5, 5]
    assert [result["info"]["dataset_provider"] for result in written] == [
        f"NegativeExamplesDatasetProvider({setting})" for setting in ("0;0", "0;0.15", "5;0")
    ]


def test_all_six_arguments_can_be_positional_as_they_were(jaccard):
    evaluator = NexCVEvaluator(jaccard, 5, 0.1, 0.4, 3, 2)
    provider, strategy = evaluator.dataset_provider, evaluator.evaluation_strategy
    assert (provider.min_category_size, provider.other_min_prop, provider.n_retries) == (5, 0.1, 2)
    assert (strategy.classification_threshold, strategy.max_samples) == (0.4, 3)


def test_own_providers_and_strategies_need_one_method_only(engine):
    class Halves(TestingDatasetProvider):
        def get_datasets(self, X, y):
            return [(X[::2], y[::2], X[1::2], y[1::2])]

    class Hits(EvaluationStrategy):
        def get_metrics(self, X, y, classify_results):
            return sum(answer[0]["intent_id"] == label for answer, label in zip(classify_results, y, strict=True))

    assert Evaluator(engine(right), Halves(), Hits()).evaluate(TEXTS, LABELS)["metrics"] == [18]
    result = Evaluator(engine(right), Halves(), IntentEvaluationStrategy(0.5)).evaluate(TEXTS, LABELS)
    assert result["metrics"][0]["accuracy"] == 1
    assert result["info"]["dataset_provider"] == "Halves"


def test_times_of_a_result_run_on_until_it_is_read(jaccard):
    result = EvaluationResult(jaccard, "evaluator", "provider")
    result.add({})
    first = result.asdict()["info"]["total_running_time_sec"]
    second = result.asdict()["info"]
    assert second["total_running_time_sec"] > first
    assert second["avg_running_time_sec"] == second["total_running_time_sec"]


def test_test_sizes_are_a_fifth_rounded_down_but_at_least_one():
    sizes = {1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 9: 1, 10: 2, 14: 2, 15: 3}
    for mode in ("fixed", "exact"):
        provider = NegativeExamplesDatasetProvider(0, 0, 1, mode=mode, singletons="test", random_state=0)
        for size, expected in sizes.items():
            data = provider.get_datasets(["x"] * size + ["y"] * 10, ["a"] * size + ["b"] * 10)[0]
            assert data[3].count("a") == expected
    hundred = NegativeExamplesDatasetProvider(0, 0, 1, 0.29).get_datasets(["x"] * 200, ["a", "b"] * 100)[0]
    assert hundred[3].count("a") == 29  # 100 x 0.29 falls short of 29 in floating point


def test_the_framework_asks_each_test_text_once_and_creates_each_intent_once(engine):
    asked, created = [], []

    def remember(self, intent, examples):
        created.append(intent)
        self.intents[intent] = examples

    labels = [f"label {row % 300}" for row in range(3_000)]
    evaluator = nexcv_evaluator(engine(lambda text: asked.append(text) or [], create_intent=remember), share=0.15)
    metrics = evaluator.evaluate([f"text {row}" for row in range(3_000)], labels)["metrics"]
    assert len(asked) == sum(one["total"] for one in metrics)
    assert len(created) == sum(300 - len(one["negative_classes"]) for one in metrics)
