"""The sections of the application and the projects to choose from."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.jobs.exams.registry import exam_kinds
from vivavoce.store.rows import Project
from vivavoce.web.access import Visitor
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.rendering import Link

# Name, title, address under the project, and the key that leads there after "g".
OF_PROJECT = (
    ("today", gettext_noop("Today"), "", "t"),
    ("topics", gettext_noop("Topics"), "/topics", "o"),
    ("intents", gettext_noop("Intents"), "/intents", "i"),
    ("conversations", gettext_noop("Conversations"), "/conversations", "c"),
    ("dialogues", gettext_noop("Dialogues"), "/dialogues", "d"),
    ("bots", gettext_noop("Bots"), "/bots", "b"),
    ("engines", gettext_noop("Engines"), "/engines", "e"),
    ("schedules", gettext_noop("Daily runs"), "/schedules", "y"),
)
OF_WORKSPACE = (
    ("people", gettext_noop("People"), "/people", "p"),
    ("settings", gettext_noop("Settings"), "/settings", "s"),
    ("help", gettext_noop("Help"), "/help", "h"),
)


def sections(words: Words, who: Visitor, project: Project | None, current: str) -> tuple[Link, ...]:
    """Return the main navigation: the sections of the project, then those of the workspace."""
    of_project = [
        Link(words.gettext(title), f"/p/{project.slug}{path}", name == current, key)
        for name, title, path, key in (OF_PROJECT if project else ())
        if project
    ]
    plugged_in = [
        Link(words.gettext(kind.title), f"/p/{project.slug}/exams/{kind.name}", kind.name == current)
        for kind in exam_kinds()
        if project and not kind.pages
    ]
    of_workspace = [
        Link(words.gettext(title), _address(name, path, project), name == current, key)
        for name, title, path, key in OF_WORKSPACE
        if who.may("admin") or name == "help" or (name == "settings" and project)
    ]
    return (*of_project, *plugged_in, *of_workspace)


def _address(name: str, path: str, project: Project | None) -> str:
    """Return where a section of the workspace is; the settings are those of the project that is open."""
    return f"/p/{project.slug}{path}" if project and name == "settings" else path


def project_links(projects: Sequence[Project], current: Project | None) -> tuple[Link | None, tuple[Link, ...]]:
    """Return the link to the project that is open, and those to all of them."""
    links = tuple(Link(one.name, f"/p/{one.slug}", current is not None and one.id == current.id) for one in projects)
    return next((link for link in links if link.current), None), links
