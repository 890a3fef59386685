"""Two people edited the same scenario: their changes put together, or shown side by side with a choice each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.conversations import Scenario
from vivavoce.errors import InputError, StaleError, UsageError
from vivavoce.messages import say
from vivavoce.web.answers import go
from vivavoce.web.failures import status_of
from vivavoce.web.forms import MAX_WHY, Form
from vivavoce.web.language import Words
from vivavoce.web.pages.scenarios.editor import Notes, Target, editor_page, save_draft
from vivavoce.web.pages.scenarios.words import field_title, field_words, step_words
from vivavoce.web.rendering import View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.scenarios.drafts import Draft, draft_of, keep_scenario, read_kept_scenario
from vivavoce.workspace.scenarios.merging import MINE, THEIRS, Conflict, merge_scenarios
from vivavoce.workspace.scenarios.scenarios import list_versions, open_scenario, version_of

router = APIRouter()


def merge_or_ask(visit: Visit, target: Target, mine: Scenario) -> Response:
    """Put a stale save together with what was saved meanwhile; ask where both changed the same."""
    words, here = visit.words, (*visit.here, target.scenario_id)
    now = open_scenario(*here)
    merge = merge_scenarios(version_of(*here, target.version), now.scenario, mine)
    versions = (line for line in list_versions(*here) if line.version.version == now.row.version)
    author = next((line.author for line in versions), "?")
    fresh = replace(target, version=now.row.version)
    if not merge.conflicts:
        notice = words.gettext(
            "%(name)s saved this scenario in the meantime. Both changes are merged here: review them and save.",
            name=author,
        )
        draft = carry_misspelt(draft_of(merge.resolve()), target.misspelt)
        return editor_page(visit, fresh, draft, Notes(notice=notice, status=409))
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
    now = open_scenario(*visit.here, scenario_id)
    began = form.whole("began", 1, low=1, high=10**9)
    action = f"{visit.base}/scenarios/{scenario_id}"
    try:
        misspelt = json.loads(form.text("misspelt", most=1_000_000) or "{}").items()
        mine = read_kept_scenario(form.text("mine", most=1_000_000))
    except (ValueError, AttributeError, RecursionError):
        mine = None
    if mine is None:
        raise UsageError(say("the form data was altered"), remedy=say("open the scenario again"))
    target = Target(now.suite, action, began, scenario_id, why=form.text("why", most=MAX_WHY))
    target = replace(target, misspelt={str(text): str(other) for text, other in misspelt})
    if form.whole("version", 0, low=0, high=10**9) != now.row.version:
        return merge_or_ask(visit, target, mine)
    merge = merge_scenarios(version_of(*visit.here, scenario_id, began), now.scenario, mine)
    merged = merge.resolve(lambda conflict: THEIRS if form.text(conflict.key) == THEIRS else MINE)
    fresh, draft = replace(target, version=now.row.version), carry_misspelt(draft_of(merged), target.misspelt)
    try:
        saved = save_draft(visit, fresh, draft)
    except StaleError:
        return merge_or_ask(visit, target, mine)
    except InputError as error:
        return editor_page(visit, fresh, draft, Notes(error=error, status=status_of(error)))
    return visit.done(action, visit.words.gettext("Both versions merged and saved."), saved.edit)


def carry_misspelt(draft: Draft, misspelt: Mapping[str, str]) -> Draft:
    """Return a draft with the misspelt versions that were wanted before, each at its message."""
    turns = (replace(turn, misspelt=misspelt.get(turn.said, turn.misspelt)) for turn in draft.turns)
    return replace(draft, turns=tuple(turns))


def _describe_conflict(words: Words, conflict: Conflict) -> View:
    """Return something that both changed, in plain words."""
    versions = {"base": conflict.base, "theirs": conflict.theirs, "mine": conflict.mine}
    if conflict.field:
        title = field_title(words, conflict.field)
        texts = {side: field_words(words, conflict.field, value) for side, value in versions.items()}
    else:
        title = words.gettext("Turn %(number)s", number=conflict.number)
        texts = {side: step_words(words, step) for side, step in versions.items()}
    return View(key=conflict.key, title=title, **texts)
