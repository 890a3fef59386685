"""Bringing dialogues in: a file with its preview, or the conversations of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Literal, cast

from fastapi import APIRouter, Query
from starlette.responses import Response

from vivavoce.dialogues.corpus.sheets import COLUMNS_IGNORED
from vivavoce.errors import InputError
from vivavoce.files import formats
from vivavoce.messages import Message
from vivavoce.web.answers import go, table_file
from vivavoce.web.forms import Fields, Form
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.listing import LARGEST, Listing, PageNumber
from vivavoce.web.parts import Choice, Field, Row, named_choices, number_columns, text_columns
from vivavoce.web.uploads import (
    asked_rows,
    encoding_field,
    file_facts,
    read_encoding,
    read_layout,
    rows_part,
    sent_source,
    sheet_part,
)
from vivavoce.web.visits import EditorVisit, Visit
from vivavoce.workspace.dialogues.dialogues import MAX_BATCH
from vivavoce.workspace.dialogues.imports import (
    PENDING,
    Kind,
    PlannedTalk,
    Taken,
    TalkPreview,
    add_talks,
    apply_talks,
    change_talks,
    open_talks,
    prepare_talks,
)
from vivavoce.workspace.dialogues.reading import EXISTING, Existing, TalkChoices, talks_of_run
from vivavoce.workspace.exams import runs

router = APIRouter(prefix="/p/{slug}/dialogues/add")
MAX_RUNS = 100
SHOWN_NOTES = 50
SHOWN_SPEAKERS = 12
SHOWN_REASONS = 8
# What a file has of each dialogue, and the names of its columns.
FIELDS = ("kind", "place", "name", "bot", "messages", "marks", "begins", "reason")
COLUMNS = ("what", "place", "talk", *FIELDS[3:])
KIND_TITLES: Mapping[Kind, str] = {
    "refused": gettext_noop("Rejected"),
    "replaced": gettext_noop("Replaced"),
    "skipped": gettext_noop("Skipped"),
    "added": gettext_noop("New"),
}
ROLE_TITLES: Mapping[str, str] = {
    "dialogue": gettext_noop("Dialogue ID"),
    "speaker": gettext_noop("Speaker"),
    "text": gettext_noop("Message"),
    "reply": gettext_noop("Bot's reply"),
    "order": gettext_noop("Time"),
    "is_bot": gettext_noop("Is it the bot?"),
    "bot": gettext_noop("Bot name"),
    "user": gettext_noop("Visitor"),
    "rating": gettext_noop("Rating"),
    "rater": gettext_noop("Rated by"),
    "thumb": gettext_noop("Thumb"),
    "passed": gettext_noop("Checks passed"),
    "source": gettext_noop("Source"),
    "": gettext_noop("Leave out"),
}


@router.get("")
def show_add(visit: EditorVisit) -> Response:
    """Show the ways in which dialogues can be brought in."""
    return _add_page(visit)


@router.post("")
def take_file(visit: EditorVisit, form: Form) -> Response:
    """Read a file and lead to its preview."""
    try:
        choices = _first_choices(form)
        form.check()
        source = sent_source(form)
        preview = prepare_talks(visit.store, visit.actor, visit.project, source, choices, undecided=True)
    except InputError as error:
        return _add_page(visit, form, error)
    return go(f"{visit.base}/dialogues/add/{preview.key}")


@router.post("/run")
def take_run(visit: EditorVisit, form: Form) -> Response:
    """Take the conversations of a run."""
    number, choices = form.whole("run", 0, low=1, high=LARGEST), _first_choices(form)
    try:
        form.check()
        talks = talks_of_run(visit.store, visit.project, number)
        choices = TalkChoices(choices.batch or f"run {number}", existing=choices.existing)
        imported = add_talks(visit.store, visit.actor, visit.project, talks, choices)
    except InputError as error:
        return _add_page(visit, form, error)
    return _lead_on(visit, imported)


@router.get("/{key}.{kind}")
def export_preview(visit: EditorVisit, key: str, kind: Literal["csv", "xlsx"]) -> Response:
    """Return every dialogue of a preview with what would become of it."""
    preview = open_talks(visit.store, visit.actor, visit.project, key)
    rows = [[getattr(row, name) for name in FIELDS] for row in preview.rows]
    return table_file(f"{visit.project.slug}-talks", kind, COLUMNS, rows)


@router.get("/{key}")
def show_preview(
    visit: EditorVisit, key: str, kind: Annotated[Kind | Literal[""], Query()] = "", page_number: PageNumber = 1
) -> Response:
    """Show what would become of every dialogue."""
    return _preview_page(visit, key, kind, page_number)


@router.post("/{key}")
def read_again(visit: EditorVisit, key: str, form: Form) -> Response:
    """Take the same file in otherwise."""
    try:
        choices = _read_choices(form, open_talks(visit.store, visit.actor, visit.project, key))
        form.check()
        preview = change_talks(visit.store, visit.actor, visit.project, key, choices)
    except InputError as error:
        return _preview_page(visit, key, error=error)
    return go(f"{visit.base}/dialogues/add/{preview.key}")


@router.post("/{key}/apply")
def apply(visit: EditorVisit, key: str, form: Form) -> Response:
    """Do what the preview says; where the form says something else, show first what that would do."""
    try:
        preview = open_talks(visit.store, visit.actor, visit.project, key)
        choices = _read_choices(form, preview)
        form.check()
        if choices != preview.complete_choices:
            changed = change_talks(visit.store, visit.actor, visit.project, key, choices)
            text = visit.words.gettext("You changed how the file is read. Check the preview, then import.")
            return visit.done(f"{visit.base}/dialogues/add/{changed.key}", text)
        imported = apply_talks(visit.store, visit.actor, visit.project, key)
    except InputError as error:
        return _preview_page(visit, key, error=error)
    return _lead_on(visit, imported)


@router.post("/{key}/drop")
def drop(visit: EditorVisit, key: str) -> Response:
    """Forget a preview."""
    PENDING.drop(visit.store, visit.actor, visit.project, key)
    return visit.done(f"{visit.base}/dialogues", visit.words.gettext("Nothing was imported."))


def _lead_on(visit: Visit, imported: Taken) -> Response:
    text = visit.words.gettext(
        "Imported: %(added)s new, %(replaced)s replaced, %(skipped)s skipped, %(refused)s rejected.",
        added=imported.added,
        replaced=imported.replaced,
        skipped=imported.skipped,
        refused=len(imported.refused),
    )
    return visit.done(Listing(f"{visit.base}/dialogues").address(batch=imported.batch), text)


def _add_page(visit: Visit, form: Fields | None = None, error: InputError | None = None) -> Response:
    words, base = visit.words, f"{visit.base}/dialogues"
    page = runs.list_runs(visit.store, visit.project, kind="conversations", limit=MAX_RUNS)
    closed = [line.run for line in page.lines if not line.run.state.open]
    choices = tuple(Choice(str(run.number), f"{run.number}: {words.ours(run.title)}") for run in closed)
    run_field = Field("run", words.gettext("Run"), "select", form.text("run") if form else "", choices=choices)
    return visit.page(
        "dialogues/add.html",
        words.gettext("Import dialogues"),
        action=f"{base}/add",
        back=base,
        accept=",".join(formats.list_extensions(formats.Kind.DIALOGUES)),
        run_fields=(run_field,) if choices else (),
        error=error,
    )


# --- choices -------------------------------------------------------------------------------------------------------


def _first_choices(form: Fields) -> TalkChoices:
    """Return the choices of a form; those of a table are found out."""
    return TalkChoices(
        batch=form.text("batch", most=MAX_BATCH),
        speaker=form.text("speaker", most=200),
        bot=form.text("bot", most=200),
        existing=cast(Existing, form.choice("existing", EXISTING, "skip")),
        encoding=read_encoding(form),
    )


def _read_choices(form: Fields, preview: TalkPreview) -> TalkChoices:
    """Return the choices of the form under a preview; a form without them changes none."""
    if not form.flag("choices"):
        return preview.complete_choices
    typed, layout = _first_choices(form), read_layout(form, preview.log.layout, list(ROLE_TITLES))
    batch = typed.batch or preview.choices.batch
    return replace(typed, batch=batch, **layout)


def _choice_fields(words: Words, preview: TalkPreview) -> tuple[Field, ...]:
    typed = preview.choices
    existing = (
        Choice("skip", words.gettext("keep the existing ones")),
        Choice("replace", words.gettext("replace the existing ones")),
    )
    speaker_help = words.gettext("Only needed if the file does not say which speaker is the bot.")
    bot_help = words.gettext("For dialogues that do not name their bot. Results are grouped by this name.")
    batch_help = words.gettext("Default: the file name.")
    title = words.gettext("Dialogues with an existing ID")
    names = dict.fromkeys((*((typed.speaker,) if typed.speaker else ()), *preview.log.speakers[:SHOWN_SPEAKERS]))
    speakers = named_choices(names, words.gettext("detect automatically"))
    return (
        Field("speaker", words.gettext("Which speaker is the bot?"), "select", typed.speaker, help=speaker_help,
              choices=speakers),
        Field("bot", words.gettext("Bot name"), value=typed.bot, help=bot_help),
        Field("batch", words.gettext("Batch name"), value=typed.batch, help=batch_help, most=MAX_BATCH),
        Field("existing", title, "select", typed.existing, choices=existing),
    )  # fmt: skip


# --- the preview ---------------------------------------------------------------------------------------------------


def _preview_page(
    visit: Visit, key: str, kind: str = "", number: int = 1, error: InputError | None = None
) -> Response:
    words, preview = visit.words, open_talks(visit.store, visit.actor, visit.project, key)
    log, counts = preview.log, preview.counts
    asked = asked_rows(f"{visit.base}/dialogues/add/{preview.key}", kind, number)
    part = rows_part(words, asked, preview.rows, counts, KIND_TITLES)
    wanted = counts["added"] + counts["replaced"]
    notes = [note for note in log.notes if not isinstance(note, Message) or note.template != COLUMNS_IGNORED]
    return visit.page(
        "dialogues/preview.html",
        words.gettext("Review the import"),
        preview=preview,
        path=asked.path,
        again=f"{visit.base}/dialogues/add",
        back=f"{visit.base}/dialogues",
        verdict=_make_verdict(words, preview, wanted),
        unclear=words.said(log.unclear),
        file_facts=file_facts(words, log.layout, preview.size),
        sheet=sheet_part(words, log.layout, ROLE_TITLES),
        sums=_list_sums(words, preview),
        reasons=_list_reasons(words, preview),
        encoding=None if log.layout.sheets else encoding_field(words, preview.choices.encoding),
        fields=_choice_fields(words, preview),
        found_bot=log.found_bot,
        button=words.ngettext("Import %(num)s dialogue", "Import %(num)s dialogues", wanted) if wanted else "",
        tabs=part.tabs,
        columns=(
            *text_columns(words.gettext("Dialogue"), words.gettext("Location"), words.gettext("Bot")),
            *number_columns(words.gettext("Messages"), words.gettext("Ratings")),
            *text_columns(words.gettext("Starts with"), words.gettext("Reason")),
        ),
        rows=[
            Row(
                (
                    *(row.name or row.place, row.place, row.bot),
                    *((row.messages, row.marks) if row.messages else ("", "")),
                    *(row.begins, words.said(row.reason)),
                )
            )
            for row in part.rows
        ],
        pager=part.pager,
        downloads=part.downloads,
        notes=notes[:SHOWN_NOTES],
        more_notes=max(0, len(notes) - SHOWN_NOTES),
        error=error,
    )


def _make_verdict(words: Words, preview: TalkPreview, wanted: int) -> str:
    if preview.log.unclear:
        return words.gettext("Choose what each column contains.")
    messages = sum(row.messages for row in preview.rows if row.kind in ("added", "replaced"))
    verdict = words.ngettext(
        "%(num)s dialogue with %(messages)s can be imported.",
        "%(num)s dialogues with %(messages)s can be imported.",
        wanted,
        messages=words.ngettext("%(num)s message", "%(num)s messages", messages),
    )
    if not wanted:
        verdict = words.gettext("Nothing to import: every dialogue already exists or is invalid.")
    if refused := preview.counts["refused"]:
        verdict += " " + words.ngettext("%(num)s dialogue is rejected.", "%(num)s dialogues are rejected.", refused)
    return verdict


def _list_sums(words: Words, preview: TalkPreview) -> list[tuple[int, str, str]]:
    """Return what will happen: a number, its words, and whether it is bad, quiet or neither."""
    counts, ngettext = preview.counts, words.ngettext
    rows = [row for row in preview.rows if row.kind in ("added", "replaced")]
    messages, marks = sum(row.messages for row in rows), sum(row.marks for row in rows)
    dated = sum(talk.began is not None for talk in preview.log.dialogues)
    blank = preview.log.layout.blank
    sums = [
        (counts["added"], ngettext("dialogue added", "dialogues added", counts["added"]), ""),
        (counts["replaced"], ngettext("dialogue replaced", "dialogues replaced", counts["replaced"]), ""),
        (messages, ngettext("message in them", "messages in them", messages), ""),
        (marks, ngettext("rating by people", "ratings by people", marks), ""),
        (dated, ngettext("dialogue with its date", "dialogues with their dates", dated), ""),
        (counts["skipped"], ngettext("dialogue already exists", "dialogues already exist", counts["skipped"]),
         "quiet"),
        (blank, ngettext("blank row skipped", "blank rows skipped", blank), "quiet"),
        (counts["refused"], ngettext("dialogue rejected", "dialogues rejected", counts["refused"]), "bad"),
    ]  # fmt: skip
    return [each for each in sums if each[0] or each is sums[0]]


def _list_reasons(words: Words, preview: TalkPreview) -> list[tuple[int, str, str]]:
    """Return why dialogues are rejected: each reason once, with how many they are and where the first one stands."""
    groups: dict[str, list[PlannedTalk]] = {}
    for row in preview.rows:
        if row.kind == "refused":
            reason = row.reason.template if isinstance(row.reason, Message) else row.reason
            groups.setdefault(reason, []).append(row)
    largest = sorted(groups.values(), key=len, reverse=True)[:SHOWN_REASONS]
    return [(len(own), words.said(own[0].reason), own[0].place) for own in largest]
