"""What is shown when something is refused: a page for people, the same facts as JSON for programs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from vivavoce.errors import (
    AbsentError,
    AccessError,
    Fault,
    InputError,
    MissingPartError,
    StaleError,
    StoreError,
    UsageError,
    VivaError,
    WorkError,
)
from vivavoce.messages import say
from vivavoce.store.troubles import Trouble, disk_full_error, is_disk_full
from vivavoce.web.access import SignInNeededError
from vivavoce.web.answers import go, page, words_of
from vivavoce.web.rendering import View
from vivavoce.web.security.refusals import Refusal, plain_answer
from vivavoce.workspace.bots.chatting import CrowdedError

log = logging.getLogger(__name__)

# The most special kind first.
STATUSES: tuple[tuple[type[VivaError], int], ...] = (
    (SignInNeededError, 401),
    (AccessError, 403),
    (AbsentError, 404),
    (StaleError, 409),
    (MissingPartError, 501),
    (CrowdedError, 429),
    (InputError, 400),
    (WorkError, 503),
)


# What those who only use the server can do; why it is so is in its log.
STORE_REMEDIES = {
    Trouble.AWAY: say("try again in a moment; your server admin can find the cause in the server log"),
    Trouble.FULL: say("ask your server admin to free up space; everything saved earlier is safe"),
    Trouble.BUSY: say("try again in a moment; nothing was changed"),
    Trouble.UNFIT: say("tell your server admin; `viva workspace status` shows details"),
}
_HTTP_TEXTS = {404: say("nothing found at this address"), 405: say("this page does not support this kind of request")}


@dataclass(frozen=True, slots=True)
class FaultBody:
    """One thing that is wrong, and its place."""

    message: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """What went wrong, where, and what to do next."""

    what: str
    where: str = ""
    remedy: str = ""
    faults: list[FaultBody] = field(default_factory=list)


def status_of(error: VivaError) -> int:
    """Return the status of the answer to an error."""
    return next((status for kind, status in STATUSES if isinstance(error, kind)), 500)


def answer_error(request: Request, error: VivaError, status: int | None = None) -> Response:
    """Return the answer to something refused; `status` where it is another than that of the error."""
    status = status or status_of(error)
    if isinstance(error, StoreError):
        # Where the database is, only those who run the server should know.
        error = StoreError(error.what, trouble=error.trouble, remedy=STORE_REMEDIES[Trouble(error.trouble)])
    if request.url.path.startswith("/api/"):
        faults = [{"message": fault.message, "where": fault.where} for fault in error.faults]
        body = {"what": error.what, "where": error.where, "remedy": error.remedy, "faults": faults}
        return JSONResponse(body, status, {"WWW-Authenticate": "Bearer"} if status == 401 else None)
    if status == 401:
        return go(f"/sign-in?next={quote(request.url.path)}")
    view = View(status=status, what=error.what, where=error.where, remedy=error.remedy, faults=error.faults)
    if not isinstance(error, StoreError):
        with suppress(StoreError):
            return page(request, "error.html", _title(request, status), view=view, status=status)
    # Without the database it is the page that strangers see.
    request.state.visitor = None
    return page(request, "error.html", _title(request, status), view=view, status=status)


def answer_refusal(scope: Scope, refusal: Refusal) -> Response:
    """Return the answer to what is refused at the door: for programs in the same shape as every other error."""
    if not str(scope.get("path", "")).startswith("/api/"):
        return plain_answer(scope, refusal)
    body = {"what": refusal.what, "where": "", "remedy": refusal.remedy, "faults": []}
    return JSONResponse(body, refusal.status, dict(refusal.headers))


def handle_errors(app: FastAPI, methods_at: Callable[[str], Collection[str]]) -> None:
    """Let the application answer every error in its own way; `methods_at` tells what can be done at a path."""

    @app.exception_handler(VivaError)
    def _answer_viva(request: Request, error: VivaError) -> Response:
        return answer_error(request, error)

    @app.exception_handler(HTTPException)
    def _answer_http(request: Request, error: HTTPException) -> Response:
        kind = {404: AbsentError, 403: AccessError}.get(error.status_code, UsageError)
        what = _HTTP_TEXTS.get(error.status_code) or str(error.detail)
        refusal = kind(what, where=request.url.path, remedy="go back, or choose from the navigation")
        answer = answer_error(request, refusal, error.status_code)
        # Which methods there are, when to come again: part of what the answer says.
        answer.headers.update(error.headers or {})
        if error.status_code == 405 and (methods := methods_at(request.url.path)):
            answer.headers["Allow"] = ", ".join(sorted(methods))
        return answer

    @app.exception_handler(RequestValidationError)
    def _answer_invalid(request: Request, error: RequestValidationError) -> Response:
        faults = [Fault(str(each["msg"]), ".".join(map(str, each["loc"]))) for each in error.errors()]
        refusal = UsageError(say("the request is not readable"), faults=faults, remedy=say("fix these places"))
        return answer_error(request, refusal, 422)

    @app.exception_handler(Exception)
    def _answer_unexpected(request: Request, error: Exception) -> Response:
        if is_disk_full(error):
            log.error("a page failed: the disk is full")
            return answer_error(request, disk_full_error())
        log.exception("a page failed", exc_info=error)
        remedy = say("try again; the server log has details")
        return answer_error(request, VivaError(say("something went wrong on the server"), remedy=remedy))


def _title(request: Request, status: int) -> str:
    words = words_of(request)
    titles = {
        403: words.gettext("Not allowed"),
        404: words.gettext("Not found"),
        409: words.gettext("Changed in the meantime"),
        429: words.gettext("Too many requests"),
    }
    return titles.get(status, words.gettext("That did not work"))
