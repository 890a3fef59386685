"""A draft into the workspace: the one way by which the editor and the merging of two versions save."""

from __future__ import annotations

from vivavoce.store.database import Store
from vivavoce.web.access import Visitor
from vivavoce.web.pages.scenarios.editor import Desk
from vivavoce.workspace.scenarios.drafts import Draft, scenario_of
from vivavoce.workspace.scenarios.scenarios import Saved, create_scenario, save_scenario, suite_of
from vivavoce.workspace.scenarios.writing_help import with_twins


def save_draft(store: Store, who: Visitor, desk: Desk, draft: Draft) -> Saved:
    """Save what a form holds, with the misspelt versions that were asked for."""
    texts = {place: turn.misspelt for place, turn in enumerate(draft.turns) if turn.misspelt}
    scenario, twins = with_twins(suite_of(store, desk.suite), scenario_of(draft), texts)
    if not desk.scenario_id:
        return create_scenario(store, who.actor, desk.project, desk.suite.id, scenario, twins=twins, why=desk.why)
    return save_scenario(
        store,
        who.actor,
        desk.project,
        desk.scenario_id,
        scenario,
        version=desk.version,
        twins=twins,
        why=desk.why,
    )
