"""What people send: bounded before it is read, kept under a name that can do no harm."""

from __future__ import annotations

import os
import re
import secrets
import unicodedata
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from copy import copy
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Protocol

from starlette.datastructures import FormData, Headers
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vivavoce.errors import Fault, FileError, UsageError, VivaError
from vivavoce.messages import change_texts, say
from vivavoce.store.troubles import disk_full_error, is_disk_full
from vivavoce.web.security.refusals import Answer, Refusal, plain_answer, refuse

MEGABYTE = 1024**2
# A form or a JSON document is held in memory; files of a form go to the disk as they come.
MAX_BODY_BYTES = 8 * MEGABYTE
MAX_UPLOAD_BYTES = 64 * MEGABYTE
# Strangers send a login, a password, and at most the text that they typed before their session ended.
MAX_STRANGERS_BYTES = MEGABYTE
PIECE_BYTES = MEGABYTE
MAX_NAME_BYTES = 120
NAMELESS = "upload"
_ILLEGAL = re.compile(r'[<>:"|?*]')
# Names that mean devices on Windows, with any ending.
_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9]|conin\$|conout\$)(\..*)?", re.IGNORECASE)


class Upload(Protocol):
    """A file of a form, as Starlette and FastAPI hand it over."""

    @property
    def filename(self) -> str | None:
        """Return the name that the sender gave it."""

    @property
    def file(self) -> BinaryIO:
        """Return its content."""


@dataclass(frozen=True, slots=True)
class FormLimits:
    """How much a form may hold."""

    files: int = 20
    fields: int = 1_000
    field_bytes: int = 4 * MEGABYTE


FORM_LIMITS = FormLimits()


class BodyLimit:
    """Refuses bodies that are too large: by what they claim, and by what really comes.

    `open_forms`: beginnings of paths at which anybody may send a form, and so only a small one.
    """

    def __init__(
        self,
        app: ASGIApp,
        max_bytes: int = MAX_BODY_BYTES,
        max_upload_bytes: int = MAX_UPLOAD_BYTES,
        answer: Answer = plain_answer,
        open_forms: tuple[str, ...] = (),
    ) -> None:
        self.app = app
        self.max_bytes = max_bytes
        self.max_upload_bytes = max_upload_bytes
        self.answer = answer
        self.open_forms = open_forms

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and count what it brings."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        limit = self._limit(scope["path"], headers)
        claimed = headers.get("content-length", "").strip()
        # Where none is claimed, what comes is counted anyway.
        if re.fullmatch(r"[0-9]{1,18}", claimed, re.ASCII) and int(claimed) > limit:
            await refuse(scope, receive, send, too_large(limit), self.answer)
            return
        await _Counted(self.app, limit, self.answer).run(scope, receive, send)

    def _limit(self, path: str, headers: Headers) -> int:
        if path.startswith(self.open_forms):
            return min(MAX_STRANGERS_BYTES, self.max_bytes)
        is_upload = headers.get("content-type", "").lower().startswith("multipart/")
        return self.max_upload_bytes if is_upload else self.max_bytes


class _BodyTooLargeError(HTTPException):
    """Ends the reading; whatever the application makes of it, the answer is ours."""


class _Counted:
    """One request whose body is counted as it comes: a body without a length can be endless."""

    def __init__(self, app: ASGIApp, limit: int, answer: Answer) -> None:
        self.app = app
        self.limit = limit
        self.answer = answer
        self.seen = 0
        self.answered = False

    @property
    def exceeded(self) -> bool:
        return self.seen > self.limit

    async def run(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def receive_counted() -> Message:
            message = await receive()
            self.seen += len(message.get("body", b"")) if message["type"] == "http.request" else 0
            if self.exceeded:
                raise _BodyTooLargeError(413, too_large(self.limit).what)
            return message

        async def send_unless_exceeded(message: Message) -> None:
            if self.exceeded and not self.answered:
                return  # frameworks turn the error above into answers of their own
            self.answered = True
            await send(message)

        try:
            await self.app(scope, receive_counted, send_unless_exceeded)
        except Exception:  # ours may come back wrapped into another
            if self.answered or not self.exceeded:
                raise  # where an answer has begun, only the connection can be ended
        if self.exceeded and not self.answered:
            await refuse(scope, receive, send, too_large(self.limit), self.answer)


def too_large(limit: int) -> Refusal:
    """Return the refusal of a body beyond a limit."""
    return Refusal(
        413,
        say("This exceeds the limit of {in_words} per request", in_words=_in_words(limit)),
        say(
            "Send less at once: a smaller file, or the table in several parts. Your server admin can raise the limit."
        ),
        {"Connection": "close"},  # the rest of the body is not read
    )


@asynccontextmanager
async def read_form(request: Request, limits: FormLimits = FORM_LIMITS) -> AsyncIterator[FormData]:
    """Give a form whose files are closed at the end; refuse more files, fields or text than a page of ours sends."""
    try:
        form = await request.form(max_files=limits.files, max_fields=limits.fields, max_part_size=limits.field_bytes)
    except _BodyTooLargeError:
        raise
    except OSError as error:  # files of a form go to the disk as they come
        raise (disk_full_error() if is_disk_full(error) else error) from error
    except (HTTPException, MultiPartException) as error:
        reason = str(error.detail if isinstance(error, HTTPException) else error.message)
        raise UsageError(
            say("cannot read the form: {reason}", reason=reason.rstrip(".")),
            remedy=say(
                "send at most {files} files, {fields} fields and {in_words} in one field",
                files=limits.files,
                fields=limits.fields,
                in_words=_in_words(limits.field_bytes),
            ),
        ) from error
    try:
        yield form
    finally:
        await form.close()


def saved_upload(file: Upload, folder: Path, *, max_bytes: int = MAX_UPLOAD_BYTES) -> Path:
    """Keep a file in a new folder of its own inside `folder`, under a safe name, and return its path.

    The new folder keeps two files of the same name apart, and the name as the sender knows it. `forget_upload`
    removes both. Copying blocks: an asynchronous page calls this in a thread.
    """
    name = safe_name(file.filename or "")
    home = folder / secrets.token_hex(8)
    try:
        home.mkdir(mode=0o700, parents=True)
        target = home / name
        file.file.seek(0)
        with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as output:
            seen = 0
            while piece := file.file.read(PIECE_BYTES):
                seen += len(piece)
                if seen > max_bytes:
                    raise FileError(
                        say("the file is larger than {in_words}", in_words=_in_words(max_bytes)),
                        where=name,
                        remedy=say("send it in several parts"),
                    )
                output.write(piece)
    except (OSError, VivaError) as error:
        with suppress(OSError):  # the first error is the one to tell
            forget_upload(home / name)
        if isinstance(error, VivaError):
            raise
        if is_disk_full(error):
            raise disk_full_error() from error
        raise FileError(
            say("cannot store the file: {strerror}", strerror=error.strerror or error),
            where=name,
            remedy=say("try again, or tell an admin"),
        ) from error
    return target


def forget_upload(path: Path) -> None:
    """Remove a kept file and the folder made for it."""
    path.unlink(missing_ok=True)
    if path.parent.is_dir():
        path.parent.rmdir()


def safe_name(name: str) -> str:
    """Return a file name without folders, signs that steer a screen or a system, and names of devices."""
    last = PurePosixPath(name.replace("\\", "/")).name
    # No control and formatting signs: writing from right to left hides an ending.
    spaced = (" " if unicodedata.category(c).startswith("Z") else c for c in unicodedata.normalize("NFC", last))
    visible = "".join(sign for sign in spaced if sign.isprintable())
    plain = _ILLEGAL.sub("_", visible).strip(" .~")
    plain = f"_{plain}" if _DEVICE.fullmatch(plain) or plain.startswith("-") else plain
    # Of a long name the middle is cut: the ending says what the file is.
    stem, dot, ending = plain.rpartition(".")
    if not dot or len(ending.encode()) > 16:
        stem, dot, ending = plain, "", ""
    room = MAX_NAME_BYTES - len(f"{dot}{ending}".encode())
    shortened = stem.encode()[:room].decode("utf-8", "ignore") + dot + ending
    return shortened.rstrip(" .~") or NAMELESS


def name_as_sent(error: VivaError, path: Path) -> VivaError:
    """Return an error about a kept file that names it as its sender does: folders of the server are not renamed."""
    folder = f"{path.parent}{os.sep}"

    def name(text: str) -> str:
        return change_texts(text, lambda value: value.replace(folder, ""))

    renamed = copy(error)
    renamed.what, renamed.where, renamed.remedy = map(name, (error.what, error.where, error.remedy))
    renamed.faults = tuple(Fault(name(fault.message), name(fault.where)) for fault in error.faults)
    renamed.args = (str(renamed),)
    return renamed


def _in_words(size: int) -> str:
    return f"{size / MEGABYTE:g} MB" if size >= MEGABYTE else f"{size:,} bytes"
