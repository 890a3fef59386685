"""Keys for programs, switches of the workspace, engines that can be chosen, and deleting a project."""

from __future__ import annotations

from datetime import timedelta

import pytest

from places import in_both
from vivavoce.errors import AbsentError, AccessError, UsageError
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role, User
from vivavoce.store.stamps import now
from vivavoce.workspace.access import keys
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.access.engine_rules import check_engine, known_engines
from vivavoce.workspace.access.keys import Switches, change_switches, show_switches
from vivavoce.workspace.access.secrets import digest_of, is_api_token
from vivavoce.workspace.access.sessions import actor_of
from vivavoce.workspace.projects.projects import change_project, create_project, delete_project


@pytest.fixture
def editor(store: Store) -> Actor:
    return actor_of(add(store, "edda", Role.EDITOR), "")


def add(store: Store, login: str, role: Role) -> User:
    with store.writing() as tx:
        return tx.users.add(login, login.title(), role)


def works(store: Store, secret: str) -> bool:
    with store.reading() as tx:
        return tx.tokens.find(digest_of(secret), now()) is not None


@in_both
def test_a_key_works_until_it_is_revoked(store: Store, editor: Actor) -> None:
    token, secret = keys.make_key(store, editor, " nightly ", ["edit", "read"])
    assert (token.name, token.scopes, token.expires) == ("nightly", ("read", "edit"), None)
    assert is_api_token(secret)
    assert works(store, secret)
    assert keys.list_keys(store, editor, editor.user_id or "") == (token,)
    keys.revoke_key(store, editor, token.id)
    assert not works(store, secret)
    assert keys.list_keys(store, editor, editor.user_id or "") == ()


@in_both
def test_a_key_cannot_outlive_the_key_that_made_it(store: Store, editor: Actor) -> None:
    soon = now() + timedelta(days=2)
    assert keys.make_key(store, editor, "a", ["read"], until=soon)[0].expires == soon
    assert keys.make_key(store, editor, "b", ["read"], days=30, until=soon)[0].expires == soon
    shorter = keys.make_key(store, editor, "c", ["read"], days=1, until=soon)[0].expires
    assert shorter is not None
    assert shorter < soon


def test_every_fault_of_a_key_is_told_at_once(store: Store, editor: Actor) -> None:
    with pytest.raises(UsageError) as caught:
        keys.make_key(store, editor, " ", ["admin", "raed"], days=0)
    told = " ".join(fault.message for fault in caught.value.faults)
    assert len(caught.value.faults) == 4
    assert "Did you mean 'read'?" in told
    assert "Edda is editor and cannot grant 'admin'" in told


@in_both
def test_keys_of_others_are_not_there_but_for_admins(store: Store, editor: Actor) -> None:
    token, _ = keys.make_key(store, editor, "mine", ["read"])
    other = actor_of(add(store, "otto", Role.EDITOR), "")
    with pytest.raises(AbsentError):
        keys.revoke_key(store, other, token.id)
    with pytest.raises(AccessError):
        keys.list_keys(store, other, editor.user_id or "")
    assert keys.revoke_key(store, actor_of(add(store, "ada", Role.ADMIN), ""), token.id).name == "mine"


@in_both
def test_admins_can_stop_new_keys_while_old_ones_work(store: Store, editor: Actor) -> None:
    _, secret = keys.make_key(store, editor, "old", ["read"])
    change_switches(store, PRODUCT, Switches("Ask Anna", False))
    assert show_switches(store) == Switches("Ask Anna", False)
    with pytest.raises(UsageError, match="turned off"):
        keys.make_key(store, editor, "new", ["read"])
    assert works(store, secret)
    with pytest.raises(AccessError):
        change_switches(store, editor, Switches())
    with pytest.raises(UsageError):
        change_switches(store, PRODUCT, Switches("x" * 301))


def test_no_engine_that_runs_code_or_reads_files_by_its_name_can_be_chosen(store: Store, editor: Actor) -> None:
    project = create_project(store, editor, "Jobs")
    for engine in ("python:os:system", "sklearn:sklearn.svm.LinearSVC", " python :os:system", "sif:/etc/x"):
        with pytest.raises(AccessError):
            create_project(store, editor, "Other", classifier=engine)
        with pytest.raises(AccessError):
            change_project(store, editor, project, name="Jobs", threshold=0.5, classifier=engine)


def test_every_engine_that_is_offered_can_be_chosen_and_a_wrong_name_gets_the_nearest() -> None:
    reader = Actor(None, "a reader", Role.READER)
    names = [one.name for one in known_engines()]
    assert {"linear", "tfidf"} <= set(names)
    assert all(check_engine(reader, f" {name} ") == name for name in names)
    with pytest.raises(UsageError, match="Did you mean 'linear'"):
        check_engine(PRODUCT, "lineer")


@pytest.mark.parametrize("name", ["python", "sklearn"])
def test_an_engine_that_needs_an_option_is_refused_without_one_to_everybody(name: str) -> None:
    with pytest.raises(UsageError, match="needs an option"):
        check_engine(PRODUCT, name)


def test_an_admin_may_give_a_project_an_engine_that_uses_code_and_editors_may_keep_it(
    store: Store, editor: Actor
) -> None:
    project = create_project(store, PRODUCT, "Jobs", classifier=" sklearn : sklearn.svm.LinearSVC")
    assert project.classifier == "sklearn:sklearn.svm.LinearSVC"
    change_project(store, editor, project, name="Work", threshold=0.5, classifier=project.classifier)


@in_both
def test_a_project_is_deleted_by_whoever_types_its_name(store: Store, editor: Actor) -> None:
    project: Project = create_project(store, editor, "Jobs")
    with pytest.raises(AccessError):
        delete_project(store, editor, project, "Jobs")
    with pytest.raises(UsageError, match="not deleted"):
        delete_project(store, PRODUCT, project, "jobs")
    delete_project(store, PRODUCT, project, " Jobs ")
    with store.reading() as tx:
        assert tx.projects.get(project.id) is None
        assert tx.audit.page()[0].detail == "jobs: Jobs"
