"""Answers of a platform that are brought as a file, judged on the spot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.errors import VivaError
from vivavoce.reports.intents.meanings import MAIN, MEASURES
from vivavoce.reports.shared.views import Cell
from vivavoce.web.cells import rate_cell
from vivavoce.web.failures import status_of
from vivavoce.web.forms import Form, fault_at
from vivavoce.web.parts import Field, Row, number_columns, text_columns
from vivavoce.web.rendering import View
from vivavoce.web.visits import ReaderVisit, Visit
from vivavoce.workspace.exams.judging import judge_file

if TYPE_CHECKING:
    from vivavoce.intents.blind import BlindResult

router = APIRouter(prefix="/p/{slug}/engines/predictions")
MAX_TOPICS = 25


@router.get("")
def show_form(visit: ReaderVisit) -> Response:
    """Show how to bring the answers of an engine."""
    return _judging_page(visit, f"{visit.project.threshold:g}")


@router.post("")
def judge(visit: ReaderVisit, form: Form) -> Response:
    """Judge the answers in a file."""
    threshold = form.number("threshold", visit.project.threshold, low=0, high=1)
    typed = form.text("threshold"), form.text("name", most=100)
    try:
        form.check()
        with form.file("file") as path:
            result = judge_file(path, threshold, typed[1])
    except VivaError as error:
        return _judging_page(visit, *typed, error=error)
    return _judging_page(visit, *typed, result=result)


def _judging_page(
    visit: Visit, threshold: str, name: str = "", result: BlindResult | None = None, error: VivaError | None = None
) -> Response:
    words = visit.words
    help_text = words.gettext("CSV or XLSX with the columns text, intent, guess and confidence (0 to 1).")
    fields = (
        Field("file", words.gettext("File"), "file", help=help_text, accept=".csv,.tsv,.xlsx", required=True),
        Field("name", words.gettext("Name of the engine"), value=name, most=100),
        Field(
            "threshold", words.gettext("Threshold"), "number", threshold, low="0", high="1", step="any",
            error=words.said(fault_at(error, "threshold")),
        ),
    )  # fmt: skip
    view = View(
        action=f"{visit.base}/engines/predictions",
        fields=fields,
        error=error,
        result=result and _result_view(visit, result),
    )
    status = status_of(error) if error else 200
    return visit.page("exams/predictions.html", words.gettext("Judge a platform's answers"), view=view, status=status)


def _result_view(visit: Visit, result: BlindResult) -> View:
    from vivavoce.reports.intents.blind import blind_headline, find_weakest

    words, write = visit.words, visit.write
    measures = [MEASURES[name] for name in (*MAIN, "in_scope_accuracy", "oos_auroc", "ece")]
    topics = find_weakest(result, MAX_TOPICS)
    return View(
        headline=words.said(blind_headline(result)),
        facts=words.gettext(
            "%(name)s: %(messages)s messages, %(outside)s of them out of scope, threshold %(threshold)s.",
            name=result.classifier,
            messages=write.number(result.data.rows),
            outside=write.number(result.data.out_of_scope),
            threshold=f"{result.threshold:g}",
        ),
        columns=(*text_columns(words.gettext("Metric")), *number_columns(words.gettext("Value"))),
        rows=[
            Row(
                (
                    Cell(words.said(each.title), words.said(each.meaning)),
                    rate_cell(words, result.rates[each.name], each),
                )
            )
            for each in measures
        ],
        topic_columns=(
            *text_columns(words.gettext("Topic")),
            *number_columns(words.gettext("Found"), words.gettext("Correct when used")),
        ),
        topics=[
            Row((line.intent, rate_cell(words, line.recall), rate_cell(words, line.precision))) for line in topics
        ],
    )
