"""What a view returns: a page in its frame with the navigation, a part of one, a redirect, or a file."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Sequence
from dataclasses import replace
from urllib.parse import quote

from fastapi import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from vivavoce.errors import AbsentError
from vivavoce.files.exports import csv_bytes, xlsx_bytes
from vivavoce.jobs.exams.registry import exam_kinds
from vivavoce.messages import say
from vivavoce.store.rows import Edit, Project
from vivavoce.web.access import Visitor, store_of, visitor_of
from vivavoce.web.language import Words, choose_language, gettext_noop
from vivavoce.web.local_time import current_zone
from vivavoce.web.rendering import Flash, Frame, Link, NavGroup, Person, choose_theme, render
from vivavoce.workspace.projects.projects import list_projects


def project_links(projects: Sequence[Project], current: Project | None) -> tuple[Link | None, tuple[Link, ...]]:
    """Return the link to the project that is open, and those to all of them."""
    links = tuple(
        Link(project.name, f"/p/{project.slug}", current is not None and project.id == current.id)
        for project in projects
    )
    return next((link for link in links if link.current), None), links


PROJECT_COOKIE = "viva_project"
FLASH_COOKIE = "viva_flash"
FLASH_SECONDS = 60
LANGUAGE_COOKIE = "viva_language"
THEME_COOKIE = "viva_theme"
TABLES = ("csv", "xlsx")
MEDIA = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "json": "application/json",
    "yaml": "application/yaml",
}


def page(
    request: Request,
    template: str,
    title: str,
    *,
    view: object = None,
    project: Project | None = None,
    status: int = 200,
) -> HTMLResponse:
    """Return a whole page: the template gets `frame`, `view` (typed, made by the page) and `who`."""
    who = visitor_of(request)
    frame = _make_frame(request, title, who, project)
    text = render(template, {"frame": frame, "view": view, "who": who, "project": project}, frame.language)
    response = HTMLResponse(text, status)
    if frame.flashes:
        response.delete_cookie(FLASH_COOKIE)
    if project and request.cookies.get(PROJECT_COOKIE) != project.slug:
        # Pages outside of projects keep the navigation of this one.
        response.set_cookie(PROJECT_COOKIE, project.slug, httponly=True, samesite="lax")
    return response


def part(request: Request, template: str, *, view: object, project: Project | None = None) -> HTMLResponse:
    """Return a part of a page, for those that renew themselves."""
    context = {"view": view, "who": visitor_of(request), "project": project}
    return HTMLResponse(render(template, context, language_of(request)))


def answer_unchanged() -> Response:
    """Say that nothing has changed since."""
    return Response(status_code=204)


def go(path: str) -> RedirectResponse:
    """Lead on after a form was taken."""
    return RedirectResponse(path, 303)


def done(
    path: str, text: str, *, project: Project | None = None, edit: Edit | None = None, undo: str = ""
) -> RedirectResponse:
    """Lead on and say what was done; an edit can be undone there, and what has its own address for that (`undo`)."""
    undo = f"/p/{project.slug}/edits/{edit.id}/undo" if project and edit else undo
    response = go(path)
    flash = json.dumps({"text": text, "undo": undo}).encode()
    response.set_cookie(
        FLASH_COOKIE, urlsafe_b64encode(flash).decode(), max_age=FLASH_SECONDS, httponly=True, samesite="lax"
    )
    return response


def table_file(
    name: str, kind: str, columns: Sequence[str], rows: Sequence[Sequence[object]], *, title: str = ""
) -> Response:
    """Return a table as a file; there is nothing at the address of another `kind` than csv and xlsx."""
    if kind not in TABLES:
        raise AbsentError(say("nothing found at this address"), remedy=say("download the table as .csv or .xlsx"))
    content = xlsx_bytes(title or name, columns, rows) if kind == "xlsx" else csv_bytes(columns, rows)
    return download(f"{name}.{kind}", MEDIA[kind], content)


def download(name: str, media: str, content: bytes) -> Response:
    """Return a file to keep."""
    disposition = f"attachment; filename*=UTF-8''{quote(name)}"
    return Response(content, media_type=media, headers={"Content-Disposition": disposition})


def words_of(request: Request) -> Words:
    """Return the words of the language that the visitor reads."""
    return Words(language_of(request))


def language_of(request: Request) -> str:
    """Return the language that the visitor reads."""
    who = visitor_of(request)
    cookie = request.cookies.get(LANGUAGE_COOKIE)
    return choose_language(cookie, who.user.language if who else None, request.headers.get("accept-language"))


def _make_frame(request: Request, title: str, who: Visitor | None, project: Project | None) -> Frame:
    words = words_of(request)
    plain = Frame(
        title=title,
        flashes=_read_flashes(request),
        language=words.language,
        theme=choose_theme(request.cookies.get(THEME_COOKIE)),
        path=request.url.path + (f"?{request.url.query}" if request.url.query else ""),
        zone=current_zone().key.replace("_", " "),
    )
    if who is None:
        return plain
    projects = list_projects(store_of(request))
    last = request.cookies.get(PROJECT_COOKIE)
    opened = project or next((known for known in projects if known.slug == last), None)
    here, others = project_links(projects, opened)
    return replace(
        plain,
        user=Person(who.user.name or who.user.login, words.gettext(str(who.role)), who.user.id),
        groups=build_groups(words, who, opened, request.url.path),
        help=(Link(words.gettext("Help"), "/help", request.url.path == "/help", "h", "help"),),
        jump=f"/p/{opened.slug}/jump" if opened else "/jump",
        project=here,
        projects=others,
    )


def _read_flashes(request: Request) -> tuple[Flash, ...]:
    cookie = request.cookies.get(FLASH_COOKIE)
    if not cookie:
        return ()
    try:
        flash = json.loads(urlsafe_b64decode(cookie.encode()))
        undo = str(flash.get("undo", ""))
        # Only a path of our own: whatever a cookie says, the button stays in this application.
        return (Flash(str(flash["text"]), undo=undo if undo.startswith("/p/") else ""),)
    except (ValueError, KeyError, TypeError, AttributeError):
        return ()


# Title, address under the project, icon, and the key that leads there after "g".
TODAY = ((gettext_noop("Today"), "", "home", "t"),)
CONTENT = (
    (gettext_noop("Topics"), "/topics", "topic", "o"),
    (gettext_noop("Scenarios"), "/suites", "script", "n"),
    (gettext_noop("Dialogues"), "/dialogues", "dialogue", "d"),
    (gettext_noop("Import"), "/import", "import", "m"),
    (gettext_noop("Changes"), "/edits", "undo", "x"),
)
ASSISTANT = (
    (gettext_noop("Inbox"), "/inbox", "inbox", "w"),
    (gettext_noop("Automation"), "/automation", "trend", "a"),
    (gettext_noop("Openings"), "/openings", "list", "j"),
    (gettext_noop("Outbox"), "/outbox", "dialogue", "u"),
    (gettext_noop("Assistant"), "/assistant", "chat", "v"),
)
EXAMS = (
    (gettext_noop("Intents exam"), "/intents", "exam", "i"),
    (gettext_noop("Conversations exam"), "/conversations", "chat", "c"),
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
BELONGING = {
    "/scenarios": "/suites",
    "/examples": "/topics",
    "/dialogues/runs": "/dialogues/score",
    "/forecasts": "/intents",
}


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
        (gettext_noop("Assistant"), "chat", list_links(words, base, ASSISTANT)),
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
