"""What a scenario was before: the list of its versions, two of them compared, one brought back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from vivavoce.store.rows import ScenarioRow, SuiteRow
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader
from vivavoce.web.answers import done, page, words_of
from vivavoce.web.pages.scenarios.words import scenario_words
from vivavoce.workspace.scenarios.scenarios import (
    VersionLine,
    list_versions,
    open_scenario,
    restore_version,
    version_of,
)

router = APIRouter()
SHOWN = 200
Version = Annotated[int, Query(ge=0, le=10**9)]


@dataclass(frozen=True)
class VersionsView:
    """The versions of a scenario, and two of them in plain words."""

    row: ScenarioRow
    suite: SuiteRow
    lines: tuple[VersionLine, ...]
    total: int
    older: int
    newer: int
    before: str
    after: str
    here: str


@router.get("/p/{slug}/scenarios/{scenario_id}/versions")
def show_versions(
    request: Request,
    *,
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    scenario_id: str,
    older: Version = 0,
    newer: Version = 0,
) -> Response:
    """Show the versions of a scenario, and what changed between two of them: the last two unless others are asked."""
    words = words_of(request)
    found = open_scenario(store, project, scenario_id)
    lines = list_versions(store, project, scenario_id)
    known = [line.version.version for line in lines]
    last = newer or known[0]
    first = older or next((number for number in known if number < last), last)
    view = VersionsView(
        row=found.row,
        suite=found.suite,
        lines=lines[:SHOWN],
        total=len(lines),
        older=first,
        newer=last,
        before=scenario_words(words, version_of(store, project, scenario_id, first)),
        after=scenario_words(words, version_of(store, project, scenario_id, last)),
        here=f"/p/{project.slug}/scenarios/{scenario_id}",
    )
    title = words.gettext("Versions of %(name)s", name=found.row.title or found.row.name)
    return page(request, "scenarios/versions.html", title, view=view, project=project, section="conversations")


@router.post("/p/{slug}/scenarios/{scenario_id}/versions/{version}/restore")
def bring_back(
    request: Request,
    *,
    who: Editor,
    store: InStore,
    project: ProjectInPath,
    scenario_id: str,
    version: Annotated[int, Path(ge=1, le=10**9)],
) -> Response:
    """Make a scenario again what it was."""
    saved = restore_version(store, who.actor, project, scenario_id, version)
    said = words_of(request).gettext("Version %(version)s is back.", version=version)
    return done(f"/p/{project.slug}/scenarios/{scenario_id}", said, project=project, edit=saved.edit)
