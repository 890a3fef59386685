"""A program that speaks JSON lines: started without a shell, told messages, read line by line, never left behind."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from vivavoce.bots.redaction import Redactor, excerpt
from vivavoce.bots.shapes import MAX_BYTES, decode_json
from vivavoce.errors import BotError, Fault
from vivavoce.messages import say
from vivavoce.records import Status

__all__ = ["Program", "Start"]

MOST_STDERR = 2_000
# The end of it is said in one sentence; the rest is kept beside.
MOST_QUOTED = 300
PATIENCE_S = 1.0
_REMEDY = {
    Status.CLOSED: "look at what the program says, and run it by hand",
    Status.NOT_JSON: "print nothing but JSON lines to standard output; everything else belongs to standard error",
    Status.BAD_ENCODING: "the program must write UTF-8",
    Status.TOO_LARGE: f"a line may have at most {MAX_BYTES:,} bytes",
}


@dataclass(frozen=True)
class Start:
    """How a program is started; its environment may hold secrets, so it is never shown."""

    arguments: Sequence[str] = field(repr=False)
    folder: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(eq=False)
class _Waiting:
    """A message that has been sent and has no answer yet."""

    session: str
    turn: int
    answer: asyncio.Future[object]


class Program:
    """A running program. Answers go to the oldest message of their session, or of all if they name none."""

    def __init__(self, process: asyncio.subprocess.Process, redactor: Redactor, where: str) -> None:
        self._process, self._redactor, self._where = process, redactor, where
        self._waiting: list[_Waiting] = []
        self._stderr = ""
        self._ending = ""
        self._readers = [asyncio.create_task(self._read_answers()), asyncio.create_task(self._read_complaints())]

    @classmethod
    async def start(cls, start: Start, redactor: Redactor, where: str) -> Program:
        """Start it; BotError `failed` where that is not possible."""
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(
                *start.arguments,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                limit=MAX_BYTES,
                cwd=start.folder,
                env={**os.environ, **start.environment},
                # A group of its own: what the program starts is ended with it.
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise BotError(
                redactor.text(f"the program cannot be started: {reason}"),
                status=Status.FAILED,
                where=where,
                remedy="check the path and that it may be executed",
            ) from None
        return cls(process, redactor, where)

    @property
    def alive(self) -> bool:
        """Whether it can still answer."""
        return not self._ending and self._process.returncode is None and not self._readers[0].done()

    async def ask(self, session: str, turn: int, text: str) -> object:
        """Send a message and return the answer, without secrets."""
        if not self.alive:
            raise await self._gone()
        waiting = _Waiting(session, turn, asyncio.get_running_loop().create_future())
        # A message that nobody waits for any more stays in the queue: its answer may still come, and must not
        # be taken for the answer to the next one.
        self._waiting.append(waiting)
        await self._write(json.dumps({"session": session, "turn": turn, "text": text}) + "\n")
        return await waiting.answer

    async def close(self) -> None:
        """End the program and all that it started; wait until it is gone."""
        if self._process.returncode is None:
            await self._end()
        await asyncio.gather(*self._readers, return_exceptions=True)
        self._refuse_all(self._failure(Status.CLOSED, "the program was ended"))

    async def _write(self, line: str) -> None:
        stdin = self._process.stdin
        assert stdin is not None, "the program was started with a pipe"  # noqa: S101
        try:
            stdin.write(line.encode())
            await stdin.drain()
        except (OSError, RuntimeError):
            # The reader sees the end as well, and tells it to everyone who waits.
            self._refuse_all(await self._gone())

    async def _end(self) -> None:
        """Ask it to end by closing its input, then firmly, then at once."""
        self._ending = self._ending or "it was ended"
        if self._process.stdin is not None:
            self._process.stdin.close()
        for number in (None, signal.SIGTERM, signal.SIGKILL):
            if number is not None:
                self._signal(number)
            with suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE_S):
                    await self._process.wait()
                break
        # Children of the program may hold its output open, and must not outlive it.
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    async def _read_answers(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None, "the program was started with a pipe"  # noqa: S101
        while True:
            try:
                line = await stdout.readline()
            except ValueError:
                # The rest of the line cannot be told from the next one, so the program is of no use any more.
                self._ending = "its answer was too long"
                self._refuse_all(self._failure(Status.TOO_LARGE, f"a line of more than {MAX_BYTES:,} bytes"))
                self._signal(signal.SIGKILL)
                return
            if not line:
                break
            if line.strip():
                self._deliver(line)
        self._refuse_all(await self._gone())

    async def _read_complaints(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None, "the program was started with a pipe"  # noqa: S101
        while chunk := await stderr.read(4096):
            self._stderr = (self._stderr + chunk.decode("utf-8", "replace"))[-2 * MOST_STDERR :]

    def _deliver(self, line: bytes) -> None:
        try:
            answer = decode_json(line, self._unreadable)
        except BotError as error:
            self._hand_over(self._oldest({}), error)
            return
        named = answer if isinstance(answer, dict) else {}
        self._hand_over(self._oldest(named), self._redactor.value(answer))

    def _oldest(self, answer: Mapping[str, object]) -> _Waiting | None:
        keys = [key for key in ("session", "turn") if answer.get(key) is not None]
        for waiting in self._waiting:
            if all(str(answer[key]) == str(getattr(waiting, key)) for key in keys):
                return waiting
        return None

    def _hand_over(self, waiting: _Waiting | None, answer: object) -> None:
        if waiting is None:
            self._stderr += "\n(a line that answers no message was passed over)"
            return
        self._waiting.remove(waiting)
        if waiting.answer.done():
            return
        if isinstance(answer, BotError):
            waiting.answer.set_exception(answer)
        else:
            waiting.answer.set_result(answer)

    def _refuse_all(self, error: BotError) -> None:
        for waiting in list(self._waiting):
            self._hand_over(waiting, error)

    async def _gone(self) -> BotError:
        """Say how the program ended, with its last words; wait a little for both."""
        with suppress(TimeoutError):
            async with asyncio.timeout(2 * PATIENCE_S):
                await self._process.wait()
                await asyncio.shield(self._readers[1])
        code = self._process.returncode
        ended = self._ending or ("it closed its output" if code is None else f"it ended with code {code}")
        return self._failure(Status.CLOSED, ended)

    def _unreadable(self, status: Status, detail: str) -> BotError:
        return self._failure(status, excerpt(detail, self._redactor))

    def _failure(self, status: Status, detail: str) -> BotError:
        words = self._redactor.text(self._stderr).strip()[-MOST_STDERR:]
        if status is not Status.CLOSED:
            words = ""
        said = f"; it says: {' '.join(words[-MOST_QUOTED:].split())}" if words else ""
        what = say("{meaning}: {detail}", meaning=status.meaning, detail=self._redactor.text(f"{detail}{said}"))
        faults = [Fault(words, "standard error")] if len(words) > MOST_QUOTED else []
        return BotError(what, status=status, where=self._where, remedy=_REMEDY.get(status, ""), faults=faults)
