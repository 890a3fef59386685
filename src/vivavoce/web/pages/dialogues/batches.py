"""The batches in which dialogues came: what is in each, and how one is deleted."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.errors import AbsentError
from vivavoce.messages import say
from vivavoce.web.cells import link_cell
from vivavoce.web.forms import Form
from vivavoce.web.listing import Listing, Word
from vivavoce.web.pages.dialogues.views import import_link, section_tabs
from vivavoce.web.parts import Column, Row, hidden_field
from vivavoce.web.rendering import View
from vivavoce.web.visits import EditorVisit, ReaderVisit
from vivavoce.workspace.dialogues import dialogues

router = APIRouter(prefix="/p/{slug}/dialogues")


@router.get("/batches")
def show_batches(visit: ReaderVisit) -> Response:
    """Show the batches in which dialogues came."""
    words, base, rows = visit.words, f"{visit.base}/dialogues", []
    batches = dialogues.list_batches(visit.store, visit.project)
    titles = (words.gettext("Batch"), words.gettext("Dialogues"), words.gettext("Exam"), words.gettext("Delete"))
    width = len(titles) if visit.who.may("editor") else 2
    for name, n in batches.items():
        cells = (
            link_cell(Listing(base).address(batch=name), name),
            visit.write.number(n),
            link_cell(Listing(f"{base}/score").address(batch=name), words.gettext("Score these dialogues")),
            link_cell(Listing(f"{base}/batches/delete").address(name=name), words.gettext("Delete this batch")),
        )
        rows.append(Row(cells[:width]))
    view = View(
        lead=words.ngettext("Dialogues from %(num)s batch.", "Dialogues from %(num)s batches.", len(batches)),
        tabs=section_tabs(visit, "/batches"),
        actions=[import_link(visit)] if visit.who.may("editor") else [],
        begin=import_link(visit) if visit.who.may("editor") else None,
        columns=[Column(title, number=title == titles[1]) for title in titles[:width]],
        rows=rows,
    )
    return visit.page("dialogues/batches.html", words.gettext("Batches"), view=view)


@router.get("/batches/delete")
def ask_to_delete(visit: EditorVisit, name: Word) -> Response:
    """Ask before a batch is deleted."""
    words, batches = visit.words, dialogues.list_batches(visit.store, visit.project)
    if name not in batches:
        raise AbsentError(say("there is no batch '{name}'", name=name), remedy=say("choose one from the list"))
    loss = words.ngettext(
        "This deletes %(num)s dialogue from batch %(name)s.",
        "This deletes %(num)s dialogues from batch %(name)s.",
        batches[name],
        name=name,
    )
    last = words.gettext("Their scores and ratings are deleted too. You cannot undo this.")
    path = f"{visit.base}/dialogues/batches"
    view = View(text=f"{loss} {last}", action=f"{path}/delete", back=path, fields=(hidden_field("name", name),))
    return visit.page("dialogues/delete.html", words.gettext("Delete this batch?"), view=view)


@router.post("/batches/delete")
def delete_batch(visit: EditorVisit, form: Form) -> Response:
    """Delete the talks of a batch."""
    gone = dialogues.delete_batch(
        visit.store, visit.actor, visit.project, form.text("name", most=dialogues.MAX_BATCH)
    )
    text = visit.words.ngettext("%(num)s dialogue deleted.", "%(num)s dialogues deleted.", gone)
    return visit.done(f"{visit.base}/dialogues/batches", text)
