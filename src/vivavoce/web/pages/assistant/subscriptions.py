"""The links in mails to visitors. To open one changes nothing, since scanners open every link: buttons do."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.web.access import InStore
from vivavoce.web.answers import page, words_of
from vivavoce.web.rendering import View
from vivavoce.workspace.assistant import mailing

router = APIRouter()


@router.get("/subscription/{secret}")
def show_subscription(request: Request, store: InStore, secret: str) -> Response:
    """Ask whether somebody wants mail about new openings."""
    mailing.find_subscription(store, secret)
    words = words_of(request)
    return _ask(request, words.gettext("Get new openings by e-mail?"), words.gettext("Yes, subscribe"))


@router.post("/subscription/{secret}")
def confirm_subscription(request: Request, store: InStore, secret: str) -> Response:
    """Confirm a subscription."""
    mailing.confirm_subscription(store, secret)
    return _ask(request, words_of(request).gettext("You are subscribed."))


@router.get("/unsubscribe/{secret}")
def show_unsubscribing(request: Request, store: InStore, secret: str) -> Response:
    """Ask whether somebody wants no more mail."""
    mailing.find_subscription(store, secret)
    words = words_of(request)
    return _ask(request, words.gettext("Stop e-mails about new openings?"), words.gettext("Unsubscribe"))


@router.post("/unsubscribe/{secret}")
def unsubscribe(request: Request, store: InStore, secret: str) -> Response:
    """End a subscription; mail programs send this with one click of their own."""
    mailing.end_subscription(store, secret)
    return _ask(request, words_of(request).gettext("You are unsubscribed."))


def _ask(request: Request, title: str, label: str = "") -> Response:
    view = View(title=title, label=label, action=request.url.path)
    return page(request, "assistant/subscription.html", title, view=view)
