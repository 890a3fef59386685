"""What waits for its second step: one thing for each person and project, under a key, for an hour."""

from __future__ import annotations

from datetime import datetime

import pytest

from vivavoce.errors import AbsentError
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role
from vivavoce.workspace import uploads
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.uploads import LIFETIME, PendingUploads, squeeze, unsqueeze

PENDING = PendingUploads("import", remedy="send it again")


@pytest.fixture
def project(store: Store) -> Project:
    with store.writing() as tx:
        return tx.projects.add("jobs", "Jobs", language="en", classifier="tfidf", threshold=0.5)


def put(store: Store, project: Project, key: str, actor: Actor = PRODUCT) -> None:
    with store.writing() as tx:
        PENDING.put(tx, actor, project, key, {"name": key})


def find(store: Store, project: Project, key: str, actor: Actor = PRODUCT) -> str:
    with store.reading() as tx:
        return str(PENDING.find(tx, actor, project, key)["name"])


def test_a_newer_thing_takes_the_place_of_the_one_before(store: Store, project: Project) -> None:
    put(store, project, "first")
    put(store, project, "second")
    assert find(store, project, "second") == "second"
    with pytest.raises(AbsentError, match="replaced by a newer one") as refused:
        find(store, project, "first")
    assert refused.value.remedy == "send it again"


def test_nobody_finds_what_somebody_else_put_there(store: Store, project: Project) -> None:
    put(store, project, "mine")
    with pytest.raises(AbsentError):
        find(store, project, "mine", Actor("somebody", "Some Body", Role.ADMIN))


def test_what_waits_for_an_hour_is_gone(store: Store, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, project, "old")
    later: list[datetime] = [uploads.now() + LIFETIME * 0.99]
    monkeypatch.setattr(uploads, "now", lambda: later[-1])
    assert find(store, project, "old") == "old"
    later.append(later[0] + LIFETIME * 0.02)
    with pytest.raises(AbsentError, match="older than an hour"):
        find(store, project, "old")


def test_what_was_dropped_is_gone_and_a_wrong_key_drops_nothing(store: Store, project: Project) -> None:
    put(store, project, "right")
    with pytest.raises(AbsentError):
        PENDING.drop(store, PRODUCT, project, "wr\udcffng")
    assert find(store, project, "right") == "right"
    PENDING.drop(store, PRODUCT, project, "right")
    with pytest.raises(AbsentError):
        find(store, project, "right")


def test_a_file_comes_off_the_shelf_as_it_was_put_there() -> None:
    content = bytes(range(256)) * 3
    assert unsqueeze(squeeze(content)) == content
