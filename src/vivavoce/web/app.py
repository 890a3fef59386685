"""The application: pages, API and static files over one store, behind all guards."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

from fastapi import APIRouter, Depends, FastAPI
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from vivavoce.reports.shared.pages import ICONS
from vivavoce.store.database import Store
from vivavoce.version import __version__
from vivavoce.web import api, pages
from vivavoce.web.access import SignInNeededError
from vivavoce.web.access_log import AccessLog
from vivavoce.web.api.description import (
    ERRORS,
    check_query,
    complete_description,
    methods_at,
    name_operation,
    operation_roles,
)
from vivavoce.web.charts import vega_bundle
from vivavoce.web.config import WebConfig
from vivavoce.web.failures import answer_refusal, handle_errors
from vivavoce.web.health import HEALTH, add_health
from vivavoce.web.pages.access.sign_in import ask_to_sign_in
from vivavoce.web.pages.assistant.chat import CHAT
from vivavoce.web.rendering import STATIC, app_styles
from vivavoce.web.security.protection import Protection, protect

API = "/api/v1"
# Static files that are put together.
MADE_FILES: dict[str, tuple[Callable[[], bytes], str]] = {
    "vega.js": (vega_bundle, "text/javascript"),
    "app.css": (app_styles, "text/css"),
    "icons.svg": (ICONS.read_bytes, "image/svg+xml"),
}
# Where people send forms who are not signed in.
OPEN_FORMS = ("/sign-in", "/setup/", "/link/", "/preferences", CHAT, "/subscription/", "/unsubscribe/")
ABOUT = (
    "Everything the pages do, for programs. Send one of your keys (People, your own page) as "
    "`Authorization: Bearer viva_...`; its scopes define what it can do."
)


class Application(FastAPI):
    """The application; its API describes itself with the role of every operation."""

    def openapi(self) -> dict[str, Any]:
        """Return the description of the API, made once."""
        if self.openapi_schema is None:
            self.openapi_schema = complete_description(super().openapi(), operation_roles(routers(api), API))
        return self.openapi_schema


def make_app(store: Store, config: WebConfig | None = None) -> ASGIApp:
    """Return the application for a store, with its guards around it."""
    chosen = config or WebConfig()
    protection = Protection(
        chosen.hosts,
        chosen.behind_proxy,
        any_host=(HEALTH,),
        max_upload_bytes=chosen.max_upload_mb * 2**20,
        open_forms=OPEN_FORMS,
        open_paths=(CHAT,),
        answer=answer_refusal,
    )
    app = protect(bare_app(store, chosen), protection)
    return AccessLog(app, chosen.access_log, behind_proxy=chosen.behind_proxy) if chosen.access_log else app


def bare_app(store: Store, config: WebConfig | None = None) -> FastAPI:
    """Return the application without its guards: routes, errors, static files."""
    app = Application(
        title="vivavoce",
        version=__version__,
        description=ABOUT,
        openapi_url=f"{API}/openapi.json",
        # The page of FastAPI loads its script from a foreign host.
        docs_url=None,
        redoc_url=None,
    )
    app.state.store = store
    app.state.config = config or WebConfig()
    handle_errors(app, lambda path: methods_at(routers(api), path.removeprefix(API)))
    app.add_exception_handler(SignInNeededError, ask_to_sign_in)
    # Put there directly: an included router is searched twice for every request.
    app.router.routes.extend(_page_routes())
    app.router.routes.extend(_api_router().routes)
    add_health(app)
    for name, (make, media) in MADE_FILES.items():
        app.add_api_route(f"/static/{name}", partial(_show_made, make, media), include_in_schema=False)
    app.add_api_route("/static/chat.js", _show_chat, include_in_schema=False)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    return app


def routers(package: ModuleType) -> Iterator[APIRouter]:
    """Yield the routers of all modules of a package and of its rooms, by name."""
    for module in sorted(walk_packages(package.__path__, f"{package.__name__}."), key=lambda module: module.name):
        yield from (part for part in vars(import_module(module.name)).values() if isinstance(part, APIRouter))


@cache
def _api_router() -> APIRouter:
    """Return the API, put together once for all applications of this process: that takes a second."""
    whole = APIRouter(generate_unique_id_function=name_operation)
    for router in routers(api):
        whole.include_router(router, prefix=API, responses=ERRORS, dependencies=[Depends(check_query)])
    return whole


def _page_routes() -> list[BaseRoute]:
    """Return the routes of all pages; `/topics/merge` comes before `/topics/{topic}`, whatever rooms are called."""
    routes = [route for router in routers(pages) for route in router.routes]
    for route in routes:
        # Pages are for people; the description of the API leaves them out.
        route.include_in_schema = False  # type: ignore[attr-defined]

    def order(route: BaseRoute) -> list[tuple[bool, int, str]]:
        # In every piece of a path, the more is fixed the sooner it is tried.
        pieces = getattr(route, "path", "").split("/")
        return [("{" in piece, -len(re.sub(r"{.*?}", "", piece)), piece) for piece in pieces]

    return sorted(routes, key=order)


def _show_made(make: Callable[[], bytes], media: str) -> Response:
    return Response(make(), media_type=media)


def _show_chat() -> Response:
    # Pages of other sites load it.
    headers = {"Cross-Origin-Resource-Policy": "cross-origin"}
    return Response((STATIC / "chat.js").read_bytes(), media_type="text/javascript", headers=headers)
