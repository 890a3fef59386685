"""Imports: send a file or text, look at what would happen to every row, then do it."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from vivavoce.errors import InputError, UsageError
from vivavoce.files import formats
from vivavoce.messages import say
from vivavoce.records import AUTO
from vivavoce.web.answers import go, table_file
from vivavoce.web.forms import MAX_WHY, Fields, Form
from vivavoce.web.listing import PageNumber
from vivavoce.web.pages.topics.import_preview import make_view, read_choices
from vivavoce.web.parts import Field
from vivavoce.web.rendering import View
from vivavoce.web.uploads import read_encoding, sent_source
from vivavoce.web.visits import EditorVisit, Visit
from vivavoce.workspace.topics.importing import (
    PENDING,
    apply_import,
    change_import,
    open_import,
    prepare_import,
    settled_choices,
)
from vivavoce.workspace.topics.incoming import MODES, Choices, Kind, source_of_text

router = APIRouter()
MAX_PASTED = 4_000_000
ROW_COLUMNS = ("number", "what", "text", "topic", "reason", "language", "created", "answer", "owner")


@router.get("/p/{slug}/import")
def show_import(visit: EditorVisit) -> Response:
    """Show the form that takes a file or text."""
    return _import_page(visit)


@router.post("/p/{slug}/import")
def take_import(visit: EditorVisit, form: Form) -> Response:
    """Read what was sent and lead to its preview."""
    try:
        choices = _first_choices(form)
        pasted = "" if form.has_file("file") else form.text("pasted", most=MAX_PASTED)
        form.check()
        if not pasted and not form.has_file("file"):
            raise UsageError(
                say("no file or text given"),
                where="file",
                remedy=say("choose a file, or paste messages"),
            )
        source = source_of_text(pasted) if pasted else sent_source(form)
        preview = prepare_import(*visit.acting, source, choices)
    except InputError as error:
        return _import_page(visit, form, error)
    return go(f"{visit.base}/import/{preview.key}")


@router.get("/p/{slug}/import/{key}.{kind}")
def export_preview(visit: EditorVisit, key: str, kind: str) -> Response:
    """Return every row of a preview with what would happen to it."""
    preview = open_import(*visit.acting, key)
    rows = [
        (
            *(row.number, row.kind, row.text, row.topic or "", row.reason),
            row.language,
            row.created,
            row.answer,
            row.owner,
        )
        for row in preview.plan.rows
    ]
    return table_file(f"{visit.project.slug}-import", kind, ROW_COLUMNS, rows)


@router.get("/p/{slug}/import/{key}")
def show_preview(
    visit: EditorVisit, key: str, kind: Annotated[Kind | Literal[""], Query()] = "", page_number: PageNumber = 1
) -> Response:
    """Show what would happen to every row."""
    return _preview_page(visit, key, kind, page_number)


@router.post("/p/{slug}/import/{key}")
def read_again(visit: EditorVisit, key: str, form: Form) -> Response:
    """Read the same file otherwise."""
    try:
        choices = read_choices(form, open_import(*visit.acting, key))
        form.check()
        preview = change_import(*visit.acting, key, choices)
    except InputError as error:
        return _preview_page(visit, key, error=error)
    return go(f"{visit.base}/import/{preview.key}")


@router.post("/p/{slug}/import/{key}/apply")
def apply(visit: EditorVisit, key: str, form: Form) -> Response:
    """Do what the preview says; where the form says something else, show first what that would do."""
    try:
        preview = open_import(*visit.acting, key)
        choices, settled = read_choices(form, preview), settled_choices(preview)
        form.check()
        if choices != settled:
            changed = change_import(*visit.acting, key, choices)
            text = visit.words.gettext("You changed how the file is read. Check the preview, then import.")
            return visit.done(f"{visit.base}/import/{changed.key}", text)
        edit = apply_import(*visit.acting, key, why=form.text("why", most=MAX_WHY))
    except UsageError as error:
        return _preview_page(visit, key, error=error)
    return visit.done(f"{visit.base}/topics", visit.words.gettext("Import complete."), edit)


@router.post("/p/{slug}/import/{key}/drop")
def drop(visit: EditorVisit, key: str) -> Response:
    """Forget a preview."""
    PENDING.drop(*visit.acting, key)
    return visit.done(f"{visit.base}/topics", visit.words.gettext("Nothing was imported."))


def _first_choices(form: Fields) -> Choices:
    """Return the choices of the first form; those of a table are found out."""
    mode = form.choice("mode", MODES, "add")
    return Choices(
        text_column=form.text("text_column", most=200),
        topic_column=form.text("topic_column", most=200),
        out_of_scope=form.text("out_of_scope", most=200) or AUTO,
        topic=form.text("topic", most=200),
        mode="replace" if mode == "replace" else "add",
        overwrite=form.flag("overwrite"),
        encoding=read_encoding(form),
        several="all",
        twins=True,
    )


def _import_page(visit: Visit, form: Fields | None = None, error: InputError | None = None) -> Response:
    words = visit.words
    paste_help = words.gettext(
        "One message per line: the message, a tab, its topic. Or a whole table with its column names."
    )
    topic_help = words.gettext("For pasted lines without a topic.")
    pasted, topic = (form.text("pasted", most=MAX_PASTED), form.text("topic", most=200)) if form else ("", "")
    view = View(
        action=f"{visit.base}/import",
        cancel=f"{visit.base}/topics",
        accept=",".join(formats.list_extensions(formats.Kind.TRAINING)),
        fields=(
            Field("pasted", words.gettext("Messages"), "textarea", pasted, help=paste_help, rows=6),
            Field("topic", words.gettext("Topic"), value=topic, help=topic_help, most=200),
        ),
        error=error,
    )
    title, status = words.gettext("Import topics"), 400 if error else 200
    return visit.page("topics/import.html", title, view=view, status=status)


def _preview_page(
    visit: Visit, key: str, kind: str = "", number: int = 1, error: InputError | None = None
) -> Response:
    preview = open_import(*visit.acting, key)
    view = make_view(visit, preview, kind, number, error)
    title, status = visit.words.gettext("Review the import"), 400 if error else 200
    return visit.page("topics/import_preview.html", title, view=view, status=status)
