"""Files that are imported: read as they were sent, shown as a sheet, and what would become of their rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol, TypeVar

from fastapi import Request
from starlette.datastructures import UploadFile

from vivavoce.web.access import config_of
from vivavoce.web.formats import Writer
from vivavoce.web.forms import Fields
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing
from vivavoce.web.parts import Choice, Field
from vivavoce.web.rendering import Link, View
from vivavoce.web.security.uploads import saved_upload
from vivavoce.workspace.uploads import ENCODINGS, Encoding, Layout, SheetRow, Source, column_letter

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
    words: Words, listing: Listing, rows: Sequence[Planned], counts: Mapping[KindT, int], titles: Mapping[KindT, str]
) -> View:
    """Return some rows of one kind, the ways to the others, and all of them as files.

    `counts` and `titles` are given by kind, in the order in which they matter.
    """
    there = [kind for kind in counts if counts[kind]]
    chosen = listing.chosen["kind"] or next(iter(there), [*counts][-1])
    of_kind = [row for row in rows if row.kind == chosen]
    kind_listing, number = replace(listing, chosen={"kind": chosen}), Writer(words).number
    texts = {kind: f"{words.gettext(titles[kind])} ({number(counts[kind])})" for kind in there}
    return View(
        kind=chosen,
        rows=kind_listing.cut(of_kind),
        tabs=tuple(Link(text, kind_listing.address(kind=kind), kind == chosen) for kind, text in texts.items()),
        pager=kind_listing.pager(len(of_kind)),
        downloads=Listing(listing.path).downloads(),
    )


# So many rows after the header can be chosen as the header instead.
BELOW = 2
MAX_SHEET = 100
LAST_ROW = 10_000_000
RoleT = TypeVar("RoleT", bound=str)


@dataclass(frozen=True, slots=True)
class ColumnHead:
    """What a column is called in a spreadsheet and in the file, and what it holds."""

    field: str
    letter: str
    name: str
    role: str


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row of the preview: before the header, the header itself, or below it; `choosable`: it may be the header."""

    number: int
    cells: tuple[str, ...]
    kind: str = ""
    choosable: bool = False

    @property
    def title(self) -> str:
        """The text of a row before the header that has no other."""
        return self.cells[0] if self.kind == "above" and not any(self.cells[1:]) else ""


def sheet_part(words: Words, layout: Layout, titles: Mapping[RoleT, str], refused: Collection[int] = ()) -> View:
    """Return what the macro `sheet` shows; `titles` are the roles that a column can have, in their order."""
    heads = [
        ColumnHead(f"role_{place}", column_letter(place), name, layout.roles[place])
        for place, name in enumerate(layout.columns)
    ]
    return View(
        layout=layout,
        heads=heads,
        roles=tuple(Choice(role, words.gettext(title)) for role, title in titles.items()),
        rows=_list_rows(layout, refused),
        left_out=_name_left_out(words, layout),
        skipped=_name_skipped(words, layout),
        encoding_name=encoding_titles(words).get(_plain_encoding(layout.encoding), ""),
    )


def _list_rows(layout: Layout, refused: Collection[int]) -> list[ShownRow]:
    width = len(layout.columns)

    def show(row: SheetRow, kind: str, *, choosable: bool = False) -> ShownRow:
        return ShownRow(row.number, (*row.cells, *[""] * (width - len(row.cells))), kind, choosable)

    rows = [show(row, "above", choosable=True) for row in layout.above]
    if layout.header:
        rows.append(show(SheetRow(layout.header, layout.columns), "header", choosable=True))
    for place, row in enumerate(layout.rows):
        kind = "refused" if row.number in refused else ""
        rows.append(show(row, kind, choosable=bool(layout.header) and place < BELOW))
    return rows


def _name_left_out(words: Words, layout: Layout) -> str:
    places = layout.left_out
    if not places:
        return ""
    names = [
        layout.columns[place] or words.gettext("column %(letter)s", letter=column_letter(place)) for place in places
    ]
    return words.ngettext(
        "%(num)s column is left out: %(names)s.", "%(num)s columns are left out: %(names)s.", len(names),
        names=", ".join(names),
    )  # fmt: skip


def _name_skipped(words: Words, layout: Layout) -> str:
    if not layout.skipped:
        return ""
    return words.ngettext(
        "%(num)s row above the column names is skipped.",
        "%(num)s rows above the column names are skipped.",
        layout.skipped,
    )


def encoding_titles(words: Words) -> dict[Encoding, str]:
    """Return what each encoding is called."""
    return {
        "": words.gettext("detect automatically"),
        "utf-8": "UTF-8",
        "cp1252": words.gettext("Windows-1252 (older Excel, Western Europe)"),
        "utf-16": "UTF-16",
        "mac-roman": words.gettext("Mac Roman (older Excel on a Mac)"),
        "cp850": words.gettext("DOS 850 (text files of older programs)"),
    }


def _plain_encoding(name: str) -> Encoding:
    """Return the encoding that people choose for one that was found out."""
    plain = name.removesuffix("-sig").removesuffix("-le").removesuffix("-be")
    return next((known for known in ENCODINGS if known == plain), "")


def encoding_field(words: Words, chosen: Encoding) -> Field:
    """Return the choice of how letters are written."""
    options = tuple(Choice(name, title) for name, title in encoding_titles(words).items())
    help_text = words.gettext("For text files with garbled umlauts or accents.")
    return Field("encoding", words.gettext("Encoding"), "select", chosen, help=help_text, choices=options)


def read_encoding(form: Fields) -> Encoding:
    """Return the encoding that a form names."""
    chosen = form.choice("encoding", ENCODINGS)
    return next((name for name in ENCODINGS if name == chosen), "")


def read_layout(form: Fields, seen: Layout, known: Sequence[str]) -> dict[str, Any]:
    """Return `sheet`, `header` and `roles` of a form that showed a table.

    Another sheet or header has other columns, whose roles are detected anew.
    """
    sheet = form.text("to_sheet", most=MAX_SHEET) or seen.sheet
    header = form.whole("header", seen.header, low=0, high=LAST_ROW)
    if sheet != seen.sheet:
        return {"sheet": sheet, "header": 0, "roles": ()}
    if header != seen.header:
        return {"sheet": sheet, "header": header, "roles": ()}
    roles = [form.choice(f"role_{place}", known) for place in range(len(seen.columns))]
    for place, role in enumerate(roles):
        # A role that was just given to one column is taken from the other.
        if role and roles.count(role) > 1 and role == seen.roles[place]:
            roles[place] = ""
    own = tuple(role if role not in roles[:place] else "" for place, role in enumerate(roles))
    return {"sheet": sheet, "header": header, "roles": own}


def file_facts(words: Words, layout: Layout, size: int) -> str:
    """Return what there is to say of a file: its size, its sheets and its rows."""
    number = Writer(words).number
    facts = [f"{number(-(-size // 1024))} KB" if size < 2**20 else f"{number(round(size / 2**20, 1))} MB"]
    if layout.sheets:
        facts.append(words.ngettext("%(num)s sheet", "%(num)s sheets", len(layout.sheets)))
    if layout.total:
        facts.append(words.ngettext("%(num)s row", "%(num)s rows", layout.total))
    return ", ".join(facts)
