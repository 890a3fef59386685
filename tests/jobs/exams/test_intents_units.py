"""The intents exam in units finds what the exam in one go finds, wherever and in whatever order they are done."""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
from failing_engines import Counting
from unit_running import (
    conclude,
    document,
    perform_all,
    perform_here,
    perform_in,
    phases,
    shuffled,
    small_dataset,
    works,
)

from pictures import undrawn
from vivavoce.errors import ClassifierError, UsageError, WorkError
from vivavoce.intents import PAPER_SETTINGS, examine_intents
from vivavoce.intents.exam import PLAIN
from vivavoce.intents.material import Material
from vivavoce.intents.record import Answers, Timing, UnitKey, UnitResult, decode_result, encode_result
from vivavoce.jobs.exams import intents
from vivavoce.jobs.exams.documents import canonical_json, dataset_to_bytes
from vivavoce.jobs.exams.protocol import Conclusion, Failure, Finished, Work
from vivavoce.jobs.exams.registry import load_exam, perform_work
from vivavoce.messages import add_messages
from vivavoce.outcomes import Outcome
from vivavoce.records import Dataset
from vivavoce.text.vectors import encoder_available

pytestmark = pytest.mark.slow

DATA = small_dataset()
MATERIAL = dataset_to_bytes(DATA)
OPTIONS: dict[str, Any] = {"classifier": "tfidf", "retries": 5, "threshold": 0.4}
EXAM = load_exam("intents")


@pytest.fixture(scope="module")
def done() -> Mapping[str, bytes]:
    """Return the results of all units."""
    return perform_here(works(EXAM, MATERIAL, EXAM.check(OPTIONS)))


@pytest.fixture(scope="module")
def conclusion(done: Mapping[str, bytes]) -> Conclusion:
    return EXAM.conclude(MATERIAL, EXAM.check(OPTIONS), Finished(done))


def whole(**changes: Any) -> bytes:
    """Return the findings of the exam in one go, without what was timed."""
    plain = examine_intents(DATA, **({"classifier": "tfidf", "retries": 5, "threshold": 0.4, "workers": 1} | changes))
    found = plain.to_json()
    for setting in found["settings"]:
        del setting["timing"]
    return canonical_json(add_messages(found))


def test_units_find_what_the_exam_in_one_go_finds(conclusion: Conclusion) -> None:
    assert document(conclusion).content == whole()


@pytest.mark.parametrize(
    "changes",
    [
        {"partition": "random", "seed": 7, "test_fraction": 0.3},
        {"singletons": "negative", "leak_proof": False, "settings": [[4, 0], [0, 0.2]]},
        {"settings": [[0, 0.15]], "threshold": 0, "retries": 2},
    ],
)
def test_every_option_means_what_it_means_in_one_go(changes: dict[str, Any]) -> None:
    settings = [(k, float(p)) for k, p in changes["settings"]] if "settings" in changes else PAPER_SETTINGS
    plain = {**changes, "settings": settings}
    assert document(conclude("intents", MATERIAL, OPTIONS | changes)).content == whole(**plain)


def test_the_order_of_the_units_changes_nothing(conclusion: Conclusion) -> None:
    mixed = conclude("intents", MATERIAL, OPTIONS, shuffled(1), run="mixed")
    assert document(mixed).content == document(conclusion).content
    assert (mixed.headline, mixed.measures, mixed.outcomes) == (
        conclusion.headline,
        conclusion.measures,
        conclusion.outcomes,
    )


def test_another_process_finds_the_same(conclusion: Conclusion) -> None:
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        elsewhere = conclude("intents", MATERIAL, OPTIONS, perform_in(pool))
    assert document(elsewhere).content == document(conclusion).content


@pytest.mark.skipif(not encoder_available(), reason="no sentence vectors are installed")
def test_sentence_vectors_give_the_same_in_units() -> None:
    options = {"classifier": "linear", "retries": 2, "settings": [[0, 0]]}
    found = conclude("intents", MATERIAL, options)
    assert document(found).content == whole(classifier="linear", retries=2, settings=[(0, 0.0)], threshold=0.5)
    assert any(warning.startswith("Sentence vectors: ") for warning in found.warnings)


def test_a_finished_unit_survives_being_written() -> None:
    work = works(EXAM, MATERIAL, EXAM.check(OPTIONS))[1]
    head, _, arrays = perform_work(work).partition(b"\n")
    result = decode_result(json.loads(head)["unit"], arrays)
    assert encode_result(result)[1] == arrays
    assert result.answers.probabilities is not None
    assert str(result.key) == "setting (0, 0), retry 1"


# Planning


def test_plans_are_stable_unique_and_say_what_they_are() -> None:
    first, again = EXAM.plan(MATERIAL, OPTIONS), EXAM.plan(MATERIAL, EXAM.check(OPTIONS))
    assert first == again
    assert len({plan.key for plan in first}) == len(first)
    # The texts, three settings of five retries, and two retries that do not keep doubles together.
    assert len(first) == 1 + 3 * 5 + 2
    assert first[0].title == "reading the texts"
    assert first[-1].title == "setting (0, 0), retry 2, duplicates not kept together"


def test_splits_wait_until_the_texts_are_read() -> None:
    assert phases(EXAM.plan(MATERIAL, OPTIONS)) == [0] + [1] * 17


def test_an_engine_that_holds_one_bot_learns_one_split_at_a_time() -> None:
    plans = EXAM.plan(MATERIAL, {**OPTIONS, "classifier": "python:failing_engines:Alone"})
    assert phases(plans) == list(range(17))


def test_texts_are_read_once_for_all_units_of_a_run() -> None:
    options = EXAM.check({**OPTIONS, "classifier": "python:failing_engines:Counting"})
    before = Counting.read
    perform_here(works(EXAM, MATERIAL, options, "counted"))
    assert Counting.read == before + 1
    perform_work(works(EXAM, MATERIAL, options, "another run")[0])
    assert Counting.read == before + 2


def test_an_unknown_unit_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"no unit '0,0/11'.* Did you mean '0,0/1'"):
        perform_work(Work("intents", "run", MATERIAL, EXAM.check(OPTIONS), "0,0/11"))


# Concluding


def test_findings_are_canonical_and_free_of_times(conclusion: Conclusion) -> None:
    findings = document(conclusion).content
    assert conclusion.documents[0].name == "findings.json"
    assert findings == canonical_json(json.loads(findings))
    assert b"seconds" not in findings
    timed = json.loads(document(conclusion, "timings.json").content)
    assert len(timed["units"]) == 17
    assert [(one["k"], one["p"]) for one in timed["settings"]] == [(s.k, s.p) for s in PAPER_SETTINGS]


def test_measures_hold_every_rate_of_every_setting(conclusion: Conclusion) -> None:
    settings = json.loads(document(conclusion).content)["settings"]
    scopes = dict(zip(("0,0", "0,0.15", "5,0"), settings, strict=True))
    assert {one.scope for one in conclusion.measures} == set(scopes)
    assert {one.name for one in conclusion.measures} >= {"accuracy", "automation_rate", "aurc"}
    for one in conclusion.measures:
        assert scopes[one.scope][one.name] == one.rate.to_json()


def test_outcomes_count_every_test_of_the_first_setting(conclusion: Conclusion) -> None:
    first = json.loads(document(conclusion).content)["settings"][0]
    rows = conclusion.outcomes
    assert sum(row.right + row.deferred + row.wrong for row in rows) == sum(first["n_test"])
    assert sum(row.right for row in rows) == first["outcomes"]["right"]
    assert sum(row.wrong for row in rows) == first["outcomes"]["wrong_intent"]
    assert [row.place for row in rows] == sorted({row.place for row in rows})
    assert {row.outcome for row in rows} <= {str(kind) for kind in Outcome}
    for row in rows:
        assert (row.text, row.intent) == (DATA.examples[row.place].text, DATA.examples[row.place].intent)
        assert 0 <= row.confidence <= 1


def test_the_guess_of_a_question_is_one_with_its_outcome() -> None:
    data = Dataset.of(["how much", "which visa", "what wage"], ["pay", "visa", "pay"])
    pay, visa = 0, 1
    # Of two tests of the first question one is silent about the right topic, the other wrong.
    tests = [(pay, 0.2), (visa, 0.9)]
    results = [
        UnitResult(
            UnitKey(PLAIN, retry),
            np.array([0]),
            np.array([False]),
            1,
            0,
            Answers(np.array([guess]), np.array([sure], dtype=np.float32)),
            Timing(0, 0, (0,)),
        )
        for retry, (guess, sure) in enumerate(tests)
    ]
    (row,) = intents._list_outcomes(results, Material.of(data), threshold=0.5)
    assert (row.outcome, row.guess, row.intent) == ("wrong_intent", "visa", "pay")


def test_a_stranger_that_is_left_unanswered_counts_as_right() -> None:
    strangers = [replace(one, intent=None) if one.intent == "visa" else one for one in DATA.examples]
    data = replace(DATA, examples=tuple(strangers))
    found = conclude("intents", dataset_to_bytes(data), {**OPTIONS, "threshold": 1, "settings": [[0, 0]]})
    rows = [row for row in found.outcomes if row.intent is None]
    assert rows
    assert {row.outcome for row in rows} == {"declined"}
    assert all(row.right and not row.wrong and not row.deferred for row in rows)


def test_charts_come_as_specification_and_as_picture(conclusion: Conclusion) -> None:
    names = {one.name for one in conclusion.documents}
    # No two of these topics are mixed up by more than chance, so there is no picture of confused pairs.
    wanted = {"settings", "risk-coverage", "calibration", "topics", "confusion", "sizes"}
    charts = {f"charts/{name}.{end}" for name in wanted for end in ("json", "svg")}
    assert {name for name in names if name.startswith("charts/")} == charts
    told = json.loads(document(conclusion, "charts/topics.json").content)["usermeta"]
    assert told["title"] == "Weakest topics"
    assert told["meaning"]
    assert b"<!doctype html>" in document(conclusion, "report.html").content
    assert document(conclusion, "charts/topics.svg").content.startswith(b"<svg")


# What was not done


def test_failed_and_missing_splits_are_said_and_the_rest_counts(done: Mapping[str, bytes]) -> None:
    options = EXAM.check(OPTIONS)
    results = dict(done)
    del results["0,0/2"], results["5,0/5"]
    failed = Failure("0,0/2", "the engine fell over\nWhat to do: pick it up")
    with undrawn():
        found = EXAM.conclude(MATERIAL, options, Finished(results | {"9,9/1": b""}, (failed,)))
    findings = json.loads(document(found).content)
    assert [(one["unit"], one["reason"]) for one in findings["failures"]] == [
        ("setting (0, 0), retry 2", "the engine fell over"),
        ("setting (5, 0), retry 5", "not done"),
    ]
    assert len(findings["settings"][0]["n_test"]) == 4
    assert "1 result of no unit of this exam skipped: 9,9/1." in found.warnings


def test_a_split_that_was_tried_again_and_done_is_no_failure(
    done: Mapping[str, bytes], conclusion: Conclusion
) -> None:
    with undrawn():
        found = EXAM.conclude(MATERIAL, EXAM.check(OPTIONS), Finished(done, (Failure("0,0/2", "the first time"),)))
    assert document(found).content == document(conclusion).content


def test_what_an_engine_raises_comes_out_as_one_error_of_ours() -> None:
    options = EXAM.check({**OPTIONS, "classifier": "python:failing_engines:Broken"})
    finished = perform_all(EXAM, MATERIAL, options)
    assert not finished.results
    assert "ValueError: the engine is on fire" in finished.failures[0].reason
    with pytest.raises(ClassifierError, match=r"failed in all 17 rounds(?s:.*)retry the failed units"):
        EXAM.conclude(MATERIAL, options, finished)


def test_nothing_done_is_not_the_engine_s_fault() -> None:
    with pytest.raises(WorkError, match="no split of this exam was completed"):
        EXAM.conclude(MATERIAL, OPTIONS, Finished())
