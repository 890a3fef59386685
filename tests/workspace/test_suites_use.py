"""Suites in a workspace: what was read is what is stored, put together and written out again."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from places import in_both
from vivavoce import demo
from vivavoce.conversations import Suite, expand, read_suite
from vivavoce.conversations.scenarios.formats.yaml_writing import suite_value
from vivavoce.errors import AbsentError, AccessError, DataError, UsageError
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role, SuiteRow
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.scenarios.suites import (
    assemble_suite,
    create_suite,
    delete_suite,
    export_suite,
    find_suite,
    import_read_suite,
    import_suite,
    list_suites,
    rename_suite,
)

pytestmark = pytest.mark.slow

# Reading a suite takes longer than keeping it.
shipped = cache(read_suite)
READER = Actor(None, "a reader", Role.READER)
SMALL = """
suite: small
scenarios:
  - {id: greeting, level: basic, turns: [{user: Hello, expect: greet}]}
  - {id: parting, level: medium, turns: [{user: Bye, expect: {intent: bye, reply: {any: [goodbye]}}}]}
"""
DUPLICATED = """
suite: doubled
scenarios:
  - {id: same, level: basic, turns: [{user: Hello, expect: greet}]}
  - {id: same, level: basic, turns: [{user: Hi, expect: greet}]}
"""


@pytest.fixture
def project(store: Store) -> Project:
    return new_project(store, "jobs")


def new_project(store: Store, slug: str) -> Project:
    with store.writing() as tx:
        return tx.projects.add(slug, slug, language="en", classifier="linear", threshold=0.5)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Return a file with a small suite of the name `small`."""
    path = tmp_path / "small.yaml"
    path.write_text(SMALL)
    return path


def stored(store: Store, project: Project, place: int = 0) -> Suite:
    with store.reading() as tx:
        return assemble_suite(tx, list_suites(store, project)[place].suite.id)


@in_both
def test_a_shipped_suite_is_put_together_as_its_files_say(store: Store, project: Project) -> None:
    for name in demo.suites():
        import_suite(store, PRODUCT, project, name)
    for place, name in enumerate(sorted(demo.suites())):
        found, wanted = stored(store, project, place), shipped(name)
        assert suite_value(found) == suite_value(wanted)
        assert expand(found).hash == expand(wanted).hash


def test_a_suite_that_was_written_out_is_the_same_when_it_is_brought_in_again(
    store: Store, project: Project, tmp_path
) -> None:
    import_read_suite(store, PRODUCT, project, shipped("flight"))
    for form in ("yaml", "csv", "xlsx"):
        _, content = export_suite(store, project, list_suites(store, project)[0].suite.id, form)
        (tmp_path / f"flight.{form}").write_bytes(content)
        other = new_project(store, f"other-{form}")
        import_suite(store, PRODUCT, other, tmp_path / f"flight.{form}", name="flight")
        assert expand(stored(store, other)).hash == expand(shipped("flight")).hash


@in_both
def test_every_import_can_be_undone_and_comes_back_with_the_next_version(store: Store, project: Project) -> None:
    edit = import_suite(store, PRODUCT, project, "recruiting")
    with store.writing() as tx:
        undone = tx.edits.undo(edit.id, None)
        assert tx.suites.of_project(project.id) == ()
        tx.edits.undo(undone.id, None)
        suite = tx.suites.of_project(project.id)[0]
        assert {one.version for one in tx.suites.scenarios(suite.id)} == {2}
    assert suite_value(stored(store, project)) == suite_value(shipped("recruiting"))


def test_a_name_that_is_taken_is_refused_unless_it_is_to_be_replaced(
    store: Store, project: Project, small: Path
) -> None:
    import_suite(store, PRODUCT, project, small)
    with pytest.raises(UsageError, match="already"):
        import_suite(store, PRODUCT, project, small)
    with pytest.raises(UsageError, match="nothing to change"):
        import_suite(store, PRODUCT, project, small, replacing=True)


@in_both
def test_replacing_a_suite_touches_only_what_differs(store: Store, project: Project) -> None:
    suite = shipped("flight")
    import_read_suite(store, PRODUCT, project, suite)
    first, second, *rest = suite.scenarios
    fresh = replace(first, id="brand-new")
    changed = replace(suite, scenarios=(fresh, replace(second, title="Otherwise"), *rest))
    import_read_suite(store, PRODUCT, project, changed, replacing=True)
    assert suite_value(stored(store, project)) == suite_value(changed)
    with store.reading() as tx:
        rows = tx.suites.scenarios(list_suites(store, project)[0].suite.id)
    assert {row.name: row.version for row in rows} == {
        **{one.id: 1 for one in rest},
        "brand-new": 1,
        second.id: 2,
    }


def test_two_scenarios_of_one_id_are_refused(store: Store, project: Project, tmp_path) -> None:
    (tmp_path / "doubled.yaml").write_text(DUPLICATED)
    with pytest.raises(DataError, match="have the same id"):
        import_suite(store, PRODUCT, project, tmp_path / "doubled.yaml")
    assert list_suites(store, project) == ()


def test_only_an_agent_that_ships_is_taken_from_a_suite(store: Store, project: Project, small: Path) -> None:
    suite = replace(read_suite(small), agent="/etc/agent.yaml")
    import_read_suite(store, PRODUCT, project, suite)
    line = list_suites(store, project)[0]
    assert line.suite.agent is None
    assert stored(store, project).agent == "/etc/agent.yaml", "what the author wrote is kept for the way out"


@in_both
def test_a_suite_can_be_made_renamed_and_deleted_with_its_scenarios(store: Store, project: Project) -> None:
    create_suite(store, PRODUCT, project, "mine", title="My suite", agent="flight")
    import_read_suite(store, PRODUCT, project, shipped("flight"))
    mine, flight = suites_by_name(store, project, "mine", "flight")
    rename_suite(store, PRODUCT, project, mine.id, name="ours", title="Our suite")
    assert stored(store, project, 1).name == "ours"
    assert stored(store, project, 1).title == "Our suite"
    edit = delete_suite(store, PRODUCT, project, flight.id)
    assert [line.suite.name for line in list_suites(store, project)] == ["ours"]
    with store.writing() as tx:
        tx.edits.undo(edit.id, None)
    assert suite_value(stored(store, project)) == suite_value(shipped("flight"))


def suites_by_name(store: Store, project: Project, *names: str) -> tuple[SuiteRow, ...]:
    lines = {line.suite.name: line.suite for line in list_suites(store, project)}
    return tuple(lines[name] for name in names)


def test_a_reader_changes_nothing_and_another_project_sees_nothing(
    store: Store, project: Project, small: Path
) -> None:
    with pytest.raises(AccessError):
        import_suite(store, READER, project, small)
    import_suite(store, PRODUCT, project, small)
    other = new_project(store, "other")
    with pytest.raises(AbsentError):
        find_suite(store, other, list_suites(store, project)[0].suite.id)
