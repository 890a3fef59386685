"""What programs can do here: the operations of the API, from its own description."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from vivavoce.errors import AbsentError, nearest
from vivavoce.messages import say
from vivavoce.web.access import Reader
from vivavoce.web.answers import page, words_of
from vivavoce.web.api.description import read_operations
from vivavoce.web.rendering import Link, View

router = APIRouter()


@router.get("/api")
def show_api(request: Request, who: Reader, group: Annotated[str, Query(max_length=40)] = "") -> Response:
    """Show the operations of the API."""
    words = words_of(request)
    operations = read_operations(request.app.openapi())
    names = tuple(dict.fromkeys(operation.group for operation in operations))
    if group and group not in names:
        raise AbsentError(
            say("there is no group '{group}'.{nearest}", group=group, nearest=nearest(group, names)),
            remedy=say("choose one from the list"),
        )
    chosen = [operation for operation in operations if group in ("", operation.group)]
    view = View(
        groups=(
            Link(words.gettext("All operations"), "/api", not group),
            *(Link(name, f"/api?group={name}", name == group) for name in names),
        ),
        operations=chosen,
        group=group,
        lead=words.ngettext(
            "%(num)s operation. With a key, programs can do what people do on these pages.",
            "%(num)s operations. With a key, programs can do what people do on these pages.",
            len(chosen),
        ),
        description=request.app.openapi_url,
    )
    return page(request, "projects/api.html", words.gettext("API"), view=view)
