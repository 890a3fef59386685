"""The list of examples that say nearly the same."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.web.forms import MAX_WHY
from vivavoce.web.listing import Listing, PageNumber
from vivavoce.web.pages.topics.choosing import Ticked, target_field
from vivavoce.web.parts import Field
from vivavoce.web.rendering import View
from vivavoce.web.visits import ReaderVisit, Visit
from vivavoce.workspace.topics.datasets import TwinPage, list_duplicates

router = APIRouter()
# What forms of this page send as the place from which they come.
DUPLICATES = "duplicates"
NOTHING_TICKED = Ticked()


@router.get("/p/{slug}/topics/duplicates")
def show_duplicates(
    visit: ReaderVisit, show: Annotated[Literal["", "apart"], Query()] = "", page_number: PageNumber = 1
) -> Response:
    """Show the examples that say nearly the same, those under different topics first."""
    return duplicates_page(visit, show=show, number=page_number)


def duplicates_page(
    visit: Visit,
    *,
    show: str = "",
    number: int = 1,
    ticked: Ticked = NOTHING_TICKED,
    why: str = "",
    error: InputError | None = None,
) -> Response:
    """Return the page, with what was ticked in a form that was refused."""
    words, listing = visit.words, Listing(f"{visit.base}/topics/{DUPLICATES}", {"show": show}, page=number)
    every = list_duplicates(*visit.here, limit=0)
    page = list_duplicates(*visit.here, apart=show == "apart", limit=listing.size, offset=listing.offset)
    choices = (("", words.gettext("all"), every.total), ("apart", words.gettext("in different topics"), every.apart))
    view = View(
        lead=_lead(visit, every),
        base=visit.base,
        groups=page.groups,
        seg=[
            View(title=title, count=count, href=listing.address(show=value), current=value == show)
            for value, title, count in choices
        ]
        if every.total
        else (),
        moving=(target_field(visit), Field("reason", words.gettext("Reason"), value=why, most=MAX_WHY)),
        ticked=frozenset(ticked.ids),
        pager=listing.pager(page.total),
        error=error,
    )
    title = words.gettext("Near-duplicate examples")
    return visit.page("topics/duplicates.html", title, view=view, status=400 if error else 200)


def _lead(visit: Visit, page: TwinPage) -> str:
    words, number = visit.words, visit.write.number
    if not page.total:
        return words.gettext("No near-duplicate examples.")
    groups = words.ngettext(
        "%(count)s group of near-duplicate examples",
        "%(count)s groups of near-duplicate examples",
        page.total,
        count=number(page.total),
    )
    if not page.apart:
        return words.gettext("%(groups)s, each within one topic.", groups=groups)
    return words.ngettext(
        "%(groups)s; %(count)s of them spans different topics, so the bot cannot get all of it right.",
        "%(groups)s; %(count)s of them span different topics, so the bot cannot get all of them right.",
        page.apart,
        groups=groups,
        count=number(page.apart),
    )
