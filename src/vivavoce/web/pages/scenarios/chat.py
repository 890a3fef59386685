"""A talk with a bot, saved as a scenario when it went as it should."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from vivavoce.errors import InputError, UsageError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import BotRow, Project, SuiteRow
from vivavoce.store.stamps import new_id
from vivavoce.web.access import Editor, InStore, ProjectInPath, Visitor
from vivavoce.web.answers import page, words_of
from vivavoce.web.failures import status_of
from vivavoce.web.forms import Fields, Form
from vivavoce.web.pages.scenarios.editor import Notes, editor_page, reach_of
from vivavoce.web.pages.scenarios.scenarios import new_desk
from vivavoce.web.parts import Turn
from vivavoce.workspace.bots.chatting import (
    Heard,
    draft_from_talk,
    find_bot,
    list_partners,
    make_partner,
    send_message,
)
from vivavoce.workspace.bots.places import PLACES
from vivavoce.workspace.scenarios.scenarios import free_name, suite_of
from vivavoce.workspace.scenarios.suites import find_suite, list_suites

router = APIRouter()
MOST_TALK = 1_000_000


@dataclass(frozen=True)
class ChatView:
    """A talk as far as it went, and what the form carries along."""

    here: str
    bots: tuple[BotRow, ...]
    suites: tuple[SuiteRow, ...]
    bot: str
    suite: str
    key: str
    talk: str
    turns: tuple[Turn, ...]
    text: str
    error: InputError | None = None


@dataclass(frozen=True)
class _Talk:
    """What the form holds."""

    bot: str
    suite: str
    key: str
    heard: tuple[Heard, ...]
    text: str = ""


@router.get("/p/{slug}/scenarios/chat")
def begin_chat(
    request: Request,
    who: Editor,
    store: InStore,
    project: ProjectInPath,
    suite: Annotated[str, Query(max_length=32)] = "",
) -> Response:
    """Show an empty talk."""
    return _chat_page(request, store, project, _Talk("", suite, new_id(), ()))


@router.post("/p/{slug}/scenarios/chat")
def go_on(request: Request, who: Editor, store: InStore, project: ProjectInPath, form: Form) -> Response:
    """Say the next message, or save the talk as a scenario, or begin again."""
    talk = _Talk(
        form.text("bot"), form.text("suite"), form.text("key") or new_id(), _read_talk(form), form.text("text")
    )
    wish = form.text("do") or "say"
    try:
        form.check()
        if wish == "save":
            return _save(request, store, project, talk)
        if wish == "again":
            return _chat_page(request, store, project, _Talk(talk.bot, talk.suite, new_id(), ()))
        heard = _say(request, store, who, project, talk)
    except InputError as error:
        return _chat_page(request, store, project, talk, error)
    if heard.trouble:
        remedy = words_of(request).gettext("send it again, or look at the page of the bot")
        return _chat_page(request, store, project, talk, UsageError(heard.trouble, remedy=remedy))
    return _chat_page(request, store, project, _Talk(talk.bot, talk.suite, talk.key, (*talk.heard, heard)))


def _say(request: Request, store: Store, who: Visitor, project: Project, talk: _Talk) -> Heard:
    row = find_bot(store, project, talk.bot)
    partner = make_partner(row, _suite(store, project, talk.suite), reach_of(request))
    # Nobody comes into the talk of somebody else, whatever key a form sends.
    key = f"{who.user.id}/{row.id}/{talk.key[:32]}"
    with PLACES.take(who.user.id):
        return send_message(partner, key, [one.said for one in talk.heard], talk.text)


def _save(request: Request, store: Store, project: Project, talk: _Talk) -> Response:
    words = words_of(request)
    suite = _suite(store, project, talk.suite)
    if suite is None:
        raise UsageError(say("no suite is chosen"), remedy=say("choose the suite that the scenario belongs to"))
    if not talk.heard:
        raise UsageError(say("nothing was said yet"), remedy=say("write a message first"))
    draft = draft_from_talk(talk.heard, name=free_name(suite_of(store, suite), "scenario-1"))
    notice = words.gettext(
        "The bot should do again what it just did. Take out what may differ, such as dates and prices, then save."
    )
    return editor_page(request, store, new_desk(project, suite), draft, Notes(notice=notice))


def _suite(store: Store, project: Project, suite_id: str) -> SuiteRow | None:
    return find_suite(store, project, suite_id) if suite_id else None


def _read_talk(form: Fields) -> tuple[Heard, ...]:
    """Return what was said before, as the form carried it."""
    try:
        found = json.loads(form.text("talk", most=MOST_TALK) or "[]")
        return tuple(_heard(one) for one in found)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise UsageError(say("the form was changed on its way"), remedy=say("begin the talk again")) from error


def _heard(one: dict[str, object]) -> Heard:
    slots = one.get("slots")
    return Heard(
        said=str(one["said"]),
        reply=str(one.get("reply", "")),
        topic=str(one.get("topic", "")),
        fallback=bool(one.get("fallback")),
        slots={str(name): str(value) for name, value in slots.items()} if isinstance(slots, dict) else {},
    )


def _chat_page(
    request: Request, store: Store, project: Project, talk: _Talk, error: InputError | None = None
) -> Response:
    words = words_of(request)
    view = ChatView(
        here=f"/p/{project.slug}/scenarios/chat",
        bots=list_partners(store, project),
        suites=tuple(line.suite for line in list_suites(store, project)),
        bot=talk.bot,
        suite=talk.suite,
        key=talk.key,
        talk=json.dumps([asdict(one) for one in talk.heard]),
        turns=_turns(request, talk.heard),
        text=talk.text if error else "",
        error=error,
    )
    status = status_of(error) if error else 200
    title = words.gettext("Chat with a bot")
    return page(
        request, "scenarios/chat.html", title, view=view, project=project, section="conversations", status=status
    )


def _turns(request: Request, heard: Sequence[Heard]) -> tuple[Turn, ...]:
    words = words_of(request)
    turns: list[Turn] = []
    for one in heard:
        understood = words.gettext("not understood") if one.fallback else one.topic
        turns += [Turn(one.said, visitor=True), Turn(one.reply, note=understood)]
    return tuple(turns)
