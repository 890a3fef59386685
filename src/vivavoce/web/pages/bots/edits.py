"""Bots are added, changed and deleted, by admins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.store.database import Store
from vivavoce.store.rows import Project
from vivavoce.web.access import Admin, InStore, ProjectInPath
from vivavoce.web.answers import done, page, words_of
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
from vivavoce.web.rendering import Link
from vivavoce.workspace.bots import bots
from vivavoce.workspace.bots.chatting import list_partners

router = APIRouter(prefix="/p/{slug}/bots")


@dataclass(frozen=True, slots=True)
class BotFormView:
    """The form of a bot as it was filled in."""

    lead: str
    action: str
    cancel: str
    tabs: tuple[Link, ...]
    form: str
    groups: tuple[FieldGroup, ...]
    why: Field
    error: InputError | None = None


@dataclass(frozen=True, slots=True)
class DeleteView:
    """A bot that is about to be deleted."""

    text: str
    path: str
    why: Field


@router.get("/new")
def show_new(request: Request, who: Admin, project: ProjectInPath, form: Word = "http") -> Response:
    """Show the form for another bot."""
    return _new_page(request, project, form if form in bot_forms() else "http", {"method": "POST"})


@router.post("/new")
def add_bot(request: Request, who: Admin, store: InStore, project: ProjectInPath, form: Form) -> Response:
    """Add a bot."""
    chosen, values = _typed(form)
    try:
        form.check()
        entry = entry_of(chosen, values, {})
        edit = bots.add_bot(
            store, who.actor, project, values["name"], entry, rules=rules_of(request), why=form.text("why", most=1000)
        )
    except InputError as error:
        return _new_page(request, project, chosen, values, error)
    said = words_of(request).gettext("The bot %(name)s is added. Test the connection next.", name=values["name"])
    return done(f"/p/{project.slug}/bots/{_added(store, project, values['name'])}", said, project=project, edit=edit)


@router.get("/{bot_id}/edit")
def show_form(  # noqa: PLR0917
    request: Request, who: Admin, store: InStore, project: ProjectInPath, bot_id: str, form: Word = ""
) -> Response:
    """Show the form of a bot."""
    line = bots.show_bot(store, project, bot_id)
    suits = form_of(line.bot.entry)
    chosen = form if form in (suits, "yaml") else suits
    values = {"name": line.bot.name, "method": "POST", **_filled(values_of(chosen, line.bot.entry))}
    return _edit_page(request, project, line, chosen, values)


@router.post("/{bot_id}/edit")
def change_bot(  # noqa: PLR0917
    request: Request, who: Admin, store: InStore, project: ProjectInPath, bot_id: str, form: Form
) -> Response:
    """Change a bot."""
    line = bots.show_bot(store, project, bot_id)
    chosen, values = _typed(form)
    try:
        form.check()
        edit = bots.change_bot(
            store,
            who.actor,
            project,
            bot_id,
            name=values["name"],
            entry=entry_of(chosen, values, line.bot.entry),
            rules=rules_of(request),
            why=form.text("why", most=1000),
        )
    except InputError as error:
        return _edit_page(request, project, line, chosen, values, error)
    said = words_of(request).gettext("The bot %(name)s is changed.", name=values["name"])
    return done(f"/p/{project.slug}/bots/{bot_id}", said, project=project, edit=edit)


@router.get("/{bot_id}/delete")
def ask_to_delete(request: Request, who: Admin, store: InStore, project: ProjectInPath, bot_id: str) -> Response:
    """Ask before a bot is deleted."""
    words, line = words_of(request), bots.show_bot(store, project, bot_id)
    said = words.gettext(
        "The bot %(name)s goes from this project. What runs found about it stays, and it can be brought back.",
        name=line.bot.name,
    )
    view = DeleteView(said, f"/p/{project.slug}/bots/{bot_id}", _why(words))
    title = words.gettext("Delete this bot?")
    return page(request, "bots/bot_delete.html", title, view=view, project=project, section="bots")


@router.post("/{bot_id}/delete")
def delete_bot(  # noqa: PLR0917
    request: Request, who: Admin, store: InStore, project: ProjectInPath, bot_id: str, form: Form
) -> Response:
    """Delete a bot."""
    edit = bots.delete_bot(store, who.actor, project, bot_id, why=form.text("why")[:1000])
    return done(
        f"/p/{project.slug}/bots", words_of(request).gettext("The bot is deleted."), project=project, edit=edit
    )


# --- the form ----------------------------------------------------------------------------------------------------


def _new_page(
    request: Request, project: Project, form: str, values: Mapping[str, str], error: InputError | None = None
) -> Response:
    words, path = words_of(request), f"/p/{project.slug}/bots"
    tabs = form_links(words, f"{path}/new", form)
    lead = words.gettext("Say how the bot is reached; nothing is sent to it before you test it.")
    view = BotFormView(
        lead, f"{path}/new", path, tabs, form, groups_of(words, form, values, error), _why(words, values), error
    )
    return _form_page(request, words.gettext("Add a bot"), project, view)


def _edit_page(  # noqa: PLR0917
    request: Request,
    project: Project,
    line: bots.BotLine,
    form: str,
    values: Mapping[str, str],
    error: InputError | None = None,
) -> Response:
    words, path = words_of(request), f"/p/{project.slug}/bots/{line.bot.id}"
    forms = dict.fromkeys((form_of(line.bot.entry), "yaml"))
    tabs = tuple(Link(form_title(words, each), f"{path}/edit?form={each}", each == form) for each in forms)
    lead = words.gettext("Runs that were held keep what held then; the next run asks the bot as it is said here.")
    view = BotFormView(
        lead, f"{path}/edit", path, tabs, form, groups_of(words, form, values, error), _why(words, values), error
    )
    return _form_page(request, words.gettext("Change %(name)s", name=line.bot.name), project, view)


def _form_page(request: Request, title: str, project: Project, view: BotFormView) -> Response:
    status = 400 if view.error else 200
    return page(request, "bots/bot_form.html", title, view=view, project=project, section="bots", status=status)


def _typed(form: Form) -> tuple[str, dict[str, str]]:
    """Return which form was sent, and its fields as they were typed."""
    wanted = form.choice("form", tuple(bot_forms()), "http")
    chosen = wanted if wanted in bot_forms() else "http"
    return chosen, {name: form.text(name, most=bots.MOST_ENTRY) for name in (*field_names(chosen), "why")}


def _filled(values: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}


def _why(words: Words, values: Mapping[str, str] | None = None) -> Field:
    said = (values or {}).get("why", "")
    return Field("why", words.gettext("Why"), value=said, most=1000, help=words.gettext("For the history."))


def _added(store: Store, project: Project, name: str) -> str:
    kept = " ".join(name.split())
    return next((bot.id for bot in list_partners(store, project) if bot.name == kept), "")
