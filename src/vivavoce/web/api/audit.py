"""The audit log and the facts of the workspace, for admins."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from vivavoce.store.repositories.audit import LogFilter
from vivavoce.web.access import Admin, InStore
from vivavoce.web.api.bodies import Body, Limit, Listed, Offset, Text, make_list
from vivavoce.web.listing import Search, Word
from vivavoce.workspace.access import keys
from vivavoce.workspace.access.actors import LogLine, read_log
from vivavoce.workspace.access.keys import Switches
from vivavoce.workspace.projects.projects import Facts, workspace_facts

router = APIRouter(tags=["workspace"])
Id = Annotated[str, Query(max_length=32)]


class ChangedSwitches(Body):
    """What admins decide for the whole workspace."""

    contact: Text = ""
    keys_allowed: bool = True


@router.get("/audit")
def list_audit(
    who: Admin,
    store: InStore,
    *,
    person: Id = "",
    project: Id = "",
    action: Word = "",
    search: Search = "",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Listed[LogLine]:
    """Return what was done by whom, the newest first; of one person or project (by id) where they are given.

    `person` is `product` for what nobody did but the product itself; `search` looks into details and addresses.
    """
    log = read_log(store, who.actor, LogFilter(person, project, action, search), limit=limit, offset=offset)
    return make_list(log.lines, log.total)


@router.get("/workspace")
def show_workspace(who: Admin, store: InStore) -> Facts:
    """Return what is the case in the workspace: versions, database, workers, counts."""
    return workspace_facts(store)


@router.get("/workspace/switches")
def show_switches(who: Admin, store: InStore) -> Switches:
    """Return what admins have decided for the whole workspace."""
    return keys.show_switches(store)


@router.put("/workspace/switches")
def change_switches(who: Admin, store: InStore, body: ChangedSwitches) -> Switches:
    """Decide anew for the whole workspace."""
    return keys.change_switches(store, who.actor, Switches(body.contact, body.keys_allowed))
