"""The chat of visitors: what the script on other sites asks for, and a page of its own.

Nothing here looks at a session: a visitor is known by the key that their browser keeps. Only the sites that the
settings name may ask.
"""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from threading import Lock
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import JSONResponse, Response

from vivavoce.errors import AccessError, InputError, VivaError, WorkError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import AssistantRow, MessageRow, Project
from vivavoce.store.stamps import new_id
from vivavoce.web.access import InStore, address_of
from vivavoce.web.answers import language_of, page, words_of
from vivavoce.web.failures import status_of
from vivavoce.web.forms import Form
from vivavoce.web.rendering import View
from vivavoce.web.security.headers import CONTENT_POLICY
from vivavoce.workspace.assistant import privacy, talking
from vivavoce.workspace.assistant.building import PreparingError
from vivavoce.workspace.assistant.settings import find_chat

CHAT = "/chat/"
router = APIRouter(prefix="/chat/{slug}")
# Messages in a minute: of one visitor, and from one address, behind which a whole company may be.
MOST_OF_VISITOR, MOST_OF_ADDRESS = 20, 300
MINUTE = 60.0
KEPT_VISITORS = 20_000
# How long a message waits for an assistant that is trained for the first time: the script then sends it again, a form
# cannot.
PATIENCE_S, FORM_PATIENCE_S = 2.0, 60.0
PREFLIGHT_SECONDS = "600"


class CrowdError(InputError):
    """Somebody writes faster than people do."""


class Limits:
    """How many messages came in the last minute, by visitor and by address, in this process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._times: OrderedDict[str, deque[float]] = OrderedDict()

    def take(self, name: str, most: int, at: float) -> None:
        """Count a message; refuse one too many."""
        with self._lock:
            times = self._times.setdefault(name, deque())
            self._times.move_to_end(name)
            while times and times[0] <= at - MINUTE:
                times.popleft()
            if len(times) >= most:
                raise CrowdError(say("too many messages at once"), remedy=say("wait a minute, then try again"))
            times.append(at)
            if len(self._times) > KEPT_VISITORS:
                self._times.popitem(last=False)


LIMITS = Limits()


class TalkBody(BaseModel):
    """Whose talk is meant; an empty key begins one."""

    key: str = Field("", max_length=100)
    language: str = Field("", max_length=20)


class MessageBody(TalkBody):
    """A message of a visitor; `id`: chosen by the client, the same when it is sent again."""

    id: str = Field(min_length=1, max_length=64)
    text: str = Field(min_length=1, max_length=4_000)


class AfterBody(TalkBody):
    """Which messages are known already."""

    after: Annotated[int, Field(ge=-1, le=100_000)] = -1


@router.post("/open")
def open_chat(request: Request, slug: str, store: InStore, body: TalkBody) -> Response:
    """Return a talk with its greeting; a visitor without a key gets one."""

    def act(project: Project) -> object:
        _limit(request, body.key)
        talk = talking.open_talk(store, project, body.key, body.language)
        return {
            "key": talk.key,
            "name": project.name,
            "greeting": talk.greeting,
            "messages": [message_view(row) for row in talk.messages],
        }

    return _answer(request, store, slug, act)


@router.post("/messages")
def send_message(request: Request, slug: str, store: InStore, body: MessageBody) -> Response:
    """Answer a message."""

    def act(project: Project) -> object:
        _limit(request, body.key)
        return message_view(
            talking.answer_message(store, project, body.key, body.text, body.id, body.language, patience=PATIENCE_S)
        )

    return _answer(request, store, slug, act)


@router.post("/new")
def list_new(request: Request, slug: str, store: InStore, body: AfterBody) -> Response:
    """Return what was said since, such as the reply of a person."""

    def act(project: Project) -> object:
        talking.note_presence(store, project, body.key)
        return {"messages": [message_view(row) for row in talking.list_new(store, project, body.key, body.after)]}

    return _answer(request, store, slug, act)


@router.post("/export")
def export_talk(request: Request, slug: str, store: InStore, body: TalkBody) -> Response:
    """Return all that is kept of a visitor."""

    def act(project: Project) -> object:
        return privacy.export_visitor(store, project, privacy.find_visitor(store, project, body.key))

    return _answer(request, store, slug, act)


@router.post("/forget")
def forget_talk(request: Request, slug: str, store: InStore, body: TalkBody) -> Response:
    """Delete all that is kept of a visitor."""

    def act(project: Project) -> object:
        privacy.delete_visitor(store, project, privacy.find_visitor(store, project, body.key))
        return {}

    return _answer(request, store, slug, act)


@router.options("/{part}")
def allow_asking(request: Request, slug: str, store: InStore, part: str) -> Response:
    """Tell a browser whether a page of another site may ask."""
    response = _answer(request, store, slug, lambda project: {})
    if response.status_code == 200:
        response.headers["Access-Control-Allow-Methods"] = "POST"
        response.headers["Access-Control-Allow-Headers"] = "Content-Type"
        response.headers["Access-Control-Max-Age"] = PREFLIGHT_SECONDS
    return response


@router.get("")
def show_chat(request: Request, slug: str, store: InStore) -> Response:
    """Show the chat as a page."""
    project, settings = find_chat(store, slug)
    return _chat_page(request, project, settings, talking.open_talk(store, project, "", language_of(request)))


@router.post("")
def write_in_chat(request: Request, slug: str, store: InStore, form: Form) -> Response:
    """Take a message from the form of the page: for browsers without scripts."""
    project, settings = find_chat(store, slug)
    key, text = form.text("key", most=100), form.text("send") or form.text("text")
    error: VivaError | None = None
    try:
        _limit(request, key)
        message_id = form.text("id", most=64) or new_id()
        talking.answer_message(store, project, key, text, message_id, language_of(request), patience=FORM_PATIENCE_S)
    except (InputError, WorkError) as refusal:
        error = refusal
    talk = talking.open_talk(store, project, key, language_of(request))
    return _chat_page(request, project, settings, talk, error)


def _chat_page(
    request: Request,
    project: Project,
    settings: AssistantRow,
    talk: talking.OpenTalk,
    error: VivaError | None = None,
) -> Response:
    last = talk.messages[-1].reply if talk.messages and talk.messages[-1].author == "visitor" else talk.greeting
    view = View(
        name=project.name,
        slug=project.slug,
        key=talk.key,
        id=new_id(),
        greeting=talk.greeting,
        messages=[message_view(row) for row in talk.messages],
        buttons=last["buttons"],
        consent=settings.consent,
        days=settings.retention_days,
        error=error,
    )
    title = words_of(request).gettext("Chat with %(name)s", name=project.name)
    response = page(request, "assistant/chat.html", title, view=view, status=status_of(error) if error else 200)
    if settings.origins:
        # The sites that may embed the script may also show this page in a frame.
        ancestors = " ".join(("'self'", *settings.origins))
        policy = CONTENT_POLICY.replace("frame-ancestors 'none'", f"frame-ancestors {ancestors}")
        response.headers["Content-Security-Policy"] = policy
        response.headers["X-Frame-Options"] = "SAMEORIGIN"
    return response


def message_view(row: MessageRow) -> dict[str, Any]:
    """Return a message as a chat shows it."""
    return {
        "number": row.number,
        "id": row.key,
        "author": row.author,
        "text": row.text,
        "language": row.language,
        "reply": dict(row.reply),
    }


def _limit(request: Request, key: str) -> None:
    at = time.monotonic()
    LIMITS.take(f"address {address_of(request)}", MOST_OF_ADDRESS, at)
    if key:
        LIMITS.take(f"visitor {key}", MOST_OF_VISITOR, at)


def _answer(request: Request, store: Store, slug: str, act: Callable[[Project], object]) -> Response:
    """Do what a page asks, if its site may; the answer says so to the browser, whatever it is."""
    origin = request.headers.get("origin", "")
    headers = {"Vary": "Origin", "Cache-Control": "no-store"}
    try:
        project, settings = find_chat(store, slug)
        own = not origin or urlsplit(origin).netloc == request.headers.get("host")
        if not own and origin not in settings.origins:
            raise AccessError(say("this site may not use the chat"), remedy=say("add it to the assistant's settings"))
        if not own:
            headers |= {"Access-Control-Allow-Origin": origin, "Cross-Origin-Resource-Policy": "cross-origin"}
        return JSONResponse(act(project), headers=headers)
    except CrowdError as error:
        return JSONResponse({"detail": error.what}, 429, headers | {"Retry-After": str(int(MINUTE))})
    except PreparingError as error:
        # No fault, so that the page around the chat sees none.
        return JSONResponse({"detail": error.what, "remedy": error.remedy}, 202, headers | {"Retry-After": "1"})
    except (InputError, WorkError) as error:
        return JSONResponse({"detail": error.what}, status_of(error), headers)
