"""What a scenario was before: the list of its versions, two of them compared, one brought back."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from vivavoce.web.pages.scenarios.words import scenario_words
from vivavoce.web.rendering import View
from vivavoce.web.visits import EditorVisit, ReaderVisit
from vivavoce.workspace.scenarios.scenarios import (
    list_versions,
    open_scenario,
    restore_version,
    version_of,
)

router = APIRouter()
SHOWN = 200
Version = Annotated[int, Query(ge=0, le=10**9)]


@router.get("/p/{slug}/scenarios/{scenario_id}/versions")
def show_versions(visit: ReaderVisit, scenario_id: str, older: Version = 0, newer: Version = 0) -> Response:
    """Show the versions of a scenario, and what changed between two of them: the last two unless others are asked."""
    words = visit.words
    opened = open_scenario(*visit.here, scenario_id)
    lines = list_versions(*visit.here, scenario_id)
    known = [line.version.version for line in lines]
    last = newer or known[0]
    first = older or next((number for number in known if number < last), last)
    view = View(
        row=opened.row,
        suite=opened.suite,
        lines=lines[:SHOWN],
        total=len(lines),
        older=first,
        newer=last,
        before=scenario_words(words, version_of(*visit.here, scenario_id, first)),
        after=scenario_words(words, version_of(*visit.here, scenario_id, last)),
        here=f"{visit.base}/scenarios/{scenario_id}",
    )
    title = words.gettext("Versions of %(name)s", name=opened.row.title or opened.row.name)
    return visit.page("scenarios/versions.html", title, view=view)


@router.post("/p/{slug}/scenarios/{scenario_id}/versions/{version}/restore")
def bring_back(visit: EditorVisit, scenario_id: str, version: Annotated[int, Path(ge=1, le=10**9)]) -> Response:
    """Make a scenario again what it was."""
    saved = restore_version(*visit.acting, scenario_id, version)
    text = visit.words.gettext("Version %(version)s restored.", version=version)
    return visit.done(f"{visit.base}/scenarios/{scenario_id}", text, saved.edit)
