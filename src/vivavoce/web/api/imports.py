"""Imports in two steps: what would happen to every row, then all of it as one edit."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, UploadFile
from fastapi import Form as FormField
from pydantic import BaseModel, ConfigDict, Field

from vivavoce.records import AUTO
from vivavoce.store.rows import Edit
from vivavoce.web.api.bodies import Body, Id, Limit, Listed, Offset, Place, Text, Why, build, make_list
from vivavoce.web.uploads import uploaded_source
from vivavoce.web.visits import EditorVisit
from vivavoce.workspace.topics import importing
from vivavoce.workspace.topics.incoming import (
    Choices,
    ColumnRole,
    Kind,
    Missing,
    Mode,
    PlannedRow,
    Several,
    source_of_text,
)
from vivavoce.workspace.topics.plans import Effect
from vivavoce.workspace.uploads import Encoding

router = APIRouter(tags=["imports"])
Name = Annotated[Text, Field(max_length=200)]


class ImportChoices(Body):
    """How to read a source and what to do with it. `encoding` of a file; empty: detected.

    `out_of_scope`: the topic name of out-of-scope questions. `auto`: the usual names, such as `oos`, `fallback` or
    `None`; `-`: none, every name is a topic. `sheet`, `header` (the row number of the column names) and
    `roles` (what each column contains, in order; empty: ignored) are detected by default.
    `missing`: what to do with rows without a topic; `several`: which of several answers to keep. `twins`:
    merge topics that differ only in case, punctuation or a plural.
    """

    text_column: Name = ""
    topic_column: Name = ""
    out_of_scope: Name = AUTO
    topic: Name = ""
    mode: Mode = "add"
    overwrite: bool = False
    encoding: Encoding = ""
    sheet: Name = ""
    header: Annotated[int, Field(ge=0, le=10_000_000)] = 0
    roles: Annotated[list[ColumnRole], Field(max_length=1000)] = Field(default_factory=list)
    missing: Missing = "refuse"
    several: Several = "first"
    twins: bool = False

    def read_options(self) -> Choices:
        """Return the choices as the workspace knows them."""
        values = {name: getattr(self, name) for name in ImportChoices.model_fields}
        return Choices(**{**values, "roles": tuple(self.roles)})


class FormChoices(ImportChoices):
    """The same as form fields, where all values are text and the file is a field too."""

    model_config = ConfigDict(extra="ignore")
    overwrite: Annotated[bool, Field(strict=False)] = False
    header: Annotated[int, Field(ge=0, le=10_000_000, strict=False)] = 0
    twins: Annotated[bool, Field(strict=False)] = False


class PastedText(ImportChoices):
    """Lines `message TAB topic`, or a table with column names."""

    # What cannot be kept is refused row by row, with its reason.
    text: Annotated[str, Field(min_length=1, max_length=4_000_000)]


class Applying(Body):
    """The reason for an import."""

    why: Why = ""


class Prepared(BaseModel):
    """What an import would do; apply it with `key`. `unclear`: columns that you must name first."""

    key: str
    name: str
    counts: dict[Kind, int]
    effect: Effect
    notes: tuple[str, ...]
    columns: tuple[str, ...]
    unclear: str


@router.post("/projects/{slug}/imports", status_code=201)
def prepare_import(visit: EditorVisit, place: Place, body: PastedText) -> Prepared:
    """Preview an import of text; nothing changes yet."""
    source = source_of_text(body.text)
    preview = importing.prepare_import(*visit.acting, source, body.read_options())
    return place(_describe(preview), "imports", preview.key)


@router.post("/projects/{slug}/imports/file", status_code=201)
def prepare_import_file(
    visit: EditorVisit, place: Place, *, file: UploadFile, choices: Annotated[FormChoices, FormField()]
) -> Prepared:
    """Preview an import of a file (CSV, TSV, XLSX, JSON, JSON Lines); nothing changes yet."""
    source = uploaded_source(visit.request, file)
    preview = importing.prepare_import(*visit.acting, source, choices.read_options())
    return place(_describe(preview), "imports", preview.key)


@router.get("/projects/{slug}/imports/{key}")
def show_import(visit: EditorVisit, key: Id) -> Prepared:
    """Get the preview of an import."""
    return _describe(importing.open_import(*visit.acting, key))


@router.put("/projects/{slug}/imports/{key}")
def change_import(visit: EditorVisit, key: Id, body: ImportChoices) -> Prepared:
    """Read the same source with other options; returns a preview with a new key."""
    return _describe(importing.change_import(*visit.acting, key, body.read_options()))


@router.get("/projects/{slug}/imports/{key}/rows")
def list_import_rows(
    visit: EditorVisit,
    *,
    key: Id,
    kind: Annotated[Kind | None, Query()] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Listed[PlannedRow]:
    """List the rows of a preview with the effect on each."""
    preview = importing.open_import(*visit.acting, key)
    rows = [row for row in preview.plan.rows if kind is None or row.kind == kind]
    return make_list(rows[offset : offset + limit], len(rows))


@router.post("/projects/{slug}/imports/{key}/apply", status_code=201)
def apply_import(visit: EditorVisit, place: Place, key: Id, body: Applying) -> Edit:
    """Apply a previewed import as one edit."""
    edit = importing.apply_import(*visit.acting, key, why=body.why)
    return place(edit, "edits", edit.id)


@router.delete("/projects/{slug}/imports/{key}", status_code=204)
def drop_import(visit: EditorVisit, key: Id) -> None:
    """Discard a preview."""
    importing.PENDING.drop(*visit.acting, key)


def _describe(preview: importing.Preview) -> Prepared:
    return build(Prepared, preview, preview.plan)
