"""Scenarios: edited, copied, deleted, merged after two people changed one, and their earlier versions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from vivavoce.conversations import Scenario
from vivavoce.errors import AbsentError, InputError, StaleError, UsageError
from vivavoce.messages import say
from vivavoce.web.answers import go
from vivavoce.web.failures import status_of
from vivavoce.web.forms import MAX_WHY, Fields, Form
from vivavoce.web.language import Words
from vivavoce.web.pages.scenarios import editor
from vivavoce.web.pages.scenarios.words import field_title, field_words, scenario_words, step_words
from vivavoce.web.rendering import View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.scenarios import scenarios
from vivavoce.workspace.scenarios.drafts import Draft, draft_of, keep_scenario, read_kept_scenario, scenario_of
from vivavoce.workspace.scenarios.merging import MINE, THEIRS, Conflict, merge_scenarios
from vivavoce.workspace.scenarios.suites import find_suite, free_title

router = APIRouter()
SHOWN_WARNINGS = 3


@router.get("/p/{slug}/scenarios/{scenario_id}")
def show_scenario(visit: ReaderVisit, scenario_id: str) -> Response:
    """Show a scenario in its form."""
    opened = scenarios.open_scenario(*visit.here, scenario_id)
    target = editor.Target(opened.suite, f"{visit.base}/scenarios/{scenario_id}", opened.row.version, scenario_id)
    return editor.editor_page(visit, target, draft_of(opened.scenario))


@router.post("/p/{slug}/scenarios/{scenario_id}")
def change_scenario(visit: EditorVisit, scenario_id: str, form: Form) -> Response:
    """Do what a button of the form asks for: most change the form alone, one saves."""
    try:
        opened = scenarios.open_scenario(*visit.here, scenario_id)
    except AbsentError:
        row = find_suite(*visit.here, form.text("suite"))
        notice = visit.words.gettext(
            "This scenario was deleted in the meantime. Your text is still here: save it as a new scenario."
        )
        target = _add_typed(editor.new_target(visit, row), form)
        return editor.editor_page(visit, target, editor.read_draft(form), editor.Notes(notice=notice, status=409))
    version = form.whole("version", opened.row.version, low=1, high=10**9)
    target = editor.Target(opened.suite, f"{visit.base}/scenarios/{scenario_id}", version, scenario_id)
    # The name is what others call the scenario by, so it stays.
    return _act(visit, target, replace(editor.read_draft(form), name=opened.row.name), form)


@router.get("/p/{slug}/suites/{suite_id}/new")
def new_scenario(visit: EditorVisit, suite_id: str, copy: Annotated[str, Query(max_length=32)] = "") -> Response:
    """Show an empty form, or one that begins as a copy of another scenario."""
    row = find_suite(*visit.here, suite_id)
    suite = scenarios.suite_of(visit.store, row)
    draft = Draft(name=scenarios.free_name(suite, "scenario-1"))
    if copy:
        source = scenarios.open_scenario(*visit.here, copy).scenario
        name = scenarios.free_name(suite, f"{source.id}-copy")
        draft = replace(draft_of(source), name=name, title=free_title(suite, source.title))
    return editor.editor_page(visit, editor.new_target(visit, row), draft)


@router.post("/p/{slug}/suites/{suite_id}/new")
def make_scenario(visit: EditorVisit, suite_id: str, form: Form) -> Response:
    """Do what a button of the form of a new scenario asks for."""
    row = find_suite(*visit.here, suite_id)
    return _act(visit, editor.new_target(visit, row), editor.read_draft(form), form)


@router.get("/p/{slug}/scenarios/{scenario_id}/delete")
def ask_deletion(visit: EditorVisit, scenario_id: str) -> Response:
    """Ask before a scenario goes."""
    opened = scenarios.open_scenario(*visit.here, scenario_id)
    view = View(row=opened.row, suite=opened.suite, here=f"{visit.base}/scenarios/{scenario_id}")
    title = visit.words.gettext("Delete %(name)s", name=opened.row.name)
    return visit.page("scenarios/scenario_delete.html", title, view=view)


@router.post("/p/{slug}/scenarios/{scenario_id}/delete")
def end_scenario(visit: EditorVisit, scenario_id: str) -> Response:
    """Delete a scenario."""
    opened = scenarios.open_scenario(*visit.here, scenario_id)
    edit = scenarios.delete_scenario(*visit.acting, scenario_id)
    text = visit.words.gettext("%(name)s deleted.", name=opened.row.name)
    return visit.done(f"{visit.base}/suites/{opened.suite.id}", text, edit)


def _add_typed(target: editor.Target, form: Fields) -> editor.Target:
    """Return the target with what was typed. Each turn has a bot to ask: that of the pressed button is asked."""
    _, place = editor.split_button(form.text("do"))
    bot = form.text(f"{place}-bot") or form.text("bot")
    return replace(target, bot=bot, why=form.text("why", most=MAX_WHY))


def _act(visit: Visit, target: editor.Target, draft: Draft, form: Fields) -> Response:
    target = _add_typed(target, form)
    verb, place = editor.split_button(form.text("do") or "check")
    try:
        form.check()
        if verb == "save":
            return _save(visit, target, draft)
        changed, notes = editor.press(visit, target, draft, verb, place)
    except StaleError:
        wanted = {turn.said: turn.misspelt for turn in draft.turns if turn.misspelt}
        return merge_or_ask(visit, replace(target, misspelt=wanted), scenario_of(draft))
    except InputError as error:
        return editor.editor_page(
            visit, target, draft, editor.Notes(error=error, focus=place, status=status_of(error))
        )
    return editor.editor_page(visit, target, changed, notes)


def _save(visit: Visit, target: editor.Target, draft: Draft) -> Response:
    words, saved = visit.words, editor.save_draft(visit, target, draft)
    text = words.gettext("%(name)s saved.", name=draft.title or draft.name)
    if saved.warnings:
        # Only the first, in one line: a cookie carries them to the next page.
        first = ". ".join(words.said(warning) for warning in saved.warnings[:SHOWN_WARNINGS])[:600]
        more = len(saved.warnings) - SHOWN_WARNINGS
        text = f"{text} {words.gettext('To think about:')} {first}{f' (+{more})' if more > 0 else ''}"
    return visit.done(f"{visit.base}/scenarios/{saved.scenario_id}", text, saved.edit)


def merge_or_ask(visit: Visit, target: editor.Target, mine: Scenario) -> Response:
    """Put a stale save together with what was saved meanwhile; ask where both changed the same."""
    words, here = visit.words, (*visit.here, target.scenario_id)
    now = scenarios.open_scenario(*here)
    merge = merge_scenarios(scenarios.version_of(*here, target.version), now.scenario, mine)
    versions = (line for line in scenarios.list_versions(*here) if line.version.version == now.row.version)
    author = next((line.author for line in versions), "?")
    fresh = replace(target, version=now.row.version)
    if not merge.conflicts:
        notice = words.gettext(
            "%(name)s saved this scenario in the meantime. Both changes are merged here: review them and save.",
            name=author,
        )
        draft = carry_misspelt(draft_of(merge.resolve()), target.misspelt)
        return editor.editor_page(visit, fresh, draft, editor.Notes(notice=notice, status=409))
    view = View(
        author=author,
        questions=[_describe_conflict(words, conflict) for conflict in merge.conflicts],
        target=fresh,
        began=target.version,
        kept=keep_scenario(mine),
        misspelt=json.dumps(dict(target.misspelt)),
    )
    title = words.gettext("Two versions of %(name)s", name=mine.title or mine.id)
    return visit.page("scenarios/merge.html", title, view=view, status=409)


@router.get("/p/{slug}/scenarios/{scenario_id}/merge")
def leave_merge(visit: ReaderVisit, scenario_id: str) -> Response:
    """Lead to the scenario: there is something to put together only while a save is under way."""
    return go(f"{visit.base}/scenarios/{scenario_id}")


@router.post("/p/{slug}/scenarios/{scenario_id}/merge")
def merge_scenario(visit: EditorVisit, scenario_id: str, form: Form) -> Response:
    """Save a scenario with the choices that were made."""
    now = scenarios.open_scenario(*visit.here, scenario_id)
    began = form.whole("began", 1, low=1, high=10**9)
    action = f"{visit.base}/scenarios/{scenario_id}"
    try:
        misspelt = json.loads(form.text("misspelt", most=1_000_000) or "{}").items()
        mine = read_kept_scenario(form.text("mine", most=1_000_000))
    except (ValueError, AttributeError, RecursionError):
        mine = None
    if mine is None:
        raise UsageError(say("the form data was altered"), remedy=say("open the scenario again"))
    target = editor.Target(now.suite, action, began, scenario_id, why=form.text("why", most=MAX_WHY))
    target = replace(target, misspelt={str(text): str(other) for text, other in misspelt})
    if form.whole("version", 0, low=0, high=10**9) != now.row.version:
        return merge_or_ask(visit, target, mine)
    merge = merge_scenarios(scenarios.version_of(*visit.here, scenario_id, began), now.scenario, mine)
    merged = merge.resolve(lambda conflict: THEIRS if form.text(conflict.key) == THEIRS else MINE)
    fresh, draft = replace(target, version=now.row.version), carry_misspelt(draft_of(merged), target.misspelt)
    try:
        saved = editor.save_draft(visit, fresh, draft)
    except StaleError:
        return merge_or_ask(visit, target, mine)
    except InputError as error:
        return editor.editor_page(visit, fresh, draft, editor.Notes(error=error, status=status_of(error)))
    return visit.done(action, visit.words.gettext("Both versions merged and saved."), saved.edit)


def carry_misspelt(draft: Draft, misspelt: Mapping[str, str]) -> Draft:
    """Return a draft with the misspelt versions that were wanted before, each at its message."""
    turns = (replace(turn, misspelt=misspelt.get(turn.said, turn.misspelt)) for turn in draft.turns)
    return replace(draft, turns=tuple(turns))


def _describe_conflict(words: Words, conflict: Conflict) -> View:
    versions = {"base": conflict.base, "theirs": conflict.theirs, "mine": conflict.mine}
    if conflict.field:
        title = field_title(words, conflict.field)
        texts = {side: field_words(words, conflict.field, value) for side, value in versions.items()}
    else:
        title = words.gettext("Turn %(number)s", number=conflict.number)
        texts = {side: step_words(words, step) for side, step in versions.items()}
    return View(key=conflict.key, title=title, **texts)


SHOWN = 200
Version = Annotated[int, Query(ge=0, le=10**9)]


@router.get("/p/{slug}/scenarios/{scenario_id}/versions")
def show_versions(visit: ReaderVisit, scenario_id: str, older: Version = 0, newer: Version = 0) -> Response:
    """Show the versions of a scenario, and what changed between two of them: the last two unless others are asked."""
    words = visit.words
    opened = scenarios.open_scenario(*visit.here, scenario_id)
    lines = scenarios.list_versions(*visit.here, scenario_id)
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
        before=scenario_words(words, scenarios.version_of(*visit.here, scenario_id, first)),
        after=scenario_words(words, scenarios.version_of(*visit.here, scenario_id, last)),
        here=f"{visit.base}/scenarios/{scenario_id}",
    )
    title = words.gettext("Versions of %(name)s", name=opened.row.title or opened.row.name)
    return visit.page("scenarios/versions.html", title, view=view)


@router.post("/p/{slug}/scenarios/{scenario_id}/versions/{version}/restore")
def bring_back(visit: EditorVisit, scenario_id: str, version: Annotated[int, Path(ge=1, le=10**9)]) -> Response:
    """Make a scenario again what it was."""
    saved = scenarios.restore_version(*visit.acting, scenario_id, version)
    text = visit.words.gettext("Version %(version)s restored.", version=version)
    return visit.done(f"{visit.base}/scenarios/{scenario_id}", text, saved.edit)
