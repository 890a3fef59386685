"""The pages of the exams that come with the product: where they are, and how their problems are worded on Today."""

from __future__ import annotations

from urllib.parse import urlencode

from vivavoce.messages import sentence
from vivavoce.store.rows import Project
from vivavoce.web.access import Visitor
from vivavoce.web.exam_pages import ExamPages, ProblemLine
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.pages.exams.problem_links import problem_action, problem_links, problem_text, problem_title
from vivavoce.web.rendering import Link
from vivavoce.workspace.exams.project_exams import Problem


class IntentsPages(ExamPages):
    """The intents exam."""

    title = gettext_noop("Topic exam")
    place = begin = "intents"

    def scope_title(self, scope: str) -> str:
        """Return nothing: the first setting is always meant."""
        return ""

    def problem_line(self, words: Words, who: Visitor, project: Project, problem: Problem) -> ProblemLine:
        """Begin with where the problem can be fixed, then link the topics and the questions that show it."""
        action = problem_action(words, project, problem, may_edit=who.may("editor"))
        ways = problem_links(words, project, problem, may_edit=who.may("editor"))
        links = (action, *(link for link in ways if link.href != action.href))
        text = problem_text(words, problem)
        return ProblemLine(text, links, words.said(problem.remedy), problem_title(words, problem))


class EnginesPages(ExamPages):
    """The comparison of classifiers."""

    place = begin = "engines"


class ConversationsPages(ExamPages):
    """Scripted conversations."""

    title = gettext_noop("Conversation exam")
    place = begin = "conversations"

    def problem_line(self, words: Words, who: Visitor, project: Project, problem: Problem) -> ProblemLine:
        """Link the topics, the scenario, the bot and the turns."""
        path = f"/p/{project.slug}"
        turns = f"{self.run_path(project, problem.run)}/turns?{urlencode({'bot': problem.bot})}"
        topics = zip(problem.topics, problem.topic_ids, strict=True)
        scenario = words.gettext("Edit the scenario") if who.may("editor") else words.gettext("Scenario")
        ways = (
            (scenario, f"{path}/scenarios/{problem.scenario_id}" if problem.scenario_id else ""),
            (words.gettext("See the turns"), turns),
            *((name, f"{path}/topics/{topic}") for name, topic in topics),
            (words.gettext("Bot"), f"{path}/bots/{problem.bot_id}" if problem.bot_id else ""),
            (words.gettext("Run"), self.run_path(project, problem.run)),
        )
        named = problem.text.startswith(problem.bot)
        text = problem.text if named else f"{problem.bot}: " + problem.text
        links = tuple(Link(name, to) for name, to in ways if to)
        return ProblemLine(words.said(text), links, words.said(sentence(problem.remedy)))

    def missing(self, words: Words, project: Project) -> Link:
        """Return the way to the suites."""
        return Link(words.gettext("Choose a suite first"), f"/p/{project.slug}/suites")


class DialoguesPages(ExamPages):
    """Scores for logged dialogues."""

    title = gettext_noop("Dialogue scores")
    place, begin = "dialogues/runs", "dialogues"

    def scope_title(self, scope: str) -> str:
        """Return nothing: all dialogues are meant."""
        return ""

    def problem_line(self, words: Words, who: Visitor, project: Project, problem: Problem) -> ProblemLine:
        """Link the dialogue."""
        score = Writer(words).number(problem.size.value if problem.size else None, 1)
        text = words.gettext("One dialogue would probably be rated %(score)s out of 5.", score=score)
        if problem.bot:
            text = words.gettext(
                "One dialogue with %(bot)s would probably be rated %(score)s out of 5.", bot=problem.bot, score=score
            )
        link = Link(words.gettext("Read the dialogue"), f"/p/{project.slug}/dialogues/{problem.talk}")
        return ProblemLine(text, (link,), words.gettext("Read and rate it: the score is only an estimate."))
