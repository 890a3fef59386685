"""Engines compared in units: what the comparison in one go finds, and one that fails sinks no other."""

from __future__ import annotations

import json
from typing import Any

import pytest
from unit_running import conclude, document, perform_all, phases, shuffled, small_dataset

from pictures import undrawn
from vivavoce.errors import ClassifierError
from vivavoce.intents import compare_classifiers
from vivavoce.jobs.exams.documents import canonical_json, dataset_to_bytes
from vivavoce.jobs.exams.protocol import Conclusion
from vivavoce.jobs.exams.registry import load_exam
from vivavoce.messages import add_messages

DATA = small_dataset()
MATERIAL = dataset_to_bytes(DATA)
MAJORITY = "python:vivavoce.classifiers.fakes:MajorityClassifier"
BROKEN = "python:failing_engines:Broken"
OPTIONS: dict[str, Any] = {"classifiers": ["tfidf", MAJORITY], "retries": 4, "threshold": 0.3}
EXAM = load_exam("engines")


@pytest.fixture(scope="module")
def conclusion() -> Conclusion:
    return conclude("engines", MATERIAL, OPTIONS, drawn=True)


def test_units_find_what_the_comparison_in_one_go_finds(conclusion: Conclusion) -> None:
    whole = compare_classifiers(DATA, ["tfidf", MAJORITY], retries=4, threshold=0.3, workers=1)
    assert document(conclusion).content == canonical_json(add_messages(whole.to_json()))
    assert conclusion.headline == f"tfidf is better than {MAJORITY}."


def test_the_order_of_the_units_changes_nothing(conclusion: Conclusion) -> None:
    mixed = conclude("engines", MATERIAL, OPTIONS, shuffled(3), run="mixed")
    assert document(mixed).content == document(conclusion).content


def test_every_engine_runs_every_split_and_reads_first_where_it_reads() -> None:
    plans = EXAM.plan(MATERIAL, OPTIONS)
    assert [plan.title for plan in plans[:2]] == ["tfidf: reading the texts", "tfidf: setting (0, 0), retry 1"]
    assert len({plan.key for plan in plans}) == len(plans) == 1 + 2 * 3 * 4
    assert phases(plans) == [0] + [1] * 12 + [0] * 12


def test_measures_and_charts_tell_the_engines_apart(conclusion: Conclusion) -> None:
    scopes = {one.scope for one in conclusion.measures}
    assert {"tfidf at 0,0", f"{MAJORITY} at 5,0"} <= scopes
    names = {one.name for one in conclusion.documents}
    assert {"timings.json", "report.html", "charts/accuracy.json", "charts/accuracy.svg"} <= names
    assert b"seconds" not in document(conclusion).content


def test_an_engine_that_fails_or_cannot_be_loaded_sinks_no_other() -> None:
    lost = "python:nobody.has:This"
    options = EXAM.check({**OPTIONS, "classifiers": [BROKEN, "tfidf", lost]})
    with undrawn():
        found = EXAM.conclude(MATERIAL, options, perform_all(EXAM, MATERIAL, options))
    findings = json.loads(document(found).content)
    assert [one["name"] for one in findings["classifiers"]] == ["tfidf"]
    reasons = {one["name"]: one["reason"] for one in findings["failures"]}
    assert "the engine is on fire" in reasons[BROKEN]
    assert "cannot import the module" in reasons[lost]
    assert found.headline == "Only tfidf could be tested, so nothing is compared."


def test_when_every_engine_fails_each_is_named() -> None:
    options = EXAM.check({**OPTIONS, "classifiers": [BROKEN, "python:nobody.has:This"]})
    with pytest.raises(ClassifierError, match="every classifier failed") as caught:
        EXAM.conclude(MATERIAL, options, perform_all(EXAM, MATERIAL, options))
    assert len(caught.value.faults) == 2
