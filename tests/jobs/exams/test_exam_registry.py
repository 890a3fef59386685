"""Exams are found by name, load nothing before they are asked for, and refuse options with all faults at once."""

from __future__ import annotations

import pickle
import subprocess
import sys
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit_running import small_dataset

from vivavoce.errors import DataError, UsageError
from vivavoce.intents import PAPER_SETTINGS
from vivavoce.jobs.exams.documents import canonical_json, dataset_from_bytes, dataset_to_bytes, page_spec
from vivavoce.jobs.exams.protocol import Work
from vivavoce.jobs.exams.registry import EXAMS, load_exam, perform_work
from vivavoce.records import Dataset, Example
from vivavoce.settings import PAPER, Settings

COMPUTED = ("intents", "engines", "dialogues")


def test_all_exams_are_listed_and_bear_their_names() -> None:
    assert sorted(EXAMS) == ["conversations", "dialogues", "engines", "intents"]
    assert len(EXAMS) == 4
    for name in COMPUTED:
        assert EXAMS[name].name == name
        assert EXAMS[name].in_executor
        assert load_exam(name) is EXAMS[name]


def test_an_unknown_exam_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"unknown exam 'intent'\. Did you mean 'intents'\?"):
        load_exam("intent")
    with pytest.raises(UsageError):
        perform_work(Work("nothing", "run", b"", {}, "1"))
    assert "intent" not in EXAMS


def test_the_registry_loads_no_arithmetic() -> None:
    code = "import sys, vivavoce.jobs.exams.registry as r; list(r.EXAMS); print('numpy' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"


def test_work_travels_between_processes() -> None:
    work = Work("intents", "run", b"abc", load_exam("intents").check({}), "0,0/1")
    assert pickle.loads(pickle.dumps(work)) == work  # noqa: S301 - our own bytes


# Options


def test_what_is_not_given_is_what_the_settings_say() -> None:
    checked = load_exam("intents").check({"retries": None})
    for name in ("classifier", "retries", "threshold", "test_fraction", "partition", "singletons", "seed"):
        assert checked[name] == getattr(Settings(), name)
    assert checked["leak_proof"] is True
    assert tuple((setting.k, setting.p) for setting in PAPER_SETTINGS) == PAPER
    assert checked["settings"] == [list(pair) for pair in PAPER]


@pytest.mark.parametrize("name", COMPUTED)
def test_checked_options_are_checked_again_without_change(name: str) -> None:
    given_options: dict[str, Any] = {"classifiers": ["linear", "tfidf"]} if name == "engines" else {}
    checked = load_exam(name).check({**given_options, "seed": 3})
    assert load_exam(name).check(checked) == checked
    assert canonical_json(checked)


def test_all_faults_of_options_are_told_at_once() -> None:
    wrong = {
        "clasifier": "linear",
        "classifier": "liner",
        "settings": [[0, 0.15], [5, 0.5], [1], "0,0"],
        "retries": 0,
        "threshold": True,
        "test_fraction": 1,
        "partition": "k-fold",
        "leak_proof": "yes",
        "seed": 1.5,
    }
    with pytest.raises(UsageError) as caught:
        load_exam("intents").check(wrong)
    told = str(caught.value)
    assert len(caught.value.faults) == len(wrong)
    assert "unknown option 'clasifier'. Did you mean 'classifier'?" in told
    assert "unknown classifier 'liner'. Did you mean 'linear'?" in told
    assert "sets both K and P" in told
    assert "Did you mean 'kfold'?" in told


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (None, "0 given"),
        (["tfidf"], "1 given"),
        (["tfidf", "tfidf"], "are not distinct"),
        (["tfidf", "liner", 3], "Did you mean 'linear'"),
        ("tfidf", "must be a list"),
    ],
)
def test_engines_need_two_names_that_differ(names: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        load_exam("engines").check({"classifiers": names})


def test_numbers_are_brought_into_one_form_and_repeats_fall_away() -> None:
    checked = load_exam("intents").check({"settings": [[0, 0], [0.0, 0.0], [5, 0]], "threshold": 1})
    assert canonical_json(checked["settings"]) == b"[[0,0.0],[5,0.0]]"
    assert canonical_json(checked["threshold"]) == b"1.0"


# Training data

WORDS = st.text(min_size=1, max_size=10)
EXAMPLES = st.builds(
    Example,
    text=WORDS,
    intent=st.none() | WORDS,
    created=st.none() | st.datetimes() | st.datetimes(timezones=st.just(UTC)),
    language=st.none() | WORDS,
    split=st.none() | WORDS,
    answer=st.none() | WORDS,
    row=st.none() | st.integers(0, 10**6),
)


@given(st.builds(Dataset, st.lists(EXAMPLES, max_size=4).map(tuple), WORDS, st.lists(WORDS, max_size=2).map(tuple)))
def test_training_data_come_back_as_they_were(data: Dataset) -> None:
    content = dataset_to_bytes(data)
    assert dataset_from_bytes(content) == data
    assert dataset_to_bytes(dataset_from_bytes(content)) == content


def test_half_a_character_survives() -> None:
    data = Dataset((Example("broken \ud83d", "a", datetime(2026, 1, 2, 3, 4, 5, 6)),))
    assert dataset_from_bytes(dataset_to_bytes(data)) == data


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"examples": [{}], "source": "", "notes": []}', b"\xff"])
def test_bytes_that_hold_no_training_data_are_refused(content: bytes) -> None:
    with pytest.raises(DataError, match="contain no training data"):
        load_exam("intents").plan(content, {})


def test_the_same_data_give_the_same_bytes() -> None:
    assert dataset_to_bytes(small_dataset()) == dataset_to_bytes(small_dataset())


# Charts


def test_a_chart_stretches_to_its_place_unless_its_columns_say_how_wide_it_is() -> None:
    assert page_spec({"width": 290, "mark": "bar"})["width"] == "container"
    assert page_spec({"width": {"step": 17}})["width"] == {"step": 17}
    assert page_spec({"facet": {}, "width": 290})["width"] == 290
