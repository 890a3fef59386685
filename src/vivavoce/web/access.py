"""Who is asking, and what they may do: every route says which role it needs.

    def show_topics(request: Request, who: Reader, project: ProjectInPath) -> Response: ...

A person comes with a session cookie, a program with `Authorization: Bearer viva_...`. A key does what its owner
may do, and of that only what its scopes allow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool

from vivavoce.errors import AbsentError, AccessError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role, SignIn, Token, User
from vivavoce.web.config import WebConfig
from vivavoce.web.local_time import ZONE_COOKIE, use_zone
from vivavoce.web.security.cookies import client_address, read_session
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.access.keys import use_key
from vivavoce.workspace.access.secrets import bearer_token
from vivavoce.workspace.access.sessions import resume_session
from vivavoce.workspace.projects.projects import find_project


class SignInNeededError(AccessError):
    """Nobody is signed in, or no longer."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who is asking: a person in a browser (`sign_in`), or a program with a key (`token`)."""

    user: User
    role: Role
    address: str
    sign_in: SignIn | None = None
    token: Token | None = None

    @property
    def actor(self) -> Actor:
        """Who does what this request asks for."""
        return Actor(self.user.id, self.user.name or self.user.login, self.role, self.address, self.user.language)

    def may(self, role: str) -> bool:
        """Tell whether the visitor may do what a role may: for buttons that are shown or left out."""
        return self.role.covers(Role(role))


class Needs:
    """A dependency that lets visitors of a role in."""

    def __init__(self, role: Role) -> None:
        self.role = role

    async def __call__(self, request: Request) -> Visitor:
        """Return the visitor; refuse those who may not come in."""
        await _look_up(request)
        visitor = visitor_of(request)
        if visitor is None:
            raise SignInNeededError(
                say("you are not signed in"), remedy=say("sign in, or send an API key in the Authorization header")
            )
        visitor.actor.require(self.role)
        return visitor


class NeedsPerson(Needs):
    """A dependency that lets people of a role in, and no program: a key must not change who may come in with it."""

    async def __call__(self, request: Request) -> Visitor:
        """Return the visitor; refuse those who may not come in, and keys."""
        visitor = await super().__call__(request)
        if visitor.token is not None:
            raise AccessError(
                say("this page does not accept API keys"),
                remedy=say("sign in with a browser, or use the API"),
            )
        return visitor


def visitor_of(request: Request) -> Visitor | None:
    """Return who is asking, None where nobody is known; looked up once for each request."""
    if not hasattr(request.state, "visitor"):
        # Nobody, where the look-up fails: the page that says so must not fail in the same way.
        request.state.visitor = None
        store = store_of(request)
        if secret := bearer_token(request.headers.get("authorization")):
            if known := use_key(store, secret):
                token, user, role = known
                request.state.visitor = Visitor(user, role, address_of(request), token=token)
        else:
            secret = read_session(request.scope, behind_proxy=config_of(request).behind_proxy)
            if secret and (session := resume_session(store, secret)):
                sign_in, user = session
                request.state.visitor = Visitor(user, user.role, address_of(request), sign_in=sign_in)
    return cast("Visitor | None", request.state.visitor)


def store_of(request: Request) -> Store:
    """Return the store of the application."""
    return cast(Store, request.app.state.store)


def config_of(request: Request) -> WebConfig:
    """Return how the application behaves."""
    return cast(WebConfig, request.app.state.config)


def address_of(request: Request) -> str:
    """Return the address that a request came from."""
    return client_address(request.scope, behind_proxy=config_of(request).behind_proxy)


async def project_in_path(request: Request, slug: str) -> Project:
    """Return the project that the path names."""
    await _look_up(request)
    project = cast("Project | None", request.state.project)
    if project is None:
        raise AbsentError(
            say("there is no project '{slug}'", slug=slug), remedy=say("choose one from the list of projects")
        )
    return project


async def _look_up(request: Request) -> None:
    """Find out who asks for which project: both in one thread, since a change of threads costs as much as a read."""

    def find() -> None:
        slug = request.path_params.get("slug")
        visitor_of(request)
        request.state.project = None if slug is None else find_project(store_of(request), slug)

    if not hasattr(request.state, "project"):
        use_zone(request.cookies.get(ZONE_COOKIE))
        await run_in_threadpool(find)


async def _store(request: Request) -> Store:
    return store_of(request)


Reader = Annotated[Visitor, Depends(Needs(Role.READER))]
Person = Annotated[Visitor, Depends(NeedsPerson(Role.READER))]
Reviewer = Annotated[Visitor, Depends(Needs(Role.REVIEWER))]
Editor = Annotated[Visitor, Depends(Needs(Role.EDITOR))]
Admin = Annotated[Visitor, Depends(Needs(Role.ADMIN))]
InStore = Annotated[Store, Depends(_store)]
ProjectInPath = Annotated[Project, Depends(project_in_path)]
