"""The list of examples that say nearly the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from vivavoce.web.access import InStore, ProjectInPath, Reader
from vivavoce.web.answers import page, words_of
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, PageNumber
from vivavoce.web.parts import Choice, Field, Pager
from vivavoce.workspace.topics.duplicates import TwinPage, Twins, list_duplicates

router = APIRouter()
APART = "apart"


@dataclass(frozen=True, slots=True)
class DuplicatesView:
    """Groups of examples that say nearly the same."""

    lead: str
    path: str
    base: str
    groups: tuple[Twins, ...]
    filters: tuple[Field, ...]
    pager: Pager


@router.get("/p/{slug}/topics/duplicates")
def show_duplicates(
    request: Request,
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    *,
    show: Annotated[Literal["", "apart"], Query()] = "",
    page_number: PageNumber = 1,
) -> Response:
    """Show the examples that say nearly the same, those under different topics first."""
    words, path = words_of(request), f"/p/{project.slug}/topics/duplicates"
    listing = Listing(path, {"show": show}, page=page_number)
    found = list_duplicates(store, project, apart=show == APART, limit=listing.size, offset=listing.offset)
    view = DuplicatesView(
        _lead(words, found),
        path,
        f"/p/{project.slug}",
        found.groups,
        (Field("show", words.gettext("Show"), "select", show, choices=_kinds(words)),),
        listing.pager(found.total),
    )
    title = words.gettext("Nearly the same examples")
    return page(request, "topics/duplicates.html", title, view=view, project=project, section="topics")


def _kinds(words: Words) -> tuple[Choice, ...]:
    return Choice("", words.gettext("all")), Choice(APART, words.gettext("under different topics"))


def _lead(words: Words, found: TwinPage) -> str:
    if not found.total:
        return words.gettext("No two examples say nearly the same.")
    write = Writer(words)
    groups = words.ngettext(
        "%(count)s group of examples that say nearly the same",
        "%(count)s groups of examples that say nearly the same",
        found.total,
        count=write.number(found.total),
    )
    if not found.apart:
        return words.gettext("%(groups)s, each within one topic.", groups=groups)
    return words.ngettext(
        "%(groups)s; %(count)s of them stands under different topics, where the bot cannot get all of it right.",
        "%(groups)s; %(count)s of them stand under different topics, where the bot cannot get all of it right.",
        found.apart,
        groups=groups,
        count=write.number(found.apart),
    )
