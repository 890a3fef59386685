"""Bots of a project: list, add, change, delete, try out."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field

from vivavoce.store.rows import Edit
from vivavoce.web.api.bodies import Body, Id, Listed, Place, Text, Word, make_list
from vivavoce.web.conversation_forms import rules_of
from vivavoce.web.visits import AdminVisit, EditorVisit, ReaderVisit
from vivavoce.workspace.bots import bots

router = APIRouter(tags=["bots"], prefix="/projects/{slug}/bots")


class BotBody(Body):
    """A bot: its name, and its entry as in bots.yaml. Secrets are written as `${BOT_NAME}`."""

    name: Word
    entry: Annotated[dict[str, Any], Field(min_length=1, max_length=100)]
    why: Annotated[Text, Field(max_length=1000)] = ""


@router.get("")
def list_bots(visit: ReaderVisit) -> Listed[bots.BotLine]:
    """Return the bots of a project by name, each with its newest run."""
    return make_list(bots.list_bots(visit.store, visit.project))


@router.post("", status_code=201)
def add_bot(visit: AdminVisit, place: Place, body: BotBody) -> Edit:
    """Add a bot; all that is wrong with its entry is told at once. Returns the edit, which can be undone."""
    edit = bots.add_bot(visit.store, visit.actor, visit.project, rules=rules_of(visit.request), **body.model_dump())
    return place(edit, "edits", edit.id)


@router.get("/{bot_id}")
def show_bot(visit: ReaderVisit, bot_id: Id) -> bots.BotLine:
    """Return a bot."""
    return bots.show_bot(visit.store, visit.project, bot_id)


@router.put("/{bot_id}")
def change_bot(visit: AdminVisit, bot_id: Id, body: BotBody) -> Edit:
    """Change the name and the entry of a bot; returns the edit, which can be undone."""
    rules = rules_of(visit.request)
    return bots.change_bot(visit.store, visit.actor, visit.project, bot_id, rules=rules, **body.model_dump())


@router.delete("/{bot_id}")
def delete_bot(visit: AdminVisit, bot_id: Id) -> Edit:
    """Delete a bot; what runs found about it stays. Returns the edit, which can be undone."""
    return bots.delete_bot(visit.store, visit.actor, visit.project, bot_id)


@router.post("/{bot_id}/test")
def try_bot(visit: EditorVisit, bot_id: Id) -> bots.BotReport:
    """Talk to a bot for at most half a minute and return what was found; also a bot that fails gets a report."""
    return bots.try_bot(visit.store, visit.actor, visit.project, bot_id, rules_of(visit.request))
