"""The pages of the built-in exams, and the ways from a problem to where it can be seen and fixed."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode

from vivavoce.messages import sentence
from vivavoce.store.rows import Project
from vivavoce.web.access import Visitor
from vivavoce.web.exam_pages import ExamPages, ProblemLine
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.rendering import Link
from vivavoce.workspace.exams.project_exams import Problem


class IntentsPages(ExamPages):
    """The intents exam."""

    title = gettext_noop("Intents exam")
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

    title = gettext_noop("Conversations exam")
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


MAX_TOPICS = 3
# Problems whose title names nothing of their own.
TITLES = {
    "contradictions": gettext_noop("The same question is in different topics"),
    "out_of_scope": gettext_noop("Out-of-scope questions get an answer"),
    "cluster": gettext_noop("Several topics are confused with each other"),
    "outliers": gettext_noop("Examples that fit no topic"),
    "too_small": gettext_noop("Topics with too few examples"),
    "to_split": gettext_noop("A topic looks like two"),
    "no_answer": gettext_noop("Topics without an answer"),
}


def problem_links(words: Words, project: Project, problem: Problem, *, may_edit: bool) -> Iterator[Link]:
    """Yield where a problem leads; a topic that is gone has no link."""
    from vivavoce.intents.problems import ProblemKind, Remedy

    path, kind, names = f"/p/{project.slug}", problem.kind, problem.topics
    questions = f"{path}/intents/{problem.run}/questions"
    topics = dict(zip(names, problem.topic_ids, strict=True))
    known = {name: own for name, own in topics.items() if own}
    if kind == ProblemKind.CONTRADICTIONS:
        yield Link(words.gettext("Contradictory examples"), f"{path}/topics/duplicates?show=apart")
        return
    if kind == ProblemKind.OUT_OF_SCOPE:
        yield Link(words.gettext("Try a threshold"), f"{path}/intents/{problem.run}/curve")
        yield Link(words.gettext("Out-of-scope examples"), f"{path}/topics/out-of-scope")
        if names:
            asked = urlencode([*zip("abc", names, strict=False), ("kind", kind)])
            yield Link(words.gettext("Words that attract them"), f"{path}/intents/{problem.run}/pair/card?{asked}")
    for name, own in list(known.items())[:MAX_TOPICS]:
        yield Link(name, f"{path}/topics/{own}")
    if kind == ProblemKind.PAIR:
        title = words.gettext("Questions about %(a)s mistaken for %(b)s", a=names[0], b=names[1])
        yield Link(title, f"{questions}?{urlencode({'intent': names[0], 'guess': names[1]})}")
    if kind == ProblemKind.TWIN_NAMES and may_edit:
        yield Link(words.gettext("All topics with similar names"), f"{path}/topics/twins")
    if kind == ProblemKind.WEAKEST_TOPIC:
        yield Link(
            words.gettext("This topic's questions in the exam"), f"{questions}?{urlencode({'intent': names[0]})}"
        )
    if may_edit and Remedy.MERGE in problem.remedies and len(known) == len(topics) == 2:
        chosen = urlencode([("topic", own) for own in known.values()])
        yield Link(words.gettext("Merge the two"), f"{path}/topics/merge?{chosen}")


def problem_title(words: Words, problem: Problem) -> str:
    """Return a problem in a few words."""
    from vivavoce.intents.problems import ProblemKind

    names = dict(zip(("a", "b"), problem.topics, strict=False))
    match problem.kind:
        case ProblemKind.PAIR:
            return words.gettext("“%(a)s” and “%(b)s” are confused", **names)
        case ProblemKind.TWIN_NAMES:
            return words.gettext("“%(a)s” and “%(b)s” look like one topic", **names)
        case ProblemKind.WEAKEST_TOPIC:
            return words.gettext("“%(a)s” is found least often", a=names["a"])
        case ProblemKind.SUSPECTS:
            return words.ngettext(
                "%(num)s example may be filed under the wrong topic",
                "%(num)s examples may be filed under the wrong topic",
                problem.cost.n if problem.cost else 0,
            )
    title = TITLES.get(problem.kind)
    return words.gettext(title) if title else ""


def problem_text(words: Words, problem: Problem) -> str:
    """Return what is wrong, beside the title."""
    from vivavoce.intents.problems import ProblemKind

    if problem.kind == ProblemKind.PAIR and problem.cost is not None:
        return words.ngettext(
            "%(num)s example is mistaken for the other topic, or left undecided between the two.",
            "%(num)s examples are mistaken for the other topic, or left undecided between the two.",
            problem.cost.n,
        )
    return words.said(problem.sentence or problem.text)


def problem_action(  # noqa: PLR0911 - one for each kind
    words: Words, project: Project, problem: Problem, *, may_edit: bool
) -> Link:
    """Return the one place where a problem can be fixed; for those who only read, where it can be seen."""
    from vivavoce.intents.problems import ProblemKind, Remedy

    path, kind, names, ids = f"/p/{project.slug}", problem.kind, problem.topics, problem.topic_ids
    base, chosen = f"{path}/intents/{problem.run}", urlencode([("topic", own) for own in ids if own])
    bench = f"{base}/pair?{urlencode(dict(zip('abc', names, strict=False)))}"
    sort = words.gettext("Sort the examples") if may_edit else words.gettext("See the examples")
    see = words.gettext("See the questions")
    match kind:
        case ProblemKind.CONTRADICTIONS:
            return Link(sort, f"{path}/topics/duplicates?show=apart")
        case ProblemKind.SUSPECTS | ProblemKind.OUTLIERS:
            return Link(sort, f"{base}/questions?suspects={'outliers' if kind == ProblemKind.OUTLIERS else 'yes'}")
        case ProblemKind.OUT_OF_SCOPE if may_edit:
            return Link(words.gettext("Add out-of-scope questions"), f"{path}/topics/out-of-scope")
        case ProblemKind.OUT_OF_SCOPE:
            return Link(see, f"{base}/questions?outcome=overreach")
        case ProblemKind.TWIN_NAMES if may_edit and Remedy.MERGE in problem.remedies and all(ids):
            return Link(words.gettext("Merge the two"), f"{path}/topics/merge?{chosen}")
        case ProblemKind.NO_ANSWER if ids and ids[0]:
            title = words.gettext("Write the answer") if may_edit else words.gettext("Open the topic")
            return Link(title, f"{path}/topics/{ids[0]}")
        case ProblemKind.TO_SPLIT if may_edit:
            return Link(words.gettext("Split the topic"), f"{bench}&suggest=split")
        case ProblemKind.WEAKEST_TOPIC | ProblemKind.TOO_SMALL if may_edit:
            one = f"{base}/pair?{urlencode({'a': names[0]})}"
            return Link(words.gettext("Work on the topic"), one)
        case ProblemKind.PAIR | ProblemKind.CLUSTER if may_edit:
            two = len(names) == 2
            return Link(words.gettext("Work on the two") if two else words.gettext("Work on the topics"), bench)
    return Link(see, f"{base}/questions?{urlencode(dict(zip(('intent', 'guess'), names, strict=False)))}")
