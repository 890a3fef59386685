"""The rest of the original's public names: a script that uses them runs in mode "exact" and gets the same values."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest

from vivavoce.errors import ClassifierError
from vivavoce.nexcv import APIClassifier, NexCVEvaluator, SequentialEvaluator
from vivavoce.nexcv.data_providers import NegativeExamplesDatasetProvider, TimeSeqDatasetProvider
from vivavoce.nexcv.evaluators import EvaluationResult
from vivavoce.nexcv.runs import EvaluationError

START = datetime(2019, 1, 1, 12)
TEXTS = [f"{word} number {n}" for word in ("pay", "leave", "visa") for n in range(6)]
LABELS = [text.split()[0] for text in TEXTS]


class Keeping(APIClassifier):
    """Knows a topic by its first word. One intent survives every deletion; others go at the next look."""

    def __init__(self) -> None:
        self.intents: dict[str, list[str]] = {"Default Welcome Intent": []}
        self.leaving: list[str] = []

    def all_intents(self) -> list[str]:
        found = list(self.intents)
        for intent in self.leaving:
            self.intents.pop(intent, None)
        self.leaving = []
        return found

    def create_intent(self, intent: str, examples: list[str]) -> None:
        self.intents[intent] = examples

    def delete_intent(self, intent: str) -> None:
        if intent != "Default Welcome Intent":
            self.leaving.append(intent)

    def classify(self, input_text: str) -> Any:
        word = input_text.split(maxsplit=1)[0]
        known = [intent for intent, texts in self.intents.items() if any(t.split()[0] == word for t in texts)]
        return [{"intent_id": known[0] if known else "pay", "confidence": 0.9 if known else 0.1}]


def test_a_result_is_made_without_arguments_filled_by_hand_and_written() -> None:
    result = EvaluationResult()
    assert (result.info, result.metrics) == ({}, [])
    assert isinstance(result.start_time, datetime)
    result.info["classifier"] = "mine"
    result.metrics.append({"accuracy": 1.0})
    written = result.asdict()
    assert list(written) == ["info", "metrics"]
    assert list(written["info"]) == ["classifier", "total_running_time_sec", "avg_running_time_sec"]
    assert written["metrics"] == [{"accuracy": 1.0}]


def test_items_are_sorted_by_date_and_undated_ones_are_left_out() -> None:
    y = [{"intent_id": name, "created": START + timedelta(days=day)} for name, day in (("b", 2), ("a", 1), ("c", 3))]
    y.append({"intent_id": "d", "created": "2019-01-01"})  # type: ignore[dict-item]
    texts = ["second", "first", "third", "undated"]
    provider = TimeSeqDatasetProvider
    assert provider.sort_dataset_by_date(texts, y, "created") == (["first", "second", "third"], ["a", "b", "c"])
    stamps = [(START + timedelta(days=day)).timestamp() for day in (1, 2, 3)]
    assert provider.sort_dataset_by_date(texts, y, "created", return_timestamps=True)[2] == stamps
    assert provider.sort_dataset_by_date([], [], "created", True) == ([], [], [])


def test_dates_and_intents_of_an_item_are_resolved_or_none() -> None:
    item = {"intent_id": "a", "created": START}
    assert TimeSeqDatasetProvider.resolve_date(item, "created") == START.timestamp()
    assert TimeSeqDatasetProvider.resolve_intent(item, "intent_id") == "a"
    for odd in ({}, None, "a", {"created": "2019"}):
        assert TimeSeqDatasetProvider.resolve_date(odd, "created") is None
        assert TimeSeqDatasetProvider.resolve_intent(odd, "intent_id") is None


def test_an_own_order_of_time_is_used_in_mode_exact() -> None:
    class Backwards(TimeSeqDatasetProvider):
        @staticmethod
        def sort_dataset_by_date(X: Any, y: Any, date_key: str, return_timestamps: bool = False) -> Any:
            return [text.upper() for text in X], [item["intent_id"] for item in y], list(map(float, range(len(X))))

    y = [{"intent_id": label, "created": START} for label in LABELS]
    first = Backwards(mode="exact").get_datasets(TEXTS, y)[0]
    assert first[0][0] == TEXTS[1].upper()


def test_labels_are_split_by_size_by_share_and_by_an_own_rule() -> None:
    y = ["a"] * 5 + ["b"] * 3 + ["c"] * 2
    assert NegativeExamplesDatasetProvider(3)._split_labels_by_size(y, y) == (["c"], ["a", "b"])
    assert NegativeExamplesDatasetProvider(0, 0.3)._split_labels_by_prop(y, y) == (["c", "b"], ["a"])
    provider = NegativeExamplesDatasetProvider(0, 0.3, n_retries=1, mode="exact", random_state=0)
    provider.splitter = lambda X, y: (["a"], ["b", "c"])
    [(_, _, _, y_test)] = provider.get_datasets(list(map(str, range(10))), y)
    assert y_test.count(None) == 5


@pytest.mark.parametrize(("length", "fraction", "first"), [(10, 0.2, 2), (3, 0.2, 1), (4, 0.0, 0), (1, 0.2, 1)])
def test_a_list_is_split_at_random_by_the_generator_of_numpy(length: int, fraction: float, first: int) -> None:
    parts = []
    for _ in range(2):
        np.random.seed(7)
        parts.append(NegativeExamplesDatasetProvider._random_list_split(list(range(length)), fraction))
    assert parts[0] == parts[1]
    assert len(parts[0][0]) == first
    assert sorted([*parts[0][0], *parts[0][1]]) == list(range(length))


def test_an_intent_that_survives_deletion_does_not_stop_an_exact_evaluation() -> None:
    exact = NexCVEvaluator(Keeping(), 0, 0.0, 0.5, 5, 2, mode="exact", random_state=0).evaluate(TEXTS, LABELS)
    assert [one["accuracy"] for one in exact["metrics"]] == [1.0, 1.0]
    y = [{"intent_id": label, "created": START + timedelta(days=day)} for day, label in enumerate(LABELS)]
    assert SequentialEvaluator(Keeping(), 0.5, 5, mode="exact").evaluate(TEXTS, y)["metrics"]


def test_an_intent_that_survives_deletion_is_refused_where_numbers_are_corrected() -> None:
    with pytest.raises(EvaluationError, match="remain after deleting all"):
        NexCVEvaluator(Keeping(), 0, 0.0, 0.5, 5, 2).evaluate(TEXTS, LABELS)
    with pytest.raises(ClassifierError, match="remain after deleting all"):
        Keeping().fit(TEXTS, LABELS)


def test_the_self_test_gives_the_original_messages_for_such_a_wrapper() -> None:
    class Exact(Keeping):
        def delete_intent(self, intent: str) -> None:
            if intent != "Default Welcome Intent":
                self.intents.pop(intent, None)

    assert Exact().test() == []
    assert [line.split(":")[0] for line in Exact().test(further=True)][:1] == ["leftovers"]
