"""The demo of the assistant has a past that the assistant itself made."""

from __future__ import annotations

from datetime import UTC, timedelta

import pytest

from vivavoce.store.database import Store
from vivavoce.store.stamps import now
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.assistant.numbers import make_report
from vivavoce.workspace.projects.demo_assistant import create_assistant_demo

pytestmark = pytest.mark.slow


def test_the_demo_has_talks_reviews_edits_and_an_inbox(store: Store) -> None:
    project = create_assistant_demo(store, PRODUCT)
    report = make_report(store, project, now() - timedelta(days=92), now(), UTC)
    assert project.name.startswith("Demo")
    assert report.whole.counted > 200
    assert report.whole.confirmed.n > 20
    assert report.waiting > 10
    assert len(report.periods) >= 12
    with store.reading() as tx:
        edits = tx.edits.of_project(project.id, limit=None)
        people = {tx.users.get(edit.user_id) for edit in edits if edit.user_id}
    assert sum(edit.action == "review" for edit in edits) > 50
    assert all(person is not None and person.disabled for person in people)
