"""Conversations: choose what is held with whom, see how much that is, begin; and the runs so far."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.errors import InputError, UsageError
from vivavoce.messages import say
from vivavoce.store.rows import RunState
from vivavoce.web.formats import Writer
from vivavoce.web.forms import Fields, Form
from vivavoce.web.language import Words
from vivavoce.web.option_forms import choice_fields, choice_picks, query_fields, read_choice, rules_of
from vivavoce.web.pages.exams.findings import run_columns, run_row
from vivavoce.web.progress import run_path
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.conversations import conversations
from vivavoce.workspace.conversations.choices import Choice, Offer, check_choice, offer, size_ahead
from vivavoce.workspace.exams import runs
from vivavoce.workspace.scenarios.suites import list_suites

router = APIRouter(prefix="/p/{slug}/conversations")
SHOWN_RUNS = 10
SHOWN_WARNINGS = 20


@router.get("")
def show_conversations(visit: ReaderVisit) -> Response:
    """Show the form and the runs so far."""
    form = query_fields(visit.request)
    suites = form.all("suite") or [line.suite.id for line in list_suites(visit.store, visit.project)[:1]]
    try:
        offered = offer(visit.store, visit.project, *suites) if suites else None
    except InputError as error:
        return _conversations_page(visit, form, None, error=error)
    return _conversations_page(visit, form, offered, looked=form.flag("look"))


@router.post("")
def begin(visit: EditorVisit, form: Form) -> Response:
    """Begin a run."""
    offered: Offer | None = None
    try:
        suites = form.all("suite")
        if not suites:
            raise UsageError(say("choose at least one suite"), where="suite", remedy=say("tick one"))
        offered = offer(visit.store, visit.project, *suites)
        choice, rules = read_choice(form, offered), rules_of(visit.request)
        form.check()
        run = conversations.start_conversations(visit.store, visit.actor, visit.project, choice, rules)
    except InputError as error:
        return _conversations_page(visit, form, offered, error=error)
    return visit.done(run_path(visit.project, run), visit.words.gettext("Run started."))


def _conversations_page(
    visit: Visit, form: Fields, offered: Offer | None, *, looked: bool = False, error: InputError | None = None
) -> Response:
    words = visit.words
    page = runs.list_runs(visit.store, visit.project, kind=conversations.KIND, limit=SHOWN_RUNS)
    begin_form, error = _begin_form(visit, form, offered, looked, error) if offered else (None, error)
    done = [line.run for line in page.lines if line.run.state is RunState.DONE]
    going = sum(line.run.state.open for line in page.lines)
    if not page.total:
        lead = words.gettext("No conversations run yet.")
    elif going:
        lead = words.ngettext("%(num)s run in progress.", "%(num)s runs in progress.", going)
    else:
        lead = words.said(done[0].headline) if done else words.gettext("No completed runs yet.")
    actions = [Link(words.gettext("Scenarios"), f"{visit.base}/suites")]
    if len(done) > 1:
        both = f"?a={done[1].number}&b={done[0].number}"
        actions.append(Link(words.gettext("Compare two runs"), f"{visit.base}/conversations/compare{both}"))
    view = View(
        lead=lead,
        actions=actions,
        form=begin_form,
        empty=Link(words.gettext("Import a suite"), f"{visit.base}/suites"),
        columns=run_columns(words),
        rows=[run_row(visit, line) for line in page.lines],
        all_runs=f"{visit.base}/runs?kind={conversations.KIND}" if page.total > SHOWN_RUNS else "",
        error=error,
    )
    title, status = words.gettext("Conversations"), 400 if error else 200
    return visit.page("conversations/conversations.html", title, view=view, status=status)


def _begin_form(
    visit: Visit, form: Fields, offered: Offer, looked: bool, error: InputError | None
) -> tuple[View, InputError | None]:
    words, choice = visit.words, read_choice(form, offered)
    checked, size = None, ""
    try:
        size = _describe_size(words, offered, choice)
        if error is None:
            form.check()
            checked = check_choice(offered, choice, rules_of(visit.request)) if looked else None
    except InputError as refusal:
        error = error or refusal
    fields = choice_fields(words, form)
    warnings = checked.warnings if checked else ()
    view = View(
        action=f"{visit.base}/conversations",
        picks=choice_picks(words, offered, choice, list_suites(visit.store, visit.project), error),
        fields=fields.first,
        more=fields.more,
        size=size,
        looked=checked is not None,
        errors=checked.errors if checked else (),
        warnings=warnings[:SHOWN_WARNINGS],
        more_warnings=max(0, len(warnings) - SHOWN_WARNINGS),
        no_bots=None if offered.bots else Link(words.gettext("Add a bot"), f"{visit.base}/bots"),
    )
    return view, error


def _describe_size(words: Words, offered: Offer, choice: Choice) -> str:
    """Say how much would be held: the same sentence before a run as its result will show."""
    size, writer, bots = size_ahead(offered, choice), Writer(words), len(choice.bots)

    def count(conversations: int, messages: int) -> tuple[str, str]:
        return (
            words.ngettext(
                "%(num)s conversation", "%(num)s conversations", conversations, num=writer.number(conversations)
            ),
            words.ngettext("%(num)s message", "%(num)s messages", messages, num=writer.number(messages)),
        )

    held, sent = count(size.conversations, size.messages)
    each = words.gettext("%(conversations)s with %(messages)s", conversations=held, messages=sent)
    if not bots:
        return words.gettext("%(each)s per bot.", each=each)
    held, sent = count(size.talks, size.total_messages)
    return words.gettext(
        "%(each)s; with %(bots)s and %(repeats)s, %(talks)s and %(total)s in total.",
        each=each,
        bots=words.ngettext("%(num)s bot", "%(num)s bots", bots),
        repeats=words.ngettext("%(num)s repeat", "%(num)s repeats", choice.repeats),
        talks=held,
        total=sent,
    )
