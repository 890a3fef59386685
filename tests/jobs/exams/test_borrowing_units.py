"""A run that borrows examples finds what the exam in one go finds, and its outcomes name the right examples."""

from __future__ import annotations

from typing import Any

import pytest
from unit_running import conclude, document, shuffled, works

from vivavoce.errors import UsageError
from vivavoce.intents import examine_intents
from vivavoce.jobs.exams.documents import canonical_json, dataset_from_bytes, dataset_to_bytes
from vivavoce.jobs.exams.protocol import Finished
from vivavoce.jobs.exams.registry import load_exam, perform_work
from vivavoce.messages import add_messages
from vivavoce.records import Dataset, Example

pytestmark = pytest.mark.slow

SPOKEN = {
    ("de", "pay"): "Gehalt Lohn Geld Bezahlung Prämie",
    ("en", "pay"): "salary wage money payment bonus",
    ("de", "leave"): "Urlaub Ferien Freizeit Auszeit Pause",
    ("en", "leave"): "holiday vacation leisure leave break",
}
DATA = Dataset(
    tuple(
        Example(f"{word} {other}", topic, language=language, row=0)
        for (language, topic), line in SPOKEN.items()
        for word in line.split()
        for other in line.split()
        if word < other
    )
)
MATERIAL = dataset_to_bytes(DATA)
OPTIONS: dict[str, Any] = {"classifier": "tfidf", "retries": 2, "settings": [[0, 0]]}
EXAM = load_exam("intents")


@pytest.mark.parametrize("classifier", ["tfidf", "linear"])
def test_units_find_what_the_exam_in_one_go_finds(classifier: str) -> None:
    options = OPTIONS | {"classifier": classifier, "borrow": "en"}
    in_units = conclude("intents", MATERIAL, options, shuffled(1))
    whole = examine_intents(DATA, classifier, settings=[(0, 0.0)], retries=2, borrow="en", workers=1).to_json()
    for setting in whole["settings"]:
        del setting["timing"]
    assert whole["borrowed"]["examples"] == 20
    assert document(in_units).content == canonical_json(add_messages(whole))


def test_an_outcome_has_the_place_of_its_example_in_the_material() -> None:
    outcomes = conclude("intents", MATERIAL, OPTIONS | {"borrow": "de"}).outcomes
    examples = dataset_from_bytes(MATERIAL).examples
    assert outcomes
    assert {examples[outcome.place].language for outcome in outcomes} == {"en"}
    assert all(examples[outcome.place].text == outcome.text for outcome in outcomes)


def test_without_borrowing_nothing_is_planned_beside_the_bot() -> None:
    plain, both = (EXAM.plan(MATERIAL, EXAM.check(OPTIONS | more)) for more in ({}, {"borrow": "en"}))
    assert [unit.key for unit in plain] == ["texts", "0,0/1", "0,0/2"]
    assert [unit.key for unit in both[2:]] == ["own/0,0/1", "own/0,0/2", "borrowed/0,0/1", "borrowed/0,0/2"]


def test_a_bot_that_could_not_be_compared_leaves_the_rest_readable() -> None:
    options = EXAM.check(OPTIONS | {"borrow": "en"})
    done = {work.key: perform_work(work) for work in works(EXAM, MATERIAL, options) if "/0," not in work.key}
    conclusion = EXAM.conclude(MATERIAL, options, Finished(done))
    assert conclusion.outcomes
    assert b'"borrowed":null' in document(conclusion).content


def test_a_language_that_no_topic_has_beside_another_is_refused_before_the_run_starts() -> None:
    with pytest.raises(UsageError, match=r"de \(20 rows\), en \(20 rows\)"):
        EXAM.plan(MATERIAL, EXAM.check(OPTIONS | {"borrow": "fr"}))
