"""How good the forecasts of remedies were, and decisions about problems taken back."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.web.cells import chip, link_cell
from vivavoce.web.parts import Row, number_columns, text_columns
from vivavoce.web.rendering import View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.exams.decisions import drop_decision
from vivavoce.workspace.exams.track_record import Applied, read_track_record

router = APIRouter(prefix="/p/{slug}")


@router.get("/forecasts")
def show_forecasts(visit: ReaderVisit) -> Response:
    """Show what was forecast, and what came of it."""
    words, record = visit.words, read_track_record(*visit.here)
    view = View(
        title=words.said(record.record.sentence),
        columns=(
            *text_columns(words.gettext("What was done")),
            *number_columns(words.gettext("Forecast, points"), words.gettext("Measured, points")),
            *text_columns(words.gettext("Range")),
        ),
        rows=[_past_row(visit, each) for each in record.forecasts],
        start=f"{visit.base}/intents",
    )
    return visit.page("exams/forecasts.html", words.gettext("Forecasts"), view=view)


@router.post("/decisions/{decision_id}/drop")
def list_again(visit: EditorVisit, decision_id: str) -> Response:
    """Take back that topics are kept apart on purpose."""
    edit = drop_decision(*visit.acting, decision_id)
    return visit.done(f"{visit.base}/intents", visit.words.gettext("These topics are listed again."), edit)


def _past_row(visit: Visit, applied: Applied) -> Row:
    words, write, past = visit.words, visit.write, applied.past
    points = f"{write.signed(100 * past.difference, 1)} ({write.between(100 * past.low, 100 * past.high, 1, '')})"
    if past.inside is None and applied.after is None:
        state = chip(words.gettext("not measured yet"), "neutral")
    elif past.inside is None:
        state = chip(words.gettext("unknown: other edits came in between"), "neutral")
    else:
        state = chip(words.gettext("inside"), "good") if past.inside else chip(words.gettext("outside"), "hold")
    realised = write.number(None)
    if past.realised is not None:
        half = words.gettext("± %(points)s", points=write.number(100 * past.noise, 1))
        realised = f"{write.signed(100 * past.realised, 1)} {half}"
    link = link_cell(f"{visit.base}/edits/{applied.row.edit_id}", words.said(applied.summary))
    return Row((link, points, realised, state))
