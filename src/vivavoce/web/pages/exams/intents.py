"""The intents exam: how it is started, how far it is, and what it found, the most important first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.jobs.exams.kinds import INTENTS
from vivavoce.records import Rate
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run, RunState
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader
from vivavoce.web.answers import done, page, words_of
from vivavoce.web.field_faults import fault_at
from vivavoce.web.figures import Drawn, drawn
from vivavoce.web.formats import Writer
from vivavoce.web.forms import Form
from vivavoce.web.language import Words
from vivavoce.web.listing import Number
from vivavoce.web.option_forms import ExamForm, option_form, read_values, typed_values
from vivavoce.web.pages.exams.findings import design_facts, progress_left, run_lead
from vivavoce.web.pages.exams.problem_links import problem_links
from vivavoce.web.pages.exams.runs import run_columns, run_row
from vivavoce.web.parts import Column, Field, Row, named_choices
from vivavoce.web.progress import ProgressView, RunHead, run_head, run_path, tab_title
from vivavoce.web.rendering import Link
from vivavoce.workspace.access.engine_rules import engine_names, known_engines
from vivavoce.workspace.exams import intents, runs
from vivavoce.workspace.exams.engine_parts import missing_part, ready_engines
from vivavoce.workspace.exams.project_exams import project_exam

if TYPE_CHECKING:
    from vivavoce.intents.result import IntentsResult
    from vivavoce.reports.intents.meanings import Measure

router = APIRouter(prefix="/p/{slug}/intents")
SECTION = "intents"
LAST_RUNS = 10
SHOWN_PROBLEMS = 3
SHOWN_QUESTIONS = 3


@dataclass(frozen=True, slots=True)
class StartView:
    """The form for a new exam, what it takes, and the last ones."""

    lead: str
    ready: bool
    engine: Field
    form: ExamForm
    engines: tuple[tuple[str, str], ...]
    takes: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    links: tuple[Link, ...]
    error: InputError | None = None


@dataclass(frozen=True, slots=True)
class TileView:
    """One of the main numbers, and the setting it was found under."""

    measure: Measure
    rate: Rate
    setting: str

    @property
    def unsure(self) -> bool:
        """Whether the interval says so little that the number would mislead."""
        return self.rate.tells_little()


@dataclass(frozen=True, slots=True)
class ProblemCard:
    """A problem: what is wrong and what it costs, what to do, examples with their places, and the ways to it."""

    title: str
    text: str
    remedy: str
    examples: tuple[tuple[str, str], ...]
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class SettingLine:
    """The main numbers under one setting; `told` says what it asks of the bot."""

    title: str
    name: str
    told: str
    rates: tuple[Rate, ...]
    tests: int
    strangers: int


@dataclass(frozen=True, slots=True)
class ResultPart:
    """What the first page of a result shows."""

    strangers: str
    balance: str
    verdict: str
    tiles: tuple[TileView, ...]
    problems: tuple[ProblemCard, ...]
    more_problems: tuple[ProblemCard, ...]
    measures: tuple[Measure, ...]
    settings: tuple[SettingLine, ...]
    equal: tuple[str, ...]
    figure: Drawn | None
    overlap: Drawn | None
    sizes: Drawn | None
    notes: tuple[str, ...]
    more_notes: int


@dataclass(frozen=True, slots=True)
class IntentsRunView:
    """One exam: how far it is, and its result once there is one."""

    head: RunHead
    lead: str
    progress: ProgressView | None
    tabs: tuple[Link, ...]
    result: ResultPart | None
    facts: tuple[tuple[str, str], ...]
    links: tuple[Link, ...]


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
    view = IntentsRunView(
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
    view = StartView(
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
    writer = Writer(words)
    examples = writer.plural(expected.examples, "example", "examples")
    topics = writer.plural(expected.topics, "topic", "topics")
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
) -> ResultPart:
    from vivavoce.reports.intents import problem_wording, wording
    from vivavoce.reports.intents.balance import balance_sentence
    from vivavoce.reports.intents.charts import MAIN
    from vivavoce.reports.intents.choices import short_notes
    from vivavoce.reports.intents.meanings import MEASURES

    notes = short_notes(result.warnings, 3)
    own = [one for one in result.settings if one.same_as is None]
    cards = tuple(_cards(words, store, project, run, may_edit=may_edit))
    return ResultPart(
        strangers=wording.strangers_sentence(result),
        balance=balance_sentence(result),
        verdict=problem_wording.verdict(result),
        tiles=tuple(_tile(result, name) for name in MAIN) if own else (),
        problems=cards[:SHOWN_PROBLEMS],
        more_problems=cards[SHOWN_PROBLEMS:],
        measures=tuple(MEASURES[name] for name in MAIN),
        settings=tuple(
            SettingLine(
                wording.setting_title(one),
                str(one.setting),
                wording.setting_sentence(one),
                tuple(one.rates[name] for name in MAIN),
                one.counts.total,
                one.counts.negatives,
            )
            for one in own
        ),
        equal=tuple(wording.setting_sentence(one) for one in result.settings if one.same_as is not None),
        figure=drawn(store, project, run, "settings"),
        overlap=drawn(store, project, run, "overlap"),
        sizes=drawn(store, project, run, "sizes"),
        notes=notes,
        more_notes=max(0, len(runs.warnings_of(store, run)) - len(notes)),
    )


def _tile(result: IntentsResult, name: str) -> TileView:
    """Return one of the main numbers, from the first setting in which it exists."""
    from vivavoce.reports.intents import wording
    from vivavoce.reports.intents.meanings import MEASURES

    known = [findings for findings in result.settings if findings.rates[name].value is not None]
    findings = known[0] if known else result.settings[0]
    return TileView(MEASURES[name], findings.rates[name], wording.setting_title(findings))


def _cards(words: Words, store: Store, project: Project, run: Run, *, may_edit: bool) -> Iterator[ProblemCard]:
    """Yield every problem of the exam in its order."""
    from vivavoce.intents.problems import PAIRS
    from vivavoce.reports.intents import problem_wording

    found = intents.intents_result(store, run).problems
    for problem, line in zip(found, project_exam(intents.KIND).problems(store, project, run), strict=True):
        a, b = problem.topics if problem.kind in PAIRS else ("", "")
        title = (
            words.gettext("%(a)s and %(b)s", a=a, b=b) if a else words.said(problem_wording.problem_title(problem))
        )
        yield ProblemCard(
            title,
            line.text,
            line.remedy,
            tuple((one.text, problem_wording.example_topic(one)) for one in problem.examples[:SHOWN_QUESTIONS]),
            tuple(problem_links(words, project, line, may_edit=may_edit)),
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
    with store.reading() as tx:
        before = tx.runs.latest(project.id, intents.KIND, before=run.number)
    links = [Link(words.gettext("Timeline"), f"{base}/timeline")]
    if before is not None:
        said = words.gettext("Compare with run %(number)s", number=before.number)
        links.insert(0, Link(said, f"{base}/intents/compare?a={before.number}&b={run.number}"))
    return tuple(links)
