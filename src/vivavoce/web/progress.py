"""How far a run is, as every page of an exam shows it while it goes on, and what can be done about it."""

from __future__ import annotations

from dataclasses import dataclass

from vivavoce.store.rows import Project, Run, RunState, UnitState
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.parts import Field, Progress, Tone
from vivavoce.workspace.exams.runs import MOST_TITLE, FailureCount, RunLine, RunProgress

KINDS = {
    "intents": gettext_noop("Intents"),
    "engines": gettext_noop("Engines"),
    "conversations": gettext_noop("Conversations"),
    "dialogues": gettext_noop("Dialogues"),
}
STATES = {
    RunState.WAITING: gettext_noop("waiting"),
    RunState.RUNNING: gettext_noop("running"),
    RunState.CONCLUDING: gettext_noop("almost done"),
    RunState.DONE: gettext_noop("done"),
    RunState.FAILED: gettext_noop("failed"),
    RunState.CANCELLED: gettext_noop("cancelled"),
}
LABELS = {
    RunState.WAITING: gettext_noop("The run waits for a free worker."),
    RunState.RUNNING: gettext_noop("The run is going on."),
    RunState.CONCLUDING: gettext_noop("All parts are done; the findings are being made."),
    RunState.DONE: gettext_noop("The run is done."),
    RunState.FAILED: gettext_noop("The run failed."),
    RunState.CANCELLED: gettext_noop("The run was cancelled."),
}
TONES: dict[RunState, Tone] = {RunState.DONE: "good", RunState.FAILED: "bad"}
# Where the pages of a run are, under the project.
_PLACES = {
    "intents": "intents",
    "engines": "engines",
    "conversations": "conversations",
    "dialogues": "dialogues/runs",
}


@dataclass(frozen=True, slots=True)
class RunBadge:
    """The state of a run in a word."""

    text: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class ProgressView:
    """How far a run is. `actions` is where cancel, resume and retry are sent to; `no_worker`: nobody is there."""

    progress: Progress
    badge: RunBadge
    state: RunState
    version: int
    poll: str
    actions: str
    page: str
    error: str
    left_out: str
    failures: tuple[FailureCount, ...]
    more_failures: int
    no_worker: bool
    may_cancel: bool
    may_resume: bool
    may_retry: bool


@dataclass(frozen=True, slots=True)
class RunHead:
    """What every page of a run begins with."""

    run: Run
    who: str
    kind: str
    badge: RunBadge
    actions: str
    page: str
    title_field: Field


def run_path(project: Project, run: Run) -> str:
    """Return the address of the page of a run."""
    return f"/p/{project.slug}/{_PLACES[run.kind]}/{run.number}"


def actions_path(project: Project, run: Run) -> str:
    """Return the address under which all is done with a run, whatever its kind."""
    return f"/p/{project.slug}/runs/{run.number}"


def badge_of(words: Words, run: Run) -> RunBadge:
    """Return the state of a run in a word; one that left something out says so."""
    if run.state is RunState.DONE and run.failed:
        return RunBadge(words.gettext("done, %(count)s failed", count=Writer(words).number(run.failed)), "bad")
    return RunBadge(words.gettext(STATES[run.state]), TONES.get(run.state, "neutral"))


def run_head(words: Words, project: Project, line: RunLine) -> RunHead:
    """Return what a page of a run begins with."""
    run = line.run
    return RunHead(
        run,
        line.who,
        words.gettext(KINDS[run.kind]),
        badge_of(words, run),
        actions_path(project, run),
        run_path(project, run),
        Field("title", words.gettext("Title"), value=run.title, required=True, most=MOST_TITLE),
    )


def progress_view(words: Words, project: Project, found: RunProgress) -> ProgressView:
    """Return how far a run is, for the part of the page that renews itself."""
    run, counts = found.run, found.counts
    failed = counts[UnitState.FAILED]
    over = not run.state.open
    shown = Progress(
        words.gettext(LABELS[run.state]),
        counts[UnitState.DONE] + failed,
        run.total,
        failed,
        found.seconds_left,
        over,
    )
    actions = actions_path(project, run)
    return ProgressView(
        progress=shown,
        badge=badge_of(words, run),
        state=run.state,
        version=run.version,
        poll="" if over else f"{actions}/progress",
        actions=actions,
        page=run_path(project, run),
        error=run.error,
        left_out=_left_out(words, run, failed),
        failures=found.failures,
        more_failures=failed - sum(one.count for one in found.failures),
        no_worker=run.state.open and not found.workers,
        may_cancel=run.state.open,
        may_resume=run.state in (RunState.CANCELLED, RunState.FAILED),
        may_retry=run.state is RunState.DONE and failed > 0,
    )


def _left_out(words: Words, run: Run, failed: int) -> str:
    """Say that the numbers of a run that is done do not come from all of it."""
    if run.state is not RunState.DONE or not failed:
        return ""
    writer = Writer(words)
    return words.gettext(
        "%(failed)s of %(total)s parts of this run failed; the numbers come from the rest alone.",
        failed=writer.number(failed),
        total=writer.number(run.total),
    )
