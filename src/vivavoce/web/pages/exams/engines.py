"""Classifiers compared: the form, the runs so far, and which classifier is better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

from fastapi import APIRouter
from markupsafe import Markup
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.jobs.exams.kinds import ENGINES
from vivavoce.records import Rate
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.store.rows import Run, RunState
from vivavoce.web.answers import table_file
from vivavoce.web.cells import chip, rate_cell
from vivavoce.web.formats import Writer
from vivavoce.web.forms import Form, fault_at
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, Number
from vivavoce.web.option_forms import option_form, read_values, typed_values
from vivavoce.web.pages.exams.findings import (
    design_facts,
    dots_figure,
    progress_left,
    run_columns,
    run_lead,
    run_row,
    scope_title,
    write_gap,
)
from vivavoce.web.parts import Column, Row, number_columns, text_columns
from vivavoce.web.progress import run_head, run_path, tab_title
from vivavoce.web.rendering import View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.access.engine_rules import engine_names, known_engines, missing_part
from vivavoce.workspace.exams import runs
from vivavoce.workspace.exams.intents import engine_times, expect_exam, start_engines

if TYPE_CHECKING:
    from vivavoce.intents.comparison import ComparisonResult
    from vivavoce.intents.differences import Difference
    from vivavoce.intents.splits import Setting

router = APIRouter(prefix="/p/{slug}/engines")
KIND = "engines"
LAST_RUNS = 10
SHOWN_NOTES = 3


@router.get("")
def show_start(visit: ReaderVisit) -> Response:
    """Show the form for a comparison and the last ones."""
    return _start_page(visit)


@router.post("")
def start_comparison(visit: EditorVisit, form: Form) -> Response:
    """Start a comparison of the engines that were ticked."""
    options, typed = read_values(form, ENGINES.chosen), typed_values(form, ENGINES.chosen)
    chosen = [name for name in engine_names(visit.project) if name in form.all("classifiers")]
    try:
        form.check()
        run = start_engines(visit.store, visit.actor, visit.project, chosen, title=typed["title"], options=options)
    except InputError as error:
        return _start_page(visit, typed, chosen, error)
    text = visit.words.gettext("Comparison started. The results will appear here.")
    return visit.done(run_path(visit.project, run), text)


@router.get("/{number:int}")
def show_comparison(visit: ReaderVisit, number: Number) -> Response:
    """Show one comparison: its progress, then which engine is better."""
    words, line = visit.words, runs.show_run(visit.store, visit.project, number, KIND)
    run = line.run
    engines = ", ".join(map(str, run.options.get("classifiers", [])))
    view = View(
        head=run_head(words, visit.project, line),
        lead=run_lead(words, run),
        progress=progress_left(visit, run),
        part=_part(visit, run) if run.state is RunState.DONE else None,
        facts=((words.gettext("Classifiers"), engines), *design_facts(words, run)),
    )
    return visit.page("exams/engines_run.html", tab_title(words, run), view=view)


@router.get("/{number:int}.{kind}")
def export_comparison(visit: ReaderVisit, number: Number, kind: str) -> Response:
    """Return every number of every engine as CSV or XLSX."""
    run = runs.show_run(visit.store, visit.project, number, KIND).run
    result = cast("ComparisonResult", runs.result_of(visit.store, run))
    rows = [
        (engine.name, str(findings.setting), name, rate.value, rate.low, rate.high, rate.n)
        for engine in result.classifiers
        for findings in engine.settings
        for name, rate in findings.rates.items()
    ]
    columns = ("engine", "setting", "measure", "value", "low", "high", "n")
    return table_file(f"{visit.project.slug}-engines-{number}", kind, columns, rows)


def _start_page(
    visit: Visit,
    values: Mapping[str, str] | None = None,
    chosen: Sequence[str] | None = None,
    error: InputError | None = None,
) -> Response:
    words, project = visit.words, visit.project
    expected = expect_exam(visit.store, project)
    last = runs.list_runs(visit.store, project, kind=KIND, limit=LAST_RUNS)
    summaries = {engine.name: engine.summary for engine in known_engines()}
    ticked = {project.classifier, "tfidf"} if chosen is None else set(chosen)
    own, usual = words.gettext("This project's classifier."), {"threshold": f"{project.threshold:g}"}
    if not expected.examples:
        lead = words.gettext("Nothing to compare classifiers on yet: the project has no examples.")
    elif not last.lines or not last.lines[0].run.headline:
        lead = words.gettext("Which classifier learns your topics best?")
    else:
        headline = words.said(last.lines[0].run.headline)
        lead = words.gettext("Last comparison: %(headline)s", headline=headline)
    form = option_form(words, ENGINES.chosen, {**usual, **(values or {})}, partial(fault_at, error))
    view = View(
        lead=lead,
        ready=expected.examples > 0,
        examples=words.ngettext("%(num)s example", "%(num)s examples", expected.examples),
        engines=[
            View(
                name=name,
                summary=summaries.get(name, own),
                own=name == project.classifier,
                chosen=name in ticked,
                lack=missing_part(name),
            )
            for name in engine_names(project)
        ],
        fault=fault_at(error, "classifiers"),
        fields=(*form.first, *form.more),
        columns=run_columns(words),
        rows=[run_row(visit, line) for line in last.lines],
        error=error,
    )
    title, status = words.gettext("Classifiers"), 400 if error else 200
    return visit.page("exams/engines.html", title, view=view, status=status)


def _part(visit: Visit, run: Run) -> View:
    from vivavoce.reports.intents.choices import short_notes

    words, writer, rows, times = visit.words, visit.write, [], []
    result = cast("ComparisonResult", runs.result_of(visit.store, run))
    for engine in result.classifiers:
        for findings in engine.settings:
            if findings.same_as is None:
                rates = (rate_cell(words, findings.rates[name]) for name in SHOWN)
                rows.append(Row((engine.name, setting_title(words, findings.setting), *rates)))
    for time in engine_times(visit.store, run):
        # A message often takes less than a thousandth of a second.
        short = time.message < 0.01
        message = f"{writer.number(1000 * time.message, 2)} ms" if short else writer.duration(time.message)
        times.append(Row((time.name, writer.duration(time.train), message, writer.duration(time.total))))
    measures = (MEASURES[name] for name in SHOWN)
    return View(
        columns=(
            *text_columns(words.gettext("Classifier"), words.gettext("Test conditions")),
            *(Column(words.said(each.title), number=True, meaning=words.said(each.meaning)) for each in measures),
        ),
        rows=rows,
        downloads=Listing(run_path(visit.project, run)).downloads(),
        figure=engines_figure(words, result),
        gaps=gaps_figure(words, result),
        differences=[_difference(words, difference) for difference in result.differences],
        differing=any(difference.samples for difference in result.differences),
        time_columns=(
            *text_columns(words.gettext("Classifier")),
            *number_columns(
                words.gettext("Training, per round"),
                words.gettext("Per message"),
                words.gettext("All rounds together"),
            ),
        ),
        times=times,
        failures=[(failure.name, failure.reason) for failure in result.failures],
        notes=short_notes(result.warnings, SHOWN_NOTES),
    )


def _difference(words: Words, difference: Difference) -> View:
    """Return what two engines differ in; of two guesses the right one is marked."""
    from vivavoce.reports.intents.comparison import difference_sentence

    none, a, b = words.gettext("none"), difference.a, difference.b

    def cell(guess: str | None, right: bool) -> Markup:
        return chip(guess or none, "quiet") if right else Markup("{}").format(guess or none)

    samples = []
    for sample in difference.samples:
        guesses = cell(sample.guess_a, sample.right == a), cell(sample.guess_b, sample.right == b)
        samples.append(Row((sample.text, sample.intent or none, *guesses)))
    gap = difference.pooled
    clear, same = gap.verdict.value in ("better", "worse"), gap.improved == gap.broken == 0 == gap.test.difference
    word = words.gettext("more than chance") if clear else words.gettext("may be chance")
    return View(
        title=f"{a} / {b}",
        sentence=words.said(difference_sentence(difference)),
        clear=clear,
        word=words.gettext("no difference") if same else word,
        columns=text_columns(words.gettext("Message"), words.gettext("Topic"), a, b),
        samples=samples,
    )


SHOWN = ("accuracy", "precision_answered", "automation_rate", "negative_rejection")
# More rows than this are read better in the table.
MAX_GAPS = 10


def setting_title(words: Words, setting: Setting) -> str:
    """Return a condition of the exam by what the bot has to face in it."""
    return scope_title(words, f"{setting.k},{setting.p:g}")


def engines_figure(words: Words, result: ComparisonResult) -> View | None:
    """Return every classifier with its numbers where the first condition holds."""
    from vivavoce.reports.shared.dots import Dot, Panel

    findings = {each.name: each.settings[0] for each in result.classifiers if each.settings}
    if not findings:
        return None
    write, panels, best = Writer(words), [], _best(result)
    for name in SHOWN:
        rates = {engine: own.rates[name] for engine, own in findings.items()}
        tones = {engine: "good" if engine == best and name == "accuracy" else "accent" for engine in rates}
        dots = tuple(
            Dot(engine, rate, write.value(rate.value, "share"), tones[engine])  # type: ignore[arg-type]
            for engine, rate in rates.items()
        )
        # What nobody was asked about needs no place.
        if any(dot.rate.value is not None for dot in dots):
            panels.append(Panel(words.said(MEASURES[name].title), dots, none=words.gettext("none asked")))
    if not panels:
        return None
    note = words.gettext(
        "%(setting)s. Dot: value; bar: likely range with other examples. The axes do not start at 0.",
        setting=setting_title(words, next(iter(findings.values())).setting),
    )
    return dots_figure(words.gettext("Each classifier in the same rounds"), note, panels, columns=len(panels))


def gaps_figure(words: Words, result: ComparisonResult) -> View | None:
    """Return the differences in right decisions between each two classifiers on one axis."""
    from vivavoce.reports.shared.dots import Dot, Panel

    dots = []
    for difference in result.differences:
        test, verdict = difference.pooled.test, difference.pooled.verdict.value
        a, b, sign = difference.a, difference.b, 1
        if (test.difference or 0.0) < 0:
            # The better one is named first.
            a, b, sign = b, a, -1
        ends = sorted(sign * end for end in (test.low, test.high) if end is not None)
        low, high = ends if len(ends) == 2 else (None, None)
        gap = Rate(None if test.difference is None else sign * test.difference, low, high, 0)
        title = words.gettext("%(a)s against %(b)s", a=a, b=b)
        clear = verdict in ("better", "worse")
        dots.append(Dot(title, gap, write_gap(words, gap, around=False), "good" if clear else "muted"))
    if not dots or len(dots) > MAX_GAPS or not any(dot.rate.value is not None for dot in dots):
        return None
    note = words.gettext(
        "Correct decisions of the first minus those of the second, in points, "
        "over all conditions; grey where it may be chance."
    )
    panels = [Panel("", tuple(dots), signed=True)]
    return dots_figure(words.gettext("Which differences are real?"), note, panels)


def _best(result: ComparisonResult) -> str:
    """Return the classifier that is better than every other, by more than chance; none: an empty text."""
    beaten: dict[str, set[str]] = {each.name: set() for each in result.classifiers}
    for difference in result.differences:
        verdict = difference.pooled.verdict.value
        if verdict == "better":
            beaten[difference.a].add(difference.b)
        elif verdict == "worse":
            beaten[difference.b].add(difference.a)
    others = len(result.classifiers) - 1
    return next((name for name, own in beaten.items() if others and len(own) == others), "")
