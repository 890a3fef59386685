"""The intents exam: how it is started, how far it is, and what it found, the most important first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.jobs.exams.kinds import INTENTS
from vivavoce.messages import say_count
from vivavoce.reports.intents.meanings import MAIN, MEASURES
from vivavoce.reports.shared.measures import Measure
from vivavoce.reports.shared.views import Cell, Table, Tile, make_table
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run, RunState
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader
from vivavoce.web.answers import done, page, words_of
from vivavoce.web.cells import measure_column, rate_cell
from vivavoce.web.field_faults import fault_at
from vivavoce.web.figures import drawn
from vivavoce.web.formats import Writer
from vivavoce.web.forms import Form
from vivavoce.web.language import Words
from vivavoce.web.listing import Number
from vivavoce.web.option_forms import option_form, read_values, typed_values
from vivavoce.web.pages.exams.findings import design_facts, progress_left, run_lead
from vivavoce.web.pages.exams.problem_links import problem_links
from vivavoce.web.pages.exams.runs import run_columns, run_row
from vivavoce.web.parts import Field, named_choices
from vivavoce.web.progress import run_head, run_path, tab_title
from vivavoce.web.rendering import Link, View
from vivavoce.workspace.access.engine_rules import engine_names, known_engines
from vivavoce.workspace.exams import intents, runs
from vivavoce.workspace.exams.engine_parts import missing_part, ready_engines
from vivavoce.workspace.exams.project_exams import project_exam

if TYPE_CHECKING:
    from vivavoce.intents.findings import SettingFindings
    from vivavoce.intents.result import IntentsResult

router = APIRouter(prefix="/p/{slug}/intents")
SECTION = "intents"
LAST_RUNS = 10
SHOWN_PROBLEMS = 3
SHOWN_QUESTIONS = 3


@router.get("")
def show_start(request: Request, who: Reader, store: InStore, project: ProjectInPath) -> Response:
    """Show the form for a new exam and the last ones."""
    return _start_page(request, store, project)


@router.post("")
def start_exam(request: Request, who: Editor, store: InStore, project: ProjectInPath, form: Form) -> Response:
    """Start an exam of the project as it is now."""
    options, typed = read_values(form, INTENTS.chosen), typed_values(form, INTENTS.chosen)
    options["classifier"] = form.choice("classifier", engine_names(project), project.classifier)
    try:
        form.check()
        run = intents.start_intents(store, who.actor, project, title=typed["title"], options=options)
    except InputError as error:
        return _start_page(request, store, project, {**typed, "classifier": options["classifier"]}, error)
    return done(run_path(project, run), words_of(request).gettext("The exam is started. Its numbers appear here."))


@router.get("/{number:int}")
def show_exam(request: Request, who: Reader, store: InStore, project: ProjectInPath, number: Number) -> Response:
    """Show one exam: its progress, then what it found."""
    words = words_of(request)
    line = runs.show_run(store, project, number, intents.KIND)
    run = line.run
    over = run.state is RunState.DONE
    result = intents.intents_result(store, run) if over else None
    view = View(
        head=run_head(words, project, line),
        lead=run_lead(words, run),
        progress=progress_left(words, store, project, run),
        tabs=result_tabs(words, project, run, "") if over else (),
        result=_result_part(words, store, project, run, result, may_edit=who.may("editor")) if result else None,
        facts=_facts(words, run, result),
        links=_run_links(words, store, project, run) if over else (),
    )
    return page(request, "exams/intents_run.html", tab_title(words, run), view=view, project=project, section=SECTION)


# --- starting ----------------------------------------------------------------------------------------------------


def _start_page(
    request: Request,
    store: Store,
    project: Project,
    values: Mapping[str, str] | None = None,
    error: InputError | None = None,
) -> Response:
    words = words_of(request)
    given = values or {}
    expected = intents.expect_exam(store, project)
    last = runs.list_runs(store, project, kind=intents.KIND, limit=LAST_RUNS)
    engines = named_choices(ready_engines(project))
    chosen = given.get("classifier") or project.classifier
    engine = Field(
        "classifier",
        words.gettext("Engine"),
        "select",
        chosen,
        _lacking(words, project.classifier),
        fault_at(error, "classifier"),
        engines,
    )
    base, usual = f"/p/{project.slug}", {"threshold": f"{project.threshold:g}"}
    options = [option for option in INTENTS.chosen if option.name != "classifier"]
    view = View(
        lead=_start_lead(words, expected),
        ready=expected.examples > 0,
        engine=engine,
        form=option_form(words, options, {**usual, **given}, partial(fault_at, error)),
        engines=_told_engines(words),
        takes=_takes(words, expected),
        columns=run_columns(words),
        rows=tuple(run_row(words, project, line) for line in last.lines),
        links=(
            Link(words.gettext("Timeline"), f"{base}/timeline"),
            Link(words.gettext("Compare two runs"), f"{base}/intents/compare"),
            Link(words.gettext("All runs"), f"{base}/runs?kind=intents"),
        ),
        error=error,
    )
    title, status = words.gettext("Intents exam"), 400 if error else 200
    return page(request, "exams/intents.html", title, view=view, project=project, section=SECTION, status=status)


def _told_engines(words: Words) -> tuple[tuple[str, str], ...]:
    """Return what each engine is; of one that cannot run here, what it lacks."""
    return tuple((one.name, _lacking(words, one.name) or words.said(one.summary)) for one in known_engines())


def _lacking(words: Words, name: str) -> str:
    lack = missing_part(name)
    return words.gettext("Not to be chosen here: %(why)s", why=words.said(lack)) if lack else ""


def _start_lead(words: Words, expected: intents.Expected) -> str:
    examples = words.said(say_count(expected.examples, "{n} example", "{n} examples"))
    topics = words.said(say_count(expected.topics, "{n} topic", "{n} topics"))
    if not expected.examples:
        return words.gettext("There is nothing to examine yet: the project has no examples.")
    if expected.last is None:
        return words.ngettext(
            "%(examples)s in %(topics)s was never examined.",
            "%(examples)s in %(topics)s were never examined.",
            expected.examples,
            examples=examples,
            topics=topics,
        )
    return words.gettext(
        "%(examples)s in %(topics)s can be examined; the last exam said: %(headline)s",
        examples=examples,
        topics=topics,
        headline=words.said(expected.last.headline),
    )


def _takes(words: Words, expected: intents.Expected) -> str:
    each = expected.seconds_each
    said = words.gettext(
        "Each setting trains and tests the engine once for every retry: 10 retries of 3 settings are 30."
    )
    if each is None:
        return said
    whole = Writer(words).duration(30 * each)
    pace = words.gettext("At the pace of the last exam that takes about %(time)s.", time=whole)
    return f"{said} {pace}"


# --- the result --------------------------------------------------------------------------------------------------


def result_tabs(words: Words, project: Project, run: Run, current: str) -> tuple[Link, ...]:
    """Return the pages of a result."""
    pages = (
        ("", words.gettext("Overview")),
        ("topics", words.gettext("Topics")),
        ("confusion", words.gettext("Confusion")),
        ("questions", words.gettext("Questions")),
        ("curve", words.gettext("Confidence")),
    )
    base = run_path(project, run)
    return tuple(Link(title, f"{base}/{name}" if name else base, name == current) for name, title in pages)


def _result_part(
    words: Words, store: Store, project: Project, run: Run, result: IntentsResult, *, may_edit: bool
) -> View:
    from vivavoce.reports.intents import problem_wording, wording
    from vivavoce.reports.intents.choices import short_notes

    notes = short_notes(result.warnings, 3)
    own = [one for one in result.settings if one.same_as is None]
    cards = tuple(_cards(words, store, project, run, may_edit=may_edit))
    return View(
        strangers=wording.strangers_sentence(result),
        balance=wording.balance_sentence(result),
        verdict=problem_wording.verdict(result),
        tiles=[_tile(words, result, MEASURES[name]) for name in MAIN] if own else [],
        problems=cards[:SHOWN_PROBLEMS],
        more_problems=cards[SHOWN_PROBLEMS:],
        settings=_settings_table(words, own),
        sentences=[(wording.setting_title(one), wording.setting_sentence(one)) for one in own],
        equal=tuple(wording.setting_sentence(one) for one in result.settings if one.same_as is not None),
        figure=drawn(store, project, run, "settings"),
        overlap=drawn(store, project, run, "overlap"),
        sizes=drawn(store, project, run, "sizes"),
        notes=notes,
        more_notes=max(0, len(runs.warnings_of(store, run)) - len(notes)),
    )


def _settings_table(words: Words, settings: Sequence[SettingFindings]) -> Table:
    from vivavoce.reports.intents.wording import setting_title

    number = Writer(words).number
    rows = [
        (
            Cell(words.said(setting_title(one)), str(one.setting)),
            *(rate_cell(words, one.rates[name], counted=False) for name in MAIN),
            number(one.counts.total),
            number(one.counts.negatives),
        )
        for one in settings
    ]
    measures = [measure_column(words, MEASURES[name]) for name in MAIN]
    head = (words.gettext("What the bot has to face"), *measures, words.gettext("Tests"), words.gettext("Strangers"))
    return make_table(words.gettext("Main numbers by setting"), head, rows, len(MAIN) + 2)


def _tile(words: Words, result: IntentsResult, measure: Measure) -> Tile:
    """Return one of the main numbers, from the first setting in which it exists."""
    from vivavoce.reports.intents.choices import best_source
    from vivavoce.reports.intents.wording import setting_title

    findings = best_source(result, measure.name)
    rate, writer = findings.rates[measure.name], Writer(words)
    around = ", ".join(part for part in writer.parts(rate, measure)[1:] if part) or words.said(measure.absent)
    title, meaning = words.said(measure.title), words.said(measure.meaning)
    where = f"{around}. {words.said(setting_title(findings))}."
    return Tile(writer.value(rate.value), title, where, meaning, rate.tells_little(), f"/help#m-{measure.name}")


def _cards(words: Words, store: Store, project: Project, run: Run, *, may_edit: bool) -> Iterator[View]:
    """Yield every problem of the exam in its order."""
    from vivavoce.intents.problems import PAIRS
    from vivavoce.reports.intents import problem_wording

    found = intents.intents_result(store, run).problems
    for problem, line in zip(found, project_exam(intents.KIND).problems(store, project, run), strict=True):
        a, b = problem.topics if problem.kind in PAIRS else ("", "")
        title = (
            words.gettext("%(a)s and %(b)s", a=a, b=b) if a else words.said(problem_wording.problem_title(problem))
        )
        yield View(
            title=title,
            text=line.text,
            remedy=line.remedy,
            examples=tuple(
                (one.text, problem_wording.example_topic(one)) for one in problem.examples[:SHOWN_QUESTIONS]
            ),
            links=tuple(problem_links(words, project, line, may_edit=may_edit)),
        )


def _facts(words: Words, run: Run, result: IntentsResult | None) -> tuple[tuple[str, str], ...]:
    """Return what is needed to get the same numbers again."""
    engine = words.gettext("Engine")
    if result is None:
        return ((engine, str(run.options.get("classifier", ""))), *design_facts(words, run))
    number = Writer(words).number
    size = f"{number(result.data.rows)} / {number(result.data.topics)}"
    return (
        (words.gettext("Examples / topics"), size),
        (engine, str(result.classifier)),
        *design_facts(words, run),
    )


def _run_links(words: Words, store: Store, project: Project, run: Run) -> tuple[Link, ...]:
    base = f"/p/{project.slug}"
    before = intents.run_before(store, project, run)
    links = [Link(words.gettext("Timeline"), f"{base}/timeline")]
    if before is not None:
        said = words.gettext("Compare with run %(number)s", number=before.number)
        links.insert(0, Link(said, f"{base}/intents/compare?a={before.number}&b={run.number}"))
    return tuple(links)
