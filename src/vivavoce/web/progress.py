"""How far a run is, as every page of an exam shows it while it goes on, and what can be done about it."""

from __future__ import annotations

from dataclasses import dataclass

from vivavoce.store.rows import Project, Run, RunState, UnitState
from vivavoce.web.exam_pages import exam_title, pages_of
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.parts import Choice, Field, Progress, Tone
from vivavoce.web.rendering import Link
from vivavoce.workspace.exams.runs import MAX_TITLE, FailureCount, RunLine, RunProgress

STATES = {
    RunState.WAITING: gettext_noop("waiting"),
    RunState.RUNNING: gettext_noop("running"),
    RunState.CONCLUDING: gettext_noop("almost done"),
    RunState.DONE: gettext_noop("done"),
    RunState.FAILED: gettext_noop("failed"),
    RunState.CANCELLED: gettext_noop("cancelled"),
}
LABELS = {
    RunState.WAITING: gettext_noop("Waiting for a free worker."),
    RunState.RUNNING: gettext_noop("The run is in progress."),
    RunState.CONCLUDING: gettext_noop("All parts are done; the results are being prepared."),
    RunState.DONE: gettext_noop("The run is done."),
    RunState.FAILED: gettext_noop("The run failed."),
    RunState.CANCELLED: gettext_noop("The run was cancelled."),
}
TONES: dict[RunState, Tone] = {RunState.DONE: "good", RunState.FAILED: "bad"}


@dataclass(frozen=True, slots=True)
class RunBadge:
    """The state of a run in a word."""

    text: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class ProgressView:
    """How far a run is. `actions` is where cancel, resume and retry are sent to.

    `silent`: since when nobody is at work on it; `remedy`: what to do about it, where no worker is there at all.
    """

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
    silent: str
    remedy: str
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
    exam: Link
    report: bool = True


def run_path(project: Project, run: Run) -> str:
    """Return the address of the page of a run."""
    return pages_of(run.kind).run_path(project, run.number)


def actions_path(project: Project, run: Run) -> str:
    """Return the address under which all is done with a run, whatever its kind."""
    return f"/p/{project.slug}/runs/{run.number}"


def tab_title(words: Words, run: Run) -> str:
    """Return what the tab of a browser says of a run: its number too, since people may give two the same title."""
    return words.gettext("Run %(number)s: %(title)s", number=run.number, title=words.ours(run.title))


def run_choice(words: Words, run: Run) -> Choice:
    """Return a run as an option of a select: number, title and when."""
    when = Writer(words).moment_words(run.created)
    return Choice(str(run.number), f"{run.number}: {words.ours(run.title)} ({when})")


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
        exam_title(words, run.kind),
        badge_of(words, run),
        actions_path(project, run),
        run_path(project, run),
        Field("title", words.gettext("Title"), value=words.ours(run.title), required=True, most=MAX_TITLE),
        Link(exam_title(words, run.kind), pages_of(run.kind).start_path(project)),
    )


def stage_label(words: Words, state: RunState, stage: str) -> str:
    """Return what a run does now as a sentence; without a stage, its state."""
    text = words.said(stage) if stage else ""
    return f"{text[:1].upper()}{text[1:]}." if text else words.gettext(LABELS[state])


def progress_view(words: Words, project: Project, facts: RunProgress) -> ProgressView:
    """Return how far a run is, for the part of the page that renews itself."""
    run, counts = facts.run, facts.counts
    failed = counts[UnitState.FAILED]
    over = not run.state.open
    progress = Progress(
        stage_label(words, RunState.WAITING if facts.silence and not over else run.state, facts.stage),
        counts[UnitState.DONE] + failed,
        run.total,
        failed,
        None if facts.silence else facts.seconds_left,
        over,
    )
    writer, left_out, remedy = Writer(words), "", ""
    if run.state is RunState.DONE and failed:
        left_out = words.gettext(
            "%(failed)s of %(total)s parts of this run failed; the results come from the rest only.",
            failed=writer.number(failed),
            total=writer.number(run.total),
        )
    if facts.silence is not None and not facts.workers:
        remedy = words.gettext(
            "Start one with the command viva worker, or start the server with its own worker; the "
            "run then continues automatically."
        )
    actions = actions_path(project, run)
    return ProgressView(
        progress=progress,
        badge=badge_of(words, run),
        state=run.state,
        version=run.version,
        poll="" if over else f"{actions}/progress",
        actions=actions,
        page=run_path(project, run),
        error=run.error,
        left_out=left_out,
        failures=facts.failures,
        more_failures=failed - sum(failure.count for failure in facts.failures),
        silent=_describe_silence(words, facts),
        remedy=remedy,
        may_cancel=run.state.open,
        may_resume=run.state in (RunState.CANCELLED, RunState.FAILED),
        may_retry=run.state is RunState.DONE and failed > 0,
    )


def _describe_silence(words: Words, facts: RunProgress) -> str:
    """Say since when nobody is at work on a run, and when what was begun is taken up again."""
    silence, writer = facts.silence, Writer(words)
    if silence is None:
        return ""
    if silence.seconds is None:
        return words.gettext("No worker is running, so nothing starts.")
    since = _seconds(writer, silence.seconds)
    if not facts.workers:
        return words.gettext("Waiting for a worker: the last one stopped responding %(time)s ago.", time=since)
    return words.gettext(
        "Waiting for a worker: the last one stopped responding %(time)s ago. Another worker can "
        "take over its work in %(again)s.",
        time=since,
        again=_seconds(writer, silence.again_in or 0.0),
    )


def _seconds(writer: Writer, seconds: float) -> str:
    """Write a time to wait in whole seconds, one at least."""
    whole = max(1, round(seconds))
    return f"{writer.number(whole)} s" if whole < 10 else writer.duration(whole)
