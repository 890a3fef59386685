"""Openings: imported from a file, or renewed from the address in the settings."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.errors import VivaError
from vivavoce.reports.shared.views import Cell, make_table
from vivavoce.web.failures import status_of
from vivavoce.web.forms import Form
from vivavoce.web.listing import Listing, read_listing
from vivavoce.web.pages.assistant.tasks import tasks_view
from vivavoce.web.parts import Field
from vivavoce.web.rendering import View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.assistant import openings, tasks
from vivavoce.workspace.assistant.settings import find_settings

router = APIRouter(prefix="/p/{slug}/openings")
FIRST_PAGE = Listing("", {}, "", 1, 50)


@router.get("")
def show_openings(visit: ReaderVisit, asked: Listing = read_listing()) -> Response:  # noqa: B008 - a dependency
    """Show the openings."""
    return _openings_page(visit, asked)


@router.post("")
def import_openings(visit: EditorVisit, form: Form) -> Response:
    """Replace the openings by those of a file, or have a worker fetch those of the address."""
    words, write = visit.words, visit.write
    if form.text("do") == "renew":
        tasks.ask_for(*visit.acting, "feed")
        return visit.done(f"{visit.base}/openings", words.gettext("The openings will be renewed."))
    try:
        with form.file("file") as path:
            renewed = openings.import_openings(*visit.acting, openings.read_feed(path.read_bytes()))
    except VivaError as error:
        return _openings_page(visit, FIRST_PAGE, error)
    text = words.gettext(
        "%(total)s openings: %(added)s new, %(gone)s gone; %(told)s subscribers get a mail.",
        total=write.number(renewed.total),
        added=write.number(renewed.added),
        gone=write.number(renewed.gone),
        told=write.number(renewed.told),
    )
    return visit.done(f"{visit.base}/openings", text)


def _openings_page(visit: Visit, asked: Listing, error: VivaError | None = None) -> Response:
    words, listing = visit.words, asked.at(f"{visit.base}/openings")
    rows, total = openings.list_openings(*visit.here, listing.size, listing.offset)
    head = (words.gettext("Title"), words.gettext("Place"), words.gettext("Contract"), words.gettext("Posted"))
    table = make_table(
        words.gettext("Openings"),
        head,
        [
            (Cell(row.title, href=row.url) if row.url else row.title, row.place, row.contract, row.posted)
            for row in rows
        ],
    )
    accept = ".csv,.json,text/csv,application/json"
    view = View(
        lead=words.ngettext("%(num)s opening.", "%(num)s openings.", total),
        action=f"{visit.base}/openings",
        settings=f"{visit.base}/assistant",
        feed=find_settings(*visit.here).feed,
        tasks=tasks_view(visit, "feed"),
        table=table,
        pager=listing.pager(total),
        file=Field("file", words.gettext("File"), "file", accept=accept, required=True),
        may_edit=visit.who.may("editor"),
        error=error,
    )
    status = status_of(error) if error else 200
    return visit.page("assistant/openings.html", words.gettext("Openings"), view=view, status=status)
