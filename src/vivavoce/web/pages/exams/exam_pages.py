"""The pages of the exams that come with the product: where they are, and how their problems are worded on Today."""

from __future__ import annotations

from urllib.parse import urlencode

from vivavoce.messages import sentence
from vivavoce.store.rows import Project
from vivavoce.web.access import Visitor
from vivavoce.web.exam_pages import ExamPages, ProblemLine
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.web.pages.exams.problem_links import problem_links
from vivavoce.web.rendering import Link
from vivavoce.workspace.exams.project_exams import Problem


class IntentsPages(ExamPages):
    """The intents exam."""

    place = begin = "intents"

    def scope_title(self, scope: str) -> str:
        """Return nothing: the first setting is always meant."""
        return ""

    def problem_line(self, words: Words, who: Visitor, project: Project, problem: Problem) -> ProblemLine:
        """Link the topics and the questions that show the problem."""
        links = tuple(problem_links(words, project, problem, may_edit=who.may("editor")))
        return ProblemLine(words.said(problem.text), links, words.said(problem.remedy))


class EnginesPages(ExamPages):
    """The comparison of classifiers."""

    place = begin = "engines"


class ConversationsPages(ExamPages):
    """Scripted conversations."""

    place = begin = "conversations"

    def problem_line(self, words: Words, who: Visitor, project: Project, problem: Problem) -> ProblemLine:
        """Link the topics, the scenario, the bot and the turns."""
        path = f"/p/{project.slug}"
        turns = f"{self.run_path(project, problem.run)}/turns?{urlencode({'bot': problem.bot})}"
        topics = zip(problem.topics, problem.topic_ids, strict=True)
        ways = (
            *((name, f"{path}/topics/{topic}") for name, topic in topics),
            (words.gettext("The scenario"), f"{path}/scenarios/{problem.scenario_id}" if problem.scenario_id else ""),
            (words.gettext("The bot"), f"{path}/bots/{problem.bot_id}" if problem.bot_id else ""),
            (words.gettext("The turns"), turns),
            (words.gettext("The run"), self.run_path(project, problem.run)),
        )
        named = problem.text.startswith(problem.bot)
        text = problem.text if named else f"{problem.bot}: " + problem.text
        links = tuple(Link(name, to) for name, to in ways if to)
        return ProblemLine(words.said(text), links, words.said(sentence(problem.remedy)))

    def missing(self, words: Words, project: Project) -> Link:
        """Return the way to the suites."""
        return Link(words.gettext("Pick a suite first"), f"/p/{project.slug}/suites")


class DialoguesPages(ExamPages):
    """Scores for logged dialogues."""

    place, begin = "dialogues/runs", "dialogues"

    def scope_title(self, scope: str) -> str:
        """Return nothing: all dialogues are meant."""
        return ""

    def problem_line(self, words: Words, who: Visitor, project: Project, problem: Problem) -> ProblemLine:
        """Link the dialogue."""
        score = Writer(words).number(problem.size.value if problem.size else None, 1)
        text = words.gettext("People would give a talk about %(score)s of 5.", score=score)
        if problem.bot:
            text = words.gettext(
                "People would give a talk with %(bot)s about %(score)s of 5.", bot=problem.bot, score=score
            )
        link = Link(words.gettext("Read the talk"), f"/p/{project.slug}/dialogues/{problem.talk}")
        return ProblemLine(text, (link,), words.gettext("Read it, and rate it: the score is only a guess."))
