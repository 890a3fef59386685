"""Talks are brought in: a file with a preview of every talk, or the conversations of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.files import formats
from vivavoce.store.database import Store
from vivavoce.store.rows import Project
from vivavoce.web.access import Editor, InStore, ProjectInPath
from vivavoce.web.answers import done, go, page, table_file, words_of
from vivavoce.web.forms import Fields, Form
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.listing import LARGEST, Listing, PageNumber
from vivavoce.web.pages.dialogues.views import SECTION, base_path
from vivavoce.web.parts import Choice, Column, Field, Row, number_columns, text_columns
from vivavoce.web.rendering import View
from vivavoce.web.uploads import asked_rows, rows_part, sent_source
from vivavoce.workspace.dialogues.dialogues import MOST_BATCH
from vivavoce.workspace.dialogues.imports import (
    EXISTING,
    Kind,
    PlannedTalk,
    Taken,
    TalkChoices,
    TalkPreview,
    add_talks,
    apply_talks,
    change_talks,
    drop_talks,
    open_talks,
    prepare_talks,
)
from vivavoce.workspace.dialogues.reading import talks_of_run
from vivavoce.workspace.exams import runs

router = APIRouter(prefix="/p/{slug}/dialogues/add")
SHOWN_NOTES = 50
MOST_RUNS = 100
COLUMNS = ("what", "place", "talk", "bot", "messages", "marks", "begins", "reason")
KIND_TITLES: Mapping[Kind, str] = {
    "refused": gettext_noop("Refused"),
    "replaced": gettext_noop("Replaced"),
    "skipped": gettext_noop("Skipped"),
    "added": gettext_noop("New"),
}


@router.get("")
def show_add(request: Request, who: Editor, store: InStore, project: ProjectInPath) -> Response:
    """Show the ways in which talks can be brought in."""
    return _add_page(request, store, project)


@router.post("")
def take_file(request: Request, who: Editor, store: InStore, project: ProjectInPath, form: Form) -> Response:
    """Read a file and lead to its preview."""
    try:
        choices = _choices(form)
        form.check()
        preview = prepare_talks(store, who.actor, project, sent_source(form), choices)
    except InputError as error:
        return _add_page(request, store, project, form, error)
    return go(_path(project, preview.key))


@router.post("/run")
def take_run(request: Request, who: Editor, store: InStore, project: ProjectInPath, form: Form) -> Response:
    """Take the conversations of a run."""
    number = form.whole("run", 0, low=1, high=LARGEST)
    choices = _choices(form)
    try:
        form.check()
        talks = talks_of_run(store, project, number)
        named = TalkChoices(choices.batch or f"run {number}", existing=choices.existing)
        taken = add_talks(store, who.actor, project, talks, named)
    except InputError as error:
        return _add_page(request, store, project, form, error)
    return _lead_on(request, project, taken)


@router.get("/{key}.{kind}")
def export_preview(
    who: Editor, store: InStore, project: ProjectInPath, key: str, kind: Literal["csv", "xlsx"]
) -> Response:
    """Return every talk of a preview with what would become of it."""
    preview = open_talks(store, who.actor, project, key)
    rows = [
        (row.kind, row.place, row.name, row.bot, row.messages, row.marks, row.begins, row.reason)
        for row in preview.rows
    ]
    return table_file(f"{project.slug}-talks", kind, COLUMNS, rows)


@router.get("/{key}")
def show_preview(  # noqa: PLR0917
    request: Request,
    who: Editor,
    store: InStore,
    project: ProjectInPath,
    key: str,
    kind: Annotated[Kind | Literal[""], Query()] = "",
    page_number: PageNumber = 1,
) -> Response:
    """Show what would become of every talk."""
    preview = open_talks(store, who.actor, project, key)
    return _preview_page(request, project, preview, asked_rows(_path(project, key), kind, page_number))


@router.post("/{key}")
def read_again(  # noqa: PLR0917
    request: Request, who: Editor, store: InStore, project: ProjectInPath, key: str, form: Form
) -> Response:
    """Take the same file in otherwise."""
    try:
        choices = _choices(form)
        form.check()
        preview = change_talks(store, who.actor, project, key, choices)
    except InputError as error:
        kept = open_talks(store, who.actor, project, key)
        return _preview_page(request, project, kept, asked_rows(_path(project, key)), error)
    return go(_path(project, preview.key))


@router.post("/{key}/apply")
def apply(request: Request, who: Editor, store: InStore, project: ProjectInPath, key: str) -> Response:
    """Do what the preview says."""
    return _lead_on(request, project, apply_talks(store, who.actor, project, key))


@router.post("/{key}/drop")
def drop(request: Request, who: Editor, store: InStore, project: ProjectInPath, key: str) -> Response:
    """Forget a preview."""
    drop_talks(store, who.actor, project, key)
    return done(base_path(project), words_of(request).gettext("Nothing was brought in."))


# --- pages -------------------------------------------------------------------------------------------------------


def _path(project: Project, key: str) -> str:
    return f"{base_path(project)}/add/{key}"


def _choices(form: Fields) -> TalkChoices:
    existing = form.choice("existing", EXISTING, "skip")
    return TalkChoices(
        batch=form.text("batch", most=MOST_BATCH),
        speaker=form.text("speaker", most=200),
        bot=form.text("bot", most=200),
        existing="replace" if existing == "replace" else "skip",
    )


def _lead_on(request: Request, project: Project, taken: Taken) -> Response:
    words = words_of(request)
    said = words.gettext(
        "Brought in: %(added)s new, %(replaced)s replaced, %(skipped)s skipped, %(refused)s refused.",
        added=taken.added,
        replaced=taken.replaced,
        skipped=taken.skipped,
        refused=len(taken.refused),
    )
    return done(Listing(base_path(project)).address(batch=taken.batch), said)


def _add_page(
    request: Request, store: Store, project: Project, form: Fields | None = None, error: InputError | None = None
) -> Response:
    words = words_of(request)
    typed = _choices(form) if form else TalkChoices()
    found = runs.list_runs(store, project, kind="conversations", limit=MOST_RUNS)
    held = [line.run for line in found.lines if not line.run.state.open]
    chosen = form.text("run") if form else ""
    runs_choices = tuple(Choice(str(run.number), f"{run.number}: {words.ours(run.title)}") for run in held)
    run_field = Field("run", words.gettext("Run"), "select", chosen, choices=runs_choices)
    view = View(
        lead=words.gettext("Talks come from a log of yours, or from conversations that were examined here."),
        action=f"{base_path(project)}/add",
        back=base_path(project),
        file_fields=(_file_field(words), *_choice_fields(words, typed)),
        run_fields=(run_field,) if held else (),
        error=error,
    )
    title, status = words.gettext("Bring talks in"), 400 if error else 200
    return page(request, "dialogues/add.html", title, view=view, project=project, section=SECTION, status=status)


def _file_field(words: Words) -> Field:
    told = words.gettext(
        "JSON Lines or JSON (our own form, chat messages, Rasa trackers), CSV, TSV or XLSX with one row for each "
        "message, or plain text with one message on each line."
    )
    return Field(
        "file",
        words.gettext("File"),
        "file",
        help=told,
        accept=",".join(formats.list_extensions(formats.Kind.DIALOGUES)),
        required=True,
    )


def _choice_fields(words: Words, typed: TalkChoices) -> tuple[Field, ...]:
    there = (
        Choice("skip", words.gettext("leave them as they are")),
        Choice("replace", words.gettext("replace them")),
    )
    speaker_help = words.gettext("The name that the bot has in the file, where the file does not say who the bot is.")
    bot_help = words.gettext("For talks that do not name their bot; bots are told apart by it.")
    batch_help = words.gettext("Left empty, the name of the file.")
    return (
        Field("batch", words.gettext("Name of the batch"), value=typed.batch, help=batch_help, most=MOST_BATCH),
        Field("speaker", words.gettext("Who of the speakers is the bot"), value=typed.speaker, help=speaker_help),
        Field("bot", words.gettext("Which bot it was"), value=typed.bot, help=bot_help),
        Field("existing", words.gettext("Talks whose id is here already"), "select", typed.existing, choices=there),
    )


def _preview_page(
    request: Request, project: Project, preview: TalkPreview, asked: Listing, error: InputError | None = None
) -> Response:
    words, counts = words_of(request), preview.counts
    part = rows_part(words, asked, preview.rows, counts, KIND_TITLES)
    wanted = counts["added"] + counts["replaced"]
    view = View(
        lead=_preview_lead(words, preview, counts),
        path=asked.path,
        tabs=part.tabs,
        columns=_preview_columns(words),
        rows=tuple(Row(_preview_cells(words, row)) for row in part.rows),
        pager=part.pager,
        downloads=part.downloads,
        fields=_choice_fields(words, preview.choices),
        button=words.ngettext("Bring in %(num)s talk", "Bring in %(num)s talks", wanted) if wanted else "",
        notes=preview.notes[:SHOWN_NOTES],
        more_notes=max(0, len(preview.notes) - SHOWN_NOTES),
        error=error,
    )
    title, status = words.gettext("Before talks are brought in"), 400 if error else 200
    return page(request, "dialogues/preview.html", title, view=view, project=project, section=SECTION, status=status)


def _preview_lead(words: Words, preview: TalkPreview, counts: dict[Kind, int]) -> str:
    return words.gettext(
        "%(name)s: %(added)s new, %(replaced)s replaced, %(skipped)s skipped, %(refused)s refused.",
        name=preview.name,
        **counts,
    )


def _preview_columns(words: Words) -> tuple[Column, ...]:
    return (
        *text_columns(words.gettext("Talk"), words.gettext("Place"), words.gettext("Bot")),
        *number_columns(words.gettext("Messages"), words.gettext("Marks")),
        *text_columns(words.gettext("Begins with"), words.gettext("Reason")),
    )


def _preview_cells(words: Words, row: PlannedTalk) -> tuple[object, ...]:
    messages, marks = (n if row.messages else "" for n in (row.messages, row.marks))
    return row.name or row.place, row.place, row.bot, messages, marks, row.begins, words.said(row.reason)
