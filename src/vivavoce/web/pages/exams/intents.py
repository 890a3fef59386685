"""The intents exam: how it is started, how far it is, and what it found, the most important first."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.jobs.exams.kinds import INTENTS
from vivavoce.messages import say_count
from vivavoce.store.rows import Run, RunState
from vivavoce.web.forms import Form, fault_at
from vivavoce.web.listing import Number, Word
from vivavoce.web.option_forms import option_form, read_values, typed_values
from vivavoce.web.pages.exams.findings import design_facts, progress_left, result_tabs, run_lead
from vivavoce.web.pages.exams.intents_heat import CellAsked, heat_view
from vivavoce.web.pages.exams.intents_result import result_view
from vivavoce.web.pages.exams.runs import run_columns, run_row
from vivavoce.web.parts import Field, named_choices
from vivavoce.web.progress import run_head, run_path, tab_title
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.access.engine_rules import engine_names, known_engines, missing_part, ready_engines
from vivavoce.workspace.exams import intents, runs

if TYPE_CHECKING:
    from vivavoce.intents.result import IntentsResult

router = APIRouter(prefix="/p/{slug}/intents")
LAST_RUNS = 10
# The costliest groups of topics; the page of confusions has all.
SHOWN_GROUPS = 4


@router.get("")
def show_start(visit: ReaderVisit, threshold: Word = "") -> Response:
    """Show the button that starts an exam, and the last ones; `threshold`: one that was tried on a page."""
    return _start_page(visit, {"threshold": threshold} if threshold else None)


@router.post("")
def start_exam(visit: EditorVisit, form: Form) -> Response:
    """Start an exam of the project as it is now."""
    options, typed = read_values(form, INTENTS.chosen), typed_values(form, INTENTS.chosen)
    options["classifier"] = form.choice("classifier", engine_names(visit.project), visit.project.classifier)
    try:
        form.check()
        run = intents.start_intents(visit.store, visit.actor, visit.project, title=typed["title"], options=options)
    except InputError as error:
        return _start_page(visit, {**typed, "classifier": options["classifier"]}, error)
    text = visit.words.gettext("Exam started. The results will appear here.")
    return visit.done(run_path(visit.project, run), text)


@router.get("/{number:int}")
def show_exam(visit: ReaderVisit, number: Number, cell: CellAsked = ()) -> Response:
    """Show one exam: its progress, then what it found."""
    words, line = visit.words, runs.show_run(visit.store, visit.project, number, intents.KIND)
    run, path = line.run, run_path(visit.project, line.run)
    result = intents.intents_result(visit.store, run) if run.state is RunState.DONE else None
    view = View(
        head=run_head(words, visit.project, line),
        lead=run_lead(words, run),
        progress=progress_left(visit, run),
        tabs=result_tabs(visit, run, "") if result else (),
        result=result_view(visit, run, result) if result else None,
        heat=heat_view(visit, run, cell, path=path, most=SHOWN_GROUPS) if result else None,
        facts=((words.gettext("Classifier"), _classifier(run, result)), *design_facts(words, run)),
        start=f"{visit.base}/intents",
    )
    return visit.page("exams/intents_run.html", tab_title(words, run), view=view)


def _classifier(run: Run, result: IntentsResult | None) -> str:
    return str(result.classifier if result else run.options.get("classifier", ""))


def _start_page(visit: Visit, values: Mapping[str, str] | None = None, error: InputError | None = None) -> Response:
    words, project, typed = visit.words, visit.project, values or {}
    last = runs.list_runs(visit.store, project, kind=intents.KIND, limit=LAST_RUNS)
    expected, base = intents.expect_exam(visit.store, project), visit.base

    def lack_of(name: str) -> str:
        lack = missing_part(name)
        return words.gettext("Not available: %(why)s", why=words.said(lack)) if lack else ""

    engine = Field(
        "classifier",
        words.gettext("Classifier"),
        "select",
        typed.get("classifier") or project.classifier,
        lack_of(project.classifier),
        fault_at(error, "classifier"),
        named_choices(ready_engines(project)),
    )
    values = {"threshold": f"{project.threshold:g}", **typed}
    options = [option for option in INTENTS.chosen if option.name != "classifier"]
    view = View(
        lead=_start_lead(visit, expected),
        last=expected.last,
        ready=expected.examples > 0,
        engine=engine,
        form=option_form(words, options, values, partial(fault_at, error)),
        engines=[(known.name, lack_of(known.name) or words.said(known.summary)) for known in known_engines()],
        takes=about_time(visit, expected.seconds),
        measured=expected.measured,
        unusual="threshold" in typed,
        columns=run_columns(words),
        rows=[run_row(visit, line) for line in last.lines],
        links=(
            Link(words.gettext("Timeline"), f"{base}/timeline"),
            Link(words.gettext("Compare two runs"), f"{base}/intents/compare"),
            Link(words.gettext("All runs"), f"{base}/runs?kind=intents"),
        ),
        error=error,
    )
    title, status = words.gettext("Topic exam"), 400 if error else 200
    return visit.page("exams/intents.html", title, view=view, status=status)


def _start_lead(visit: Visit, expected: intents.Expected) -> str:
    """Say what there is to examine."""
    words = visit.words
    size = {
        "examples": words.said(say_count(expected.examples, "{n} example", "{n} examples")),
        "topics": words.said(say_count(expected.topics, "{n} topic", "{n} topics")),
    }
    if not expected.examples:
        lead = words.gettext("Nothing to examine yet: the project has no examples.")
    elif expected.last is None:
        lead = words.ngettext(
            "%(examples)s in %(topics)s, never examined.",
            "%(examples)s in %(topics)s, never examined.",
            expected.examples,
            **size,
        )
    else:
        lead = words.gettext("%(examples)s in %(topics)s, ready to examine.", **size)
    return lead


# How long an exam takes is never known to the second.
ABOUT = (10, 20, 30, 40, 50, 60, 90, 120, 180, 240, 300, 420, 600, 900, 1200, 1800, 2700, 3600, 5400, 7200)


def about_time(visit: Visit, seconds: float) -> str:
    """Write how long something takes, rounded up to what can be promised."""
    rounded = next((step for step in ABOUT if seconds <= step), None)
    if rounded is None:
        return visit.words.gettext("more than two hours")
    if rounded < 60:
        time = f"{rounded} s"
    elif rounded < 3600:
        time = f"{visit.write.number(rounded / 60, 0 if rounded % 60 == 0 else 1)} min"
    else:
        time = f"{visit.write.number(rounded / 3600, 0 if rounded % 3600 == 0 else 1)} h"
    return visit.words.gettext("about %(time)s", time=time)
