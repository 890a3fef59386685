"""Engines side by side: which are chosen, how far the run is, and which is better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.jobs.exams.kinds import ENGINES
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run, RunState
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader
from vivavoce.web.answers import done, page, table_file, words_of
from vivavoce.web.cells import rate_cell
from vivavoce.web.field_faults import fault_at
from vivavoce.web.figures import drawn
from vivavoce.web.formats import Writer
from vivavoce.web.forms import Form
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, Number
from vivavoce.web.option_forms import option_form, read_values, typed_values
from vivavoce.web.pages.exams.findings import design_facts, progress_left, run_lead
from vivavoce.web.pages.exams.runs import run_columns, run_row
from vivavoce.web.parts import Column, Row, number_columns, text_columns
from vivavoce.web.progress import run_head, run_path, tab_title
from vivavoce.web.rendering import View
from vivavoce.workspace.access.engine_rules import engine_names, known_engines
from vivavoce.workspace.exams import runs
from vivavoce.workspace.exams.engine_parts import missing_part
from vivavoce.workspace.exams.engines import engine_times, start_engines
from vivavoce.workspace.exams.intents import expect_exam

if TYPE_CHECKING:
    from vivavoce.intents.comparison import ClassifierFindings, ComparisonResult
    from vivavoce.intents.differences import Difference, Differing

router = APIRouter(prefix="/p/{slug}/engines")
SECTION, KIND = "engines", "engines"
LAST_RUNS = 10
SHOWN = ("accuracy", "automation_rate", "precision_answered", "negative_rejection")
SHOWN_NOTES = 3


@router.get("")
def show_start(request: Request, who: Reader, store: InStore, project: ProjectInPath) -> Response:
    """Show the form for a comparison and the last ones."""
    return _start_page(request, store, project)


@router.post("")
def start_comparison(request: Request, who: Editor, store: InStore, project: ProjectInPath, form: Form) -> Response:
    """Start a comparison of the engines that were ticked."""
    options, typed = read_values(form, ENGINES.chosen), typed_values(form, ENGINES.chosen)
    chosen = [name for name in engine_names(project) if name in form.all("classifiers")]
    try:
        form.check()
        run = start_engines(store, who.actor, project, chosen, title=typed["title"], options=options)
    except InputError as error:
        return _start_page(request, store, project, typed, chosen, error)
    said = words_of(request).gettext("The comparison is started. Its numbers appear here.")
    return done(run_path(project, run), said)


@router.get("/{number:int}")
def show_comparison(
    request: Request, who: Reader, store: InStore, project: ProjectInPath, number: Number
) -> Response:
    """Show one comparison: its progress, then which engine is better."""
    words = words_of(request)
    line = runs.show_run(store, project, number, KIND)
    run = line.run
    over = run.state is RunState.DONE
    result = cast("ComparisonResult", runs.result_of(store, run)) if over else None
    view = View(
        head=run_head(words, project, line),
        lead=run_lead(words, run),
        progress=progress_left(words, store, project, run),
        part=_part(words, store, project, run, result) if result is not None else None,
        facts=_facts(words, run),
    )
    return page(request, "exams/engines_run.html", tab_title(words, run), view=view, project=project, section=SECTION)


@router.get("/{number:int}.{kind}")
def export_comparison(who: Reader, store: InStore, project: ProjectInPath, number: Number, kind: str) -> Response:
    """Return every number of every engine as CSV or XLSX."""
    run = runs.show_run(store, project, number, KIND).run
    result = cast("ComparisonResult", runs.result_of(store, run))
    rows = [
        (one.name, str(findings.setting), name, rate.value, rate.low, rate.high, rate.n)
        for one in result.classifiers
        for findings in one.settings
        for name, rate in findings.rates.items()
    ]
    columns = ("engine", "setting", "measure", "value", "low", "high", "n")
    return table_file(f"{project.slug}-engines-{number}", kind, columns, rows)


# --- starting ----------------------------------------------------------------------------------------------------


def _start_page(  # noqa: PLR0917
    request: Request,
    store: Store,
    project: Project,
    values: Mapping[str, str] | None = None,
    chosen: Sequence[str] | None = None,
    error: InputError | None = None,
) -> Response:
    words = words_of(request)
    expected = expect_exam(store, project)
    last = runs.list_runs(store, project, kind=KIND, limit=LAST_RUNS)
    told = {one.name: one.summary for one in known_engines()}
    ticked = {project.classifier, "tfidf"} if chosen is None else set(chosen)
    own, usual = words.gettext("The engine of this project."), {"threshold": f"{project.threshold:g}"}
    view = View(
        lead=_lead(words, expected.examples, last.lines[0].run if last.lines else None),
        ready=expected.examples > 0,
        engines=tuple(
            View(name=one, summary=told.get(one, own), chosen=one in ticked, lack=missing_part(one))
            for one in engine_names(project)
        ),
        fault=fault_at(error, "classifiers"),
        form=option_form(words, ENGINES.chosen, {**usual, **(values or {})}, partial(fault_at, error)),
        columns=run_columns(words),
        rows=tuple(run_row(words, project, line) for line in last.lines),
        error=error,
    )
    title, status = words.gettext("Engines side by side"), 400 if error else 200
    return page(request, "exams/engines.html", title, view=view, project=project, section=SECTION, status=status)


def _lead(words: Words, examples: int, last: Run | None) -> str:
    if not examples:
        return words.gettext("There is nothing to compare engines on yet: the project has no examples.")
    if last is None or not last.headline:
        return words.gettext("Engines that read messages differ; here they are examined on the same splits.")
    return words.gettext("The last comparison said: %(headline)s", headline=words.said(last.headline))


# --- the result --------------------------------------------------------------------------------------------------


def _part(words: Words, store: Store, project: Project, run: Run, result: ComparisonResult) -> View:
    from vivavoce.reports.intents.choices import short_notes

    heads = text_columns(words.gettext("Engine"), words.gettext("Setting"))
    return View(
        columns=(*heads, *_measure_columns(words)),
        rows=tuple(row for one in result.classifiers for row in _rows(words, one)),
        downloads=Listing(run_path(project, run)).downloads(),
        figure=drawn(store, project, run, "accuracy"),
        differences=tuple(_difference(words, one) for one in result.differences),
        differing=any(one.samples for one in result.differences),
        time_columns=_time_columns(words),
        times=tuple(_times(words, store, run)),
        failures=tuple((one.name, one.reason) for one in result.failures),
        notes=short_notes(result.warnings, SHOWN_NOTES),
    )


def _measure_columns(words: Words) -> tuple[Column, ...]:
    shown = (MEASURES[name] for name in SHOWN)
    return tuple(Column(words.said(one.title), number=True, meaning=words.said(one.meaning)) for one in shown)


def _rows(words: Words, one: ClassifierFindings) -> list[Row]:
    return [
        Row((one.name, str(findings.setting), *[rate_cell(words, rates[name], counted=False) for name in SHOWN]))
        for findings in one.settings
        for rates in (findings.rates,)
        if findings.same_as is None
    ]


def _difference(words: Words, one: Difference) -> View:
    from vivavoce.reports.intents.comparison import difference_sentence

    none = words.gettext("none")
    columns = text_columns(words.gettext("Message"), words.gettext("Topic"), one.a, one.b)
    samples = tuple(Row((each.text, each.intent or none, *_guesses(each, one, none))) for each in one.samples)
    return View(
        title=f"{one.a} / {one.b}", sentence=words.said(difference_sentence(one)), columns=columns, samples=samples
    )


def _guesses(sample: Differing, one: Difference, none: str) -> tuple[Markup, Markup]:
    """Return both guesses; the right one is marked."""

    def cell(guess: str | None, right: bool) -> Markup:
        said = Markup("<strong>{}</strong>").format(guess or none)
        return said if right else Markup("{}").format(guess or none)

    return cell(sample.guess_a, sample.right == one.a), cell(sample.guess_b, sample.right == one.b)


def _time_columns(words: Words) -> tuple[Column, ...]:
    numbers = (words.gettext("Training, a split"), words.gettext("A message"), words.gettext("All splits together"))
    return (*text_columns(words.gettext("Engine")), *number_columns(*numbers))


def _times(words: Words, store: Store, run: Run) -> list[Row]:
    writer = Writer(words)
    return [
        Row((one.name, writer.duration(one.train), _message(writer, one.message), writer.duration(one.total)))
        for one in engine_times(store, run)
    ]


def _message(writer: Writer, seconds: float) -> str:
    """Write the time of one message, which is often less than a thousandth of a second."""
    return f"{writer.number(1000 * seconds, 2)} ms" if seconds < 0.01 else writer.duration(seconds)


def _facts(words: Words, run: Run) -> tuple[tuple[str, str], ...]:
    engines = ", ".join(str(name) for name in run.options.get("classifiers", []))
    return ((words.gettext("Engines"), engines), *design_facts(words, run))
