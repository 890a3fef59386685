"""Talks are brought in: a file with a preview of every talk, or the conversations of a run."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.files import formats
from vivavoce.web.answers import go, table_file
from vivavoce.web.forms import Fields, Form
from vivavoce.web.listing import LARGEST, Listing, PageNumber
from vivavoce.web.pages.dialogues.import_preview import first_choices, make_view, read_choices
from vivavoce.web.parts import Choice, Field
from vivavoce.web.rendering import View
from vivavoce.web.uploads import sent_source
from vivavoce.web.visits import EditorVisit, Visit
from vivavoce.workspace.dialogues.imports import (
    PENDING,
    Kind,
    Taken,
    add_talks,
    apply_talks,
    change_talks,
    open_talks,
    prepare_talks,
)
from vivavoce.workspace.dialogues.reading import TalkChoices, talks_of_run
from vivavoce.workspace.exams import runs

router = APIRouter(prefix="/p/{slug}/dialogues/add")
MAX_RUNS = 100
COLUMNS = ("what", "place", "talk", "bot", "messages", "marks", "begins", "reason")


@router.get("")
def show_add(visit: EditorVisit) -> Response:
    """Show the ways in which talks can be brought in."""
    return _add_page(visit)


@router.post("")
def take_file(visit: EditorVisit, form: Form) -> Response:
    """Read a file and lead to its preview."""
    try:
        choices = first_choices(form)
        form.check()
        source = sent_source(form)
        preview = prepare_talks(visit.store, visit.actor, visit.project, source, choices, undecided=True)
    except InputError as error:
        return _add_page(visit, form, error)
    return go(f"{visit.base}/dialogues/add/{preview.key}")


@router.post("/run")
def take_run(visit: EditorVisit, form: Form) -> Response:
    """Take the conversations of a run."""
    number = form.whole("run", 0, low=1, high=LARGEST)
    choices = first_choices(form)
    try:
        form.check()
        taken = add_talks(
            visit.store,
            visit.actor,
            visit.project,
            talks_of_run(visit.store, visit.project, number),
            TalkChoices(choices.batch or f"run {number}", existing=choices.existing),
        )
    except InputError as error:
        return _add_page(visit, form, error)
    return _lead_on(visit, taken)


@router.get("/{key}.{kind}")
def export_preview(visit: EditorVisit, key: str, kind: Literal["csv", "xlsx"]) -> Response:
    """Return every talk of a preview with what would become of it."""
    preview = open_talks(visit.store, visit.actor, visit.project, key)
    rows = [
        (row.kind, row.place, row.name, row.bot, row.messages, row.marks, row.begins, row.reason)
        for row in preview.rows
    ]
    return table_file(f"{visit.project.slug}-talks", kind, COLUMNS, rows)


@router.get("/{key}")
def show_preview(
    visit: EditorVisit, key: str, kind: Annotated[Kind | Literal[""], Query()] = "", page_number: PageNumber = 1
) -> Response:
    """Show what would become of every dialogue."""
    return _preview_page(visit, key, kind, page_number)


@router.post("/{key}")
def read_again(visit: EditorVisit, key: str, form: Form) -> Response:
    """Take the same file in otherwise."""
    try:
        choices = read_choices(form, open_talks(visit.store, visit.actor, visit.project, key))
        form.check()
        preview = change_talks(visit.store, visit.actor, visit.project, key, choices)
    except InputError as error:
        return _preview_page(visit, key, error=error)
    return go(f"{visit.base}/dialogues/add/{preview.key}")


@router.post("/{key}/apply")
def apply(visit: EditorVisit, key: str, form: Form) -> Response:
    """Do what the preview says; where the form says something else, show first what that would do."""
    try:
        preview = open_talks(visit.store, visit.actor, visit.project, key)
        choices = read_choices(form, preview)
        form.check()
        if choices != preview.settled:
            changed = change_talks(visit.store, visit.actor, visit.project, key, choices)
            text = visit.words.gettext("You changed how the file is read. Check the preview, then import.")
            return visit.done(f"{visit.base}/dialogues/add/{changed.key}", text)
        taken = apply_talks(visit.store, visit.actor, visit.project, key)
    except InputError as error:
        return _preview_page(visit, key, error=error)
    return _lead_on(visit, taken)


@router.post("/{key}/drop")
def drop(visit: EditorVisit, key: str) -> Response:
    """Forget a preview."""
    PENDING.drop(visit.store, visit.actor, visit.project, key)
    return visit.done(f"{visit.base}/dialogues", visit.words.gettext("Nothing was imported."))


def _lead_on(visit: Visit, taken: Taken) -> Response:
    text = visit.words.gettext(
        "Imported: %(added)s new, %(replaced)s replaced, %(skipped)s skipped, %(refused)s rejected.",
        added=taken.added,
        replaced=taken.replaced,
        skipped=taken.skipped,
        refused=len(taken.refused),
    )
    return visit.done(Listing(f"{visit.base}/dialogues").address(batch=taken.batch), text)


def _add_page(visit: Visit, form: Fields | None = None, error: InputError | None = None) -> Response:
    words, base = visit.words, f"{visit.base}/dialogues"
    page = runs.list_runs(visit.store, visit.project, kind="conversations", limit=MAX_RUNS)
    choices = tuple(
        Choice(str(line.run.number), f"{line.run.number}: {words.ours(line.run.title)}")
        for line in page.lines
        if not line.run.state.open
    )
    run_field = Field("run", words.gettext("Run"), "select", form.text("run") if form else "", choices=choices)
    view = View(
        action=f"{base}/add",
        back=base,
        accept=",".join(formats.list_extensions(formats.Kind.DIALOGUES)),
        run_fields=(run_field,) if choices else (),
        error=error,
    )
    title, status = words.gettext("Import dialogues"), 400 if error else 200
    return visit.page("dialogues/add.html", title, view=view, status=status)


def _preview_page(
    visit: Visit, key: str, kind: str = "", number: int = 1, error: InputError | None = None
) -> Response:
    preview = open_talks(visit.store, visit.actor, visit.project, key)
    view = make_view(visit, preview, kind, number, error)
    title, status = visit.words.gettext("Review the import"), 400 if error else 200
    return visit.page("dialogues/preview.html", title, view=view, status=status)
