"""Today: one sentence on how a project stands, its numbers, what to do next, three months, and who did what."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated
from zlib import crc32

from fastapi import APIRouter, Query
from starlette.responses import Response

from vivavoce.records import Rate
from vivavoce.store.rows import Run
from vivavoce.store.stamps import now
from vivavoce.web.answers import answer_unchanged, go
from vivavoce.web.exam_pages import ProblemLine, exam_title, pages_of
from vivavoce.web.language import gettext_noop
from vivavoce.web.pages.access.sign_in import keep
from vivavoce.web.pages.exams.intents import examine_view
from vivavoce.web.pages.exams.problem_rows import readiness_view
from vivavoce.web.pages.exams.timeline_chart import axis_note, course_pictures, line_title
from vivavoce.web.pages.projects.first_steps import checklist_cookie, checklist_view, other_steps
from vivavoce.web.parts import Progress
from vivavoce.web.progress import LABELS, run_path
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import ReaderVisit, Visit
from vivavoce.workspace.assistant.alarms import find_alarms
from vivavoce.workspace.exams.courses import show_course
from vivavoce.workspace.exams.gaming import find_gaming
from vivavoce.workspace.exams.project_exams import Problem, project_exam
from vivavoce.workspace.exams.verdicts import Verdict
from vivavoce.workspace.projects import today
from vivavoce.workspace.projects.today import Happening, Move, Today, list_happenings
from vivavoce.workspace.projects.trends import INTENTS, Trend, list_trends

router = APIRouter(prefix="/p/{slug}")
# What is worth doing next is a short list; the rest is folded.
SHOWN_ITEMS = 5
VERSIONS = 2**32 - 1


@router.get("")
def show_today(visit: ReaderVisit) -> Response:
    """Show how a project stands."""
    words, day = visit.words, today.show_today(*visit.here)
    trends = list_trends(*visit.here, day)
    items, checklist = todo_items(visit, day), checklist_view(visit)
    view = View(
        head=head_view(visit, day, trends),
        tiles=trend_tiles(visit, day, trends),
        examined=bool(day.exams),
        ready=next((readiness_view(visit, state.run) for state in day.exams if state.exam == INTENTS), None),
        checklist=checklist,
        steps=other_steps(visit, day.steps, checklist=checklist is not None),
        alarms=alarm_lines(visit, day),
        items=items[:SHOWN_ITEMS],
        more_items=items[SHOWN_ITEMS:],
        cards=exam_cards(visit, day),
        picture=three_months(visit, day),
        activity=activity_lines(visit),
        running=running_view(visit, day.open),
        path=visit.base,
    )
    return visit.page("projects/today.html", words.gettext("Today"), view=view)


@router.post("/checklist")
def hide_checklist(visit: ReaderVisit) -> Response:
    """Put the first steps away, in this browser."""
    response = go(visit.base)
    keep(visit.request, response, checklist_cookie(visit.project), "hidden")
    return response


@router.get("/running")
def show_running(visit: ReaderVisit, version: Annotated[int, Query(ge=0, le=VERSIONS)] = 0) -> Response:
    """Return the part of the page that says what is going on; nothing when that has not changed."""
    view = running_view(visit, today.open_runs(*visit.here))
    if not view.lines:
        # The page that asked has more to show now: being led elsewhere, it loads itself anew.
        return go(visit.base)
    return answer_unchanged() if view.version == version else visit.part("projects/today_running.html", view)


def running_view(visit: Visit, going_on: Sequence[Run]) -> View:
    """Return the runs that are going on, for the part of the page that renews itself."""
    lines = tuple(
        View(
            title=run.title,
            kind=exam_title(visit.words, run.kind),
            href=run_path(visit.project, run),
            progress=Progress(visit.words.gettext(LABELS[run.state]), run.done + run.failed, run.total, run.failed),
        )
        for run in going_on
    )
    version = crc32("".join(f"{run.id}:{run.version} " for run in going_on).encode())
    return View(lines=lines, poll=f"{visit.base}/running" if lines else "", version=version)


# The chip beside the sentence: how the newest exam stands against an earlier one, tone and sign.
CHIPS: dict[Verdict, tuple[str, str, str]] = {
    "better": (gettext_noop("Better than on %(day)s"), "good", "up"),
    "worse": (gettext_noop("Worse than on %(day)s"), "bad", "down"),
    "same": (gettext_noop("No clear change since %(day)s"), "neutral", "flat"),
}
# Under this many cases a share would only look exact.
FEW = 10
TONES: dict[Verdict, tuple[str, str]] = {"better": ("good", "up"), "worse": ("bad", "down")}


def head_view(visit: Visit, day: Today, trends: Sequence[Trend]) -> View:
    """Return the sentence that a manager can repeat, what changed, and what can be done."""
    words, write = visit.words, visit.write
    move = next((move for move in day.moves if move.questions is not None), None)
    chip, text = None, ""
    if move is not None and move.questions is not None and move.verdict in CHIPS:
        template, tone, sign = CHIPS[move.verdict]
        since = write.near_day(move.since.created)
        chip = View(text=words.gettext(template, day=since), tone=tone, sign=sign)
        better, worse = write.number(move.questions.improved), write.number(move.questions.broken)
        text = words.gettext(
            "%(better)s questions are now right, %(worse)s no longer are.", better=better, worse=worse
        )
        text += " " + (
            words.gettext("That may be chance.") if move.verdict == "same" else words.gettext("More than chance.")
        )
    newest = next(iter(day.exams), None)
    return View(
        title=_sentence(visit, day, trends),
        chip=chip,
        text=text,
        compare=_compare_link(visit, day, move),
        examined=newest.run.created if newest else None,
        stale=_stale(visit, day),
        examine=examine_view(visit),
    )


def _sentence(visit: Visit, day: Today, trends: Sequence[Trend]) -> str:
    words = visit.words
    if not day.exams:
        return words.gettext("Nothing examined yet")
    rates = {trend.name: trend.rate for trend in trends if trend.exam == INTENTS}
    answered, correct = (_of_hundred(rates.get(name)) for name in ("automation_rate", "precision_answered"))
    if answered and correct:
        return words.gettext(
            "The bot answers %(answered)s of 100 questions, and %(correct)s of 100 answers are correct.",
            answered=answered,
            correct=correct,
        )
    if answered:
        return words.gettext("The bot answers %(answered)s of 100 questions.", answered=answered)
    return words.said(day.exams[0].run.headline or day.exams[0].run.title)


def _of_hundred(rate: Rate | None) -> str:
    return "" if rate is None or rate.value is None else f"{100 * rate.value:.0f}"


def _compare_link(visit: Visit, day: Today, move: Move | None) -> Link | None:
    if move is None:
        return None
    newest = next(state.run for state in day.exams if state.exam == move.exam)
    href = f"{visit.base}/intents/compare?a={move.since.number}&b={newest.number}"
    return Link(visit.words.gettext("See which"), href)


def _stale(visit: Visit, day: Today) -> str:
    if not day.edits_since_exam:
        return ""
    return visit.words.ngettext(
        "%(num)s change since the last intents exam is not in its results.",
        "%(num)s changes since the last intents exam are not in its results.",
        day.edits_since_exam,
    )


def trend_tiles(visit: Visit, day: Today, trends: Sequence[Trend]) -> list[View]:
    """Return the numbers with their intervals, their course and how they changed."""
    tiles, words, write = [], visit.words, visit.write
    for trend in trends:
        measure = project_exam(trend.exam).measure(trend.name)
        run = next(state.run for state in day.exams if state.exam == trend.exam)
        scope = pages_of(trend.exam).scope_title(trend.scope)
        name = words.said(measure.title)
        few = measure.kind == "share" and 0 < trend.rate.n < FEW
        value = write.value(trend.rate.value, measure.kind)
        if few and trend.rate.value is not None:
            value = write.of(round(trend.rate.value * trend.rate.n), trend.rate.n)
        around = write.interval(trend.rate, measure.kind)
        tiles.append(
            View(
                name=f"{name}: {scope}" if scope else name,
                value=value,
                around=f"{around}, {write.counted(trend.rate.n)}" if around else "",
                meaning=words.said(measure.meaning),
                href=run_path(visit.project, run),
                history=trend.past if measure.kind == "share" else tuple(value / 5 for value in trend.past),
                change=_change(visit, trend, measure.kind),
            )
        )
    return tiles


def _change(visit: Visit, trend: Trend, kind: str) -> View | None:
    move, words = trend.move, visit.words
    if move is None or move.verdict == "unknown" or move.before.value is None or move.after.value is None:
        return None
    gap = move.after.value - move.before.value
    size = visit.write.signed(gap, 1)
    if kind == "share":
        size = words.gettext("%(value)s points", value=visit.write.signed(100 * gap, 0))
    tone, sign = TONES.get(move.verdict, ("", "flat"))
    text = words.gettext("%(change)s since %(day)s", change=size, day=visit.write.near_day(move.since.created))
    if move.verdict == "same":
        text = words.gettext("%(change)s, may be chance", change=size)
    return View(text=text, tone=tone, sign=sign)


def alarm_lines(visit: Visit, day: Today) -> list[View]:
    """Return what became worse since the run before, by more than chance, what rose for a bad reason, and alarms."""
    lines, words, write = [], visit.words, visit.write
    move = next((move for move in day.moves if move.questions is not None), None)
    if move is not None:
        newest = next(state.run for state in day.exams if state.exam == move.exam)
        link = Link(
            words.gettext("See which"), f"{visit.base}/intents/compare?a={move.since.number}&b={newest.number}"
        )
        if guard := find_gaming(visit.store, move.since, newest):
            lines.append(View(text=words.said(guard), link=link))
    for move in day.alarms:
        measure = project_exam(move.exam).measure(move.name)
        newest = next(state.run for state in day.exams if state.exam == move.exam)
        text = words.gettext(
            "%(metric)s fell from %(before)s to %(after)s since the previous run, by more than chance.",
            metric=" · ".join(filter(None, (words.said(measure.title), pages_of(move.exam).scope_title(move.scope)))),
            before=write.value(move.before.value, measure.kind),
            after=write.value(move.after.value, measure.kind),
        )
        lines.append(View(text=text, link=Link(words.gettext("See the run"), run_path(visit.project, newest))))
    for alarm in find_alarms(*visit.here):
        link = Link(words.gettext("Open the inbox"), f"{visit.base}/inbox?message={alarm.message_id}")
        if alarm.name in ("automation", "accuracy"):
            link = Link(words.gettext("Automation"), f"{visit.base}/automation")
        lines.append(View(text=words.said(alarm.text), link=link))
    return lines


def todo_items(visit: Visit, day: Today) -> list[View]:
    """Return what to do next, the most costly first."""
    largest = max((problem.cost.value or 0.0 for problem in day.problems if problem.cost), default=0.0)
    return [_todo_item(visit, problem, largest) for problem in day.problems]


def _todo_item(visit: Visit, problem: Problem, largest: float) -> View:
    words, write = visit.words, visit.write
    line: ProblemLine = pages_of(problem.exam).problem_line(words, visit.who, visit.project, problem)
    cost, around, share = "", "", 0.0
    if problem.cost is not None and problem.cost.value is not None:
        cost, share = write.number(problem.cost.value), problem.cost.value / (largest or 1.0)
        around = words.gettext("of 1,000 messages")
        if problem.cost.low is not None and problem.cost.high is not None and problem.cost.low != problem.cost.high:
            low, high = write.number(problem.cost.low), write.number(problem.cost.high)
            around = words.gettext("%(low)s to %(high)s of 1,000", low=low, high=high)
    return View(
        cost=cost,
        around=around,
        share=share,
        tone="bad",
        title=line.title or line.text,
        text=line.text if line.title else "",
        facts=[line.remedy] if line.remedy else [],
        links=line.links,
    )


def exam_cards(visit: Visit, day: Today) -> list[View]:
    """Return the exams whose numbers are not on the tiles."""
    return [
        View(
            title=exam_title(visit.words, state.exam),
            headline=visit.words.said(state.run.headline or state.run.title),
            at=state.run.created,
            href=run_path(visit.project, state.run),
        )
        for state in day.exams[1:]
    ]


def activity_lines(visit: Visit) -> list[View]:
    """Return who did what; the reader is called you."""
    return [_activity_line(visit, each) for each in list_happenings(*visit.here)]


def _activity_line(visit: Visit, happened: Happening) -> View:
    words, own = visit.words, happened.user_id is not None and happened.user_id == visit.who.actor.user_id
    who = words.gettext("You") if own else happened.who
    more = ""
    if happened.more:
        more = words.ngettext("and %(num)s more like it", "and %(num)s more like it", happened.more)
    if happened.run is not None:
        text, href = words.ours(happened.run.title), run_path(visit.project, happened.run)
        kind = exam_title(words, happened.run.kind)
    else:
        edit = happened.edit
        text = words.said(edit.summary) if edit else ""
        href, kind = f"{visit.base}/edits/{edit.id}" if edit else "", ""
    initials = "".join(part[0] for part in happened.who.split()[:2]).upper()
    why = happened.edit.why if happened.edit else ""
    return View(
        who=who, own=own, initials=initials, text=text, href=href, kind=kind, more=more, why=why, at=happened.at
    )


SHOWN = timedelta(days=92)


def three_months(visit: Visit, day: Today) -> View | None:
    """Return how the first exam of the project went; None where there are no two runs to draw a line between."""
    state = next(iter(day.exams), None)
    if state is None:
        return None
    # From midnight on, so that the picture is drawn once a day and not for every visit.
    since = (now() - SHOWN).replace(hour=0, minute=0, second=0, microsecond=0)
    course = show_course(*visit.here, state.exam, since=since)
    if len(course.runs) < 2 or not course.lines:
        return None
    words, write = visit.words, visit.write
    ends = []
    for line in course.lines:
        kind = project_exam(course.exam).measure(line.name).kind
        ends.append(
            words.gettext(
                "%(what)s went from %(first)s to %(last)s.",
                what=line_title(words, course, line),
                first=write.value(line.points[0].value, kind),
                last=write.value(line.points[-1].value, kind),
            )
        )
    band = words.gettext("Band: likely range with other examples.")
    wide, narrow = course_pictures(words, visit.base, course, " ".join(ends))
    note = " ".join(filter(None, (*ends, band, axis_note(words, course))))
    return View(wide=wide, narrow=narrow, href=f"{visit.base}/timeline", note=note)
