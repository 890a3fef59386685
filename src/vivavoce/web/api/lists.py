"""Lists as the API answers them: one page of the items, and how many there are in all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Generic, TypeVar

from fastapi import Query
from pydantic import BaseModel

from vivavoce.web.listing import LARGEST

T = TypeVar("T")
MOST = 200

Asked = Annotated[str | None, Query(max_length=200)]
Limit = Annotated[int, Query(ge=1, le=MOST, description="At most so many items.")]
Offset = Annotated[int, Query(ge=0, le=LARGEST, description="So many items are skipped.")]


class Listed(BaseModel, Generic[T]):
    """Some items of a list."""

    items: list[T]
    total: int


def listed(items: Iterable[T], total: int | None = None) -> Listed[T]:
    """Return items as a list; without a total they are all there are."""
    found = list(items)
    return Listed(items=found, total=len(found) if total is None else total)
