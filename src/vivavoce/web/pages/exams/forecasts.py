"""How good the forecasts of remedies were, and decisions about problems taken back."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.web.cells import chip, link_cell
from vivavoce.web.pages.exams.remedy_rows import record_words
from vivavoce.web.parts import Row, number_columns, text_columns
from vivavoce.web.rendering import View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.exams.decisions import drop_decision
from vivavoce.workspace.exams.track_record import PastForecast, read_track_record

router = APIRouter(prefix="/p/{slug}")


@router.get("/forecasts")
def show_forecasts(visit: ReaderVisit) -> Response:
    """Show what was forecast, and what came of it."""
    words, record = visit.words, read_track_record(*visit.here)
    view = View(
        title=record_words(visit, record) or words.gettext("No forecast could be held against an exam yet."),
        columns=(
            *text_columns(words.gettext("What was done")),
            *number_columns(words.gettext("Forecast, points"), words.gettext("Measured, points")),
            *text_columns(words.gettext("Range")),
        ),
        rows=[_past_row(visit, past) for past in record.forecasts],
        start=f"{visit.base}/intents",
    )
    return visit.page("exams/forecasts.html", words.gettext("Forecasts"), view=view)


@router.post("/decisions/{decision_id}/drop")
def list_again(visit: EditorVisit, decision_id: str) -> Response:
    """Take back that topics are kept apart on purpose."""
    edit = drop_decision(*visit.acting, decision_id)
    return visit.done(f"{visit.base}/intents", visit.words.gettext("These topics are listed again."), edit)


def _past_row(visit: Visit, past: PastForecast) -> Row:
    words, write, row = visit.words, visit.write, past.row
    points = write.number(None) if row.difference is None else write.signed(100 * row.difference, 1)
    if row.low is not None and row.high is not None:
        points = f"{points} ({write.between(100 * row.low, 100 * row.high, 1, '')})"
    if past.inside is None:
        waits = past.after is None
        told = (
            words.gettext("not measured yet")
            if waits
            else words.gettext("cannot be told: other edits came in between")
        )
        state = chip(told, "neutral")
    else:
        state = chip(words.gettext("inside"), "good") if past.inside else chip(words.gettext("outside"), "hold")
    realised = write.number(None) if past.realised is None else write.signed(100 * past.realised, 1)
    return Row((link_cell(f"{visit.base}/edits/{row.edit_id}", words.said(past.summary)), points, realised, state))
