"""The exams of a project over time: one wide chart, what changed and what it brought, and every run."""

from __future__ import annotations

from contextlib import suppress
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from vivavoce.errors import Fault, InputError, UsageError
from vivavoce.messages import say
from vivavoce.records import Rate
from vivavoce.store.stamps import now
from vivavoce.web.answers import table_file
from vivavoce.web.cells import link_cell, rate_cell
from vivavoce.web.exam_pages import exam_title
from vivavoce.web.forms import fault_at
from vivavoce.web.language import gettext_noop
from vivavoce.web.listing import Listing
from vivavoce.web.local_time import current_zone
from vivavoce.web.pages.exams.findings import verdict_chip, verdict_sentence, write_gap
from vivavoce.web.pages.exams.timeline_chart import axis_note, compare_path, course_pictures, line_title
from vivavoce.web.parts import Choice, Column, Field, Row, number_columns, text_columns
from vivavoce.web.progress import run_path
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import ReaderVisit, Visit
from vivavoce.workspace.exams.courses import (
    OVERVIEW,
    TOGETHER,
    Course,
    Effect,
    followed_exams,
    measures_of,
    show_course,
)
from vivavoce.workspace.exams.gaming import find_gaming
from vivavoce.workspace.exams.project_exams import project_exam
from vivavoce.workspace.exams.verdicts import Verdict

router = APIRouter(prefix="/p/{slug}/timeline")
# Whether a score rose because hard questions went is asked of the newest changes.
GUARDED_STEPS = 12
SHOWN_RUNS = 30
USUAL = "intents"
# How many days each choice shows.
SPANS: dict[str, tuple[str, int]] = {
    "month": (gettext_noop("Month"), 31),
    "quarter": (gettext_noop("3 months"), 92),
    "year": (gettext_noop("Year"), 366),
    "all": (gettext_noop("All"), 0),
}
VERDICTS: dict[Verdict, str] = {
    "better": gettext_noop("Better since %(day)s."),
    "worse": gettext_noop("Worse since %(day)s."),
    "same": gettext_noop("No real change since %(day)s."),
}
COLUMNS = ("run", "title", "at", "setting", "measure", "value", "low", "high", "n")
Short = Annotated[str, Query(max_length=40)]


async def _asked_line(  # noqa: PLR0917
    exam: Short = USUAL,
    measure: Short = "",
    about: Annotated[str, Query(max_length=400)] = "",
    span: Annotated[str, Query(max_length=10)] = "",
    since: Annotated[str, Query(max_length=10)] = "",
    until: Annotated[str, Query(max_length=10)] = "",
) -> Listing:
    chosen = {"exam": exam, "measure": measure, "about": about, "span": span, "since": since, "until": until}
    return Listing("", chosen)


LineAsked = Annotated[Listing, Depends(_asked_line)]


@router.get("")
def show_line(visit: ReaderVisit, asked: LineAsked) -> Response:
    """Show an exam over time."""
    words, listing = visit.words, asked.at(f"{visit.base}/timeline")
    exams = followed_exams(visit.store, visit.project)
    exam = asked.chosen["exam"] if asked.chosen["exam"] in exams else next(iter(exams), USUAL)
    error: InputError | None = None
    try:
        course, span = _find(visit, asked, exam)
    except InputError as refusal:
        error, (course, span) = refusal, (show_course(visit.store, visit.project, exam), "all")
    view = View(
        lead=_lead(visit, course),
        facts=_facts(visit, course),
        exams=[
            Link(exam_title(words, name), listing.address(exam=name, measure="", about=""), name == exam)
            for name in exams
        ],
        spans=[
            Link(words.gettext(title), listing.address(span=name, since="", until=""), name == span)
            for name, (title, _) in SPANS.items()
        ],
        path=listing.path,
        fields=_fields(visit, course, asked, span, error),
        dates=_date_fields(visit, asked, error),
        figure=_figure(visit, course),
        steps=[_step(visit, course, number) for number in range(len(course.steps), 0, -1)],
        open=_open(visit, course),
        table=_table(visit, course),
        downloads=listing.downloads(),
        start=Link(words.gettext("Start an exam"), f"{visit.base}/intents"),
        any=bool(exams),
        everything=listing.address(span="all", since="", until=""),
        error=error,
    )
    title, status = words.gettext("Timeline"), 400 if error else 200
    return visit.page("exams/timeline.html", title, view=view, status=status)


@router.get(".{kind}")
def export_line(visit: ReaderVisit, kind: str, asked: LineAsked) -> Response:
    """Return the numbers over time as CSV or XLSX."""
    course, _ = _find(visit, asked, asked.chosen["exam"])
    points = [point for line in course.lines for point in line.points]
    rows = [(p.number, p.title, p.at, p.scope, p.name, p.value, p.low, p.high, p.n) for p in points]
    return table_file(f"{visit.project.slug}-timeline", kind, COLUMNS, rows)


def _find(visit: Visit, asked: Listing, exam: str) -> tuple[Course, str]:
    """Return the runs that were asked for, and which of the usual stretches of time that is (none: other dates)."""
    faults: list[Fault] = []
    first, last = (_read_day(asked.chosen[name], name, faults) for name in ("since", "until"))
    if first and last and first > last:
        faults.append(Fault(say("the end is before the start"), "until"))
    if faults:
        raise UsageError(say("these dates are invalid"), faults=faults, remedy=say("write dates like 2026-01-31"))
    begin = datetime.combine(first, time(), current_zone()) if first else None
    end = datetime.combine(last, time(), current_zone()) + timedelta(days=1) if last else None
    find = partial(
        show_course, visit.store, visit.project, exam, measure=asked.chosen["measure"], about=asked.chosen["about"]
    )
    if begin or end:
        return find(since=begin, until=end), ""
    span = asked.chosen["span"] if asked.chosen["span"] in SPANS else ""
    # Whole hours, so that what was found is found again.
    hour = now().replace(minute=0, second=0, microsecond=0)
    for name in [span] if span else ["quarter", "all"]:
        days = SPANS[name][1]
        course = find(since=hour - timedelta(days=days) if days else None)
        if span or name == "all" or len(course.runs) > 1:
            return course, name
    raise AssertionError("there is always a last choice")


def _read_day(text: str, name: str, faults: list[Fault]) -> date | None:
    with suppress(ValueError):
        if not text or 1970 <= date.fromisoformat(text).year <= 9998:
            return date.fromisoformat(text) if text else None
    faults.append(Fault(say("'{said}' is not a date", said=text), name))
    return None


# --- in words ------------------------------------------------------------------------------------------------------


def _lead(visit: Visit, course: Course) -> str:
    """Return the verdict: the last run against the first."""
    words, runs = visit.words, course.runs
    if not course.lines:
        return words.gettext("No completed exams in this period, so there is no timeline yet.")
    if len(runs) == 1:
        return words.gettext("One exam so far. The next one shows whether your changes helped.")
    same_day = visit.write.near_day(runs[0].created) == visit.write.near_day(runs[-1].created)
    day = visit.write.near_day(runs[0].created, clock=same_day)
    if course.effects[0].questions is not None:
        verdict = course.effects[0].questions
        begin = words.gettext(VERDICTS[verdict.verdict], day=day) if verdict.verdict in VERDICTS else ""
        return f"{begin} {verdict_sentence(words, verdict)}".strip()
    found = {effect.verdict for effect in course.effects}
    if found == {"better", "worse"}:
        return words.gettext("Since %(day)s, some bots got better and others worse.", day=day)
    clear = next((verdict for verdict in ("better", "worse", "same") if verdict in found), None)
    return words.gettext(VERDICTS[clear], day=day) if clear else words.gettext("These runs cannot be compared.")


def _facts(visit: Visit, course: Course) -> str:
    """Say from which to which value each line went."""
    words, write, parts = visit.words, visit.write, []
    for line in course.lines:
        kind, values = project_exam(course.exam).measure(line.name).kind, [p.value for p in line.points]
        last = write.value(values[-1], kind)
        title = line_title(words, course, line)
        if len(values) > 1:
            first = write.value(values[0], kind)
            parts.append(words.gettext("%(what)s: %(first)s → %(last)s", what=title, first=first, last=last))
        else:
            parts.append(words.gettext("%(what)s: %(last)s", what=title, last=last))
    count = words.ngettext("%(num)s exam", "%(num)s exams", len(course.runs))
    return " · ".join((*parts, count)) if parts else ""


def _fields(visit: Visit, course: Course, asked: Listing, span: str, error: InputError | None) -> tuple[Field, ...]:
    """Return what can be chosen beside the stretch of time."""
    words = visit.words
    names = measures_of(course.exam)
    titles = {name: words.said(project_exam(course.exam).measure(name).title) for name in names}
    together = {OVERVIEW: words.gettext("Overview")} if course.exam in TOGETHER else {}
    choices = tuple(Choice(name, title) for name, title in {**together, **titles}.items())
    fields = [Field("exam", "", "hidden", course.exam), Field("span", "", "hidden", span)]
    if len(course.choices) > 1:
        label = words.gettext("Suite") if course.exam == "conversations" else words.gettext("Dialogues")
        about = tuple(Choice(key, title) for key, title in course.choices.items())
        fields.append(Field("about", label, "select", course.about, choices=about))
    if len(choices) > 1:
        fields.append(
            Field(
                "measure",
                words.gettext("Metric"),
                "select",
                course.measure,
                choices=choices,
                error=fault_at(error, "measure"),
            )
        )
    return tuple(fields) if len(fields) > 2 else ()


def _date_fields(visit: Visit, asked: Listing, error: InputError | None) -> tuple[Field, ...]:
    words, chosen = visit.words, asked.chosen
    kept = (Field(name, "", "hidden", chosen[name]) for name in ("exam", "measure", "about"))
    return (
        *kept,
        Field("since", words.gettext("From"), "date", chosen["since"], error=fault_at(error, "since")),
        Field("until", words.gettext("To"), "date", chosen["until"], error=fault_at(error, "until")),
    )


# --- the chart and what changed ------------------------------------------------------------------------------------


def _figure(visit: Visit, course: Course) -> View | None:
    if not course.lines:
        return None
    words = visit.words
    label = f"{_lead(visit, course)} {_facts(visit, course)}"
    wide, narrow = course_pictures(words, visit.base, course, label)
    band = words.gettext("Band: likely range with other examples.")
    marks = words.gettext("Numbers: what changed, listed below.") if course.steps else ""
    note = " ".join(filter(None, (band, axis_note(words, course), marks)))
    exam = project_exam(course.exam)
    titles = dict.fromkeys(words.said(exam.measure(line.name).title) for line in course.lines)
    meanings = [
        (words.said(exam.measure(name).title), words.said(exam.measure(name).meaning))
        for name in dict.fromkeys(line.name for line in course.lines)
    ]
    return View(title=", ".join(titles), note=note, wide=wide, narrow=narrow, meanings=meanings)


def _step(visit: Visit, course: Course, number: int) -> View:
    """Return what changed between two runs, what it brought, and the ways to both."""
    words, step = visit.words, course.steps[number - 1]
    comparison = compare_path(visit.base, course, step)
    links = [Link(words.gettext("Compare before and after"), comparison)]
    if course.exam == "dialogues":
        links = [Link(words.gettext("Open the run"), comparison)]
    if len(step.edits) == 1:
        links.append(Link(words.gettext("See the edit"), f"{visit.base}/edits/{step.edits[0]}"))
    is_guarded = course.exam == "intents" and number > len(course.steps) - GUARDED_STEPS
    return View(
        number=number,
        text=words.said(step.text),
        at=step.at,
        effects=[_effect(visit, course, effect) for effect in step.effects],
        guard=words.said(find_gaming(visit.store, step.a, step.b)) if is_guarded else "",
        runs=[Link(words.ours(run.title), run_path(visit.project, run)) for run in (step.a, step.b)],
        links=links,
    )


def _effect(visit: Visit, course: Course, effect: Effect) -> View:
    words, kind = visit.words, project_exam(course.exam).measure(course.lines[0].name).kind
    note = ""
    if effect.questions is not None and effect.questions.shared:
        note = words.gettext(
            "%(better)s now right, %(worse)s no longer right",
            better=visit.write.number(effect.questions.improved),
            worse=visit.write.number(effect.questions.broken),
        )
    gap = "" if effect.difference.value is None else write_gap(words, effect.difference, kind)
    return View(scope=effect.scope, gap=gap, note=note, chip=verdict_chip(words, effect.verdict))


def _open(visit: Visit, course: Course) -> View | None:
    """Return what changed since the last run, which no exam has measured yet."""
    if course.open is None:
        return None
    words = visit.words
    start = Link(words.gettext("Examine again"), f"{visit.base}/{course.exam}")
    return View(text=words.said(course.open), start=start)


def _table(visit: Visit, course: Course) -> View | None:
    """Return the newest runs, each with its numbers and the way to the comparison with the one before."""
    words, write = visit.words, visit.write
    if not course.lines:
        return None
    by_run: dict[str, dict[int, Rate]] = {}
    for place, line in enumerate(course.lines):
        for point in line.points:
            by_run.setdefault(point.run_id, {})[place] = Rate(point.value, point.low, point.high, point.n)
    measures = [project_exam(course.exam).measure(line.name) for line in course.lines]
    rows: list[Row] = []
    # Scores of dialogues have no page that compares two runs.
    comparable, before = course.exam in ("intents", "conversations"), 0
    # The one before the first that is shown is only compared with.
    for run in course.runs[-SHOWN_RUNS - 1 :]:
        rates = (by_run.get(run.id, {}).get(place, Rate(None, None, None, 0)) for place in range(len(course.lines)))
        cells = [rate_cell(words, rate, measure) for rate, measure in zip(rates, measures, strict=True)]
        text = words.gettext("Compare with the run before")
        path = f"{visit.base}/{course.exam}/compare?a={before}&b={run.number}"
        compare = [link_cell(path, text) if before else ""] if comparable else []
        name = link_cell(run_path(visit.project, run), words.ours(run.title))
        rows.append(Row((name, write.date(run.created), *cells, *compare)))
        before = run.number
    columns = (
        *text_columns(words.gettext("Run"), words.gettext("When")),
        *number_columns(*(line_title(words, course, line) for line in course.lines)),
        *([Column(words.gettext("What changed"))] if comparable else []),
    )
    left = max(0, len(course.runs) - SHOWN_RUNS)
    return View(columns=columns, rows=rows[::-1][:SHOWN_RUNS], left=left)
