"""The ways from a problem of an intents exam to where it can be seen and fixed."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode

from vivavoce.store.rows import Project
from vivavoce.web.language import Words
from vivavoce.web.rendering import Link
from vivavoce.workspace.exams.project_exams import Problem

MOST_TOPICS = 3


def problem_links(words: Words, project: Project, problem: Problem, *, may_edit: bool) -> Iterator[Link]:
    """Yield where a problem leads; a topic that is gone has no link."""
    from vivavoce.intents.problems import ProblemKind, Remedy

    path, kind, names = f"/p/{project.slug}", problem.kind, problem.topics
    questions = f"{path}/intents/{problem.run}/questions"
    topics = dict(zip(names, problem.topic_ids, strict=True))
    known = {name: own for name, own in topics.items() if own}
    if kind == ProblemKind.CONTRADICTIONS:
        yield Link(words.gettext("The contradictory examples"), f"{path}/topics/duplicates?show=apart")
        return
    if kind == ProblemKind.OUT_OF_SCOPE:
        yield Link(words.gettext("Out-of-scope examples"), f"{path}/topics/out-of-scope")
    for name, own in list(known.items())[:MOST_TOPICS]:
        yield Link(name, f"{path}/topics/{own}")
    if kind == ProblemKind.PAIR:
        said = words.gettext("Questions of %(a)s taken for %(b)s", a=names[0], b=names[1])
        yield Link(said, f"{questions}?{urlencode({'intent': names[0], 'guess': names[1]})}")
    if kind == ProblemKind.WEAKEST_TOPIC:
        yield Link(words.gettext("Its questions in the exam"), f"{questions}?{urlencode({'intent': names[0]})}")
    if may_edit and Remedy.MERGE in problem.remedies and len(known) == len(topics) == 2:
        chosen = urlencode([("topic", own) for own in known.values()])
        yield Link(words.gettext("Merge the two"), f"{path}/topics/merge?{chosen}")
