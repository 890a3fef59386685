"""A request for a page of a project: who asks, what they may do, and the way to answer.

def show_topics(visit: ReaderVisit, q: Search = "") -> Response: ...
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import HTMLResponse, RedirectResponse

from vivavoce.store.database import Store
from vivavoce.store.rows import Edit, Project, Role
from vivavoce.web.access import Needs, Visitor, project_in_path, store_of
from vivavoce.web.answers import done, page, part, words_of
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.web.rendering import View
from vivavoce.workspace.access.actors import Actor


@dataclass(frozen=True, slots=True)
class Visit:
    """One request for a page of a project; `base` is the address of the project."""

    request: Request
    who: Visitor
    store: Store
    project: Project
    words: Words

    @property
    def actor(self) -> Actor:
        """The person who makes changes through this request."""
        return self.who.actor

    @property
    def here(self) -> tuple[Store, Project]:
        """What every use case that reads begins with."""
        return self.store, self.project

    @property
    def acting(self) -> tuple[Store, Actor, Project]:
        """What every use case that changes something begins with."""
        return self.store, self.actor, self.project

    @property
    def base(self) -> str:
        """The address of the project."""
        return f"/p/{self.project.slug}"

    @property
    def write(self) -> Writer:
        """The writer of numbers and times in the visitor's language."""
        return Writer(self.words)

    def page(
        self, template: str, title: str, /, *, view: object = None, status: int | None = None, **parts: object
    ) -> HTMLResponse:
        """Return a whole page of the project: what it shows is a view, or its parts; one with an error is refused."""
        if parts:
            view = View(**parts)
        code = status or (400 if parts.get("error") else 200)
        return page(self.request, template, title, view=view, project=self.project, status=code)

    def part(self, template: str, view: object) -> HTMLResponse:
        """Return a part of a page that renews itself."""
        return part(self.request, template, view=view, project=self.project)

    def done(self, path: str, text: str, edit: Edit | None = None, *, undo: str = "") -> RedirectResponse:
        """Lead to a page that says what was done; it can be undone there."""
        return done(path, text, project=self.project, edit=edit, undo=undo)


class NeedsVisit(Needs):
    """A dependency that lets visitors of a role into a project."""

    async def __call__(self, request: Request, slug: str) -> Visit:  # type: ignore[override]
        """Return the visit; refuse those who may not come in."""
        who = await super().__call__(request)
        return Visit(request, who, store_of(request), await project_in_path(request, slug), words_of(request))


ReaderVisit = Annotated[Visit, Depends(NeedsVisit(Role.READER))]
ReviewerVisit = Annotated[Visit, Depends(NeedsVisit(Role.REVIEWER))]
EditorVisit = Annotated[Visit, Depends(NeedsVisit(Role.EDITOR))]
AdminVisit = Annotated[Visit, Depends(NeedsVisit(Role.ADMIN))]
