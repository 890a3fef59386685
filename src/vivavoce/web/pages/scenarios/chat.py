"""A conversation with a bot, saved as a scenario when it went as it should."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from vivavoce.errors import InputError, UsageError
from vivavoce.messages import say
from vivavoce.store.stamps import new_id
from vivavoce.web.failures import status_of
from vivavoce.web.forms import Fields, Form
from vivavoce.web.option_forms import rules_of
from vivavoce.web.pages.scenarios.editor import Notes, editor_page, new_target
from vivavoce.web.parts import Turn
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import EditorVisit, Visit
from vivavoce.workspace.bots import chatting
from vivavoce.workspace.scenarios.scenarios import free_name, suite_of
from vivavoce.workspace.scenarios.suites import find_suite, list_suites

router = APIRouter()
MAX_LETTERS = 1_000_000


@router.get("/p/{slug}/scenarios/chat")
def begin_chat(visit: EditorVisit, suite: Annotated[str, Query(max_length=32)] = "") -> Response:
    """Show an empty conversation."""
    return _chat_page(visit, "", suite)


@router.post("/p/{slug}/scenarios/chat")
def go_on(visit: EditorVisit, form: Form) -> Response:
    """Say the next message, or save the conversation as a scenario, or begin again."""
    bot, suite, text = form.text("bot"), form.text("suite"), form.text("text")
    key, before = form.text("key") or new_id(), _read_exchanges(form)
    error: InputError | None = None
    try:
        form.check()
        if form.text("do") == "save":
            return _save(visit, suite, before)
        if form.text("do") == "again":
            return _chat_page(visit, bot, suite)
        row = chatting.find_bot(*visit.here, bot)
        known = find_suite(*visit.here, suite) if suite else None
        partner = chatting.make_partner(row, known, rules_of(visit.request))
        with chatting.PLACES.take(visit.who.user.id):
            # Nobody comes into the conversation of somebody else, whatever key a form sends.
            own = f"{visit.who.user.id}/{row.id}/{key[:32]}"
            heard = chatting.send_message(partner, own, [exchange.said for exchange in before], text)
    except InputError as refusal:
        error = refusal
    else:
        if not heard.trouble:
            return _chat_page(visit, bot, suite, key, (*before, heard))
        remedy = visit.words.gettext("send it again, or check the bot's page")
        error = UsageError(heard.trouble, remedy=remedy)
    return _chat_page(visit, bot, suite, key, before, text=text, error=error)


def _save(visit: Visit, suite_id: str, exchanges: Sequence[chatting.Heard]) -> Response:
    if not suite_id:
        raise UsageError(say("no suite selected"), remedy=say("choose the suite that the scenario belongs to"))
    suite = find_suite(*visit.here, suite_id)
    if not exchanges:
        raise UsageError(say("there are no messages yet"), remedy=say("write a message first"))
    draft = chatting.draft_from_talk(exchanges, name=free_name(suite_of(visit.store, suite), "scenario-1"))
    notice = visit.words.gettext(
        "The bot should do again what it just did. Remove what may vary, such as dates and prices, then save."
    )
    return editor_page(visit, new_target(visit, suite), draft, Notes(notice=notice))


def _read_exchanges(form: Fields) -> tuple[chatting.Heard, ...]:
    """Return what was said before, as the form carried it."""
    try:
        return tuple(
            chatting.Heard(
                said=str(raw["said"]),
                reply=str(raw.get("reply", "")),
                topic=str(raw.get("topic", "")),
                fallback=bool(raw.get("fallback")),
                slots={str(name): str(value) for name, value in dict(raw.get("slots") or {}).items()},
            )
            for raw in json.loads(form.text("talk", most=MAX_LETTERS) or "[]")
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise UsageError(say("the form data was altered"), remedy=say("start the conversation again")) from error


def _chat_page(
    visit: Visit,
    bot: str,
    suite: str,
    key: str = "",
    exchanges: Sequence[chatting.Heard] = (),
    *,
    text: str = "",
    error: InputError | None = None,
) -> Response:
    words, turns = visit.words, []
    for exchange in exchanges:
        understood = words.gettext("not understood") if exchange.fallback else exchange.topic
        turns += [Turn(exchange.said, visitor=True), Turn(exchange.reply, note=understood)]
    view = View(
        here=f"{visit.base}/scenarios/chat",
        go_to_bots=Link(words.gettext("Add a bot"), f"{visit.base}/bots"),
        bots=chatting.list_partners(*visit.here),
        suites=[line.suite for line in list_suites(*visit.here)],
        bot=bot,
        suite=suite,
        key=key or new_id(),
        talk=json.dumps([asdict(exchange) for exchange in exchanges]),
        turns=turns,
        text=text,
        error=error,
    )
    title, status = words.gettext("Chat with a bot"), status_of(error) if error else 200
    return visit.page("scenarios/chat.html", title, view=view, status=status)
