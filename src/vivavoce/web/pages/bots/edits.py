"""Bots are added, changed and deleted, by admins."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.store.rows import BotRow
from vivavoce.web.conversation_forms import rules_of
from vivavoce.web.forms import Form
from vivavoce.web.language import Words
from vivavoce.web.listing import Word
from vivavoce.web.pages.bots.form import (
    FieldGroup,
    bot_forms,
    entry_of,
    field_names,
    form_links,
    form_of,
    form_title,
    groups_of,
    values_of,
)
from vivavoce.web.parts import Field
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import AdminVisit, Visit
from vivavoce.workspace.access.bot_rules import OWN_PREFIX
from vivavoce.workspace.bots import bots
from vivavoce.workspace.bots.chatting import list_partners

router = APIRouter(prefix="/p/{slug}/bots")


@router.get("/new")
def show_new(visit: AdminVisit, form: Word = "http") -> Response:
    """Show the form for another bot."""
    return _form_page(visit, form if form in bot_forms() else "http", {"method": "POST"})


@router.post("/new")
def add_bot(visit: AdminVisit, form: Form) -> Response:
    """Add a bot."""
    chosen, values = _read_form(form)
    try:
        form.check()
        edit = bots.add_bot(
            *visit.acting,
            values["name"],
            entry_of(chosen, values, {}),
            rules=rules_of(visit.request),
            why=values["why"],
        )
    except InputError as error:
        return _form_page(visit, chosen, values, error=error)
    name = " ".join(values["name"].split())
    added = next((bot.id for bot in list_partners(*visit.here) if bot.name == name), "")
    text = visit.words.gettext("Bot %(name)s added. Test the connection next.", name=values["name"])
    return visit.done(f"{visit.base}/bots/{added}", text, edit)


@router.get("/{bot_id}/edit")
def show_form(visit: AdminVisit, bot_id: str, form: Word = "") -> Response:
    """Show the form of a bot."""
    bot = bots.show_bot(*visit.here, bot_id).bot
    suits = form_of(bot.entry)
    chosen = form if form in (suits, "yaml") else suits
    filled = {name: value for name, value in values_of(chosen, bot.entry).items() if value}
    return _form_page(visit, chosen, {"name": bot.name, "method": "POST", **filled}, bot)


@router.post("/{bot_id}/edit")
def change_bot(visit: AdminVisit, bot_id: str, form: Form) -> Response:
    """Change a bot."""
    bot = bots.show_bot(*visit.here, bot_id).bot
    chosen, values = _read_form(form)
    try:
        form.check()
        edit = bots.change_bot(
            *visit.acting,
            bot_id,
            name=values["name"],
            entry=entry_of(chosen, values, bot.entry),
            rules=rules_of(visit.request),
            why=values["why"],
        )
    except InputError as error:
        return _form_page(visit, chosen, values, bot, error)
    text = visit.words.gettext("Bot %(name)s updated.", name=values["name"])
    return visit.done(f"{visit.base}/bots/{bot_id}", text, edit)


@router.get("/{bot_id}/delete")
def ask_to_delete(visit: AdminVisit, bot_id: str) -> Response:
    """Ask before a bot is deleted."""
    words, line = visit.words, bots.show_bot(*visit.here, bot_id)
    text = words.gettext(
        "This removes the bot %(name)s from the project. Its past results stay, and you can restore it.",
        name=line.bot.name,
    )
    view = View(text=text, path=f"{visit.base}/bots/{bot_id}", why=_why(words))
    return visit.page("bots/bot_delete.html", words.gettext("Delete this bot?"), view=view)


@router.post("/{bot_id}/delete")
def delete_bot(visit: AdminVisit, bot_id: str, form: Form) -> Response:
    """Delete a bot."""
    edit = bots.delete_bot(*visit.acting, bot_id, why=form.text("why")[:1000])
    return visit.done(f"{visit.base}/bots", visit.words.gettext("Bot deleted."), edit)


def _form_page(
    visit: Visit,
    form: str,
    values: Mapping[str, str],
    changed: BotRow | None = None,
    error: InputError | None = None,
) -> Response:
    """Show the form of a bot as it was filled in: of a new one, or of one that is to be changed."""
    words, path = visit.words, f"{visit.base}/bots"
    action, tabs = f"{path}/new", form_links(words, f"{path}/new", form)
    title = words.gettext("Add a bot")
    lead = words.gettext("Describe how to reach the bot. Nothing is sent to it until you test it.")
    if changed:
        path = f"{path}/{changed.id}"
        action, forms = f"{path}/edit", dict.fromkeys((form_of(changed.entry), "yaml"))
        tabs = tuple(Link(form_title(words, name), f"{action}?form={name}", name == form) for name in forms)
        title = words.gettext("Edit %(name)s", name=changed.name)
        lead = words.gettext("Earlier runs keep their settings; the next run uses these.")
    view = View(
        lead=lead,
        action=action,
        cancel=path,
        tabs=tabs,
        form=form,
        groups=[_shown_group(group) for group in groups_of(words, form, values, error)],
        list=f"{visit.base}/bots",
        prefix=OWN_PREFIX,
        why=_why(words, values.get("why", "")),
        error=error,
    )
    return visit.page("bots/bot_form.html", title, view=view, status=400 if error else 200)


def _shown_group(group: FieldGroup) -> View:
    """Return a group of fields; the limits are for experts, and open where one of them is filled in or wrong."""
    expert = all(field.name.startswith("limits_") for field in group.fields)
    filled = any(field.error or field.value for field in group.fields)
    return View(title=group.title, fields=group.fields, expert=expert, open=expert and filled)


def _read_form(form: Form) -> tuple[str, dict[str, str]]:
    """Return which form was sent, and its fields as they were typed."""
    wanted = form.choice("form", tuple(bot_forms()), "http")
    chosen = wanted if wanted in bot_forms() else "http"
    return chosen, {name: form.text(name, most=bots.MAX_ENTRY) for name in (*field_names(chosen), "why")}


def _why(words: Words, value: str = "") -> Field:
    return Field("why", words.gettext("Reason"), value=value, most=1000, help=words.gettext("Shown in the history."))
