"""Scenarios in a workspace: saved with every version, checked, misspelt, tried."""

from __future__ import annotations

from dataclasses import replace

import pytest

from places import in_both
from vivavoce.conversations import Scenario, expand
from vivavoce.conversations.scenario import Expectation, Kind, Pattern, Turn
from vivavoce.errors import AbsentError, AccessError, DataError, StaleError, UsageError
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role, ScenarioRow, SuiteRow
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.scenarios.scenarios import (
    create_scenario,
    delete_scenario,
    free_name,
    list_scenarios,
    list_versions,
    open_scenario,
    restore_version,
    save_scenario,
    scenario_from_text,
    suite_of,
    version_of,
)
from vivavoce.workspace.scenarios.suites import import_suite, paste_scenarios
from vivavoce.workspace.scenarios.writing_help import offered_topics, suggest_typo, try_answer, with_twins

READER = Actor(None, "a reader", Role.READER)
SMALL = """
suite: small
rows: [{id: first, city: Bonn}]
scenarios:
  - id: clean
    level: basic
    title: A question
    turns:
      - {id: ask, user: What does a ticket to the museum cost?, expect: {intent: price, reply: {any: [ten]}}}
      - {user: Thank you very much, expect: thanks}
  - id: misspelt
    level: basic
    turns:
      - {user: Waht does a ticket cost?, kind: typo, twin_of: clean/ask, expect: same}
"""


@pytest.fixture
def project(store: Store) -> Project:
    with store.writing() as tx:
        return tx.projects.add("jobs", "Jobs", language="en", classifier="linear", threshold=0.5)


@pytest.fixture
def suite(store: Store, project: Project, tmp_path) -> SuiteRow:
    (tmp_path / "small.yaml").write_text(SMALL)
    import_suite(store, PRODUCT, project, tmp_path / "small.yaml")
    with store.reading() as tx:
        return tx.suites.of_project(project.id)[0]


@pytest.fixture
def clean(store: Store, project: Project, suite: SuiteRow) -> ScenarioRow:
    return list_scenarios(store, project, suite.id)[0]


def renamed(store: Store, project: Project, row: ScenarioRow, title: str) -> Scenario:
    return replace(open_scenario(store, project, row.id).scenario, title=title)


@in_both
def test_every_save_keeps_who_why_and_what_was_there_before(store, project, clean) -> None:
    other = renamed(store, project, clean, "Another question")
    save_scenario(store, PRODUCT, project, clean.id, other, version=1, why="clearer")
    assert open_scenario(store, project, clean.id).row.title == "Another question"
    lines = list_versions(store, project, clean.id)
    assert [(line.version.version, line.author) for line in lines] == [(2, "vivavoce"), (1, "vivavoce")]
    assert lines[0].version.why == "clearer"
    assert version_of(store, project, clean.id, 1).title == "A question"
    restore_version(store, PRODUCT, project, clean.id, 1)
    assert open_scenario(store, project, clean.id).row.title == "A question"
    assert len(list_versions(store, project, clean.id)) == 3
    with pytest.raises(AbsentError, match="no version 9"):
        version_of(store, project, clean.id, 9)


def test_a_save_from_an_old_version_changes_nothing(store, project, clean) -> None:
    save_scenario(store, PRODUCT, project, clean.id, renamed(store, project, clean, "One"), version=1)
    with pytest.raises(StaleError, match="someone else"):
        save_scenario(store, PRODUCT, project, clean.id, renamed(store, project, clean, "Two"), version=1)
    assert open_scenario(store, project, clean.id).row.title == "One"


@in_both
def test_a_save_can_be_undone_and_one_that_changes_nothing_is_refused(store, project, clean) -> None:
    saved = save_scenario(store, PRODUCT, project, clean.id, renamed(store, project, clean, "One"), version=1)
    with store.writing() as tx:
        tx.edits.undo(saved.edit.id, None)
    assert open_scenario(store, project, clean.id).row.title == "A question"
    with pytest.raises(UsageError, match="nothing to change"):
        save_scenario(store, PRODUCT, project, clean.id, open_scenario(store, project, clean.id).scenario, version=3)


def test_all_faults_of_a_scenario_are_told_at_once_and_it_is_not_saved(store, project, suite) -> None:
    turns = (Turn("Hello {nobody}", Expectation(any=(Pattern("x"),))), Turn("a", id="b"), Turn("b", id="b"))
    with pytest.raises(DataError) as refused:
        create_scenario(store, PRODUCT, project, suite.id, Scenario("new", "basic", turns))
    assert all(said in str(refused.value) for said in ("{nobody}", "2 turns have the id 'b'"))
    with pytest.raises(DataError) as refused:
        create_scenario(store, PRODUCT, project, suite.id, Scenario("a/b", "odd", turns[:1]))
    assert {fault.where for fault in refused.value.faults} == {"name", "level"}
    assert len(list_scenarios(store, project, suite.id)) == 2


@pytest.mark.parametrize("said", ["", " \n "])
def test_a_message_that_says_nothing_is_refused_with_its_turn(store, project, suite, said) -> None:
    with pytest.raises(DataError) as refused:
        create_scenario(store, PRODUCT, project, suite.id, Scenario("new", "basic", (Turn("Hello"), Turn(said))))
    assert [fault.where for fault in refused.value.faults] == ["turn 2"]
    assert len(list_scenarios(store, project, suite.id)) == 2


def test_a_title_that_is_taken_is_saved_with_a_warning_that_offers_another(store, project, suite) -> None:
    again = Scenario("again", "basic", (Turn("Hello"),), title="a  Question")
    saved = create_scenario(store, PRODUCT, project, suite.id, again)
    assert "'clean' also has the title" in saved.warnings[0]
    assert "use 'a  Question (2)' to tell them apart" in saved.warnings[0]
    other = create_scenario(store, PRODUCT, project, suite.id, replace(again, id="other", title="Another"))
    assert not any("title" in one for one in other.warnings)


def test_a_file_with_the_same_title_twice_is_taken_and_says_so(store, project, tmp_path) -> None:
    turns = "turns: [{user: Hello, expect: greet}]"
    path = tmp_path / "twice.yaml"
    path.write_text(f"suite: twice\nscenarios:\n  - {{id: a, level: basic, title: Same, {turns}}}\n"
                    f"  - {{id: b, level: basic, title: Same, {turns}}}\n")  # fmt: skip
    edit = import_suite(store, PRODUCT, project, path)
    assert "1 title used by more than one scenario: all were imported" in edit.summary


@in_both
def test_a_change_that_takes_the_clean_twin_from_another_scenario_is_refused(store, project, suite, clean) -> None:
    there = open_scenario(store, project, clean.id).scenario
    with pytest.raises(DataError, match="twin_of names"):
        save_scenario(store, PRODUCT, project, clean.id, replace(there, turns=there.turns[1:]), version=1)
    with pytest.raises(UsageError, match="misspelt versions"):
        delete_scenario(store, PRODUCT, project, clean.id)
    misspelt = list_scenarios(store, project, suite.id)[1]
    delete_scenario(store, PRODUCT, project, misspelt.id)
    delete_scenario(store, PRODUCT, project, clean.id)
    assert list_scenarios(store, project, suite.id) == ()


@in_both
def test_scenarios_are_found_by_their_words(store, project, suite) -> None:
    assert [row.name for row in list_scenarios(store, project, suite.id, search="WAHT")] == ["misspelt"]
    assert len(list_scenarios(store, project, suite.id, level="basic")) == 2
    assert list_scenarios(store, project, suite.id, domain="none") == ()


def test_a_reader_cannot_save_and_another_project_cannot_see(store, project, suite, clean) -> None:
    there = open_scenario(store, project, clean.id).scenario
    for attempt in (
        lambda: save_scenario(store, READER, project, clean.id, there, version=1),
        lambda: create_scenario(store, READER, project, suite.id, there),
        lambda: delete_scenario(store, READER, project, clean.id),
        lambda: restore_version(store, READER, project, clean.id, 1),
        lambda: paste_scenarios(store, READER, project, suite.id, "x"),
    ):
        with pytest.raises(AccessError):
            attempt()
    with store.writing() as tx:
        other = tx.projects.add("other", "Other", language="en", classifier="linear", threshold=0.5)
    with pytest.raises(AbsentError):
        open_scenario(store, other, clean.id)


@in_both
def test_a_misspelt_version_repeats_the_clean_turn_and_only_leads_up_with_the_others(
    store, project, suite, clean
) -> None:
    whole, there = suite_of(store, suite), open_scenario(store, project, clean.id).scenario
    text = suggest_typo(whole, there.turns[1])
    assert text != there.turns[1].user
    assert text == suggest_typo(whole, there.turns[1]), "the same seed makes the same mistakes"
    named, (twin,) = with_twins(whole, there, {1: text, 0: " "})
    saved = save_scenario(store, PRODUCT, project, clean.id, named, version=1, twins=[twin])
    assert saved.edit.size == 2
    (script,) = [one for one in expand(suite_of(store, suite)).scripts if one.id == twin.id]
    assert [turn.expect.counted for turn in script.turns] == [False, True]
    assert (script.turns[1].kind, script.turns[1].twin) == (Kind.TYPO, ("clean", 2))
    assert with_twins(whole, there, {}) == (there, ())


def test_what_cannot_be_misspelt_is_said_so(store, suite) -> None:
    whole = suite_of(store, suite)
    for turn in (
        Turn("", Expectation(intents=("a",))),
        Turn("Hello", Expectation(fallback=True)),
        Turn("7", Expectation(intents=("a",))),
    ):
        with pytest.raises(UsageError):
            suggest_typo(whole, turn)


def test_an_answer_passes_where_one_alternative_all_demands_and_no_ban_are_met(store, suite) -> None:
    whole = suite_of(store, suite)
    scenario = Scenario("s", "basic", (), rows=("first",))
    expect = Expectation(any=(Pattern("ten"), Pattern("{city}")), all=(Pattern("euros"),), none=(Pattern("sorry"),))
    for answer, passed in (
        ("ten euros", True),
        ("In Bonn: 10 euros", True),
        ("ten dollars", False),
        ("Sorry, ten euros", False),
        ("five euros", False),
    ):
        assert try_answer(whole, scenario, expect, answer).passed is passed, answer
    assert try_answer(whole, scenario, Expectation(), "anything").passed is None


def test_topics_are_offered_with_phrases_of_the_project_and_of_the_agent(store, project) -> None:
    import_suite(store, PRODUCT, project, "flight")
    with store.writing() as tx:
        row = tx.suites.by_name(project.id, "flight")
        created = row.created
        topic = {"id": "t1", "project_id": project.id, "name": "parking", "description": "", "owner": ""}
        example = {"project_id": project.id, "topic_id": "t1", "language": "en", "source": "", "created": created}
        changes = [tx.edits.insert("topics", {**topic, "created": created})]
        changes += [
            tx.edits.insert("examples", {**example, "id": f"e{place}", "text": text, "place": place})
            for place, text in enumerate(["where to park", "is there a car park", "parking"])
        ]
        tx.edits.apply(project.id, None, "import", "topics", changes)
    offered = {topic.name: topic.phrases for topic in offered_topics(store, project, row)}
    assert offered["parking"] == ("is there a car park", "where to park")
    assert len(offered["book_flight"]) == 2


def test_a_text_that_is_no_scenario_is_refused_with_its_lines() -> None:
    with pytest.raises(DataError) as refused:
        scenario_from_text("id: a\nlevel: basic\nturns:\n- usr: x\n")
    assert any("line 4" in fault.where for fault in refused.value.faults)


@in_both
def test_pasted_cells_are_added_and_told_by_what_was_pasted(store, project, suite) -> None:
    paste_scenarios(store, PRODUCT, project, suite.id, "scenario;level;user;expect_topic\nnew;basic;Hello;greet\n")
    assert [row.name for row in list_scenarios(store, project, suite.id)] == ["clean", "misspelt", "new"]
    with pytest.raises(DataError, match="these files conflict"):
        paste_scenarios(store, PRODUCT, project, suite.id, SMALL)
    with pytest.raises(UsageError, match="no cells"):
        paste_scenarios(store, PRODUCT, project, suite.id, " ")


def test_a_free_name_is_unlike_all_others(store, suite) -> None:
    whole = suite_of(store, suite)
    assert free_name(whole, "clean") == "clean-2"
    assert free_name(whole, "other") == "other"
