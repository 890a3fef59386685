"""What programs can do here: the operations of the API, from its own description."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from vivavoce.errors import AbsentError, nearest
from vivavoce.messages import say
from vivavoce.web.access import Reader
from vivavoce.web.answers import page, words_of
from vivavoce.web.api.reading import Operation, read_operations
from vivavoce.web.language import Words
from vivavoce.web.rendering import Link

router = APIRouter()


@dataclass(frozen=True, slots=True)
class ApiView:
    """All operations in a list, or those of one group with all that they take."""

    groups: tuple[Link, ...]
    operations: tuple[Operation, ...]
    group: str
    lead: str
    description: str


@router.get("/api")
def show_api(request: Request, who: Reader, group: Annotated[str, Query(max_length=40)] = "") -> Response:
    """Show the operations of the API."""
    words = words_of(request)
    found = read_operations(request.app.openapi())
    names = tuple(dict.fromkeys(one.group for one in found))
    if group and group not in names:
        raise AbsentError(
            say("there is no group '{group}'.{nearest}", group=group, nearest=nearest(group, names)),
            remedy=say("choose one from the list"),
        )
    chosen = tuple(one for one in found if group in ("", one.group))
    links = (Link(words.gettext("All operations"), "/api", not group), *(_link(name, group) for name in names))
    view = ApiView(links, chosen, group, _lead(words, len(chosen)), request.app.openapi_url)
    return page(request, "projects/api.html", words.gettext("API"), view=view, section="help")


def _link(name: str, current: str) -> Link:
    return Link(name, f"/api?group={name}", name == current)


def _lead(words: Words, n: int) -> str:
    return words.ngettext(
        "%(num)s operation: programs do with a key what people do in these pages.",
        "%(num)s operations: programs do with a key what people do in these pages.",
        n,
    )
