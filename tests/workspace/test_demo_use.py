"""The demo project: everything is there and ready to be examined."""

from __future__ import annotations

from collections import Counter

import pytest

from places import in_both
from vivavoce import demo
from vivavoce.errors import AbsentError, AccessError
from vivavoce.jobs.exams.protocol import Finished, Work
from vivavoce.jobs.exams.registry import load_exam
from vivavoce.records import Rate
from vivavoce.store.database import Store
from vivavoce.store.migrating import create_store
from vivavoce.store.rows import Project, Role, RunState
from vivavoce.store.stamps import now
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.access.bot_rules import BotRules
from vivavoce.workspace.conversations.choices import Choice
from vivavoce.workspace.conversations.conversations import look_ahead
from vivavoce.workspace.exams.comparing import compare_runs
from vivavoce.workspace.exams.intents import start_intents
from vivavoce.workspace.exams.runs import REPORT, document, result_of
from vivavoce.workspace.projects.demo_runs import create_demo_project
from vivavoce.workspace.projects.today import show_today

pytestmark = pytest.mark.slow


@in_both
def test_the_demo_project_holds_all_material_and_can_be_examined(store: Store) -> None:
    project = create_demo_project(store, PRODUCT)
    with store.reading() as tx:
        topics = tx.topics.of_project(project.id)
        assert {topic.name: topic.answers["en"] for topic in topics} == {
            topic.intent: topic.answer for topic in demo.topics("recruiting-en")
        }
        assert tx.examples.count(project.id) == len(demo.load("recruiting-en"))
        assert {suite.name for suite in tx.suites.of_project(project.id)} == set(demo.suites())
        assert tx.dialogues.count(project.id) > 10
    assert show_today(store, project).steps == ()
    assert start_intents(store, PRODUCT, project, options={"classifier": "tfidf", "retries": 2}).total > 0
    found = look_ahead(store, project, Choice("flight", ("keywords", "nearest")), BotRules())
    assert found.errors == ()
    assert found.size.talks > 0


def test_readers_cannot_load_the_demo(sqlite_store: Store) -> None:
    with pytest.raises(AccessError):
        create_demo_project(sqlite_store, Actor(None, "a reader", Role.READER))


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, Project]:
    store = create_store(tmp_path_factory.mktemp("past") / "workspace.db")
    return store, create_demo_project(store, PRODUCT)


def test_a_second_demo_project_gets_a_name_of_its_own(past: tuple[Store, Project]) -> None:
    store, project = past
    assert [project.slug, create_demo_project(store, PRODUCT).slug] == ["demo", "demo-2"]


def test_three_months_of_runs_end_before_the_project_was_loaded(past: tuple[Store, Project]) -> None:
    store, project = past
    with store.reading() as tx:
        runs = tx.runs.page(project.id, limit=100)[::-1]
        edits = tx.edits.of_project(project.id, limit=None)
    counts = Counter(run.kind for run in runs)
    assert counts["intents"] >= 8
    assert counts["conversations"] == counts["dialogues"] == 2
    assert {run.state for run in runs} == {RunState.DONE}
    moments = [run.created for run in runs]
    assert moments == sorted(moments)
    assert moments[-1] < now()
    assert (now() - moments[0]).days >= 85
    assert max(edit.at for edit in edits) < now()
    assert {edit.action for edit in edits} >= {"import", "merge topics", "move examples", "add examples", "undo"}


def test_the_people_of_the_past_are_invented_and_cannot_sign_in(past: tuple[Store, Project]) -> None:
    store, project = past
    with store.reading() as tx:
        authors = {edit.user_id for edit in tx.edits.of_project(project.id, limit=None)}
        people = tx.users.all()
        assert tx.users.count(active=True) == 0
    assert authors == {person.id for person in people}
    assert all(person.disabled and person.password is None for person in people)


def test_what_ships_of_a_run_is_what_the_exam_finds_in_its_material(past: tuple[Store, Project]) -> None:
    """One run is examined anew: its numbers are those that ship, to the digits that ship."""
    store, project = past
    with store.reading() as tx:
        run = tx.runs.by_number(project.id, 1)
        material = tx.runs.material(run.id)
        shipped = {(row.scope, row.name): row for row in tx.measures.of_run(run.id)}
        outcomes = tx.outcomes.of_run(run.id)
    exam, options = load_exam("intents"), dict(run.options)
    units = exam.plan(material, options)
    results = {unit.key: exam.perform(Work("intents", run.id, material, options, unit.key)) for unit in units}
    found = exam.conclude(material, options, Finished(results))
    assert run.total == len(units)
    assert shipped.keys() == {(row.scope, row.name) for row in found.measures}
    for row in found.measures:
        kept = shipped[row.scope, row.name]
        assert Rate(kept.value, kept.low, kept.high, kept.n) == approximately(row.rate), (row.scope, row.name)
    assert [(row.text, row.intent, row.guess, row.outcome) for row in outcomes] == [
        (row.text, row.intent, row.guess, row.outcome) for row in found.outcomes
    ]


def approximately(rate: Rate) -> Rate:
    ends = (
        None if end is None else pytest.approx(end, rel=1e-3, abs=1e-4) for end in (rate.value, rate.low, rate.high)
    )
    return Rate(*ends, rate.n)


def test_report_and_charts_of_the_past_are_drawn_when_somebody_looks(past: tuple[Store, Project]) -> None:
    store, project = past
    with store.reading() as tx:
        newest = {kind: tx.runs.latest(project.id, kind) for kind in ("intents", "conversations", "dialogues")}
    for run in newest.values():
        assert result_of(store, run) is not None
        assert document(store, run, REPORT).startswith(b"<!doctype html>")
    assert b"<svg" in document(store, newest["intents"], "charts/confusion.svg")
    with pytest.raises(AbsentError):
        document(store, newest["intents"], "charts/nothing.svg")


def test_merging_the_twins_is_an_improvement_beyond_chance(past: tuple[Store, Project]) -> None:
    store, project = past
    compared = compare_runs(store, project, 2, 3)
    assert compared.verdict.verdict == "better"


def test_conversations_of_the_past_have_their_turns(past: tuple[Store, Project]) -> None:
    store, project = past
    with store.reading() as tx:
        run = tx.runs.latest(project.id, "conversations")
        turns = tx.turns.of_run(run.id)
        assert set(tx.units.results(run.id)) == {unit.key for unit in tx.units.of_run(run.id)}
    assert {turn.bot for turn in turns} == {"Norrland assistant", "nearest"}
    assert all(turn.outcome for turn in turns)
