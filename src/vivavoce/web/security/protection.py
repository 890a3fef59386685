"""All guards around an application, in the one order that works."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.types import ASGIApp

from vivavoce.web.security.compression import Compression
from vivavoce.web.security.headers import STATIC, SecurityHeaders
from vivavoce.web.security.origins import HostGuard, OriginGuard
from vivavoce.web.security.refusals import Answer, plain_answer
from vivavoce.web.security.uploads import MAX_BODY_BYTES, MAX_UPLOAD_BYTES, BodyLimit


@dataclass(frozen=True)
class Protection:
    """What whoever runs the server decides.

    `hosts`: names beside the loopback ones. `behind_proxy`: every request passes a proxy whose `X-Forwarded-...`
    headers are true. `any_host`: paths that may be asked under any name. `open_forms`: where strangers may send a
    form. `open_paths`: what looks at no session and may be asked by other sites. `answer`: the page of a refusal.
    """

    hosts: tuple[str, ...] = ()
    behind_proxy: bool = False
    any_host: tuple[str, ...] = ()
    max_bytes: int = MAX_BODY_BYTES
    max_upload_bytes: int = MAX_UPLOAD_BYTES
    open_forms: tuple[str, ...] = ()
    open_paths: tuple[str, ...] = ()
    static: str = STATIC
    answer: Answer = plain_answer


USUAL = Protection()


def protect(app: ASGIApp, protection: Protection = USUAL) -> ASGIApp:
    """Return the application behind all guards; refusals, too, carry the headers."""
    guarded: ASGIApp = Compression(app)
    guarded = BodyLimit(
        guarded, protection.max_bytes, protection.max_upload_bytes, protection.answer, protection.open_forms
    )
    guarded = OriginGuard(guarded, protection.answer, open_paths=protection.open_paths)
    guarded = HostGuard(guarded, protection.hosts, protection.answer, any_host=protection.any_host)
    return SecurityHeaders(guarded, static=protection.static, behind_proxy=protection.behind_proxy)
