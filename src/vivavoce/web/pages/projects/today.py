"""Today: how a project stands, its biggest problems, what changed in a week, and what is going on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated
from zlib import crc32

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from vivavoce.records import Rate
from vivavoce.reports.shared.measures import Measure
from vivavoce.store.rows import Project, Run
from vivavoce.web.access import InStore, ProjectInPath, Reader, Visitor
from vivavoce.web.answers import go, page, part, unchanged, words_of
from vivavoce.web.exam_pages import ProblemLine, exam_title, pages_of
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.pages.exams.verdict_words import changes_note
from vivavoce.web.parts import Progress, Tone
from vivavoce.web.progress import LABELS, RunBadge, badge_of, run_path
from vivavoce.workspace.exams.project_exams import project_exam
from vivavoce.workspace.exams.verdicts import Verdict
from vivavoce.workspace.projects import today
from vivavoce.workspace.projects.moves import Move
from vivavoce.workspace.projects.today import Light, Today

router = APIRouter(prefix="/p/{slug}")
SHOWN_RUNS = 8
LIGHTS: dict[Light, tuple[str, Tone]] = {
    "none": (gettext_noop("not examined yet"), "neutral"),
    "good": (gettext_noop("in order"), "good"),
    "watch": (gettext_noop("worth a look"), "neutral"),
    "bad": (gettext_noop("became worse"), "bad"),
}
VERDICTS: dict[Verdict, tuple[str, Tone]] = {
    "better": (gettext_noop("improved"), "good"),
    "worse": (gettext_noop("became worse"), "bad"),
    "same": (gettext_noop("no clear change"), "neutral"),
    "unknown": (gettext_noop("cannot be told"), "neutral"),
}
# What is worth doing next, and where; what is not here is an exam that a plug-in brings.
STEPS = {
    "topics": (
        gettext_noop("Bring in topics"),
        gettext_noop("Import the questions that visitors write, each with its topic, or paste them."),
        "import",
    ),
    "intents": (
        gettext_noop("Examine the topics"),
        gettext_noop("See whether anyone can learn them from these examples, and which are mixed up."),
        "intents",
    ),
    "suite": (
        gettext_noop("Pick a suite"),
        gettext_noop("Scripted talks that ship, or your own: what the visitor writes and what the bot should do."),
        "suites",
    ),
    "bot": (
        gettext_noop("Add a bot"),
        gettext_noop("Say where your bot is; suites that ship bring built-in ones to compare it with."),
        "bots",
    ),
    "conversations": (
        gettext_noop("Let bots talk"),
        gettext_noop("Hold the scripted talks with one or more bots and see them side by side."),
        "conversations",
    ),
    "talks": (
        gettext_noop("Bring in logged talks"),
        gettext_noop("Talks of your visitors get the mark that a person would probably give them."),
        "dialogues",
    ),
    "dialogues": (
        gettext_noop("Score the talks"),
        gettext_noop("The worst come first, with what made them so."),
        "dialogues",
    ),
}
BY_ITSELF = gettext_noop("no clear change by itself")
VERSIONS = 2**32 - 1


@dataclass(frozen=True, slots=True)
class ExamLine:
    """What an exam says in one sentence."""

    title: str
    headline: str
    run: Run
    href: str


@dataclass(frozen=True, slots=True)
class MoveLine:
    """A number then and now; `note` says how many questions changed, where the verdict comes from these."""

    exam: str
    scope: str
    measure: Measure
    before: Rate
    after: Rate
    verdict: RunBadge
    since: Run
    href: str
    note: str


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run of this week."""

    title: str
    kind: str
    href: str
    badge: RunBadge
    run: Run


@dataclass(frozen=True, slots=True)
class StepLine:
    """Something worth doing next."""

    title: str
    text: str
    href: str


@dataclass(frozen=True, slots=True)
class GoingOn:
    """A run that is going on."""

    title: str
    kind: str
    href: str
    progress: Progress


@dataclass(frozen=True, slots=True)
class RunningView:
    """The runs that are going on; `version` changes when one of them does."""

    lines: tuple[GoingOn, ...]
    poll: str
    version: int


@dataclass(frozen=True, slots=True)
class TodayView:
    """The whole page."""

    light: RunBadge
    lead: str
    exams: tuple[ExamLine, ...]
    stale: str
    alarms: tuple[MoveLine, ...]
    problems: tuple[ProblemLine, ...]
    moves: tuple[MoveLine, ...]
    people: tuple[today.PersonWork, ...]
    runs: tuple[RunLine, ...]
    more_runs: int
    running: RunningView
    steps: tuple[StepLine, ...]
    empty: bool
    path: str


@router.get("")
def show_today(request: Request, who: Reader, store: InStore, project: ProjectInPath) -> Response:
    """Show how a project stands."""
    words = words_of(request)
    view = _view(words, who, project, today.show_today(store, project))
    return page(request, "projects/today.html", words.gettext("Today"), view=view, project=project, section="today")


@router.get("/running")
def show_running(
    request: Request,
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    version: Annotated[int, Query(ge=0, le=VERSIONS)] = 0,
) -> Response:
    """Return the part of the page that says what is going on; nothing when that has not changed."""
    view = running_view(words_of(request), project, today.open_runs(store, project))
    if not view.lines:
        # The page that asked has more to show now: being led elsewhere, it loads itself anew.
        return go(f"/p/{project.slug}")
    return (
        unchanged()
        if view.version == version
        else part(request, "projects/today_running.html", view=view, project=project)
    )


def running_view(words: Words, project: Project, found: Sequence[Run]) -> RunningView:
    """Return the runs that are going on, for the part of the page that renews itself."""
    lines = tuple(
        GoingOn(
            run.title,
            exam_title(words, run.kind),
            run_path(project, run),
            Progress(words.gettext(LABELS[run.state]), run.done + run.failed, run.total, run.failed),
        )
        for run in found
    )
    version = crc32("".join(f"{run.id}:{run.version} " for run in found).encode())
    return RunningView(lines, f"/p/{project.slug}/running" if lines else "", version)


# --- sentences ---------------------------------------------------------------------------------------------------


def _view(words: Words, who: Visitor, project: Project, found: Today) -> TodayView:
    title, tone = LIGHTS[found.light]
    return TodayView(
        light=RunBadge(words.gettext(title), tone),
        lead=_lead(words, found),
        exams=tuple(_exam_lines(words, project, found)),
        stale=_stale(words, found),
        alarms=tuple(_move_line(words, project, found, move) for move in found.alarms),
        problems=tuple(pages_of(one.exam).problem_line(words, who, project, one) for one in found.problems),
        moves=tuple(_move_line(words, project, found, move) for move in found.moves),
        people=found.people,
        runs=tuple(_run_line(words, project, run) for run in found.runs[:SHOWN_RUNS]),
        more_runs=max(0, len(found.runs) - SHOWN_RUNS),
        running=running_view(words, project, found.open),
        steps=tuple(_steps(words, who, project, found)),
        empty="topics" in found.steps and not found.exams,
        path=f"/p/{project.slug}",
    )


def _lead(words: Words, found: Today) -> str:
    if found.light == "none":
        return words.gettext("Nothing was examined yet; the steps below lead there.")
    if found.light == "bad":
        return words.ngettext(
            "%(num)s number became worse since the run before, by more than chance would make.",
            "%(num)s numbers became worse since the run before, by more than chance would make.",
            len(found.alarms),
        )
    if found.light == "watch":
        return words.ngettext(
            "No number became worse; %(num)s problem is worth a look.",
            "No number became worse; %(num)s problems are worth a look.",
            len(found.problems),
        )
    return words.gettext("No number became worse, and nothing needs your time today.")


def _stale(words: Words, found: Today) -> str:
    if not found.edits_since_exam:
        return ""
    return words.ngettext(
        "%(num)s change was made since the intents exam, which does not know it.",
        "%(num)s changes were made since the intents exam, which does not know them.",
        found.edits_since_exam,
    )


def _exam_lines(words: Words, project: Project, found: Today) -> Iterator[ExamLine]:
    for state in found.exams:
        headline = state.run.headline or state.run.title
        yield ExamLine(exam_title(words, state.exam), headline, state.run, run_path(project, state.run))


def _move_line(words: Words, project: Project, found: Today, move: Move) -> MoveLine:
    text, tone = VERDICTS[move.verdict]
    if move.verdict == "same" and move.questions is None:
        # Two intervals apart take far more data to tell a change than the questions that both runs share.
        text = BY_ITSELF
    newest = next(state.run for state in found.exams if state.exam == move.exam)
    return MoveLine(
        exam_title(words, move.exam),
        pages_of(move.exam).scope_title(move.scope),
        project_exam(move.exam).measure(move.name),
        move.before,
        move.after,
        RunBadge(words.gettext(text), tone),
        move.since,
        run_path(project, newest),
        changes_note(words, move.questions) if move.questions else "",
    )


def _run_line(words: Words, project: Project, run: Run) -> RunLine:
    return RunLine(run.title, exam_title(words, run.kind), run_path(project, run), badge_of(words, run), run)


def _steps(words: Words, who: Visitor, project: Project, found: Today) -> Iterator[StepLine]:
    """Yield what is worth doing next, of that what the visitor may do."""
    for step in found.steps if who.may("editor") else ():
        if step in STEPS:
            title, text, place = STEPS[step]
            if step != "bot" or who.may("admin"):
                yield StepLine(words.gettext(title), words.gettext(text), f"/p/{project.slug}/{place}")
        else:
            pages = pages_of(step)
            title, text = words.gettext(pages.kind.title), words.gettext(pages.kind.summary)
            yield StepLine(title, text, pages.start_path(project))
