"""Conversations: choose what is held with whom, see how much that is, begin; and the runs so far."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, RunState
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader
from vivavoce.web.answers import done, page, words_of
from vivavoce.web.conversation_forms import (
    choice_fields,
    choice_picks,
    query_fields,
    read_choice,
    rules_of,
)
from vivavoce.web.formats import Writer
from vivavoce.web.forms import Fields, Form
from vivavoce.web.language import Words
from vivavoce.web.listing import Word
from vivavoce.web.pages.exams.runs import run_columns, run_row
from vivavoce.web.parts import Choice as Option
from vivavoce.web.parts import Field
from vivavoce.web.progress import run_path
from vivavoce.web.rendering import Link, View
from vivavoce.workspace.conversations import conversations
from vivavoce.workspace.conversations.choices import Checked, Choice, Offer, check_choice, offer, size_ahead
from vivavoce.workspace.exams import runs
from vivavoce.workspace.scenarios.suites import list_suites

router = APIRouter(prefix="/p/{slug}/conversations")
SHOWN_RUNS = 10
SHOWN_WARNINGS = 20


@dataclass(frozen=True)
class _Filled:
    """A form as somebody filled it in, and what came of it."""

    form: Fields
    found: Offer | None
    looked: bool = False
    error: InputError | None = None


@router.get("")
def show_conversations(
    request: Request, who: Reader, store: InStore, project: ProjectInPath, suite: Word = ""
) -> Response:
    """Show the form and the runs so far."""
    form = query_fields(request)
    try:
        found = _found(store, project, suite)
    except InputError as error:
        return _conversations_page(request, store, project, _Filled(form, None, error=error))
    return _conversations_page(request, store, project, _Filled(form, found, form.flag("look")))


@router.post("")
def begin(request: Request, who: Editor, store: InStore, project: ProjectInPath, form: Form) -> Response:
    """Begin a run."""
    found: Offer | None = None
    try:
        found = offer(store, project, form.text("suite"))
        choice = read_choice(form, found)
        form.check()
        run = conversations.start_conversations(store, who.actor, project, choice, rules_of(request))
    except InputError as error:
        return _conversations_page(request, store, project, _Filled(form, found, error=error))
    return done(run_path(project, run), words_of(request).gettext("The conversations begin."))


def _found(store: Store, project: Project, suite: str) -> Offer | None:
    if suite:
        return offer(store, project, suite)
    first = next(iter(list_suites(store, project)), None)
    return None if first is None else offer(store, project, first.suite.id)


def _conversations_page(request: Request, store: Store, project: Project, filled: _Filled) -> Response:
    words = words_of(request)
    lines = runs.list_runs(store, project, kind=conversations.KIND, limit=SHOWN_RUNS)
    form, error = _form(request, store, project, filled)
    view = View(
        lead=_lead(words, lines),
        actions=_actions(words, project, lines),
        form=form,
        empty=Link(words.gettext("Bring in a suite"), f"/p/{project.slug}/suites"),
        columns=run_columns(words),
        rows=tuple(run_row(words, project, line) for line in lines.lines),
        all_runs=f"/p/{project.slug}/runs?kind={conversations.KIND}" if lines.total > SHOWN_RUNS else "",
        error=error,
    )
    title, status = words.gettext("Conversations"), 400 if error else 200
    return page(
        request,
        "conversations/conversations.html",
        title,
        view=view,
        project=project,
        section="conversations",
        status=status,
    )


def _lead(words: Words, lines: runs.RunPage) -> str:
    if not lines.total:
        return words.gettext("No conversation has been held yet.")
    over = next((line.run for line in lines.lines if line.run.state is RunState.DONE), None)
    going = sum(line.run.state.open for line in lines.lines)
    if going:
        return words.ngettext("%(num)s run is going on.", "%(num)s runs are going on.", going)
    return words.said(over.headline) if over else words.gettext("No run has been completed yet.")


def _actions(words: Words, project: Project, lines: runs.RunPage) -> tuple[Link, ...]:
    over = [line.run for line in lines.lines if line.run.state is RunState.DONE]
    links = [Link(words.gettext("Scenarios"), f"/p/{project.slug}/suites")]
    if len(over) > 1:
        both = f"?a={over[1].number}&b={over[0].number}"
        links.append(Link(words.gettext("Compare two runs"), f"/p/{project.slug}/conversations/compare{both}"))
    return tuple(links)


# --- the form ----------------------------------------------------------------------------------------------------


def _form(request: Request, store: Store, project: Project, filled: _Filled) -> tuple[View | None, InputError | None]:
    """Return the form and why it cannot be used as it is."""
    if filled.found is None:
        return None, filled.error
    words, found = words_of(request), filled.found
    choice = read_choice(filled.form, found)
    error, checked, size = filled.error, None, ""
    try:
        size = _size_text(words, found, choice)
        if error is None:
            filled.form.check()
            checked = check_choice(found, choice, rules_of(request)) if filled.looked else None
    except InputError as wrong:
        error = error or wrong
    return _begin_form(words, store, project, filled, choice, size, checked, error), error


def _begin_form(  # noqa: PLR0917 - all that a form shows
    words: Words,
    store: Store,
    project: Project,
    filled: _Filled,
    choice: Choice,
    size: str,
    checked: Checked | None,
    error: InputError | None,
) -> View | None:
    found = filled.found
    if found is None:
        return None
    fields = choice_fields(words, filled.form)
    warnings = checked.warnings if checked else ()
    return View(
        action=f"/p/{project.slug}/conversations",
        suite=found.row.id,
        suites=_suite_fields(words, store, project, found),
        picks=choice_picks(words, found, choice, error),
        fields=fields.first,
        more=fields.more,
        size=size,
        looked=checked is not None,
        errors=checked.errors if checked else (),
        warnings=warnings[:SHOWN_WARNINGS],
        more_warnings=max(0, len(warnings) - SHOWN_WARNINGS),
        no_bots=None if found.bots else Link(words.gettext("Add a bot"), f"/p/{project.slug}/bots"),
    )


def _suite_fields(words: Words, store: Store, project: Project, found: Offer) -> tuple[Field, ...]:
    options = tuple(
        Option(line.suite.id, f"{line.suite.title or line.suite.name} ({line.scenarios})")
        for line in list_suites(store, project)
    )
    return (Field("suite", words.gettext("Suite of scenarios"), "select", found.row.id, choices=options),)


def _size_text(words: Words, found: Offer, choice: Choice) -> str:
    """Say how much would be held: the same sentence before a run as its result will show."""
    size, writer = size_ahead(found, choice), Writer(words)
    n, m, bots = size.conversations, size.messages, len(choice.bots)
    conversations_said = words.ngettext("%(num)s conversation", "%(num)s conversations", n, num=writer.number(n))
    messages_said = words.ngettext("%(num)s message", "%(num)s messages", m, num=writer.number(m))
    each = words.gettext(
        "%(conversations)s with %(messages)s", conversations=conversations_said, messages=messages_said
    )
    if not bots:
        return words.gettext("%(each)s for each bot.", each=each)
    talks, total = size.talks, size.total_messages
    return words.gettext(
        "%(each)s; with %(bots)s and %(repeats)s, %(talks)s and %(total)s in all.",
        each=each,
        bots=words.ngettext("%(num)s bot", "%(num)s bots", bots),
        repeats=words.ngettext("%(num)s repeat", "%(num)s repeats", choice.repeats),
        talks=words.ngettext("%(num)s conversation", "%(num)s conversations", talks, num=writer.number(talks)),
        total=words.ngettext("%(num)s message", "%(num)s messages", total, num=writer.number(total)),
    )
