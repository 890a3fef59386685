"""Files that are brought in: read as they were sent, and what would become of their rows, a kind at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol, TypeVar

from fastapi import Request
from starlette.datastructures import UploadFile

from vivavoce.web.access import config_of
from vivavoce.web.formats import Writer
from vivavoce.web.forms import Fields
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing
from vivavoce.web.rendering import Link, View
from vivavoce.web.security.uploads import saved_upload
from vivavoce.workspace.uploads import Source

ROWS = 100


class Planned(Protocol):
    """A row of which is known what would become of it."""

    @property
    def kind(self) -> str:
        """What would become of it, in a word."""


KindT = TypeVar("KindT", bound=str)


def sent_source(form: Fields) -> Source:
    """Return the file that came with a form."""
    with form.file("file") as path:
        return Source(path.name, path.read_bytes())


def uploaded_source(request: Request, file: UploadFile) -> Source:
    """Return the file that a program sent."""
    with TemporaryDirectory(prefix="viva-") as folder:
        path = saved_upload(file, Path(folder), max_bytes=config_of(request).max_upload_mb * 2**20)
        return Source(path.name, path.read_bytes())


def asked_rows(path: str, kind: str = "", number: int = 1) -> Listing:
    """Return which rows of a preview are to be shown; no kind: the first of which there are any."""
    return Listing(path, {"kind": kind}, page=number, size=ROWS)


def rows_part(
    words: Words, asked: Listing, rows: Sequence[Planned], counts: Mapping[KindT, int], titles: Mapping[KindT, str]
) -> View:
    """Return some rows of one kind, the ways to the others, and all of them as files.

    `counts` and `titles` are given by kind, in the order in which they matter.
    """
    there = [kind for kind in counts if counts[kind]]
    chosen = asked.chosen["kind"] or next(iter(there), [*counts][-1])
    of_kind = [row for row in rows if row.kind == chosen]
    listing, number = replace(asked, chosen={"kind": chosen}), Writer(words).number
    texts = {kind: f"{words.gettext(titles[kind])} ({number(counts[kind])})" for kind in there}
    return View(
        kind=chosen,
        rows=listing.cut(of_kind),
        tabs=tuple(Link(text, listing.address(kind=kind), kind == chosen) for kind, text in texts.items()),
        pager=listing.pager(len(of_kind)),
        downloads=Listing(asked.path).downloads(),
    )
