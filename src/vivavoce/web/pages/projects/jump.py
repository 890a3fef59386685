"""Search and jump: one field in the sidebar that finds pages, content and runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.web.access import Reader
from vivavoce.web.answers import build_groups, page, part, words_of
from vivavoce.web.exam_pages import exam_title, pages_of
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.parts import Field
from vivavoce.web.rendering import NavGroup, View
from vivavoce.web.visits import ReaderVisit, Visit
from vivavoce.workspace.projects.jump import Hit, HitKind, find_hits

router = APIRouter()
MAX_CHARACTERS = 100
# What a hit is called, its icon, and its address under the project.
KINDS: dict[HitKind, tuple[str, str, str]] = {
    "topic": (gettext_noop("Topic"), "topic", "/topics/{id}"),
    "example": (gettext_noop("Example"), "dialogue", "/examples/{id}"),
    "out_of_scope": (gettext_noop("Out-of-scope example"), "dialogue", "/examples/{id}"),
    "suite": (gettext_noop("Suite"), "script", "/suites/{id}"),
    "scenario": (gettext_noop("Scenario"), "script", "/scenarios/{id}"),
    "bot": (gettext_noop("Bot"), "bot", "/bots/{id}"),
}


@router.get("/p/{slug}/jump")
def search_project(visit: ReaderVisit, q: str = "") -> Response:
    """Show what in a project holds the words."""
    asked = q.strip()[:MAX_CHARACTERS]
    groups = build_groups(visit.words, visit.who, visit.project, visit.request.url.path)
    lines = [
        *_page_lines(visit.words, groups, asked),
        *_hit_lines(visit, find_hits(*visit.here, asked)),
    ]
    return _answer(visit.request, View(asked=asked, lines=lines), visit)


@router.get("/jump")
def search_pages(request: Request, who: Reader, q: str = "") -> Response:
    """Show which pages of the workspace have the words in their name."""
    words, asked = words_of(request), q.strip()[:MAX_CHARACTERS]
    lines = list(_page_lines(words, build_groups(words, who, None, request.url.path), asked))
    return _answer(request, View(asked=asked, lines=lines), None)


def _answer(request: Request, view: View, visit: Visit | None) -> Response:
    if request.headers.get("x-fragment"):
        return part(request, "projects/jump_results.html", view=view)
    title = words_of(request).gettext("Search")
    view.field = Field("q", words_of(request).gettext("Words"), "search", view.asked)
    return page(request, "projects/jump.html", title, view=view, project=visit.project if visit else None)


def _page_lines(words: Words, groups: Iterable[NavGroup], asked: str) -> Iterator[View]:
    for group in groups:
        for link in group.links:
            if asked.casefold() in link.title.casefold():
                yield View(icon=link.icon, title=link.title, href=link.href, kind=words.gettext("Page"))


def _hit_lines(visit: Visit, hits: Iterable[Hit]) -> Iterator[View]:
    words = visit.words
    for hit in hits:
        if hit.kind == "run":
            href = pages_of(hit.beside).run_path(visit.project, int(hit.id))
            yield View(icon="exam", title=words.ours(hit.title), href=href, kind=exam_title(words, hit.beside))
        else:
            name, icon, path = KINDS[hit.kind]
            kind = " · ".join(filter(None, (words.gettext(name), hit.beside)))
            yield View(icon=icon, title=hit.title, href=f"{visit.base}{path.format(id=hit.id)}", kind=kind)
