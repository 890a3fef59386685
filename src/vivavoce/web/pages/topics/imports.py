"""Imports: send a file or text, look at what would happen to every row, then do it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from vivavoce.errors import InputError, UsageError
from vivavoce.files import formats
from vivavoce.messages import say
from vivavoce.records import AUTO
from vivavoce.store.rows import Project
from vivavoce.web.access import Editor, InStore, ProjectInPath
from vivavoce.web.answers import done, go, page, table_file, words_of
from vivavoce.web.formats import Writer
from vivavoce.web.forms import MOST_WHY, Fields, Form
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.listing import Listing, PageNumber
from vivavoce.web.parts import Choice, Field, Pager, named_choices
from vivavoce.web.rendering import Link
from vivavoce.web.uploads import asked_rows, rows_part, sent_source
from vivavoce.workspace.topics.importing import (
    Choices,
    Preview,
    apply_import,
    change_import,
    drop_import,
    open_import,
    prepare_import,
)
from vivavoce.workspace.topics.incoming import ENCODINGS, Encoding, source_of_text
from vivavoce.workspace.topics.plans import MODES, Kind, PlannedRow
from vivavoce.workspace.uploads import Source

router = APIRouter()
MOST_PASTED = 4_000_000
SHOWN_NAMES = 20
SLOW_ROWS = 20_000
ROW_COLUMNS = ("number", "what", "text", "topic", "reason", "language", "created", "answer")
KIND_TITLES: Mapping[Kind, str] = {
    "refused": gettext_noop("Refused"),
    "changed": gettext_noop("Accepted and put right"),
    "joined": gettext_noop("Joined with what is there"),
    "added": gettext_noop("Accepted"),
}


@dataclass(frozen=True, slots=True)
class ImportView:
    """The form that takes a file or text."""

    action: str
    cancel: str
    fields: tuple[Field, ...]
    error: InputError | None = None


@dataclass(frozen=True, slots=True)
class PreviewView:
    """What would happen to every row, one kind of them at a time."""

    lead: str
    path: str
    preview: Preview
    tabs: tuple[Link, ...]
    kind: str
    rows: tuple[PlannedRow, ...]
    pager: Pager
    downloads: tuple[Link, ...]
    fields: tuple[Field, ...]
    why: Field
    button: str
    facts: tuple[tuple[str, str], ...]
    slow: str
    error: InputError | None = None


@router.get("/p/{slug}/import")
def show_import(request: Request, who: Editor, project: ProjectInPath) -> Response:
    """Show the form that takes a file or text."""
    return _import_page(request, project)


@router.post("/p/{slug}/import")
def take_import(request: Request, who: Editor, store: InStore, project: ProjectInPath, form: Form) -> Response:
    """Read what was sent and lead to its preview."""
    try:
        choices = _choices(form)
        form.check()
        preview = prepare_import(store, who.actor, project, _source(form), choices)
    except InputError as error:
        return _import_page(request, project, form, error)
    return go(_path(project, preview.key))


@router.get("/p/{slug}/import/{key}.{kind}")
def export_preview(who: Editor, store: InStore, project: ProjectInPath, key: str, kind: str) -> Response:
    """Return every row of a preview with what would happen to it."""
    preview = open_import(store, who.actor, project, key)
    rows = [
        (row.number, row.kind, row.text, row.topic or "", row.reason, row.language, row.created, row.answer)
        for row in preview.plan.rows
    ]
    return table_file(f"{project.slug}-import", kind, ROW_COLUMNS, rows)


@router.get("/p/{slug}/import/{key}")
def show_preview(
    request: Request,
    who: Editor,
    store: InStore,
    project: ProjectInPath,
    *,
    key: str,
    kind: Annotated[Kind | Literal[""], Query()] = "",
    page_number: PageNumber = 1,
) -> Response:
    """Show what would happen to every row."""
    preview = open_import(store, who.actor, project, key)
    return _preview_page(request, project, preview, asked_rows(_path(project, key), kind, page_number))


@router.post("/p/{slug}/import/{key}")
def read_again(
    request: Request, who: Editor, store: InStore, project: ProjectInPath, *, key: str, form: Form
) -> Response:
    """Read the same file otherwise."""
    try:
        choices = _choices(form)
        form.check()
        preview = change_import(store, who.actor, project, key, choices)
    except InputError as error:
        return _refused_page(request, project, open_import(store, who.actor, project, key), error)
    return go(_path(project, preview.key))


@router.post("/p/{slug}/import/{key}/apply")
def apply(request: Request, who: Editor, store: InStore, project: ProjectInPath, *, key: str, form: Form) -> Response:
    """Do what the preview says."""
    try:
        edit = apply_import(store, who.actor, project, key, why=form.text("why", most=MOST_WHY))
    except UsageError as error:
        return _refused_page(request, project, open_import(store, who.actor, project, key), error)
    said = words_of(request).gettext("The import is done.")
    return done(f"/p/{project.slug}/topics", said, project=project, edit=edit)


@router.post("/p/{slug}/import/{key}/drop")
def drop(request: Request, who: Editor, store: InStore, project: ProjectInPath, key: str) -> Response:
    """Forget a preview."""
    drop_import(store, who.actor, project, key)
    return done(f"/p/{project.slug}/topics", words_of(request).gettext("Nothing was imported."))


# --- what was sent -----------------------------------------------------------------------------------------------


def _source(form: Fields) -> Source:
    if form.has_file("file"):
        return sent_source(form)
    pasted = form.text("pasted", most=MOST_PASTED)
    form.check()
    if not pasted:
        raise UsageError(
            say("there is neither a file nor a text"), where="file", remedy=say("choose a file, or paste messages")
        )
    return source_of_text(pasted)


def _choices(form: Fields) -> Choices:
    mode = form.choice("mode", MODES, "add")
    return Choices(
        text_column=form.text("text_column", most=200),
        topic_column=form.text("topic_column", most=200),
        out_of_scope=form.text("out_of_scope", most=200) or AUTO,
        topic=form.text("topic", most=200),
        mode="replace" if mode == "replace" else "add",
        overwrite=form.flag("overwrite"),
        encoding=_encoding(form),
    )


def _encoding(form: Fields) -> Encoding:
    said = form.choice("encoding", ENCODINGS)
    return next((one for one in ENCODINGS if one == said), "")


# --- pages -------------------------------------------------------------------------------------------------------


def _path(project: Project, key: str) -> str:
    return f"/p/{project.slug}/import/{key}"


def _import_page(
    request: Request, project: Project, form: Fields | None = None, error: InputError | None = None
) -> Response:
    words = words_of(request)
    file_help = words.gettext(
        "CSV, TSV, XLSX, JSON or JSON Lines with a column for the text and one for the topic; columns for the "
        "answer, the language and the date are read too."
    )
    paste_help = words.gettext(
        "One message on each line: the message, a tab, its topic. Or a whole table with its column names."
    )
    pasted = form.text("pasted", most=MOST_PASTED) if form else ""
    choices = _choices(form) if form else Choices()
    fields = (
        Field(
            "file",
            words.gettext("File"),
            "file",
            help=file_help,
            accept=",".join(formats.list_extensions(formats.Kind.TRAINING)),
        ),
        _encoding_field(words, choices),
        Field("pasted", words.gettext("Or paste text"), "textarea", pasted, help=paste_help, rows=8),
        _topic_field(words, choices),
        *_mode_fields(words, choices),
    )
    view = ImportView(f"/p/{project.slug}/import", f"/p/{project.slug}/topics", fields, error)
    status = 400 if error else 200
    title = words.gettext("Import topics")
    return page(request, "topics/import.html", title, view=view, project=project, section="topics", status=status)


def _refused_page(request: Request, project: Project, preview: Preview, error: InputError) -> Response:
    return _preview_page(request, project, preview, asked_rows(_path(project, preview.key)), error)


def _preview_page(
    request: Request, project: Project, preview: Preview, asked: Listing, error: InputError | None = None
) -> Response:
    words = words_of(request)
    part = rows_part(words, asked, preview.plan.rows, preview.plan.counts, KIND_TITLES)
    view = PreviewView(
        lead=_preview_lead(words, preview),
        path=asked.path,
        preview=preview,
        tabs=part.tabs,
        kind=part.kind,
        rows=part.rows,
        pager=part.pager,
        downloads=part.downloads,
        fields=(*_column_fields(words, preview), *_mode_fields(words, preview.choices)),
        why=Field("why", words.gettext("Why"), most=MOST_WHY),
        button=_button(words, preview),
        facts=tuple(_facts(words, preview)),
        slow=_slow(words, preview),
        error=error,
    )
    title = words.gettext("What the import would do")
    status = 400 if error else 200
    return page(
        request, "topics/import_preview.html", title, view=view, project=project, section="topics", status=status
    )


def _preview_lead(words: Words, preview: Preview) -> str:
    counts, write = preview.plan.counts, Writer(words)
    if preview.unclear:
        return words.gettext("Choose which column holds the text and which the topic.")
    accepted = counts["added"] + counts["changed"]
    return words.ngettext(
        "%(name)s: %(accepted)s row accepted, %(changed)s of them put right, %(joined)s joined, %(refused)s "
        "refused. Nothing is changed yet.",
        "%(name)s: %(accepted)s rows accepted, %(changed)s of them put right, %(joined)s joined, %(refused)s "
        "refused. Nothing is changed yet.",
        accepted,
        name=preview.name,
        accepted=write.number(accepted),
        changed=write.number(counts["changed"]),
        joined=write.number(counts["joined"]),
        refused=write.number(counts["refused"]),
    )


def _slow(words: Words, preview: Preview) -> str:
    """Return what to expect where so many rows take seconds."""
    if len(preview.plan.rows) < SLOW_ROWS:
        return ""
    return words.gettext("So many rows take some seconds; the next page comes when all of them are in.")


def _button(words: Words, preview: Preview) -> str:
    counts = preview.plan.counts
    n = counts["added"] + counts["changed"]
    if preview.choices.mode == "replace":
        return words.gettext("Replace everything")
    return words.ngettext("Import %(num)s row", "Import %(num)s rows", n)


def _facts(words: Words, preview: Preview) -> list[tuple[str, str]]:
    effect = preview.plan.effect
    none = words.gettext("none")
    found = [(words.gettext("New topics"), _named(effect.new_topics) or none)]
    if preview.choices.mode == "replace":
        found.append((words.gettext("Topics that go"), _named(effect.gone_topics) or none))
        found.append((words.gettext("Examples that go"), str(effect.gone_examples)))
    found.append((words.gettext("Answers written"), str(effect.answers)))
    if effect.kept_answers:
        title = words.gettext("Answers not taken, because another one is there or came first")
        found.append((title, _named(effect.kept_answers)))
    return found


def _named(names: Sequence[str]) -> str:
    if not names:
        return ""
    shown = ", ".join(names[:SHOWN_NAMES])
    return f"{len(names)}: {shown}{', ...' if len(names) > SHOWN_NAMES else ''}"


def _column_fields(words: Words, preview: Preview) -> tuple[Field, ...]:
    choices = preview.choices
    if preview.lines:
        return (_topic_field(words, choices),)
    written = () if preview.pasted else (_encoding_field(words, choices),)
    columns = named_choices(preview.columns[:200], words.gettext("found by its name"))
    return (
        Field("text_column", words.gettext("Column of the text"), "select", choices.text_column, choices=columns),
        Field("topic_column", words.gettext("Column of the topic"), "select", choices.topic_column, choices=columns),
        *written,
    )


def _encoding_field(words: Words, choices: Choices) -> Field:
    said = {
        "": words.gettext("found out by itself"),
        "utf-8": "UTF-8",
        "cp1252": words.gettext("Windows-1252 (older Excel, Western Europe)"),
        "utf-16": "UTF-16",
    }
    offered = tuple(Choice(one, said[one]) for one in ENCODINGS)
    told = words.gettext("For text files whose umlauts and accents look wrong.")
    return Field("encoding", words.gettext("Encoding"), "select", choices.encoding, help=told, choices=offered)


def _topic_field(words: Words, choices: Choices) -> Field:
    help_text = words.gettext("For pasted lines that name no topic.")
    return Field("topic", words.gettext("Topic"), value=choices.topic, help=help_text, most=200)


def _mode_fields(words: Words, choices: Choices) -> tuple[Field, ...]:
    modes = (
        Choice("add", words.gettext("add to what is there")),
        Choice("replace", words.gettext("replace everything that is there")),
    )
    stranger = words.gettext(
        "The topic of messages that the bot should not answer. auto: the usual names, such as oos, fallback or None; "
        "-: none, every name is a topic."
    )
    return (
        Field("out_of_scope", words.gettext("Name for out of scope"), value=choices.out_of_scope, help=stranger,
              most=200),
        Field("mode", words.gettext("What to do"), "select", choices.mode, choices=modes),
        Field("overwrite", words.gettext("Write answers anew where one is there"), "checkbox",
              "on" if choices.overwrite else ""),
    )  # fmt: skip
