"""Results of intents exams and comparisons, written as JSON and read back: nothing that a reader sees is lost."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce import demo
from vivavoce.classifiers.fakes import FailingClassifier, JaccardClassifier, NearestExample, NullClassifier
from vivavoce.codec.converters import THOROUGH
from vivavoce.errors import DataError
from vivavoce.intents import ComparisonResult, IntentsResult, Setting, compare_classifiers, examine_intents
from vivavoce.intents.json_form import (
    comparison_from_json,
    intents_result_from_json,
    rate_names,
    read_curve,
    write_curve,
)
from vivavoce.intents.measures import Items, risk_coverage
from vivavoce.records import Dataset
from vivavoce.reports.intents.comparison import render_comparison
from vivavoce.reports.intents.html import render_result
from vivavoce.reports.shared import pages

TOPICS = 9


def stored(content: Any) -> Any:
    """Write and read as a store does: keys sorted, nothing that JSON does not know."""
    return json.loads(canonical(content))


def canonical(content: Any) -> str:
    return json.dumps(content, sort_keys=True, allow_nan=False)


def faq() -> Dataset:
    data = demo.load("recruiting-en")
    kept = [topic.intent for topic in demo.topics("recruiting-en")][:TOPICS]
    return replace(data, examples=tuple(one for one in data.examples if one.intent in kept or one.intent is None))


@pytest.fixture(scope="module")
def result() -> IntentsResult:
    three = (Setting(0, 0.0), Setting(0, 0.15), Setting(2, 0.0))
    options: dict[str, Any] = {"settings": three, "retries": 4, "threshold": 0.3, "workers": 1, "text_view": False}
    return examine_intents(faq(), JaccardClassifier(), **options)


@pytest.fixture(autouse=True)
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a chart stand in a page as its definition: what is drawn follows from it, and takes long."""
    monkeypatch.setattr(pages, "to_svg", lambda chart: chart.to_json())


@pytest.fixture(scope="module")
def comparison() -> ComparisonResult:
    engines = [
        JaccardClassifier(),
        ("torn", FailingClassifier(NearestExample(), 2)),
        ("broken", FailingClassifier(NullClassifier(), bool)),
    ]
    return compare_classifiers(faq(), engines, retries=3, threshold=0.3, workers=1)


def test_a_result_that_is_read_back_is_written_as_it_was(result: IntentsResult) -> None:
    written = result.to_json()
    assert canonical(intents_result_from_json(stored(written)).to_json()) == canonical(written)


def test_the_report_of_a_result_that_was_read_back_is_the_same(result: IntentsResult) -> None:
    assert render_result(intents_result_from_json(stored(result.to_json()))) == render_result(result)


def test_what_was_not_timed_is_left_out_and_all_else_is_the_same(result: IntentsResult) -> None:
    written = stored(result.to_json())
    for setting in written["settings"]:
        del setting["timing"]
    found = intents_result_from_json(written)
    assert all(setting.timing is None for setting in found.settings)
    assert canonical(found.to_json()) == canonical(written)
    page = render_result(found)
    assert "Training took" not in page
    assert re.sub(r"<ul><li>Setting [^<]*Training took.*?</ul>", "", render_result(result)) == page


def test_a_failed_retry_and_an_empty_result_survive() -> None:
    engine = FailingClassifier(JaccardClassifier(), 2)
    found = examine_intents(faq(), engine, settings=((0, 0),), retries=3, workers=1, text_view=False)
    again = intents_result_from_json(stored(found.to_json()))
    assert found.failures
    assert again.failures == found.failures
    bare = replace(found, settings=(), pairs=())
    assert render_result(intents_result_from_json(stored(bare.to_json()))) == render_result(bare)


def test_rates_are_shown_in_their_own_order_whatever_the_order_of_the_keys(result: IntentsResult) -> None:
    found = intents_result_from_json(stored(result.to_json()))
    assert [list(one.rates) for one in found.settings] == [list(one.rates) for one in result.settings]
    assert list(rate_names()) == list(result.settings[0].rates)


# --- the curve ---------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(n=st.integers(0, 700), threshold=st.floats(0, 1), seed=st.integers(0, 99), levels=st.sampled_from([3, 10**6]))
def test_a_curve_keeps_its_length_and_every_place_that_is_looked_at(
    n: int, threshold: float, seed: int, levels: int
) -> None:
    rng = np.random.default_rng(seed)
    confidence = np.round(rng.random(n) * levels) / levels
    curve = risk_coverage(Items(rng.integers(-1, 4, n), rng.integers(-1, 4, n), confidence))
    again = read_curve(stored(write_curve(curve, threshold)), THOROUGH.structure)
    assert (again.coverage == curve.coverage).all()
    assert again.answered(threshold) == curve.answered(threshold)
    places = [
        *curve.steps(),
        *curve.tenths(),
        *([curve.answered(threshold) - 1] if curve.answered(threshold) else []),
    ]
    assert (again.risk[places] == curve.risk[places]).all()
    assert (again.thresholds[places] == curve.thresholds[places]).all()
    assert (np.diff(again.thresholds) <= 0).all()


# --- what is wrong is named --------------------------------------------------------------------------------------


def broken(data: Any, change: Callable[[Any], object]) -> Any:
    copy = deepcopy(data)
    change(copy)
    return copy


WRONG: dict[str, tuple[Callable[[Any], object], str]] = {
    "missing": (lambda d: d.pop("classifier"), "classifier: is missing"),
    "misspelt": (lambda d: d.update(treshold=d.pop("threshold")), "threshold: is missing. Did you mean 'treshold'?"),
    "deep": (lambda d: d["settings"][1]["per_intent"][2].pop("f1"), "settings[1].per_intent[2].f1: is missing"),
    "not a number": (lambda d: d["pairs"][0].update(overlap="much"), "pairs[0].overlap: is 'much', not a number"),
    "not a rate": (lambda d: d["settings"][0].update(accuracy=0.5), "settings[0].accuracy: is 0.5, not an object"),
    "no list": (lambda d: d.update(pairs={}), "pairs: is {}, not a list"),
    "no outcome": (
        lambda d: d["settings"][0]["samples"][0].update(outcome="fine"),
        "settings[0].samples[0].outcome: is 'fine', not an outcome",
    ),
    "no setting": (lambda d: d["settings"][0].update(p=3), "settings[0].p: P must be at least 0 and below 1"),
    "no design": (lambda d: d.update(retries=0), "retries: the number of rounds must be at least 1"),
    "short curve": (
        lambda d: d["settings"][0]["risk_coverage"]["risk"].pop(),
        "settings[0].risk_coverage.risk: has",
    ),
    "place beyond the curve": (
        lambda d: d["settings"][0]["risk_coverage"].update(n=7),
        "settings[0].risk_coverage",
    ),
    "another exam": (lambda d: d.update(kind="dialogues"), "kind: is 'dialogues', not 'intents'"),
    "later": (lambda d: d.update(definitions=99), "definitions: is 99"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_missing_or_wrong_is_named_with_its_place(result: IntentsResult, name: str) -> None:
    change, told = WRONG[name]
    with pytest.raises(DataError, match=re.escape(told)) as caught:
        intents_result_from_json(broken(stored(result.to_json()), change))
    assert "What to do" in str(caught.value)


def test_all_faults_are_told_at_once(result: IntentsResult) -> None:
    data = stored(result.to_json())
    del data["classifier"], data["settings"][0]["same_as"], data["settings"][2]["confusion"], data["pairs"][1]["a"]
    with pytest.raises(DataError) as caught:
        intents_result_from_json(data)
    places = {fault.where for fault in caught.value.faults}
    assert places == {"classifier", "settings[0].same_as", "settings[2].confusion", "pairs[1].a"}


@pytest.mark.parametrize("data", [[], None, "result", {}, 3])
def test_what_is_no_result_at_all_is_refused(data: Any) -> None:
    for read in (intents_result_from_json, comparison_from_json):
        with pytest.raises(DataError):
            read(data)


# --- comparisons -------------------------------------------------------------------------------------------------


def test_a_comparison_that_is_read_back_is_written_as_it_was(comparison: ComparisonResult) -> None:
    written = comparison.to_json()
    found = comparison_from_json(stored(written))
    assert canonical(found.to_json()) == canonical(written)
    assert found.differences == comparison.differences
    assert [one.failures for one in found.classifiers] == [one.failures for one in comparison.classifiers]
    assert found.classifiers[1].failures
    assert found.failures == comparison.failures
    assert [one.name for one in found.failures] == ["broken"]


def test_the_report_of_a_comparison_that_was_read_back_is_the_same(comparison: ComparisonResult) -> None:
    assert render_comparison(comparison_from_json(stored(comparison.to_json()))) == render_comparison(comparison)


def test_a_wrong_key_of_a_comparison_is_named(comparison: ComparisonResult) -> None:
    data = stored(comparison.to_json())
    data["differences"][0]["verdict"] = "fine"
    del data["classifiers"][1]["settings"][0]["accuracy"]
    with pytest.raises(DataError) as caught:
        comparison_from_json(data)
    assert "classifiers[1].settings[0].accuracy: is missing" in str(caught.value)
    assert "differences[0].verdict: is 'fine', not a verdict" in str(caught.value)
