"""What an import of dialogues would do: its first rows as a sheet, what happens, and why some are rejected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from vivavoce.dialogues.corpus.sheets import COLUMNS_IGNORED
from vivavoce.errors import InputError
from vivavoce.messages import Message
from vivavoce.web.forms import Fields
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.parts import Choice, Field, Row, named_choices, number_columns, text_columns
from vivavoce.web.rendering import View
from vivavoce.web.uploads import (
    asked_rows,
    encoding_field,
    file_facts,
    read_encoding,
    read_layout,
    rows_part,
    sheet_part,
)
from vivavoce.web.visits import Visit
from vivavoce.workspace.dialogues.dialogues import MAX_BATCH
from vivavoce.workspace.dialogues.imports import Kind, PlannedTalk, TalkPreview
from vivavoce.workspace.dialogues.reading import EXISTING, Existing, TalkChoices

SHOWN_NOTES = 50
SHOWN_SPEAKERS = 12
SHOWN_REASONS = 8
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


def first_choices(form: Fields) -> TalkChoices:
    """Return the choices of a form; those of a table are found out."""
    existing = form.choice("existing", EXISTING, "skip")
    return TalkChoices(
        batch=form.text("batch", most=MAX_BATCH),
        speaker=form.text("speaker", most=200),
        bot=form.text("bot", most=200),
        existing=cast(Existing, existing),
        encoding=read_encoding(form),
    )


def read_choices(form: Fields, preview: TalkPreview) -> TalkChoices:
    """Return the choices of the form under a preview; a form without them changes none."""
    if not form.flag("choices"):
        return preview.settled
    said, layout = first_choices(form), read_layout(form, preview.log.layout, list(ROLE_TITLES))
    batch = said.batch or preview.choices.batch
    return replace(said, batch=batch, sheet=layout.sheet, header=layout.header, roles=layout.roles)


def make_view(visit: Visit, preview: TalkPreview, kind: str, number: int, error: InputError | None) -> View:
    """Return what the page of a preview shows."""
    words, log, counts = visit.words, preview.log, preview.counts
    asked = asked_rows(f"{visit.base}/dialogues/add/{preview.key}", kind, number)
    part = rows_part(words, asked, preview.rows, counts, KIND_TITLES)
    wanted = counts["added"] + counts["replaced"]
    notes = [note for note in log.notes if not isinstance(note, Message) or note.template != COLUMNS_IGNORED]
    return View(
        preview=preview,
        path=asked.path,
        again=f"{visit.base}/dialogues/add",
        back=f"{visit.base}/dialogues",
        verdict=_make_verdict(words, preview, wanted),
        unclear=words.said(log.unclear),
        file_facts=file_facts(words, log.layout, preview.size),
        sheet=sheet_part(words, log.layout, ROLE_TITLES),
        sums=_list_sums(words, preview),
        reasons=_list_reasons(words, preview.rows),
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
        rows=[_make_row(words, row) for row in part.rows],
        pager=part.pager,
        downloads=part.downloads,
        notes=notes[:SHOWN_NOTES],
        more_notes=max(0, len(notes) - SHOWN_NOTES),
        error=error,
    )


def _make_row(words: Words, row: PlannedTalk) -> Row:
    messages, marks = (n if row.messages else "" for n in (row.messages, row.marks))
    return Row((row.name or row.place, row.place, row.bot, messages, marks, row.begins, words.said(row.reason)))


def _make_verdict(words: Words, preview: TalkPreview, wanted: int) -> str:
    if preview.log.unclear:
        return words.gettext("Say what each column is.")
    messages = sum(row.messages for row in preview.rows if row.kind in ("added", "replaced"))
    told = words.ngettext("%(num)s message", "%(num)s messages", messages)
    parts = [
        words.ngettext(
            "%(num)s dialogue with %(messages)s can be imported.",
            "%(num)s dialogues with %(messages)s can be imported.",
            wanted,
            messages=told,
        )
    ]
    if not wanted:
        parts = [words.gettext("Nothing to import: every dialogue already exists or is invalid.")]
    if refused := preview.counts["refused"]:
        parts.append(words.ngettext("%(num)s dialogue is rejected.", "%(num)s dialogues are rejected.", refused))
    return " ".join(parts)


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
        (counts["skipped"], ngettext("dialogue is there already", "dialogues are there already", counts["skipped"]),
         "quiet"),
        (blank, ngettext("blank row skipped", "blank rows skipped", blank), "quiet"),
        (counts["refused"], ngettext("dialogue rejected", "dialogues rejected", counts["refused"]), "bad"),
    ]  # fmt: skip
    return [each for each in sums if each[0] or each is sums[0]]


def _list_reasons(words: Words, rows: Sequence[PlannedTalk]) -> list[tuple[int, str, str]]:
    """Return why dialogues are rejected: each reason once, with how many they are and where the first one stands."""
    groups: dict[str, list[PlannedTalk]] = {}
    for row in rows:
        if row.kind == "refused":
            reason = row.reason.template if isinstance(row.reason, Message) else row.reason
            groups.setdefault(reason, []).append(row)
    largest = sorted(groups.values(), key=len, reverse=True)[:SHOWN_REASONS]
    return [(len(own), words.said(own[0].reason), own[0].place) for own in largest]


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
    names = dict.fromkeys((*((typed.speaker,) if typed.speaker else ()), *preview.speakers[:SHOWN_SPEAKERS]))
    speakers = named_choices(names, words.gettext("detect automatically"))
    return (
        Field("speaker", words.gettext("Which speaker is the bot?"), "select", typed.speaker, help=speaker_help,
              choices=speakers),
        Field("bot", words.gettext("Bot name"), value=typed.bot, help=bot_help),
        Field("batch", words.gettext("Batch name"), value=typed.batch, help=batch_help, most=MAX_BATCH),
        Field("existing", title, "select", typed.existing, choices=existing),
    )  # fmt: skip
