"""The problems of an intents exam as its page lists them, and what the remedies before it brought."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from vivavoce.intents.problem_record import Standing
from vivavoce.messages import join_and
from vivavoce.store.rows import Run
from vivavoce.web.language import gettext_noop
from vivavoce.web.pages.exams.exam_pages import problem_action, problem_links
from vivavoce.web.progress import run_path
from vivavoce.web.rendering import View
from vivavoce.web.visits import Visit
from vivavoce.workspace.exams import intents
from vivavoce.workspace.exams.open_problems import list_asides, read_readiness
from vivavoce.workspace.exams.project_exams import project_exam
from vivavoce.workspace.exams.track_record import read_track_record

if TYPE_CHECKING:
    from vivavoce.intents.result import IntentsResult

SHOWN_QUESTIONS = 3
# What a kind of problem is called, how it looks, and what its button says.
KINDS = {
    "pair": (gettext_noop("Confused pair"), "bad", "swap"),
    "out_of_scope": (gettext_noop("Out of scope answered"), "bad", "warn"),
    "contradictions": (gettext_noop("Same text twice"), "hold", "warn"),
    "twin_names": (gettext_noop("Twin names"), "info", "swap"),
    "weakest_topic": (gettext_noop("Rarely found"), "hold", "person"),
    "suspects": (gettext_noop("Wrong topic?"), "hold", "swap"),
    "cluster": (gettext_noop("Confused topics"), "bad", "swap"),
    "outliers": (gettext_noop("Fits no topic"), "hold", "warn"),
    "too_small": (gettext_noop("Too few examples"), "hold", "person"),
    "to_split": (gettext_noop("Two topics in one"), "hold", "swap"),
    "no_answer": (gettext_noop("No answer"), "bad", "warn"),
}


def problem_rows(visit: Visit, run: Run, result: IntentsResult) -> Iterator[View]:
    """Yield every problem of the exam in its order: what it costs, what it is, and the one thing to do about it."""
    from vivavoce.reports.intents import problem_wording

    words, write, may_edit = visit.words, visit.write, visit.who.may("editor")
    lines = project_exam(intents.KIND).problems(visit.store, visit.project, run)
    for problem, line in zip(result.problems, lines, strict=True):
        kind, tone, icon = KINDS[problem.kind]
        examples = problem.examples[:SHOWN_QUESTIONS]
        yield View(
            cost=write.number(max(1, round(problem.cost))),
            around=write.between(problem.low, problem.high, 0, "") if problem.measured else "",
            kind=words.gettext(kind),
            tone=tone,
            icon=icon,
            title=words.said(problem_wording.problem_title(problem)),
            text=words.said(problem_wording.problem_sentence(problem)),
            remedy=words.said(line.remedy),
            attracted=[words.said(problem_wording.attraction_sentence(each)) for each in problem.attracted],
            examples=[(one.text, problem_wording.example_topic(one, problem.kind)) for one in examples],
            action=problem_action(words, visit.project, line, may_edit=may_edit),
            links=list(problem_links(words, visit.project, line, may_edit=may_edit)),
        )


# Why a problem is left as it is: a chip, and what it means.
ASIDES = {
    Standing.KEPT_APART: (gettext_noop("kept apart"), gettext_noop("Kept apart on purpose.")),
    Standing.SAME_ANSWER: (
        gettext_noop("same answer"),
        gettext_noop("They are confused, but give the same answer: visitors do not notice."),
    ),
    Standing.UNCLEAR: (
        gettext_noop("too few examples"),
        gettext_noop("They are similar, but too few examples show whether the bot confuses them."),
    ),
}


def aside_rows(visit: Visit, run: Run) -> Iterator[View]:
    """Yield the topics that are confused and left as they are, or that cannot be judged, with the reason."""
    words, base = visit.words, run_path(visit.project, run)
    for problem in list_asides(visit.store, visit.project, run):
        chip, text = ASIDES[problem.standing]
        href = f"{base}/pair?{urlencode(dict(zip('abc', problem.topics, strict=False)))}"
        title = words.said(join_and(problem.topics))
        yield View(title=title, chip=words.gettext(chip), text=words.gettext(text), href=href)


def list_brought(visit: Visit, run: Run) -> Iterator[View]:
    """Yield the remedies that this exam was the first to measure: what was forecast, and what it found."""
    write = visit.write
    for applied in read_track_record(*visit.here).forecasts:
        past = applied.past
        if applied.after != run.number or past.realised is None:
            continue
        text = visit.words.gettext(
            "%(what)s: forecast %(forecast)s points (%(around)s), measured %(measured)s ± %(noise)s.",
            what=visit.words.said(applied.summary),
            forecast=write.signed(100 * past.difference, 1),
            around=write.between(100 * past.low, 100 * past.high, 1, ""),
            measured=write.signed(100 * past.realised, 1),
            noise=write.number(100 * past.noise, 1),
        )
        yield View(text=text, inside=past.inside, undo=f"{visit.base}/edits/{applied.row.edit_id}")


def readiness_view(visit: Visit, run: Run) -> View:
    """Return whether the topics are good enough, and why."""
    readiness, said = read_readiness(visit.store, visit.project, run), visit.words.said
    return View(
        good=readiness.good_enough,
        text=said(readiness.sentence),
        reasons=[said(reason.sentence) for reason in readiness.reasons],
    )
