"""The life of a bot, step by step, in mode "fixed"."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.errors import DataError, UsageError
from vivavoce.nexcv import SequentialEvaluator, TimeSeqDatasetProvider

START = datetime(2019, 1, 1, tzinfo=UTC)


def history(count, step=timedelta(hours=1), labels=("a", "b")):
    texts = [f"{labels[row % len(labels)]} text {row}" for row in range(count)]
    return texts, [{"intent_id": labels[row % len(labels)], "created": START + row * step} for row in range(count)]


def right(text):
    return [{"intent_id": text.split()[0], "confidence": 0.9}]


def sizes(datasets):
    return [(len(data[0]), len(data[2])) for data in datasets]


def test_each_step_says_its_sizes_its_period_and_its_times(engine):
    result = SequentialEvaluator(engine(right), 0.5, 10, random_state=0).evaluate(*history(100))
    assert len(result["metrics"]) == 6
    assert "aggregate" not in result
    assert result["info"]["dataset_provider"] == "TimeSeqDatasetProvider(0.5;5,False,3)"
    for metrics in result["metrics"]:
        assert metrics["accuracy"] == 1
        assert metrics["train_period"]["first"] == "2019-01-01T01:00:00+00:00"
        assert metrics["test_period"]["last"] < metrics["train_period"]["last"]
        assert metrics["timings"]["classify_sec"]["p95"] > 0
    assert [metrics["n_train"] for metrics in result["metrics"]] == [33, 40, 46, 53, 59, 66]
    assert result["config"]["data"]["labels"] == 2


def test_exact_mode_takes_the_originals_steps():
    provider = TimeSeqDatasetProvider(0.5, 500, mode="exact")
    expected = [(33, 17), (39, 20), (45, 23), (51, 26), (57, 29), (63, 32), (66, 33)]
    assert sizes(provider.get_datasets(*history(100))) == expected
    long = sizes(provider.get_datasets(*history(3000)))
    assert long == [(size, size // 2) for size in range(1000, 1501, 100)]
    assert len(provider.get_datasets(*history(25))) == 9


@settings(max_examples=30, deadline=None)
@given(count=st.integers(6, 200), n_steps=st.integers(1, 8))
def test_there_are_never_more_steps_than_wished_and_no_test_comes_from_the_future(count, n_steps):
    texts, labels = history(count)
    created = {text: label["created"] for text, label in zip(texts, labels, strict=True)}
    datasets = TimeSeqDatasetProvider(0.3, None, n_steps).get_datasets(texts, labels)
    assert 1 <= len(datasets) <= n_steps + 1
    for trained, _, tested, _ in datasets:
        assert max(created[text] for text in tested) < max(created[text] for text in trained)
        assert not set(trained) & set(tested)


def test_every_undated_item_is_named(engine):
    texts, labels = history(30)
    labels[3] = {"intent_id": "b", "created": "2019-01-01"}
    labels[7] = {"intent_id": "b"}
    with pytest.raises(DataError, match="2 of 30 items have no date") as caught:
        SequentialEvaluator(engine(right), 0.5, 10).evaluate(texts, labels)
    assert [fault.where for fault in caught.value.faults] == ["row 3", "row 7"]
    result = SequentialEvaluator(engine(right), 0.5, 10, undated="drop").evaluate(texts, labels)
    assert "2 of 30 items have no date and were skipped." in result["warnings"]
    assert len(TimeSeqDatasetProvider(mode="exact").get_datasets(texts, labels)) > 0


def test_items_of_the_same_moment_keep_their_order():
    texts, labels = history(60, timedelta(0))
    for row in range(30, 60):
        labels[row]["created"] += timedelta(days=1)
    datasets = TimeSeqDatasetProvider(0.8).get_datasets(texts, labels)
    assert datasets[-1][0] == [text for row, text in enumerate(texts) if row % 3]


def test_equal_dates_alone_are_refused(engine):
    with pytest.raises(DataError, match="no test item is older"):
        SequentialEvaluator(engine(right), 0.5, 10).evaluate(*history(30, timedelta(0)))
    all_tests = SequentialEvaluator(engine(right), 0.5, 10, test_on_all=True).evaluate(*history(30, timedelta(0)))
    assert {metrics["total"] for metrics in all_tests["metrics"]} == {10}


def test_plain_labels_and_missing_labels_are_refused(engine):
    sequence = SequentialEvaluator(engine(right), 0.5, 10)
    with pytest.raises(DataError, match="not a dict"):
        sequence.evaluate(["x", "y"], ["a", "b"])
    with pytest.raises(DataError, match="intent_id"):
        sequence.evaluate(["x"], [{"created": START}])
    with pytest.raises(DataError, match="lengths differ"):
        sequence.evaluate(["x"], [])


def test_dates_with_and_without_a_zone_cannot_be_mixed(engine):
    texts, labels = history(30)
    labels[0]["created"] = datetime(2019, 1, 1)
    with pytest.raises(DataError, match="time zone"):
        SequentialEvaluator(engine(right), 0.5, 10).evaluate(texts, labels)


def test_dates_without_a_zone_are_the_same_on_every_machine(engine):
    texts, labels = history(30)
    naive = [label | {"created": label["created"].replace(tzinfo=None)} for label in labels]
    provider = TimeSeqDatasetProvider()
    assert provider.get_datasets(texts, naive) == provider.get_datasets(texts, labels)
    result = SequentialEvaluator(engine(right), 0.5, 10).evaluate(texts, naive)
    assert result["metrics"][0]["train_period"]["first"] == "2019-01-01T01:00:00+00:00"


def test_two_items_are_enough_for_a_step_with_training():
    texts, labels = history(2)
    assert sizes(TimeSeqDatasetProvider(0.5, 500).get_datasets(texts, labels)) == [(1, 1)]


def test_numbers_as_labels_stay_numbers():
    texts, labels = history(30, labels=(1, 2))
    assert set(TimeSeqDatasetProvider().get_datasets(texts, labels)[0][1]) == {1, 2}


def test_unused_new_items_are_reported(engine):
    result = SequentialEvaluator(engine(right), 0.5, -1, max_added_examples=5).evaluate(*history(60))
    assert "The newest 15 training items are never used." in result["warnings"]


def test_all_wrong_options_are_named_at_once():
    with pytest.raises(UsageError) as caught:
        TimeSeqDatasetProvider(2, None, 0, test_ratio=0.6, undated="guess")
    assert len(caught.value.faults) == 4
