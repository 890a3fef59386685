"""The projects of a workspace as assistants by name: `assistant:PROJECT` for bots, classifiers and exams."""

from __future__ import annotations

import os

from vivavoce.assistant import Assistant
from vivavoce.store.database import open_store
from vivavoce.store.migrating import require_current
from vivavoce.workspace.assistant.building import load_assistant

VARIABLE = "VIVA_WORKSPACE"


def find_project_assistant(name: str) -> Assistant | None:
    """Return the assistant of a project of the workspace that `VIVA_WORKSPACE` names; None where there is none."""
    place = os.environ.get(VARIABLE, "").strip()
    if not place:
        return None
    store = open_store(place)
    require_current(store)
    with store.reading() as tx:
        project = tx.projects.by_slug(name)
    # The store stays open: the assistant searches the openings in it.
    return load_assistant(store, project)[0] if project else None
