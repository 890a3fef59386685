"""A form that came without a session: its text waits on the sign-in page and is there again afterwards.

The text travels inside the sign-in page itself, as a hidden field, and is kept nowhere else: nothing to fill up,
nothing to leak, nothing to clean, and every process of the server can go on with it. It needs no signature, since
both ways pass the guard that refuses forms of other sites: a browser gets back what was typed in it. Forms with a
password in them are not held.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit

from fastapi import Request
from starlette.datastructures import UploadFile
from starlette.responses import Response

from vivavoce.errors import UsageError
from vivavoce.web.security.uploads import read_form

MOST = 2_000


def own_path(text: str, default: str = "/") -> str:
    """Return a path of this application, or the default for anything else."""
    # Browsers read a backslash as a slash and skip over tabs and line ends.
    if not text.startswith("/") or len(text) > MOST or "\\" in text or not text.isprintable():
        return default
    try:
        parts = urlsplit(text)
    except ValueError:
        return default
    return default if text.startswith("//") or parts.scheme or parts.netloc else text


# A long scenario has some 50,000 characters.
MAX_BYTES = 256 * 1024
# As a field of the sign-in form: quotes and line ends are written with a backslash.
MAX_CHARACTERS = 2 * MAX_BYTES
SECRET_FIELDS = frozenset({"password", "old", "repeated"})
FORM_TYPES = ("application/x-www-form-urlencoded", "multipart/form-data")
# Who signed in last in this browser: it outlives the session, and opens nothing.
PERSON_COOKIE = "viva_person"


@dataclass(frozen=True, slots=True)
class HeldForm:
    """A form as it was sent: `person` typed it (empty: unknown) on the page `back`, with files of these names."""

    path: str
    back: str
    person: str
    fields: tuple[tuple[str, str], ...]
    files: tuple[tuple[str, str], ...] = ()

    def is_for(self, person: str) -> bool:
        """Tell whether somebody who signed in may see it: who typed it, or anybody where that is not known."""
        return self.person in ("", person)


def held_to_text(form: HeldForm) -> str:
    """Return a form as the text of a hidden field."""
    return json.dumps(asdict(form), ensure_ascii=False)


def held_from_text(text: str) -> HeldForm | None:
    """Return the form that a hidden field holds; None where there is none that can be sent here."""
    try:
        content = json.loads(text)
        fields, files = (
            tuple((str(name), str(value)) for name, value in content[key]) for key in ("fields", "files")
        )
        path = own_path(str(content["path"]), "")
        return HeldForm(path, own_path(str(content["back"])), str(content["person"]), fields, files) if path else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


async def hold_form(request: Request) -> HeldForm | None:
    """Return the form that a request brings; None where it is too long, holds a secret or nothing at all."""
    if not is_short(request) or not request.headers.get("content-type", "").lower().startswith(FORM_TYPES):
        return None
    try:
        async with read_form(request) as form:
            pairs = form.multi_items()
    except UsageError:
        return None
    fields = tuple((name, value) for name, value in pairs if isinstance(value, str))
    files = tuple((name, value.filename) for name, value in pairs if isinstance(value, UploadFile) and value.filename)
    if not (fields or files) or SECRET_FIELDS & {name for name, _ in fields}:
        return None
    query = f"?{request.url.query}" if request.url.query else ""
    person = request.cookies.get(PERSON_COOKIE, "")
    return HeldForm(request.url.path + query, page_before(request), person, fields, files)


def is_short(request: Request) -> bool:
    """Tell whether a form is short enough to be held; browsers always say how long it is."""
    length = request.headers.get("content-length", "" if "transfer-encoding" in request.headers else "0")
    return bool(re.fullmatch(r"[0-9]{1,9}", length, re.ASCII)) and int(length) <= MAX_BYTES


def page_before(request: Request) -> str:
    """Return the page from which a form was sent."""
    try:
        parts = urlsplit(request.headers.get("referer", ""))
    except ValueError:
        return "/"
    return own_path(parts.path + (f"?{parts.query}" if parts.query else ""))


def remember_person(response: Response, person: str) -> None:
    """Let the browser remember who signed in."""
    response.set_cookie(PERSON_COOKIE, person, max_age=400 * 24 * 3600, httponly=True, samesite="lax")
