"""Mode "exact" gives the original's numbers bit for bit."""

import hashlib
import json
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from vivavoce.nexcv import NegativeExamplesDatasetProvider, NexCVEvaluator, SequentialEvaluator

pytestmark = pytest.mark.shared

# Running times have no fixed length. In the reference output they were 8 and 18 characters (flat1000) or,
# the total being divisible by the seven steps, 8 and 8 (tail1000).
TIME_CHARACTERS = {"flat1000": 8 + 18, "tail1000": 8 + 8}


def evaluator(row, classifier, random_state):
    size, share = row["setting"]
    return NexCVEvaluator(
        classifier=classifier,
        min_category_size=size,
        other_min_prop=share,
        classification_threshold=0.5,
        max_samples=10,
        n_retries=5,
        mode="exact",
        random_state=random_state,
    )


def column(result, name):
    return [metrics[name] for metrics in result["metrics"]]


def test_every_split_is_the_originals_split(exact_row, banking, jaccard, short_hash):
    provider = evaluator(exact_row, jaccard, exact_row["seed"]).dataset_provider
    datasets = provider.get_datasets(*banking[exact_row["data"]])
    assert short_hash([list(data) for data in datasets]) == exact_row["split_hash"]
    assert [len(data[2]) for data in datasets] == exact_row["total"]
    assert [data[3].count(None) for data in datasets] == exact_row["negatives"]


def test_every_number_of_every_repetition_is_the_originals(exact_row, banking, jaccard):
    result = evaluator(exact_row, jaccard, exact_row["seed"]).evaluate(*banking[exact_row["data"]])
    for name in ("accuracy", "f1_weighted", "f1_macro", "good_carefulness", "total"):
        assert column(result, name) == exact_row[name], name
    negatives = [sum(metrics["confusion_matrix"]["__Other"].values()) for metrics in result["metrics"]]
    assert negatives == exact_row["negatives"]


def test_without_a_seed_numpys_global_generator_is_used_as_the_original_did(banking, jaccard):
    texts, labels = banking["tail1000"]
    row = {"setting": [0, 0.15]}
    state = np.random.get_state()
    try:
        np.random.seed(1)
        by_global_seed = evaluator(row, jaccard, None).evaluate(texts, labels)["metrics"]
    finally:
        np.random.set_state(state)
    # Samples too: their draws come after those of all splits, from the same generator.
    assert by_global_seed == evaluator(row, jaccard, 1).evaluate(texts, labels)["metrics"]


def test_a_seed_leaves_the_global_generator_alone(banking, jaccard):
    before = np.random.get_state()[1].tolist()
    NegativeExamplesDatasetProvider(mode="exact", random_state=0).get_datasets(*banking["flat1000"])
    assert np.random.get_state()[1].tolist() == before


def dated(texts, labels):
    ranked = sorted(texts, key=lambda text: hashlib.sha256(f"seq:{text}".encode()).hexdigest())
    hours = {text: rank for rank, text in enumerate(ranked)}
    start = datetime(2019, 1, 1, tzinfo=UTC)
    return [
        {"intent_id": label, "created": start + timedelta(hours=hours[text])}
        for text, label in zip(texts, labels, strict=True)
    ]


def test_the_steps_through_time_are_the_originals(sequential_row, banking, jaccard, short_hash):
    texts, labels = banking[sequential_row["data"]]
    sequence = SequentialEvaluator(jaccard, 0.5, 10, mode="exact")
    datasets = sequence.dataset_provider.get_datasets(texts, dated(texts, labels))
    assert [[len(data[0]), len(data[2])] for data in datasets] == sequential_row["sizes"]
    assert short_hash([list(data) for data in datasets]) == sequential_row["data_hash"]


def test_the_numbers_through_time_and_the_size_of_the_output_are_the_originals(sequential_row, banking, jaccard):
    texts, labels = banking[sequential_row["data"]]
    result = SequentialEvaluator(jaccard, 0.5, 10, mode="exact").evaluate(texts, dated(texts, labels))
    assert column(result, "accuracy") == sequential_row["accuracy"]
    assert column(result, "f1_macro") == sequential_row["f1_macro"]
    result["info"] |= {"total_running_time_sec": "", "avg_running_time_sec": ""}
    size = len(json.dumps(result, indent=4)) - 2 * len('""')
    assert size + TIME_CHARACTERS[sequential_row["data"]] == sequential_row["output_bytes"]


def test_the_result_has_the_originals_keys_and_no_others(banking, jaccard):
    result = evaluator({"setting": [5, 0]}, jaccard, 0).evaluate(*banking["flat1000"])
    assert list(result) == ["info", "metrics"]
    assert result["info"] | {"total_running_time_sec": 0, "avg_running_time_sec": 0} == {
        "classifier": "JaccardClassifier",
        "evaluator": "NexCVEvaluator",
        "dataset_provider": "NegativeExamplesDatasetProvider(5;0)",
        "total_running_time_sec": 0,
        "avg_running_time_sec": 0,
    }
    assert set(result["metrics"][0]) == {
        *("accuracy", "f1_weighted", "f1_macro", "good_carefulness", "total"),
        *("confusion_matrix", "metrics_by_label", "samples"),
    }
