"""Scenarios: the editor, a new one, a copy, and the end of one."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from vivavoce.errors import AbsentError, InputError, StaleError
from vivavoce.web.failures import status_of
from vivavoce.web.forms import MAX_WHY, Fields, Form
from vivavoce.web.pages.scenarios.editor import Notes, Target, editor_page, new_target, press, save_draft
from vivavoce.web.pages.scenarios.form import read_draft, split_button
from vivavoce.web.pages.scenarios.merge import merge_or_ask
from vivavoce.web.rendering import View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.scenarios.drafts import Draft, draft_of, scenario_of
from vivavoce.workspace.scenarios.scenarios import delete_scenario, free_name, open_scenario, suite_of
from vivavoce.workspace.scenarios.suites import find_suite, free_title

router = APIRouter()
SHOWN_WARNINGS = 3


@router.get("/p/{slug}/scenarios/{scenario_id}")
def show_scenario(visit: ReaderVisit, scenario_id: str) -> Response:
    """Show a scenario in its form."""
    opened = open_scenario(*visit.here, scenario_id)
    target = Target(opened.suite, f"{visit.base}/scenarios/{scenario_id}", opened.row.version, scenario_id)
    return editor_page(visit, target, draft_of(opened.scenario))


@router.post("/p/{slug}/scenarios/{scenario_id}")
def change_scenario(visit: EditorVisit, scenario_id: str, form: Form) -> Response:
    """Do what a button of the form asks for: most change the form alone, one saves."""
    try:
        opened = open_scenario(*visit.here, scenario_id)
    except AbsentError:
        row = find_suite(*visit.here, form.text("suite"))
        notice = visit.words.gettext(
            "This scenario was deleted in the meantime. Your text is still here: save it as a new scenario."
        )
        target = _add_typed(new_target(visit, row), form)
        return editor_page(visit, target, read_draft(form), Notes(notice=notice, status=409))
    version = form.whole("version", opened.row.version, low=1, high=10**9)
    target = Target(opened.suite, f"{visit.base}/scenarios/{scenario_id}", version, scenario_id)
    # The name is what others call the scenario by, so it stays.
    return _act(visit, target, replace(read_draft(form), name=opened.row.name), form)


@router.get("/p/{slug}/suites/{suite_id}/new")
def new_scenario(visit: EditorVisit, suite_id: str, copy: Annotated[str, Query(max_length=32)] = "") -> Response:
    """Show an empty form, or one that begins as a copy of another scenario."""
    row = find_suite(*visit.here, suite_id)
    suite = suite_of(visit.store, row)
    draft = Draft(name=free_name(suite, "scenario-1"))
    if copy:
        source = open_scenario(*visit.here, copy).scenario
        name = free_name(suite, f"{source.id}-copy")
        draft = replace(draft_of(source), name=name, title=free_title(suite, source.title))
    return editor_page(visit, new_target(visit, row), draft)


@router.post("/p/{slug}/suites/{suite_id}/new")
def make_scenario(visit: EditorVisit, suite_id: str, form: Form) -> Response:
    """Do what a button of the form of a new scenario asks for."""
    row = find_suite(*visit.here, suite_id)
    return _act(visit, new_target(visit, row), read_draft(form), form)


@router.get("/p/{slug}/scenarios/{scenario_id}/delete")
def ask_deletion(visit: EditorVisit, scenario_id: str) -> Response:
    """Ask before a scenario goes."""
    opened = open_scenario(*visit.here, scenario_id)
    view = View(row=opened.row, suite=opened.suite, here=f"{visit.base}/scenarios/{scenario_id}")
    title = visit.words.gettext("Delete %(name)s", name=opened.row.name)
    return visit.page("scenarios/scenario_delete.html", title, view=view)


@router.post("/p/{slug}/scenarios/{scenario_id}/delete")
def end_scenario(visit: EditorVisit, scenario_id: str) -> Response:
    """Delete a scenario."""
    opened = open_scenario(*visit.here, scenario_id)
    edit = delete_scenario(*visit.acting, scenario_id)
    text = visit.words.gettext("%(name)s deleted.", name=opened.row.name)
    return visit.done(f"{visit.base}/suites/{opened.suite.id}", text, edit)


def _add_typed(target: Target, form: Fields) -> Target:
    """Return the target with what was typed. Each turn has a bot to ask: that of the pressed button is asked."""
    _, place = split_button(form.text("do"))
    bot = form.text(f"{place}-bot") or form.text("bot")
    return replace(target, bot=bot, why=form.text("why", most=MAX_WHY))


def _act(visit: Visit, target: Target, draft: Draft, form: Fields) -> Response:
    target = _add_typed(target, form)
    verb, place = split_button(form.text("do") or "check")
    try:
        form.check()
        if verb == "save":
            return _save(visit, target, draft)
        changed, notes = press(visit, target, draft, verb, place)
    except StaleError:
        wanted = {turn.said: turn.misspelt for turn in draft.turns if turn.misspelt}
        return merge_or_ask(visit, replace(target, misspelt=wanted), scenario_of(draft))
    except InputError as error:
        return editor_page(visit, target, draft, Notes(error=error, focus=place, status=status_of(error)))
    return editor_page(visit, target, changed, notes)


def _save(visit: Visit, target: Target, draft: Draft) -> Response:
    words, saved = visit.words, save_draft(visit, target, draft)
    text = words.gettext("%(name)s saved.", name=draft.title or draft.name)
    if saved.warnings:
        # Only the first, in one line: a cookie carries them to the next page.
        first = ". ".join(words.said(warning) for warning in saved.warnings[:SHOWN_WARNINGS])[:600]
        more = len(saved.warnings) - SHOWN_WARNINGS
        text = f"{text} {words.gettext('To think about:')} {first}{f' (+{more})' if more > 0 else ''}"
    return visit.done(f"{visit.base}/scenarios/{saved.scenario_id}", text, saved.edit)
