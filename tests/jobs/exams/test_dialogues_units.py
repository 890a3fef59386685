"""The dialogues exam in units finds what the exam in one go finds."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from unit_running import conclude, document, perform_here, shuffled, works

from pictures import undrawn
from vivavoce.demo import dialogues_path
from vivavoce.dialogues import (
    Dialogue,
    Rating,
    Utterance,
    examine_dialogues,
    load_rater,
    read_dialogues,
    result_to_json,
)
from vivavoce.dialogues.corpus.stored import read_stored
from vivavoce.dialogues.json_form import scores_from_json
from vivavoce.dialogues.result import Cause, Reason, Score, TurnEffect
from vivavoce.errors import DataError, UsageError, WorkError
from vivavoce.jobs.exams.dialogues import (
    CHUNK,
    _score_to_json,
    dialogues_to_bytes,
)
from vivavoce.jobs.exams.documents import canonical_json
from vivavoce.jobs.exams.protocol import Conclusion, Failure, Finished
from vivavoce.jobs.exams.registry import load_exam
from vivavoce.messages import add_messages

pytestmark = pytest.mark.slow

EXAM = load_exam("dialogues")
SHIPPED = read_dialogues(dialogues_path()).dialogues
# Enough talks for three units, the last of them not full.
TALKS = tuple(replace(one, id=f"{one.id} {turn}") for turn in range(4) for one in SHIPPED)
MATERIAL = dialogues_to_bytes(TALKS)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
NAMES = TEXTS.filter(str.strip).map(str.strip)


@pytest.fixture(scope="module")
def conclusion() -> Conclusion:
    return conclude("dialogues", MATERIAL, {"rater": "length"}, drawn=True)


def test_units_find_what_the_exam_in_one_go_finds(conclusion: Conclusion) -> None:
    whole = examine_dialogues(read_stored(MATERIAL), load_rater("length"))
    assert document(conclusion).content == canonical_json(add_messages(result_to_json(whole)))


def test_the_shipped_model_is_asked_where_no_rater_is_named() -> None:
    talks = TALKS[: CHUNK + 6]
    found = conclude("dialogues", dialogues_to_bytes(talks), {}, shuffled(1))
    whole = examine_dialogues(read_stored(dialogues_to_bytes(talks)))
    assert document(found).content == canonical_json(add_messages(result_to_json(whole)))


def test_the_order_of_the_units_changes_nothing(conclusion: Conclusion) -> None:
    mixed = conclude("dialogues", MATERIAL, {"rater": "length"}, shuffled(2), run="mixed")
    assert document(mixed).content == document(conclusion).content


def test_a_unit_holds_a_few_dozen_talks_in_order() -> None:
    plans = EXAM.plan(MATERIAL, {})
    assert [plan.title for plan in plans] == [
        "dialogues 1 to 64",
        "dialogues 65 to 128",
        f"dialogues 129 to {len(TALKS)}",
    ]
    assert len({plan.key for plan in plans}) == 3


def test_measures_hold_the_mean_of_all_and_of_each_bot_and_the_agreement(conclusion: Conclusion) -> None:
    named = {(one.scope, one.name): one.rate for one in conclusion.measures}
    assert named["", "score"].n == sum(one["score"] is not None for one in findings_of(conclusion)["scores"])
    assert {bot for bot, name in named if name == "score"} == {"", *(talk.bot for talk in TALKS if talk.bot)}
    local = findings_of(conclusion)["passport"]["local"]["overall"]
    assert named["", "pearson"].to_json() == local["pearson"]


def test_documents_hold_findings_first_then_report_and_charts(conclusion: Conclusion) -> None:
    names = [one.name for one in conclusion.documents]
    assert names[:2] == ["findings.json", "report.html"]
    assert {"charts/distribution.json", "charts/distribution.svg", "charts/agreement.svg"} <= set(names)


def test_talks_of_a_unit_that_failed_have_no_score_and_say_why() -> None:
    options = EXAM.check({"rater": "length"})
    results = perform_here(works(EXAM, MATERIAL, options))
    del results["2"]
    failed = Failure("2", "the judge slept\nWhat to do: wake it")
    with undrawn():
        found = EXAM.conclude(MATERIAL, options, Finished(results, (failed,)))
    scores = findings_of(found)["scores"]
    assert [one["id"] for one in scores] == [talk.id for talk in TALKS]
    assert {one.get("refusal") for one in scores[CHUNK : 2 * CHUNK]} == {"not scored: the judge slept"}
    assert all(one["score"] is not None for one in scores[:CHUNK])


def test_nothing_scored_is_an_error_with_its_reason() -> None:
    with pytest.raises(WorkError, match="no dialogue was scored; first reason: no way"):
        EXAM.conclude(MATERIAL, {"rater": "length"}, Finished({}, (Failure("1", "no way"),)))


def test_options_are_refused_all_at_once() -> None:
    with pytest.raises(UsageError) as caught:
        EXAM.check({"ratter": "length", "rater": "lenght", "seed": -1})
    told = str(caught.value)
    assert "unknown option 'ratter'. Did you mean 'rater'?" in told
    assert "unknown rater 'lenght'. Did you mean 'length'?" in told
    assert "seed: must be a whole number" in told


# Material


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.lists(
        st.builds(
            Dialogue,
            id=NAMES,
            turns=st.lists(
                st.builds(
                    Utterance,
                    NAMES,
                    TEXTS,
                    st.sampled_from([None, True, False]),
                    st.sampled_from([None, True, False]),
                ),
                max_size=4,
            ).map(tuple),
            ratings=st.lists(st.builds(Rating, NAMES, st.sampled_from([None, 1.0, 2.5, 5.0])), max_size=2).map(tuple),
            bot=st.none() | NAMES,
            user=st.none() | NAMES,
            passed=st.sampled_from([None, True, False]),
        ),
        min_size=1,
        max_size=4,
        unique_by=lambda talk: talk.id,
    )
)
def test_talks_come_back_as_they_were_written(talks: list[Dialogue]) -> None:
    back = read_stored(dialogues_to_bytes(talks))
    assert [replace(one, row=None) for one in back] == talks
    assert dialogues_to_bytes(back) == dialogues_to_bytes(talks)


def test_every_line_that_cannot_be_read_is_named() -> None:
    content = b'{"id": "a", "turns": []}\nnonsense\n\n{"id": "a", "turns": []}\n{"id": "b"}\n'
    with pytest.raises(DataError) as caught:
        read_stored(content)
    assert [fault.where for fault in caught.value.faults] == ["line 2", "line 5", "line 4"]


def test_no_talk_at_all_is_refused() -> None:
    with pytest.raises(DataError, match="no dialogues"):
        EXAM.plan(b"", {})


NUMBERS = st.floats(1, 5, allow_nan=False)


@given(
    st.builds(
        Score,
        TEXTS,
        st.none() | NUMBERS,
        st.none() | NUMBERS,
        st.none() | NUMBERS,
        st.lists(st.builds(TurnEffect, st.integers(1, 99), TEXTS, NUMBERS), max_size=3).map(tuple),
        st.lists(st.builds(Reason, TEXTS, NUMBERS, TEXTS), max_size=3).map(tuple),
        st.lists(TEXTS, max_size=2).map(tuple),
        TEXTS,
        st.booleans(),
        st.none() | st.sampled_from(Cause),
    )
)
def test_a_score_comes_back_exactly(score: Score) -> None:
    assert scores_from_json([json.loads(canonical_json(_score_to_json(score)))])[0] == score


def findings_of(conclusion: Conclusion) -> dict[str, object]:
    plain: dict[str, object] = json.loads(document(conclusion).content)
    return plain
