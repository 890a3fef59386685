"""Where new things are: the address that the answer to making them carries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated
from urllib.parse import quote, urlencode

from fastapi import Depends, Request, Response

Placing = Callable[..., None]


async def placing(request: Request, response: Response) -> Placing:
    """Return what names the place of a new thing by the steps of its address within the API.

    Things that have no address of their own are a list that is narrowed by a query.
    """
    prefix = "/".join(request.url.path.split("/")[:3])

    def place(*steps: object, **query: str) -> None:
        path = "/".join((prefix, *(quote(str(step), safe="") for step in steps)))
        response.headers["Location"] = f"{path}?{urlencode(query)}" if query else path

    return place


Place = Annotated[Placing, Depends(placing)]
