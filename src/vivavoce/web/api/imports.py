"""Imports in two steps: what would happen to every row, then all of it as one edit."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, UploadFile
from fastapi import Form as FormField
from pydantic import BaseModel, ConfigDict, Field

from vivavoce.records import AUTO
from vivavoce.store.rows import Edit
from vivavoce.web.access import Editor, InStore, ProjectInPath
from vivavoce.web.api.bodies import Body
from vivavoce.web.api.lists import Limit, Listed, Offset, listed
from vivavoce.web.api.places import Place
from vivavoce.web.api.texts import Id, Text, Why
from vivavoce.web.uploads import uploaded_source
from vivavoce.workspace.topics import importing
from vivavoce.workspace.topics.incoming import Encoding, source_of_text
from vivavoce.workspace.topics.plans import Effect, Kind, Mode, PlannedRow

router = APIRouter(tags=["imports"])
Name = Annotated[Text, Field(max_length=200)]


class ImportChoices(Body):
    """How a source is to be read, and what is to be done with it. `encoding` of a file; empty: found out.

    `out_of_scope` names the topic of messages that no topic fits. `auto`: the usual names, such as `oos`, `fallback`
    or `None`; `-`: none, every name is a topic.
    """

    text_column: Name = ""
    topic_column: Name = ""
    out_of_scope: Name = AUTO
    topic: Name = ""
    mode: Mode = "add"
    overwrite: bool = False
    encoding: Encoding = ""

    def chosen(self) -> importing.Choices:
        """Return the choices as the workspace knows them."""
        return importing.Choices(
            self.text_column,
            self.topic_column,
            self.out_of_scope,
            self.topic,
            self.mode,
            self.overwrite,
            self.encoding,
        )


class FormChoices(ImportChoices):
    """The same as fields of a form, where everything is text and the file is a field as well."""

    model_config = ConfigDict(extra="ignore")
    overwrite: Annotated[bool, Field(strict=False)] = False


class PastedText(ImportChoices):
    """Lines `message TAB topic`, or a table with its column names."""

    # What cannot be kept is refused row by row, with its reason.
    text: Annotated[str, Field(min_length=1, max_length=4_000_000)]


class Applying(Body):
    """Why the import is done."""

    why: Why = ""


class Prepared(BaseModel):
    """What an import would do; `key` is needed to do it. `unclear`: which columns are to be named first."""

    key: str
    name: str
    counts: dict[Kind, int]
    effect: Effect
    notes: list[str]
    columns: list[str]
    unclear: str


@router.post("/projects/{slug}/imports", status_code=201)
def prepare_import(who: Editor, store: InStore, project: ProjectInPath, place: Place, body: PastedText) -> Prepared:
    """Read text and say what would happen; nothing is changed yet."""
    source = source_of_text(body.text)
    preview = importing.prepare_import(store, who.actor, project, source, body.chosen())
    place("projects", project.slug, "imports", preview.key)
    return _prepared(preview)


@router.post("/projects/{slug}/imports/file", status_code=201)
def prepare_import_file(
    request: Request,
    who: Editor,
    store: InStore,
    project: ProjectInPath,
    place: Place,
    *,
    file: UploadFile,
    choices: Annotated[FormChoices, FormField()],
) -> Prepared:
    """Read a file (CSV, TSV, XLSX, JSON, JSON Lines) and say what would happen; nothing is changed yet."""
    source = uploaded_source(request, file)
    preview = importing.prepare_import(store, who.actor, project, source, choices.chosen())
    place("projects", project.slug, "imports", preview.key)
    return _prepared(preview)


@router.get("/projects/{slug}/imports/{key}")
def show_import(who: Editor, store: InStore, project: ProjectInPath, key: Id) -> Prepared:
    """Return what an import would do."""
    return _prepared(importing.open_import(store, who.actor, project, key))


@router.put("/projects/{slug}/imports/{key}")
def change_import(who: Editor, store: InStore, project: ProjectInPath, key: Id, body: ImportChoices) -> Prepared:
    """Read the same source otherwise; the answer has another key."""
    return _prepared(importing.change_import(store, who.actor, project, key, body.chosen()))


@router.get("/projects/{slug}/imports/{key}/rows")
def list_import_rows(
    who: Editor,
    store: InStore,
    project: ProjectInPath,
    *,
    key: Id,
    kind: Annotated[Kind | None, Query()] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Listed[PlannedRow]:
    """Return rows of a preview with what would happen to each."""
    preview = importing.open_import(store, who.actor, project, key)
    rows = [row for row in preview.plan.rows if kind is None or row.kind == kind]
    return listed(rows[offset : offset + limit], len(rows))


@router.post("/projects/{slug}/imports/{key}/apply", status_code=201)
def apply_import(  # noqa: PLR0917
    who: Editor, store: InStore, project: ProjectInPath, place: Place, key: Id, body: Applying
) -> Edit:
    """Do what the preview says, as one edit."""
    edit = importing.apply_import(store, who.actor, project, key, why=body.why)
    place("projects", project.slug, "edits", edit.id)
    return edit


@router.delete("/projects/{slug}/imports/{key}", status_code=204)
def drop_import(who: Editor, store: InStore, project: ProjectInPath, key: Id) -> None:
    """Forget a preview."""
    importing.drop_import(store, who.actor, project, key)


def _prepared(preview: importing.Preview) -> Prepared:
    return Prepared(
        key=preview.key,
        name=preview.name,
        counts=preview.plan.counts,
        effect=preview.plan.effect,
        notes=list(preview.notes),
        columns=list(preview.columns),
        unclear=preview.unclear,
    )
