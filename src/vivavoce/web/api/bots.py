"""Bots of a project: list, add, change, delete, try out."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import Field

from vivavoce.store.rows import Edit
from vivavoce.web.access import Admin, Editor, InStore, ProjectInPath, Reader
from vivavoce.web.api.bodies import Body
from vivavoce.web.api.lists import Listed, listed
from vivavoce.web.api.places import Place
from vivavoce.web.api.texts import Id, Text, Word
from vivavoce.web.conversation_forms import rules_of
from vivavoce.workspace.bots import bots

router = APIRouter(tags=["bots"], prefix="/projects/{slug}/bots")


class BotBody(Body):
    """A bot: its name, and its entry as in bots.yaml. Secrets are written as `${BOT_NAME}`."""

    name: Word
    entry: Annotated[dict[str, Any], Field(min_length=1, max_length=100)]
    why: Annotated[Text, Field(max_length=1000)] = ""


@router.get("")
def list_bots(who: Reader, store: InStore, project: ProjectInPath) -> Listed[bots.BotLine]:
    """Return the bots of a project by name, each with its newest run."""
    return listed(bots.list_bots(store, project))


@router.post("", status_code=201)
def add_bot(  # noqa: PLR0917
    request: Request, who: Admin, store: InStore, project: ProjectInPath, place: Place, body: BotBody
) -> Edit:
    """Add a bot; all that is wrong with its entry is told at once. Returns the edit, which can be undone."""
    edit = bots.add_bot(store, who.actor, project, body.name, body.entry, rules=rules_of(request), why=body.why)
    place("projects", project.slug, "edits", edit.id)
    return edit


@router.get("/{bot_id}")
def show_bot(who: Reader, store: InStore, project: ProjectInPath, bot_id: Id) -> bots.BotLine:
    """Return a bot."""
    return bots.show_bot(store, project, bot_id)


@router.put("/{bot_id}")
def change_bot(  # noqa: PLR0917
    request: Request, who: Admin, store: InStore, project: ProjectInPath, bot_id: Id, body: BotBody
) -> Edit:
    """Change the name and the entry of a bot; returns the edit, which can be undone."""
    rules = rules_of(request)
    return bots.change_bot(
        store, who.actor, project, bot_id, name=body.name, entry=body.entry, rules=rules, why=body.why
    )


@router.delete("/{bot_id}")
def delete_bot(who: Admin, store: InStore, project: ProjectInPath, bot_id: Id) -> Edit:
    """Delete a bot; what runs found about it stays. Returns the edit, which can be undone."""
    return bots.delete_bot(store, who.actor, project, bot_id)


@router.post("/{bot_id}/test")
def try_bot(request: Request, who: Editor, store: InStore, project: ProjectInPath, bot_id: Id) -> bots.BotReport:
    """Talk to a bot for at most half a minute and return what was found; also a bot that fails gets a report."""
    return bots.try_bot(store, who.actor, project, bot_id, rules_of(request))
