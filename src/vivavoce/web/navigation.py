"""The navigation: four groups around the project that is open, or was open last."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from vivavoce.jobs.exams.registry import exam_kinds
from vivavoce.store.rows import Project
from vivavoce.web.access import Visitor
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.rendering import Link, NavGroup

# Title, address under the project, icon, and the key that leads there after "g".
TODAY = ((gettext_noop("Today"), "", "home", "t"),)
CONTENT = (
    (gettext_noop("Topics"), "/topics", "topic", "o"),
    (gettext_noop("Scenarios"), "/suites", "script", "n"),
    (gettext_noop("Dialogues"), "/dialogues", "dialogue", "d"),
    (gettext_noop("Import"), "/import", "import", "m"),
    (gettext_noop("Changes"), "/edits", "undo", "x"),
)
EXAMS = (
    (gettext_noop("Topic exam"), "/intents", "exam", "i"),
    (gettext_noop("Conversation exam"), "/conversations", "chat", "c"),
    (gettext_noop("Dialogue scores"), "/dialogues/score", "star", "q"),
    (gettext_noop("Classifiers"), "/engines", "swap", "e"),
    (gettext_noop("Timeline"), "/timeline", "trend", "l"),
    (gettext_noop("All runs"), "/runs", "list", "r"),
)
SET_UP = (
    (gettext_noop("Bots"), "/bots", "bot", "b"),
    (gettext_noop("Daily runs"), "/schedules", "clock", "y"),
    (gettext_noop("Settings"), "/settings", "settings", "s"),
)
# Pages that belong to an entry though their address does not begin with its own.
BELONGING = {"/scenarios": "/suites", "/examples": "/topics", "/dialogues/runs": "/dialogues/score"}


def build_groups(words: Words, who: Visitor, project: Project | None, path: str) -> tuple[NavGroup, ...]:
    """Return the groups of the navigation; `path` is the page that is open."""
    base = f"/p/{project.slug}" if project else ""
    people = [Link(words.gettext("People"), "/people", key="p", icon="people")] if who.may("admin") else []
    plugged_in = [
        Link(words.gettext(kind.title), f"{base}/exams/{kind.name}", icon="exam")
        for kind in exam_kinds()
        if not kind.pages
    ]
    groups = [
        (gettext_noop("Today"), "home", list_links(words, base, TODAY)),
        (
            gettext_noop("Content"),
            "topic",
            [link for link in list_links(words, base, CONTENT) if who.may("editor") or link.icon != "import"],
        ),
        (gettext_noop("Exams"), "exam", [*list_links(words, base, EXAMS), *plugged_in]),
        (gettext_noop("Set-up"), "settings", [*list_links(words, base, SET_UP), *people]),
    ]
    if project is None:
        settings = [Link(words.gettext("Settings"), "/settings", key="s", icon="settings")] if people else []
        projects = [Link(words.gettext("Projects"), "/projects", icon="home")]
        groups = [
            (gettext_noop("Projects"), "home", projects),
            (gettext_noop("Set-up"), "settings", people + settings),
        ]
    current = _find_current([link.href for _, _, links in groups for link in links], path, base)
    return tuple(
        NavGroup(words.gettext(title), icon, tuple(replace(link, current=link.href == current) for link in links))
        for title, icon, links in groups
        if links
    )


def list_links(words: Words, base: str, entries: Iterable[tuple[str, str, str, str]]) -> list[Link]:
    """Return the links of entries to a project."""
    return [Link(words.gettext(title), f"{base}{path}", key=key, icon=icon) for title, path, icon, key in entries]


def _find_current(addresses: Iterable[str], path: str, base: str) -> str:
    """Return the address of the entry that a page belongs to: the longest that the page's own begins with."""
    below = path.removeprefix(base) if base else path
    place = next((f"{base}{entry}" for start, entry in BELONGING.items() if below.startswith(start)), path)
    return max((href for href in addresses if place == href or place.startswith(f"{href}/")), key=len, default="")
