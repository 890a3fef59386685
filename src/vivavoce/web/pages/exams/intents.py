"""The topic exam: its start, and what a run found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.jobs.exams.kinds import BORROW, INTENTS
from vivavoce.messages import say_count
from vivavoce.reports.intents.meanings import MAIN, MEASURES
from vivavoce.store.rows import Run, RunState
from vivavoce.web.figures import find_figure
from vivavoce.web.formats import Writer
from vivavoce.web.forms import Form, fault_at
from vivavoce.web.language import Words
from vivavoce.web.listing import Number, Word
from vivavoce.web.option_forms import option_form, read_values, typed_values
from vivavoce.web.pages.exams.findings import (
    changes_note,
    design_facts,
    progress_left,
    result_tabs,
    run_columns,
    run_lead,
    run_row,
)
from vivavoce.web.pages.exams.intents_test_set import link_test_set
from vivavoce.web.pages.exams.intents_topics import CellAsked, heat_view
from vivavoce.web.pages.exams.problem_rows import aside_rows, list_brought, problem_rows, readiness_view
from vivavoce.web.parts import Field, named_choices
from vivavoce.web.progress import run_head, run_path, tab_title
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.access.engine_rules import engine_names, known_engines, missing_part, ready_engines
from vivavoce.workspace.exams import intents, runs
from vivavoce.workspace.exams.comparing import Earlier, RateChange, changes_since, values_over_time
from vivavoce.workspace.exams.gaming import find_gaming
from vivavoce.workspace.exams.open_problems import open_problems

if TYPE_CHECKING:
    from vivavoce.intents.result import IntentsResult

router = APIRouter(prefix="/p/{slug}/intents")
LAST_RUNS = 10
SHOWN_PROBLEMS = 6
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
        test_set=link_test_set(visit, run) if result else None,
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
    languages = intents.list_borrowable(visit.store, project)
    chosen = [option for option in INTENTS.chosen if option.name != "classifier"]
    options = [option for option in chosen if option is not BORROW or languages]
    view = View(
        lead=_start_lead(visit, expected),
        last=expected.last,
        ready=expected.examples > 0,
        engine=engine,
        form=option_form(words, options, values, partial(fault_at, error), offers={BORROW.name: languages}),
        engines=[(known.name, lack_of(known.name) or words.said(known.summary)) for known in known_engines()],
        takes=_about_time(visit, expected.seconds),
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
    title, status = words.gettext("Intents exam"), 400 if error else 200
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


def examine_view(visit: Visit) -> View | None:
    """Return the button that starts the next exam, and how long it takes; None where there is nothing to examine."""
    expected = intents.expect_exam(*visit.here)
    if not expected.examples or not visit.who.may("editor"):
        return None
    title = visit.words.gettext("Examine again") if expected.last else visit.words.gettext("Examine")
    return View(title=title, action=f"{visit.base}/intents", time=_about_time(visit, expected.seconds))


def _about_time(visit: Visit, seconds: float) -> str:
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


def result_view(visit: Visit, run: Run, result: IntentsResult) -> View:
    """Return what the page of a finished exam shows."""
    from vivavoce.reports.intents import problem_wording, wording
    from vivavoce.reports.intents.choices import range_rows, short_notes

    result = replace(result, problems=open_problems(visit.store, visit.project, run))
    notes, rows = short_notes(result.warnings, 3), list(problem_rows(visit, run, result))
    own = [findings for findings in result.settings if findings.same_as is None]
    since = changes_since(visit.store, visit.project, run)
    return View(
        title=_title(visit.words, result, since),
        since=since and _since_view(visit, run, since),
        guard=visit.words.said(find_gaming(visit.store, since.before, run)) if since else "",
        brought=list(list_brought(visit, run)),
        facts=_facts(visit, run, result),
        tiles=list(_tiles(visit, run, result, since)) if own else [],
        strangers=wording.strangers_sentence(result),
        balance=wording.balance_sentence(result),
        borrowed=result.borrowed.sentence if result.borrowed else "",
        verdict=problem_wording.verdict(result),
        ready=readiness_view(visit, run),
        problems=rows[:SHOWN_PROBLEMS],
        more_problems=rows[SHOWN_PROBLEMS:],
        asides=list(aside_rows(visit, run)),
        measures=[MEASURES[name] for name in MAIN],
        settings=range_rows(result, visit.write),
        equal=[wording.setting_sentence(findings) for findings in result.settings if findings.same_as is not None],
        overlap=find_figure(visit.store, visit.project, run, "overlap"),
        sizes=find_figure(visit.store, visit.project, run, "sizes"),
        notes=notes,
        more_notes=max(0, len(runs.warnings_of(visit.store, run)) - len(notes)),
    )


def _title(words: Words, result: IntentsResult, since: Earlier | None) -> str:
    from vivavoce.reports.intents import wording

    title = words.said(wording.verdict_title(result))
    if since is None or since.verdict.verdict not in ("better", "worse"):
        return title
    better = since.verdict.verdict == "better"
    against = [words.said(MEASURES[name].title) for name in MAIN if _went_against(result, since, name, better=better)]
    if not against:
        change = words.gettext("Better than before.") if better else words.gettext("Worse than before.")
    elif better:
        change = words.gettext("More correct decisions than before; lower: %(names)s.", names=", ".join(against))
    else:
        change = words.gettext("Fewer correct decisions than before; higher: %(names)s.", names=", ".join(against))
    return f"{title} {change}"


def _went_against(result: IntentsResult, since: Earlier, name: str, *, better: bool) -> bool:
    """Tell whether a main number clearly moved the other way than the verdict."""
    from vivavoce.jobs.exams.preparation import setting_name
    from vivavoce.reports.intents.choices import best_source

    change = since.changes.get((setting_name(best_source(result, name).setting), name))
    if change is None or not change.clear or change.difference.value is None:
        return False
    return (change.difference.value > 0) is not better


def _since_view(visit: Visit, run: Run, since: Earlier) -> View:
    """Return how many questions changed since the last comparable run, and the way to compare the two."""
    words, verdict = visit.words, since.verdict
    tones = {"better": ("good", "up"), "worse": ("bad", "down")}
    tone, icon = tones.get(verdict.verdict, ("", "flat"))
    text = changes_note(words, verdict) if verdict.shared else words.gettext("No questions in common")
    if verdict.verdict == "same" and verdict.improved + verdict.broken:
        text = f"{text}: {words.gettext('may be chance')}"
    return View(
        text=text,
        tone=tone,
        icon=icon,
        before=since.before,
        href=f"{visit.base}/intents/compare?a={since.before.number}&b={run.number}",
    )


def _facts(visit: Visit, run: Run, result: IntentsResult) -> list[str]:
    """Return what was examined, and how long that took."""
    words, facts = visit.words, []
    facts.append(
        words.gettext(
            "%(examples)s in %(topics)s",
            examples=words.said(say_count(result.data.rows, "{n} example", "{n} examples")),
            topics=words.said(say_count(result.data.topics, "{n} topic", "{n} topics")),
        )
    )
    rounds = words.ngettext("%(num)s round", "%(num)s rounds", result.design.retries)
    if run.started and run.finished:
        rounds = f"{rounds}, {visit.write.duration(round((run.finished - run.started).total_seconds()))}"
    facts.append(rounds)
    return facts


def _tiles(visit: Visit, run: Run, result: IntentsResult, since: Earlier | None) -> Iterator[View]:
    """Yield the main numbers, each from the first setting in which it exists, with its change and its past."""
    from vivavoce.jobs.exams.preparation import setting_name
    from vivavoce.reports.intents.choices import best_source
    from vivavoce.reports.intents.wording import setting_title

    words, write, base = visit.words, visit.write, run_path(visit.project, run)
    past = values_over_time(visit.store, visit.project, run, MAIN)
    ways = {
        "automation_rate": f"{base}/curve",
        "precision_answered": f"{base}/questions?outcome=wrong_intent",
        "negative_rejection": f"{base}/curve",
        "accuracy": f"{base}/questions",
    }
    for name in MAIN:
        measure, findings = MEASURES[name], best_source(result, name)
        rate, key = findings.rates[name], (setting_name(findings.setting), name)
        range_text = write.interval(rate)
        around = f"{range_text} · {write.counted(rate.n)}" if range_text else words.said(measure.absent)
        if findings is not result.settings[0]:
            around = f"{around} · {words.said(setting_title(findings))}"
        change = since.changes.get(key) if since else None
        yield View(
            name=words.said(measure.title),
            value=rate.value,
            text=write.value(rate.value),
            around=around,
            meaning=words.said(measure.meaning),
            unsure=rate.tells_little(),
            href=ways[name],
            delta=_delta_view(words, change),
            spark=past.get(key, ()),
        )


def _delta_view(words: Words, change: RateChange | None) -> View | None:
    """Return a change of a number in points, and whether it may be chance; None where there is none."""
    if change is None or change.difference.value is None:
        return None
    value = change.difference.value
    points = Writer(words).signed(100 * value, 0)
    counted = words.ngettext("%(value)s point", "%(value)s points", abs(round(100 * value)), value=points)
    if not change.clear:
        return View(tone="flat", icon="flat", text=words.gettext("%(points)s, may be chance", points=counted))
    tone, icon = ("good", "up") if value > 0 else ("bad", "down")
    return View(tone=tone, icon=icon, text=words.gettext("%(points)s, real", points=counted))
