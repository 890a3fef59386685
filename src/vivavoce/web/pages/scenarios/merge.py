"""Two people edited the same scenario: their changes put together, or shown side by side with a choice each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.conversations import Scenario
from vivavoce.errors import InputError, StaleError, UsageError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader
from vivavoce.web.answers import done, go, page, words_of
from vivavoce.web.failures import status_of
from vivavoce.web.forms import MOST_WHY, Form
from vivavoce.web.language import Words
from vivavoce.web.pages.scenarios.editor import Desk, Notes, editor_page
from vivavoce.web.pages.scenarios.saving import save_draft
from vivavoce.web.pages.scenarios.words import field_title, field_words, step_words
from vivavoce.workspace.scenarios.drafts import Draft, draft_of, keep_scenario, read_kept_scenario
from vivavoce.workspace.scenarios.merging import MINE, THEIRS, Conflict, merge_scenarios
from vivavoce.workspace.scenarios.scenarios import list_versions, open_scenario, version_of

router = APIRouter()


@dataclass(frozen=True, slots=True)
class Question:
    """Something that both changed, in plain words."""

    key: str
    title: str
    base: str
    theirs: str
    mine: str


@dataclass(frozen=True)
class MergeView:
    """All that both changed, and what the form carries along."""

    author: str
    questions: tuple[Question, ...]
    desk: Desk
    began: int
    kept: str
    misspelt: str


def merge_or_ask(request: Request, store: Store, desk: Desk, mine: Scenario) -> Response:
    """Put a stale save together with what was saved meanwhile; ask where both changed the same."""
    now = open_scenario(store, desk.project, desk.scenario_id)
    base = version_of(store, desk.project, desk.scenario_id, desk.version)
    merge = merge_scenarios(base, now.scenario, mine)
    if merge.conflicts:
        return _ask(request, store, desk, mine)
    fresh = replace(desk, version=now.row.version)
    notice = words_of(request).gettext(
        "%(name)s saved this scenario meanwhile. Both changes are put together here: look at them and save.",
        name=_author(store, desk, now.row.version),
    )
    draft = carry_misspelt(draft_of(merge.resolve()), desk.misspelt)
    return editor_page(request, store, fresh, draft, Notes(notice=notice, status=409))


@router.get("/p/{slug}/scenarios/{scenario_id}/merge")
def leave_merge(who: Reader, project: ProjectInPath, scenario_id: str) -> Response:
    """Lead to the scenario: there is something to put together only while a save is under way."""
    return go(f"/p/{project.slug}/scenarios/{scenario_id}")


@router.post("/p/{slug}/scenarios/{scenario_id}/merge")
def merge_scenario(
    request: Request, *, who: Editor, store: InStore, project: ProjectInPath, scenario_id: str, form: Form
) -> Response:
    """Save a scenario with the choices that were made."""
    now = open_scenario(store, project, scenario_id)
    began = form.whole("began", 1, low=1, high=10**9)
    action = f"/p/{project.slug}/scenarios/{scenario_id}"
    desk = Desk(project, now.suite, action, began, scenario_id, why=form.text("why", most=MOST_WHY))
    desk = replace(desk, misspelt=_misspelt(form.text("misspelt", most=1_000_000)))
    mine = _mine(form.text("mine", most=1_000_000))
    if form.whole("version", 0, low=0, high=10**9) != now.row.version:
        return merge_or_ask(request, store, desk, mine)
    merge = merge_scenarios(version_of(store, project, scenario_id, began), now.scenario, mine)
    merged = merge.resolve(lambda one: THEIRS if form.text(one.key) == THEIRS else MINE)
    fresh, draft = replace(desk, version=now.row.version), carry_misspelt(draft_of(merged), desk.misspelt)
    try:
        saved = save_draft(store, who, fresh, draft)
    except StaleError:
        return merge_or_ask(request, store, desk, mine)
    except InputError as error:
        return editor_page(request, store, fresh, draft, Notes(error=error, status=status_of(error)))
    said = words_of(request).gettext("Both versions are put together and saved.")
    return done(action, said, project=project, edit=saved.edit)


def carry_misspelt(draft: Draft, misspelt: Mapping[str, str]) -> Draft:
    """Return a draft with the misspelt versions that were wanted before, each at its message."""
    return replace(
        draft, turns=tuple(replace(turn, misspelt=misspelt.get(turn.said, turn.misspelt)) for turn in draft.turns)
    )


def _misspelt(text: str) -> dict[str, str]:
    try:
        found = json.loads(text or "{}")
        return {str(said): str(other) for said, other in found.items()}
    except (ValueError, AttributeError, RecursionError) as error:
        raise UsageError(say("the form was changed on its way"), remedy=say("open the scenario again")) from error


def _mine(text: str) -> Scenario:
    found = read_kept_scenario(text)
    if found is None:
        raise UsageError(say("the form was changed on its way"), remedy=say("open the scenario again"))
    return found


def _ask(request: Request, store: Store, desk: Desk, mine: Scenario) -> Response:
    words = words_of(request)
    now = open_scenario(store, desk.project, desk.scenario_id)
    merge = merge_scenarios(version_of(store, desk.project, desk.scenario_id, desk.version), now.scenario, mine)
    view = MergeView(
        author=_author(store, desk, now.row.version),
        questions=tuple(_question(words, one) for one in merge.conflicts),
        desk=replace(desk, version=now.row.version),
        began=desk.version,
        kept=keep_scenario(mine),
        misspelt=json.dumps(dict(desk.misspelt)),
    )
    title = words.gettext("Two versions of %(name)s", name=mine.title or mine.id)
    return page(
        request, "scenarios/merge.html", title, view=view, project=desk.project, section="conversations", status=409
    )


def _question(words: Words, conflict: Conflict) -> Question:
    if conflict.field:
        texts = [field_words(words, conflict.field, one) for one in (conflict.base, conflict.theirs, conflict.mine)]
        return Question(conflict.key, field_title(words, conflict.field), *texts)
    texts = [step_words(words, one) for one in (conflict.base, conflict.theirs, conflict.mine)]
    return Question(conflict.key, words.gettext("Turn %(number)s", number=conflict.number), *texts)


def _author(store: Store, desk: Desk, version: int) -> str:
    lines = list_versions(store, desk.project, desk.scenario_id)
    return next((line.author for line in lines if line.version.version == version), "?")
