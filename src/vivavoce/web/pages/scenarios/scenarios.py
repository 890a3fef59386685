"""Scenarios: the editor, a new one, a copy, and the end of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from vivavoce.errors import AbsentError, InputError, StaleError
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, ScenarioRow, SuiteRow
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader, Visitor
from vivavoce.web.answers import done, page, words_of
from vivavoce.web.failures import status_of
from vivavoce.web.forms import MOST_WHY, Fields, Form
from vivavoce.web.pages.scenarios.editor import Desk, Notes, Pressed, editor_page, press
from vivavoce.web.pages.scenarios.form import read_draft, split_button
from vivavoce.web.pages.scenarios.merge import merge_or_ask
from vivavoce.web.pages.scenarios.saving import save_draft
from vivavoce.workspace.scenarios.drafts import Draft, draft_of, scenario_of
from vivavoce.workspace.scenarios.scenarios import (
    delete_scenario,
    free_name,
    open_scenario,
    suite_of,
)
from vivavoce.workspace.scenarios.suites import find_suite, free_title

router = APIRouter()
SHOWN_WARNINGS = 3


@dataclass(frozen=True, slots=True)
class DeletionView:
    """A scenario that is to go."""

    row: ScenarioRow
    suite: SuiteRow
    here: str


# --- the editor --------------------------------------------------------------------------------------------------


@router.get("/p/{slug}/scenarios/{scenario_id}")
def show_scenario(
    request: Request, *, who: Reader, store: InStore, project: ProjectInPath, scenario_id: str
) -> Response:
    """Show a scenario in its form."""
    found = open_scenario(store, project, scenario_id)
    desk = _desk(project, found.suite, scenario_id, found.row.version)
    return editor_page(request, store, desk, draft_of(found.scenario))


@router.post("/p/{slug}/scenarios/{scenario_id}")
def change_scenario(
    request: Request, *, who: Editor, store: InStore, project: ProjectInPath, scenario_id: str, form: Form
) -> Response:
    """Do what a button of the form asks for: most change the form alone, one saves."""
    try:
        found = open_scenario(store, project, scenario_id)
    except AbsentError:
        return _offer_anew(request, store, project, form)
    version = form.whole("version", found.row.version, low=1, high=10**9)
    desk = _with_form(_desk(project, found.suite, scenario_id, version), form)
    # The name is what others call the scenario by, so it stays.
    draft = replace(read_draft(form), name=found.row.name)
    return _act(request, store, who, _Sent(desk, draft, form))


@router.get("/p/{slug}/suites/{suite_id}/new")
def new_scenario(
    request: Request,
    *,
    who: Editor,
    store: InStore,
    project: ProjectInPath,
    suite_id: str,
    copy: Annotated[str, Query(max_length=32)] = "",
) -> Response:
    """Show an empty form, or one that begins as a copy of another scenario."""
    row = find_suite(store, project, suite_id)
    draft = Draft(name=free_name(suite_of(store, row), "scenario-1"))
    if copy:
        source, suite = open_scenario(store, project, copy).scenario, suite_of(store, row)
        name = free_name(suite, f"{source.id}-copy")
        draft = replace(draft_of(source), name=name, title=free_title(suite, source.title))
    return editor_page(request, store, new_desk(project, row), draft)


@router.post("/p/{slug}/suites/{suite_id}/new")
def make_scenario(
    request: Request, *, who: Editor, store: InStore, project: ProjectInPath, suite_id: str, form: Form
) -> Response:
    """Do what a button of the form of a new scenario asks for."""
    row = find_suite(store, project, suite_id)
    return _act(request, store, who, _Sent(_with_form(new_desk(project, row), form), read_draft(form), form))


@router.get("/p/{slug}/scenarios/{scenario_id}/delete")
def ask_deletion(
    request: Request, *, who: Editor, store: InStore, project: ProjectInPath, scenario_id: str
) -> Response:
    """Ask before a scenario goes."""
    found = open_scenario(store, project, scenario_id)
    view = DeletionView(found.row, found.suite, f"/p/{project.slug}/scenarios/{scenario_id}")
    title = words_of(request).gettext("Delete %(name)s", name=found.row.name)
    return page(request, "scenarios/scenario_delete.html", title, view=view, project=project, section="conversations")


@router.post("/p/{slug}/scenarios/{scenario_id}/delete")
def end_scenario(
    request: Request, *, who: Editor, store: InStore, project: ProjectInPath, scenario_id: str
) -> Response:
    """Delete a scenario."""
    found = open_scenario(store, project, scenario_id)
    edit = delete_scenario(store, who.actor, project, scenario_id)
    said = words_of(request).gettext("%(name)s is deleted.", name=found.row.name)
    return done(f"/p/{project.slug}/suites/{found.suite.id}", said, project=project, edit=edit)


def _offer_anew(request: Request, store: Store, project: Project, form: Fields) -> Response:
    """Show what was typed for a scenario that is gone: saving makes it anew."""
    row = find_suite(store, project, form.text("suite"))
    notice = words_of(request).gettext(
        "This scenario was deleted meanwhile. What you wrote is here: save it as a new one."
    )
    desk = _with_form(new_desk(project, row), form)
    return editor_page(request, store, desk, read_draft(form), Notes(notice=notice, status=409))


def new_desk(project: Project, suite: SuiteRow) -> Desk:
    """Return the place at which a new scenario of a suite is written."""
    return Desk(project, suite, f"/p/{project.slug}/suites/{suite.id}/new")


def _desk(project: Project, suite: SuiteRow, scenario_id: str, version: int) -> Desk:
    return Desk(project, suite, f"/p/{project.slug}/scenarios/{scenario_id}", version, scenario_id)


def _with_form(desk: Desk, form: Fields) -> Desk:
    return replace(desk, bot=form.text("bot"), why=form.text("why", most=MOST_WHY))


# --- what was sent -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Sent:
    """A draft that was sent, and the place that it was sent from."""

    desk: Desk
    draft: Draft
    form: Fields


def _act(request: Request, store: Store, who: Visitor, sent: _Sent) -> Response:
    verb, place = split_button(sent.form.text("do") or "check")
    try:
        sent.form.check()
        if verb == "save":
            return _save(request, store, who, sent)
        draft, notes = press(Pressed(request, who, store, sent.desk, sent.draft, verb, place))
    except StaleError:
        wanted = {turn.said: turn.misspelt for turn in sent.draft.turns if turn.misspelt}
        return merge_or_ask(request, store, replace(sent.desk, misspelt=wanted), scenario_of(sent.draft))
    except InputError as error:
        return editor_page(
            request, store, sent.desk, sent.draft, Notes(error=error, focus=place, status=status_of(error))
        )
    return editor_page(request, store, sent.desk, draft, notes)


def _save(request: Request, store: Store, who: Visitor, sent: _Sent) -> Response:
    desk, words = sent.desk, words_of(request)
    saved = save_draft(store, who, desk, sent.draft)
    said = words.gettext("%(name)s is saved.", name=sent.draft.title or sent.draft.name)
    if saved.warnings:
        said = (
            f"{said} {words.gettext('To think about:')} {_shortened([words.said(text) for text in saved.warnings])}"
        )
    return done(f"/p/{desk.project.slug}/scenarios/{saved.scenario_id}", said, project=desk.project, edit=saved.edit)


def _shortened(warnings: Sequence[str]) -> str:
    """Return the first warnings in one line: a cookie carries them to the next page."""
    more = f" (+{len(warnings) - SHOWN_WARNINGS})" if len(warnings) > SHOWN_WARNINGS else ""
    return ". ".join(warnings[:SHOWN_WARNINGS])[:600] + more
