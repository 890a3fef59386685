"""Logged talks: the list, the worst first, the batches in which they came, and the start of their exam."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from markupsafe import Markup
from starlette.responses import Response

from vivavoce.errors import AbsentError, AccessError, InputError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.repositories.dialogues import SORTS, DialogueFilter
from vivavoce.store.rows import Project
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader, Visitor
from vivavoce.web.answers import done, page, table_file, words_of
from vivavoce.web.cells import link_cell
from vivavoce.web.field_faults import fault_at
from vivavoce.web.formats import Writer
from vivavoce.web.forms import Form
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, ListView, PageNumber, Search, Word, check_ending
from vivavoce.web.pages.dialogues.views import SECTION, base_path, bot_field, mark_cell, score_cell, section_tabs
from vivavoce.web.pages.exams.runs import run_columns, run_row
from vivavoce.web.parts import Choice, Column, Field, Row, hidden_field, named_choices
from vivavoce.web.progress import run_path
from vivavoce.web.rendering import Link, View
from vivavoce.workspace.dialogues import dialogues
from vivavoce.workspace.dialogues.dialogues import TalkLine, list_talks
from vivavoce.workspace.exams import runs
from vivavoce.workspace.exams.allowed import SHIPPED_RATER

router = APIRouter(prefix="/p/{slug}/dialogues")
LAST_RUNS = 5
MOST_EXPORTED = 50_000
MARKED = {"with": True, "without": False}
COLUMNS = (
    "name", "bot", "batch", "messages", "score", "low", "high", "refusal", "mark", "marks", "passed", "run", "begins",
    "created",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class TalksView(ListView):
    """Some talks, and what narrows them down. `any`: there are talks at all."""

    tabs: tuple[Link, ...]
    actions: tuple[Link, ...]
    any: bool
    begin: Link | None
    run_columns: tuple[Column, ...]
    runs: tuple[Row, ...]


# --- the list ----------------------------------------------------------------------------------------------------


async def _asked_talks(  # noqa: PLR0917 - what narrows a list down
    bot: Word = "", batch: Word = "", marks: Word = "", q: Search = "", sort: Word = "", page: PageNumber = 1
) -> Listing:
    chosen = {"bot": bot, "batch": batch, "marks": marks, "q": q}
    return Listing("", chosen, sort if sort in SORTS else "score", page)


TalksAsked = Annotated[Listing, Depends(_asked_talks)]


@router.get("")
def show_talks(request: Request, who: Reader, store: InStore, project: ProjectInPath, asked: TalksAsked) -> Response:
    """Show talks, the worst first."""
    words, listing = words_of(request), asked.at(base_path(project))
    found = list_talks(store, project, _choice(asked), sort=asked.sort, limit=listing.size, offset=listing.offset)
    counts = dialogues.count_talks(store, project)
    last = runs.list_runs(store, project, kind=dialogues.KIND, limit=LAST_RUNS)
    view = TalksView(
        lead=_lead(words, counts),
        tabs=section_tabs(words, project, "", who.may("reviewer")),
        actions=_actions(words, project, who, counts),
        path=listing.path,
        fields=_filters(words, store, project, asked),
        columns=_columns(words, listing),
        rows=tuple(_row(words, project, line) for line in found.lines),
        pager=listing.pager(found.total),
        downloads=listing.downloads(),
        any=counts.talks > 0,
        begin=_begin(words, project, who),
        run_columns=run_columns(words),
        runs=tuple(run_row(words, project, line) for line in last.lines),
    )
    return page(
        request, "dialogues/dialogues.html", words.gettext("Dialogues"), view=view, project=project, section=SECTION
    )


@router.get(".{kind}")
def export_talks(who: Reader, store: InStore, project: ProjectInPath, kind: str, asked: TalksAsked) -> Response:
    """Return the list as CSV or XLSX."""
    check_ending("dialogues", kind)
    found = list_talks(store, project, _choice(asked), sort=asked.sort, limit=MOST_EXPORTED)
    rows = [tuple(getattr(line, name) for name in COLUMNS) for line in found.lines]
    return table_file(f"{project.slug}-dialogues", kind, COLUMNS, rows)


# --- batches -----------------------------------------------------------------------------------------------------


@router.get("/batches")
def show_batches(request: Request, who: Reader, store: InStore, project: ProjectInPath) -> Response:
    """Show the batches in which talks came."""
    words = words_of(request)
    found = dialogues.list_batches(store, project)
    titles = (words.gettext("Batch"), words.gettext("Talks"), words.gettext("Exam"), words.gettext("Delete"))
    shown = titles if who.may("editor") else titles[:2]
    view = View(
        lead=words.ngettext("The talks came in %(num)s batch.", "The talks came in %(num)s batches.", len(found)),
        tabs=section_tabs(words, project, "/batches", who.may("reviewer")),
        actions=tuple(link for link in (_begin(words, project, who),) if link),
        columns=tuple(Column(title, number=title == titles[1]) for title in shown),
        rows=tuple(Row(_batch_cells(words, project, name, n)[: len(shown)]) for name, n in found.items()),
    )
    return page(
        request, "dialogues/batches.html", words.gettext("Batches"), view=view, project=project, section=SECTION
    )


@router.get("/batches/delete")
def ask_to_delete(request: Request, who: Editor, store: InStore, project: ProjectInPath, name: Word) -> Response:
    """Ask before a batch is deleted."""
    words, found = words_of(request), dialogues.list_batches(store, project)
    if name not in found:
        raise AbsentError(say("there is no batch '{name}'", name=name), remedy=say("choose one from the list"))
    told = words.ngettext("%(num)s talk of the batch %(name)s goes.", "%(num)s talks of the batch %(name)s go.",
                          found[name], name=name)  # fmt: skip
    last = words.gettext("Their scores and people's marks go with them; they cannot be had back.")
    view = View(
        text=f"{told} {last}", action=f"{base_path(project)}/batches/delete", back=f"{base_path(project)}/batches",
        fields=(hidden_field("name", name),),
    )  # fmt: skip
    title = words.gettext("Delete this batch?")
    return page(request, "dialogues/delete.html", title, view=view, project=project, section=SECTION)


@router.post("/batches/delete")
def delete_batch(request: Request, who: Editor, store: InStore, project: ProjectInPath, form: Form) -> Response:
    """Delete the talks of a batch."""
    gone = dialogues.delete_batch(store, who.actor, project, form.text("name", most=dialogues.MOST_BATCH))
    said = words_of(request).ngettext("%(num)s talk is deleted.", "%(num)s talks are deleted.", gone)
    return done(f"{base_path(project)}/batches", said)


# --- the exam ----------------------------------------------------------------------------------------------------


@router.get("/score")
def show_score(request: Request, who: Editor, store: InStore, project: ProjectInPath, batch: Word = "") -> Response:
    """Show the form that starts an exam."""
    return _score_page(request, store, project, who, {"batch": batch})


@router.post("/score")
def start_scoring(request: Request, who: Editor, store: InStore, project: ProjectInPath, form: Form) -> Response:
    """Start an exam over a batch, or over all talks."""
    typed = {name: form.text(name, most=400) for name in ("batch", "title", "rater")}
    try:
        form.check()
        run = dialogues.begin_scoring(
            store,
            who.actor,
            project,
            batch=typed["batch"] or None,
            rater=typed["rater"] or SHIPPED_RATER,
            title=typed["title"],
        )
    except AccessError:
        raise
    except InputError as error:
        return _score_page(request, store, project, who, typed, error)
    return done(run_path(project, run), words_of(request).gettext("The exam is started. Its numbers appear here."))


def _score_page(  # noqa: PLR0917
    request: Request,
    store: Store,
    project: Project,
    who: Visitor,
    typed: dict[str, str],
    error: InputError | None = None,
) -> Response:
    words = words_of(request)
    batches = dialogues.list_batches(store, project)
    all_of_them = words.gettext("all talks (%(num)s)", num=Writer(words).number(sum(batches.values())))
    choices = (Choice("", all_of_them), *(Choice(name, f"{name} ({n:,})") for name, n in batches.items()))
    title = typed.get("title", "")
    fields: tuple[Field, ...] = (
        Field("batch", words.gettext("Which talks"), "select", typed.get("batch", ""), choices=choices),
        Field(
            "title", words.gettext("Title"), value=title, most=runs.MOST_TITLE, error=fault_at(error, "title"),
            help=words.gettext("Under which you find the exam again; left empty, the batch gives it."),
        ),
    )  # fmt: skip
    if who.may("admin"):
        fields += (_rater_field(words, typed.get("rater", "")),)
    lead = words.gettext("Every talk gets the mark from 1 to 5 that a person would probably give it.")
    view = View(lead=lead, action=f"{base_path(project)}/score", back=base_path(project), fields=fields, error=error)
    title, status = words.gettext("Score talks"), 400 if error else 200
    return page(request, "dialogues/score.html", title, view=view, project=project, section=SECTION, status=status)


def _rater_field(words: Words, value: str) -> Field:
    from vivavoce.dialogues.raters.registry import list_raters

    names = ", ".join(one.name for one in list_raters())
    told = words.gettext(
        "Left empty, the rater that comes with vivavoce. Others run code or ask a service: %(names)s.", names=names
    )
    return Field("rater", words.gettext("Rater"), value=value, help=told, most=400)


# --- parts -------------------------------------------------------------------------------------------------------


def _choice(asked: Listing) -> DialogueFilter:
    wanted = asked.wanted
    return DialogueFilter(wanted["batch"], wanted["bot"], wanted["q"], MARKED.get(asked.chosen["marks"]))


def _lead(words: Words, counts: dialogues.TalkCounts) -> str:
    number = Writer(words).number
    if not counts.talks:
        return words.gettext("No talk has been brought in yet.")
    told = words.ngettext("%(num)s talk is here", "%(num)s talks are here", counts.talks)
    return words.gettext(
        "%(talks)s: %(scored)s with a score, %(marked)s marked by people.",
        talks=told,
        scored=number(counts.scored),
        marked=number(counts.marked),
    )


def _begin(words: Words, project: Project, who: Visitor) -> Link | None:
    return Link(words.gettext("Bring talks in"), f"{base_path(project)}/add") if who.may("editor") else None


def _actions(words: Words, project: Project, who: Visitor, counts: dialogues.TalkCounts) -> tuple[Link, ...]:
    if not counts.talks or not who.may("reviewer"):
        return ()
    rate = Link(words.gettext("Rate talks"), f"{base_path(project)}/rate", key="r")
    if not who.may("editor"):
        return (rate,)
    score = Link(words.gettext("Score talks"), f"{base_path(project)}/score", key="s")
    add = Link(words.gettext("Bring talks in"), f"{base_path(project)}/add", key="a")
    return (score, rate, add)


def _filters(words: Words, store: Store, project: Project, asked: Listing) -> tuple[Field, ...]:
    chosen = asked.chosen
    of_batches = named_choices(dialogues.list_batches(store, project), words.gettext("all batches"))
    of_marks = (
        Choice("", words.gettext("all talks")),
        Choice("with", words.gettext("with a mark")),
        Choice("without", words.gettext("without a mark")),
    )
    return (
        Field("q", words.gettext("Search in talks"), "search", chosen["q"], key="/"),
        bot_field(words, store, project, chosen["bot"]),
        Field("batch", words.gettext("Batch"), "select", chosen["batch"], choices=of_batches),
        Field("marks", words.gettext("People's marks"), "select", chosen["marks"], choices=of_marks),
    )


def _columns(words: Words, listing: Listing) -> tuple[Column, ...]:
    from vivavoce.reports.dialogues.meanings import DIALOGUE_MEASURES

    score, mark = DIALOGUE_MEASURES["score"], DIALOGUE_MEASURES["mark"]
    return (
        listing.column(words.gettext("Talk"), "name"),
        Column(words.gettext("Bot")),
        listing.column(words.gettext("Score"), "score", number=True, meaning=words.said(score.meaning)),
        Column(words.gettext("People's mark"), number=True, meaning=words.said(mark.meaning)),
        Column(words.gettext("Messages"), number=True),
        listing.column(words.gettext("Came"), "created", down=True),
    )


def _row(words: Words, project: Project, line: TalkLine) -> Row:
    writer, link = Writer(words), link_cell(f"{base_path(project)}/{line.id}", line.name)
    name = Markup("{}<small>{}</small>").format(link, line.begins)
    came = Markup('<span class="n">{}</span><small>{}</small>').format(writer.ago(line.created), line.batch)
    score = score_cell(words, line.score, line.low, line.high, line.refusal)
    mark = mark_cell(words, line.mark, line.marks)
    return Row((name, line.bot or "", score, mark, writer.number(line.messages), came), line.id)


def _batch_cells(words: Words, project: Project, name: str, n: int) -> tuple[object, ...]:
    base = base_path(project)
    score = Listing(f"{base}/score").address(batch=name)
    delete = Listing(f"{base}/batches/delete").address(name=name)
    return (
        link_cell(Listing(base).address(batch=name), name),
        Writer(words).number(n),
        link_cell(score, words.gettext("Score these talks")),
        link_cell(delete, words.gettext("Delete this batch")),
    )
