"""What the pages know of each exam: where its runs are shown, and how its problems are worded.

An exam without pages of its own has general ones: a form made from its options, a page made from its findings.
"""

from __future__ import annotations

from dataclasses import dataclass

from vivavoce.errors import UsageError
from vivavoce.jobs.exams.protocol import ExamKind
from vivavoce.jobs.exams.registry import find_kind, load_part
from vivavoce.store.rows import Project
from vivavoce.web.access import Visitor
from vivavoce.web.language import Words
from vivavoce.web.rendering import Link
from vivavoce.workspace.exams.project_exams import Problem


@dataclass(frozen=True, slots=True)
class ProblemLine:
    """A problem in words, the ways to it, what to do. `title`: the same in short. The action is the first link."""

    text: str
    links: tuple[Link, ...]
    remedy: str
    title: str = ""


class ExamPages:
    """The pages of an exam. `place`: where its runs are, under the project; `begin`: where one is started.

    `title`: what pages call it, where that is not the title of the exam.
    """

    title = ""
    place = ""
    begin = ""

    def __init__(self, kind: ExamKind) -> None:
        self.kind = kind

    def run_path(self, project: Project, number: int) -> str:
        """Return the address of a run."""
        return f"/p/{project.slug}/{self.place or 'runs'}/{number}"

    def start_path(self, project: Project) -> str:
        """Return where a run is started."""
        return f"/p/{project.slug}/{self.begin or f'exams/{self.kind.name}'}"

    def scope_title(self, scope: str) -> str:
        """Return what a number on Today is about, beside the exam: a bot, or nothing."""
        return scope

    def problem_line(self, words: Words, who: Visitor, project: Project, problem: Problem) -> ProblemLine:
        """Return a problem on Today: its topics and its run are linked."""
        topics = zip(problem.topics, problem.topic_ids, strict=True)
        links = [Link(name, f"/p/{project.slug}/topics/{topic}") for name, topic in topics if topic]
        run = Link(words.gettext("Run"), self.run_path(project, problem.run))
        return ProblemLine(words.said(problem.text), (*links, run), words.said(problem.remedy))

    def missing(self, words: Words, project: Project) -> Link:
        """Return the way to what is needed before a run can be planned."""
        return Link(words.gettext("Go to topics"), f"/p/{project.slug}/topics")


def pages_of(name: str) -> ExamPages:
    """Return the pages of an exam; runs of one that is no longer installed have the general ones."""
    try:
        kind = find_kind(name)
    except UsageError:
        kind = ExamKind(name, name, "", "", ())
    pages: ExamPages = (load_part(kind.pages) if kind.pages else ExamPages)(kind)
    return pages


def exam_title(words: Words, name: str) -> str:
    """Return what an exam is called."""
    pages = pages_of(name)
    return words.gettext(pages.title or pages.kind.title)
