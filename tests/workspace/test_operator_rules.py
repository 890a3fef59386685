"""What whoever runs the server has not allowed stays shut, whichever way one tries to come at it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from held_talks import add_bot, add_shop, begin
from vivavoce.errors import AccessError, UsageError
from vivavoce.store.database import Store
from vivavoce.store.rows import BotRow, Project, Role, RunState
from vivavoce.store.stamps import now
from vivavoce.workspace.access import keys, people
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.access.bot_rules import BotRules
from vivavoce.workspace.access.engine_rules import check_engine
from vivavoce.workspace.access.secrets import Cost, digest_of
from vivavoce.workspace.bots.bots import delete_bot, list_bots
from vivavoce.workspace.bots.chatting import make_partner
from vivavoce.workspace.dialogues.dialogues import begin_scoring
from vivavoce.workspace.exams import runs
from vivavoce.workspace.projects.projects import change_project, create_project
from vivavoce.workspace.topics.history import list_edits, undo_edit

ADMIN = Actor("anna", "Anna", Role.ADMIN)
EDITOR = Actor("emil", "Emil", Role.EDITOR)
CODE = "sklearn:sklearn.svm.LinearSVC"


@pytest.fixture
def shop(store: Store) -> Project:
    return add_shop(store)


def change(store: Store, project: Project, classifier: str) -> Project:
    change_project(store, PRODUCT, project, name="Shop", threshold=0.5, classifier=classifier)
    return replace(project, classifier=classifier)


def newest(store: Store, project: Project) -> str:
    return list_edits(store, project).lines[0].edit.id


# --- the way back ------------------------------------------------------------------------------------------------


def test_only_admins_bring_a_bot_back(store: Store, shop: Project) -> None:
    delete_bot(store, PRODUCT, shop, list_bots(store, shop)[0].bot.id)
    edit = newest(store, shop)
    with pytest.raises(AccessError, match="role admin"):
        undo_edit(store, EDITOR, shop, edit)
    undo_edit(store, replace(ADMIN, user_id=None), shop, edit)
    assert len(list_bots(store, shop)) == 2


def test_nobody_brings_an_engine_back_that_they_could_not_choose(store: Store, shop: Project) -> None:
    changed = change(store, change(store, shop, CODE), "linear")
    for actor in (EDITOR, ADMIN):
        with pytest.raises(AccessError, match="code or files"):
            undo_edit(store, actor, changed, newest(store, shop))


def test_editors_bring_an_engine_back_that_they_could_choose(store: Store, shop: Project) -> None:
    changed = change(store, shop, "linear")
    undo_edit(store, Actor(None, "an editor", Role.EDITOR), changed, newest(store, shop))
    with store.reading() as tx:
        assert tx.projects.by_slug(shop.slug).classifier == "tfidf"


# --- code and files ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["python:os:getcwd", CODE, "linear:/etc", "sif:/etc/passwd"])
def test_engines_of_code_and_files_need_the_leave_of_the_server(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with pytest.raises(AccessError, match="not allowed here") as refused:
        check_engine(ADMIN, name)
    assert "bot_programs" in refused.value.remedy
    assert check_engine(PRODUCT, name) == name
    monkeypatch.setenv("VIVA_BOT_PROGRAMS", "yes")
    assert check_engine(ADMIN, name) == name
    with pytest.raises(AccessError):
        check_engine(EDITOR, name)


def test_a_rater_of_code_needs_the_leave_of_the_server(
    store: Store, shop: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def score() -> None:
        begin_scoring(store, ADMIN, shop, rater="python:os:getcwd")

    with pytest.raises(AccessError, match="not allowed here"):
        score()
    monkeypatch.setenv("VIVA_BOT_PROGRAMS", "yes")
    with pytest.raises(UsageError, match="no dialogues"):
        score()


def test_a_project_with_an_engine_of_code_is_made_by_the_product_alone(store: Store) -> None:
    with pytest.raises(AccessError):
        create_project(store, ADMIN, "Jobs", classifier=CODE)
    assert create_project(store, PRODUCT, "Jobs", classifier=CODE).classifier == CODE


# --- bots that were allowed once ---------------------------------------------------------------------------------


def test_a_bot_that_would_be_sent_a_secret_of_the_server_is_not_talked_to() -> None:
    entry = {"kind": "http", "url": "https://bot.example", "body": r'{"message": "{text}", "a": "\u0024{HOME_KEY}"}'}
    row = BotRow("b", "p", "helper", entry, now())
    with pytest.raises(UsageError, match="HOME_KEY"):
        make_partner(row, None, BotRules())
    assert make_partner(row, None, BotRules(variables=("HOME_KEY",))).row is row


@pytest.mark.parametrize("go_on", [runs.resume_run, runs.retry_run])
def test_a_run_does_not_go_on_with_bots_that_are_no_longer_allowed(
    store: Store, shop: Project, monkeypatch: pytest.MonkeyPatch, go_on: Callable[..., object]
) -> None:
    add_bot(store, shop, "near", {"kind": "http", "url": "http://127.0.0.1:1/say"})
    run = begin(store, shop, bots=("near",))
    runs.cancel_run(store, PRODUCT, shop, run.number)
    with pytest.raises(UsageError, match="are not allowed") as refused:
        go_on(store, PRODUCT, shop, run.number)
    assert [fault.where for fault in refused.value.faults] == ["near, url"]
    monkeypatch.setenv("VIVA_PRIVATE_BOTS", "yes")
    assert runs.resume_run(store, PRODUCT, shop, run.number).state is RunState.WAITING


# --- keys --------------------------------------------------------------------------------------------------------


def key_of(store: Store, user_id: str) -> Callable[[], bool]:
    """Make a key and return what tells whether it works."""
    _, secret = keys.make_key(store, Actor(user_id, "Rita", Role.READER), "key", ["read"])

    def works() -> bool:
        with store.reading() as tx:
            return tx.tokens.find(digest_of(secret), now()) is not None

    return works


def test_who_was_shut_out_comes_back_without_keys_and_links(store: Store) -> None:
    member, _ = people.invite(store, PRODUCT, "rita")
    works = key_of(store, member.id)
    assert works()
    people.set_disabled(store, PRODUCT, member.id, True)
    people.set_disabled(store, PRODUCT, member.id, False)
    assert not works()


def test_a_link_for_a_new_password_ends_the_keys_of_before(store: Store) -> None:
    member, path = people.invite(store, PRODUCT, "rita")
    works = key_of(store, member.id)
    said = "lanterns in the garden"
    people.take_up(store, path.rsplit("/", 1)[1], said, said, cost=Cost(2, 1, 1))
    assert not works()
