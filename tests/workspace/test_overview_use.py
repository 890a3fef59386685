"""How topics stand after the latest exam, and what is to be looked at."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from places import in_both
from vivavoce.errors import UsageError
from vivavoce.jobs.exams.documents import dataset_to_bytes
from vivavoce.store.database import Store
from vivavoce.store.rows import DocumentRow, OutcomeRow, Project, Run, RunState
from vivavoce.store.stamps import new_id, now
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.topics.datasets import project_dataset
from vivavoce.workspace.topics.examples import (
    add_examples,
    list_examples,
    list_judged,
    matching_examples,
    move_examples,
)
from vivavoce.workspace.topics.history import undo_edit
from vivavoce.workspace.topics.overview import FLAGS, SORTS, list_topics, topic_state
from vivavoce.workspace.topics.topics import add_topic, change_topic

LATER = timedelta(seconds=1)


@pytest.fixture
def project(store: Store) -> Project:
    with store.writing() as tx:
        made = tx.projects.add("jobs", "Jobs", language="en", classifier="linear", threshold=0.5)
    add_topic(store, PRODUCT, made, "visa", answers={"en": "Yes."}, examples=[f"visa {n}" for n in range(6)])
    add_topic(store, PRODUCT, made, "pay", examples=["pay 0", "pay 1"])
    return made


def hold_exam(
    store: Store, project: Project, typical: tuple[str, ...] = ("pay 0",), wrong: frozenset[int] = frozenset()
) -> Run:
    """Keep a finished exam in which `visa` drew what belonged to `pay`; `wrong`: its own that went astray."""
    at = now()
    run = Run(
        new_id(), project.id, 0, "intents", "exam", RunState.DONE, {}, 1, 1, 1, 0, "", "", None, None, None, "1", "h",
        0, at, at, at,
    )  # fmt: skip
    rows = [
        OutcomeRow(run.id, n, f"visa {n}", "visa", "pay", 0.7, "wrong_intent", 0, 0, 2)
        if n in wrong
        else OutcomeRow(run.id, n, f"visa {n}", "visa", "visa", 0.9, "right", 2, 0, 0)
        for n in range(6)
    ]
    rows += [OutcomeRow(run.id, 6 + n, f"pay {n}", "pay", "visa", 0.8, "wrong_intent", 0, 1, 1) for n in range(2)]
    lines = [_per_intent("visa", 0.5, 8), _per_intent("pay", None, 0)]
    findings = {"settings": [{"per_intent": lines}], "pairs": [_pair(typical)]}
    with store.writing() as tx:
        kept = tx.runs.add(run, dataset_to_bytes(project_dataset(tx, project)), ())
        tx.outcomes.put(rows)
        tx.documents.put([DocumentRow(run.id, "findings.json", "application/json", json.dumps(findings).encode())])
    return kept


def _per_intent(name: str, precision: float | None, attracted: int) -> dict[str, Any]:
    rate = (
        {"value": precision, "low": 0.3, "high": 0.7, "n": 16} if precision is not None else {"value": None, "n": 0}
    )
    return {"intent": name, "recall": rate, "precision": rate, "deferred": rate, "attracted": attracted}


def _pair(own: tuple[str, ...]) -> dict[str, Any]:
    example = {"text": "pay 1", "row": 8, "intent": "pay", "chance_a": 0.2, "chance_b": 0.8}
    typical = {"typical_a": own, "typical_b": ["visa 3"]}
    return {"a": "pay", "b": "visa", "overlap": 0.4, **typical, "examples": [example]}


def flags(store: Store, project: Project) -> dict[str, tuple[str, ...]]:
    return {line.topic.name: line.flags for line in list_topics(store, project).lines}


def test_without_an_exam_nothing_is_said_about_questions(store: Store, project: Project) -> None:
    found = list_topics(store, project)
    assert found.run is None
    assert [(line.share, line.asked, line.attracted) for line in found.lines] == [(None, 0, None)] * 2
    assert flags(store, project) == {"pay": ("few", "silent"), "visa": ()}


@in_both
def test_the_latest_exam_says_how_many_examples_of_each_topic_were_right_and_which_one_draws_others(
    store: Store, project: Project
) -> None:
    run = hold_exam(store, project)
    pay, visa = list_topics(store, project).lines
    assert (visa.right, visa.deferred, visa.wrong, visa.share) == (6, 0, 0, 0.75)
    assert (pay.right, pay.deferred, pay.wrong, pay.share) == (0, 0, 2, 0.25)
    assert flags(store, project) == {"pay": ("few", "silent"), "visa": ("magnet",)}
    state = topic_state(store, project, pay.topic.id)
    assert state.run == run
    assert state.findings is not None
    assert state.findings.neighbours == (("visa", 0.4),)
    assert (state.findings.typical, state.findings.unusual) == (("pay 0",), ("pay 1",))


@in_both
def test_a_renamed_topic_keeps_its_numbers_and_is_marked_as_changed(store: Store, project: Project) -> None:
    hold_exam(store, project)
    visa = list_topics(store, project, search="visa").lines[0].topic
    for name in ("permits", "papers"):
        change_topic(store, PRODUCT, project, visa.id, name=name)
    line = list_topics(store, project, search="papers").lines[0]
    assert (line.right, line.flags) == (6, ("magnet", "changed"))
    judged = list_judged(store, project, visa.id).examples
    assert [one.outcome.outcome if one.outcome else None for one in judged] == ["right"] * 6


def test_an_example_that_moved_was_another_question_then(store: Store, project: Project) -> None:
    hold_exam(store, project)
    pay, visa = (line.topic for line in list_topics(store, project).lines)
    page = list_examples(store, project, topic_id=pay.id)
    move_examples(store, PRODUCT, project, [page.examples[0].id], topic_id=visa.id)
    judged = {one.row.text: one.outcome for one in list_judged(store, project, visa.id).examples}
    assert judged["pay 0"] is None
    assert judged["visa 0"] is not None
    assert all("changed" in line.flags for line in list_topics(store, project).lines)


@in_both
def test_a_topic_is_not_marked_as_changed_once_it_is_again_as_it_was_examined(store: Store, project: Project) -> None:
    hold_exam(store, project)
    pay, visa = (line.topic for line in list_topics(store, project).lines)
    one = list_examples(store, project, topic_id=pay.id).examples[0]
    edit = move_examples(store, PRODUCT, project, [one.id], topic_id=visa.id)
    assert all("changed" in line.flags for line in list_topics(store, project).lines)
    undo_edit(store, PRODUCT, project, edit.id)
    change_topic(store, PRODUCT, project, pay.id, name="wages")
    change_topic(store, PRODUCT, project, pay.id, name="pay", owner="Ann")
    assert not any("changed" in line.flags for line in list_topics(store, project).lines)
    change_topic(store, PRODUCT, project, visa.id, answers={"en": "No."})
    assert [line.topic.name for line in list_topics(store, project, flag="changed").lines] == ["visa"]


def test_an_example_is_not_called_typical_and_unusual_at_once(store: Store, project: Project) -> None:
    hold_exam(store, project, typical=("pay 0", "pay 1"))
    pay = list_topics(store, project).lines[0].topic
    found = topic_state(store, project, pay.id).findings
    assert found is not None
    assert (found.typical, found.unusual) == (("pay 0",), ("pay 1",))


def test_an_exam_that_is_not_over_is_not_looked_at(store: Store, project: Project) -> None:
    run = hold_exam(store, project)
    at = datetime.now(UTC)
    with store.writing() as tx:
        tx.runs.add(replace(run, id=new_id(), number=0, state=RunState.RUNNING, created=at + LATER), b"{}", ())
    found = list_topics(store, project).run
    assert found is not None
    assert found.id == run.id


@in_both
def test_every_order_holds_the_same_topics(store: Store, project: Project) -> None:
    hold_exam(store, project)
    for sort in SORTS:
        names = [line.topic.name for line in list_topics(store, project, sort=sort).lines]
        assert sorted(names) == ["pay", "visa"], sort
        pages = [list_topics(store, project, sort=sort, limit=1, offset=n).lines[0].topic.name for n in range(2)]
        assert pages == names, sort


def test_the_worst_come_first_where_that_is_asked_for(store: Store, project: Project) -> None:
    hold_exam(store, project)
    assert [line.topic.name for line in list_topics(store, project, sort="-wrong").lines] == ["pay", "visa"]
    assert [line.topic.name for line in list_topics(store, project, sort="-size").lines] == ["visa", "pay"]
    with pytest.raises(UsageError, match="-wrong"):
        list_topics(store, project, sort="-wron")


@in_both
def test_a_flag_shows_those_topics_alone(store: Store, project: Project) -> None:
    hold_exam(store, project)
    change_topic(store, PRODUCT, project, list_topics(store, project).lines[0].topic.id, name="wages")
    counts = list_topics(store, project).counts
    for flag in FLAGS:
        found = list_topics(store, project, flag=flag)
        assert found.total == len(found.lines) == counts.get(flag, 0) == (flag not in ("wrong", "twin")), flag
        assert all(flag in line.flags for line in found.lines)
        assert (found.topics, found.examples) == (2, 8), flag


def test_names_that_differ_in_case_or_plural_are_twins_and_quiet_flags_are_counted_apart(
    store: Store, project: Project
) -> None:
    add_topic(store, PRODUCT, project, "Visas", examples=[f"permit {n}" for n in range(6)], answers={"en": "Yes."})
    found = list_topics(store, project)
    twins = {line.topic.name: line for line in found.lines if "twin" in line.flags}
    assert set(twins) == {"visa", "Visas"}
    assert twins["visa"].twins == (twins["Visas"].topic.id,)
    assert found.flagged == 3, "the two twins, and pay with its few examples"
    fill = [f"pay {n}" for n in range(2, 9)]
    add_examples(store, PRODUCT, project, fill, topic_id=found.lines[0].topic.id)
    again = list_topics(store, project)
    assert (again.flagged, again.counts["silent"]) == (2, 1), "a missing answer alone is counted apart"


def test_a_topic_that_is_mostly_wrong_is_flagged_and_its_mistakes_come_first(store: Store, project: Project) -> None:
    hold_exam(store, project, wrong=frozenset({2, 4, 5}))
    line = list_topics(store, project, flag="wrong").lines[0]
    visa = line.topic
    assert (visa.name, line.wrong) == ("visa", 3)
    page = list_judged(store, project, visa.id)
    assert [one.verdict for one in page.examples] == ["wrong"] * 3 + ["right"] * 3
    assert page.counts == {"wrong": 3, "right": 3}
    only = list_judged(store, project, visa.id, verdict="wrong", limit=2, offset=2)
    assert (only.total, len(only.examples)) == (3, 1)
    assert len(matching_examples(store, project, topic_id=visa.id, search="", expected=3, verdict="wrong")) == 3
