"""The five first steps of a project: each with its one button, ticked as soon as it is done."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.store.rows import Project
from vivavoce.web.exam_pages import pages_of
from vivavoce.web.language import gettext_noop
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import Visit
from vivavoce.workspace.projects.today import Step, list_first_steps

# Title, why, the words of the button, and where it leads.
STEPS: dict[Step, tuple[str, str, str, str]] = {
    "topics": (
        gettext_noop("Import your topics"),
        gettext_noop("A file or a list of your visitors' questions, each with its topic. Any table will do."),
        gettext_noop("Import topics"),
        "import",
    ),
    "examine": (
        gettext_noop("Examine them"),
        gettext_noop("See how many questions the bot would answer, and which topics it confuses."),
        gettext_noop("Examine"),
        "intents",
    ),
    "fix": (
        gettext_noop("Fix the first problem"),
        gettext_noop("The exam says what costs most. Merge, move or add examples: everything can be undone."),
        gettext_noop("See the topics"),
        "topics",
    ),
    "again": (
        gettext_noop("Examine again"),
        gettext_noop("See question by question what your change did, and whether it may be chance."),
        gettext_noop("Examine again"),
        "intents",
    ),
    "conversations": (
        gettext_noop("Talk to your bot"),
        gettext_noop("Connect your bot or use a built-in one, and run scripted conversations with it."),
        gettext_noop("Run conversations"),
        "conversations",
    ),
}


def checklist_cookie(project: Project) -> str:
    """Return the name of the cookie that says that the steps were put away."""
    return f"viva-steps-{project.id}"


def checklist_view(visit: Visit) -> View | None:
    """Return the first steps for those who can take them; None when all are done or they were put away."""
    if not visit.who.may("editor") or visit.request.cookies.get(checklist_cookie(visit.project)):
        return None
    steps, words = list_first_steps(*visit.here), visit.words
    following = next((step for step, done in steps.items() if not done), None)
    if following is None:
        return None
    lines = []
    for step, is_done in steps.items():
        title, text, button, place = STEPS[step]
        link = Link(words.gettext(button), f"{visit.base}/{place}")
        lines.append(
            View(
                title=words.gettext(title),
                text=words.gettext(text),
                done=is_done,
                current=step == following,
                link=link,
            )
        )
    done = sum(steps.values())
    count = words.gettext(
        "%(done)s of %(all)s done", done=visit.write.number(done), all=visit.write.number(len(steps))
    )
    return View(lines=lines, count=count, empty=following == "topics", action=f"{visit.base}/checklist")


# What else a project lacks: title, why, where. What is not here is an exam that a plug-in brings.
OTHERS = {
    "topics": (
        gettext_noop("Import topics"),
        gettext_noop("Import or paste your visitors' questions, each with its topic."),
        "import",
    ),
    "intents": (
        gettext_noop("Examine topics"),
        gettext_noop("See whether a classifier can learn them from these examples, and which ones it confuses."),
        "intents",
    ),
    "suite": (
        gettext_noop("Choose a suite"),
        gettext_noop(
            "Scripted conversations, built-in or your own: what the visitor writes and what the bot should do."
        ),
        "suites",
    ),
    "bot": (
        gettext_noop("Add a bot"),
        gettext_noop("Connect your bot. Built-in suites come with bots to compare it with."),
        "bots",
    ),
    "conversations": (
        gettext_noop("Run conversations"),
        gettext_noop("Run scripted conversations with one or more bots and compare them side by side."),
        "conversations",
    ),
    "talks": (
        gettext_noop("Import dialogues"),
        gettext_noop("Your visitors' dialogues get the rating that a person would probably give them."),
        "dialogues/add",
    ),
    "dialogues": (
        gettext_noop("Score dialogues"),
        gettext_noop("The worst come first, with the reasons."),
        "dialogues",
    ),
}
# These are steps of the checklist too.
IN_CHECKLIST = ("topics", "intents", "suite", "bot", "conversations")


def other_steps(visit: Visit, steps: Sequence[str], *, checklist: bool) -> list[View]:
    """Return what else is worth doing and the visitor may do, without what the checklist says."""
    lines, words = [], visit.words
    for step in steps if visit.who.may("editor") else ():
        if (checklist and step in IN_CHECKLIST) or (step == "bot" and not visit.who.may("admin")):
            continue
        if step in OTHERS:
            title, text, place = OTHERS[step]
            href = f"{visit.base}/{place}"
        else:
            pages = pages_of(step)
            title, text, href = pages.kind.title, pages.kind.summary, pages.start_path(visit.project)
        lines.append(View(title=words.gettext(title), text=words.gettext(text), href=href))
    return lines
